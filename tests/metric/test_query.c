/* Metric queries: they measure the commands between two points of a list. */
#include "metric.h"

static zet_metric_query_pool_handle_t pool_create(uint32_t count)
{
    const zet_metric_query_pool_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC,
                                               .type = ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE,
                                               .count = count};
    const zet_metric_group_handle_t group = group_find(device, "Steady", QUERY);
    zet_metric_query_pool_handle_t pool = NULL;
    activate(device, group);
    assert_success(zetMetricQueryPoolCreate(context, device, group, &desc, &pool));
    return pool;
}

static zet_metric_query_handle_t query_create(zet_metric_query_pool_handle_t pool, uint32_t index)
{
    zet_metric_query_handle_t query = NULL;
    assert_success(zetMetricQueryCreate(pool, index, &query));
    return query;
}

static ze_command_list_handle_t immediate_create(ze_command_queue_mode_t mode)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = mode};
    ze_command_list_handle_t list = NULL;
    assert_success(zeCommandListCreateImmediate(context, device, &desc, &list));
    return list;
}

static ze_event_handle_t event_create(ze_event_pool_handle_t *pool)
{
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 1};
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_handle_t event = NULL;
    assert_success(zeEventPoolCreate(context, &pool_desc, 0, NULL, pool));
    assert_success(zeEventCreate(*pool, &desc, &event));
    return event;
}

/* A command that takes two seconds of simulated time. */
static void two_seconds(void *data)
{
    (void)data;
    pass(2 * SECOND);
}

/* Reads the instructions that a query counted: 1,000 in a second. */
static uint64_t instructions(zet_metric_query_handle_t query)
{
    uint8_t data[256];
    size_t bytes = 0;
    uint32_t count;
    assert_success(zetMetricQueryGetData(query, &bytes, NULL));
    assert_true(bytes > 0 && bytes <= sizeof(data));
    assert_success(zetMetricQueryGetData(query, &bytes, data));
    zet_typed_value_t *values = calculate(group_find(device, "Steady", QUERY), data, bytes, &count);
    assert_int_equal(count, 2);
    const uint64_t value = values[1].value.ui64;
    assert_int_equal(values[0].value.ui64, now_ns());
    free(values);
    return value;
}

static void assert_about(uint64_t value, uint64_t wanted)
{
    assert_true(value + 1 >= wanted && value <= wanted + 1);
}

/* MET-11, MET-12 */
static void a_query_measures_the_commands_of_an_immediate_list(void **unused)
{
    const zet_metric_query_pool_handle_t pool = pool_create(2);
    const zet_metric_query_handle_t query = query_create(pool, 1);
    const ze_command_list_handle_t list = immediate_create(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t event_pool;
    const ze_event_handle_t event = event_create(&event_pool);
    size_t bytes = 0;
    (void)unused;
    assert_result(zetMetricQueryGetData(query, &bytes, NULL), ZE_RESULT_NOT_READY);
    assert_success(zetCommandListAppendMetricQueryBegin(list, query));
    assert_success(zeCommandListAppendHostFunction(list, two_seconds, NULL, NULL, NULL, 0, NULL));
    assert_success(zetCommandListAppendMetricQueryEnd(list, query, event, 0, NULL));
    assert_success(zeEventHostSynchronize(event, UINT64_MAX));
    assert_about(instructions(query), 2000);
    assert_success(zeCommandListDestroy(list));
    assert_success(zetMetricQueryDestroy(query));
    assert_success(zetMetricQueryPoolDestroy(pool));
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolDestroy(event_pool));
}

/* MET-11, MET-12, MET-14 */
static void a_query_measures_each_run_of_a_regular_list(void **unused)
{
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const zet_metric_query_pool_handle_t pool = pool_create(1);
    const zet_metric_query_handle_t query = query_create(pool, 0);
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    size_t bytes = 0;
    (void)unused;
    assert_success(zeCommandListCreate(context, device, &desc, &list));
    assert_success(zeCommandQueueCreate(context, device, &queue_desc, &queue));
    assert_success(zeCommandListAppendHostFunction(list, two_seconds, NULL, NULL, NULL, 0, NULL));
    assert_success(zetCommandListAppendMetricQueryBegin(list, query));
    assert_success(zeCommandListAppendHostFunction(list, two_seconds, NULL, NULL, NULL, 0, NULL));
    assert_success(zeCommandListAppendHostFunction(list, two_seconds, NULL, NULL, NULL, 0, NULL));
    assert_success(zetCommandListAppendMetricMemoryBarrier(list));
    assert_success(zetCommandListAppendMetricQueryEnd(list, query, NULL, 0, NULL));
    assert_success(zeCommandListClose(list));
    assert_result(zetMetricQueryGetData(query, &bytes, NULL), ZE_RESULT_NOT_READY);
    for (int run = 0; run < 2; run++) {
        assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_about(instructions(query), 4000);
    }
    assert_success(zetMetricQueryDestroy(query)); /* the list needs them still */
    assert_success(zetMetricQueryPoolDestroy(pool));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
}

static void a_query_measures_the_commands_of_a_graph(void **unused)
{
    const zet_metric_query_pool_handle_t pool = pool_create(1);
    const zet_metric_query_handle_t query = query_create(pool, 0);
    const ze_command_list_handle_t list = immediate_create(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_graph_handle_t graph = NULL;
    ze_executable_graph_handle_t executable = NULL;
    size_t bytes = 0;
    (void)unused;
    assert_success(zeCommandListBeginGraphCaptureExt(list, NULL));
    assert_success(zetCommandListAppendMetricQueryBegin(list, query));
    assert_success(zeCommandListAppendHostFunction(list, two_seconds, NULL, NULL, NULL, 0, NULL));
    assert_success(zetCommandListAppendMetricQueryEnd(list, query, NULL, 0, NULL));
    assert_success(zeCommandListEndGraphCaptureExt(list, NULL, &graph));
    assert_success(zeGraphInstantiateExt(graph, NULL, &executable));
    assert_result(zetMetricQueryGetData(query, &bytes, NULL), ZE_RESULT_NOT_READY);
    assert_success(zeCommandListAppendGraphExt(list, executable, NULL, NULL, 0, NULL));
    assert_success(zeCommandListHostSynchronize(list, UINT64_MAX));
    assert_about(instructions(query), 2000);
    assert_success(zeExecutableGraphDestroyExt(executable));
    assert_success(zeGraphDestroyExt(graph));
    assert_success(zeCommandListDestroy(list));
    assert_success(zetMetricQueryDestroy(query));
    assert_success(zetMetricQueryPoolDestroy(pool));
}

/* MET-12 */
static void the_end_waits_for_its_events(void **unused)
{
    const zet_metric_query_pool_handle_t pool = pool_create(1);
    const zet_metric_query_handle_t query = query_create(pool, 0);
    const ze_command_list_handle_t list = immediate_create(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_pool_handle_t event_pool;
    ze_event_handle_t event = event_create(&event_pool);
    size_t bytes = 0;
    (void)unused;
    assert_success(zetCommandListAppendMetricQueryBegin(list, query));
    assert_success(zetCommandListAppendMetricQueryEnd(list, query, NULL, 1, &event));
    assert_result(zeCommandListHostSynchronize(list, SECOND / 5), ZE_RESULT_NOT_READY);
    assert_result(zetMetricQueryGetData(query, &bytes, NULL), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(event));
    assert_success(zeCommandListHostSynchronize(list, UINT64_MAX));
    assert_success(zetMetricQueryGetData(query, &bytes, NULL));
    assert_success(zeCommandListDestroy(list));
    assert_success(zetMetricQueryDestroy(query));
    assert_success(zetMetricQueryPoolDestroy(pool));
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolDestroy(event_pool));
}

/* MET-13 */
static void a_reset_query_is_used_again(void **unused)
{
    const zet_metric_query_pool_handle_t pool = pool_create(1);
    zet_metric_query_handle_t query = query_create(pool, 0);
    const ze_command_list_handle_t list = immediate_create(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    size_t bytes = 0;
    (void)unused;
    for (uint64_t seconds = 1; seconds < 3; seconds++) {
        assert_success(zetCommandListAppendMetricQueryBegin(list, query));
        pass(seconds * SECOND);
        assert_success(zetCommandListAppendMetricQueryEnd(list, query, NULL, 0, NULL));
        assert_about(instructions(query), 1000 * seconds);
        assert_success(zetMetricQueryReset(query));
        assert_result(zetMetricQueryGetData(query, &bytes, NULL), ZE_RESULT_NOT_READY);
    }
    assert_success(zetMetricQueryDestroy(query));
    query = query_create(pool, 0); /* the index is free */
    assert_result(zetMetricQueryGetData(query, &bytes, NULL), ZE_RESULT_NOT_READY);
    assert_success(zetMetricQueryDestroy(query));
    assert_success(zeCommandListDestroy(list));
    assert_success(zetMetricQueryPoolDestroy(pool));
}

/* MET-14 */
static void data_follows_the_protocol_of_sizes(void **unused)
{
    const zet_metric_query_pool_handle_t pool = pool_create(1);
    const zet_metric_query_handle_t query = query_create(pool, 0);
    const ze_command_list_handle_t list = immediate_create(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    uint8_t data[256];
    size_t needed = 0, bytes;
    (void)unused;
    assert_success(zetCommandListAppendMetricQueryBegin(list, query));
    assert_success(zetCommandListAppendMetricQueryEnd(list, query, NULL, 0, NULL));
    assert_success(zetMetricQueryGetData(query, &needed, NULL));
    bytes = sizeof(data);
    memset(data, 0xee, sizeof(data));
    assert_success(zetMetricQueryGetData(query, &bytes, data));
    assert_int_equal(bytes, needed);
    assert_int_equal(data[needed], 0xee);
    bytes = needed - 1; /* no whole report fits */
    memset(data, 0xee, sizeof(data));
    assert_success(zetMetricQueryGetData(query, &bytes, data));
    assert_int_equal(bytes, 0);
    assert_int_equal(data[0], 0xee);
    assert_success(zetMetricQueryDestroy(query));
    assert_success(zeCommandListDestroy(list));
    assert_success(zetMetricQueryPoolDestroy(pool));
}

/* MET-11 */
static void wrong_pools_and_indices_are_refused(void **unused)
{
    zet_metric_query_pool_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC,
                                         .count = 0};
    const zet_metric_query_pool_handle_t pool = pool_create(2);
    const zet_metric_query_handle_t query = query_create(pool, 0);
    const zet_metric_group_handle_t group = group_find(device, "Steady", QUERY);
    zet_metric_query_pool_handle_t other = NULL;
    zet_metric_query_handle_t second = NULL;
    (void)unused;
    assert_result(zetMetricQueryPoolCreate(context, device, group, &desc, &other),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    desc.count = 1;
    assert_invalid(zetMetricQueryPoolCreate(context, device, group_find(device, "Steady", TIMED),
                                            &desc, &other));
    assert_invalid(zetMetricQueryPoolCreate(context, other_device, group, &desc, &other));
    assert_invalid(zetMetricQueryCreate(pool, 2, &second));
    assert_invalid(zetMetricQueryCreate(pool, 0, &second)); /* in use */
    assert_null(other);
    assert_null(second);
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreateImmediate(context, other_device, &queue, &list));
    assert_invalid(zetCommandListAppendMetricQueryBegin(list, query));
    assert_success(zeCommandListDestroy(list));
    assert_success(zetMetricQueryDestroy(query));
    assert_success(zetMetricQueryPoolDestroy(pool));
}

/* MET-11: programs use one context, but tools add their own queries to lists of programs */
static void queries_of_another_context_measure_too(void **unused)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const zet_metric_query_pool_handle_t pool = pool_create(1);
    const zet_metric_query_handle_t query = query_create(pool, 0);
    ze_context_handle_t own;
    ze_command_list_handle_t list;
    (void)unused;
    assert_success(zeContextCreate(driver, &desc, &own));
    assert_success(zeCommandListCreateImmediate(own, device, &queue, &list));
    assert_success(zetCommandListAppendMetricQueryBegin(list, query));
    assert_success(zeCommandListAppendHostFunction(list, two_seconds, NULL, NULL, NULL, 0, NULL));
    assert_success(zetCommandListAppendMetricQueryEnd(list, query, NULL, 0, NULL));
    assert_about(instructions(query), 2000);
    assert_success(zeCommandListDestroy(list));
    assert_success(zeContextDestroy(own));
    assert_success(zetMetricQueryDestroy(query));
    assert_success(zetMetricQueryPoolDestroy(pool));
}

/* MET-6, MET-7 */
static void groups_stay_active_until_the_last_query_has_ended(void **unused)
{
    const zet_metric_query_pool_handle_t pool = pool_create(1);
    const zet_metric_query_handle_t query = query_create(pool, 0);
    const ze_command_list_handle_t list = immediate_create(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    (void)unused;
    assert_success(zetCommandListAppendMetricQueryBegin(list, query));
    assert_result(zetContextActivateMetricGroups(context, device, 0, NULL),
                  ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zetCommandListAppendMetricQueryEnd(list, query, NULL, 0, NULL));
    assert_success(zetContextActivateMetricGroups(context, device, 0, NULL));
    assert_success(zetMetricQueryDestroy(query));
    assert_success(zeCommandListDestroy(list));
    assert_success(zetMetricQueryPoolDestroy(pool));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        METRIC_CASE(a_query_measures_the_commands_of_an_immediate_list),
        METRIC_CASE(a_query_measures_each_run_of_a_regular_list),
        METRIC_CASE(a_query_measures_the_commands_of_a_graph),
        METRIC_CASE(the_end_waits_for_its_events),
        METRIC_CASE(a_reset_query_is_used_again),
        METRIC_CASE(data_follows_the_protocol_of_sizes),
        METRIC_CASE(wrong_pools_and_indices_are_refused),
        METRIC_CASE(queries_of_another_context_measure_too),
        METRIC_CASE(groups_stay_active_until_the_last_query_has_ended),
    };
    return cmocka_run_group_tests_name("metric_query", cases, metric_setup, metric_teardown);
}
