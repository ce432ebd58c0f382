/* The same work on images and on buffers. bench_images.c has the sizes. Coordinates beyond the
 * edges are clamped. */
#define WEIGHTS 5

/* LOAD and STORE convert a pixel of a buffer to a colour and back. PART selects the components of
 * an image's colour. */
#define LOAD_rgba8(pixel)   (convert_float4(pixel) * (1.0f / 255.0f))
#define STORE_rgba8(colour) convert_uchar4_sat_rte((colour) * 255.0f)
#define PART_rgba8          xyzw
#define LOAD_r32f(pixel)    (pixel)
#define STORE_r32f(colour)  (colour)
#define PART_r32f           x

#define KERNELS(format, type, colour)                                                              \
    __kernel void convolve_image_##format(__read_only image2d_t from, __write_only image2d_t to,   \
                                          __constant float *weights)                               \
    {                                                                                              \
        const sampler_t edge =                                                                     \
            CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;          \
        int2 at = (int2)(get_global_id(0), get_global_id(1));                                      \
        colour sum = 0.0f;                                                                         \
        for (int y = 0; y < WEIGHTS; y++) {                                                        \
            for (int x = 0; x < WEIGHTS; x++) {                                                    \
                int2 place = at + (int2)(x, y) - WEIGHTS / 2;                                      \
                sum += weights[y * WEIGHTS + x] * read_imagef(from, edge, place).PART_##format;    \
            }                                                                                      \
        }                                                                                          \
        write_imagef(to, at, (float4)(sum));                                                       \
    }                                                                                              \
    __kernel void resize_image_##format(__read_only image2d_t from, __write_only image2d_t to,     \
                                        float scale)                                               \
    {                                                                                              \
        const sampler_t linear =                                                                   \
            CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;           \
        int2 at = (int2)(get_global_id(0), get_global_id(1));                                      \
        colour sum = read_imagef(from, linear, (convert_float2(at) + 0.5f) * scale).PART_##format; \
        write_imagef(to, at, (float4)(sum));                                                       \
    }                                                                                              \
    __kernel void convolve_buffer_##format(__global const type *from, __global type *to,           \
                                           __constant float *weights, int width, int height)       \
    {                                                                                              \
        int2 at = (int2)(get_global_id(0), get_global_id(1));                                      \
        colour sum = 0.0f;                                                                         \
        for (int y = 0; y < WEIGHTS; y++) {                                                        \
            for (int x = 0; x < WEIGHTS; x++) {                                                    \
                int2 place =                                                                       \
                    clamp(at + (int2)(x, y) - WEIGHTS / 2, 0, (int2)(width - 1, height - 1));      \
                sum += weights[y * WEIGHTS + x] * LOAD_##format(from[place.y * width + place.x]);  \
            }                                                                                      \
        }                                                                                          \
        to[at.y * width + at.x] = STORE_##format(sum);                                             \
    }                                                                                              \
    __kernel void resize_buffer_##format(__global const type *from, __global type *to,             \
                                         float scale, int width, int height, int to_width)         \
    {                                                                                              \
        int2 at = (int2)(get_global_id(0), get_global_id(1));                                      \
        float2 place = (convert_float2(at) + 0.5f) * scale - 0.5f, whole = floor(place);           \
        float2 part = place - whole;                                                               \
        int2 last = (int2)(width - 1, height - 1), first = clamp(convert_int2(whole), 0, last);    \
        int2 second = clamp(convert_int2(whole) + 1, 0, last);                                     \
        colour above = mix(LOAD_##format(from[first.y * width + first.x]),                         \
                           LOAD_##format(from[first.y * width + second.x]), part.x);               \
        colour below = mix(LOAD_##format(from[second.y * width + first.x]),                        \
                           LOAD_##format(from[second.y * width + second.x]), part.x);              \
        to[at.y * to_width + at.x] = STORE_##format(mix(above, below, part.y));                    \
    }

KERNELS(rgba8, uchar4, float4)
KERNELS(r32f, float, float)
