/* Records commands of a recording list: a record in its branch, a node and edges of the graph. See
 * capture.h.
 *
 * Between begin and commit the graph is not changed: the dependencies of the node are stored in the
 * branch. */
#include "driver/graph/capture.h"

#include "base/assert.h"
#include "driver/cmd/record.h"
#include "driver/cmd/records.h"
#include "driver/core/check.h"

#include <string.h>

static ze_result_t no_memory(void)
{
    return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a graph");
}

static ze_result_t records_reserve(struct geo_graph_branch *branch, size_t bytes,
                                   struct geo_command **command)
{
    if (branch->used + bytes > branch->room) {
        GEO_CHECK(geo_records_grow(&branch->records, &branch->room, branch->used + bytes));
    }
    *command = (struct geo_command *)(void *)(branch->records + branch->used);
    return ZE_RESULT_SUCCESS;
}

/* ---- begin ---- */

static ze_result_t from_add(struct geo_graph_branch *branch, uint32_t node)
{
    if (!geo_array_reserve(&branch->pending_from, 1)) {
        return no_memory();
    }
    branch->pending_from.items[branch->pending_from.count++] = node;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t arrival_add(struct geo_graph_branch *branch, struct geo_event *event)
{
    if (!geo_array_reserve(&branch->pending_arrivals, 1)) {
        return no_memory();
    }
    geo_object_ref(&event->base);
    branch->pending_arrivals.items[branch->pending_arrivals.count++] = event;
    return ZE_RESULT_SUCCESS;
}

static void pending_forget(struct geo_graph_branch *branch)
{
    for (size_t i = 0; i < branch->pending_arrivals.count; i++) {
        geo_object_unref(&branch->pending_arrivals.items[i]->base);
    }
    branch->pending_arrivals.count = 0;
    branch->pending_module = NULL;
    /* the first node of a fork keeps the edges that made the list a fork */
    if (branch->last != 0) {
        branch->pending_from.count = 0;
    }
}

/* Finds the node that signals the event in this graph. Returns false if none does. */
static bool signaller_find(const struct geo_graph *graph, const struct geo_event *event,
                           struct geo_graph_node *node, uint32_t *number)
{
    geo_object_lock_acquire(&geo_recording_lock);
    bool found = atomic_load(&event->recording) == &graph->recording;
    if (found) {
        *number = event->recorded_node;
        GEO_ASSERT(*number < graph->nodes.count);
        *node = graph->nodes.items[*number];
    }
    geo_object_lock_release(&geo_recording_lock);
    return found;
}

/* Records that the command waits for an event. A signal by another branch of this graph becomes an
 * edge. A regular event or an external counter is also waited for by the record itself: *ref is
 * set; otherwise its slot is NULL. A counter-based event that was signalled outside of the graph
 * becomes an arrival, which each execution of the graph waits for (geo_graph_arrival). */
static ze_result_t wait_record(struct geo_graph_branch *branch, struct geo_event *event,
                               struct geo_event_ref *ref)
{
    struct geo_graph_node node;
    uint32_t number;
    bool inside = signaller_find(branch->graph, event, &node, &number);
    *ref = (struct geo_event_ref){0};
    if (inside && node.branch != branch->index) {
        GEO_CHECK(from_add(branch, number));
    }
    if (!event->counter_based) {
        *ref = geo_event_reference(event);
        return geo_keep_add(&branch->list->keep, &event->pool->base);
    }
    if (event->increment || atomic_load(&event->external)) { /* an external counter */
        *ref = geo_event_on_device(event, geo_event_reference(event));
        return ZE_RESULT_SUCCESS;
    }
    return inside || !geo_event_is_external(event) ? ZE_RESULT_SUCCESS : arrival_add(branch, event);
}

static ze_result_t waits_record(struct geo_graph_branch *branch, struct geo_command *command,
                                const struct geo_append_events *events)
{
    struct geo_event_ref *refs =
        (struct geo_event_ref *)(void *)((uint8_t *)command + command->wait_offset);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events->wait_count; i++) {
        struct geo_event *event;
        struct geo_event_ref ref;
        GEO_CHECK(geo_event_from(events->waits[i], &event));
        GEO_CHECK(wait_record(branch, event, &ref));
        if (ref.slot) {
            refs[count++] = ref;
        }
    }
    command->wait_count = count;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t signal_record(struct geo_graph_branch *branch, struct geo_command *command,
                                 struct geo_event *event)
{
    struct geo_command_list *list = branch->list;
    if (event->counter_based && !list->in_order) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                        "a counter-based event can be signalled by in-order lists only");
    }
    if (event->increment) {
        command->signal =
            (struct geo_event_ref){(struct geo_event_slot *)(void *)atomic_load(&event->external),
                                   event->increment | GEO_EVENT_EXTERNAL};
    } else if (!event->counter_based) {
        command->signal = geo_event_reference(event);
        GEO_CHECK(geo_keep_add(&list->keep, &event->pool->base));
    }
    if (event->timestamps) {
        command->flags |= GEO_COMMAND_PROFILE;
        /* NULL: set by commit */
        command->profile = event->counter_based ? NULL : &event->own->times;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_capture_record(struct geo_command_list *list, enum geo_command_operation operation,
                               size_t payload_bytes, const struct geo_append_events *events,
                               struct geo_append *append)
{
    struct geo_graph_branch *branch = list->branch;
    struct geo_command *command = NULL;
    struct geo_event *signal = NULL;
    size_t wait_offset = geo_record_round(payload_bytes);
    size_t bytes = geo_record_bytes(payload_bytes, events);
    if (bytes > UINT32_MAX) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_SIZE,
            "a command of %zu bytes is too large: its waits and arguments must fit 4 GiB", bytes);
    }
    GEO_ASSERT(list->immediate && branch->list == list && payload_bytes >= sizeof(*command));
    pending_forget(branch);
    GEO_CHECK(records_reserve(branch, bytes, &command));
    memset(command, 0, wait_offset);
    command->operation = (uint16_t)operation;
    command->bytes = (uint32_t)bytes;
    command->wait_offset = (uint32_t)wait_offset;
    GEO_CHECK(waits_record(branch, command, events));
    if (events->signal) {
        GEO_CHECK(geo_event_from(events->signal, &signal));
        GEO_CHECK(signal_record(branch, command, signal));
    }
    GEO_ASSERT(geo_record_is_valid(command));
    *append = (struct geo_append){list, command, signal, bytes, branch};
    return ZE_RESULT_SUCCESS;
}

void geo_capture_record_name(const struct geo_append *append, const struct geo_module *module,
                             uint32_t kernel)
{
    append->branch->pending_module = module;
    append->branch->pending_kernel = kernel;
}

/* ---- commit ---- */

/* Takes the stamp to which each execution writes the timestamps of a counter-based event. */
static ze_result_t stamp_record(struct geo_append *append, struct geo_stamp **out)
{
    struct geo_event *event = append->signal;
    *out = NULL;
    if (!event || !event->counter_based || !event->timestamps) {
        return ZE_RESULT_SUCCESS;
    }
    struct geo_stamp *stamp = geo_event_take_stamp(event);
    if (!stamp) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for timestamps");
    }
    ze_result_t result = geo_keep_add(&append->list->keep, &stamp->base);
    if (result != ZE_RESULT_SUCCESS) {
        geo_stamp_unref(stamp);
        return result;
    }
    stamp->written.slot = NULL;
    append->command->profile = &stamp->times;
    *out = stamp;
    return ZE_RESULT_SUCCESS;
}

/* Reserves everything that the commit needs, so that it cannot fail. */
static bool room_make_locked(struct geo_graph *graph, const struct geo_graph_branch *branch,
                             const struct geo_event *signal)
{
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock));
    if (signal && signal->counter_based && !signal->increment && !graph->ahead) {
        graph->ahead = geo_counter_acquire(graph->base.driver, false);
        if (!graph->ahead) {
            return false;
        }
    }
    return geo_array_reserve(&graph->nodes, 1) && graph->nodes.count < UINT32_MAX - 1 &&
           geo_array_reserve(&graph->edges, branch->pending_from.count) &&
           geo_array_reserve(&graph->arrivals, branch->pending_arrivals.count) &&
           geo_array_reserve(&graph->departures, 1) && geo_array_reserve(&graph->events, 1);
}

static void departure_set_locked(struct geo_graph *graph, struct geo_event *event, uint32_t node,
                                 struct geo_stamp *stamp)
{
    struct geo_graph_departure *departure = NULL;
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock) && event->counter_based);
    for (size_t i = 0; i < graph->departures.count; i++) {
        if (graph->departures.items[i].event == event) {
            departure = &graph->departures.items[i];
        }
    }
    if (!departure) {
        departure = &graph->departures.items[graph->departures.count++];
        geo_object_ref(&event->base);
        *departure = (struct geo_graph_departure){.event = event};
    }
    if (stamp) {
        geo_object_ref(&stamp->base);
    }
    geo_stamp_unref(departure->stamp);
    departure->node = node;
    departure->stamp = stamp;
}

/* Marks the event as signalled at this node, and only there until the recording ends. */
static void event_mark_locked(struct geo_graph *graph, struct geo_event *event, uint32_t node,
                              struct geo_stamp *stamp)
{
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock) && node < graph->nodes.count);
    if (atomic_load(&event->recording) != &graph->recording) {
        GEO_ASSERT(graph->events.count < graph->events.capacity);
        geo_object_ref(&event->base);
        graph->events.items[graph->events.count++] = event;
        atomic_store_explicit(&event->recording, &graph->recording, memory_order_release);
    }
    event->recorded_node = node;
    if (!event->counter_based || event->increment) {
        return;
    }
    geo_event_bind_counter(event, graph->ahead, geo_counter_base(graph->ahead) + 1);
    if (geo_event_is_external(event)) {
        departure_set_locked(graph, event, node, stamp);
    }
}

enum geo_command_capture geo_capture_record_kind(const struct geo_command *command)
{
    static const uint8_t kinds[GEO_COMMAND_OPERATION_COUNT] = {
#define GEO_COMMAND(operation, payload, name, run, dump, fault, capture)                           \
    [GEO_COMMAND_##operation] = GEO_CAPTURE_##capture,
#include "backend/command.def"
#undef GEO_COMMAND
    };
    GEO_ASSERT(command->operation < GEO_COMMAND_OPERATION_COUNT);
    return (enum geo_command_capture)kinds[command->operation];
}

static void node_add_locked(struct geo_graph *graph, struct geo_append *append,
                            struct geo_stamp *stamp)
{
    struct geo_graph_branch *branch = append->branch;
    const uint32_t node = (uint32_t)graph->nodes.count;
    GEO_ASSERT(geo_object_lock_held(&geo_recording_lock));
    GEO_ASSERT((uint8_t *)append->command == branch->records + branch->used);
    GEO_ASSERT(append->command->bytes == append->bytes && geo_record_is_valid(append->command));
    if (branch->index != 0 && branch->last == 0 && branch->pending_from.count == 0) {
        /* its edge was lost for lack of memory: the node would run at once */
        graph->recording.spoilt = true;
    }
    graph->nodes.items[graph->nodes.count++] = (struct geo_graph_node){
        branch->index, branch->pending_kernel, branch->used, branch->pending_module};
    for (size_t i = 0; i < branch->pending_from.count; i++) {
        graph->edges.items[graph->edges.count++] =
            (struct geo_graph_edge){branch->pending_from.items[i], node};
    }
    for (size_t i = 0; i < branch->pending_arrivals.count; i++) {
        graph->arrivals.items[graph->arrivals.count++] =
            (struct geo_graph_arrival){node, branch->pending_arrivals.items[i]};
    }
    branch->pending_from.count = branch->pending_arrivals.count = 0;
    branch->used += append->bytes;
    branch->last = node + 1;
    if (geo_capture_record_kind(append->command) != GEO_CAPTURE_ORDER) {
        branch->last_work = node + 1;
    }
    if (append->signal) {
        event_mark_locked(graph, append->signal, node, stamp);
    }
}

ze_result_t geo_capture_record_commit(struct geo_append *append)
{
    struct geo_graph *graph = append->branch->graph;
    struct geo_stamp *stamp;
    GEO_CHECK(stamp_record(append, &stamp));
    geo_object_lock_acquire(&geo_recording_lock);
    bool room = room_make_locked(graph, append->branch, append->signal);
    if (room) {
        node_add_locked(graph, append, stamp);
    }
    geo_object_lock_release(&geo_recording_lock);
    if (!room) {
        geo_stamp_unref(stamp);
        return no_memory();
    }
    if (stamp) {
        geo_event_bind_stamp(append->signal, stamp);
    }
    return ZE_RESULT_SUCCESS;
}
