/* Boxes of pixels in images, as boxes of the bytes that they are in memory. */
#ifndef GEO_DRIVER_CMD_IMAGE_REGION_H
#define GEO_DRIVER_CMD_IMAGE_REGION_H

#include "driver/cmd/region.h"
#include "driver/image/image.h"

/* box NULL: all of the image, with all its planes. y counts the levels of a 1D array, z those of a
 * 2D array; directions that the type does not have are not looked at. An empty box is a region
 * without width. INVALID_SIZE when the image does not hold the box, UNSUPPORTED_IMAGE_FORMAT for a
 * part of an image of several planes. */
GEO_MUST_CHECK ze_result_t geo_region_of_image(struct geo_region *region,
                                               const struct geo_image *image,
                                               const ze_image_region_t *box);

#endif
