/* Images and samplers of the null device: they lie in memory, and nothing looks at them. */
#ifndef GEO_BACKEND_NULL_IMAGE_H
#define GEO_BACKEND_NULL_IMAGE_H

#include "backend/image.h"

extern const struct geo_image_ops geo_null_image_ops;

#endif
