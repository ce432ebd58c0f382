/* API functions of command queues and fences. cmd/queue.h and cmd/fence.h implement them. */
#include "ddi/geo_api.h"
#include "driver/cmd/fence.h"
#include "driver/core/check.h"

ze_result_t geo_zeCommandQueueCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                     const ze_command_queue_desc_t *desc,
                                     ze_command_queue_handle_t *phCommandQueue)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_command_queue *queue;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_queue_create(context, device, desc, &queue));
    *phCommandQueue = geo_command_queue_handle(queue);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandQueueDestroy(ze_command_queue_handle_t hCommandQueue)
{
    struct geo_command_queue *queue;
    GEO_CHECK(geo_command_queue_from(hCommandQueue, &queue));
    GEO_CHECK(geo_queue_check_idle(queue));
    geo_object_close(&queue->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t hCommandQueue,
                                                  uint32_t numCommandLists,
                                                  ze_command_list_handle_t *phCommandLists,
                                                  ze_fence_handle_t hFence)
{
    struct geo_command_queue *queue;
    GEO_CHECK(geo_command_queue_from(hCommandQueue, &queue));
    return geo_queue_execute(queue, numCommandLists, phCommandLists, hFence);
}

ze_result_t geo_zeCommandQueueSynchronize(ze_command_queue_handle_t hCommandQueue, uint64_t timeout)
{
    struct geo_command_queue *queue;
    GEO_CHECK(geo_command_queue_from(hCommandQueue, &queue));
    return geo_queue_synchronize(queue, timeout);
}

ze_result_t geo_zeCommandQueueGetOrdinal(ze_command_queue_handle_t hCommandQueue,
                                         uint32_t *pOrdinal)
{
    struct geo_command_queue *queue;
    GEO_CHECK(geo_command_queue_from(hCommandQueue, &queue));
    *pOrdinal = queue->desc.ordinal;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandQueueGetIndex(ze_command_queue_handle_t hCommandQueue, uint32_t *pIndex)
{
    struct geo_command_queue *queue;
    GEO_CHECK(geo_command_queue_from(hCommandQueue, &queue));
    *pIndex = queue->desc.index;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandQueueGetFlags(ze_command_queue_handle_t hCmdQueue,
                                       ze_command_queue_flags_t *pFlags)
{
    struct geo_command_queue *queue;
    GEO_CHECK(geo_command_queue_from(hCmdQueue, &queue));
    *pFlags = queue->desc.flags;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandQueueGetMode(ze_command_queue_handle_t hCmdQueue,
                                      ze_command_queue_mode_t *pMode)
{
    struct geo_command_queue *queue;
    GEO_CHECK(geo_command_queue_from(hCmdQueue, &queue));
    *pMode = queue->desc.mode;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandQueueGetPriority(ze_command_queue_handle_t hCmdQueue,
                                          ze_command_queue_priority_t *pPriority)
{
    struct geo_command_queue *queue;
    GEO_CHECK(geo_command_queue_from(hCmdQueue, &queue));
    *pPriority = queue->desc.priority;
    return ZE_RESULT_SUCCESS;
}

/* ---- fences ---- */

ze_result_t geo_zeFenceCreate(ze_command_queue_handle_t hCommandQueue, const ze_fence_desc_t *desc,
                              ze_fence_handle_t *phFence)
{
    struct geo_command_queue *queue;
    struct geo_fence *fence;
    GEO_CHECK(geo_command_queue_from(hCommandQueue, &queue));
    GEO_CHECK(geo_fence_create(queue, (desc->flags & ZE_FENCE_FLAG_SIGNALED) != 0, &fence));
    *phFence = geo_fence_handle(fence);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFenceDestroy(ze_fence_handle_t hFence)
{
    struct geo_fence *fence;
    GEO_CHECK(geo_fence_from(hFence, &fence));
    GEO_CHECK(geo_fence_check_idle(fence));
    geo_object_close(&fence->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeFenceHostSynchronize(ze_fence_handle_t hFence, uint64_t timeout)
{
    struct geo_fence *fence;
    GEO_CHECK(geo_fence_from(hFence, &fence));
    return geo_fence_wait(fence, timeout);
}

ze_result_t geo_zeFenceQueryStatus(ze_fence_handle_t hFence)
{
    struct geo_fence *fence;
    GEO_CHECK(geo_fence_from(hFence, &fence));
    return geo_fence_wait(fence, 0);
}

ze_result_t geo_zeFenceReset(ze_fence_handle_t hFence)
{
    struct geo_fence *fence;
    GEO_CHECK(geo_fence_from(hFence, &fence));
    geo_fence_reset(fence);
    return ZE_RESULT_SUCCESS;
}
