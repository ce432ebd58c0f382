/* Fences. A fence is an event slot that a submission to its queue raises when it has finished. */
#ifndef GEO_DRIVER_CMD_FENCE_H
#define GEO_DRIVER_CMD_FENCE_H

#include "driver/cmd/queue.h"

/* A fence of the application. */
struct geo_fence {
    struct geo_object base;
    struct geo_command_queue *queue; /* referenced */
    _Atomic uint64_t ticket;         /* of the submission that raises it; 0: none yet */
    _Alignas(64) struct geo_event_slot slot;
};

GEO_OBJECT_HANDLE(fence, GEO_OBJECT_FENCE, ze_fence_handle_t)

/* Creates a fence of the queue, signalled or not. Returns OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_fence_create(struct geo_command_queue *queue, bool signalled,
                                            struct geo_fence **out);

/* (any thread) Waits until the fence is signalled. Returns NOT_READY after the timeout, or
 * DEVICE_LOST. */
GEO_MUST_CHECK ze_result_t geo_fence_wait(struct geo_fence *fence, uint64_t timeout_ns);

/* Makes the fence unsignalled. */
void geo_fence_reset(struct geo_fence *fence);

/* Returns HANDLE_OBJECT_IN_USE if the submission that raises it has not finished after a short
 * wait. */
GEO_MUST_CHECK ze_result_t geo_fence_check_idle(struct geo_fence *fence);

#endif
