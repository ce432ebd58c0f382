/* Image and sampler operations of the null device. Images have memory, but nothing accesses it. */
#ifndef GEO_BACKEND_NULL_IMAGE_H
#define GEO_BACKEND_NULL_IMAGE_H

#include "backend/image.h"

extern const struct geo_image_ops geo_null_image_ops;

#endif
