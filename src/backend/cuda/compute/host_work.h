/* Work that the host does in the order of a stream, on a thread of CUDA, because GPUs do not reach
 * the memory. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_HOST_WORK_H
#define GEO_BACKEND_CUDA_COMPUTE_HOST_WORK_H

#include "backend/command.h"
#include "backend/cuda/compute/queue.h"

/* Queues a copy between memory of the host. The ranges may overlap. */
int geo_compute_host_work_copy(struct geo_compute_queue *queue, void *to, const void *from,
                               uint64_t bytes);

/* Queues a fill. The pattern must stay until then. */
int geo_compute_host_work_fill(struct geo_compute_queue *queue, const struct geo_command_fill *fill,
                               const uint8_t *pattern);

/* Queues raising a slot, or adding to an external word. */
int geo_compute_host_work_signal(struct geo_compute_queue *queue, struct geo_event_ref event);

/* Queues resetting a slot. */
int geo_compute_host_work_reset(struct geo_compute_queue *queue, struct geo_event_slot *slot);

/* Frees what has not run. CUDA drops the work of a context that is lost. The stream is idle. */
void geo_compute_host_work_finish(struct geo_compute_queue *queue);

#endif
