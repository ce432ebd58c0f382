/* Translates command records into calls of CUDA.
 *
 *     record                       calls
 *     waits                        a wait of the stream for each word
 *     launches                     program.h
 *     copies, fills                copy.h, fill.h
 *     signal, reset of an event    writes of words
 *     host function                cuLaunchHostFunc
 *     barrier, hints               none: a stream executes in order, and memory does not move
 *
 * Indirect launches, timestamps, semaphores and metrics are missing so far. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_ENCODE_H
#define GEO_BACKEND_CUDA_COMPUTE_ENCODE_H

#include "backend/command.h"
#include "backend/cuda/compute/queue.h"

/* Returns why a batch cannot be encoded, or NULL. Nothing is queued. */
const char *geo_compute_encode_problem(const struct geo_batch *batch);

/* Queues a record; `bases` are those of its batch. */
int geo_compute_encode(struct geo_compute_queue *queue, const struct geo_command *command,
                       const uint64_t *bases);

/* Queues raising an event. */
int geo_compute_encode_signal(struct geo_compute_queue *queue, struct geo_event_ref event);

/* Raises all events of a batch at once, as lost. */
void geo_compute_encode_lose(const struct geo_batch *batch);

#endif
