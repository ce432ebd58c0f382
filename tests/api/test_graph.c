/* API test of recorded graphs of one list: what is recorded, how it runs, and what can be asked. */
#include "graph_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- recording ---- */

static void nothing_runs_while_it_is_recorded(void **state)
{
    static const uint32_t order[] = {1, 2, 1, 2, 1, 2, 3};
    struct api *api = *state;
    struct journal journal = {0};
    struct note notes[3] = {{&journal, 1}, {&journal, 2}, {&journal, 3}};
    ze_command_list_handle_t list = graph_list(api);
    graph_begin(list);
    note_append(list, &notes[0], NULL, NULL);
    note_append(list, &notes[1], NULL, NULL);
    ze_graph_handle_t graph = graph_end(list);
    list_wait(list);
    assert_int_equal(journal.used, 0);
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_int_equal(journal.used, 0);
    for (uint32_t i = 1; i <= 3; i++) {
        graph_run(list, executable);
        assert_int_equal(journal.used, i * 2);
    }
    note_append(list, &notes[2], NULL, NULL); /* the list submits again */
    list_wait(list);
    journal_expect(&journal, order, 7);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(list));
}

/* Returns how many mappings of this process can be executed. */
static unsigned code_mappings(void)
{
    char line[4096], permissions[8];
    unsigned count = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        count += sscanf(line, "%*s %7s", permissions) == 1 && permissions[2] == 'x';
    }
    fclose(maps);
    return count;
}

static void a_graph_keeps_what_its_commands_need(void **state)
{
    struct api *api = *state;
    ze_command_list_handle_t list = graph_list(api);
    const unsigned without = code_mappings();
    ze_module_handle_t module = api_native_module(api);
    const unsigned with = code_mappings();
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    struct gates gates = gates_open(api);
    const ze_group_count_t groups = {4, 1, 1};
    uint32_t *out = api_alloc_shared(api, 128), *copy = api_alloc_shared(api, 128), *no = NULL;
    memset(out, 0xff, 128);
    memset(copy, 0xff, 128);
    assert_success(zeKernelSetGroupSize(kernel, 8, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    graph_begin(list);
    assert_success(zeCommandListAppendLaunchKernel(list, kernel, &groups, gates.gate[0], 0, NULL));
    assert_success(zeCommandListAppendMemoryCopy(list, copy, out, 128, NULL, 1, gates.gate));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(no), &no));
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    ze_graph_handle_t graph = graph_end(list);
    gates_close(&gates);
    assert_true(with > without || !api->executes);
    assert_int_equal(code_mappings(), with); /* the module's code is still there */
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_success(zeGraphDestroyExt(graph)); /* earlier than is allowed: no harm */
    graph_run(list, executable);
    for (uint32_t i = 0; api->executes && i < 32; i++) {
        assert_int_equal(copy[i], i);
    }
    assert_success(zeExecutableGraphDestroyExt(executable));
    assert_success(zeCommandListDestroy(list));
    assert_int_equal(code_mappings(), without);
    api_free(api, out);
    api_free(api, copy);
}

static void a_list_tells_what_it_records_into(void **state)
{
    struct api *api = *state;
    ze_command_list_handle_t list = graph_list(api), primary;
    ze_graph_handle_t graph, recorded = (ze_graph_handle_t)&graph;
    assert_success(zeGraphCreateExt(api->context, NULL, &graph));
    assert_result(zeGraphIsEmptyExt(graph), ZE_RESULT_QUERY_TRUE);
    assert_result(zeGraphGetPrimaryCommandListExt(graph, &primary), ZE_RESULT_ERROR_INVALID_GRAPH);
    assert_result(zeCommandListIsGraphCaptureEnabledExt(list), ZE_RESULT_QUERY_FALSE);
    assert_result(zeCommandListGetGraphExt(list, &recorded),
                  ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING);
    assert_null(recorded);
    assert_success(zeCommandListBeginCaptureIntoGraphExt(list, graph, NULL));
    assert_result(zeCommandListIsGraphCaptureEnabledExt(list), ZE_RESULT_QUERY_TRUE);
    assert_success(zeCommandListGetGraphExt(list, &recorded));
    assert_ptr_equal(recorded, graph);
    assert_result(zeGraphIsEmptyExt(graph), ZE_RESULT_QUERY_TRUE);
    assert_success(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    assert_result(zeGraphIsEmptyExt(graph), ZE_RESULT_QUERY_FALSE);
    assert_success(zeGraphGetPrimaryCommandListExt(graph, &primary));
    assert_ptr_equal(primary, list);
    assert_ptr_equal(graph_end(list), graph);
    assert_result(zeCommandListIsGraphCaptureEnabledExt(list), ZE_RESULT_QUERY_FALSE);
    assert_success(zeGraphGetPrimaryCommandListExt(graph, &primary));
    assert_ptr_equal(primary, list);
    assert_success(zeCommandListDestroy(list));
    assert_result(zeGraphGetPrimaryCommandListExt(graph, &primary), ZE_RESULT_ERROR_INVALID_GRAPH);
    graph_drop(graph, NULL);
}

static void what_cannot_record_is_refused(void **state)
{
    struct api *api = *state;
    ze_command_list_handle_t list = graph_list(api), regular = counter_regular(api);
    ze_command_list_handle_t synchronous =
        counter_immediate(api, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_graph_handle_t graph = NULL;
    ze_executable_graph_handle_t executable;
    assert_success(zeGraphCreateExt(api->context, NULL, &graph));
    assert_result(zeCommandListBeginGraphCaptureExt(regular, NULL),
                  ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    assert_result(zeCommandListBeginGraphCaptureExt(synchronous, NULL),
                  ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    assert_result(zeCommandListEndGraphCaptureExt(list, NULL, &graph),
                  ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING);
    assert_result(zeGraphInstantiateExt(graph, NULL, &executable), ZE_RESULT_ERROR_INVALID_GRAPH);
    assert_success(zeCommandListBeginCaptureIntoGraphExt(list, graph, NULL));
    assert_result(zeGraphInstantiateExt(graph, NULL, &executable), ZE_RESULT_ERROR_INVALID_GRAPH);
    assert_result(zeGraphDestroyExt(graph), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_result(zeCommandListDestroy(list), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_result(zeCommandListBeginGraphCaptureExt(list, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_ptr_equal(graph_end(list), graph);
    assert_result(zeCommandListBeginCaptureIntoGraphExt(list, graph, NULL),
                  ZE_RESULT_ERROR_INVALID_GRAPH);
    assert_result(zeCommandListIsGraphCaptureEnabledExt(list), ZE_RESULT_QUERY_FALSE);
    graph_drop(graph, NULL);
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeCommandListDestroy(synchronous));
}

/* A wrong argument leaves the recording as it is. */
static void wrong_arguments_are_not_recorded(void **state)
{
    struct api *api = *state;
    struct journal journal = {0};
    struct note note = {&journal, 1};
    ze_command_list_handle_t list = graph_list(api);
    ze_event_handle_t foreign = api_foreign_handle();
    uint32_t words[4] = {0};
    graph_begin(list);
    assert_result(zeCommandListAppendBarrier(list, foreign, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandListAppendBarrier(list, NULL, 1, &foreign),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandListAppendMemoryFill(list, words, words, 0, 16, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    note_append(list, &note, NULL, NULL);
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_run(list, executable);
    assert_int_equal(journal.used, 1);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(list));
}

/* ---- execution ---- */

static void an_execution_waits_and_signals_as_one_command(void **state)
{
    struct api *api = *state;
    struct journal journal = {0};
    struct note note = {&journal, 1};
    struct gates gates = gates_open(api);
    ze_command_list_handle_t list = graph_list(api);
    graph_begin(list);
    note_append(list, &note, NULL, NULL);
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_success(
        zeCommandListAppendGraphExt(list, executable, NULL, gates.gate[2], 2, gates.gate));
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_result(zeEventHostSynchronize(gates.gate[2], WHILE_NS), ZE_RESULT_NOT_READY);
    assert_int_equal(journal.used, 0);
    assert_result(zeExecutableGraphDestroyExt(executable), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zeEventHostSignal(gates.gate[1]));
    assert_success(zeEventHostSynchronize(gates.gate[2], UINT64_MAX));
    assert_int_equal(journal.used, 1);
    list_wait(list);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(list));
    gates_close(&gates);
}

static void an_empty_graph_waits_and_signals(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    ze_command_list_handle_t list = graph_list(api);
    graph_begin(list);
    ze_graph_handle_t graph = graph_end(list);
    assert_result(zeGraphIsEmptyExt(graph), ZE_RESULT_QUERY_TRUE);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_run(list, executable);
    assert_success(
        zeCommandListAppendGraphExt(list, executable, NULL, gates.gate[1], 1, gates.gate));
    assert_result(zeEventHostSynchronize(gates.gate[1], WHILE_NS), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeEventHostSynchronize(gates.gate[1], UINT64_MAX));
    list_wait(list);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(list));
    gates_close(&gates);
}

static void executions_on_several_lists_follow_each_other(void **state)
{
    struct api *api = *state;
    struct journal journal = {0};
    struct note note = {&journal, 1};
    struct gates gates = gates_open(api);
    ze_command_list_handle_t list = graph_list(api), other = graph_list(api);
    graph_begin(list);
    note_append(list, &note, NULL, NULL);
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph), second = graph_make(graph);
    assert_success(zeCommandListAppendGraphExt(list, executable, NULL, NULL, 1, gates.gate));
    graph_append(other, executable);
    assert_result(zeCommandListHostSynchronize(other, WHILE_NS), ZE_RESULT_NOT_READY);
    assert_int_equal(journal.used, 0);
    ze_command_list_handle_t third = graph_list(api); /* another of the graph does not wait */
    graph_run(third, second);
    assert_int_equal(journal.used, 1);
    assert_success(zeEventHostSignal(gates.gate[0]));
    list_wait(other);
    assert_int_equal(journal.used, 3);
    list_wait(list);
    assert_success(zeExecutableGraphDestroyExt(second));
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(third));
    assert_success(zeCommandListDestroy(other));
    assert_success(zeCommandListDestroy(list));
    gates_close(&gates);
}

static void a_synchronous_list_has_run_it_on_return(void **state)
{
    struct api *api = *state;
    struct journal journal = {0};
    struct note note = {&journal, 1};
    ze_command_list_handle_t list = graph_list(api);
    ze_command_list_handle_t synchronous =
        counter_immediate(api, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    graph_begin(list);
    note_append(list, &note, NULL, NULL);
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    for (uint32_t i = 1; i <= 100; i++) {
        graph_append(synchronous, executable);
        assert_int_equal(journal.used, i);
    }
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(synchronous));
    assert_success(zeCommandListDestroy(list));
}

static void a_regular_list_runs_it_each_time(void **state)
{
    static const uint32_t order[] = {1, 2, 3, 1, 2, 3};
    struct api *api = *state;
    struct journal journal = {0};
    struct note notes[3] = {{&journal, 1}, {&journal, 2}, {&journal, 3}};
    struct gates gates = gates_open(api);
    ze_command_list_handle_t list = graph_list(api), regular = counter_regular(api);
    ze_command_queue_handle_t queue = counter_queue(api);
    graph_begin(list);
    note_append(list, &notes[1], NULL, NULL);
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    note_append(regular, &notes[0], NULL, NULL);
    assert_success(
        zeCommandListAppendGraphExt(regular, executable, NULL, gates.gate[1], 1, gates.gate));
    note_append(regular, &notes[2], NULL, NULL);
    assert_success(zeCommandListClose(regular));
    counter_execute(queue, regular);
    assert_result(zeCommandQueueSynchronize(queue, WHILE_NS), ZE_RESULT_NOT_READY);
    assert_true(journal.used <= 1);
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeEventHostSynchronize(gates.gate[1], UINT64_MAX));
    counter_execute(queue, regular);
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    journal_expect(&journal, order, 6);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
    gates_close(&gates);
}

/* The graph's handles may go, and with them whatever else its commands need. */
static void a_regular_list_keeps_what_it_runs(void **state)
{
    struct api *api = *state;
    ze_command_list_handle_t list = graph_list(api), regular = counter_regular(api);
    ze_command_queue_handle_t queue = counter_queue(api);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    const ze_group_count_t groups = {16, 1, 1};
    uint32_t *out = api_alloc_shared(api, 16 * sizeof(*out));
    memset(out, 0xff, 16 * sizeof(*out));
    assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    graph_begin(list);
    assert_success(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_append(regular, executable);
    assert_success(zeCommandListClose(regular));
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(list));
    counter_execute(queue, regular);
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(out[i], i);
    }
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeCommandQueueDestroy(queue));
    api_free(api, out);
}

/* Lists out of order signal no counters: what is refused at the end of a copy leaves nothing of it,
 * and spoils what is recorded. */
static void a_graph_is_appended_whole_or_not(void **state)
{
    static const uint32_t order[] = {2};
    struct api *api = *state;
    struct journal journal = {0};
    struct note notes[2] = {{&journal, 1}, {&journal, 2}};
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = api->ordinal,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal};
    ze_command_list_handle_t list = graph_list(api), regular, immediate;
    ze_command_queue_handle_t queue = counter_queue(api);
    ze_event_handle_t counter = counter_event(api, 0, NULL);
    ze_graph_handle_t none = NULL;
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &regular));
    assert_success(
        zeCommandListCreateImmediate(api->context, api->device, &queue_desc, &immediate));
    graph_begin(list);
    note_append(list, &notes[0], NULL, NULL);
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_result(zeCommandListAppendGraphExt(regular, executable, NULL, counter, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    note_append(regular, &notes[1], NULL, NULL);
    assert_success(zeCommandListClose(regular));
    counter_execute(queue, regular);
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    journal_expect(&journal, order, 1);
    graph_begin(immediate);
    assert_result(zeCommandListAppendGraphExt(immediate, executable, NULL, counter, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_result(zeCommandListEndGraphCaptureExt(immediate, NULL, &none),
                  ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED);
    graph_drop(graph, executable);
    assert_success(zeEventDestroy(counter));
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeCommandListDestroy(immediate));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
}

static void a_graph_stays_in_its_context(void **state)
{
    struct api *api = *state;
    struct api other = *api;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    assert_success(zeContextCreate(api->driver, &desc, &other.context));
    ze_command_list_handle_t list = graph_list(api), elsewhere = graph_list(&other);
    graph_begin(list);
    assert_success(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_result(zeCommandListAppendGraphExt(elsewhere, executable, NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(elsewhere));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeContextDestroy(other.context));
}

static void a_graph_is_part_of_another(void **state)
{
    static const uint32_t order[] = {1, 2, 3, 1, 2, 3};
    struct api *api = *state;
    struct journal journal = {0};
    struct note notes[3] = {{&journal, 1}, {&journal, 2}, {&journal, 3}};
    ze_command_list_handle_t list = graph_list(api);
    graph_begin(list);
    note_append(list, &notes[1], NULL, NULL);
    ze_graph_handle_t inner = graph_end(list);
    ze_executable_graph_handle_t part = graph_make(inner);
    graph_begin(list);
    note_append(list, &notes[0], NULL, NULL);
    graph_append(list, part);
    note_append(list, &notes[2], NULL, NULL);
    ze_graph_handle_t graph = graph_end(list);
    graph_drop(inner, part);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_run(list, executable);
    graph_run(list, executable);
    journal_expect(&journal, order, 6);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(list));
}

/* Records the executable graph twice. Returns the result of the second append. */
static ze_result_t graph_double(ze_command_list_handle_t list,
                                ze_executable_graph_handle_t *executable, ze_graph_handle_t *graph)
{
    graph_begin(list);
    graph_append(list, *executable);
    ze_result_t result = zeCommandListAppendGraphExt(list, *executable, NULL, NULL, 0, NULL);
    graph_drop(*graph, *executable);
    *graph = graph_end(list);
    *executable = graph_make(*graph);
    return result;
}

/* Each level has twice the commands of the one before. The refusal comes before memory is short.
 * The recording stays usable: it has the first of the two copies. */
static void graphs_in_graphs_have_a_limit(void **state)
{
    struct api *api = *state;
    ze_command_list_handle_t list = graph_list(api);
    graph_begin(list);
    for (unsigned i = 0; i < 1024; i++) {
        assert_success(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    }
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    ze_result_t result = ZE_RESULT_SUCCESS;
    unsigned levels = 0;
    while (result == ZE_RESULT_SUCCESS && levels < 20) {
        result = graph_double(list, &executable, &graph);
        levels++;
    }
    assert_result(result, ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(levels, 9); /* 8 times the double of 2^10 commands are 2^18 */
    graph_run(list, executable);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(list));
}

static void only_lists_like_the_one_that_recorded_run_it(void **state)
{
    struct api *api = *state;
    ze_command_queue_group_properties_t groups[8];
    uint32_t count = 8, ordinal = UINT32_MAX;
    memset(groups, 0, sizeof(groups));
    assert_success(zeDeviceGetCommandQueueGroupProperties(api->device, &count, groups));
    for (uint32_t i = 0; i < count; i++) {
        ordinal = groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE ? ordinal : i;
    }
    if (ordinal == UINT32_MAX) {
        skip();
    }
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list = graph_list(api), other;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &other));
    graph_begin(list);
    assert_success(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    ze_graph_handle_t graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_result(zeCommandListAppendGraphExt(other, executable, NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(other));
    assert_success(zeCommandListDestroy(list));
}

/* ---- the end ---- */

static void ZE_CALLBACK_CONV destroyed(void *data)
{
    note_write(data);
}

static void destruction_is_told(void **state)
{
    static const uint32_t order[] = {1, 2};
    struct api *api = *state;
    struct journal journal = {0};
    struct note notes[2] = {{&journal, 1}, {&journal, 2}};
    ze_command_list_handle_t list = graph_list(api);
    ze_graph_handle_t graph, source;
    graph_begin(list);
    assert_success(zeCommandListGetGraphExt(list, &graph));
    assert_success(zeGraphSetDestructionCallbackExt(graph, destroyed, &notes[0], NULL));
    assert_success(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    graph = graph_end(list);
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_success(zeGraphSetDestructionCallbackExt(graph, destroyed, &notes[1], NULL));
    assert_success(zeExecutableGraphGetSourceGraphExt(executable, &source));
    assert_ptr_equal(source, graph);
    graph_run(list, executable);
    assert_success(zeExecutableGraphDestroyExt(executable));
    assert_int_equal(journal.used, 0);
    assert_success(zeGraphDestroyExt(graph));
    journal_expect(&journal, order, 2);
    assert_result(zeGraphIsEmptyExt(graph), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeCommandListDestroy(list));
}

static void callbacks_wait_for_what_was_made_of_the_graph(void **state)
{
    struct api *api = *state;
    struct journal journal = {0};
    struct note note = {&journal, 1};
    ze_command_list_handle_t list = graph_list(api);
    ze_graph_handle_t graph, source;
    graph_begin(list);
    assert_success(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    graph = graph_end(list);
    assert_success(zeGraphSetDestructionCallbackExt(graph, destroyed, &note, NULL));
    ze_executable_graph_handle_t executable = graph_make(graph);
    assert_success(zeGraphDestroyExt(graph));
    assert_int_equal(journal.used, 0);
    assert_result(zeExecutableGraphGetSourceGraphExt(executable, &source),
                  ZE_RESULT_ERROR_INVALID_GRAPH);
    graph_run(list, executable);
    assert_success(zeExecutableGraphDestroyExt(executable));
    assert_int_equal(journal.used, 1);
    assert_success(zeCommandListDestroy(list));
}

/* ---- pictures ---- */

static char *picture_of(ze_graph_handle_t graph, const char *path, const void *next)
{
    const size_t most = 1u << 16;
    assert_success(zeGraphDumpContentsExt(graph, path, next));
    FILE *file = fopen(path, "r");
    char *text = calloc(1, most);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, most - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(path), 0);
    return text;
}

static void a_dump_shows_commands_and_arguments(void **state)
{
    struct api *api = *state;
    ze_record_replay_graph_ext_dump_desc_t simple = {
        .stype = ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_DUMP_DESC,
        .mode = ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_SIMPLE};
    char path[] = "/tmp/geoid_graph_XXXXXX", address[32];
    int file = mkstemp(path);
    assert_true(file >= 0 && close(file) == 0);
    ze_command_list_handle_t list = graph_list(api), child = graph_list(api);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    const ze_group_count_t groups = {77, 3, 1};
    ze_event_handle_t events[2] = {counter_event(api, 0, NULL), counter_event(api, 0, NULL)};
    uint32_t *out = api_alloc_shared(api, 4096);
    ze_kernel_handle_t scale = api_kernel(module, "scale");
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    assert_success(zeKernelSetArgumentValue(scale, 0, sizeof(out), &out));
    assert_success(zeKernelSetArgumentValue(scale, 1, sizeof(out), &out));
    assert_success(zeKernelSetArgumentValue(scale, 2, sizeof(float), &(float){2}));
    assert_success(zeKernelSetArgumentValue(scale, 3, sizeof(uint32_t), &(uint32_t){4}));
    graph_begin(list);
    assert_success(zeCommandListAppendLaunchKernel(list, kernel, &groups, events[0], 0, NULL));
    assert_success(
        zeCommandListAppendMemoryFill(child, out, "x", 1, 4000, events[1], 1, &events[0]));
    assert_success(zeCommandListAppendWaitOnEvents(list, 1, &events[1]));
    assert_success(zeCommandListAppendLaunchKernel(list, scale, &groups, NULL, 0, NULL));
    ze_graph_handle_t graph = graph_end(list);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeKernelDestroy(scale));
    assert_success(zeModuleDestroy(module));
    snprintf(address, sizeof(address), "0x%016llx", (unsigned long long)(uintptr_t)out);
    char *text = picture_of(graph, path, NULL);
    assert_non_null(strstr(text, "digraph"));
    assert_non_null(strstr(text, "launch of ids"));
    assert_non_null(strstr(text, "77 x 3 x 1 groups"));
    assert_non_null(strstr(text, address));
    assert_non_null(strstr(text, "4000 bytes"));
    assert_non_null(
        strstr(text, "fac\\\"tor = 0x40000000")); /* a name ends no text of the picture */
    assert_non_null(strstr(text, "n0 -> n1 [style=dashed]"));
    assert_non_null(strstr(text, "n1 -> n2 [style=dashed]"));
    assert_non_null(strstr(text, "n0 -> n2;"));
    free(text);
    text = picture_of(graph, path, &simple);
    assert_non_null(strstr(text, "launch of ids"));
    assert_null(strstr(text, "groups"));
    assert_null(strstr(text, address));
    assert_non_null(strstr(text, "fill"));
    assert_null(strstr(text, "bytes"));
    free(text);
    assert_result(zeGraphDumpContentsExt(graph, "/nowhere/at/all.gv", NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_executable_graph_handle_t executable = graph_make(graph);
    graph_begin(list);
    graph_append(list, executable);
    ze_graph_handle_t outer = graph_end(list);
    text = picture_of(outer, path, NULL);
    assert_non_null(strstr(text, "launch of ids"));
    free(text);
    graph_drop(outer, NULL);
    graph_drop(graph, executable);
    assert_success(zeEventDestroy(events[0]));
    assert_success(zeEventDestroy(events[1]));
    assert_success(zeCommandListDestroy(child));
    assert_success(zeCommandListDestroy(list));
    api_free(api, out);
}

/* ---- what is said of it ---- */

static void the_device_says_what_it_can(void **state)
{
    struct api *api = *state;
    ze_record_replay_graph_ext_properties_t graphs = {
        .stype = ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_PROPERTIES};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                                         .pNext = &graphs};
    assert_success(zeDeviceGetProperties(api->device, &properties));
    assert_int_equal(graphs.graphFlags, ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_IMMUTABLE_GRAPH |
                                            ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_SUBGRAPHS |
                                            ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_CB_EXTERNAL_IPC);
}

typedef ze_result_t (*create_fn)(ze_context_handle_t, ze_graph_handle_t *, void *);
typedef ze_result_t (*into_fn)(ze_command_list_handle_t, ze_graph_handle_t, void *);
typedef ze_result_t (*end_fn)(ze_command_list_handle_t, ze_graph_handle_t *, void *);
typedef ze_result_t (*make_fn)(ze_graph_handle_t, ze_executable_graph_handle_t *, void *);
typedef ze_result_t (*list_fn)(ze_command_list_handle_t);
typedef ze_result_t (*graph_fn)(ze_graph_handle_t);
typedef ze_result_t (*id_fn)(ze_graph_handle_t, uint64_t *);

static void *named(struct api *api, const char *name)
{
    void *function = NULL;
    assert_success(zeDriverGetExtensionFunctionAddress(api->driver, name, &function));
    return function;
}

/* What programs of that time rely on: the chain comes last, and the answers are other numbers. */
static void the_experimental_names_work_as_they_did(void **state)
{
    struct api *api = *state;
    struct journal journal = {0};
    struct note note = {&journal, 1};
    ze_command_list_handle_t list = graph_list(api);
    ze_graph_handle_t graph = NULL, second = NULL;
    ze_executable_graph_handle_t executable = NULL;
    uint64_t ids[2] = {0};
    assert_success(((create_fn)named(api, "zeGraphCreateExp"))(api->context, &graph, NULL));
    graph_fn is_empty = (graph_fn)named(api, "zeGraphIsEmptyExp");
    list_fn records = (list_fn)named(api, "zeCommandListIsGraphCaptureEnabledExp");
    assert_int_equal(is_empty(graph), 0x7fff0000);
    assert_int_equal(records(list), 0x7fff0001);
    assert_success(
        ((into_fn)named(api, "zeCommandListBeginCaptureIntoGraphExp"))(list, graph, NULL));
    assert_int_equal(records(list), 0x7fff0000);
    note_append(list, &note, NULL, NULL);
    assert_success(((end_fn)named(api, "zeCommandListEndGraphCaptureExp"))(list, NULL, NULL));
    assert_int_equal(is_empty(graph), 0x7fff0001);
    assert_success(
        ((make_fn)named(api, "zeCommandListInstantiateGraphExp"))(graph, &executable, NULL));
    graph_run(list, executable);
    assert_int_equal(journal.used, 1);
    assert_success(zeGraphCreateExt(api->context, NULL, &second));
    id_fn id = (id_fn)named(api, "zeGraphGetIdExt");
    assert_success(id(graph, &ids[0]));
    assert_success(id(second, &ids[1]));
    assert_int_not_equal(ids[0], ids[1]);
    graph_drop(second, NULL);
    graph_drop(graph, executable);
    assert_success(zeCommandListDestroy(list));
}

static const struct api_case cases[] = {
    API_CASE(nothing_runs_while_it_is_recorded),
    API_CASE(a_graph_keeps_what_its_commands_need),
    API_CASE(a_list_tells_what_it_records_into),
    API_CASE(what_cannot_record_is_refused),
    API_CASE(wrong_arguments_are_not_recorded),
    API_CASE(an_execution_waits_and_signals_as_one_command),
    API_CASE(an_empty_graph_waits_and_signals),
    API_CASE(executions_on_several_lists_follow_each_other),
    API_CASE(a_synchronous_list_has_run_it_on_return),
    API_CASE(a_regular_list_runs_it_each_time),
    {"a_regular_list_keeps_what_it_runs", a_regular_list_keeps_what_it_runs, API_EXECUTES},
    API_CASE(a_graph_is_appended_whole_or_not),
    API_CASE(a_graph_stays_in_its_context),
    API_CASE(a_graph_is_part_of_another),
    API_CASE(graphs_in_graphs_have_a_limit),
    API_CASE(only_lists_like_the_one_that_recorded_run_it),
    API_CASE(destruction_is_told),
    API_CASE(callbacks_wait_for_what_was_made_of_the_graph),
    API_CASE(a_dump_shows_commands_and_arguments),
    API_CASE(the_device_says_what_it_can),
    API_CASE(the_experimental_names_work_as_they_did),
};
API_MAIN("graph", cases)
