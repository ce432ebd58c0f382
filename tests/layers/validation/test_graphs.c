/* Faults of graphs, mutable lists and clones: commands that run long after they were appended. */
#include "objects.h"

#include <stdlib.h>

/* A graph with a fill of memory, ready to run, and a list to run it on. */
struct recorded {
    ze_command_list_handle_t list;
    ze_graph_handle_t graph;
    ze_executable_graph_handle_t ready;
    void *memory;
};

static ze_graph_handle_t record_end(ze_command_list_handle_t list)
{
    ze_graph_handle_t graph;
    MUST(zeCommandListEndGraphCaptureExt(list, NULL, &graph));
    return graph;
}

static struct recorded recorded_begin(const struct faulty_world *world)
{
    struct recorded recorded = {.list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER),
                                .memory = faulty_memory(world, 4096)};
    MUST(zeCommandListBeginGraphCaptureExt(recorded.list, NULL));
    fill(recorded.list, recorded.memory, 1, 4096);
    recorded.graph = record_end(recorded.list);
    MUST(zeGraphInstantiateExt(recorded.graph, NULL, &recorded.ready));
    return recorded;
}

static ze_result_t graph_run(ze_command_list_handle_t list, ze_executable_graph_handle_t ready)
{
    const ze_result_t result = zeCommandListAppendGraphExt(list, ready, NULL, NULL, 0, NULL);
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    return result;
}

static void recorded_end(const struct faulty_world *world, const struct recorded *recorded)
{
    if (recorded->ready)
        MUST(zeExecutableGraphDestroyExt(recorded->ready));
    if (recorded->graph)
        MUST(zeGraphDestroyExt(recorded->graph));
    MUST(zeCommandListDestroy(recorded->list));
    if (recorded->memory)
        MUST(zeMemFree(world->context, recorded->memory));
}

static void graph_destroyed_in_flight(struct faulty_world *world)
{
    /* GEN-15: the application knows that the device is done before it destroys. */
    struct recorded recorded = recorded_begin(world);
    struct gate gate = gate_begin(world);
    MUST(zeCommandListAppendGraphExt(gate.list, recorded.ready, NULL, NULL, 0, NULL));
    if (zeExecutableGraphDestroyExt(recorded.ready) == ZE_RESULT_SUCCESS)
        recorded.ready = NULL;
    gate_end(&gate);
    recorded_end(world, &recorded);
}

static void graph_destroyed_twice(struct faulty_world *world)
{
    /* VAL-3: destruction is tracked. */
    struct recorded recorded = recorded_begin(world);
    MUST(zeGraphDestroyExt(recorded.graph));
    zeGraphDestroyExt(recorded.graph);
    recorded.graph = NULL;
    recorded_end(world, &recorded);
}

static void memory_freed_before_its_graph_runs(struct faulty_world *world)
{
    /* GEN-10, MEM-19: the graph touches memory that is gone. */
    struct recorded recorded = recorded_begin(world);
    MUST(zeMemFree(world->context, recorded.memory));
    recorded.memory = NULL;
    graph_run(recorded.list, recorded.ready);
    recorded_end(world, &recorded);
}

static void memory_freed_while_its_graph_runs(struct faulty_world *world)
{
    /* MEM-19: the device must be finished. */
    struct recorded recorded = recorded_begin(world);
    struct gate gate = gate_begin(world);
    MUST(zeCommandListAppendGraphExt(gate.list, recorded.ready, NULL, NULL, 0, NULL));
    const ze_result_t result = zeMemFree(world->context, recorded.memory);
    gate_end(&gate);
    if (result == ZE_RESULT_SUCCESS)
        recorded.memory = NULL;
    recorded_end(world, &recorded);
}

static void event_destroyed_before_its_graph_runs(struct faulty_world *world)
{
    /* GEN-15: handles have no reference counts, so the graph signals an event that is gone. */
    struct signal signal = signal_begin(world, 0);
    struct recorded recorded = {.list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER)};
    MUST(zeCommandListBeginGraphCaptureExt(recorded.list, NULL));
    MUST(zeCommandListAppendSignalEvent(recorded.list, signal.event));
    recorded.graph = record_end(recorded.list);
    MUST(zeGraphInstantiateExt(recorded.graph, NULL, &recorded.ready));
    signal_end(&signal);
    graph_run(recorded.list, recorded.ready);
    recorded_end(world, &recorded);
}

static void graph_of_another_context(struct faulty_world *world)
{
    /* CTX-4 and "Contexts": objects of one context are not for calls on another. */
    struct faulty_world other = other_begin(world);
    struct recorded recorded = recorded_begin(&other);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    graph_run(list, recorded.ready);
    MUST(zeCommandListDestroy(list));
    recorded_end(&other, &recorded);
    other_end(&other);
}

static void ready_graph_left_behind(struct faulty_world *world)
{
    /* VAL-3: leaks are reported. */
    struct recorded recorded = recorded_begin(world);
    recorded.ready = NULL;
    recorded_end(world, &recorded);
    exit(0); /* with the context, which it keeps */
}

static void clone_of_an_open_list(struct faulty_world *world)
{
    /* zeCommandListCreateCloneExp: "Copies a closed list." */
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE), clone;
    MUST(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    if (zeCommandListCreateCloneExp(list, &clone) == ZE_RESULT_SUCCESS)
        MUST(zeCommandListDestroy(clone));
    MUST(zeCommandListDestroy(list));
}

static void clone_run_after_its_memory_is_freed(struct faulty_world *world)
{
    /* CMQ-19, GEN-10: the clone has the list's commands and their addresses. */
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE), clone;
    void *memory = faulty_memory(world, 4096);
    fill(list, memory, 1, 4096);
    MUST(zeCommandListClose(list));
    MUST(zeCommandListCreateCloneExp(list, &clone));
    MUST(zeCommandListClose(clone));
    MUST(zeMemFree(world->context, memory));
    run_list(world, clone);
    MUST(zeCommandListDestroy(clone));
    MUST(zeCommandListDestroy(list));
}

/* --- no fault --- */

static void ready_graph_without_its_graph(struct faulty_world *world)
{
    /* zeGraphDestroyExt: "graphs made ready from it stay". */
    struct recorded recorded = recorded_begin(world);
    MUST(zeGraphDestroyExt(recorded.graph));
    recorded.graph = NULL;
    for (int i = 0; i < 5; i++)
        MUST(graph_run(recorded.list, recorded.ready));
    MUST(zeMemFree(world->context, recorded.memory)); /* it will not run again */
    recorded.memory = NULL;
    recorded_end(world, &recorded);
}

static void graph_that_never_runs(struct faulty_world *world)
{
    /* zeCommandListBeginGraphCaptureExt: commands are recorded, so nothing waits for the event and
     * nothing uses the memory. */
    struct signal signal = signal_begin(world, 0);
    struct recorded recorded = {.list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER)};
    void *memory = faulty_memory(world, 4096);
    MUST(zeCommandListBeginGraphCaptureExt(recorded.list, NULL));
    MUST(zeCommandListAppendWaitOnEvents(recorded.list, 1, &signal.event));
    fill(recorded.list, memory, 1, 4096);
    recorded.graph = record_end(recorded.list);
    MUST(zeMemFree(world->context, memory));
    signal_end(&signal);
    MUST(zeCommandListHostSynchronize(recorded.list, UINT64_MAX));
    recorded_end(world, &recorded);
}

static void list_used_after_its_recording(struct faulty_world *world)
{
    /* zeCommandListEndGraphCaptureExt: "Ends recording"; the list runs commands again. */
    struct recorded recorded = recorded_begin(world);
    void *memory = faulty_memory(world, 4096);
    copy(recorded.list, memory, recorded.memory, 4096);
    MUST(graph_run(recorded.list, recorded.ready));
    copy(recorded.list, memory, recorded.memory, 4096);
    MUST(zeCommandListHostSynchronize(recorded.list, UINT64_MAX));
    MUST(zeMemFree(world->context, memory));
    recorded_end(world, &recorded);
}

static void graph_run_with_events(struct faulty_world *world)
{
    /* zeCommandListAppendGraphExt takes events as other commands do (CPY-7); SYN-6: the host
     * resets them. */
    struct recorded recorded = recorded_begin(world);
    struct signal before = signal_begin(world, 0), after = signal_begin(world, 0);
    for (int i = 0; i < 3; i++) {
        MUST(zeCommandListAppendGraphExt(recorded.list, recorded.ready, NULL, after.event, 1,
                                         &before.event));
        MUST(zeEventHostSignal(before.event));
        MUST(zeEventHostSynchronize(after.event, UINT64_MAX));
        MUST(zeEventHostReset(before.event));
        MUST(zeEventHostReset(after.event));
    }
    MUST(zeCommandListHostSynchronize(recorded.list, UINT64_MAX));
    signal_end(&before);
    signal_end(&after);
    recorded_end(world, &recorded);
}

static void graph_of_a_graph_that_exists(struct faulty_world *world)
{
    /* zeCommandListBeginCaptureIntoGraphExt records "into a graph" that the program has made. */
    struct recorded recorded = {.list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER),
                                .memory = faulty_memory(world, 4096)};
    ze_graph_handle_t ended;
    MUST(zeGraphCreateExt(world->context, NULL, &recorded.graph));
    MUST(zeCommandListBeginCaptureIntoGraphExt(recorded.list, recorded.graph, NULL));
    fill(recorded.list, recorded.memory, 1, 4096);
    MUST(zeCommandListEndGraphCaptureExt(recorded.list, NULL, &ended));
    if (ended != recorded.graph)
        exit(4);
    MUST(zeGraphInstantiateExt(recorded.graph, NULL, &recorded.ready));
    MUST(graph_run(recorded.list, recorded.ready));
    recorded_end(world, &recorded);
}

static void clone_outlives_its_original(struct faulty_world *world)
{
    /* CMQ-19: a list can be cloned for reuse; GEN-15: each handle has a life of its own. */
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE), clone;
    void *memory = faulty_memory(world, 4096);
    fill(list, memory, 1, 4096);
    MUST(close_and_run(world, list));
    MUST(zeCommandListCreateCloneExp(list, &clone));
    MUST(zeCommandListClose(clone));
    MUST(zeCommandListDestroy(list));
    for (int i = 0; i < 3; i++)
        MUST(run_list(world, clone));
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(clone));
}

const struct faulty faulty_programs[] = {
    {"graph_destroyed_in_flight", graph_destroyed_in_flight, "destroyed-in-use",
     "zeExecutableGraphDestroyExt", NULL},
    {"graph_destroyed_twice", graph_destroyed_twice, "destroyed-twice", "zeGraphDestroyExt", NULL},
    {"memory_freed_before_its_graph_runs", memory_freed_before_its_graph_runs, "freed-memory",
     "zeCommandListAppendGraphExt", NULL},
    {"memory_freed_while_its_graph_runs", memory_freed_while_its_graph_runs, "destroyed-in-use",
     "zeMemFree", NULL},
    /* Not told: the graph may have kept only the order between its commands. */
    {"event_destroyed_before_its_graph_runs", event_destroyed_before_its_graph_runs, "", NULL,
     NULL},
    {"graph_of_another_context", graph_of_another_context, "other-context",
     "zeCommandListAppendGraphExt", NULL},
    {"ready_graph_left_behind", ready_graph_left_behind, "leak", "zeGraphInstantiateExt", NULL},
    {"clone_of_an_open_list", clone_of_an_open_list, "open-list", "zeCommandListCreateCloneExp",
     NULL},
    {"clone_run_after_its_memory_is_freed", clone_run_after_its_memory_is_freed, "freed-memory",
     "zeCommandQueueExecuteCommandLists", NULL},
    {"ready_graph_without_its_graph", ready_graph_without_its_graph, "", NULL, NULL},
    {"graph_that_never_runs", graph_that_never_runs, "", NULL, NULL},
    {"list_used_after_its_recording", list_used_after_its_recording, "", NULL, NULL},
    {"graph_run_with_events", graph_run_with_events, "", NULL, NULL},
    {"graph_of_a_graph_that_exists", graph_of_a_graph_that_exists, "", NULL, NULL},
    {"clone_outlives_its_original", clone_outlives_its_original, "", NULL, NULL},
    {0}};
