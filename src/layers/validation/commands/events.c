/* Tracks events: their index in the pool, the commands that signal them and how often, and the
 * commands that wait for them. See model.h. Waits that never end are found by deadlocks.c. */
#include "layers/validation/commands/order.h"
#include "layers/validation/objects/rules.h"

#include <stdio.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static void event_tell(const struct geo_layer_call *call, enum geo_val_message message,
                       const void *handle, const char *text)
{
    const struct geo_val_object *object = geo_val_data_kind_object(GEO_VAL_EVENT, handle);
    const struct geo_val_history history =
        object ? geo_val_object_history(object) : (struct geo_val_history){0};
    const struct geo_val_place place = {
        .call = call, .handle = handle, .history = object ? &history : NULL};
    geo_val_tell(message, &place, "event %p %s", handle, text);
}

/* Records the signal of a submitted command. */
static void event_signal(const struct geo_layer_call *call, const void *handle)
{
    struct geo_val_event *event = geo_val_pools_event(handle);
    if (!event) {
        return;
    }
    event->signalled = true;
    if (event->plain && event->signals++ == 1 && !event->reset && geo_val_on(GEO_VAL_EVENTS)) {
        event_tell(call, GEO_VAL_SIGNALLED_TWICE, handle,
                   "has been signalled and was not reset since");
    }
}

static void event_reset(const void *handle, bool by_command)
{
    struct geo_val_event *event = geo_val_pools_event(handle);
    if (!event) {
        return;
    }
    event->signals = 0;
    event->reset |= by_command;
    event->cleared = true;
}

/* Checks a signal by the host. The driver is asked for the state, because it knows what commands
 * have done. */
static void host_signal_check(const struct geo_layer_call *call, void *handle)
{
    struct geo_val_event *event = geo_val_pools_event(handle);
    if (event && event->plain &&
        geo_layer_next.ze.Event.pfnQueryStatus((ze_event_handle_t)handle) == ZE_RESULT_SUCCESS) {
        event_tell(call, GEO_VAL_SIGNALLED_TWICE, handle, "is signalled already");
    }
}

/* Records the effects of a submitted command on events. */
void geo_val_events_submit(const struct geo_layer_call *call, const struct geo_val_command *command)
{
    for (uint32_t i = 0; i < command->wait_count; i++) {
        struct geo_val_event *event = geo_val_pools_event(command->waits[i]);
        if (event) {
            event->waited = true;
        }
    }
    if (command->reset) {
        event_reset(command->reset, true);
    }
    if (command->signal) {
        event_signal(call, command->signal);
    }
}

static ze_result_t index_check(const struct geo_layer_call *call)
{
    const ze_event_desc_t *desc = ARGUMENT(call, 1, const ze_event_desc_t *);
    const struct geo_val_pool *pool = geo_val_pool_of(ARGUMENT(call, 0, void *));
    char text[96];
    if (!geo_val_on(GEO_VAL_EVENTS) || !pool || !pool->taken || !desc) {
        return ZE_RESULT_SUCCESS;
    }
    if (desc->index < pool->count && !(pool->taken[desc->index / 8] >> desc->index % 8 & 1)) {
        return ZE_RESULT_SUCCESS;
    }
    if (desc->index < pool->count) {
        snprintf(text, sizeof(text), "has an event at index %u already", desc->index);
    } else {
        snprintf(text, sizeof(text), "has %u events, none at index %u", pool->count, desc->index);
    }
    geo_val_model_object_tell(call, GEO_VAL_EVENT_INDEX, 0, ARGUMENT(call, 0, void *), text);
    return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static void never_signalled_check(const struct geo_layer_call *call, void *handle)
{
    const struct geo_val_event *event = geo_val_pools_event(handle);
    if (event && event->plain && event->waited && !event->signalled &&
        !geo_val_pools_signals_are_unseen() &&
        (!call || geo_layer_next.ze.Event.pfnQueryStatus((ze_event_handle_t)handle) ==
                      ZE_RESULT_NOT_READY)) { /* at the end no driver is called */
        event_tell(call, GEO_VAL_NEVER_SIGNALLED, handle, "was waited for and never signalled");
    }
}

/* --- calls --- */

enum { LONG_NS = 100000000 }; /* a wait this long is not polling */

/* Searches for deadlocks before long waits. The second argument of all waiting functions is the
 * timeout. */
static ze_result_t wait_check(const struct geo_layer_call *call)
{
    if (geo_val_on(GEO_VAL_EVENTS) && ARGUMENT(call, 1, uint64_t) >= LONG_NS) {
        geo_val_deadlocks_find(call);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t event_wait_check(const struct geo_layer_call *call)
{
    struct geo_val_event *event = geo_val_pools_event(ARGUMENT(call, 0, void *));
    wait_check(call);
    if (event && ARGUMENT(call, 1, uint64_t) == UINT64_MAX) {
        event->waited = true;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t signal_check(const struct geo_layer_call *call)
{
    if (geo_val_on(GEO_VAL_EVENTS)) {
        host_signal_check(call, ARGUMENT(call, 0, void *));
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_check(const struct geo_layer_call *call)
{
    if (geo_val_on(GEO_VAL_EVENTS)) {
        never_signalled_check(call, ARGUMENT(call, 0, void *));
    }
    return ZE_RESULT_SUCCESS;
}

static void settle_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    geo_val_hazards_settle_event(ARGUMENT(call, 0, const void *));
}

static void signal_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_event *event = geo_val_pools_event(ARGUMENT(call, 0, void *));
    if (!event) {
        return;
    }
    event->signalled = true;
    event->signals += event->signals == 0;
}

static void reset_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    event_reset(ARGUMENT(call, 0, const void *), false);
}

const struct geo_val_rule geo_val_event_rules[] = {
    {.function = GEO_DDI_FN_zeCommandQueueSynchronize, .check = wait_check},
    {.function = GEO_DDI_FN_zeCommandListHostSynchronize, .check = wait_check},
    {.function = GEO_DDI_FN_zeFenceHostSynchronize, .check = wait_check},
    {.function = GEO_DDI_FN_zeEventHostSynchronize, .check = event_wait_check, .note = settle_note},
    {.function = GEO_DDI_FN_zeEventQueryStatus, .note = settle_note},
    {.function = GEO_DDI_FN_zeEventQueryKernelTimestamp, .note = settle_note},
    {.function = GEO_DDI_FN_zeEventQueryTimestampsExp, .note = settle_note},
    {.function = GEO_DDI_FN_zeEventQueryKernelTimestampsExt, .note = settle_note},
    {.function = GEO_DDI_FN_zeEventHostSignal, .check = signal_check, .note = signal_note},
    {.function = GEO_DDI_FN_zeEventHostReset, .note = reset_note},
    {.function = GEO_DDI_FN_zeEventCreate, .check = index_check},
    {.function = GEO_DDI_FN_zeEventDestroy, .check = end_check},
    {.function = GEO_DDI_FUNCTION_COUNT}};

/* --- at the end --- */

static void event_visit(void *handle)
{
    const struct geo_val_history history =
        geo_val_object_history(geo_val_data_kind_object(GEO_VAL_EVENT, handle));
    if (!geo_val_report_before_fork(&history.made)) {
        never_signalled_check(NULL, handle);
    }
}

void geo_val_events_tell(void)
{
    geo_val_data_lock();
    geo_val_pools_events_each(event_visit);
    geo_val_data_unlock();
}
