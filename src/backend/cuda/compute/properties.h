/* Properties of GPUs, as CUDA reports them. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_PROPERTIES_H
#define GEO_BACKEND_CUDA_COMPUTE_PROPERTIES_H

#include "backend/cuda/nvml/device.h"

/* Fills the name and the description of a GPU. Values that CUDA does not report come from NVML if
 * the device has a handle there, or else are unknown (0). Returns UNSUPPORTED_FEATURE, with the
 * reason in `why`, for a GPU on which kernels of ours cannot run. No context is made. */
ze_result_t geo_compute_properties_fill(struct geo_backend_device *device, struct geo_strbuf *why);

#endif
