/* Converts boxes of pixels in an image to boxes of bytes in memory. */
#ifndef GEO_DRIVER_CMD_IMAGE_REGION_H
#define GEO_DRIVER_CMD_IMAGE_REGION_H

#include "driver/cmd/region.h"
#include "driver/image/image.h"

/* Converts a box; box NULL: the whole image with all its planes. For a 1D array, y counts the
 * levels; for a 2D array, z does. Directions that the type does not have are ignored. An empty box
 * becomes a region of width 0. Returns INVALID_SIZE for a box beyond the image,
 * UNSUPPORTED_IMAGE_FORMAT for a part of an image with several planes. */
GEO_MUST_CHECK ze_result_t geo_region_of_image(struct geo_region *region,
                                               const struct geo_image *image,
                                               const ze_image_region_t *box);

#endif
