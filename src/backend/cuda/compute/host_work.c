/* Queues work of the host. See host_work.h. */
#include "backend/cuda/compute/host_work.h"

#include "backend/cuda/compute/slot.h"

#include <stdlib.h>
#include <string.h>

struct work {
    void *to;
    const void *from;
    uint64_t bytes;
    uint32_t pattern_bytes;
    struct geo_event_ref event;
};

/* Queues a function with a copy of `work`, which the function frees. */
static int work_queue(struct geo_compute_queue *queue, geo_cuda_host_function function,
                      const struct work *work)
{
    struct work *copy = malloc(sizeof(*copy));
    if (!copy) {
        return GEO_CUDA_OUT_OF_MEMORY;
    }
    *copy = *work;
    int code = GEO_QUEUE(queue, LaunchHostFunc, queue->stream, function, copy);
    if (code != GEO_CUDA_SUCCESS) {
        free(copy);
    }
    return code;
}

static void copy_run(void *data)
{
    struct work *work = data;
    memmove(work->to, work->from, work->bytes);
    free(work);
}

int geo_compute_host_work_copy(struct geo_compute_queue *queue, void *to, const void *from,
                               uint64_t bytes)
{
    return work_queue(queue, copy_run, &(struct work){.to = to, .from = from, .bytes = bytes});
}

static void fill_run(void *data)
{
    struct work *work = data;
    for (uint64_t at = 0; at < work->bytes; at += work->pattern_bytes) {
        const uint64_t left = work->bytes - at;
        memcpy((uint8_t *)work->to + at, work->from,
               left < work->pattern_bytes ? left : work->pattern_bytes);
    }
    free(work);
}

int geo_compute_host_work_fill(struct geo_compute_queue *queue, const struct geo_command_fill *fill,
                               const uint8_t *pattern)
{
    return work_queue(queue, fill_run,
                      &(struct work){.to = fill->destination,
                                     .from = pattern,
                                     .bytes = fill->bytes,
                                     .pattern_bytes = fill->pattern_bytes});
}

static void signal_run(void *data)
{
    struct work *work = data;
    geo_compute_slot_raise(work->event);
    free(work);
}

int geo_compute_host_work_signal(struct geo_compute_queue *queue, struct geo_event_ref event)
{
    return work_queue(queue, signal_run, &(struct work){.event = event});
}

static void reset_run(void *data)
{
    struct work *work = data;
    geo_compute_slot_reset(work->event.slot);
    free(work);
}

int geo_compute_host_work_reset(struct geo_compute_queue *queue, struct geo_event_slot *slot)
{
    return work_queue(queue, reset_run, &(struct work){.event = {slot, 0}});
}
