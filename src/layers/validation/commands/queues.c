/* Tracks queues and fences: the submissions, and how many are complete. See model.h. */
#include "layers/validation/commands/order.h"
#include "layers/validation/objects/rules.h"

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

/* --- queues --- */

static void queue_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const ze_command_queue_handle_t handle = *ARGUMENT(call, 3, ze_command_queue_handle_t *);
    struct geo_val_queue *queue =
        geo_val_data_begin(GEO_VAL_QUEUE, handle, sizeof(struct geo_val_queue));
    if (queue) {
        *queue = (struct geo_val_queue){
            .data = queue->data,
            .handle = handle,
            .ordinal = ARGUMENT(call, 2, const ze_command_queue_desc_t *)->ordinal};
    }
}

static ze_result_t queue_end_check(const struct geo_layer_call *call)
{
    if (!geo_val_on(GEO_VAL_COMMANDS) ||
        !geo_val_model_queue_in_flight(geo_val_model_queue(ARGUMENT(call, 0, void *)))) {
        return ZE_RESULT_SUCCESS;
    }
    geo_val_model_object_tell(call, GEO_VAL_DESTROYED_IN_USE, 0, ARGUMENT(call, 0, void *),
                              "has not finished: zeCommandQueueSynchronize waits for it");
    return geo_val_refusal(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

static void queue_end_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_queue *queue = geo_val_model_queue(ARGUMENT(call, 0, void *));
    if (queue) {
        queue->handle = NULL;
    }
}

static void submitted_settle(struct geo_val_list *list, void *user)
{
    const struct geo_val_queue *queue = user;
    if (list->queue == queue && list->submission <= queue->done) {
        geo_val_hazards_settle_list(list, UINT32_MAX);
    }
}

static void queue_done(struct geo_val_queue *queue, uint64_t submission)
{
    if (!queue || queue->done >= submission) {
        return;
    }
    queue->done = submission;
    geo_val_model_lists_each(submitted_settle, queue);
}

/* Saves the number of submissions before the wait: these are complete when it returns. */
static void *queue_wait_prepare(const struct geo_layer_call *call)
{
    const struct geo_val_queue *queue = geo_val_model_queue(ARGUMENT(call, 0, void *));
    return queue ? (void *)(uintptr_t)queue->submissions : NULL;
}

static void queue_wait_note(const struct geo_layer_call *call, void *prepared)
{
    queue_done(geo_val_model_queue(ARGUMENT(call, 0, void *)), (uint64_t)(uintptr_t)prepared);
}

/* --- fences --- */

static void fence_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_fence *fence = geo_val_data_begin(
        GEO_VAL_FENCE, *ARGUMENT(call, 2, ze_fence_handle_t *), sizeof(struct geo_val_fence));
    if (fence) {
        *fence = (struct geo_val_fence){.data = fence->data};
    }
}

static void fence_wait_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const struct geo_val_fence *fence = geo_val_model_fence(ARGUMENT(call, 0, void *));
    if (fence) {
        queue_done(fence->queue, fence->submission);
    }
}

static ze_result_t fence_end_check(const struct geo_layer_call *call)
{
    const struct geo_val_fence *fence = geo_val_model_fence(ARGUMENT(call, 0, void *));
    if (!geo_val_on(GEO_VAL_COMMANDS) || !fence || !fence->queue ||
        fence->queue->done >= fence->submission ||
        geo_layer_next.ze.Fence.pfnHostSynchronize(ARGUMENT(call, 0, ze_fence_handle_t),
                                                   GEO_VAL_GRACE_NS) != ZE_RESULT_NOT_READY) {
        return ZE_RESULT_SUCCESS;
    }
    geo_val_model_object_tell(call, GEO_VAL_DESTROYED_IN_USE, 0, ARGUMENT(call, 0, void *),
                              "is to be signalled by lists that have not finished");
    return geo_val_refusal(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

static void fence_reset_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_fence *fence = geo_val_model_fence(ARGUMENT(call, 0, void *));
    if (fence) {
        fence->queue = NULL;
    }
}

/* --- devices --- */

static void list_done(struct geo_val_list *list, void *user)
{
    (void)user;
    if (list->immediate || list->queue || list->carrier) {
        geo_val_hazards_settle_list(list, UINT32_MAX);
    }
}

/* Marks the submitted commands of all devices as done. For other devices this only suppresses
 * reports. */
static void device_wait_note(const struct geo_layer_call *call, void *prepared)
{
    (void)call;
    (void)prepared;
    geo_val_model_lists_each(list_done, NULL);
}

const struct geo_val_rule geo_val_queue_rules[] = {
    {.function = GEO_DDI_FN_zeCommandQueueCreate, .note = queue_note},
    {.function = GEO_DDI_FN_zeCommandQueueDestroy,
     .check = queue_end_check,
     .note = queue_end_note},
    {.function = GEO_DDI_FN_zeCommandQueueSynchronize,
     .prepare = queue_wait_prepare,
     .note = queue_wait_note},
    {.function = GEO_DDI_FN_zeFenceCreate, .note = fence_note},
    {.function = GEO_DDI_FN_zeFenceHostSynchronize, .note = fence_wait_note},
    {.function = GEO_DDI_FN_zeFenceQueryStatus, .note = fence_wait_note},
    {.function = GEO_DDI_FN_zeFenceReset, .note = fence_reset_note},
    {.function = GEO_DDI_FN_zeFenceDestroy, .check = fence_end_check},
    {.function = GEO_DDI_FN_zeDeviceSynchronize, .note = device_wait_note},
    {.function = GEO_DDI_FUNCTION_COUNT}};
