/* Tracks command lists from creation to destruction: their commands, whether they are closed, where
 * they are executed. See model.h. */
#include "layers/validation/commands/lists.h"
#include "layers/validation/commands/order.h"
#include "layers/validation/model/graphs.h"
#include "layers/validation/objects/devices.h"
#include "layers/validation/objects/rules.h"
#include "layers/validation/uses/arguments.h"

#include <stdio.h>
#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static void tell_first(const struct geo_layer_call *call, enum geo_val_message message,
                       const char *text)
{
    geo_val_model_object_tell(call, message, 0, ARGUMENT(call, 0, void *), text);
}

/* --- creation --- */

/* Returns whether a queue group can run kernels. Returns true when the driver does not tell. */
static bool runs_kernels(ze_device_handle_t device, uint32_t ordinal)
{
    enum { GROUPS = 16 };
    ze_command_queue_group_properties_t groups[GROUPS];
    uint32_t count = GROUPS;
    for (int i = 0; i < GROUPS; i++) {
        groups[i] = (ze_command_queue_group_properties_t){
            .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
    }
    return !geo_layer_next.ze.Device.pfnGetCommandQueueGroupProperties ||
           geo_layer_next.ze.Device.pfnGetCommandQueueGroupProperties(device, &count, groups) !=
               ZE_RESULT_SUCCESS ||
           ordinal >= count || ordinal >= GROUPS ||
           (groups[ordinal].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) != 0;
}

static void create_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const ze_command_list_desc_t *desc = ARGUMENT(call, 2, const ze_command_list_desc_t *);
    struct geo_val_list *list = geo_val_model_list_begin(
        *ARGUMENT(call, 3, ze_command_list_handle_t *), false,
        (desc->flags & ZE_COMMAND_LIST_FLAG_IN_ORDER) != 0, desc->commandQueueGroupOrdinal);
    if (list) {
        list->only_copies = !runs_kernels(ARGUMENT(call, 1, ze_device_handle_t), list->ordinal);
    }
}

static void create_immediate_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const ze_command_queue_desc_t *desc = ARGUMENT(call, 2, const ze_command_queue_desc_t *);
    struct geo_val_list *list =
        geo_val_model_list_begin(*ARGUMENT(call, 3, ze_command_list_handle_t *), true,
                                 (desc->flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER) != 0 ||
                                     desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
                                 desc->ordinal);
    if (list) {
        list->only_copies = !runs_kernels(ARGUMENT(call, 1, ze_device_handle_t), list->ordinal);
    }
}

/* Records a clone. The specification does not say whether a clone is open or closed. */
static void clone_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const struct geo_val_list *original = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (!original) {
        return;
    }
    struct geo_val_list *clone =
        geo_val_model_list_begin(*ARGUMENT(call, 1, ze_command_list_handle_t *), false,
                                 original->in_order, original->ordinal);
    if (!clone) {
        return;
    }
    atomic_store(&clone->open_state_unknown, true);
    clone->changed = original->changed;
    clone->only_copies = original->only_copies;
    clone->hazard = original->hazard;
    geo_val_record_copy(&clone->record, &original->record);
}

static ze_result_t clone_check(const struct geo_layer_call *call)
{
    const struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (!list || list->immediate || !geo_val_on(GEO_VAL_COMMANDS) ||
        geo_val_model_list_may_run(list)) {
        return ZE_RESULT_SUCCESS;
    }
    tell_first(call, GEO_VAL_OPEN_LIST, "has not been closed: zeCommandListClose does it");
    return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* --- appending --- */

/* Checks an append call. Takes no lock, because the call has exclusive use of the list and nobody
 * changes the kernel meanwhile. */
static ze_result_t append_check(const struct geo_layer_call *call)
{
    const struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (list && geo_val_on(GEO_VAL_COMMANDS) && !list->immediate &&
        atomic_load_explicit(&list->closed, memory_order_relaxed)) {
        tell_first(call, GEO_VAL_CLOSED_LIST, "has been closed: zeCommandListReset opens it again");
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    if (list && list->only_copies && geo_val_arguments_launches(call->id) &&
        geo_val_on(GEO_VAL_COMMANDS)) {
        tell_first(call, GEO_VAL_OTHER_ORDINAL, "was made for a queue group that runs no kernels");
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    }
    const ze_result_t result = geo_val_arguments_check(call);
    return result == ZE_RESULT_SUCCESS
               ? geo_val_used_call_check(call, ARGUMENT(call, 0, ze_command_list_handle_t),
                                         list && list->immediate)
               : result;
}

static bool is_not_done(const struct geo_val_command *command)
{
    return !command->done;
}

/* Makes space for one more command in an immediate list: drops finished commands, and the older
 * half if there are still too many. */
static void immediate_shrink(struct geo_val_record *record)
{
    if (record->count < record->capacity) {
        return;
    }
    geo_val_record_filter(record, is_not_done);
    if (record->count >= GEO_VAL_WINDOW) {
        geo_val_record_trim(record, record->count - record->count / 2);
    }
}

static void submit(const struct geo_layer_call *call, struct geo_val_list *list)
{
    geo_val_hazard_tell(call, list);
    if (list->changed) {
        geo_val_pools_signals_unseen();
    }
    for (uint32_t i = 0; i < list->record.count; i++) {
        list->record.commands[i].done = false; /* the commands run again */
    }
    for (uint32_t i = 0; !list->changed && i < list->record.count; i++) {
        geo_val_events_submit(call, &list->record.commands[i]);
    }
}

static void nested_submit(const struct geo_layer_call *call, struct geo_val_list *carrier)
{
    void *const *handles = ARGUMENT(call, 2, void *const *);
    for (uint32_t i = 0; i < ARGUMENT(call, 1, uint32_t); i++) {
        struct geo_val_list *list = geo_val_model_list(handles[i]);
        if (!list) {
            continue;
        }
        list->queue = NULL;
        list->carrier = carrier;
        list->carried = carrier->record.appended;
        submit(call, list);
    }
}

static bool brings_lists(enum geo_ddi_function_id id)
{
    return geo_val_uses_role(id, 2) == GEO_VAL_ROLE_LISTS;
}

static void append_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    struct geo_val_graph *graph = NULL;
    if (list && list->immediate && geo_val_graphs_records(list->handle, &graph)) {
        if (graph) {
            geo_val_record_append(&graph->record, call);
        }
        geo_val_arguments_note(call);
        return;
    }
    if (list && list->immediate) {
        immediate_shrink(&list->record);
    }
    struct geo_val_command *command = list ? geo_val_record_append(&list->record, call) : NULL;
    geo_val_arguments_note(call);
    if (!command) {
        return;
    }
    if (brings_lists(call->id)) {
        nested_submit(call, list);
    }
    if (call->id == GEO_DDI_FN_zeCommandListAppendGraphExt) {
        geo_val_pools_signals_unseen();
    }
    if (geo_val_on(GEO_VAL_COMMANDS)) {
        geo_val_hazards_find(list);
    }
    if (!list->immediate) {
        return;
    }
    geo_val_hazard_tell(call, list);
    if (!list->changed) {
        geo_val_events_submit(call, command);
    }
}

/* --- execution --- */

/* Checks the items that the commands of a list, and of graphs in it, use at the time of
 * execution. */
static ze_result_t list_replay(const struct geo_layer_call *call, struct geo_val_list *list,
                               const char *argument)
{
    const unsigned endings = atomic_load(&geo_val_endings) + 1;
    struct geo_val_met met = {
        .call = call, .list = list->handle, .holder = list->handle, .argument = argument};
    if (list->checked == endings) {
        return ZE_RESULT_SUCCESS;
    }
    geo_val_record_replay(&list->record, &met);
    for (uint32_t i = 0; !met.told && i < list->record.count; i++) {
        const struct geo_val_graph *graph = geo_val_graph_within(&list->record.commands[i]);
        met.recorded = graph != NULL;
        met.holder = graph;
        if (graph) {
            geo_val_record_replay(&graph->record, &met);
        }
    }
    if (!met.told) {
        list->checked = endings;
    }
    return met.answer;
}

static ze_result_t executed_check(const struct geo_layer_call *call, uint32_t ordinal,
                                  const struct geo_val_queue *queue)
{
    void *const *handles = ARGUMENT(call, 2, void *const *);
    const bool commands = geo_val_on(GEO_VAL_COMMANDS);
    const struct geo_val_object *where = /* a queue, or an immediate list */
        geo_val_object_find((unsigned)geo_ddi_function_params(&geo_ddi_functions[call->id])->index,
                            ARGUMENT(call, 0, void *));
    for (uint32_t i = 0; handles && i < ARGUMENT(call, 1, uint32_t); i++) {
        struct geo_val_list *list = geo_val_model_list(handles[i]);
        char name[40];
        snprintf(name, sizeof(name), "phCommandLists[%u]", i);
        if (!list) {
            continue;
        }
        if (commands && list->immediate) {
            geo_val_model_object_tell(call, GEO_VAL_IMMEDIATE_LIST, 2, handles[i],
                                      "is an immediate list");
            return geo_val_refusal(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
        }
        if (commands && !geo_val_model_list_may_run(list)) {
            geo_val_model_object_tell(call, GEO_VAL_OPEN_LIST, 2, handles[i],
                                      list->stale
                                          ? "has not been closed since its commands were changed"
                                          : "has not been closed: zeCommandListClose does it");
            return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
        }
        if (commands && list->ordinal != ordinal) {
            geo_val_model_object_tell(call, GEO_VAL_OTHER_ORDINAL, 2, handles[i],
                                      "was made for another queue group");
            return geo_val_refusal(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
        }
        if (commands &&
            geo_val_devices_apart(geo_val_data_kind_object(GEO_VAL_LIST, handles[i]), where)) {
            geo_val_model_object_tell(call, GEO_VAL_OTHER_DEVICE, 2, handles[i],
                                      "was made for another device");
            return geo_val_refusal(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
        }
        if (commands && list->queue && list->queue != queue && geo_val_model_list_in_flight(list)) {
            geo_val_model_object_tell(call, GEO_VAL_LIST_IN_FLIGHT, 2, handles[i],
                                      "has not finished on another queue");
        }
        const ze_result_t result = list_replay(call, list, name);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t nested_check(const struct geo_layer_call *call)
{
    const struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    const ze_result_t result = list ? executed_check(call, list->ordinal, NULL) : ZE_RESULT_SUCCESS;
    return result == ZE_RESULT_SUCCESS ? append_check(call) : result;
}

/* Checks an appended graph. In an immediate list the graph runs at once. */
static ze_result_t graph_check(const struct geo_layer_call *call)
{
    const struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    const void *handle = ARGUMENT(call, 1, const void *);
    const struct geo_val_graph *graph = geo_val_graphs_executable(handle);
    struct geo_val_met met = {.call = call, .recorded = true, .holder = handle};
    const ze_result_t result = append_check(call);
    if (result != ZE_RESULT_SUCCESS || !graph || !list || !list->immediate) {
        return result;
    }
    met.list = list->handle;
    met.argument = "hGraph";
    geo_val_record_replay(&graph->record, &met);
    return met.answer;
}

static ze_result_t execute_check(const struct geo_layer_call *call)
{
    const struct geo_val_queue *queue = geo_val_model_queue(ARGUMENT(call, 0, void *));
    return queue ? executed_check(call, queue->ordinal, queue) : ZE_RESULT_SUCCESS;
}

static void execute_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_queue *queue = geo_val_model_queue(ARGUMENT(call, 0, void *));
    struct geo_val_fence *fence = geo_val_model_fence(ARGUMENT(call, 3, void *));
    void *const *handles = ARGUMENT(call, 2, void *const *);
    if (!queue) {
        return;
    }
    queue->submissions++;
    if (fence) {
        fence->queue = queue;
        fence->submission = queue->submissions;
    }
    for (uint32_t i = 0; i < ARGUMENT(call, 1, uint32_t); i++) {
        struct geo_val_list *list = geo_val_model_list(handles[i]);
        if (!list) {
            continue;
        }
        list->queue = queue;
        list->submission = queue->submissions;
        list->carrier = NULL;
        submit(call, list);
    }
}

/* --- closing, waiting, destruction --- */

static ze_result_t idle_check(const struct geo_layer_call *call, enum geo_val_message message)
{
    const struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (!list || !geo_val_on(GEO_VAL_COMMANDS) || !geo_val_model_list_in_flight(list)) {
        return ZE_RESULT_SUCCESS;
    }
    tell_first(call, message, "has not finished: wait for its queue, fence or events first");
    return geo_val_refusal(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

ze_result_t geo_val_list_idle_check(const struct geo_layer_call *call)
{
    return idle_check(call, GEO_VAL_LIST_IN_FLIGHT);
}

static ze_result_t destroy_check(const struct geo_layer_call *call)
{
    return idle_check(call, GEO_VAL_DESTROYED_IN_USE);
}

static void close_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (!list) {
        return;
    }
    atomic_store_explicit(&list->closed, true, memory_order_relaxed);
    atomic_store_explicit(&list->open_state_unknown, false, memory_order_relaxed);
    list->stale = false;
}

static void reset_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (!list || list->immediate) {
        return;
    }
    geo_val_record_clear(&list->record);
    atomic_store_explicit(&list->closed, false, memory_order_relaxed);
    atomic_store_explicit(&list->open_state_unknown, false, memory_order_relaxed);
    list->changed = list->stale = false;
    list->hazard = (struct geo_val_hazard){0};
    list->checked = 0;
    list->queue = NULL;
    list->carrier = NULL;
}

static void destroy_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (list) {
        geo_val_record_clear(&list->record);
    }
}

/* Saves how many commands were appended before the wait: these are done when it returns. */
static void *wait_prepare(const struct geo_layer_call *call)
{
    const struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    return list ? (void *)(uintptr_t)list->record.appended : NULL;
}

struct carried {
    const struct geo_val_list *carrier;
    uint32_t end;
};

static void carried_settle(struct geo_val_list *list, void *user)
{
    const struct carried *carried = user;
    if (list->carrier == carried->carrier && list->carried <= carried->end) {
        geo_val_hazards_settle_list(list, UINT32_MAX);
    }
}

static void wait_note(const struct geo_layer_call *call, void *prepared)
{
    struct geo_val_list *list = geo_val_model_list(ARGUMENT(call, 0, void *));
    if (!list || !list->immediate) {
        return;
    }
    struct carried carried = {list, (uint32_t)(uintptr_t)prepared};
    geo_val_hazards_settle_list(list, carried.end);
    geo_val_model_lists_each(carried_settle, &carried);
}

const struct geo_val_rule geo_val_append_rule = {
    .check = append_check, .note = append_note, .check_alone = true};
const struct geo_val_rule geo_val_nested_rule = {.check = nested_check, .note = append_note};
const struct geo_val_rule geo_val_graph_append_rule = {.check = graph_check, .note = append_note};

const struct geo_val_rule geo_val_list_rules[] = {
    {.function = GEO_DDI_FN_zeCommandListCreate, .note = create_note},
    {.function = GEO_DDI_FN_zeCommandListCreateImmediate, .note = create_immediate_note},
    {.function = GEO_DDI_FN_zeCommandListCreateCloneExp, .check = clone_check, .note = clone_note},
    {.function = GEO_DDI_FN_zeCommandListClose, .note = close_note, .alone = true},
    {.function = GEO_DDI_FN_zeCommandListReset,
     .check = geo_val_list_idle_check,
     .note = reset_note},
    {.function = GEO_DDI_FN_zeCommandListDestroy, .check = destroy_check, .note = destroy_note},
    {.function = GEO_DDI_FN_zeCommandListHostSynchronize,
     .prepare = wait_prepare,
     .note = wait_note},
    {.function = GEO_DDI_FN_zeCommandQueueExecuteCommandLists,
     .check = execute_check,
     .note = execute_note},
    {.function = GEO_DDI_FUNCTION_COUNT}};
