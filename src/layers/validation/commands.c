/* Commands on their way: lists that are closed or not, what the device still uses, arguments of
 * kernels, events that are signalled and waited for. The part that calls pass; before the next
 * function commands_check.c and events.c look at them, after it commands_note.c keeps the model
 * (model.h), which hazards.c and deadlocks.c look at.
 *
 * What a function is to it is in its shape, made once. Functions that have one object for
 * themselves, and touch what is known of that one alone, take no lock. */
#include "layers/validation/model.h"

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static ze_result_t call_check(const struct geo_layer_call *call)
{
    const ze_result_t result =
        geo_val_on(GEO_VAL_EVENTS) ? geo_val_events_check(call) : ZE_RESULT_SUCCESS;
    return result == ZE_RESULT_SUCCESS && geo_val_on(GEO_VAL_COMMANDS)
               ? geo_val_commands_check(call)
               : result;
}

/* What is done when a wait comes back: all that has been submitted by now. */
static void *call_submitted(const struct geo_layer_call *call)
{
    const struct geo_val_list *list;
    const struct geo_val_queue *queue;
    switch (call->id) {
    case GEO_DDI_FN_zeCommandQueueSynchronize:
        queue = geo_val_queue_of(ARGUMENT(call, 0, void *));
        return queue ? (void *)(uintptr_t)queue->submissions : NULL;
    case GEO_DDI_FN_zeCommandListHostSynchronize:
        list = geo_val_list_of(ARGUMENT(call, 0, void *));
        return list ? (void *)(uintptr_t)list->appended : NULL;
    default:
        return NULL;
    }
}

static ze_result_t commands_before(struct geo_layer_call *call, void **scratch)
{
    const struct geo_val_shape *shape = &geo_val_shapes[call->id];
    ze_result_t result;
    if (!shape->checked)
        return ZE_RESULT_SUCCESS;
    if (shape->checked_alone)
        return call_check(call);
    geo_val_model_lock();
    result = call_check(call);
    if (result == ZE_RESULT_SUCCESS && geo_val_on(GEO_VAL_COMMANDS))
        *scratch = call_submitted(call);
    geo_val_model_unlock();
    return result;
}

static void call_note(const struct geo_layer_call *call, void *scratch)
{
    if (geo_val_shapes[call->id].followed)
        geo_val_commands_note(call, scratch);
    else if (call->id == GEO_DDI_FN_zeEventDestroy)
        geo_val_event_end(geo_val_event_of(ARGUMENT(call, 0, void *)));
    else
        geo_val_model_note(call);
}

static void commands_after(struct geo_layer_call *call, void **scratch)
{
    if (!geo_layer_succeeded(call))
        return;
    if (geo_val_shapes[call->id].noted_alone) {
        call_note(call, *scratch);
        return;
    }
    geo_val_model_lock();
    call_note(call, *scratch);
    geo_val_model_unlock();
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

static bool commands_want(const struct geo_ddi_function *function)
{
    const enum geo_ddi_function_id id = (enum geo_ddi_function_id)(function - geo_ddi_functions);
    return (geo_val_on(GEO_VAL_COMMANDS) || geo_val_on(GEO_VAL_EVENTS)) &&
           (geo_val_shapes[id].followed || makes_or_ends(id));
}

const struct geo_layer_part geo_val_part_commands = {
    .name = "commands", .wants = commands_want, .before = commands_before, .after = commands_after};
