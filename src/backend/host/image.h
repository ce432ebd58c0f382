/* How images lie in memory of this machine: all of them are linear. The backends that share it say
 * themselves what kernels make of them. */
#ifndef GEO_BACKEND_HOST_IMAGE_H
#define GEO_BACKEND_HOST_IMAGE_H

#include "backend/host/device.h"
#include "backend/image.h"

/* Images and samplers that a kernel may take: nothing bounds them but its arguments, so what OpenCL
 * asks of every device. */
#define GEO_HOST_SAMPLERS     16u
#define GEO_HOST_READ_IMAGES  128u
#define GEO_HOST_WRITE_IMAGES 64u

/* Those of memory; what kernels have is left 0. */
void geo_host_image_limits(struct geo_backend_device *device, struct geo_image_limits *limits);

/* Everything but filters and what kernels do. The seam's errors. */
ze_result_t geo_host_image_plan(struct geo_backend_device *device,
                                const struct geo_image_desc *desc, struct geo_image_info *info);

#endif
