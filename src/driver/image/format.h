/* The specification's tables of image formats and types, and descriptors checked against them. */
#ifndef GEO_DRIVER_IMAGE_FORMAT_H
#define GEO_DRIVER_IMAGE_FORMAT_H

#include "backend/image.h"
#include "driver/core/error.h"

/* Media layouts: their type and swizzle mean nothing. */
bool geo_image_layout_is_media(ze_image_format_layout_t layout);

/* Fills what the structure itself says; its chain is the caller's, and the width of a buffer is
 * still in bytes (geo_image_measure). INVALID_ENUMERATION,
 * UNSUPPORTED_IMAGE_FORMAT for a type that a layout does not have, INVALID_SIZE for an extent of 0,
 * INVALID_ARGUMENT for levels of detail. */
GEO_MUST_CHECK ze_result_t geo_image_describe(const ze_image_desc_t *desc,
                                              struct geo_image_desc *out);

/* The same for what makes an image sRGB: colours of 8 bits, UNORM. */
GEO_MUST_CHECK ze_result_t geo_image_check_srgb(const struct geo_image_desc *desc);

GEO_MUST_CHECK ze_result_t geo_sampler_describe(const ze_sampler_desc_t *desc,
                                                struct geo_sampler_desc *out);

#endif
