/* API test of recorded graphs of several lists: forks and joins by events, events inside and
 * outside of graphs, and what must not happen while something is recorded. Nothing is measured in
 * time: what has to be late is held back by an event. */
#include "graph_support.h"

/* Two lists, events of both kinds, and notes of what ran. */
struct scene {
    struct api *api;
    ze_command_list_handle_t list, child;
    ze_event_handle_t event[4]; /* counter-based, internal */
    struct gates gates;         /* regular */
    struct journal journal;
    struct note notes[8]; /* 1, 2, ... */
};

static void scene_open(struct scene *scene, struct api *api)
{
    memset(scene, 0, sizeof(*scene));
    scene->api = api;
    scene->list = graph_list(api);
    scene->child = graph_list(api);
    scene->gates = gates_open(api);
    for (uint32_t i = 0; i < 4; i++) {
        scene->event[i] = counter_event(api, 0, NULL);
    }
    for (uint32_t i = 0; i < 8; i++) {
        scene->notes[i] = (struct note){&scene->journal, i + 1};
    }
}

static void scene_close(struct scene *scene)
{
    for (uint32_t i = 0; i < 4; i++) {
        assert_success(zeEventDestroy(scene->event[i]));
    }
    assert_success(zeCommandListDestroy(scene->list));
    assert_success(zeCommandListDestroy(scene->child));
    gates_close(&scene->gates);
}

static void note(struct scene *scene, ze_command_list_handle_t list, uint32_t value,
                 ze_event_handle_t signal, ze_event_handle_t wait)
{
    note_append(list, &scene->notes[value - 1], signal, wait);
}

/* Both lists submit: neither records. */
static void scene_submits(struct scene *scene)
{
    uint32_t before = scene->journal.used;
    note(scene, scene->list, 8, NULL, NULL);
    note(scene, scene->child, 8, NULL, NULL);
    list_wait(scene->list);
    list_wait(scene->child);
    assert_int_equal(scene->journal.used, before + 2);
}

static bool records(ze_command_list_handle_t list)
{
    ze_result_t result = zeCommandListIsGraphCaptureEnabledExt(list);
    assert_true(result == ZE_RESULT_QUERY_TRUE || result == ZE_RESULT_QUERY_FALSE);
    return result == ZE_RESULT_QUERY_TRUE;
}

static void stays_blocked(struct scene *scene, uint32_t notes)
{
    assert_result(zeCommandListHostSynchronize(scene->list, WHILE_NS), ZE_RESULT_NOT_READY);
    assert_int_equal(scene->journal.used, notes);
}

/* ---- forks and joins ---- */

/* 1 and, held by a gate, 3 on the list, 2 on the fork; 4 behind all. */
static ze_graph_handle_t record_diamond(struct scene *scene, const ze_event_handle_t *event)
{
    ze_graph_handle_t graph;
    graph_begin(scene->list);
    note(scene, scene->list, 1, event[0], NULL);
    assert_false(records(scene->child));
    note(scene, scene->child, 2, NULL, event[0]);
    assert_true(records(scene->child));
    assert_success(zeCommandListGetGraphExt(scene->child, &graph));
    note(scene, scene->child, 3, event[1], NULL);
    note(scene, scene->list, 4, NULL, event[1]);
    assert_ptr_equal(graph_end(scene->list), graph);
    assert_false(records(scene->child));
    return graph;
}

static void diamond_runs(struct scene *scene, const ze_event_handle_t *event)
{
    static const uint32_t order[] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
    ze_graph_handle_t graph = record_diamond(scene, event);
    ze_executable_graph_handle_t executable = graph_make(graph);
    for (uint32_t i = 1; i <= 3; i++) {
        graph_run(scene->list, executable);
        journal_expect(&scene->journal, order, 4 * i);
    }
    scene_submits(scene);
    graph_drop(graph, executable);
}

static void forks_run_between_fork_and_join(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    diamond_runs(&scene, scene.event);
    scene_close(&scene);
}

/* They stay signalled, which is no reason to start early. */
static void regular_events_fork_and_join(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    diamond_runs(&scene, scene.gates.gate);
    assert_success(zeEventQueryStatus(scene.gates.gate[1]));
    scene_close(&scene);
}

/* The list is held before the fork, again at each execution; whatever events say by then. */
static void forks_wait_for_their_parent_each_time(struct scene *scene,
                                                  const ze_event_handle_t *event)
{
    static const uint32_t order[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    ze_event_handle_t gate = scene->gates.gate[3];
    graph_begin(scene->list);
    assert_success(zeCommandListAppendWaitOnEvents(scene->list, 1, &gate));
    assert_success(zeCommandListAppendEventReset(scene->list, gate));
    note(scene, scene->list, 1, event[0], NULL);
    note(scene, scene->child, 2, event[1], event[0]);
    note(scene, scene->list, 3, NULL, event[1]);
    ze_graph_handle_t graph = graph_end(scene->list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    for (uint32_t i = 0; i < 3; i++) {
        graph_append(scene->list, executable);
        stays_blocked(scene, 3 * i);
        assert_success(zeEventHostSignal(gate));
        list_wait(scene->list);
        journal_expect(&scene->journal, order, 3 * i + 3);
    }
    graph_drop(graph, executable);
}

static void forks_wait_at_each_execution(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    forks_wait_for_their_parent_each_time(&scene, scene.event);
    scene_close(&scene);
    scene_open(&scene, *state);
    forks_wait_for_their_parent_each_time(&scene, scene.gates.gate);
    scene_close(&scene);
}

/* The fork is held; the list goes on, and waits at the join. */
static void branches_run_side_by_side(void **state)
{
    static const uint32_t order[] = {1, 2, 3, 4};
    struct scene scene;
    scene_open(&scene, *state);
    ze_event_handle_t gate = scene.gates.gate[0], passed = scene.gates.gate[1];
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    assert_success(zeCommandListAppendWaitOnEvents(scene.child, 1, &scene.event[0]));
    assert_success(zeCommandListAppendWaitOnEvents(scene.child, 1, &gate));
    note(&scene, scene.child, 3, scene.event[1], NULL);
    note(&scene, scene.list, 2, passed, NULL);
    note(&scene, scene.list, 4, NULL, scene.event[1]);
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_append(scene.list, executable);
    assert_success(zeEventHostSynchronize(passed, UINT64_MAX));
    stays_blocked(&scene, 2);
    assert_success(zeEventHostSignal(gate));
    list_wait(scene.list);
    journal_expect(&scene.journal, order, 4);
    graph_drop(graph, executable);
    scene_close(&scene);
}

static void forks_have_forks(void **state)
{
    static const uint32_t order[] = {1, 2, 3, 4, 5, 1, 2, 3, 4, 5};
    struct scene scene;
    scene_open(&scene, *state);
    ze_command_list_handle_t grandchild = graph_list(scene.api);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.child, 2, scene.event[1], scene.event[0]);
    note(&scene, grandchild, 3, scene.event[2], scene.event[1]);
    note(&scene, scene.child, 4, scene.event[3], scene.event[2]);
    note(&scene, scene.list, 5, NULL, scene.event[3]);
    ze_graph_handle_t graph = graph_end(scene.list);
    assert_false(records(grandchild));
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_run(scene.list, executable);
    graph_run(scene.list, executable);
    journal_expect(&scene.journal, order, 10);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(grandchild));
    scene_close(&scene);
}

/* What joined early goes on, and joins again; later joins are of earlier work. */
static void forks_join_in_any_order(void **state)
{
    static const uint32_t order[] = {1, 2, 3, 4, 5};
    struct scene scene;
    scene_open(&scene, *state);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.child, 2, scene.event[1], scene.event[0]);
    note(&scene, scene.child, 3, scene.event[2], NULL);
    note(&scene, scene.list, 4, NULL, scene.event[2]);
    note(&scene, scene.list, 5, NULL, scene.event[1]);
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_run(scene.list, executable);
    journal_expect(&scene.journal, order, 5);
    graph_drop(graph, executable);
    scene_close(&scene);
}

/* The lists that recorded it may go; a regular list runs branches in the order of their appends. */
static void branches_outlive_their_lists(void **state)
{
    static const uint32_t order[] = {1, 2, 3, 4, 1, 2, 3, 4};
    struct scene scene;
    scene_open(&scene, *state);
    ze_command_list_handle_t other = graph_list(scene.api), regular = counter_regular(scene.api);
    ze_command_queue_handle_t queue = counter_queue(scene.api);
    ze_graph_handle_t graph = record_diamond(&scene, scene.event);
    scene_close(&scene);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_run(other, executable);
    graph_append(regular, executable);
    assert_success(zeCommandListClose(regular));
    counter_execute(queue, regular);
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    journal_expect(&scene.journal, order, 8);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeCommandListDestroy(other));
    assert_success(zeCommandQueueDestroy(queue));
}

/* ---- what is not joined ---- */

static void expect_unjoined(struct scene *scene)
{
    ze_graph_handle_t graph = NULL;
    assert_result(zeCommandListEndGraphCaptureExt(scene->list, NULL, &graph),
                  ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS);
    assert_null(graph);
    assert_false(records(scene->list));
    assert_false(records(scene->child));
    assert_int_equal(scene->journal.used, 0);
    scene_submits(scene);
    scene->journal.used = 0;
}

static void forks_have_to_be_joined(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.child, 2, scene.event[1], scene.event[0]);
    expect_unjoined(&scene);
    graph_begin(scene.list); /* a fork without work is one too */
    note(&scene, scene.list, 1, scene.event[0], NULL);
    assert_success(zeCommandListAppendWaitOnEvents(scene.child, 1, &scene.event[0]));
    expect_unjoined(&scene);
    graph_begin(scene.list); /* work behind the join */
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.child, 2, scene.event[1], scene.event[0]);
    note(&scene, scene.list, 3, NULL, scene.event[1]);
    note(&scene, scene.child, 4, NULL, NULL);
    expect_unjoined(&scene);
    scene_close(&scene);
}

static void a_graph_with_open_forks_is_invalid(void **state)
{
    struct scene scene;
    ze_graph_handle_t graph, none = NULL;
    ze_executable_graph_handle_t executable;
    scene_open(&scene, *state);
    assert_success(zeGraphCreateExt(scene.api->context, NULL, &graph));
    assert_success(zeCommandListBeginCaptureIntoGraphExt(scene.list, graph, NULL));
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.child, 2, NULL, scene.event[0]);
    assert_result(zeCommandListEndGraphCaptureExt(scene.list, NULL, &none),
                  ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS);
    assert_result(zeGraphIsEmptyExt(graph), ZE_RESULT_ERROR_INVALID_GRAPH);
    assert_result(zeGraphInstantiateExt(graph, NULL, &executable), ZE_RESULT_ERROR_INVALID_GRAPH);
    graph_drop(graph, NULL);
    scene_close(&scene);
}

/* What a fork does behind its join is no work, but done when the execution is. */
static void signals_behind_the_join_are_allowed(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.child, 2, scene.event[1], scene.event[0]);
    note(&scene, scene.list, 3, NULL, scene.event[1]);
    assert_success(zeCommandListAppendWaitOnEvents(scene.child, 1, &scene.gates.gate[1]));
    assert_success(zeCommandListAppendSignalEvent(scene.child, scene.gates.gate[0]));
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_append(scene.list, executable);
    assert_result(zeCommandListHostSynchronize(scene.list, WHILE_NS), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(scene.gates.gate[1]));
    list_wait(scene.list);
    assert_success(zeEventQueryStatus(scene.gates.gate[0]));
    assert_int_equal(scene.journal.used, 3);
    graph_drop(graph, executable);
    scene_close(&scene);
}

static void a_recording_ends_where_it_began(void **state)
{
    struct scene scene;
    ze_graph_handle_t graph = NULL;
    scene_open(&scene, *state);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.child, 2, scene.event[1], scene.event[0]);
    assert_result(zeCommandListEndGraphCaptureExt(scene.child, NULL, &graph),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandListBeginGraphCaptureExt(scene.child, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_true(records(scene.child));
    note(&scene, scene.list, 3, NULL, scene.event[1]);
    graph_drop(graph_end(scene.list), NULL);
    scene_close(&scene);
}

/* ---- what spoils a recording ---- */

static void expect_spoilt(struct scene *scene)
{
    ze_graph_handle_t graph = NULL;
    assert_result(zeCommandListAppendBarrier(scene->list, NULL, 0, NULL),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED);
    assert_result(zeCommandListHostSynchronize(scene->list, UINT64_MAX),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED);
    assert_true(records(scene->list));
    assert_result(zeCommandListEndGraphCaptureExt(scene->list, NULL, &graph),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED);
    assert_null(graph);
    assert_false(records(scene->list));
    scene_submits(scene);
    scene->journal.used = 0;
}

static void the_host_cannot_wait_for_what_is_recorded(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, NULL, NULL);
    assert_result(zeCommandListHostSynchronize(scene.list, UINT64_MAX),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    expect_spoilt(&scene);
    const ze_event_handle_t events[] = {scene.event[0], scene.gates.gate[0]};
    for (uint32_t i = 0; i < 2; i++) {
        graph_begin(scene.list);
        note(&scene, scene.list, 1, events[i], NULL);
        assert_result(zeEventHostSynchronize(events[i], UINT64_MAX),
                      ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
        expect_spoilt(&scene);
    }
    scene_close(&scene);
}

/* A question spoils nothing. */
static void a_recorded_event_cannot_be_asked(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.list, 2, scene.gates.gate[0], NULL);
    assert_result(zeEventQueryStatus(scene.event[0]), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    assert_result(zeEventHostSynchronize(scene.event[0], 0),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    assert_result(zeEventQueryStatus(scene.gates.gate[0]),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    graph_drop(graph_end(scene.list), NULL);
    assert_result(zeEventQueryStatus(scene.gates.gate[0]), ZE_RESULT_NOT_READY);
    assert_success(zeEventQueryStatus(scene.event[0]));
    scene_close(&scene);
}

static void recordings_do_not_merge(void **state)
{
    struct scene scene;
    ze_graph_handle_t graph = NULL;
    scene_open(&scene, *state);
    graph_begin(scene.list);
    graph_begin(scene.child);
    note(&scene, scene.child, 1, scene.event[0], NULL);
    assert_result(zeCommandListAppendWaitOnEvents(scene.list, 1, &scene.event[0]),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT);
    assert_result(zeCommandListEndGraphCaptureExt(scene.list, NULL, &graph),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED);
    graph = graph_end(scene.child); /* nothing has happened to this one */
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_run(scene.list, executable);
    assert_int_equal(scene.journal.used, 1);
    graph_drop(graph, executable);
    scene_close(&scene);
}

static void a_list_joins_one_recording_only(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    ze_command_list_handle_t third = graph_list(scene.api);
    graph_begin(scene.list);
    graph_begin(scene.child);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.child, 2, scene.event[1], NULL);
    assert_result(zeCommandListAppendWaitOnEvents(third, 2, scene.event),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT);
    assert_false(records(third));
    graph_drop(graph_end(scene.list), NULL);
    graph_drop(graph_end(scene.child), NULL);
    assert_success(zeCommandListDestroy(third));
    scene_close(&scene);
}

static void lists_are_not_recorded_into_graphs(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    ze_command_list_handle_t regular = counter_regular(scene.api);
    assert_success(zeCommandListClose(regular));
    graph_begin(scene.list);
    assert_result(
        zeCommandListImmediateAppendCommandListsExp(scene.list, 1, &regular, NULL, 0, NULL),
        ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    expect_spoilt(&scene);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    assert_result(
        zeCommandListImmediateAppendCommandListsExp(scene.child, 1, &regular, NULL, 1, scene.event),
        ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    assert_false(records(scene.child));
    graph_drop(graph_end(scene.list), NULL);
    assert_success(zeCommandListDestroy(regular));
    scene_close(&scene);
}

static void a_synchronous_list_cannot_fork(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    ze_command_list_handle_t synchronous =
        counter_immediate(scene.api, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    assert_result(zeCommandListAppendWaitOnEvents(synchronous, 1, scene.event),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    assert_false(records(synchronous));
    graph_drop(graph_end(scene.list), NULL);
    assert_success(zeCommandListDestroy(synchronous));
    scene_close(&scene);
}

/* ---- events inside and outside ---- */

static void internal_events_stay_inside(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    ze_command_list_handle_t regular = counter_regular(scene.api);
    uint64_t value, address;
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    assert_result(zeCommandListAppendSignalEvent(scene.child, scene.event[0]),
                  ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT);
    assert_result(zeCommandListAppendSignalEvent(regular, scene.event[0]),
                  ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT);
    assert_result(zeCommandListAppendWaitOnEvents(regular, 1, scene.event),
                  ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT);
    assert_result(zeEventCounterBasedGetDeviceAddress(scene.event[0], &value, &address),
                  ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT);
    graph_drop(graph_end(scene.list), NULL); /* nothing of it was meant for the graph */
    note(&scene, scene.child, 2, scene.event[0], NULL);
    assert_success(zeEventHostSynchronize(scene.event[0], UINT64_MAX));
    assert_int_equal(scene.journal.used, 1);
    graph_begin(scene.list);
    assert_result(zeCommandListAppendWaitOnEvents(scene.list, 1, scene.event),
                  ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT);
    expect_spoilt(&scene);
    assert_success(zeCommandListDestroy(regular));
    scene_close(&scene);
}

/* Regular events are what they are for everybody. */
static void regular_events_are_shared(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    ze_command_list_handle_t regular = counter_regular(scene.api);
    ze_command_queue_handle_t queue = counter_queue(scene.api);
    ze_event_handle_t gate = scene.gates.gate[0], done = scene.gates.gate[1];
    graph_begin(scene.list);
    note(&scene, scene.list, 1, done, gate);
    assert_success(zeCommandListAppendWaitOnEvents(regular, 1, &done));
    assert_success(zeCommandListClose(regular));
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    counter_execute(queue, regular);
    graph_append(scene.list, executable);
    assert_result(zeCommandQueueSynchronize(queue, WHILE_NS), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gate));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_int_equal(scene.journal.used, 1);
    list_wait(scene.list);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeCommandQueueDestroy(queue));
    scene_close(&scene);
}

/* The host and other lists wait for an execution by it, each time anew. */
static void external_events_leave_the_graph(void **state)
{
    static const uint32_t order[] = {1, 2, 1, 2};
    struct scene scene;
    scene_open(&scene, *state);
    ze_event_handle_t gate = scene.gates.gate[0];
    ze_event_handle_t external = counter_event(scene.api, GRAPH_EXTERNAL, NULL);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, external, NULL);
    assert_result(zeEventHostSynchronize(external, 0), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_result(zeEventQueryStatus(external), ZE_RESULT_NOT_READY);
    for (uint32_t i = 0; i < 2; i++) {
        assert_success(zeCommandListAppendGraphExt(scene.list, executable, NULL, NULL, 1, &gate));
        note(&scene, scene.child, 2, NULL, external);
        assert_result(zeEventHostSynchronize(external, WHILE_NS), ZE_RESULT_NOT_READY);
        assert_int_equal(scene.journal.used, 2 * i);
        assert_success(zeEventHostSignal(gate));
        assert_success(zeEventHostSynchronize(external, UINT64_MAX));
        list_wait(scene.child);
        list_wait(scene.list);
        journal_expect(&scene.journal, order, 2 * i + 2);
        assert_success(zeEventHostReset(gate));
    }
    graph_drop(graph, executable);
    assert_success(zeEventDestroy(external));
    scene_close(&scene);
}

/* A list may wait before there is an execution: it waits for the first. */
static void external_events_are_those_of_the_first_execution_before_it(void **state)
{
    static const uint32_t order[] = {1, 2};
    struct scene scene;
    scene_open(&scene, *state);
    ze_event_handle_t external = counter_event(scene.api, GRAPH_EXTERNAL, NULL);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, external, NULL);
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    note(&scene, scene.child, 2, NULL, external);
    assert_result(zeCommandListHostSynchronize(scene.child, WHILE_NS), ZE_RESULT_NOT_READY);
    assert_int_equal(scene.journal.used, 0);
    graph_run(scene.list, executable);
    list_wait(scene.child);
    journal_expect(&scene.journal, order, 2);
    graph_drop(graph, executable);
    assert_success(zeEventDestroy(external));
    scene_close(&scene);
}

/* Signalled twice in a graph it tells of the second time. */
static void external_events_mean_their_last_signal(void **state)
{
    static const uint32_t order[] = {1, 2};
    struct scene scene;
    scene_open(&scene, *state);
    ze_event_handle_t gate = scene.gates.gate[0], passed = scene.gates.gate[1];
    ze_event_handle_t external = counter_event(scene.api, GRAPH_EXTERNAL, NULL);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, external, NULL);
    assert_success(zeCommandListAppendBarrier(scene.list, passed, 0, NULL));
    note(&scene, scene.list, 2, external, gate);
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_append(scene.list, executable);
    assert_success(zeEventHostSynchronize(passed, UINT64_MAX)); /* the first signal was */
    assert_result(zeEventQueryStatus(external), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gate));
    assert_success(zeEventHostSynchronize(external, UINT64_MAX));
    journal_expect(&scene.journal, order, 2);
    list_wait(scene.list);
    graph_drop(graph, executable);
    assert_success(zeEventDestroy(external));
    scene_close(&scene);
}

/* A graph waits for what the event means when it is appended. */
static void external_events_come_into_the_graph(void **state)
{
    static const uint32_t order[] = {1, 2, 3, 1, 2, 3};
    struct scene scene;
    scene_open(&scene, *state);
    ze_event_handle_t gate = scene.gates.gate[0], passed = scene.gates.gate[1];
    ze_event_handle_t external = counter_event(scene.api, GRAPH_EXTERNAL, NULL);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, passed, NULL);
    note(&scene, scene.list, 3, NULL, external);
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    for (uint32_t i = 0; i < 2; i++) {
        note(&scene, scene.child, 2, external, gate);
        graph_append(scene.list, executable);
        assert_success(zeEventHostSynchronize(passed, UINT64_MAX));
        stays_blocked(&scene, 3 * i + 1);
        assert_success(zeEventHostSignal(gate));
        list_wait(scene.list);
        journal_expect(&scene.journal, order, 3 * i + 3);
        assert_success(zeEventHostReset(gate));
        assert_success(zeEventHostReset(passed));
    }
    graph_run(scene.list, executable); /* nothing new to wait for */
    assert_int_equal(scene.journal.used, 8);
    graph_drop(graph, executable);
    assert_success(zeEventDestroy(external));
    scene_close(&scene);
}

/* So does its copy in a regular list. */
static void external_events_are_those_of_copies(void **state)
{
    static const uint32_t order[] = {1, 2, 3};
    struct scene scene;
    scene_open(&scene, *state);
    ze_command_list_handle_t regular = counter_regular(scene.api);
    ze_command_queue_handle_t queue = counter_queue(scene.api);
    ze_event_handle_t in = counter_event(scene.api, GRAPH_EXTERNAL, NULL);
    ze_event_handle_t out = counter_event(scene.api, GRAPH_EXTERNAL, NULL);
    graph_begin(scene.list);
    note(&scene, scene.list, 2, NULL, in);
    note(&scene, scene.list, 3, out, NULL);
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    note(&scene, scene.child, 1, in, scene.gates.gate[0]);
    graph_append(regular, executable);
    assert_success(zeCommandListClose(regular));
    counter_execute(queue, regular);
    assert_result(zeCommandQueueSynchronize(queue, WHILE_NS), ZE_RESULT_NOT_READY);
    assert_int_equal(scene.journal.used, 0);
    assert_result(zeEventQueryStatus(out), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(scene.gates.gate[0]));
    assert_success(zeEventHostSynchronize(out, UINT64_MAX));
    journal_expect(&scene.journal, order, 3);
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    graph_drop(graph, executable);
    assert_success(zeEventDestroy(in));
    assert_success(zeEventDestroy(out));
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeCommandQueueDestroy(queue));
    scene_close(&scene);
}

/* Signalled by a fork, in memory that other processes may see. */
static void a_fork_signals_a_shared_event(void **state)
{
    struct scene scene;
    scene_open(&scene, *state);
    ze_event_handle_t opened,
        external = counter_event(scene.api, GRAPH_EXTERNAL | ZE_EVENT_COUNTER_BASED_FLAG_IPC, NULL);
    ze_ipc_event_counter_based_handle_t ipc;
    graph_begin(scene.list);
    note(&scene, scene.list, 1, scene.event[0], NULL);
    note(&scene, scene.child, 2, external, scene.event[0]);
    note(&scene, scene.list, 3, NULL, external);
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_result(zeEventCounterBasedGetIpcHandle(external, &ipc),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* no execution signals it yet */
    for (uint32_t i = 0; i < 2; i++) {
        graph_append(scene.list, executable);
        assert_success(zeEventCounterBasedGetIpcHandle(external, &ipc));
        assert_success(zeEventCounterBasedOpenIpcHandle(scene.api->context, ipc, &opened));
        assert_success(zeEventHostSynchronize(opened, UINT64_MAX));
        assert_success(zeEventCounterBasedCloseIpcHandle(opened));
        list_wait(scene.list);
        assert_int_equal(scene.journal.used, 3 * i + 3);
    }
    graph_drop(graph, executable);
    assert_success(zeEventDestroy(external));
    scene_close(&scene);
}

static void timestamps_are_those_of_the_execution(void **state)
{
    struct scene scene;
    ze_kernel_timestamp_result_t first, other, second;
    scene_open(&scene, *state);
    ze_event_handle_t external = counter_event(
        scene.api, GRAPH_EXTERNAL | ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP, NULL);
    graph_begin(scene.list);
    note(&scene, scene.list, 1, external, NULL);
    ze_graph_handle_t graph = graph_end(scene.list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_run(scene.list, executable);
    assert_success(zeEventQueryKernelTimestamp(external, &first));
    assert_true(first.global.kernelStart != 0);
    note(&scene, scene.child, 2, external, NULL); /* between executions it is another list's */
    list_wait(scene.child);
    assert_success(zeEventQueryKernelTimestamp(external, &other));
    assert_true(other.global.kernelStart >= first.global.kernelEnd);
    graph_run(scene.list, executable);
    assert_success(zeEventQueryKernelTimestamp(external, &second));
    assert_true(second.global.kernelStart > other.global.kernelStart);
    graph_drop(graph, executable);
    assert_success(zeEventDestroy(external));
    scene_close(&scene);
}

static const struct api_case cases[] = {
    API_CASE(forks_run_between_fork_and_join),
    API_CASE(regular_events_fork_and_join),
    API_CASE(forks_wait_at_each_execution),
    API_CASE(branches_run_side_by_side),
    API_CASE(forks_have_forks),
    API_CASE(forks_join_in_any_order),
    API_CASE(branches_outlive_their_lists),
    API_CASE(forks_have_to_be_joined),
    API_CASE(a_graph_with_open_forks_is_invalid),
    API_CASE(signals_behind_the_join_are_allowed),
    API_CASE(a_recording_ends_where_it_began),
    API_CASE(the_host_cannot_wait_for_what_is_recorded),
    API_CASE(a_recorded_event_cannot_be_asked),
    API_CASE(recordings_do_not_merge),
    API_CASE(a_list_joins_one_recording_only),
    API_CASE(lists_are_not_recorded_into_graphs),
    API_CASE(a_synchronous_list_cannot_fork),
    API_CASE(internal_events_stay_inside),
    API_CASE(regular_events_are_shared),
    API_CASE(external_events_leave_the_graph),
    API_CASE(external_events_are_those_of_the_first_execution_before_it),
    API_CASE(external_events_mean_their_last_signal),
    API_CASE(external_events_come_into_the_graph),
    API_CASE(external_events_are_those_of_copies),
    API_CASE(a_fork_signals_a_shared_event),
    API_CASE(timestamps_are_those_of_the_execution),
};
API_MAIN("graph_events", cases)
