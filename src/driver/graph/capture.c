/* Lists that record: begin and end of recordings, and which list may use which event meanwhile.
 * capture_record.c records the commands. See capture.h. */
#include "driver/graph/capture.h"

#include "base/assert.h"
#include "driver/core/check.h"

#include <stdlib.h>

static struct geo_graph *graph_of(struct geo_recording *recording)
{
    return recording ? (struct geo_graph *)(void *)((uint8_t *)recording -
                                                    offsetof(struct geo_graph, recording))
                     : NULL;
}

/* Returns the graph being recorded in which the event is signalled, or NULL. */
static struct geo_graph *graph_of_event(const struct geo_event *event)
{
    return graph_of(atomic_load_explicit(&event->recording, memory_order_acquire));
}

/* Returns whether only lists of one recording may use the event. */
static bool event_is_internal(const struct geo_event *event)
{
    return event->counter_based && !geo_event_is_external(event);
}

/* ---- begin ---- */

static ze_result_t branch_add_locked(struct geo_graph *graph, struct geo_command_list *list)
{
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock));
    GEO_ASSERT(list->immediate && !list->synchronous && !list->branch);
    struct geo_graph_branch *branch = calloc(1, sizeof(*branch));
    if (!branch || !geo_array_reserve(&graph->branches, 1)) {
        free(branch);
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a graph");
    }
    branch->graph = graph;
    branch->index = (uint32_t)graph->branches.count;
    geo_object_ref(&list->base);
    branch->list = list;
    branch->keep = list->keep;
    list->keep = (struct geo_keep){0};
    graph->branches.items[graph->branches.count++] = branch;
    list->branch = branch;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t list_check(const struct geo_command_list *list)
{
    if (!list->immediate || list->synchronous) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                        "only asynchronous immediate lists record graphs");
    }
    if (list->branch) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the command list is already recording a graph");
    }
    return ZE_RESULT_SUCCESS;
}

static const struct geo_recorder_ops recorder = {
    .meet = geo_capture_meet,
    .refuse = geo_capture_refuse,
    .begin = geo_capture_record,
    .commit = geo_capture_record_commit,
};

ze_result_t geo_capture_begin_into(struct geo_command_list *list, struct geo_graph *graph)
{
    GEO_CHECK(geo_context_check_alive(list->context));
    GEO_CHECK(list_check(list));
    if (graph->context != list->context) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "graph and command list belong to different contexts");
    }
    geo_object_lock_acquire(&geo_recording_lock);
    GEO_ASSERT((graph->state == GEO_GRAPH_EMPTY) == (graph->branches.count == 0));
    ze_result_t result =
        graph->state == GEO_GRAPH_EMPTY
            ? branch_add_locked(graph, list)
            : geo_fail(ZE_RESULT_ERROR_INVALID_GRAPH,
                       "the graph is not empty: a graph can be recorded only once");
    if (result == ZE_RESULT_SUCCESS) {
        graph->state = GEO_GRAPH_RECORDING;
        geo_recorder_set(&recorder);
        atomic_fetch_add(&geo_recordings, 1);
    }
    geo_object_lock_release(&geo_recording_lock);
    return result;
}

ze_result_t geo_capture_begin(struct geo_command_list *list)
{
    struct geo_graph *graph;
    GEO_CHECK(geo_graph_create(list->context, &graph));
    ze_result_t result = geo_capture_begin_into(list, graph);
    if (result != ZE_RESULT_SUCCESS) {
        geo_graph_close(graph);
    }
    return result;
}

/* ---- end ---- */

/* Gives the list back the objects that its commands in flight need. The branch keeps those of the
 * recorded commands. */
static void branch_end(struct geo_graph_branch *branch)
{
    struct geo_command_list *list = branch->list;
    struct geo_keep recorded = list->keep;
    GEO_ASSERT(list->branch == branch && geo_keep_is_valid(&branch->keep));
    list->keep = branch->keep;
    branch->keep = recorded;
    list->branch = NULL;
}

static bool event_departs(const struct geo_graph *graph, const struct geo_event *event)
{
    return graph->state == GEO_GRAPH_RECORDED && geo_event_is_external(event);
}

/* Ends the recording for an event. If only the graph signalled it, the event becomes
 * unsignalled. */
static void event_end(struct geo_graph *graph, struct geo_event *event)
{
    if (graph_of_event(event) != graph) { /* it belongs to another recording */
        return;
    }
    atomic_store_explicit(&event->recording, NULL, memory_order_release);
    if (event->counter_based && !event->increment && !event_departs(graph, event)) {
        geo_event_unbind(event);
    }
}

static void recording_end_locked(struct geo_graph *graph)
{
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock) && geo_recordings_any());
    GEO_ASSERT(geo_graph_is_valid(graph));
    for (size_t i = 0; i < graph->branches.count; i++) {
        branch_end(graph->branches.items[i]);
    }
    for (size_t i = 0; i < graph->events.count; i++) {
        event_end(graph, graph->events.items[i]);
    }
    atomic_fetch_sub(&geo_recordings, 1);
}

static ze_result_t recording_result_locked(struct geo_graph *graph)
{
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock) && graph->state == GEO_GRAPH_RECORDING);
    bool joined = geo_graph_join(graph);
    if (graph->recording.spoilt) {
        return geo_fail(
            ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED,
            "the recording was invalidated by an earlier call that could not be recorded");
    }
    return joined ? ZE_RESULT_SUCCESS
                  : geo_fail(ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS,
                             "the recording ends before the list waits for all work of the lists "
                             "forked from it");
}

static ze_result_t end_check_locked(const struct geo_command_list *list)
{
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock));
    if (!list->branch) {
        return geo_fail(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING,
                        "the command list is not recording a graph");
    }
    return list->branch->index == 0
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the recording must end on the list on which it began");
}

ze_result_t geo_capture_end(struct geo_command_list *list, struct geo_graph **out)
{
    geo_object_lock_acquire(&geo_recording_lock);
    ze_result_t result = end_check_locked(list);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_lock_release(&geo_recording_lock);
        return result;
    }
    struct geo_graph *graph = list->branch->graph;
    result = recording_result_locked(graph);
    graph->state = result == ZE_RESULT_SUCCESS ? GEO_GRAPH_RECORDED : GEO_GRAPH_INVALID;
    recording_end_locked(graph);
    geo_object_lock_release(&geo_recording_lock);
    for (size_t i = 0; i < graph->events.count; i++) {
        geo_object_unref(&graph->events.items[i]->base);
    }
    geo_array_finish(&graph->events);
    if (result == ZE_RESULT_SUCCESS) {
        *out = graph;
    } else if (!graph->created) {
        geo_graph_close(graph);
    }
    return result;
}

ze_result_t geo_capture_graph(const struct geo_command_list *list, struct geo_graph **out)
{
    geo_object_lock_acquire(&geo_recording_lock);
    struct geo_graph *graph = list->branch ? list->branch->graph : NULL;
    geo_object_lock_release(&geo_recording_lock);
    *out = graph;
    return graph ? ZE_RESULT_SUCCESS
                 : geo_fail(ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING,
                            "the command list is not recording a graph");
}

/* ---- which lists and events may be combined ---- */

/* Invalidates the recording, because a part of it is missing that the application believes to be
 * there. */
static ze_result_t recording_spoil(struct geo_graph *graph, ze_result_t result)
{
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock));
    GEO_ASSERT(!graph || graph->state == GEO_GRAPH_RECORDING);
    if (graph) {
        graph->recording.spoilt = true;
    }
    return result;
}

static ze_result_t refuse_internal(void)
{
    return geo_fail(ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT,
                    "a counter-based event made without ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL "
                    "is used inside and outside of a graph");
}

/* Checks a wait of a list that records into `own` (NULL: it does not record). *fork becomes the
 * graph whose recording the list joins by this wait. */
static ze_result_t wait_meet_locked(const struct geo_command_list *list, struct geo_graph *own,
                                    const struct geo_event *event, struct geo_graph **fork)
{
    struct geo_graph *other = graph_of_event(event);
    if (!other) {
        bool outside = own && event_is_internal(event) && atomic_load(&event->slot) &&
                       !atomic_load(&event->external);
        return outside ? recording_spoil(own, refuse_internal()) : ZE_RESULT_SUCCESS;
    }
    if (!list->immediate) {
        return event_is_internal(event) ? refuse_internal() : ZE_RESULT_SUCCESS;
    }
    if ((own && other != own) || (*fork && other != *fork)) {
        return recording_spoil(
            own, geo_fail(ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT,
                          "the command list waits for events of two different recordings"));
    }
    *fork = own ? NULL : other;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t signal_meet_locked(struct geo_graph *own, const struct geo_event *event)
{
    struct geo_graph *other = graph_of_event(event);
    return other && other != own && event_is_internal(event)
               ? recording_spoil(own, refuse_internal())
               : ZE_RESULT_SUCCESS;
}

static ze_result_t events_meet_locked(const struct geo_command_list *list, struct geo_graph *own,
                                      const struct geo_append_events *events,
                                      struct geo_graph **fork)
{
    struct geo_event *event;
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock));
    for (uint32_t i = 0; i < events->wait_count; i++) {
        GEO_CHECK(geo_event_from(events->waits[i], &event));
        GEO_CHECK(wait_meet_locked(list, own, event, fork));
    }
    if (!events->signal) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_event_from(events->signal, &event));
    return signal_meet_locked(own ? own : *fork, event);
}

static ze_result_t fork_locked(struct geo_graph *graph, struct geo_command_list *list)
{
    GEO_ASSERT(list->immediate && !list->branch && graph->state == GEO_GRAPH_RECORDING);
    if (list->synchronous) {
        return geo_fail(
            ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
            "a synchronous command list cannot wait for an event that is being recorded");
    }
    if (list->context != graph->context) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "graph and command list belong to different contexts");
    }
    return graph->recording.spoilt
               ? geo_fail(
                     ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED,
                     "the recording was invalidated by an earlier call that could not be recorded")
               : branch_add_locked(graph, list);
}

static ze_result_t meet_locked(struct geo_command_list *list,
                               const struct geo_append_events *events)
{
    struct geo_graph *own = list->branch ? list->branch->graph : NULL, *fork = NULL;
    if (own && own->recording.spoilt) {
        return geo_fail(
            ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED,
            "the recording was invalidated by an earlier call that could not be recorded");
    }
    GEO_CHECK(events_meet_locked(list, own, events, &fork));
    return fork ? fork_locked(fork, list) : ZE_RESULT_SUCCESS;
}

ze_result_t geo_capture_meet(struct geo_command_list *list, const struct geo_append_events *events)
{
    geo_object_lock_acquire(&geo_recording_lock);
    ze_result_t result = meet_locked(list, events);
    geo_object_lock_release(&geo_recording_lock);
    return result;
}

static ze_result_t refuse_locked(struct geo_command_list *list,
                                 const struct geo_append_events *events, const char *what)
{
    struct geo_graph *own = list->branch ? list->branch->graph : NULL, *fork = NULL;
    if (own && own->recording.spoilt) {
        return geo_fail(
            ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED,
            "the recording was invalidated by an earlier call that could not be recorded");
    }
    GEO_CHECK(events_meet_locked(list, own, events, &fork));
    return own || fork ? recording_spoil(own, geo_fail(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                                                       "%s cannot be recorded into a graph", what))
                       : ZE_RESULT_SUCCESS;
}

ze_result_t geo_capture_refuse(struct geo_command_list *list,
                               const struct geo_append_events *events, const char *what)
{
    geo_object_lock_acquire(&geo_recording_lock);
    ze_result_t result = refuse_locked(list, events, what);
    geo_object_lock_release(&geo_recording_lock);
    return result;
}

void geo_capture_spoil(struct geo_command_list *list)
{
    geo_object_lock_acquire(&geo_recording_lock);
    (void)recording_spoil(list->branch ? list->branch->graph : NULL, ZE_RESULT_SUCCESS);
    geo_object_lock_release(&geo_recording_lock);
}

ze_result_t geo_capture_check_event(const struct geo_event *event)
{
    return graph_of_event(event) && event_is_internal(event) ? refuse_internal()
                                                             : ZE_RESULT_SUCCESS;
}
