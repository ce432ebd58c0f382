/* Commands on their way: lists that are closed or not, what the device still uses, arguments of
 * kernels, events that are signalled and waited for. Keeps the model (model.h), which hazards.c and
 * deadlocks.c look at. */
#include "layers/validation/model.h"

#include <stdio.h>
#include <string.h>

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
        if (!list->closed) {
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
    char text[64];
    for (uint32_t i = 0; kernel && i < kernel->count && i < GEO_VAL_ARGUMENTS; i++) {
        if (kernel->set >> i & 1)
            continue;
        snprintf(text, sizeof(text), "has never got argument %u of %u", i, kernel->count);
        const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[call->id]);
        tell(call, GEO_VAL_ARGUMENT_NOT_SET, (size_t)shape->kernel,
             ARGUMENT(call, shape->kernel, void *), (unsigned)params[shape->kernel].index, text);
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t append_check(const struct geo_layer_call *call)
{
    const struct geo_val_list *list = geo_val_list_of(ARGUMENT(call, 0, void *));
    if (list && list->closed && !list->immediate) {
        tell_first(call, GEO_VAL_CLOSED_LIST, "has been closed");
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    return arguments_check(call);
}

static bool is_nested(enum geo_ddi_function_id id)
{
    return id == GEO_DDI_FN_zeCommandListImmediateAppendCommandListsExp ||
           id == GEO_DDI_FN_zeCommandListImmediateAppendCommandListsWithParameters;
}

static ze_result_t commands_check(const struct geo_layer_call *call, void **scratch)
{
    const struct geo_val_list *list = geo_val_list_of(ARGUMENT(call, 0, void *));
    const struct geo_val_queue *queue = geo_val_queue_of(ARGUMENT(call, 0, void *));
    const struct geo_val_event *event;
    if (strstr(geo_ddi_functions[call->id].name, "UpdateMutableCommand"))
        return list_idle_check(call, GEO_VAL_LIST_IN_FLIGHT);
    if (is_nested(call->id) && list)
        return executed_check(call, 2, ARGUMENT(call, 1, uint32_t), list->ordinal, NULL);
    if (geo_val_shapes[call->id].appends)
        return append_check(call);
    switch (call->id) {
    case GEO_DDI_FN_zeCommandListReset:
        return list_idle_check(call, GEO_VAL_LIST_IN_FLIGHT);
    case GEO_DDI_FN_zeCommandListDestroy:
        return list_idle_check(call, GEO_VAL_DESTROYED_IN_USE);
    case GEO_DDI_FN_zeCommandQueueDestroy:
        if (!geo_val_queue_in_flight(queue))
            return ZE_RESULT_SUCCESS;
        tell_first(call, GEO_VAL_DESTROYED_IN_USE, "has not finished");
        return geo_val_refusal(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    case GEO_DDI_FN_zeEventDestroy:
        event = geo_val_event_of(ARGUMENT(call, 0, void *));
        if (!event || !event->plain) /* one that counts is a reference, the list has the counter */
            return ZE_RESULT_SUCCESS;
        return use_check(call, &(struct use_search){.handle = ARGUMENT(call, 0, void *)}, 0);
    case GEO_DDI_FN_zeKernelDestroy:
        return use_check(call, &(struct use_search){.handle = ARGUMENT(call, 0, void *)}, 0);
    case GEO_DDI_FN_zeMemFree:
        return memory_check(call, 1);
    case GEO_DDI_FN_zeCommandQueueExecuteCommandLists:
        return queue ? executed_check(call, 2, ARGUMENT(call, 1, uint32_t), queue->ordinal, queue)
                     : ZE_RESULT_SUCCESS;
    case GEO_DDI_FN_zeCommandQueueSynchronize: /* what is done when it comes back */
        *scratch = queue ? (void *)(uintptr_t)queue->submissions : NULL;
        break;
    case GEO_DDI_FN_zeCommandListHostSynchronize:
        *scratch = list ? (void *)(uintptr_t)list->appended : NULL;
        break;
    default:
        break;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t commands_before(struct geo_layer_call *call, void **scratch)
{
    geo_val_model_lock();
    ze_result_t result =
        geo_val_on(GEO_VAL_EVENTS) ? geo_val_events_check(call) : ZE_RESULT_SUCCESS;
    if (result == ZE_RESULT_SUCCESS)
        result = geo_val_on(GEO_VAL_COMMANDS) ? commands_check(call, scratch) : ZE_RESULT_SUCCESS;
    geo_val_model_unlock();
    return result;
}

/* --- after --- */

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
    if (is_nested(call->id))
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

static void argument_note(const struct geo_layer_call *call)
{
    struct geo_val_kernel *kernel = geo_val_kernel_of(ARGUMENT(call, 0, void *));
    const uint32_t index = ARGUMENT(call, 1, uint32_t);
    const void *value = ARGUMENT(call, 3, const void *);
    if (!kernel || index >= GEO_VAL_ARGUMENTS)
        return;
    kernel->set |= UINT64_C(1) << index;
    kernel->pointers[index] = 0;
    if (value && ARGUMENT(call, 2, size_t) == sizeof(uintptr_t))
        memcpy(&kernel->pointers[index], value, sizeof(uintptr_t));
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
    list->closed = list->opaque = false;
    list->hazard = (struct geo_val_hazard){0};
    list->appended = 0;
    list->queue = NULL;
    list->carrier = NULL;
}

static void commands_note(const struct geo_layer_call *call, void *scratch)
{
    void *first = ARGUMENT(call, 0, void *);
    struct geo_val_list *list = geo_val_list_of(first);
    struct geo_val_queue *queue = geo_val_queue_of(first);
    const struct geo_val_fence *fence = geo_val_fence_of(first);
    if (geo_val_shapes[call->id].appends) {
        append_note(call);
        return;
    }
    switch (call->id) {
    case GEO_DDI_FN_zeCommandListClose:
        if (list)
            list->closed = true;
        break;
    case GEO_DDI_FN_zeCommandListReset:
        list_reset(list);
        break;
    case GEO_DDI_FN_zeCommandListDestroy:
        if (list)
            geo_val_list_clear(list);
        break;
    case GEO_DDI_FN_zeCommandListHostSynchronize:
        list_done(list, (uint32_t)(uintptr_t)scratch);
        break;
    case GEO_DDI_FN_zeCommandQueueExecuteCommandLists:
        execute_note(call);
        break;
    case GEO_DDI_FN_zeCommandQueueSynchronize:
        queue_done(queue, (uint64_t)(uintptr_t)scratch);
        break;
    case GEO_DDI_FN_zeCommandQueueDestroy:
        if (queue)
            queue->handle = NULL;
        break;
    case GEO_DDI_FN_zeFenceHostSynchronize:
    case GEO_DDI_FN_zeFenceQueryStatus:
        if (fence)
            queue_done(fence->queue, fence->submission);
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
    default: /* changed commands, captured ones */
        if (list) {
            list->opaque = true;
            list->hazard = (struct geo_val_hazard){0};
        }
        break;
    }
}

/* The functions that the model follows besides those that make objects or append. */
static bool is_followed(enum geo_ddi_function_id id)
{
    switch (id) {
    case GEO_DDI_FN_zeCommandListClose:
    case GEO_DDI_FN_zeCommandListReset:
    case GEO_DDI_FN_zeCommandListDestroy:
    case GEO_DDI_FN_zeCommandListHostSynchronize:
    case GEO_DDI_FN_zeCommandQueueExecuteCommandLists:
    case GEO_DDI_FN_zeCommandQueueSynchronize:
    case GEO_DDI_FN_zeCommandQueueDestroy:
    case GEO_DDI_FN_zeFenceHostSynchronize:
    case GEO_DDI_FN_zeFenceQueryStatus:
    case GEO_DDI_FN_zeKernelSetArgumentValue:
    case GEO_DDI_FN_zeEventHostSynchronize:
    case GEO_DDI_FN_zeEventQueryStatus:
    case GEO_DDI_FN_zeEventHostSignal:
    case GEO_DDI_FN_zeEventHostReset:
        return true;
    default:
        return geo_val_shapes[id].appends ||
               strstr(geo_ddi_functions[id].name, "UpdateMutableCommand") ||
               strstr(geo_ddi_functions[id].name, "GraphCapture");
    }
}

static bool makes_or_ends(enum geo_ddi_function_id id)
{
    switch (id) {
    case GEO_DDI_FN_zeCommandListCreate:
    case GEO_DDI_FN_zeCommandListCreateImmediate:
    case GEO_DDI_FN_zeCommandQueueCreate:
    case GEO_DDI_FN_zeFenceCreate:
    case GEO_DDI_FN_zeKernelCreate:
    case GEO_DDI_FN_zeKernelDestroy:
    case GEO_DDI_FN_zeEventPoolCreate:
    case GEO_DDI_FN_zeEventPoolOpenIpcHandle:
    case GEO_DDI_FN_zeEventCreate:
    case GEO_DDI_FN_zeEventCounterBasedCreate:
    case GEO_DDI_FN_zeEventDestroy:
    case GEO_DDI_FN_zeMemFree:
        return true;
    default:
        return false;
    }
}

static void commands_after(struct geo_layer_call *call, void **scratch)
{
    if (!geo_layer_succeeded(call))
        return;
    geo_val_model_lock();
    if (is_followed(call->id))
        commands_note(call, *scratch);
    else if (call->id == GEO_DDI_FN_zeEventDestroy)
        geo_val_event_end(geo_val_event_of(ARGUMENT(call, 0, void *)));
    else
        geo_val_model_note(call);
    geo_val_model_unlock();
}

static bool commands_want(const struct geo_ddi_function *function)
{
    const enum geo_ddi_function_id id = (enum geo_ddi_function_id)(function - geo_ddi_functions);
    return (geo_val_on(GEO_VAL_COMMANDS) || geo_val_on(GEO_VAL_EVENTS)) &&
           (is_followed(id) || makes_or_ends(id));
}

const struct geo_layer_part geo_val_part_commands = {
    .name = "commands", .wants = commands_want, .before = commands_before, .after = commands_after};
