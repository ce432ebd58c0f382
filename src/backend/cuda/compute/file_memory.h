/* Memory files that GPUs reach: their pages are mapped, pinned, and known to CUDA. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_FILE_MEMORY_H
#define GEO_BACKEND_CUDA_COMPUTE_FILE_MEMORY_H

#include "backend/cuda/compute/device.h"

#include <stdbool.h>

/* Pages of a memory file. */
struct geo_compute_pages {
    void *base; /* a page */
    uint64_t bytes;
};

/* Maps `bytes` of a memory file from a page at `offset` on, at an address with this alignment, and
 * registers them in the context of `device`, for all contexts. The alignment is a power of two, at
 * least a page. Returns OUT_OF_HOST_MEMORY, or INVALID_ARGUMENT for a file that does not allow this
 * access. */
ze_result_t geo_compute_file_memory_map(struct geo_compute_device *device, int fd, uint64_t offset,
                                        uint64_t bytes, uint64_t alignment, bool read_only,
                                        struct geo_compute_pages *out);

/* Waits until GPUs no longer use the pages, and unmaps them. */
void geo_compute_file_memory_unmap(struct geo_compute_device *device,
                                   const struct geo_compute_pages *pages);

#endif
