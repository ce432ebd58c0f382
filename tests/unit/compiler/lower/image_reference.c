/* Images by the formulas. See image_reference.h. */
#include "image_reference.h"

#include "native/surface.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- formats ---- */

/* Bits of a pixel, and of each channel: first and how many. */
struct channels {
    ze_image_format_layout_t layout;
    uint32_t bits;
    uint8_t at[4][2];
};

static const struct channels table[] = {
    {ZE_IMAGE_FORMAT_LAYOUT_8, 8, {{0, 8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8, 16, {{0, 8}, {8, 8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8_8, 24, {{0, 8}, {8, 8}, {16, 8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, 32, {{0, 8}, {8, 8}, {16, 8}, {24, 8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_16, 16, {{0, 16}}},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16, 32, {{0, 16}, {16, 16}}},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16, 48, {{0, 16}, {16, 16}, {32, 16}}},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16, 64, {{0, 16}, {16, 16}, {32, 16}, {48, 16}}},
    {ZE_IMAGE_FORMAT_LAYOUT_32, 32, {{0, 32}}},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32, 64, {{0, 32}, {32, 32}}},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32_32, 96, {{0, 32}, {32, 32}, {64, 32}}},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, 128, {{0, 32}, {32, 32}, {64, 32}, {96, 32}}},
    {ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2, 32, {{0, 10}, {10, 10}, {20, 10}, {30, 2}}},
    {ZE_IMAGE_FORMAT_LAYOUT_11_11_10, 32, {{0, 11}, {11, 11}, {22, 10}}},
    {ZE_IMAGE_FORMAT_LAYOUT_5_6_5, 16, {{11, 5}, {5, 6}, {0, 5}}},
    {ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1, 16, {{10, 5}, {5, 5}, {0, 5}, {15, 1}}},
    {ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4, 16, {{8, 4}, {4, 4}, {0, 4}, {12, 4}}},
};

static const struct channels *channels_of(const struct image *image)
{
    const struct channels *found = table;
    while (found->layout != image->format.layout) {
        found++;
    }
    return found;
}

static uint64_t bits_get(const uint8_t *pixel, uint32_t first, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; i++) {
        value |= (uint64_t)(pixel[(first + i) / 8] >> (first + i) % 8 & 1) << i;
    }
    return value;
}

static void bits_put(uint8_t *pixel, uint32_t first, uint32_t count, uint64_t value)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bit = (uint8_t)(1u << (first + i) % 8);
        pixel[(first + i) / 8] =
            (uint8_t)((pixel[(first + i) / 8] & ~bit) | (value >> i & 1 ? bit : 0));
    }
}

/* Floats of an exponent of 5 bits. */
static double small_decode(uint64_t bits, uint32_t mantissa, bool sign)
{
    int exponent = (int)(bits >> mantissa & 31);
    double fraction = ldexp((double)(bits & ((1u << mantissa) - 1)), -(int)mantissa);
    double value = exponent == 31  ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? ldexp(fraction, -14)
                                   : ldexp(1 + fraction, exponent - 15);
    return sign && bits >> (mantissa + 5) & 1 ? -value : value;
}

/* The nearest one, of two the even one: all are tried around the place where it must be. */
static uint64_t small_encode(double value, uint32_t mantissa, bool sign)
{
    uint64_t infinity = (uint64_t)31 << mantissa, low = 0, high = infinity;
    uint64_t minus = sign && signbit(value) ? (uint64_t)1 << (mantissa + 5) : 0;
    double size = fabs(value);
    if (isnan(value)) {
        return infinity | 1;
    }
    if (!sign && value < 0) {
        return 0;
    }
    if (isinf(value)) {
        return minus | infinity;
    }
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        *(small_decode(middle, mantissa, false) <= size ? &low : &high) = middle;
    }
    /* Infinity is where the next number would be. */
    double below = small_decode(low, mantissa, false);
    double above = high == infinity ? 65536.0 : small_decode(high, mantissa, false);
    bool up = size - below > above - size || (size - below == above - size && low & 1);
    return minus | (up ? high : low);
}

static double srgb_decode(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double srgb_encode(double c)
{
    return c < 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static double number_decode(const struct image *image, uint64_t bits, uint32_t count)
{
    double most = ldexp(1, (int)count) - 1, half = ldexp(1, (int)count - 1) - 1;
    int64_t value = (int64_t)(bits << (64 - count)) >> (64 - count);
    float real;
    uint32_t word = (uint32_t)bits;
    switch (image->format.type) {
    case ZE_IMAGE_FORMAT_TYPE_UINT:
        return (double)bits;
    case ZE_IMAGE_FORMAT_TYPE_SINT:
        return (double)value;
    case ZE_IMAGE_FORMAT_TYPE_UNORM:
        return (double)bits / most;
    case ZE_IMAGE_FORMAT_TYPE_SNORM:
        return fmax((double)value / half, -1.0);
    default:
        memcpy(&real, &word, 4);
        return count == 32 ? (double)real
                           : small_decode(bits, count == 16 ? 10 : count - 5, count == 16);
    }
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static uint64_t number_encode(const struct image *image, double value, uint32_t count)
{
    double most = ldexp(1, (int)count) - 1, half = ldexp(1, (int)count - 1) - 1;
    float real = (float)value;
    uint32_t word;
    switch (image->format.type) {
    case ZE_IMAGE_FORMAT_TYPE_UINT:
        return (uint64_t)clamp(value, 0, most);
    case ZE_IMAGE_FORMAT_TYPE_SINT:
        return (uint64_t)(int64_t)clamp(value, -half - 1, half);
    /* The product is a float in the formulas, too. */
    case ZE_IMAGE_FORMAT_TYPE_UNORM:
        return isnan(value) ? 0 : (uint64_t)rint(clamp((double)(real * (float)most), 0, most));
    case ZE_IMAGE_FORMAT_TYPE_SNORM:
        return isnan(value)
                   ? 0
                   : (uint64_t)(int64_t)rint(clamp((double)(real * (float)half), -half - 1, half));
    default:
        memcpy(&word, &real, 4);
        return count == 32 ? word : small_encode(value, count == 16 ? 10 : count - 5, count == 16);
    }
}

/* ---- images ---- */

struct image *image_create(ze_image_type_t type, const ze_image_format_t *format, bool srgb,
                           const uint32_t size[4], uint64_t seed)
{
    struct image *image = calloc(1, sizeof(*image));
    assert_non_null(image);
    image->type = type;
    image->format = *format;
    image->srgb = srgb;
    image->width = size[0];
    image->height = size[1];
    image->depth = size[2];
    image->layers = size[3];
    assert_true(geo_surface_set_format(&image->surface, format, srgb));
    uint32_t bytes = channels_of(image)->bits / 8;
    image->row_pitch = (size[0] * bytes + 8) / 4 * 4;
    image->slice_pitch = image->row_pitch * size[1] + 16;
    image->pixels = malloc(image_bytes(image));
    assert_non_null(image->pixels);
    for (size_t i = 0; i < image_bytes(image); i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        image->pixels[i] = (uint8_t)(seed >> 56);
    }
    image->surface.pixels = image->pixels;
    image->surface.row_pitch = image->row_pitch;
    image->surface.slice_pitch = image->slice_pitch;
    image->surface.width = size[0];
    image->surface.height = size[1];
    image->surface.depth = size[2];
    image->surface.layers = size[3];
    image->surface.levels = 1;
    return image;
}

void image_destroy(struct image *image)
{
    if (image) {
        free(image->pixels);
        free(image);
    }
}

size_t image_bytes(const struct image *image)
{
    return (size_t)image->slice_pitch * (image->depth > 1 ? image->depth : image->layers);
}

static bool is_array(const struct image *image)
{
    return image->type == ZE_IMAGE_TYPE_1DARRAY || image->type == ZE_IMAGE_TYPE_2DARRAY;
}

static uint8_t *pixel_at(const struct image *image, const int at[3])
{
    uint32_t extents[3] = {image->width, image->height,
                           is_array(image) ? image->layers : image->depth};
    for (int i = 0; i < 3; i++) {
        if (at[i] < 0 || (uint32_t)at[i] >= extents[i]) {
            return NULL;
        }
    }
    return image->pixels + (size_t)at[2] * image->slice_pitch + (size_t)at[1] * image->row_pitch +
           (size_t)at[0] * (channels_of(image)->bits / 8);
}

/* The channel of a swizzle, -1: 0, -2: 1. */
static int channel_of(const struct image *image, ze_image_format_swizzle_t swizzle, int component)
{
    const struct channels *channels = channels_of(image);
    switch (swizzle) {
    case ZE_IMAGE_FORMAT_SWIZZLE_0:
        return -1;
    case ZE_IMAGE_FORMAT_SWIZZLE_1:
        return -2;
    case ZE_IMAGE_FORMAT_SWIZZLE_X:
        return component == 3 ? -2 : -1;
    case ZE_IMAGE_FORMAT_SWIZZLE_D:
        return 0;
    default:
        return channels->at[swizzle][1]               ? (int)swizzle
               : swizzle == ZE_IMAGE_FORMAT_SWIZZLE_A ? -2
                                                      : -1;
    }
}

void image_pixel(const struct image *image, const int at[3], double colour[4])
{
    const ze_image_format_swizzle_t swizzle[4] = {image->format.x, image->format.y, image->format.z,
                                                  image->format.w};
    const struct channels *channels = channels_of(image);
    const uint8_t *pixel = pixel_at(image, at);
    for (int i = 0; i < 4; i++) {
        int channel = channel_of(image, swizzle[i], i);
        if (!pixel) {
            colour[i] = i == 3 && swizzle[3] > ZE_IMAGE_FORMAT_SWIZZLE_A;
        } else if (channel < 0) {
            colour[i] = channel == -2;
        } else {
            const uint8_t *where = channels->at[channel];
            colour[i] = number_decode(image, bits_get(pixel, where[0], where[1]), where[1]);
            if (image->srgb && i < 3) {
                colour[i] = srgb_decode(colour[i]);
            }
        }
    }
}

void image_put(struct image *image, const int at[3], const double colour[4])
{
    const ze_image_format_swizzle_t swizzle[4] = {image->format.x, image->format.y, image->format.z,
                                                  image->format.w};
    const struct channels *channels = channels_of(image);
    uint8_t *pixel = pixel_at(image, at);
    uint32_t seen = 0;
    if (!pixel) {
        return;
    }
    memset(pixel, 0, channels->bits / 8);
    for (int i = 0; i < 4; i++) {
        int channel = channel_of(image, swizzle[i], i);
        if (channel < 0 || seen >> channel & 1) {
            continue;
        }
        seen |= 1u << channel;
        const uint8_t *where = channels->at[channel];
        double value = image->srgb && i < 3 ? srgb_encode(clamp(colour[i], 0, 1)) : colour[i];
        bits_put(pixel, where[0], where[1], number_encode(image, value, where[1]));
    }
}

/* ---- samplers ---- */

#define CLOSE 1e-3

/* One coordinate: the pixels on both sides and the part of the second; of NEAREST the first
 * alone. */
struct axis {
    int first, second;
    double part;
};

static bool axis_of(double s, uint32_t extent, uint32_t mode, struct axis *axis)
{
    uint32_t address = mode & GEO_SAMPLER_ADDRESS_MASK;
    int last = (int)extent - 1;
    bool linear = mode & GEO_SAMPLER_LINEAR;
    double u = mode & GEO_SAMPLER_NORMALIZED ? s * extent : s;
    if (address == GEO_SAMPLER_REPEAT) {
        u = (s - floor(s)) * extent;
    } else if (address == GEO_SAMPLER_MIRRORED_REPEAT) {
        u = fabs(s - 2 * rint(0.5 * s)) * extent;
    }
    u -= linear ? 0.5 : 0;
    if (!linear && fabs(u - rint(u)) < CLOSE) {
        return false;
    }
    int i[2] = {(int)floor(u), (int)floor(u) + 1};
    for (int k = 0; k < 2; k++) {
        if (address == GEO_SAMPLER_REPEAT) {
            i[k] = i[k] < 0 ? i[k] + (int)extent : i[k] > last ? i[k] - (int)extent : i[k];
        } else if (address != GEO_SAMPLER_CLAMP && address != GEO_SAMPLER_NONE) {
            i[k] = i[k] < 0 ? 0 : i[k] > last ? last : i[k];
        }
    }
    *axis = (struct axis){i[0], i[1], u - floor(u)};
    return true;
}

bool image_sample(const struct image *image, uint32_t mode, const float at[3], double colour[4])
{
    static const int dims_of[] = {1, 1, 2, 2, 3, 1}; /* by ze_image_type_t */
    const uint32_t extents[3] = {image->width, image->height, image->depth};
    struct axis axes[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    int dims = dims_of[image->type];
    for (int i = 0; i < dims; i++) {
        if (!axis_of((double)at[i], extents[i], mode, &axes[i])) {
            return false;
        }
    }
    int layer = (int)clamp(rint((double)at[2]), 0, image->layers - 1.0);
    memset(colour, 0, 4 * sizeof(*colour));
    for (int k = 0; k < (mode & GEO_SAMPLER_LINEAR ? 1 << dims : 1); k++) {
        int where[3];
        double weight = 1, pixel[4];
        for (int i = 0; i < 3; i++) {
            bool second = k >> i & 1;
            where[i] = second ? axes[i].second : axes[i].first;
            if (mode & GEO_SAMPLER_LINEAR && i < dims) {
                weight *= second ? axes[i].part : 1 - axes[i].part;
            }
        }
        where[2] = is_array(image) ? layer : where[2];
        image_pixel(image, where, pixel);
        for (int i = 0; i < 4; i++) {
            colour[i] += weight * pixel[i];
        }
    }
    return true;
}
