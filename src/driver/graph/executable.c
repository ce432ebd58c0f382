/* Creates and destroys executable graphs. executable_run.c runs them. See executable.h. */
#include "driver/graph/executable.h"

#include "base/assert.h"
#include "driver/cmd/records.h"
#include "driver/core/check.h"

#include <stdlib.h>
#include <string.h>

static ze_result_t no_memory(void)
{
    return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for an executable graph");
}

/* ---- creation and destruction ---- */

static void executable_destroy(struct geo_object *object)
{
    struct geo_executable *executable = (struct geo_executable *)object;
    for (uint32_t i = 0; i < executable->branch_count; i++) {
        struct geo_executable_branch *branch = &executable->branches[i];
        geo_stream_unref(branch->stream); /* waits until it is idle */
        geo_ring_finish(&branch->ring);
        geo_counter_unref(branch->counter);
        geo_array_finish(&branch->segments);
        free(branch->records);
    }
    geo_stream_unref(executable->last);
    geo_counter_unref(executable->done);
    free(executable->branches);
    free(executable->values);
    free(executable->bases);
    geo_object_unref(&executable->graph->base);
    free(executable);
}

ze_result_t geo_executable_check_idle(const struct geo_executable *executable)
{
    if (executable->last) {
        GEO_CHECK(
            geo_stream_check_finished(executable->last, executable->ticket, "executable graph"));
    }
    for (uint32_t i = 0; i < executable->branch_count; i++) {
        struct geo_stream *stream = executable->branches[i].stream;
        if (stream) {
            GEO_CHECK(geo_stream_check_finished(stream, UINT64_MAX, "executable graph"));
        }
    }
    return ZE_RESULT_SUCCESS;
}

void geo_executable_close(struct geo_executable *executable)
{
    geo_graph_leave(executable->graph);
    geo_object_close(&executable->base);
}

/* ---- nodes that raise counters ---- */

/* Returns whether the branch has nodes for which no edge to the primary branch exists. These are
 * commands after its join that do no work, but belong to the execution. */
static bool branch_trails(const struct geo_graph_branch *branch)
{
    return branch->index != 0 && branch->last > branch->joined;
}

static void values_mark(struct geo_executable *executable)
{
    const struct geo_graph *graph = executable->graph;
    for (size_t i = 0; i < graph->edges.count; i++) {
        executable->values[graph->edges.items[i].from] = 1;
    }
    for (size_t i = 0; i < graph->departures.count; i++) {
        executable->values[graph->departures.items[i].node] = 1;
    }
    for (size_t i = 0; i < graph->branches.count; i++) {
        const struct geo_graph_branch *branch = graph->branches.items[i];
        if (branch_trails(branch)) {
            executable->values[branch->last - 1] = 1;
        }
    }
}

static void values_count(struct geo_executable *executable)
{
    const struct geo_graph *graph = executable->graph;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (executable->values[i]) {
            executable->values[i] = ++executable->branches[graph->nodes.items[i].branch].signals;
        }
    }
}

/* Returns whether an event shared with other processes is signalled in the branch. Its counter must
 * be in shared memory then. */
static bool branch_is_shared(const struct geo_graph *graph, uint32_t branch)
{
    for (size_t i = 0; i < graph->departures.count; i++) {
        const struct geo_graph_departure *departure = &graph->departures.items[i];
        if (departure->event->shared && graph->nodes.items[departure->node].branch == branch) {
            return true;
        }
    }
    return false;
}

static ze_result_t counters_make(struct geo_executable *executable)
{
    struct geo_driver *driver = executable->base.driver;
    executable->done = geo_counter_acquire(driver, false);
    if (!executable->done) {
        return no_memory();
    }
    executable->executions = geo_counter_base(executable->done);
    for (uint32_t i = 0; i < executable->branch_count; i++) {
        struct geo_executable_branch *branch = &executable->branches[i];
        if (branch->signals != 0) {
            branch->counter = geo_counter_acquire(driver, branch_is_shared(executable->graph, i));
            if (!branch->counter) {
                return no_memory();
            }
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Returns the reference that is complete when the node has run. */
static struct geo_event_ref value_ref(const struct geo_executable *executable, uint32_t node)
{
    uint32_t branch = executable->graph->nodes.items[node].branch;
    GEO_ASSERT(executable->values[node] != 0 && executable->branches[branch].counter);
    return (struct geo_event_ref){executable->branches[branch].counter->slot,
                                  geo_bases_mark(branch, executable->values[node])};
}

/* ---- records ---- */

static ze_result_t record_reserve(struct geo_executable_branch *branch, size_t bytes,
                                  struct geo_command **command)
{
    if (branch->used + bytes > branch->room) {
        GEO_CHECK(geo_records_grow(&branch->records, &branch->room, branch->used + bytes));
    }
    *command = (struct geo_command *)(void *)(branch->records + branch->used);
    return ZE_RESULT_SUCCESS;
}

static void record_take(struct geo_executable_branch *branch, const struct geo_command *command)
{
    GEO_ASSERT(branch->segments.count != 0 && geo_record_is_valid(command));
    GEO_ASSERT(command->bytes <= branch->room - branch->used);
    branch->used += command->bytes;
    branch->segments.items[branch->segments.count - 1].end = branch->used;
}

/* Adds a record that only waits and signals. */
static ze_result_t nop_add(struct geo_executable_branch *branch, struct geo_event_ref signal,
                           uint32_t wait_count, struct geo_event_ref **waits)
{
    struct geo_command *command = NULL;
    const size_t bytes = sizeof(*command) + wait_count * sizeof(struct geo_event_ref);
    GEO_CHECK(record_reserve(branch, bytes, &command));
    *command = (struct geo_command){.operation = GEO_COMMAND_NOP,
                                    .bytes = (uint32_t)bytes,
                                    .signal = signal,
                                    .wait_count = wait_count,
                                    .wait_offset = sizeof(*command)};
    if (waits) {
        *waits = (struct geo_event_ref *)(void *)(command + 1);
    }
    record_take(branch, command);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t segment_add(struct geo_executable_branch *branch, size_t arrivals, size_t count)
{
    if (!geo_array_reserve(&branch->segments, 1)) {
        return no_memory();
    }
    branch->segments.items[branch->segments.count++] =
        (struct geo_executable_segment){branch->used, branch->used, arrivals, count};
    return ZE_RESULT_SUCCESS;
}

/* The progress of the build in edges and arrivals of the graph. */
struct builder {
    struct geo_executable *executable;
    size_t edge, arrival;
};

static size_t edges_of(const struct builder *builder, uint32_t node)
{
    const struct geo_graph *graph = builder->executable->graph;
    size_t end = builder->edge;
    while (end < graph->edges.count && graph->edges.items[end].to == node) {
        end++;
    }
    return end - builder->edge;
}

static ze_result_t arrivals_build(struct builder *builder, struct geo_executable_branch *branch,
                                  uint32_t node)
{
    const struct geo_graph *graph = builder->executable->graph;
    size_t first = builder->arrival;
    while (builder->arrival < graph->arrivals.count &&
           graph->arrivals.items[builder->arrival].node == node) {
        builder->arrival++;
    }
    size_t count = builder->arrival - first;
    return count != 0 || branch->segments.count == 0 ? segment_add(branch, first, count)
                                                     : ZE_RESULT_SUCCESS;
}

/* Adds the record of a node: its own waits, then a wait for each edge, and its signal. */
static ze_result_t node_build(struct builder *builder, uint32_t node)
{
    struct geo_executable *executable = builder->executable;
    const struct geo_graph *graph = executable->graph;
    struct geo_executable_branch *branch = &executable->branches[graph->nodes.items[node].branch];
    const struct geo_command *source = geo_graph_record(graph, node);
    struct geo_command *command = NULL;
    GEO_CHECK(arrivals_build(builder, branch, node));
    const size_t edges = edges_of(builder, node);
    const size_t own = source->wait_offset + source->wait_count * sizeof(struct geo_event_ref);
    const size_t bytes = own + edges * sizeof(struct geo_event_ref);
    if (bytes > UINT32_MAX) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_SIZE,
            "a command of %zu bytes is too large: its waits and arguments must fit 4 GiB", bytes);
    }
    GEO_CHECK(record_reserve(branch, bytes, &command));
    memcpy(command, source, own);
    struct geo_event_ref *waits = (struct geo_event_ref *)(void *)((uint8_t *)command + own);
    for (size_t i = 0; i < edges; i++) {
        waits[i] = value_ref(executable, graph->edges.items[builder->edge++].from);
    }
    command->bytes = (uint32_t)bytes;
    command->wait_count += (uint32_t)edges;
    record_take(branch, command);
    if (executable->values[node] == 0) {
        return ZE_RESULT_SUCCESS;
    }
    if (command->signal.slot) { /* the record has a signal of its own */
        return nop_add(branch, value_ref(executable, node), 0, NULL);
    }
    command->signal = value_ref(executable, node);
    return ZE_RESULT_SUCCESS;
}

/* Makes the primary branch end after all others. */
static ze_result_t end_build(struct geo_executable *executable)
{
    const struct geo_graph *graph = executable->graph;
    struct geo_event_ref *waits;
    uint32_t count = 0;
    for (size_t i = 0; i < graph->branches.count; i++) {
        count += branch_trails(graph->branches.items[i]);
    }
    if (count == 0) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(nop_add(&executable->branches[0], (struct geo_event_ref){0}, count, &waits));
    for (size_t i = 0; i < graph->branches.count; i++) {
        if (branch_trails(graph->branches.items[i])) {
            *waits++ = value_ref(executable, graph->branches.items[i]->last - 1);
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t records_build(struct geo_executable *executable)
{
    struct builder builder = {.executable = executable};
    for (uint32_t i = 0; i < executable->graph->nodes.count; i++) {
        GEO_CHECK(node_build(&builder, i));
    }
    return end_build(executable);
}

static ze_result_t streams_make(struct geo_executable *executable)
{
    const struct geo_graph *graph = executable->graph;
    for (uint32_t i = 1; i < executable->branch_count; i++) {
        const struct geo_command_list *list = graph->branches.items[i]->list;
        const struct geo_stream_desc desc = {.ordinal = list->desc.ordinal,
                                             .index = list->desc.index,
                                             .priority = list->desc.priority};
        if (executable->branches[i].used != 0) {
            GEO_CHECK(geo_stream_create(graph->context, list->device, &desc,
                                        &executable->branches[i].stream));
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Returns whether the segments of a branch cover its records without gaps. */
static bool segments_are_valid(const struct geo_executable_branch *branch)
{
    size_t at = 0;
    for (size_t i = 0; i < branch->segments.count; i++) {
        const struct geo_executable_segment *segment = &branch->segments.items[i];
        if (segment->begin != at || segment->end < at) {
            return false;
        }
        at = segment->end;
    }
    return at == branch->used && geo_records_are_valid(branch->records, branch->used);
}

static bool executable_is_valid(const struct geo_executable *executable)
{
    for (uint32_t i = 0; i < executable->branch_count; i++) {
        const struct geo_executable_branch *branch = &executable->branches[i];
        if (!segments_are_valid(branch) || (branch->signals != 0) != (branch->counter != NULL) ||
            (branch->stream != NULL) != (i != 0 && branch->used != 0)) {
            return false;
        }
    }
    return executable->branch_count == executable->graph->branches.count && executable->done;
}

static ze_result_t executable_fill(struct geo_executable *executable)
{
    const struct geo_graph *graph = executable->graph;
    const size_t nodes = graph->nodes.count;
    executable->branches = calloc(graph->branches.count, sizeof(*executable->branches));
    executable->values = calloc(nodes ? nodes : 1, sizeof(*executable->values));
    executable->bases = calloc(graph->branches.count, sizeof(*executable->bases));
    if (!executable->branches || !executable->values || !executable->bases) {
        return no_memory();
    }
    executable->branch_count = (uint32_t)graph->branches.count;
    values_mark(executable);
    values_count(executable);
    GEO_CHECK(counters_make(executable));
    GEO_CHECK(records_build(executable));
    return streams_make(executable);
}

ze_result_t geo_executable_create(struct geo_graph *graph, struct geo_executable **out)
{
    if (graph->state != GEO_GRAPH_RECORDED) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GRAPH, graph->state == GEO_GRAPH_INVALID
                                                           ? "the recording of the graph failed"
                                                           : "the graph is not recorded yet");
    }
    GEO_ASSERT(geo_graph_is_valid(graph));
    struct geo_executable *executable = calloc(1, sizeof(*executable));
    if (!executable) {
        return no_memory();
    }
    geo_object_init(&executable->base, GEO_OBJECT_EXECUTABLE_GRAPH, graph->base.driver,
                    executable_destroy);
    geo_object_ref(&graph->base);
    executable->graph = graph;
    atomic_fetch_add(&graph->handles, 1);
    ze_result_t result = executable_fill(executable);
    if (result != ZE_RESULT_SUCCESS) {
        geo_executable_close(executable);
        return result;
    }
    *out = executable;
    GEO_ASSERT(executable_is_valid(executable));
    return ZE_RESULT_SUCCESS;
}
