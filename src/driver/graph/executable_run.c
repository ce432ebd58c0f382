/* Submits the branches of a graph to their streams. See executable.h.
 *
 * All memory of an execution is reserved before any of it is submitted, so that submission cannot
 * fail. Batches for the list's stream are in the list's ring, one after the other in whole cache
 * lines. Batches for a branch's own stream are in the ring of the branch. */
#include "driver/graph/executable.h"

#include "base/assert.h"
#include "driver/cmd/record.h"
#include "driver/core/check.h"

#include <string.h>

struct execution {
    struct geo_executable *executable;
    struct geo_command_list *list;
    struct geo_append waits, signal; /* commands that only wait or signal; command NULL: none */
    /* it follows an execution on another stream that has not ended */
    bool behind;
    bool first;       /* it is the first of the graph, and events may wait for it */
    uint8_t *place;   /* of the next piece for the list's stream */
    size_t bytes;     /* of all these pieces */
    uint32_t batches; /* still to be submitted there */
    uint64_t ticket;
    ze_result_t result;
};

/* ---- pieces ---- */

static size_t piece_round(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static size_t piece_of_events(const struct geo_append_events *events)
{
    return piece_round(geo_record_round(sizeof(struct geo_batch)) +
                       geo_record_bytes(sizeof(struct geo_command), events));
}

static size_t piece_of_nop(size_t wait_count)
{
    return piece_round(geo_record_round(sizeof(struct geo_batch)) + sizeof(struct geo_command) +
                       wait_count * sizeof(struct geo_event_ref));
}

static size_t piece_of_segment(const struct geo_executable *executable)
{
    return piece_round(sizeof(struct geo_batch) + executable->branch_count * sizeof(uint64_t));
}

/* Makes a batch of one record that waits and signals; the caller fills the waits. */
static struct geo_batch *nop_make(uint8_t **place, uint32_t wait_count, struct geo_event_ref signal,
                                  struct geo_event_ref **waits)
{
    struct geo_batch *batch = (struct geo_batch *)(void *)*place;
    struct geo_command *command =
        (struct geo_command *)(void *)(*place + geo_record_round(sizeof(*batch)));
    const size_t bytes = sizeof(*command) + wait_count * sizeof(struct geo_event_ref);
    *command = (struct geo_command){.operation = GEO_COMMAND_NOP,
                                    .bytes = (uint32_t)bytes,
                                    .signal = signal,
                                    .wait_count = wait_count,
                                    .wait_offset = sizeof(*command)};
    *batch = (struct geo_batch){.first = command, .bytes = bytes};
    *waits = (struct geo_event_ref *)(void *)(command + 1);
    *place += piece_of_nop(wait_count);
    return batch;
}

static struct geo_batch *segment_make(uint8_t **place, const struct geo_executable *executable,
                                      const struct geo_executable_branch *branch,
                                      const struct geo_executable_segment *segment)
{
    struct geo_batch *batch = (struct geo_batch *)(void *)*place;
    uint64_t *bases = (uint64_t *)(void *)(batch + 1);
    memcpy(bases, executable->bases, executable->branch_count * sizeof(*bases));
    *batch = (struct geo_batch){
        .first = (const struct geo_command *)(void *)(branch->records + segment->begin),
        .bytes = segment->end - segment->begin,
        .bases = bases};
    *place += piece_of_segment(executable);
    return batch;
}

/* Returns the size of all segments of a branch and of the waits between them. */
static size_t branch_bytes(const struct geo_executable *executable,
                           const struct geo_executable_branch *branch, uint32_t *batches)
{
    size_t bytes = 0;
    for (size_t i = 0; i < branch->segments.count; i++) {
        size_t arrivals = branch->segments.items[i].arrivals_count;
        bytes += piece_of_segment(executable) + (arrivals ? piece_of_nop(arrivals) : 0);
        *batches += arrivals ? 2 : 1;
    }
    return bytes;
}

/* ---- preparation ---- */

static void execution_count(struct execution *execution, const struct geo_append_events *waits,
                            const struct geo_append_events *signal)
{
    const struct geo_executable *executable = execution->executable;
    execution->batches =
        (waits->wait_count != 0) + (signal->signal != NULL) + execution->behind + execution->first;
    execution->bytes = (waits->wait_count ? piece_of_events(waits) : 0) +
                       (signal->signal ? piece_of_events(signal) : 0) +
                       (execution->behind ? piece_of_nop(1) : 0) +
                       (execution->first ? piece_of_nop(0) : 0) +
                       branch_bytes(executable, &executable->branches[0], &execution->batches);
}

static ze_result_t no_memory(void)
{
    return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a submission");
}

static ze_result_t branches_prepare(struct geo_executable *executable)
{
    for (uint32_t i = 1; i < executable->branch_count; i++) {
        struct geo_executable_branch *branch = &executable->branches[i];
        uint32_t batches = 0;
        if (branch->stream) {
            branch->bytes = branch_bytes(executable, branch, &batches);
            branch->place = geo_ring_reserve(&branch->ring, branch->stream, branch->bytes);
            if (!branch->place) {
                return no_memory();
            }
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t events_prepare(struct execution *execution,
                                  const struct geo_append_events *events, struct geo_append *append)
{
    if (events->wait_count == 0 && !events->signal) {
        return ZE_RESULT_SUCCESS;
    }
    uint8_t *record = execution->place + geo_record_round(sizeof(struct geo_batch));
    execution->place += piece_of_events(events);
    return geo_append_record_begin(execution->list, (struct geo_command *)(void *)record,
                                   GEO_COMMAND_NOP, sizeof(struct geo_command), events, append);
}

static ze_result_t execution_prepare(struct execution *execution,
                                     const struct geo_append_events *waits,
                                     const struct geo_append_events *signal)
{
    struct geo_executable *executable = execution->executable;
    struct geo_command_list *list = execution->list;
    const struct geo_event_ref done = {executable->done->slot, executable->executions};
    GEO_ASSERT(geo_object_lock_held(&executable->lock) && geo_list_is_valid(list));
    execution->behind =
        executable->last && executable->last != list->stream && !geo_command_event_complete(&done);
    execution->first =
        executable->graph->departures.count != 0 && !atomic_load(&executable->graph->executed);
    if (list->keep.count > GEO_KEEP_LIMIT) {
        geo_list_let_go(list);
    }
    execution_count(execution, waits, signal);
    GEO_CHECK(branches_prepare(executable));
    execution->place = geo_ring_reserve(&list->ring, list->stream, execution->bytes);
    if (!execution->place) {
        return no_memory();
    }
    GEO_CHECK(geo_keep_add(&list->keep, &executable->base));
    GEO_CHECK(events_prepare(execution, waits, &execution->waits));
    GEO_CHECK(events_prepare(execution, signal, &execution->signal));
    return execution->signal.command ? geo_append_record_bind(&execution->signal)
                                     : ZE_RESULT_SUCCESS;
}

/* ---- submission ---- */

/* Makes events signalled for outside refer to this execution from now on. */
static void departures_bind(const struct geo_executable *executable)
{
    const struct geo_graph *graph = executable->graph;
    for (size_t i = 0; i < graph->departures.count; i++) {
        const struct geo_graph_departure *departure = &graph->departures.items[i];
        uint32_t branch = graph->nodes.items[departure->node].branch;
        geo_event_bind_counter(departure->event, executable->branches[branch].counter,
                               geo_bases_mark(0, executable->values[departure->node]));
        if (departure->stamp) {
            geo_object_ref(&departure->stamp->base);
            geo_event_bind_stamp(departure->event, departure->stamp);
        }
    }
}

static void bases_begin(struct geo_executable *executable)
{
    for (uint32_t i = 0; i < executable->branch_count; i++) {
        struct geo_executable_branch *branch = &executable->branches[i];
        executable->bases[i] =
            branch->counter ? geo_counter_advance(branch->counter, branch->signals) : 0;
    }
    departures_bind(executable);
}

/* Fills in what the events refer to at this execution. */
static void arrivals_fill(const struct geo_graph *graph,
                          const struct geo_executable_segment *segment, struct geo_event_ref *waits)
{
    for (size_t i = 0; i < segment->arrivals_count; i++) {
        const struct geo_event *event = graph->arrivals.items[segment->arrivals + i].event;
        waits[i] = geo_event_on_device(event, geo_event_reference(event));
    }
}

/* Makes the batch of waits before a segment. Events that were never signalled count as complete and
 * are left out. */
static struct geo_batch *arrivals_make(uint8_t **place, const struct geo_graph *graph,
                                       const struct geo_executable_segment *segment)
{
    struct geo_event_ref *waits;
    struct geo_batch *batch =
        nop_make(place, (uint32_t)segment->arrivals_count, (struct geo_event_ref){0}, &waits);
    struct geo_command *command = (struct geo_command *)(void *)(uintptr_t)batch->first;
    arrivals_fill(graph, segment, waits);
    command->wait_count = 0;
    for (size_t i = 0; i < segment->arrivals_count; i++) {
        if (waits[i].slot) {
            waits[command->wait_count++] = waits[i];
        }
    }
    return batch;
}

static void branch_submit(const struct geo_executable *executable,
                          struct geo_executable_branch *branch)
{
    const struct geo_graph *graph = executable->graph;
    const struct geo_event_ref none = {0};
    struct geo_stream *stream = branch->stream;
    uint8_t *place = branch->place;
    uint64_t ticket = 0;
    for (size_t i = 0; i < branch->segments.count; i++) {
        const struct geo_executable_segment *segment = &branch->segments.items[i];
        if (segment->arrivals_count != 0) {
            (void)stream->ops->submit(stream->backend, arrivals_make(&place, graph, segment), none,
                                      &ticket);
        }
        (void)stream->ops->submit(stream->backend,
                                  segment_make(&place, executable, branch, segment), none, &ticket);
    }
    GEO_ASSERT(place == branch->place + branch->bytes);
    geo_ring_take(&branch->ring, branch->bytes, ticket);
}

/* Submits a batch to the list's stream. The last one signals the end of the execution. */
static void batch_submit(struct execution *execution, struct geo_batch *batch)
{
    struct geo_executable *executable = execution->executable;
    struct geo_stream *stream = execution->list->stream;
    struct geo_event_ref done = {0};
    GEO_ASSERT(execution->batches != 0);
    if (--execution->batches == 0) {
        done = (struct geo_event_ref){executable->done->slot, ++executable->executions};
    }
    ze_result_t now = stream->ops->submit(stream->backend, batch, done, &execution->ticket);
    execution->result = execution->result == ZE_RESULT_SUCCESS ? now : execution->result;
}

static void primary_submit(struct execution *execution)
{
    struct geo_executable *executable = execution->executable;
    const struct geo_executable_branch *branch = &executable->branches[0];
    struct geo_event_ref *waits;
    if (execution->waits.command) {
        batch_submit(execution, geo_append_record_batch(&execution->waits));
    }
    if (execution->behind) {
        struct geo_batch *batch = nop_make(&execution->place, 1, (struct geo_event_ref){0}, &waits);
        *waits = (struct geo_event_ref){executable->done->slot, executable->executions};
        batch_submit(execution, batch);
    }
    for (size_t i = 0; i < branch->segments.count; i++) {
        const struct geo_executable_segment *segment = &branch->segments.items[i];
        if (segment->arrivals_count != 0) {
            batch_submit(execution, arrivals_make(&execution->place, executable->graph, segment));
        }
        batch_submit(execution, segment_make(&execution->place, executable, branch, segment));
    }
    if (execution->first) {
        struct geo_counter *ahead = executable->graph->ahead;
        batch_submit(execution,
                     nop_make(&execution->place, 0,
                              (struct geo_event_ref){ahead->slot, geo_counter_base(ahead) + 1},
                              &waits));
    }
    if (execution->signal.command) {
        batch_submit(execution, geo_append_record_batch(&execution->signal));
    }
}

/* Tells events signalled for outside which submission signals them, so that a wait can run it. */
static void departures_tell(const struct execution *execution)
{
    const struct geo_executable *executable = execution->executable;
    const struct geo_graph *graph = executable->graph;
    for (size_t i = 0; i < graph->departures.count; i++) {
        const struct geo_graph_departure *departure = &graph->departures.items[i];
        if (graph->nodes.items[departure->node].branch == 0) {
            geo_event_set_producer(departure->event, execution->list->stream, execution->ticket);
        }
    }
}

static void execution_submit(struct execution *execution)
{
    struct geo_executable *executable = execution->executable;
    struct geo_command_list *list = execution->list;
    struct geo_stream *before = executable->last;
    bases_begin(executable);
    for (uint32_t i = 1; i < executable->branch_count; i++) {
        if (executable->branches[i].stream) {
            branch_submit(executable, &executable->branches[i]);
        }
    }
    primary_submit(execution);
    GEO_ASSERT(execution->batches == 0);
    GEO_ASSERT(execution->place == list->ring.current->data + list->ring.used + execution->bytes);
    geo_ring_take(&list->ring, execution->bytes, execution->ticket);
    atomic_store_explicit(&list->ticket, execution->ticket, memory_order_relaxed);
    if (execution->signal.command) {
        geo_append_record_submitted(&execution->signal);
    }
    departures_tell(execution);
    if (execution->first) {
        atomic_store(&executable->graph->executed, true);
    }
    if (before != list->stream) {
        geo_stream_ref(list->stream);
        executable->last = list->stream;
        geo_stream_unref(before);
    }
    executable->ticket = execution->ticket;
}

ze_result_t geo_executable_run_submit(struct geo_executable *executable,
                                      struct geo_command_list *list,
                                      const struct geo_append_events *events)
{
    const struct geo_append_events waits = {.wait_count = events->wait_count,
                                            .waits = events->waits};
    const struct geo_append_events signal = {.signal = events->signal};
    struct execution execution = {.executable = executable, .list = list};
    geo_object_lock_acquire(&executable->lock);
    ze_result_t result = execution_prepare(&execution, &waits, &signal);
    bool submits = result == ZE_RESULT_SUCCESS && execution.batches != 0;
    if (submits) {
        execution_submit(&execution);
        result = execution.result;
    }
    geo_object_lock_release(&executable->lock);
    if (submits && list->synchronous) {
        struct geo_stream *stream = list->stream;
        return geo_list_wait_result(
            list->context, stream->ops->wait(stream->backend, execution.ticket, UINT64_MAX));
    }
    return result;
}
