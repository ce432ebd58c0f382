/* Images and samplers: what lies at places, by every sampler and type; writes; numbers of every
 * kind. Places are in pixels, or in extents where they are normalized. */
#include "corpus.clh"

#define PIXELS     CLK_NORMALIZED_COORDS_FALSE
#define NORMALIZED CLK_NORMALIZED_COORDS_TRUE

/* From [-1, 1] to before the first pixel and behind the last. */
#define SAMPLE_2D(name, flags, low, high)                                                          \
    kernel void name(read_only image2d_t image, global const float2 *places, global float4 *out)   \
    {                                                                                              \
        const sampler_t how = flags;                                                               \
        size_t i = get_global_id(0);                                                               \
        float2 unit = places[i] * 0.5f + 0.5f;                                                     \
        out[i] = read_imagef(image, how, low + unit * (high - low));                               \
    }

SAMPLE_2D(edge_nearest, PIXELS | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST, (float2)(-2.0f),
          (float2)(15.0f, 9.0f))
SAMPLE_2D(border_nearest, PIXELS | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST, (float2)(-2.0f),
          (float2)(15.0f, 9.0f))
SAMPLE_2D(edge_linear, PIXELS | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR, (float2)(-2.0f),
          (float2)(15.0f, 9.0f))
SAMPLE_2D(border_linear, PIXELS | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR, (float2)(-2.0f),
          (float2)(15.0f, 9.0f))
SAMPLE_2D(whole_edge_nearest, NORMALIZED | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST,
          (float2)(-1.5f), (float2)(2.5f))
SAMPLE_2D(whole_border_nearest, NORMALIZED | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST,
          (float2)(-1.5f), (float2)(2.5f))
SAMPLE_2D(repeat_nearest, NORMALIZED | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST, (float2)(-1.5f),
          (float2)(2.5f))
SAMPLE_2D(mirror_nearest, NORMALIZED | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST,
          (float2)(-1.5f), (float2)(2.5f))
SAMPLE_2D(whole_edge_linear, NORMALIZED | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR,
          (float2)(-1.5f), (float2)(2.5f))
SAMPLE_2D(whole_border_linear, NORMALIZED | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR, (float2)(-1.5f),
          (float2)(2.5f))
SAMPLE_2D(repeat_linear, NORMALIZED | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR, (float2)(-1.5f),
          (float2)(2.5f))
SAMPLE_2D(mirror_linear, NORMALIZED | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR,
          (float2)(-1.5f), (float2)(2.5f))

kernel void solid_linear(read_only image3d_t image, global const float4 *places, global float4 *out)
{
    const sampler_t how = PIXELS | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    size_t i = get_global_id(0);
    out[i] = read_imagef(image, how, places[i] * (float4)(5.0f, 4.0f, 3.0f, 0.0f) + 2.0f);
}

/* Whole places, with and without a sampler, in and around the image. */
kernel void whole_2d(read_only image2d_t image, global const int2 *places, global float4 *out)
{
    const sampler_t how = PIXELS | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    size_t i = get_global_id(0);
    int2 at = (places[i] & 31) - 4;
    out[i] = read_imagef(image, how, at) - read_imagef(image, clamp(at, 0, (int2)(12, 6)));
}

kernel void layers_2d(read_only image2d_array_t image, global const int4 *places, global uint4 *out)
{
    const sampler_t how = PIXELS | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    size_t i = get_global_id(0);
    out[i] = read_imageui(image, how, (places[i] & 15) - 4);
}

kernel void layers_1d(read_only image1d_array_t image, global const int2 *places, global int4 *out)
{
    const sampler_t how = PIXELS | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    size_t i = get_global_id(0);
    out[i] = (int4)(read_imagei(image, how, (places[i] & 15) - 4).xyz, 1); /* pocl's alpha is 0 */
}

/* Each item has a pixel: 32 x 8. */
#define PLACE ((int2)(get_global_id(0) % 32, get_global_id(0) / 32))

kernel void write_colours(write_only image2d_t image, global const float4 *colours)
{
    write_imagef(image, PLACE, colours[get_global_id(0)]);
}

kernel void write_halves(write_only image2d_t image, global const float4 *colours)
{
    write_imagef(image, PLACE, colours[get_global_id(0)]);
}

kernel void write_signed(write_only image2d_t image, global const int4 *colours)
{
    write_imagei(image, PLACE, colours[get_global_id(0)]);
}

kernel void write_unsigned(write_only image2d_t image, global const uint4 *colours)
{
    write_imageui(image, PLACE, colours[get_global_id(0)]);
}

kernel void read_halves(read_only image2d_t image, global float4 *out)
{
    out[get_global_id(0)] = read_imagef(image, PLACE);
}

kernel void read_normal(read_only image2d_t image, global float4 *out)
{
    out[get_global_id(0)] = read_imagef(image, PLACE);
}

/* clang-22 forgets what OpenCL adds to the channels' data type in SPIR-V: it is left out. */
kernel void queries(read_only image2d_t flat, read_only image3d_t solid,
                    read_only image2d_array_t layers, global int *out)
{
    if (get_global_id(0) == 0) {
        int4 extents = get_image_dim(solid);
        out[0] = get_image_width(flat);
        out[1] = get_image_height(flat);
        out[2] = extents.x;
        out[3] = extents.y;
        out[4] = extents.z;
        out[5] = (int)get_image_array_size(layers);
        out[6] = get_image_channel_order(flat);
    }
}
