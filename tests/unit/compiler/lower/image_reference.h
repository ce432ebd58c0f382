/* What images give, computed in double from the formulas of OpenCL C 3.0 (8.2 to 8.4) and from
 * tables of its own: the reference of the tests of images. */
#ifndef GEO_TESTS_LOWER_IMAGE_REFERENCE_H
#define GEO_TESTS_LOWER_IMAGE_REFERENCE_H

#include "native/abi.h"

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>

/* An image in memory that the tests make. Extents that its type does not have are 1. */
struct image {
    ze_image_type_t type;
    ze_image_format_t format;
    bool srgb;
    uint32_t width, height, depth, layers;
    uint32_t row_pitch, slice_pitch;
    uint8_t *pixels;
    struct geo_surface surface; /* what kernels get */
};

/* With pixels of random bits. Fails the running test when it cannot be made. */
struct image *image_create(ze_image_type_t type, const ze_image_format_t *format, bool srgb,
                           const uint32_t size[4], uint64_t seed);
void image_destroy(struct image *image);
/* Bytes of all pixels. */
size_t image_bytes(const struct image *image);

/* A pixel as a colour: numbers as they are, integers too. Coordinates: x, y, z or layer; outside:
 * the border. */
void image_pixel(const struct image *image, const int at[3], double colour[4]);
/* What writing a colour leaves in memory; nothing outside. */
void image_put(struct image *image, const int at[3], const double colour[4]);

/* A sampled colour; mode: enum geo_sampler_bits. False: so close to the middle between two pixels
 * that rounding decides. */
bool image_sample(const struct image *image, uint32_t mode, const float at[3], double colour[4]);

#endif
