/* API functions that append barriers, event operations, timestamps and host functions to a command
 * list. Each checks its arguments and fills one record (cmd/append.h). */
#include "ddi/geo_api.h"
#include "driver/cmd/append.h"
#include "driver/core/check.h"

#include <string.h>

static ze_result_t plain_append(ze_command_list_handle_t handle,
                                enum geo_command_operation operation,
                                const struct geo_append_events *events)
{
    struct geo_command_list *list;
    struct geo_append append;
    GEO_CHECK(geo_command_list_from(handle, &list));
    GEO_CHECK(geo_append_begin(list, operation, sizeof(struct geo_command), events, &append));
    return geo_append_commit(&append);
}

/* ---- barriers ---- */

ze_result_t geo_zeCommandListAppendBarrier(ze_command_list_handle_t hCommandList,
                                           ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                           ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    return plain_append(hCommandList, GEO_COMMAND_BARRIER, &events);
}

ze_result_t
geo_zeCommandListAppendMemoryRangesBarrier(ze_command_list_handle_t hCommandList,
                                           uint32_t numRanges, const size_t *pRangeSizes,
                                           const void **pRanges, ze_event_handle_t hSignalEvent,
                                           uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    (void)numRanges; /* memory is coherent: a full barrier is a barrier for every range */
    (void)pRangeSizes;
    (void)pRanges;
    return plain_append(hCommandList, GEO_COMMAND_BARRIER, &events);
}

/* ---- events ---- */

ze_result_t geo_zeCommandListAppendSignalEvent(ze_command_list_handle_t hCommandList,
                                               ze_event_handle_t hEvent)
{
    struct geo_append_events events = {.signal = hEvent};
    struct geo_event *event;
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_event_from(hEvent, &event));
    return plain_append(hCommandList, GEO_COMMAND_NOP, &events);
}

ze_result_t geo_zeCommandListAppendWaitOnEvents(ze_command_list_handle_t hCommandList,
                                                uint32_t numEvents, ze_event_handle_t *phEvents)
{
    struct geo_append_events events = {.wait_count = numEvents, .waits = phEvents};
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return plain_append(hCommandList, GEO_COMMAND_WAIT_EVENTS, &events);
}

ze_result_t geo_zeCommandListAppendEventReset(ze_command_list_handle_t hCommandList,
                                              ze_event_handle_t hEvent)
{
    struct geo_append_events none = {0};
    struct geo_command_list *list;
    struct geo_event *event;
    struct geo_append append;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_event_from(hEvent, &event));
    if (event->counter_based) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                        "a counter-based event cannot be reset");
    }
    GEO_CHECK(geo_append_begin(list, GEO_COMMAND_EVENT_RESET, sizeof(struct geo_command_event),
                               &none, &append));
    GEO_CHECK(geo_keep_add(&list->keep, &event->pool->base));
    struct geo_command_event *reset = (struct geo_command_event *)append.command;
    reset->event = (struct geo_event_ref){.slot = event->own, .value = 0};
    return geo_append_commit(&append);
}

/* ---- timestamps ---- */

ze_result_t geo_zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t hCommandList,
                                                        uint64_t *dstptr,
                                                        ze_event_handle_t hSignalEvent,
                                                        uint32_t numWaitEvents,
                                                        ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct geo_append append;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    if ((uintptr_t)dstptr % sizeof(*dstptr) != 0) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "dstptr is not 8-byte aligned");
    }
    GEO_CHECK(geo_append_begin(list, GEO_COMMAND_TIMESTAMP, sizeof(struct geo_command_timestamp),
                               &events, &append));
    ((struct geo_command_timestamp *)append.command)->destination = dstptr;
    return geo_append_commit(&append);
}

static ze_result_t query_events_fill(struct geo_command_list *list, uint32_t count,
                                     ze_event_handle_t *handles,
                                     const struct geo_timestamps **times)
{
    for (uint32_t i = 0; i < count; i++) {
        struct geo_event *event;
        GEO_CHECK(geo_event_from(handles[i], &event));
        if (!event->timestamps) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                            "phEvents[%u] was created without timestamps", i);
        }
        struct geo_stamp *stamp;
        times[i] = geo_event_times(event, &stamp);
        struct geo_object *keeper = stamp                  ? &stamp->base
                                    : event->counter_based ? NULL
                                                           : &event->pool->base;
        ze_result_t result = keeper ? geo_keep_add(&list->keep, keeper) : ZE_RESULT_SUCCESS;
        geo_stamp_unref(stamp);
        GEO_CHECK(result);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListAppendQueryKernelTimestamps(
    ze_command_list_handle_t hCommandList, uint32_t numEvents, ze_event_handle_t *phEvents,
    void *dstptr, const size_t *pOffsets, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
    ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct geo_append append;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    size_t bytes = sizeof(struct geo_command_query_timestamps) +
                   (size_t)numEvents * sizeof(struct geo_timestamps *);
    GEO_CHECK(geo_append_begin(list, GEO_COMMAND_QUERY_TIMESTAMPS, bytes, &events, &append));
    struct geo_command_query_timestamps *query =
        (struct geo_command_query_timestamps *)append.command;
    query->destination = dstptr;
    query->offsets = (const uint64_t *)pOffsets;
    query->times_offset = sizeof(*query);
    query->times_count = numEvents;
    GEO_CHECK(query_events_fill(list, numEvents, phEvents,
                                (const struct geo_timestamps **)(void *)(query + 1)));
    return geo_append_commit(&append);
}

/* ---- host functions ---- */

ze_result_t geo_zeCommandListAppendHostFunction(ze_command_list_handle_t hCommandList,
                                                ze_host_function_callback_t pfnHostFunction,
                                                void *pUserData, const void *pNext,
                                                ze_event_handle_t hSignalEvent,
                                                uint32_t numWaitEvents,
                                                ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct geo_append append;
    (void)pNext; /* no extension is defined, and chains were rejected */
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_append_begin(list, GEO_COMMAND_HOST_FUNCTION,
                               sizeof(struct geo_command_host_function), &events, &append));
    struct geo_command_host_function *host = (struct geo_command_host_function *)append.command;
    host->function = pfnHostFunction;
    host->user_data = pUserData;
    return geo_append_commit(&append);
}
