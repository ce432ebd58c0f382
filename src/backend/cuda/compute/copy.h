/* Copies between any memory: of GPUs, pinned, or the application's.
 *
 * CUDA copies memory that is not pinned while the caller waits for everything before it in the
 * stream. The caller may be the one who signals an event that the stream waits for. So such memory
 * goes through pinned memory of the queue, which host functions fill and empty. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_COPY_H
#define GEO_BACKEND_CUDA_COMPUTE_COPY_H

#include "backend/command.h"
#include "backend/cuda/compute/queue.h"

int geo_compute_copy(struct geo_compute_queue *queue, void *to, const void *from, uint64_t bytes);
int geo_compute_copy_region(struct geo_compute_queue *queue,
                            const struct geo_command_copy_region *region);

#endif
