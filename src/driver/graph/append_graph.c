/* Appends executable graphs to command lists. An immediate list submits the graph. In regular and
 * recording lists its commands are copied in the order in which they were recorded. See
 * executable.h. */
#include "driver/graph/executable.h"

#include "base/assert.h"
#include "driver/core/check.h"
#include "driver/graph/capture.h"

#include <string.h>

static ze_result_t events_append(struct geo_command_list *list,
                                 enum geo_command_operation operation,
                                 const struct geo_append_events *events)
{
    struct geo_append append;
    if (events->wait_count == 0 && !events->signal) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_append_begin(list, operation, sizeof(struct geo_command), events, &append));
    return geo_append_commit(&append);
}

/* Rejects external semaphores, which cannot be used in regular lists. */
static ze_result_t check_operation(const struct geo_command_list *list,
                                   const struct geo_command *record)
{
    return list->immediate || geo_capture_record_kind(record) != GEO_CAPTURE_IMMEDIATE
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the graph has commands with external semaphores, which can be used by "
                          "immediate command lists only");
}

/* Appends a copy of a node's record, with its own waits and signal. */
static ze_result_t node_append(struct geo_command_list *list, struct geo_executable *executable,
                               uint32_t number)
{
    const struct geo_graph_node *node = &executable->graph->nodes.items[number];
    const struct geo_command *record = geo_graph_record(executable->graph, number);
    const struct geo_append_events none = {0};
    struct geo_append append;
    GEO_CHECK(check_operation(list, record));
    GEO_CHECK(geo_append_begin(list, (enum geo_command_operation)record->operation, record->bytes,
                               &none, &append));
    GEO_CHECK(geo_keep_add(&list->keep, &executable->base));
    memcpy(append.command, record, record->bytes);
    if (append.branch) {
        geo_capture_record_name(&append, node->module, node->kernel);
    }
    return geo_append_commit(&append);
}

/* The progress of a copy in the arrivals of the graph. */
struct copier {
    struct geo_command_list *list;
    struct geo_executable *executable;
    size_t arrival;
};

static ze_result_t arrivals_append(struct copier *copier, uint32_t node)
{
    const struct geo_graph *graph = copier->executable->graph;
    for (; copier->arrival < graph->arrivals.count &&
           graph->arrivals.items[copier->arrival].node == node;
         copier->arrival++) {
        ze_event_handle_t handle = geo_event_handle(graph->arrivals.items[copier->arrival].event);
        GEO_CHECK(events_append(copier->list, GEO_COMMAND_WAIT_EVENTS,
                                &(struct geo_append_events){.wait_count = 1, .waits = &handle}));
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t departures_append(const struct copier *copier, uint32_t node)
{
    const struct geo_graph *graph = copier->executable->graph;
    for (size_t i = 0; i < graph->departures.count; i++) {
        if (graph->departures.items[i].node == node) {
            GEO_CHECK(
                events_append(copier->list, GEO_COMMAND_NOP,
                              &(struct geo_append_events){
                                  .signal = geo_event_handle(graph->departures.items[i].event)}));
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Appends all nodes one after the other; their order satisfies the edges. */
static ze_result_t nodes_append(struct copier *copier)
{
    const struct geo_graph *graph = copier->executable->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        GEO_CHECK(arrivals_append(copier, i));
        GEO_CHECK(node_append(copier->list, copier->executable, i));
        GEO_CHECK(departures_append(copier, i));
    }
    return ZE_RESULT_SUCCESS;
}

/* Copies the graph to a regular list, all or nothing, or to a recording. A recording that got only
 * a part of it is invalidated. */
static ze_result_t executable_copy(struct geo_command_list *list, struct geo_executable *executable,
                                   const struct geo_append_events *events)
{
    const struct geo_append_events waits = {.wait_count = events->wait_count,
                                            .waits = events->waits};
    const struct geo_append_events signal = {.signal = events->signal};
    struct copier copier = {.list = list, .executable = executable};
    const size_t before = list->used;
    ze_result_t result = events_append(list, GEO_COMMAND_WAIT_EVENTS, &waits);
    if (result == ZE_RESULT_SUCCESS) {
        result = nodes_append(&copier);
    }
    if (result == ZE_RESULT_SUCCESS) {
        GEO_ASSERT(copier.arrival == executable->graph->arrivals.count);
        result = events_append(list, GEO_COMMAND_NOP, &signal);
    }
    if (result != ZE_RESULT_SUCCESS && list->branch) {
        geo_capture_spoil(list);
    } else if (result != ZE_RESULT_SUCCESS) {
        list->used = before;
    }
    return result;
}

static ze_result_t list_check(const struct geo_command_list *list,
                              const struct geo_executable *executable)
{
    GEO_ASSERT(executable->graph->state == GEO_GRAPH_RECORDED);
    const struct geo_command_list *primary = executable->graph->branches.items[0]->list;
    GEO_CHECK(geo_context_check_alive(list->context));
    if (list->device != primary->device || list->ordinal != primary->ordinal ||
        list->context != primary->context) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
            "the graph was recorded by a list of queue group %u, but the list to execute it "
            "has group %u, or another device or context",
            primary->ordinal, list->ordinal);
    }
    return ZE_RESULT_SUCCESS;
}

/* Rejects a copy that makes a list too large. A graph that is appended twice to the recording of
 * the next graph has twice the commands there. After 30 such levels it would have a billion. */
static ze_result_t copy_check(const struct geo_command_list *list,
                              const struct geo_executable *executable)
{
    const struct geo_graph_branch *branch = list->branch;
    const size_t there = branch ? branch->graph->nodes.count : 0;
    const size_t more = executable->graph->nodes.count;
    return there + more <= GEO_GRAPH_COPY_LIMIT
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
                          "the graph has %zu commands and the recording %zu. Together at most %u "
                          "can be copied to a list. Immediate command lists that do not record "
                          "execute graphs of any size",
                          more, there, GEO_GRAPH_COPY_LIMIT);
}

ze_result_t geo_append_executable(struct geo_command_list *list, struct geo_executable *executable,
                                  const struct geo_append_events *events)
{
    GEO_CHECK(list_check(list, executable));
    if (!list->immediate || list->branch) {
        GEO_CHECK(copy_check(list, executable));
    }
    if (geo_recordings_any()) {
        GEO_CHECK(geo_capture_meet(list, events));
    }
    return list->immediate && !list->branch ? geo_executable_run_submit(executable, list, events)
                                            : executable_copy(list, executable, events);
}
