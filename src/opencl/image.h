/* Images: linear memory that the host can see too, and an image of Level Zero in it. */
#ifndef GEO_OPENCL_IMAGE_H
#define GEO_OPENCL_IMAGE_H

#include "opencl/memory.h"
#include "opencl/transfer.h"

bool geo_ocl_image_is(cl_mem image);
/* Return the box that begins at an origin: where devices see it, and where the host does. */
struct geo_ocl_box geo_ocl_image_box(const struct _cl_mem *image, const size_t origin[3]);
struct geo_ocl_box geo_ocl_image_host_box(const struct _cl_mem *image, const size_t origin[3]);
/* Returns whether a region lies in the image. Coordinates that the image lacks are 0 and 1. */
bool geo_ocl_image_contains(const struct _cl_mem *image, const size_t *origin,
                            const size_t *region);

#endif
