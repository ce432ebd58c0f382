/* Before calls that append, execute, change or destroy: what is wrong with them. See model.h. */
#include "layers/validation/model.h"

#include <stdio.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static void tell(const struct geo_layer_call *call, enum geo_val_message message, size_t param,
                 const void *handle, unsigned type, const char *text)
{
    const struct geo_val_object *object = geo_val_object_find(type, handle);
    const struct geo_val_history history =
        object ? geo_val_object_history(object) : (struct geo_val_history){0};
    const struct geo_val_place place = {
        .call = call,
        .argument = geo_ddi_function_params(&geo_ddi_functions[call->id])[param].name,
        .handle = handle,
        .history = object ? &history : NULL};
    geo_val_tell(message, &place, "%p %s", handle, text);
}

static void tell_first(const struct geo_layer_call *call, enum geo_val_message message,
                       const char *text)
{
    const struct geo_ddi_param *param = geo_ddi_function_params(&geo_ddi_functions[call->id]);
    tell(call, message, 0, ARGUMENT(call, 0, void *), (unsigned)param->index, text);
}

/* --- in use --- */

struct use_search {
    const void *handle; /* of an event or kernel */
    uintptr_t base;     /* of memory, 0: none */
    size_t size;
    const struct geo_val_list *user;
    uint32_t number;
};

static bool command_uses(const struct geo_val_command *command, const struct use_search *search)
{
    if (command->done)
        return false;
    if (search->handle) {
        bool uses = command->signal == search->handle || command->kernel == search->handle ||
                    command->reset == search->handle;
        for (uint32_t i = 0; i < command->wait_count; i++)
            uses |= command->waits[i] == search->handle;
        return uses;
    }
    for (uint32_t i = 0; i < command->range_count; i++) {
        if (command->ranges[i].base >= search->base &&
            command->ranges[i].base < search->base + search->size)
            return true;
    }
    return false;
}

static void use_find(struct geo_val_list *list, void *user)
{
    struct use_search *search = user;
    for (uint32_t i = 0; !search->user && !list->opaque && i < list->count; i++) {
        if (command_uses(&list->commands[i], search) && geo_val_list_in_flight(list)) {
            search->user = list;
            search->number = list->commands[i].number;
        }
    }
}

/* What a list in flight uses may not be destroyed, nor freed. */
static ze_result_t use_check(const struct geo_layer_call *call, struct use_search *search,
                             size_t param)
{
    char text[160];
    geo_val_lists_each(use_find, search);
    if (!search->user)
        return ZE_RESULT_SUCCESS;
    snprintf(text, sizeof(text), "is in use by command %u of list %p, which has not finished",
             search->number, (void *)search->user->handle);
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[call->id]);
    tell(call, GEO_VAL_DESTROYED_IN_USE, param, ARGUMENT(call, param, void *),
         params[param].index >= 0 ? (unsigned)params[param].index : 0, text);
    return geo_val_refusal(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

static ze_result_t memory_check(const struct geo_layer_call *call, size_t param)
{
    void *pointer = ARGUMENT(call, param, void *), *base = NULL;
    size_t size = 0;
    if (!pointer ||
        geo_layer_next.ze.Mem.pfnGetAddressRange(ARGUMENT(call, 0, ze_context_handle_t), pointer,
                                                 &base, &size) != ZE_RESULT_SUCCESS)
        return ZE_RESULT_SUCCESS;
    return use_check(call, &(struct use_search){.base = (uintptr_t)base, .size = size}, param);
}

static ze_result_t list_idle_check(const struct geo_layer_call *call, enum geo_val_message message)
{
    const struct geo_val_list *list = geo_val_list_of(ARGUMENT(call, 0, void *));
    if (!list || !geo_val_list_in_flight(list))
        return ZE_RESULT_SUCCESS;
    tell_first(call, message, "has not finished");
    return geo_val_refusal(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

/* --- lists that are executed --- */

static ze_result_t executed_check(const struct geo_layer_call *call, size_t param, uint32_t count,
                                  uint32_t ordinal, const struct geo_val_queue *queue)
{
    void *const *handles = ARGUMENT(call, param, void *const *);
    const unsigned type =
        (unsigned)geo_ddi_function_params(&geo_ddi_functions[call->id])[param].index;
    for (uint32_t i = 0; handles && i < count; i++) {
        const struct geo_val_list *list = geo_val_list_of(handles[i]);
        if (!list)
            continue;
        if (list->immediate) {
            tell(call, GEO_VAL_IMMEDIATE_LIST, param, handles[i], type, "is an immediate list");
            return geo_val_refusal(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
        }
        if (!atomic_load_explicit(&list->closed, memory_order_relaxed)) {
            tell(call, GEO_VAL_OPEN_LIST, param, handles[i], type, "has not been closed");
            return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
        }
        if (list->ordinal != ordinal) {
            tell(call, GEO_VAL_OTHER_ORDINAL, param, handles[i], type,
                 "was made for another queue group");
            return geo_val_refusal(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
        }
        if (list->queue && list->queue != queue && geo_val_list_in_flight(list))
            tell(call, GEO_VAL_LIST_IN_FLIGHT, param, handles[i], type,
                 "has not finished on another queue");
    }
    return ZE_RESULT_SUCCESS;
}

/* --- commands that are appended --- */

static ze_result_t arguments_check(const struct geo_layer_call *call)
{
    const struct geo_val_shape *shape = &geo_val_shapes[call->id];
    if (shape->kernel < 0 || call->id == GEO_DDI_FN_zeCommandListAppendLaunchKernelWithArguments)
        return ZE_RESULT_SUCCESS;
    const struct geo_val_kernel *kernel = geo_val_kernel_of(ARGUMENT(call, shape->kernel, void *));
    const uint64_t set = kernel ? atomic_load_explicit(&kernel->set, memory_order_relaxed) : 0;
    char text[64];
    for (uint32_t i = 0; kernel && i < kernel->count && i < GEO_VAL_ARGUMENTS; i++) {
        if (set >> i & 1)
            continue;
        snprintf(text, sizeof(text), "has never got argument %u of %u", i, kernel->count);
        const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[call->id]);
        tell(call, GEO_VAL_ARGUMENT_NOT_SET, (size_t)shape->kernel,
             ARGUMENT(call, shape->kernel, void *), (unsigned)params[shape->kernel].index, text);
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    return ZE_RESULT_SUCCESS;
}

/* The list that the call has for itself, and a kernel that nobody changes meanwhile: no lock. */
static ze_result_t append_check(const struct geo_layer_call *call)
{
    const struct geo_val_list *list = geo_val_list_of(ARGUMENT(call, 0, void *));
    if (list && atomic_load_explicit(&list->closed, memory_order_relaxed) && !list->immediate) {
        tell_first(call, GEO_VAL_CLOSED_LIST, "has been closed");
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    return arguments_check(call);
}

static ze_result_t nested_check(const struct geo_layer_call *call)
{
    const struct geo_val_list *list = geo_val_list_of(ARGUMENT(call, 0, void *));
    return list ? executed_check(call, 2, ARGUMENT(call, 1, uint32_t), list->ordinal, NULL)
                : append_check(call);
}

static ze_result_t queue_end_check(const struct geo_layer_call *call)
{
    if (!geo_val_queue_in_flight(geo_val_queue_of(ARGUMENT(call, 0, void *))))
        return ZE_RESULT_SUCCESS;
    tell_first(call, GEO_VAL_DESTROYED_IN_USE, "has not finished");
    return geo_val_refusal(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

static ze_result_t event_end_check(const struct geo_layer_call *call)
{
    const struct geo_val_event *event = geo_val_event_of(ARGUMENT(call, 0, void *));
    if (!event || !event->plain) /* one that counts is a reference, the list has the counter */
        return ZE_RESULT_SUCCESS;
    return use_check(call, &(struct use_search){.handle = ARGUMENT(call, 0, void *)}, 0);
}

static ze_result_t execute_check(const struct geo_layer_call *call)
{
    const struct geo_val_queue *queue = geo_val_queue_of(ARGUMENT(call, 0, void *));
    return queue ? executed_check(call, 2, ARGUMENT(call, 1, uint32_t), queue->ordinal, queue)
                 : ZE_RESULT_SUCCESS;
}

static ze_result_t call_check(const struct geo_layer_call *call)
{
    switch (call->id) {
    case GEO_DDI_FN_zeCommandListReset:
        return list_idle_check(call, GEO_VAL_LIST_IN_FLIGHT);
    case GEO_DDI_FN_zeCommandListDestroy:
        return list_idle_check(call, GEO_VAL_DESTROYED_IN_USE);
    case GEO_DDI_FN_zeCommandQueueDestroy:
        return queue_end_check(call);
    case GEO_DDI_FN_zeEventDestroy:
        return event_end_check(call);
    case GEO_DDI_FN_zeKernelDestroy:
        return use_check(call, &(struct use_search){.handle = ARGUMENT(call, 0, void *)}, 0);
    case GEO_DDI_FN_zeMemFree:
        return memory_check(call, 1);
    case GEO_DDI_FN_zeCommandQueueExecuteCommandLists:
        return execute_check(call);
    default:
        return ZE_RESULT_SUCCESS;
    }
}

ze_result_t geo_val_commands_check(const struct geo_layer_call *call)
{
    const struct geo_val_shape *shape = &geo_val_shapes[call->id];
    if (shape->nested)
        return nested_check(call);
    if (shape->appends)
        return append_check(call);
    if (shape->changes)
        return list_idle_check(call, GEO_VAL_LIST_IN_FLIGHT);
    return call_check(call);
}
