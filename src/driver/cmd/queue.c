/* Command queues: submission of closed lists. See queue.h.
 *
 * Every submission of a list needs its own batch, because a list may be in flight several times. A
 * queue keeps its batches in a circle and reuses the oldest when its submission is complete. So a
 * queue in steady use allocates nothing. */
#include "driver/cmd/queue.h"

#include "base/assert.h"
#include "driver/cmd/append.h"
#include "driver/cmd/fence.h"

#include <stdlib.h>

/* The memory of a submission of one list; owned by the queue and reused. */
struct geo_execution {
    struct geo_batch batch;
    struct geo_execution *next;
    struct geo_execution *following; /* next one of the same call */
    /* fork generation of the thread that prepares it; 0: it was submitted. Protected by the queue's
     * lock */
    uint32_t preparing;
    uint64_t ticket;
    uint64_t *bases; /* bases of the batch; space for base_room */
    uint32_t base_room;
};

static void queue_destroy(struct geo_object *object)
{
    struct geo_command_queue *queue = (struct geo_command_queue *)object;
    geo_stream_unref(queue->stream);
    struct geo_execution *first = queue->newest;
    for (struct geo_execution *execution = first; execution;) {
        struct geo_execution *next = execution->next;
        free(execution->bases);
        free(execution);
        execution = next == first ? NULL : next;
    }
    geo_object_unref(&queue->context->base);
    free(queue);
}

ze_result_t geo_queue_create(struct geo_context *context, struct geo_device *device,
                             const ze_command_queue_desc_t *desc, struct geo_command_queue **out)
{
    GEO_CHECK(geo_list_check_group(device, desc->ordinal, desc->index));
    struct geo_command_queue *queue = calloc(1, sizeof(*queue));
    if (!queue) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a command queue");
    }
    geo_object_init(&queue->base, GEO_OBJECT_COMMAND_QUEUE, context->base.driver, queue_destroy);
    geo_object_ref(&context->base);
    queue->context = context;
    queue->device = device;
    queue->desc = *desc;
    queue->desc.pNext = NULL;
    struct geo_stream_desc stream = {
        .ordinal = desc->ordinal,
        .index = desc->index,
        .priority = desc->priority,
    };
    ze_result_t result = geo_stream_create(context, device, &stream, &queue->stream);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_unref(&queue->base);
        return result;
    }
    *out = queue;
    return ZE_RESULT_SUCCESS;
}

/* ---- submission ---- */

static struct geo_execution *execution_take(struct geo_command_queue *queue)
{
    struct geo_stream *stream = queue->stream;
    geo_object_lock_acquire(&queue->lock);
    struct geo_execution *newest = queue->newest;
    struct geo_execution *execution = newest ? newest->next : NULL; /* the oldest */
    GEO_ASSERT(geo_object_lock_held(&queue->lock) && (!newest || execution));
    if (!execution || execution->preparing == geo_fork_generation() ||
        !stream->ops->finished(stream->backend, execution->ticket)) {
        execution = calloc(1, sizeof(*execution));
        if (execution) {
            execution->next = newest ? newest->next : execution;
            if (newest) {
                newest->next = execution;
            }
        }
    }
    if (execution) {
        execution->preparing = geo_fork_generation();
        queue->newest = execution;
    }
    geo_object_lock_release(&queue->lock);
    return execution;
}

static void execution_submitted(struct geo_command_queue *queue, struct geo_execution *execution,
                                uint64_t ticket)
{
    geo_object_lock_acquire(&queue->lock);
    GEO_ASSERT(execution->preparing == geo_fork_generation() && execution->next);
    execution->ticket = ticket;
    execution->preparing = 0;
    geo_object_lock_release(&queue->lock);
}

static bool execution_room(struct geo_execution *execution, uint32_t bases)
{
    if (bases <= execution->base_room) {
        return true;
    }
    uint64_t *larger = realloc(execution->bases, bases * sizeof(*larger));
    if (larger) {
        execution->bases = larger;
        execution->base_room = bases;
    }
    return larger;
}

static void executions_give_back(struct geo_command_queue *queue, struct geo_execution *first)
{
    while (first) {
        struct geo_execution *next = first->following;
        execution_submitted(queue, first, 0);
        first = next;
    }
}

/* Takes an execution for each list, with space for its bases, so that submission cannot fail.
 * Returns NULL if memory is short. */
static struct geo_execution *executions_take(struct geo_command_queue *queue, uint32_t count,
                                             ze_command_list_handle_t *lists)
{
    struct geo_execution *first = NULL, **end = &first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bases = ((struct geo_command_list *)(void *)lists[i])->bases.count;
        struct geo_execution *execution = execution_take(queue);
        if (execution) {
            execution->following = NULL;
            *end = execution;
            end = &execution->following;
        }
        if (!execution || !execution_room(execution, bases)) {
            executions_give_back(queue, first);
            return NULL;
        }
    }
    return first;
}

/* Submits one list; with `wait` it has run on return. */
static ze_result_t list_execute(struct geo_command_queue *queue, struct geo_execution *execution,
                                struct geo_command_list *list, struct geo_event_ref done, bool wait,
                                uint64_t *ticket)
{
    GEO_ASSERT(list->bases.count <= execution->base_room &&
               list->base.driver == queue->base.driver);
    struct geo_stream *stream = queue->stream;
    geo_bases_begin(&list->bases, execution->bases);
    execution->batch = (struct geo_batch){.first = (const struct geo_command *)list->records,
                                          .bytes = list->used,
                                          .bases = execution->bases};
    ze_result_t result;
    if (wait) {
        result = geo_list_wait_result(
            queue->context, stream->ops->execute(stream->backend, &execution->batch, done));
        *ticket = execution->batch.link.ticket;
    } else {
        result = stream->ops->submit(stream->backend, &execution->batch, done, ticket);
    }
    execution_submitted(queue, execution, *ticket);
    geo_list_used(list, stream, *ticket);
    return result;
}

static ze_result_t lists_check(const struct geo_command_queue *queue, uint32_t count,
                               ze_command_list_handle_t *lists)
{
    for (uint32_t i = 0; i < count; i++) {
        struct geo_command_list *list;
        GEO_CHECK(geo_command_list_from(lists[i], &list));
        GEO_CHECK(geo_append_lists_check_executable(list, queue->device, queue->desc.ordinal));
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fence_check(const struct geo_command_queue *queue, ze_fence_handle_t handle,
                               struct geo_fence **fence)
{
    if (!handle) {
        *fence = NULL;
        return ZE_RESULT_SUCCESS;
    }
    if (geo_fence_from(handle, fence) != ZE_RESULT_SUCCESS || (*fence)->queue != queue) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                        "hFence is not a fence of this queue");
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t lists_execute(struct geo_command_queue *queue, struct geo_execution *execution,
                                 uint32_t count, ze_command_list_handle_t *lists,
                                 struct geo_fence *fence)
{
    bool synchronous = queue->desc.mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        struct geo_command_list *list = (struct geo_command_list *)(void *)lists[i];
        GEO_ASSERT(execution);
        /* read now: the execution may be reused once it has run */
        struct geo_execution *following = execution->following;
        struct geo_event_ref done = {0};
        bool last = i + 1 == count;
        uint64_t ticket = 0;
        if (last && fence) {
            done = (struct geo_event_ref){.slot = &fence->slot, .value = 1};
        }
        ze_result_t now = list_execute(queue, execution, list, done, last && synchronous, &ticket);
        if (last && fence) {
            atomic_store(&fence->ticket, ticket);
        }
        result = result == ZE_RESULT_SUCCESS ? now : result;
        execution = following;
    }
    GEO_ASSERT(!execution);
    return result;
}

ze_result_t geo_queue_execute(struct geo_command_queue *queue, uint32_t count,
                              ze_command_list_handle_t *lists, ze_fence_handle_t handle)
{
    struct geo_fence *fence = NULL;
    GEO_CHECK(geo_context_check_alive(queue->context));
    GEO_CHECK(lists_check(queue, count, lists));
    GEO_CHECK(fence_check(queue, handle, &fence));
    struct geo_execution *execution = executions_take(queue, count, lists);
    return execution || count == 0
               ? lists_execute(queue, execution, count, lists, fence)
               : geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a submission");
}

ze_result_t geo_queue_synchronize(struct geo_command_queue *queue, uint64_t timeout_ns)
{
    struct geo_stream *stream = queue->stream;
    return geo_list_wait_result(queue->context,
                                stream->ops->wait(stream->backend, UINT64_MAX, timeout_ns));
}

ze_result_t geo_queue_check_idle(struct geo_command_queue *queue)
{
    return geo_stream_check_finished(queue->stream, UINT64_MAX, "command queue");
}
