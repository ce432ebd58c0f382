/* Image and sampler operations of the CPU backend. */
#ifndef GEO_BACKEND_CPU_IMAGE_H
#define GEO_BACKEND_CPU_IMAGE_H

#include "backend/image.h"

extern const struct geo_image_ops geo_cpu_image_ops;

#endif
