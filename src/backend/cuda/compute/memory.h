/* Memory of GPUs, and of the host for GPUs: the operations of the backend.
 *
 *     kind      without GEO_MEMORY_EXPORTABLE     with it
 *     device    cuMemAlloc                        not supported
 *     host      cuMemHostAlloc                    a memory file that is registered with CUDA
 *     shared    like host                         like host
 *
 * Shared memory is memory of the host that GPUs reach over the bus: see docs/decisions/cuda.md,
 * "Shared memory is pinned memory of the host". An imported memory file is registered as well. CPU
 * and GPUs use the same addresses. In a child of fork, memory files are only unmapped. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_MEMORY_H
#define GEO_BACKEND_CUDA_COMPUTE_MEMORY_H

#include "backend/backend.h"

extern const struct geo_memory_ops geo_compute_memory_ops;

#endif
