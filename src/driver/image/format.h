/* The specification's tables of image formats and types, and the conversion of descriptors that are
 * checked against them. */
#ifndef GEO_DRIVER_IMAGE_FORMAT_H
#define GEO_DRIVER_IMAGE_FORMAT_H

#include "backend/image.h"
#include "driver/core/error.h"

/* Returns whether this is a media layout, for which type and swizzle have no meaning. */
bool geo_image_format_is_media(ze_image_format_layout_t layout);

/* Converts the structure without its chain, which the caller handles. The width of a buffer stays
 * in bytes (geo_image_measure). Returns INVALID_ENUMERATION, UNSUPPORTED_IMAGE_FORMAT for a type
 * that the layout does not allow, INVALID_SIZE for an extent of 0, INVALID_ARGUMENT for mip
 * levels. */
GEO_MUST_CHECK ze_result_t geo_image_format_describe(const ze_image_desc_t *desc,
                                                     struct geo_image_desc *out);

/* Checks that an image can be sRGB: channels of 8 bits, UNORM. Returns UNSUPPORTED_IMAGE_FORMAT. */
GEO_MUST_CHECK ze_result_t geo_image_format_check_srgb(const struct geo_image_desc *desc);

/* Converts the descriptor of a sampler. Returns INVALID_ENUMERATION for unknown modes. */
GEO_MUST_CHECK ze_result_t geo_image_format_describe_sampler(const ze_sampler_desc_t *desc,
                                                             struct geo_sampler_desc *out);

#endif
