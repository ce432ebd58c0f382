/* Images and samplers, one item a pixel or a place. */

#define SAMPLE(name, type, at)                                                                     \
    kernel void sample_##name(read_only type image, sampler_t s, global const float4 *places,      \
                              global float4 *out)                                                  \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = read_imagef(image, s, places[i].at);                                              \
    }

SAMPLE(1d, image1d_t, x)
SAMPLE(1d_array, image1d_array_t, xy)
SAMPLE(2d, image2d_t, xy)
SAMPLE(2d_array, image2d_array_t, xyzw)
SAMPLE(3d, image3d_t, xyzw)

#define READ(name, type, at)                                                                       \
    kernel void read_##name(read_only type image, global const int4 *places, global float4 *out)   \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = read_imagef(image, places[i].at);                                                 \
    }                                                                                              \
    kernel void write_##name(write_only type image, global const int4 *places,                     \
                             global const float4 *colours)                                         \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        write_imagef(image, places[i].at, colours[i]);                                             \
    }

READ(1d, image1d_t, x)
READ(1d_array, image1d_array_t, xy)
READ(buffer, image1d_buffer_t, x)
READ(2d, image2d_t, xy)
READ(2d_array, image2d_array_t, xyzw)
READ(3d, image3d_t, xyzw)

kernel void read_depth(read_only image2d_depth_t image, sampler_t s, global const int4 *places,
                       global float *out)
{
    size_t i = get_global_id(0);
    out[2 * i] = read_imagef(image, places[i].xy);
    out[2 * i + 1] = read_imagef(image, s, places[i].xy);
}

kernel void read_whole(read_only image2d_t image, sampler_t s, global const int4 *places,
                       global float4 *out, global int4 *signed_out, global uint4 *unsigned_out)
{
    size_t i = get_global_id(0);
    out[i] = read_imagef(image, s, places[i].xy);
    signed_out[i] = read_imagei(image, s, places[i].xy);
    unsigned_out[i] = read_imageui(image, s, convert_float2(places[i].xy) + 0.5f);
}

kernel void read_integers(read_only image2d_t image, global const int4 *places, global int4 *out)
{
    size_t i = get_global_id(0);
    out[i] = read_imagei(image, places[i].xy);
}

kernel void write_integers(write_only image2d_t image, global const int4 *places,
                           global const int4 *colours)
{
    size_t i = get_global_id(0);
    write_imagei(image, places[i].xy, colours[i]);
}

/* Rows of pixels to rows: what is read and written as vectors. */
kernel void rows(read_only image2d_t from, write_only image2d_t to, read_write image2d_t both)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 c = read_imagef(from, at);
    write_imagef(both, at, c * 0.5f);
    write_imagef(to, at, 1.0f - read_imagef(both, at));
}

/* Neighbours on both sides: some of a row lie beyond the edges. */
kernel void blur(read_only image2d_t from, global float4 *out)
{
    const sampler_t s =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            sum += read_imagef(from, s, at + (int2)(x, y));
        }
    }
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

kernel void query(read_only image1d_t a, read_only image1d_array_t b, read_only image1d_buffer_t c,
                  read_only image2d_t d, read_only image2d_array_t e, read_only image3d_t f,
                  global int *out)
{
    if (get_global_id(0)) {
        return;
    }
    *out++ = get_image_width(a);
    *out++ = get_image_width(b);
    *out++ = get_image_array_size(b);
    *out++ = get_image_width(c);
    *out++ = get_image_width(d);
    *out++ = get_image_height(d);
    *out++ = get_image_dim(e).x;
    *out++ = get_image_dim(e).y;
    *out++ = get_image_array_size(e);
    *out++ = get_image_dim(f).x;
    *out++ = get_image_dim(f).y;
    *out++ = get_image_dim(f).z;
    *out++ = get_image_channel_order(d) - CLK_R;
}

/* Which sampler depends on the item. */
kernel void choose(read_only image2d_t image, sampler_t a, sampler_t b, global const float4 *places,
                   global float4 *out)
{
    const sampler_t c = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
    size_t i = get_global_id(0);
    if (i % 3 == 0) {
        out[i] = read_imagef(image, a, places[i].xy);
    } else if (i % 3 == 1) {
        out[i] = read_imagef(image, b, places[i].xy);
    } else {
        out[i] = read_imagef(image, c, places[i].xy);
    }
}
