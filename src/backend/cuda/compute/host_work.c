/* Queues work of the host. See host_work.h. */
#include "backend/cuda/compute/host_work.h"

#include "backend/cuda/compute/slot.h"

#include <stdlib.h>
#include <string.h>

struct geo_compute_host_work {
    struct geo_compute_queue *queue;
    struct geo_compute_host_work *next, *previous; /* in the queue's list; guarded by its lock */
    void *to;
    const void *from;
    uint64_t bytes;
    uint32_t pattern_bytes;
    struct geo_event_ref event;
};

/* (lock held) */
static void work_unlink(struct geo_compute_host_work *work)
{
    if (work->next) {
        work->next->previous = work->previous;
    }
    if (work->previous) {
        work->previous->next = work->next;
    } else {
        work->queue->works = work->next;
    }
}

static void work_end(struct geo_compute_host_work *work)
{
    pthread_mutex_lock(&work->queue->works_lock);
    work_unlink(work);
    pthread_mutex_unlock(&work->queue->works_lock);
    free(work);
}

/* Queues a function with a copy of `work`, which ends it. */
static int work_queue(struct geo_compute_queue *queue, geo_cuda_host_function function,
                      const struct geo_compute_host_work *work)
{
    struct geo_compute_host_work *copy = malloc(sizeof(*copy));
    if (!copy) {
        return GEO_CUDA_OUT_OF_MEMORY;
    }
    *copy = *work;
    copy->queue = queue;
    pthread_mutex_lock(&queue->works_lock);
    copy->next = queue->works;
    if (copy->next) {
        copy->next->previous = copy;
    }
    queue->works = copy;
    pthread_mutex_unlock(&queue->works_lock);
    int code = GEO_QUEUE(queue, LaunchHostFunc, queue->stream, function, copy);
    if (code != GEO_CUDA_SUCCESS) {
        work_end(copy);
    }
    return code;
}

void geo_compute_host_work_finish(struct geo_compute_queue *queue)
{
    while (queue->works) {
        struct geo_compute_host_work *work = queue->works;
        queue->works = work->next;
        free(work);
    }
}

static void copy_run(void *data)
{
    struct geo_compute_host_work *work = data;
    memmove(work->to, work->from, work->bytes);
    work_end(work);
}

int geo_compute_host_work_copy(struct geo_compute_queue *queue, void *to, const void *from,
                               uint64_t bytes)
{
    return work_queue(queue, copy_run,
                      &(struct geo_compute_host_work){.to = to, .from = from, .bytes = bytes});
}

static void fill_run(void *data)
{
    struct geo_compute_host_work *work = data;
    for (uint64_t at = 0; at < work->bytes; at += work->pattern_bytes) {
        const uint64_t left = work->bytes - at;
        memcpy((uint8_t *)work->to + at, work->from,
               left < work->pattern_bytes ? left : work->pattern_bytes);
    }
    work_end(work);
}

int geo_compute_host_work_fill(struct geo_compute_queue *queue, const struct geo_command_fill *fill,
                               const uint8_t *pattern)
{
    return work_queue(queue, fill_run,
                      &(struct geo_compute_host_work){.to = fill->destination,
                                                      .from = pattern,
                                                      .bytes = fill->bytes,
                                                      .pattern_bytes = fill->pattern_bytes});
}

static void signal_run(void *data)
{
    struct geo_compute_host_work *work = data;
    geo_compute_slot_raise(work->event);
    work_end(work);
}

int geo_compute_host_work_signal(struct geo_compute_queue *queue, struct geo_event_ref event)
{
    return work_queue(queue, signal_run, &(struct geo_compute_host_work){.event = event});
}

static void reset_run(void *data)
{
    struct geo_compute_host_work *work = data;
    geo_compute_slot_reset(work->event.slot);
    work_end(work);
}

int geo_compute_host_work_reset(struct geo_compute_queue *queue, struct geo_event_slot *slot)
{
    return work_queue(queue, reset_run, &(struct geo_compute_host_work){.event = {slot, 0}});
}
