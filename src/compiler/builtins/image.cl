/* Implements images in kernels: conversion between pixels and colours, and samplers (the formulas
 * of OpenCL C 3.0, 8.2 to 8.4). builtins/images.c replaces SPIR-V instructions by calls of these
 * functions. They are inlined, so format and sampler, which are equal for all items, become uniform
 * branches, and pixels of one row become vector loads.
 *
 * Coordinates are x, y, z. z is the layer of an array, for which `array` is set. Coordinates that
 * the type lacks are 0. Any coordinates are allowed: accesses stay inside the image. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#include "image_srgb.clh"

#define INLINE static inline __attribute__((always_inline))

/* The same as struct geo_surface of native/abi.h. */
struct surface {
    __global uchar *pixels;
    ulong slice_pitch;
    uint row_pitch;
    uint width, height, depth, layers;
    uint levels;
    uint pixel_bytes;
    uint number, flags, sampler, border;
    ushort channel_order, channel_type;
    uint word[4], shift[4], mask[4], fill[4], put[4], align[4];
    float scale[4], limit[4];
};

typedef __constant const struct surface *surface_t;

enum number { UINT, SINT, UNORM, UNORM_32, SNORM, SRGB, HALF, FLOAT };
enum flags { WORDS = 1 };
enum sampler {
    NONE,
    CLAMP_TO_EDGE,
    CLAMP,
    REPEAT,
    MIRRORED_REPEAT,
    ADDRESS_MASK = 7,
    LINEAR = 8,
    NORMALIZED = 16,
};

INLINE uint4 all4(__constant const uint *p)
{
    return (uint4)(p[0], p[1], p[2], p[3]);
}

INLINE float4 all4f(__constant const float *p)
{
    return (float4)(p[0], p[1], p[2], p[3]);
}

INLINE uint extent_z(surface_t s, uint array)
{
    return array ? s->layers : s->depth;
}

INLINE bool is_inside(surface_t s, uint array, int x, int y, int z)
{
    return (uint)x < s->width && (uint)y < s->height && (uint)z < extent_z(s, array);
}

INLINE __global uchar *row_at(surface_t s, int y, int z)
{
    return s->pixels + (ulong)(uint)z * s->slice_pitch + (ulong)(uint)y * s->row_pitch;
}

/* ---- pixels ---- */

/* Load the pixel at x. They are used where the lanes' pixels are consecutive, and become one or a
 * few vector loads. */
INLINE uint small_load(uint bytes, __global const uchar *row, int x)
{
    if (bytes == 2) {
        return ((__global const ushort *)row)[x];
    }
    if (bytes == 1) {
        return row[x];
    }
    uchar3 b = vload3(x, row);
    return b.x | (uint)b.y << 8 | (uint)b.z << 16;
}

INLINE uint4 large_load(uint bytes, __global const uchar *row, int x)
{
    if (bytes == 16) {
        return vload4(x, (__global const uint *)row);
    }
    if (bytes == 8) {
        return (uint4)(vload2(x, (__global const uint *)row), 0, 0);
    }
    if (bytes == 12) {
        return (uint4)(vload3(x, (__global const uint *)row), 0);
    }
    ushort3 h = vload3(x, (__global const ushort *)row);
    return (uint4)(h.x | (uint)h.y << 16, h.z, 0, 0);
}

/* Load the pixel at x, wherever the lanes' pixels are. Words or bytes are loaded one after another
 * for any pixel size. */
INLINE uint small_gather(uint bytes, __global const uchar *row, int x)
{
    if (bytes == 4) {
        return ((__global const uint *)row)[x];
    }
    __global const uchar *pixel = row + x * (int)bytes;
    uint w = pixel[0];
    if (bytes > 1) {
        w |= (uint)pixel[1] << 8;
        if (bytes > 2) {
            w |= (uint)pixel[2] << 16;
        }
    }
    return w;
}

INLINE uint4 large_gather(uint bytes, __global const uchar *row, int x)
{
    __global const uchar *pixel = row + x * (int)bytes;
    if (bytes == 6) {
        __global const ushort *h = (__global const ushort *)pixel;
        return (uint4)(h[0] | (uint)h[1] << 16, h[2], 0, 0);
    }
    __global const uint *word = (__global const uint *)pixel;
    uint4 w = (uint4)(word[0], word[1], 0, 0);
    if (bytes > 8) {
        w.z = word[2];
        if (bytes > 12) {
            w.w = word[3];
        }
    }
    return w;
}

INLINE void words_store(uint bytes, __global uchar *row, int x, uint4 w)
{
    switch (bytes) {
    case 1:
        row[x] = (uchar)w.x;
        break;
    case 2:
        ((__global ushort *)row)[x] = (ushort)w.x;
        break;
    case 3:
        vstore3((uchar3)((uchar)w.x, (uchar)(w.x >> 8), (uchar)(w.x >> 16)), x, row);
        break;
    case 4:
        ((__global uint *)row)[x] = w.x;
        break;
    case 6:
        vstore3((ushort3)((ushort)w.x, (ushort)(w.x >> 16), (ushort)w.y), x,
                (__global ushort *)row);
        break;
    case 8:
        vstore2(w.xy, x, (__global uint *)row);
        break;
    case 12:
        vstore3(w.xyz, x, (__global uint *)row);
        break;
    default:
        vstore4(w, x, (__global uint *)row);
        break;
    }
}

INLINE uint pick(uint4 w, uint word)
{
    uint low = word & 1 ? w.y : w.x, high = word & 1 ? w.w : w.z;
    return word & 2 ? high : low;
}

/* Returns whether a pixel fits into one word. */
INLINE bool is_small(surface_t s)
{
    return s->pixel_bytes <= 4;
}

/* Return the components of a colour, as bits of the pixel. */
INLINE uint4 small_bits(surface_t s, uint w)
{
    return ((uint4)(w) >> all4(s->shift) & all4(s->mask)) | all4(s->fill);
}

INLINE uint4 large_bits(surface_t s, uint4 w)
{
    if (s->flags & WORDS) {
        return w | all4(s->fill);
    }
    w = (uint4)(pick(w, s->word[0]), pick(w, s->word[1]), pick(w, s->word[2]), pick(w, s->word[3]));
    return (w >> all4(s->shift) & all4(s->mask)) | all4(s->fill);
}

INLINE uint word_of(surface_t s, uint4 bits, uint word)
{
    return (s->word[0] == word ? bits.x : 0) | (s->word[1] == word ? bits.y : 0) |
           (s->word[2] == word ? bits.z : 0) | (s->word[3] == word ? bits.w : 0);
}

/* Converts components to the words of a pixel. */
INLINE uint4 words_of(surface_t s, uint4 bits)
{
    bits &= all4(s->put);
    if (s->flags & WORDS) {
        return bits;
    }
    bits <<= all4(s->shift);
    if (is_small(s)) {
        return (uint4)(bits.x | bits.y | bits.z | bits.w, 0, 0, 0);
    }
    return (uint4)(word_of(s, bits, 0), word_of(s, bits, 1), word_of(s, bits, 2),
                   word_of(s, bits, 3));
}

/* Return a pixel's components: row_bits if the lanes' pixels are consecutive, any_bits
 * otherwise. */
INLINE uint4 row_bits(surface_t s, __global const uchar *row, int x)
{
    if (s->pixel_bytes == 4) {
        return small_bits(s, ((__global const uint *)row)[x]);
    }
    return is_small(s) ? small_bits(s, small_load(s->pixel_bytes, row, x))
                       : large_bits(s, large_load(s->pixel_bytes, row, x));
}

INLINE uint4 any_bits(surface_t s, __global const uchar *row, int x)
{
    return is_small(s) ? small_bits(s, small_gather(s->pixel_bytes, row, x))
                       : large_bits(s, large_gather(s->pixel_bytes, row, x));
}

/* Returns the border colour: all components have their default, alpha its own. */
INLINE uint4 border_bits(surface_t s)
{
    uint4 bits = all4(s->fill);
    bits.w = s->border;
    return bits;
}

/* ---- conversion of numbers ---- */

INLINE float to_srgb(float c)
{
    return c < 0.0031308f ? c * 12.92f : 1.055f * exp2(log2(c) * (1 / 2.4f)) - 0.055f;
}

INLINE float4 to_float(surface_t s, uint4 bits)
{
    if (s->number == UNORM) {
        return convert_float4(as_int4(bits)) * all4f(s->scale);
    }
    if (s->number == FLOAT) {
        return as_float4(bits);
    }
    switch (s->number) {
    case UNORM_32:
        return convert_float4(bits) * all4f(s->scale);
    case SNORM: {
        int4 v = as_int4(bits << all4(s->align)) >> as_int4(all4(s->align));
        return max(convert_float4(v) * all4f(s->scale), -1.0f);
    }
    case SRGB: {
        float4 c = convert_float4(as_int4(bits)) * all4f(s->scale);
        int4 byte = convert_int4(c * 255.0f + 0.5f);
        return (float4)(srgb_linear[byte.x & 255], srgb_linear[byte.y & 255],
                        srgb_linear[byte.z & 255], s->align[3] ? c.w : srgb_linear[byte.w & 255]);
    }
    default:
        return convert_float4(as_half4(convert_ushort4(bits << all4(s->align))));
    }
}

INLINE uint4 to_int(surface_t s, uint4 bits)
{
    return as_uint4(as_int4(bits << all4(s->align)) >> as_int4(all4(s->align)));
}

/* Rounds to an unsigned float with 5 exponent bits and 10 - align mantissa bits, to nearest even.
 * The intermediate half is rounded to odd, which avoids double rounding. */
INLINE uint small_float(float c, uint align)
{
    half h = convert_half_rtz(c);
    uint bits = as_ushort(h);
    if (!align) {
        return as_ushort(convert_half_rte(c));
    }
    uint sticky = convert_float(h) != c;
    uint rounded = ((bits | sticky) + ((1u << (align - 1)) - 1) + (bits >> align & 1)) >> align;
    uint infinity = 0x7C00u >> align;
    rounded = isnan(c) ? infinity + 1 : isinf(c) ? infinity : min(rounded, infinity);
    return c > 0 || isnan(c) ? rounded : 0;
}

INLINE uint4 from_float(surface_t s, float4 c)
{
    float4 limit = all4f(s->limit);
    if (s->number == FLOAT) {
        return as_uint4(c);
    }
    if (s->number == SRGB) {
        c = fmin(fmax(c, 0.0f), 1.0f);
        c = (float4)(to_srgb(c.x), to_srgb(c.y), to_srgb(c.z), s->align[3] ? c.w : to_srgb(c.w));
    }
    switch (s->number) {
    case SRGB:
    case UNORM:
        return as_uint4(convert_int4(rint(fmin(fmax(c * limit, 0.0f), limit))));
    case UNORM_32:
        return convert_uint4_sat_rte(c * limit);
    case SNORM:
        return as_uint4(convert_int4_sat_rte(
            select(fmin(fmax(c * limit, -limit - 1.0f), limit), (float4)0.0f, isnan(c))));
    default:
        return (uint4)(small_float(c.x, s->align[0]), small_float(c.y, s->align[1]),
                       small_float(c.z, s->align[2]), small_float(c.w, s->align[3]));
    }
}

INLINE uint4 from_int(surface_t s, uint4 v)
{
    uint4 mask = all4(s->mask);
    if (s->number == SINT) {
        int4 largest = as_int4(mask >> 1);
        return as_uint4(min(max(as_int4(v), -largest - 1), largest));
    }
    return min(v, mask);
}

/* ---- integer coordinates ---- */

INLINE int inside_of(int i, uint extent)
{
    return min(max(i, 0), (int)extent - 1);
}

/* Reads a pixel. y and z are clamped first, so that only x needs a branch of its own, in which the
 * lanes' pixels stay consecutive. */
INLINE uint4 bits_at(surface_t s, uint sampler, uint array, int x, int y, int z)
{
    uint mode = sampler & ADDRESS_MASK;
    if (mode == NONE || mode == CLAMP) {
        z = array ? inside_of(z, s->layers) : z;
        return is_inside(s, array, x, y, z) ? row_bits(s, row_at(s, y, z), x) : border_bits(s);
    }
    __global const uchar *row =
        row_at(s, inside_of(y, s->height), inside_of(z, extent_z(s, array)));
    return (uint)x < s->width ? row_bits(s, row, x) : any_bits(s, row, inside_of(x, s->width));
}

float4 geo_image_at_f(surface_t s, uint sampler, uint array, int x, int y, int z)
{
    return to_float(s, bits_at(s, sampler, array, x, y, z));
}

uint4 geo_image_at_i(surface_t s, uint sampler, uint array, int x, int y, int z)
{
    return to_int(s, bits_at(s, sampler, array, x, y, z));
}

void geo_image_put_f(surface_t s, uint array, int x, int y, int z, float4 colour)
{
    if (is_inside(s, array, x, y, z)) {
        words_store(s->pixel_bytes, row_at(s, y, z), x, words_of(s, from_float(s, colour)));
    }
}

void geo_image_put_i(surface_t s, uint array, int x, int y, int z, uint4 colour)
{
    if (is_inside(s, array, x, y, z)) {
        words_store(s->pixel_bytes, row_at(s, y, z), x, words_of(s, from_int(s, colour)));
    }
}

/* ---- float coordinates ---- */

/* Converts a coordinate to pixels. In modes other than clamping the result is between 0 and the
 * extent. */
INLINE float unfold(float c, uint extent, uint sampler)
{
    switch (sampler & ADDRESS_MASK) {
    case REPEAT:
        return (c - floor(c)) * (float)extent;
    case MIRRORED_REPEAT:
        return fabs(c - 2.0f * rint(0.5f * c)) * (float)extent;
    default:
        return sampler & NORMALIZED ? c * (float)extent : c;
    }
}

/* Applies the address mode to a pixel index that is at most one pixel outside. CLAMP leaves it
 * outside. */
INLINE int wrap(int i, uint extent, uint sampler)
{
    int last = (int)extent - 1;
    switch (sampler & ADDRESS_MASK) {
    case REPEAT:
        i = i < 0 ? i + (int)extent : i;
        i = i > last ? i - (int)extent : i;
        return min(max(i, 0), last);
    case CLAMP_TO_EDGE:
    case MIRRORED_REPEAT:
        return min(max(i, 0), last);
    default:
        return i;
    }
}

/* Rounds down; NaN becomes an index before the first pixel. */
INLINE int floor_of(float u, uint extent)
{
    return convert_int(floor(fmin(fmax(u, -2.0f), (float)extent + 1.0f)));
}

INLINE int nearest(float c, uint extent, uint sampler)
{
    return wrap(floor_of(unfold(c, extent, sampler), extent), extent, sampler);
}

INLINE int layer_of(surface_t s, float z)
{
    return convert_int(fmin(fmax(rint(z), 0.0f), (float)(s->layers - 1)));
}

/* The two pixels around a coordinate, and its distance from the first. */
struct between {
    int first, second;
    float part;
};

INLINE struct between between_of(float c, uint extent, uint sampler)
{
    struct between b;
    float u = unfold(c, extent, sampler) - 0.5f;
    int i = floor_of(u, extent);
    b.first = wrap(i, extent, sampler);
    b.second = wrap(i + 1, extent, sampler);
    b.part = u - floor(u);
    return b;
}

/* Reads a pixel that a sampler selected. With modes that clamp to the border it may be outside the
 * image. */
INLINE uint4 bits_sampled(surface_t s, uint sampler, uint array, int x, int y, int z)
{
    uint mode = sampler & ADDRESS_MASK;
    if (mode == NONE || mode == CLAMP) {
        return is_inside(s, array, x, y, z) ? any_bits(s, row_at(s, y, z), x) : border_bits(s);
    }
    return any_bits(s, row_at(s, y, z), x);
}

/* Interpolates between two pixels of a row. */
INLINE float4 row_linear(surface_t s, uint sampler, uint array, struct between x, int y, int z)
{
    float4 first = to_float(s, bits_sampled(s, sampler, array, x.first, y, z));
    float4 second = to_float(s, bits_sampled(s, sampler, array, x.second, y, z));
    return (1.0f - x.part) * first + x.part * second;
}

INLINE float4 mix_four(float4 a, float4 b, float4 c, float4 d, float x, float y)
{
    return (1.0f - y) * ((1.0f - x) * a + x * b) + y * ((1.0f - x) * c + x * d);
}

/* Interpolates between four pixels inside the image, of one word, UNORM or FLOAT. All pixels are
 * loaded first, and the scale is applied to the sum. */
INLINE float4 words_linear(surface_t s, struct between x, struct between y, int z)
{
    __global const uint *above = (__global const uint *)row_at(s, y.first, z);
    __global const uint *below = (__global const uint *)row_at(s, y.second, z);
    uint4 a = small_bits(s, above[x.first]), b = small_bits(s, above[x.second]);
    uint4 c = small_bits(s, below[x.first]), d = small_bits(s, below[x.second]);
    if (s->number == FLOAT) {
        return mix_four(as_float4(a), as_float4(b), as_float4(c), as_float4(d), x.part, y.part);
    }
    return mix_four(convert_float4(as_int4(a)), convert_float4(as_int4(b)),
                    convert_float4(as_int4(c)), convert_float4(as_int4(d)), x.part, y.part) *
           all4f(s->scale);
}

INLINE bool is_simple(surface_t s, uint sampler)
{
    uint mode = sampler & ADDRESS_MASK;
    return mode != NONE && mode != CLAMP && s->pixel_bytes == 4 &&
           (s->number == UNORM || s->number == FLOAT);
}

/* Interpolates in one, two or three dimensions, over 1, 2 or 4 rows. */
INLINE float4 sample_linear(surface_t s, uint sampler, uint array, uint dims, float x, float y,
                            int z, float depth)
{
    struct between bx = between_of(x, s->width, sampler);
    if (dims == 1) {
        return row_linear(s, sampler, array, bx, 0, z);
    }
    struct between by = between_of(y, s->height, sampler), bz = {z, z, 0.0f};
    if (dims == 3) {
        bz = between_of(depth, s->depth, sampler);
    } else if (is_simple(s, sampler)) {
        return words_linear(s, bx, by, z);
    }
    float4 sum = 0.0f;
#pragma unroll 1
    for (uint i = 0; i < 1u << (dims - 1); i++) {
        int at_y = i & 1 ? by.second : by.first, at_z = i & 2 ? bz.second : bz.first;
        float weight = i & 1 ? by.part : 1.0f - by.part;
        if (dims == 3) {
            weight *= i & 2 ? bz.part : 1.0f - bz.part;
        }
        sum += weight * row_linear(s, sampler, array, bx, at_y, at_z);
    }
    return sum;
}

INLINE uint4 bits_nearest(surface_t s, uint sampler, uint array, uint dims, float x, float y,
                          float z)
{
    int at_y = dims > 1 ? nearest(y, s->height, sampler) : 0;
    int at_z = array ? layer_of(s, z) : dims > 2 ? nearest(z, s->depth, sampler) : 0;
    return bits_sampled(s, sampler, array, nearest(x, s->width, sampler), at_y, at_z);
}

#define SAMPLE(dims)                                                                               \
    float4 geo_image_sample##dims##_f(surface_t s, uint sampler, uint array, float x, float y,     \
                                      float z)                                                     \
    {                                                                                              \
        if (sampler & LINEAR) {                                                                    \
            return sample_linear(s, sampler, array, dims, x, y, array ? layer_of(s, z) : 0, z);    \
        }                                                                                          \
        return to_float(s, bits_nearest(s, sampler, array, dims, x, y, z));                        \
    }                                                                                              \
    uint4 geo_image_sample##dims##_i(surface_t s, uint sampler, uint array, float x, float y,      \
                                     float z)                                                      \
    {                                                                                              \
        return to_int(s, bits_nearest(s, sampler, array, dims, x, y, z));                          \
    }

SAMPLE(1)
SAMPLE(2)
SAMPLE(3)

/* ---- blocks of sub-groups ---- */

/* Access elements at any position of a row, without conversion. Reads outside the image return
 * bytes of the pixel at the edge; writes outside have no effect. */

INLINE int row_bytes(surface_t s)
{
    return (int)(s->width * s->pixel_bytes);
}

INLINE int byte_inside(surface_t s, int at)
{
    int bytes = row_bytes(s), pixel = (int)s->pixel_bytes, part = at % pixel;
    part += part < 0 ? pixel : 0;
    return at < 0 ? part : at < bytes ? at : bytes - pixel + part;
}

#define BLOCK(bits, type)                                                                          \
    struct element##bits {                                                                         \
        type value;                                                                                \
    } __attribute__((packed));                                                                     \
    type geo_image_block_at##bits(surface_t s, int x, int y)                                       \
    {                                                                                              \
        __global const uchar *row = row_at(s, inside_of(y, s->height), 0);                         \
        if (x >= 0 && x <= row_bytes(s) - (int)sizeof(type)) {                                     \
            return ((__global const struct element##bits *)(row + x))->value;                      \
        }                                                                                          \
        type value = 0;                                                                            \
        for (int i = 0; i < (int)sizeof(type); i++) {                                              \
            value |= (type)((type)row[byte_inside(s, x + i)] << 8 * i);                            \
        }                                                                                          \
        return value;                                                                              \
    }                                                                                              \
    void geo_image_block_put##bits(surface_t s, int x, int y, type value)                          \
    {                                                                                              \
        if ((uint)y >= s->height) {                                                                \
            return;                                                                                \
        }                                                                                          \
        __global uchar *row = row_at(s, y, 0);                                                     \
        if (x >= 0 && x <= row_bytes(s) - (int)sizeof(type)) {                                     \
            ((__global struct element##bits *)(row + x))->value = value;                           \
            return;                                                                                \
        }                                                                                          \
        for (int i = 0; i < (int)sizeof(type); i++) {                                              \
            if ((uint)(x + i) < (uint)row_bytes(s)) {                                              \
                row[x + i] = (uchar)(value >> 8 * i);                                              \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    type geo_image_media_at##bits(surface_t s, int x, int y, uint width, uint height, uint number) \
    {                                                                                              \
        uint row = number >> row_shift(width), column = number - (row << row_shift(width));        \
        return row < height && column < width                                                      \
                   ? geo_image_block_at##bits(s, x + (int)(column * sizeof(type)), y + (int)row)   \
                   : 0;                                                                            \
    }                                                                                              \
    void geo_image_media_put##bits(surface_t s, int x, int y, uint width, uint height,             \
                                   uint number, type value)                                        \
    {                                                                                              \
        uint row = number >> row_shift(width), column = number - (row << row_shift(width));        \
        if (row < height && column < width) {                                                      \
            geo_image_block_put##bits(s, x + (int)(column * sizeof(type)), y + (int)row, value);   \
        }                                                                                          \
    }

/* The length of a media block's rows is rounded up to a power of two, whose logarithm this is. */
INLINE uint row_shift(uint width)
{
    return width > 1 ? min(32u - clz(width - 1), 31u) : 0;
}

BLOCK(8, uchar)
BLOCK(16, ushort)
BLOCK(32, uint)
BLOCK(64, ulong)

/* ---- queries ---- */

#define QUERY(name)                                                                                \
    uint geo_image_##name(surface_t s)                                                             \
    {                                                                                              \
        return s->name;                                                                            \
    }

QUERY(width)
QUERY(height)
QUERY(depth)
QUERY(layers)
QUERY(levels)
QUERY(sampler)
QUERY(channel_order)
QUERY(channel_type)
