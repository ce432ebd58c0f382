/* The layout of images in memory of this machine, which is always linear. Each backend decides
 * itself how kernels access them. */
#ifndef GEO_BACKEND_HOST_IMAGE_H
#define GEO_BACKEND_HOST_IMAGE_H

#include "backend/host/device.h"
#include "backend/image.h"

/* Maximum number of images and samplers of a kernel. The minimum that OpenCL requires of every
 * device; only the size of the argument block limits them. */
#define GEO_HOST_SAMPLERS     16u
#define GEO_HOST_READ_IMAGES  128u
#define GEO_HOST_WRITE_IMAGES 64u

/* Fills the limits of memory. The limits of kernels are set to 0. */
void geo_host_image_limits(struct geo_backend_device *device, struct geo_image_limits *limits);

/* Fills everything except filters and kernel access. Returns errors as geo_image_ops.plan does. */
ze_result_t geo_host_image_plan(struct geo_backend_device *device,
                                const struct geo_image_desc *desc, struct geo_image_info *info);

#endif
