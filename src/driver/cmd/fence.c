/* Fences: creation, waiting and reset. queue.c submits the work that raises them. See fence.h. */
#include "driver/cmd/fence.h"

#include "base/assert.h"

#include <stdlib.h>

static void fence_destroy(struct geo_object *object)
{
    struct geo_fence *fence = (struct geo_fence *)object;
    geo_object_unref(&fence->queue->base);
    free(fence);
}

ze_result_t geo_fence_create(struct geo_command_queue *queue, bool signalled,
                             struct geo_fence **out)
{
    struct geo_fence *fence = aligned_alloc(_Alignof(struct geo_fence), sizeof(*fence));
    if (!fence) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a fence");
    }
    *fence = (struct geo_fence){.queue = queue};
    geo_object_init(&fence->base, GEO_OBJECT_FENCE, queue->base.driver, fence_destroy);
    geo_object_ref(&queue->base);
    atomic_store(&fence->slot.value, signalled ? 1 : 0);
    *out = fence;
    return ZE_RESULT_SUCCESS;
}

/* Waits for the fence. While it waits, this thread may execute the submission that signals it. */
static ze_result_t incomplete_wait(struct geo_fence *fence, uint64_t timeout_ns)
{
    struct geo_driver *driver = fence->base.driver;
    struct geo_event_wait wait = {
        .event = {.slot = &fence->slot, .value = 1},
        .timeout_ns = timeout_ns,
        .ticket = atomic_load(&fence->ticket),
        .lost = &fence->queue->context->lost,
    };
    if (wait.ticket != 0) {
        wait.stream = fence->queue->stream->backend;
    }
    return driver->ops->event->wait(driver->backend, &wait);
}

ze_result_t geo_fence_wait(struct geo_fence *fence, uint64_t timeout_ns)
{
    const struct geo_event_ref ref = {.slot = &fence->slot, .value = 1};
    GEO_ASSERT(fence->queue && fence->queue->stream);
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (!geo_command_event_complete(&ref)) {
        GEO_CHECK(geo_context_check_alive(fence->queue->context));
        result = incomplete_wait(fence, timeout_ns);
    }
    return geo_list_wait_result(fence->queue->context, result);
}

void geo_fence_reset(struct geo_fence *fence)
{
    struct geo_driver *driver = fence->base.driver;
    driver->ops->event->reset(driver->backend, &fence->slot);
}

ze_result_t geo_fence_check_idle(struct geo_fence *fence)
{
    uint64_t ticket = atomic_load(&fence->ticket);
    return ticket ? geo_stream_check_finished(fence->queue->stream, ticket, "fence")
                  : ZE_RESULT_SUCCESS;
}
