/* Sampler objects: how kernels interpolate pixels of an image and read beyond its edges. */
#ifndef GEO_DRIVER_IMAGE_SAMPLER_H
#define GEO_DRIVER_IMAGE_SAMPLER_H

#include "driver/core/context.h"
#include "driver/image/format.h"

/* A sampler of the application. */
struct geo_sampler {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;
    struct geo_backend_sampler *backend;
};

GEO_OBJECT_HANDLE(sampler, GEO_OBJECT_SAMPLER, ze_sampler_handle_t)

/* Creates a sampler. Returns UNSUPPORTED_FEATURE if the device has no images. */
GEO_MUST_CHECK ze_result_t geo_sampler_create(struct geo_context *context,
                                              struct geo_device *device,
                                              const struct geo_sampler_desc *desc,
                                              struct geo_sampler **out);

/* Returns the number that a kernel gets as argument. */
uint64_t geo_sampler_argument(const struct geo_sampler *sampler);

#endif
