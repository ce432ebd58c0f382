/* The GPUs that compute. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_LIST_H
#define GEO_BACKEND_CUDA_COMPUTE_LIST_H

#include "backend/cuda/nvml/device.h"

/* Opens CUDA, and replaces the backend's list of GPUs by the list of those that compute, in the
 * order of their addresses on the bus, which is NVML's order. A GPU that NVML listed keeps its
 * handle there; the UUID says which one it is. A MIG device that CUDA shows is a device like a GPU.
 *
 * Returns UNINITIALIZED, with the reason in `why`, if no GPU can compute, or OUT_OF_HOST_MEMORY.
 * The list is unchanged then. */
ze_result_t geo_compute_list_open(struct geo_backend *backend, struct geo_strbuf *why);

/* Releases contexts and closes CUDA. Does nothing for a backend that does not compute. */
void geo_compute_list_close(struct geo_backend *backend);

#endif
