/* Command queues and fences. A queue is one stream of its device. A fence is an event slot that a
 * submission raises when it has finished. */
#ifndef GEO_DRIVER_CMD_QUEUE_H
#define GEO_DRIVER_CMD_QUEUE_H

#include "base/lock.h"
#include "driver/cmd/list.h"

struct geo_execution;

/* A command queue of the application. Its fences reference it. */
struct geo_command_queue {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;
    struct geo_stream *stream;    /* owned */
    ze_command_queue_desc_t desc; /* as created, pNext NULL */
    struct geo_object_lock lock;
    struct geo_execution *newest; /* circular list of submissions; protected by the lock */
};

/* A fence of the application. */
struct geo_fence {
    struct geo_object base;
    struct geo_command_queue *queue; /* referenced */
    _Atomic uint64_t ticket;         /* of the submission that raises it; 0: none yet */
    _Alignas(64) struct geo_event_slot slot;
};

GEO_OBJECT_HANDLE(command_queue, GEO_OBJECT_COMMAND_QUEUE, ze_command_queue_handle_t)
GEO_OBJECT_HANDLE(fence, GEO_OBJECT_FENCE, ze_fence_handle_t)

GEO_MUST_CHECK ze_result_t geo_queue_create(struct geo_context *context, struct geo_device *device,
                                            const ze_command_queue_desc_t *desc,
                                            struct geo_command_queue **out);

/* (any thread) Submits closed lists, all or none; fence may be NULL. On a synchronous queue they
 * have run on return. Returns INVALID_SIZE, INVALID_COMMAND_LIST_TYPE,
 * INVALID_SYNCHRONIZATION_OBJECT. */
GEO_MUST_CHECK ze_result_t geo_queue_execute(struct geo_command_queue *queue, uint32_t count,
                                             ze_command_list_handle_t *lists,
                                             ze_fence_handle_t fence);

/* (any thread) Waits until all submissions have finished. */
GEO_MUST_CHECK ze_result_t geo_queue_synchronize(struct geo_command_queue *queue,
                                                 uint64_t timeout_ns);

/* Returns HANDLE_OBJECT_IN_USE if work is still in flight after a short wait. */
GEO_MUST_CHECK ze_result_t geo_queue_check_idle(struct geo_command_queue *queue);

GEO_MUST_CHECK ze_result_t geo_fence_create(struct geo_command_queue *queue, bool signalled,
                                            struct geo_fence **out);
GEO_MUST_CHECK ze_result_t geo_fence_wait(struct geo_fence *fence, uint64_t timeout_ns);
void geo_fence_reset(struct geo_fence *fence);
GEO_MUST_CHECK ze_result_t geo_fence_check_idle(struct geo_fence *fence);

#endif
