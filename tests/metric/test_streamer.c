/* Metric streamers, and values that are calculated from their data. */
#include "metric.h"

#define PERIOD 100000000u /* 0.1 s */

/* The metrics of the group "Steady", in its order. */
enum { TIME, INSTRUCTIONS, LOAD, HEAT, BUSY, MARKER, METRICS };

static zet_metric_group_handle_t steady(ze_device_handle_t of)
{
    const zet_metric_group_handle_t group = group_find(of, "Steady", TIMED);
    activate(of, group);
    return group;
}

/* MET-8, MET-15 */
static void reports_have_the_values_of_their_periods(void **unused)
{
    const zet_metric_group_handle_t group = steady(tile);
    const zet_metric_streamer_handle_t streamer = streamer_open(tile, group, PERIOD);
    const uint64_t start = now_ns();
    size_t bytes;
    uint32_t count;
    (void)unused;
    pass(3 * PERIOD + PERIOD / 2);
    uint8_t *data = streamer_read(streamer, &bytes);
    zet_typed_value_t *values = calculate(group, data, bytes, &count);
    assert_int_equal(count, 3 * METRICS);
    for (uint32_t i = 0; i < 3; i++) {
        const zet_typed_value_t *report = &values[i * METRICS];
        const uint64_t at = start + (i + 1) * (uint64_t)PERIOD;
        assert_int_equal(report[TIME].type, ZET_VALUE_TYPE_UINT64);
        assert_true(llabs((long long)(report[TIME].value.ui64 - at / 1000)) <= 1);
        assert_true(report[INSTRUCTIONS].value.ui64 >= 99 &&
                    report[INSTRUCTIONS].value.ui64 <= 101);
        assert_int_equal(report[LOAD].type, ZET_VALUE_TYPE_FLOAT64);
        assert_float_equal(report[LOAD].value.fp64, (double)at / 1e9, 1e-6);
        assert_int_equal(report[HEAT].type, ZET_VALUE_TYPE_FLOAT32);
        assert_float_equal(report[HEAT].value.fp32, 36.5, 1e-6);
        assert_int_equal(report[BUSY].type, ZET_VALUE_TYPE_BOOL8);
        assert_int_equal(report[BUSY].value.b8, 1);
        assert_int_equal(report[MARKER].type, ZET_VALUE_TYPE_UINT32);
        assert_int_equal(report[MARKER].value.ui32, 0);
    }
    free(values);
    free(data);
    assert_success(zetMetricStreamerClose(streamer));
}

/* MET-15 */
static void maxima_are_one_report(void **unused)
{
    const zet_metric_group_handle_t group = steady(tile);
    const zet_metric_streamer_handle_t streamer = streamer_open(tile, group, PERIOD);
    zet_typed_value_t values[METRICS + 1];
    size_t bytes;
    uint32_t count = 0;
    (void)unused;
    pass(2 * PERIOD);
    uint8_t *data = streamer_read(streamer, &bytes);
    const zet_metric_group_calculation_type_t type =
        ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES;
    assert_success(zetMetricGroupCalculateMetricValues(group, type, bytes, data, &count, NULL));
    assert_int_equal(count, METRICS);
    count = METRICS + 1;
    assert_success(zetMetricGroupCalculateMetricValues(group, type, bytes, data, &count, values));
    assert_int_equal(count, METRICS);
    assert_int_equal(values[INSTRUCTIONS].value.ui64, 9000);
    assert_float_equal(values[LOAD].value.fp64, 100, 0);
    count = 2; /* only as many as fit */
    values[2].value.fp64 = -1;
    assert_success(zetMetricGroupCalculateMetricValues(group, type, bytes, data, &count, values));
    assert_int_equal(count, 2);
    assert_float_equal(values[2].value.fp64, -1, 0);
    free(data);
    assert_success(zetMetricStreamerClose(streamer));
}

/* MET-8 */
static void the_descriptor_tells_the_real_values(void **unused)
{
    zet_metric_streamer_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC,
                                       .notifyEveryNReports = 7000,
                                       .samplingPeriod = 1};
    zet_metric_streamer_handle_t streamer;
    (void)unused;
    assert_success(zetMetricStreamerOpen(context, tile, steady(tile), &desc, NULL, &streamer));
    assert_int_equal(desc.samplingPeriod, 1000);
    assert_int_equal(desc.notifyEveryNReports, 50);
    assert_success(zetMetricStreamerClose(streamer));
}

/* MET-9 */
static void only_whole_reports_are_read(void **unused)
{
    const zet_metric_group_handle_t group = steady(tile);
    const zet_metric_streamer_handle_t streamer = streamer_open(tile, group, PERIOD);
    uint8_t data[4096];
    size_t all = 0, one = 0, bytes;
    uint32_t count;
    (void)unused;
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &all, NULL));
    assert_int_equal(all, 0);
    pass(5 * PERIOD);
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &all, NULL));
    assert_success(zetMetricStreamerReadData(streamer, 1, &one, NULL));
    assert_true(one < all);
    bytes = sizeof(data);
    memset(data, 0xee, sizeof(data));
    assert_success(zetMetricStreamerReadData(streamer, 1, &bytes, data)); /* at most one */
    assert_int_equal(bytes, one);
    assert_int_equal(data[one], 0xee);
    free(calculate(group, data, bytes, &count));
    assert_int_equal(count, METRICS);
    const size_t report = (all - one) / 4;
    bytes = one + 2 * report - 1; /* a byte less than two more */
    memset(data, 0xee, sizeof(data));
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &bytes, data));
    assert_int_equal(bytes, one + report);
    assert_int_equal(data[bytes], 0xee);
    free(calculate(group, data, bytes, &count));
    assert_int_equal(count, 2 * METRICS);
    bytes = 3; /* not even an empty frame */
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &bytes, data));
    assert_int_equal(bytes, 0);
    bytes = sizeof(data);
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &bytes, data));
    assert_int_equal(bytes, one + report); /* the last two */
    bytes = sizeof(data);
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &bytes, data));
    assert_int_equal(bytes, 0);
    assert_success(zetMetricStreamerClose(streamer));
}

static void lost_reports_are_told_once(void **unused)
{
    const zet_metric_group_handle_t group = steady(tile);
    const zet_metric_streamer_handle_t streamer = streamer_open(tile, group, PERIOD);
    static uint8_t data[1 << 16];
    const uint64_t start = now_ns();
    size_t bytes = sizeof(data);
    uint32_t count;
    (void)unused;
    pass(60 * (uint64_t)PERIOD); /* the buffer has room for 50 */
    assert_result(zetMetricStreamerReadData(streamer, UINT32_MAX, &bytes, data),
                  ZE_RESULT_WARNING_DROPPED_DATA);
    zet_typed_value_t *values = calculate(group, data, bytes, &count);
    assert_int_equal(count, 50 * METRICS);
    assert_true(values[TIME].value.ui64 >= (start + 11 * (uint64_t)PERIOD) / 1000 - 1);
    free(values);
    pass(PERIOD);
    bytes = sizeof(data);
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &bytes, data));
    assert_true(bytes > 0);
    assert_success(zetMetricStreamerClose(streamer));
}

static ze_event_handle_t event_create(ze_event_pool_flags_t flags, ze_event_pool_handle_t *pool)
{
    const ze_event_pool_desc_t pool_desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = 1};
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_handle_t event = NULL;
    assert_success(zeEventPoolCreate(context, &pool_desc, 0, NULL, pool));
    assert_success(zeEventCreate(*pool, &desc, &event));
    return event;
}

/* MET-8 */
static void an_event_tells_that_reports_are_ready(void **unused)
{
    zet_metric_streamer_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC,
                                       .notifyEveryNReports = 3,
                                       .samplingPeriod = PERIOD};
    ze_event_pool_handle_t pool, hidden_pool;
    const ze_event_handle_t event = event_create(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, &pool);
    const ze_event_handle_t hidden = event_create(0, &hidden_pool);
    const zet_metric_group_handle_t group = steady(tile);
    zet_metric_streamer_handle_t streamer;
    (void)unused;
    assert_result(zetMetricStreamerOpen(context, tile, group, &desc, hidden, &streamer),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_success(zetMetricStreamerOpen(context, tile, group, &desc, event, &streamer));
    pass(2 * PERIOD);
    assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    pass(PERIOD);
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventDestroy(event)); /* the streamer does not need the handles */
    assert_success(zeEventPoolDestroy(pool));
    pass(3 * PERIOD);
    assert_success(zetMetricStreamerClose(streamer));
    assert_success(zeEventDestroy(hidden));
    assert_success(zeEventPoolDestroy(hidden_pool));
}

/* Each report is announced if the program gives an event and no number. */
static void an_event_without_a_number_tells_of_each_report(void **unused)
{
    zet_metric_streamer_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC,
                                       .samplingPeriod = PERIOD};
    ze_event_pool_handle_t pool;
    const ze_event_handle_t event = event_create(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, &pool);
    const zet_metric_group_handle_t group = steady(tile);
    zet_metric_streamer_handle_t streamer;
    (void)unused;
    assert_success(zetMetricStreamerOpen(context, tile, group, &desc, NULL, &streamer));
    assert_int_equal(desc.notifyEveryNReports, 0);
    assert_success(zetMetricStreamerClose(streamer));
    assert_success(zetMetricStreamerOpen(context, tile, group, &desc, event, &streamer));
    assert_int_equal(desc.notifyEveryNReports, 1);
    pass(PERIOD);
    assert_success(zeEventQueryStatus(event));
    assert_success(zetMetricStreamerClose(streamer));
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolDestroy(pool));
}

static void only_active_timed_groups_are_streamed(void **unused)
{
    zet_metric_streamer_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC,
                                       .samplingPeriod = PERIOD};
    zet_metric_streamer_handle_t streamer = NULL;
    const zet_metric_group_handle_t query = group_find(device, "Steady", QUERY);
    (void)unused;
    activate(device, query);
    assert_invalid(zetMetricStreamerOpen(context, device, query, &desc, NULL, &streamer));
    assert_invalid(zetMetricStreamerOpen(context, device, group_find(other_device, "Steady", TIMED),
                                         &desc, NULL, &streamer));
    assert_result(zetMetricStreamerOpen(context, device, group_find(device, "Other", TIMED), &desc,
                                        NULL, &streamer),
                  ZE_RESULT_NOT_READY);
    assert_null(streamer);
}

/* A device with sub-devices has a set of values for each. */
static void each_sub_device_has_a_set(void **unused)
{
    const zet_metric_group_handle_t group = steady(device);
    const zet_metric_streamer_handle_t streamer = streamer_open(device, group, PERIOD);
    const zet_metric_group_calculation_type_t type =
        ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    uint32_t sets = 0, total = 0, counts[3] = {0, 0, 77}, first;
    size_t bytes;
    (void)unused;
    pass(2 * PERIOD);
    uint8_t *data = streamer_read(streamer, &bytes);
    assert_success(zetMetricGroupCalculateMultipleMetricValuesExp(group, type, bytes, data, &sets,
                                                                  &total, NULL, NULL));
    assert_int_equal(sets, 2);
    assert_int_equal(total, 4 * METRICS);
    zet_typed_value_t values[4 * METRICS];
    sets = 3;
    assert_success(zetMetricGroupCalculateMultipleMetricValuesExp(group, type, bytes, data, &sets,
                                                                  &total, counts, values));
    assert_int_equal(sets, 2);
    assert_int_equal(total, 4 * METRICS);
    assert_int_equal(counts[0], 2 * METRICS);
    assert_int_equal(counts[1], 2 * METRICS);
    assert_int_equal(counts[2], 77);
    assert_float_equal(values[2 * METRICS + LOAD].value.fp64 - values[LOAD].value.fp64, 5000, 1e-6);
    zet_typed_value_t *set = calculate(group, data, bytes, &first);
    assert_int_equal(first, 2 * METRICS); /* the first set only */
    assert_float_equal(set[LOAD].value.fp64, values[LOAD].value.fp64, 0);
    free(set);
    total = METRICS; /* as many values as fit */
    assert_success(zetMetricGroupCalculateMultipleMetricValuesExp(group, type, bytes, data, &sets,
                                                                  &total, counts, values));
    assert_int_equal(total, METRICS);
    free(data);
    assert_success(zetMetricStreamerClose(streamer));
}

/* Data of several reads may be stored one behind the other. */
static void reads_can_be_joined(void **unused)
{
    const zet_metric_group_handle_t group = steady(device);
    const zet_metric_streamer_handle_t streamer = streamer_open(device, group, PERIOD);
    uint8_t data[8192];
    size_t first, second;
    uint32_t count;
    (void)unused;
    pass(2 * PERIOD);
    first = sizeof(data);
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &first, data));
    pass(PERIOD);
    second = sizeof(data) - first;
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &second, data + first));
    zet_typed_value_t *values = calculate(group, data, first + second, &count);
    assert_int_equal(count, 3 * METRICS);
    assert_true(values[2 * METRICS].value.ui64 > values[METRICS].value.ui64);
    free(values);
    assert_success(zetMetricStreamerClose(streamer));
}

/* ---- markers ---- */

static ze_command_list_handle_t list_create(ze_device_handle_t of)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list = NULL;
    assert_success(zeCommandListCreateImmediate(context, of, &desc, &list));
    return list;
}

/* MET-10 */
static void a_marker_is_in_the_stream(void **unused)
{
    const zet_metric_group_handle_t group = steady(device);
    const zet_metric_streamer_handle_t streamer = streamer_open(device, group, PERIOD);
    const ze_command_list_handle_t list = list_create(device);
    const zet_metric_group_calculation_type_t type =
        ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    zet_typed_value_t values[8 * METRICS];
    uint32_t sets = 2, total = 8 * METRICS, counts[2];
    size_t bytes;
    (void)unused;
    pass(PERIOD + PERIOD / 2);
    assert_success(zetCommandListAppendMetricStreamerMarker(list, streamer, 0xcafe));
    pass(PERIOD);
    assert_success(zetCommandListAppendMarkerExp(list, group, 0xbeef));
    pass(PERIOD);
    uint8_t *data = streamer_read(streamer, &bytes);
    assert_success(zetMetricGroupCalculateMultipleMetricValuesExp(group, type, bytes, data, &sets,
                                                                  &total, counts, values));
    assert_int_equal(total, 6 * METRICS);
    for (uint32_t set = 0; set < 2; set++) { /* in the streams of both sub-devices */
        const zet_typed_value_t *reports = &values[set * 3 * METRICS];
        assert_int_equal(reports[MARKER].value.ui32, 0);
        assert_int_equal(reports[METRICS + MARKER].value.ui32, 0xcafe);
        assert_int_equal(reports[2 * METRICS + MARKER].value.ui32, 0xbeef);
    }
    free(data);
    assert_success(zetMetricStreamerClose(streamer));
    assert_success(zeCommandListDestroy(list));
}

/* MET-10 */
static void a_marker_needs_the_streamers_context(void **unused)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const zet_metric_group_handle_t group = steady(device);
    const zet_metric_streamer_handle_t streamer = streamer_open(device, group, PERIOD);
    const ze_context_handle_t own = context;
    ze_context_handle_t foreign;
    (void)unused;
    assert_success(zeContextCreate(driver, &desc, &foreign));
    context = foreign;
    ze_command_list_handle_t list = list_create(device);
    context = own;
    assert_invalid(zetCommandListAppendMetricStreamerMarker(list, streamer, 1));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeContextDestroy(foreign));
    list = list_create(other_device);
    assert_invalid(zetCommandListAppendMetricStreamerMarker(list, streamer, 1));
    assert_invalid(zetCommandListAppendMarkerExp(list, group, 1));
    assert_success(zeCommandListDestroy(list));
    list = list_create(device);
    assert_invalid(zetCommandListAppendMarkerExp(list, group_find(device, "Other", TIMED), 1));
    assert_success(zeCommandListDestroy(list));
    assert_success(zetMetricStreamerClose(streamer));
}

static void a_list_outlives_the_streamer_that_it_marks(void **unused)
{
    const zet_metric_group_handle_t group = steady(device);
    const zet_metric_streamer_handle_t streamer = streamer_open(device, group, PERIOD);
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    (void)unused;
    assert_success(zeCommandListCreate(context, device, &desc, &list));
    assert_success(zeCommandQueueCreate(context, device, &queue_desc, &queue));
    assert_success(zetCommandListAppendMetricStreamerMarker(list, streamer, 5));
    assert_success(zeCommandListClose(list));
    assert_success(zetMetricStreamerClose(streamer));
    assert_invalid(zetMetricStreamerClose(streamer));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL)); /* has no effect */
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        METRIC_CASE(reports_have_the_values_of_their_periods),
        METRIC_CASE(maxima_are_one_report),
        METRIC_CASE(the_descriptor_tells_the_real_values),
        METRIC_CASE(only_whole_reports_are_read),
        METRIC_CASE(lost_reports_are_told_once),
        METRIC_CASE(an_event_tells_that_reports_are_ready),
        METRIC_CASE(an_event_without_a_number_tells_of_each_report),
        METRIC_CASE(only_active_timed_groups_are_streamed),
        METRIC_CASE(each_sub_device_has_a_set),
        METRIC_CASE(reads_can_be_joined),
        METRIC_CASE(a_marker_is_in_the_stream),
        METRIC_CASE(a_marker_needs_the_streamers_context),
        METRIC_CASE(a_list_outlives_the_streamer_that_it_marks),
    };
    return cmocka_run_group_tests_name("metric_streamer", cases, metric_setup, metric_teardown);
}
