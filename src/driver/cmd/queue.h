/* Command queues. A queue is one stream of its device. */
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

GEO_OBJECT_HANDLE(command_queue, GEO_OBJECT_COMMAND_QUEUE, ze_command_queue_handle_t)

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

#endif
