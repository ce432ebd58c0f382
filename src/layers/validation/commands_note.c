/* After calls that succeeded: what lists, queues, kernels and events are by now. See model.h. */
#include "layers/validation/model.h"

#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static void list_submitted(const struct geo_layer_call *call, struct geo_val_list *list)
{
    geo_val_hazard_tell(call, list);
    if (list->opaque)
        geo_val_event_signals_unseen();
    for (uint32_t i = 0; !list->opaque && i < list->count; i++)
        geo_val_events_submit(call, &list->commands[i]);
}

static void execute_note(const struct geo_layer_call *call)
{
    struct geo_val_queue *queue = geo_val_queue_of(ARGUMENT(call, 0, void *));
    struct geo_val_fence *fence = geo_val_fence_of(ARGUMENT(call, 3, void *));
    void *const *handles = ARGUMENT(call, 2, void *const *);
    if (!queue)
        return;
    queue->submissions++;
    if (fence) {
        fence->queue = queue;
        fence->submission = queue->submissions;
    }
    for (uint32_t i = 0; i < ARGUMENT(call, 1, uint32_t); i++) {
        struct geo_val_list *list = geo_val_list_of(handles[i]);
        if (!list)
            continue;
        list->queue = queue;
        list->submission = queue->submissions;
        list->carrier = NULL;
        list_submitted(call, list);
    }
}

static void nested_note(const struct geo_layer_call *call, struct geo_val_list *carrier)
{
    void *const *handles = ARGUMENT(call, 2, void *const *);
    for (uint32_t i = 0; i < ARGUMENT(call, 1, uint32_t); i++) {
        struct geo_val_list *list = geo_val_list_of(handles[i]);
        if (!list)
            continue;
        list->queue = NULL;
        list->carrier = carrier;
        list->carried = carrier->appended;
        list_submitted(call, list);
    }
}

static void append_note(const struct geo_layer_call *call)
{
    struct geo_val_list *list = geo_val_list_of(ARGUMENT(call, 0, void *));
    struct geo_val_command *command = list ? geo_val_list_append(list) : NULL;
    if (!command)
        return;
    geo_val_command_fill(command, call);
    if (geo_val_shapes[call->id].nested)
        nested_note(call, list);
    if (call->id == GEO_DDI_FN_zeCommandListAppendGraphExt)
        geo_val_event_signals_unseen();
    if (geo_val_on(GEO_VAL_COMMANDS))
        geo_val_hazards_find(list);
    if (!list->immediate)
        return;
    geo_val_hazard_tell(call, list);
    if (!list->opaque)
        geo_val_events_submit(call, command);
}

/* The call has the kernel for itself: no lock. */
static void argument_note(const struct geo_layer_call *call)
{
    struct geo_val_kernel *kernel = geo_val_kernel_of(ARGUMENT(call, 0, void *));
    const uint32_t index = ARGUMENT(call, 1, uint32_t);
    const void *value = ARGUMENT(call, 3, const void *);
    if (!kernel || index >= GEO_VAL_ARGUMENTS)
        return;
    uintptr_t pointer = 0;
    if (value && ARGUMENT(call, 2, size_t) == sizeof(pointer))
        memcpy(&pointer, value, sizeof(pointer));
    atomic_store_explicit(&kernel->pointers[index], pointer, memory_order_relaxed);
    atomic_fetch_or_explicit(&kernel->set, UINT64_C(1) << index, memory_order_relaxed);
}

static void queue_done(struct geo_val_queue *queue, uint64_t submission)
{
    if (queue && queue->done < submission)
        queue->done = submission;
}

static void list_done(struct geo_val_list *list, uint32_t appended)
{
    for (uint32_t i = 0; list && i < list->count; i++)
        list->commands[i].done |= list->immediate && list->commands[i].number < appended;
}

static void list_reset(struct geo_val_list *list)
{
    if (!list || list->immediate)
        return;
    geo_val_list_clear(list);
    atomic_store_explicit(&list->closed, false, memory_order_relaxed);
    list->opaque = false;
    list->hazard = (struct geo_val_hazard){0};
    list->appended = 0;
    list->queue = NULL;
    list->carrier = NULL;
}

static void list_note(const struct geo_layer_call *call, struct geo_val_list *list, void *scratch)
{
    if (!list)
        return;
    switch (call->id) {
    case GEO_DDI_FN_zeCommandListClose:
        atomic_store_explicit(&list->closed, true, memory_order_relaxed);
        break;
    case GEO_DDI_FN_zeCommandListReset:
        list_reset(list);
        break;
    case GEO_DDI_FN_zeCommandListDestroy:
        geo_val_list_clear(list);
        break;
    case GEO_DDI_FN_zeCommandListHostSynchronize:
        list_done(list, (uint32_t)(uintptr_t)scratch);
        break;
    default: /* changed commands, captured ones */
        list->opaque = true;
        list->hazard = (struct geo_val_hazard){0};
        break;
    }
}

static void fence_note(const struct geo_val_fence *fence)
{
    if (fence)
        queue_done(fence->queue, fence->submission);
}

void geo_val_commands_note(const struct geo_layer_call *call, void *scratch)
{
    void *first = ARGUMENT(call, 0, void *);
    struct geo_val_queue *queue;
    if (geo_val_shapes[call->id].appends) {
        append_note(call);
        return;
    }
    switch (call->id) {
    case GEO_DDI_FN_zeCommandQueueExecuteCommandLists:
        execute_note(call);
        break;
    case GEO_DDI_FN_zeCommandQueueSynchronize:
        queue_done(geo_val_queue_of(first), (uint64_t)(uintptr_t)scratch);
        break;
    case GEO_DDI_FN_zeCommandQueueDestroy:
        queue = geo_val_queue_of(first);
        if (queue)
            queue->handle = NULL;
        break;
    case GEO_DDI_FN_zeFenceHostSynchronize:
    case GEO_DDI_FN_zeFenceQueryStatus:
        fence_note(geo_val_fence_of(first));
        break;
    case GEO_DDI_FN_zeKernelSetArgumentValue:
        argument_note(call);
        break;
    case GEO_DDI_FN_zeEventHostSynchronize:
    case GEO_DDI_FN_zeEventQueryStatus:
        geo_val_hazards_settle_event(first);
        break;
    case GEO_DDI_FN_zeEventHostSignal:
        geo_val_event_host_signal(first);
        break;
    case GEO_DDI_FN_zeEventHostReset:
        geo_val_event_host_reset(first);
        break;
    default:
        list_note(call, geo_val_list_of(first), scratch);
        break;
    }
}
