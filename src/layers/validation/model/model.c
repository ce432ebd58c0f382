/* The data of lists, queues and fences. See model.h. */
#include "layers/validation/model/model.h"

struct geo_val_queue *geo_val_model_queue(const void *handle)
{
    return geo_val_data_of(GEO_VAL_QUEUE, handle);
}

struct geo_val_fence *geo_val_model_fence(const void *handle)
{
    return geo_val_data_of(GEO_VAL_FENCE, handle);
}

struct geo_val_list *geo_val_model_list(const void *handle)
{
    return geo_val_data_of(GEO_VAL_LIST, handle);
}

static struct geo_val_list *lists; /* all lists ever; reused with their handles */

void geo_val_model_lists_each(void (*visit)(struct geo_val_list *list, void *user), void *user)
{
    for (struct geo_val_list *list = lists; list; list = list->next) {
        if (geo_val_model_list(list->handle) == list) {
            visit(list, user);
        }
    }
}

bool geo_val_model_list_may_run(const struct geo_val_list *list)
{
    return !list->stale && (atomic_load_explicit(&list->closed, memory_order_relaxed) ||
                            atomic_load_explicit(&list->open_state_unknown, memory_order_relaxed));
}

void geo_val_model_object_tell(const struct geo_layer_call *call, enum geo_val_message message,
                               size_t param, const void *handle, const char *text)
{
    const struct geo_ddi_param *described =
        &geo_ddi_function_params(&geo_ddi_functions[call->id])[param];
    const struct geo_val_object *object =
        described->kind == GEO_DDI_HANDLE ? geo_val_object_find((unsigned)described->index, handle)
                                          : NULL;
    const struct geo_val_history history =
        object ? geo_val_object_history(object) : (struct geo_val_history){0};
    const struct geo_val_place place = {.call = call,
                                        .argument = described->name,
                                        .handle = handle,
                                        .history = object ? &history : NULL};
    geo_val_tell(message, &place, "%p %s", handle, text);
}

struct geo_val_list *geo_val_model_list_begin(const void *handle, bool immediate, bool in_order,
                                              uint32_t ordinal)
{
    struct geo_val_list *list =
        geo_val_data_begin(GEO_VAL_LIST, handle, sizeof(struct geo_val_list));
    if (!list) {
        return NULL;
    }
    if (!list->handle) {
        list->next = lists;
        lists = list;
    }
    geo_val_record_clear(&list->record);
    *list = (struct geo_val_list){.data = list->data,
                                  .next = list->next,
                                  .handle = (ze_command_list_handle_t)(uintptr_t)handle,
                                  .immediate = immediate,
                                  .in_order = in_order,
                                  .ordinal = ordinal,
                                  .record = list->record};
    return list;
}

/* --- in flight --- */

bool geo_val_model_queue_in_flight(const struct geo_val_queue *queue)
{
    return queue && queue->handle && queue->submissions > queue->done &&
           geo_layer_next.ze.CommandQueue.pfnSynchronize(queue->handle, GEO_VAL_GRACE_NS) ==
               ZE_RESULT_NOT_READY;
}

static bool immediate_in_flight(const struct geo_val_list *list)
{
    return geo_layer_next.ze.CommandList.pfnHostSynchronize &&
           geo_layer_next.ze.CommandList.pfnHostSynchronize(list->handle, GEO_VAL_GRACE_NS) ==
               ZE_RESULT_NOT_READY;
}

/* Returns whether a command of the list waits for an event that is not signalled and was never
 * reset. The list has then certainly not finished. */
static bool is_held(const struct geo_val_list *list)
{
    if (list->changed || geo_val_pools_signals_are_unseen()) {
        return false;
    }
    for (uint32_t i = 0; i < list->record.count; i++) {
        const struct geo_val_command *command = &list->record.commands[i];
        for (uint32_t w = 0; !command->done && w < command->wait_count; w++) {
            const struct geo_val_event *event = geo_val_pools_event(command->waits[w]);
            if (event && event->plain && !event->cleared &&
                geo_layer_next.ze.Event.pfnQueryStatus((ze_event_handle_t)command->waits[w]) ==
                    ZE_RESULT_NOT_READY) {
                return true;
            }
        }
    }
    return false;
}

static bool is_done(const struct geo_val_list *list)
{
    for (uint32_t i = 0; i < list->record.count; i++) {
        if (!list->record.commands[i].done) {
            return false;
        }
    }
    return list->record.count > 0;
}

/* Decides whether a list is still executed. The driver only knows the state of a whole queue or
 * immediate list. That suffices for the list submitted last. An earlier list must also be blocked
 * for certain. */
bool geo_val_model_list_in_flight(const struct geo_val_list *list)
{
    if (is_done(list)) {
        return false;
    }
    if (list->immediate) {
        return list->record.count > 0 && immediate_in_flight(list);
    }
    if (list->carrier) {
        return (list->carrier->record.appended == list->carried || is_held(list)) &&
               immediate_in_flight(list->carrier);
    }
    if (!list->queue || list->queue->done >= list->submission) {
        return false;
    }
    return (list->queue->submissions == list->submission || is_held(list)) &&
           geo_val_model_queue_in_flight(list->queue);
}
