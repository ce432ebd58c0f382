/* Metric groups: what there is, what is active, and what can be active together. */
#include "metric.h"

static zet_metric_group_properties_t properties_of(zet_metric_group_handle_t group)
{
    zet_metric_group_properties_t properties = {.stype =
                                                    ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES};
    assert_success(zetMetricGroupGetProperties(group, &properties));
    return properties;
}

/* MET-5 */
static void groups_are_listed_by_the_protocol(void **unused)
{
    zet_metric_group_handle_t groups[8] = {NULL}, again[8] = {NULL};
    uint32_t count = 0;
    (void)unused;
    assert_success(zetMetricGroupGet(device, &count, NULL));
    assert_int_equal(count, 6);
    count = 8;
    assert_success(zetMetricGroupGet(device, &count, groups));
    assert_int_equal(count, 6);
    count = 2;
    assert_success(zetMetricGroupGet(device, &count, again));
    assert_int_equal(count, 2);
    assert_ptr_equal(again[0], groups[0]); /* handles do not change */
    assert_ptr_equal(again[1], groups[1]);
    assert_null(again[2]);
    count = 8;
    assert_success(zetMetricGroupGet(tile, &count, again));
    assert_int_equal(count, 6);
    assert_ptr_not_equal(again[0], groups[0]);
}

/* MET-2, MET-3, MET-5 */
static void a_group_tells_its_properties(void **unused)
{
    zet_metric_group_properties_t properties;
    (void)unused;
    properties = properties_of(group_find(device, "Steady", TIMED));
    assert_string_equal(properties.name, "Steady");
    assert_string_equal(properties.description, "values over time");
    assert_int_equal(properties.samplingType, TIMED);
    assert_int_equal(properties.domain, 0);
    assert_int_equal(properties.metricCount, 6);
    properties = properties_of(group_find(device, "Steady", QUERY)); /* the same name */
    assert_int_equal(properties.samplingType, QUERY);
    assert_int_equal(properties.metricCount, 2);
    assert_int_equal(properties_of(group_find(device, "Other", TIMED)).domain, 1);
}

static void a_group_tells_more_in_its_chain(void **unused)
{
    zet_export_dma_buf_exp_properties_t memory = {
        .stype = ZET_STRUCTURE_TYPE_EXPORT_DMA_EXP_PROPERTIES, .fd = 7, .size = 7};
    zet_metric_source_id_exp_t source = {.stype = ZET_STRUCTURE_TYPE_METRIC_SOURCE_ID_EXP,
                                         .pNext = &memory};
    zet_metric_group_type_exp_t type = {.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_TYPE_EXP,
                                        .pNext = &source};
    zet_metric_global_timestamps_resolution_exp_t timer = {
        .stype = ZET_STRUCTURE_TYPE_METRIC_GLOBAL_TIMESTAMPS_RESOLUTION_EXP, .pNext = &type};
    zet_metric_group_properties_t properties = {.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES,
                                                .pNext = &timer};
    (void)unused;
    assert_success(zetMetricGroupGetProperties(group_find(device, "Steady", TIMED), &properties));
    assert_ptr_equal(properties.pNext, &timer);
    assert_int_equal(timer.timerResolution, 1000000);
    assert_int_equal(timer.timestampValidBits, 40);
    assert_int_equal(type.type, ZET_METRIC_GROUP_TYPE_EXP_FLAG_MARKER);
    assert_int_equal(source.sourceId, 3);
    assert_int_equal(memory.fd, -1);
    assert_int_equal(memory.size, 0);
}

/* MET-5 */
static void a_metric_tells_its_properties(void **unused)
{
    zet_metric_handle_t metrics[8] = {NULL};
    zet_metric_properties_t properties = {.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES};
    const zet_metric_group_handle_t group = group_find(device, "Steady", TIMED);
    uint32_t count = 0;
    (void)unused;
    assert_success(zetMetricGet(group, &count, NULL));
    assert_int_equal(count, 6);
    assert_success(zetMetricGet(group, &count, metrics));
    assert_success(zetMetricGetProperties(metrics[1], &properties));
    assert_string_equal(properties.name, "Instructions");
    assert_string_equal(properties.description, "instructions retired");
    assert_string_equal(properties.component, "core");
    assert_int_equal(properties.tierNumber, 2);
    assert_int_equal(properties.metricType, ZET_METRIC_TYPE_EVENT);
    assert_int_equal(properties.resultType, ZET_VALUE_TYPE_UINT64);
    assert_string_equal(properties.resultUnits, "events");
    assert_success(zetMetricGetProperties(metrics[5], &properties));
    assert_string_equal(properties.name, "Marker"); /* the order of the group */
}

/* MET-4 */
static void groups_of_one_domain_are_not_active_together(void **unused)
{
    zet_metric_group_handle_t both[2] = {group_find(device, "Steady", TIMED),
                                         group_find(device, "Steady", QUERY)};
    (void)unused;
    assert_invalid(zetContextActivateMetricGroups(context, device, 2, both));
    assert_non_null(strstr(metric_error(), "Steady"));
    both[1] = group_find(device, "Other", TIMED);
    assert_success(zetContextActivateMetricGroups(context, device, 2, both));
}

static ze_result_t open_result(zet_metric_group_handle_t group)
{
    zet_metric_streamer_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC,
                                       .samplingPeriod = 1000000};
    zet_metric_streamer_handle_t streamer;
    const ze_result_t result =
        zetMetricStreamerOpen(context, device, group, &desc, NULL, &streamer);
    if (result == ZE_RESULT_SUCCESS) {
        assert_success(zetMetricStreamerClose(streamer));
    }
    return result;
}

/* MET-6 */
static void activation_replaces_the_active_groups(void **unused)
{
    const zet_metric_group_handle_t steady = group_find(device, "Steady", TIMED),
                                    other = group_find(device, "Other", TIMED);
    (void)unused;
    activate(device, steady);
    assert_success(open_result(steady));
    activate(device, other); /* replaces it */
    assert_result(open_result(steady), ZE_RESULT_NOT_READY);
    assert_success(open_result(other));
    assert_success(zetContextActivateMetricGroups(context, device, 0, NULL));
    assert_result(open_result(other), ZE_RESULT_NOT_READY);
}

/* MET-6, MET-7 */
static void nothing_is_activated_while_something_collects(void **unused)
{
    zet_metric_group_handle_t steady = group_find(device, "Steady", TIMED),
                              other = group_find(device, "Other", TIMED);
    (void)unused;
    activate(device, steady);
    const zet_metric_streamer_handle_t streamer = streamer_open(device, steady, 1000000);
    assert_result(zetContextActivateMetricGroups(context, device, 1, &other),
                  ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_result(zetContextActivateMetricGroups(context, device, 0, NULL),
                  ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(open_result(steady)); /* still active */
    assert_success(zetContextActivateMetricGroups(context, other_device, 0, NULL));
    assert_success(zetMetricStreamerClose(streamer));
    assert_success(zetContextActivateMetricGroups(context, device, 1, &other));
}

static void a_sub_device_is_busy_with_its_device(void **unused)
{
    const zet_metric_group_handle_t steady = group_find(device, "Steady", TIMED);
    (void)unused;
    activate(device, steady);
    const zet_metric_streamer_handle_t streamer = streamer_open(device, steady, 1000000);
    assert_result(zetContextActivateMetricGroups(context, tile, 0, NULL),
                  ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zetMetricStreamerClose(streamer));
    assert_success(zetContextActivateMetricGroups(context, tile, 0, NULL));
}

static void groups_of_other_devices_are_refused(void **unused)
{
    zet_metric_group_handle_t group = group_find(other_device, "Steady", TIMED);
    (void)unused;
    assert_invalid(zetContextActivateMetricGroups(context, device, 1, &group));
    group = group_find(tile, "Steady", TIMED);
    assert_invalid(zetContextActivateMetricGroups(context, device, 1, &group));
    group = (zet_metric_group_handle_t)(void *)context;
    assert_invalid(zetContextActivateMetricGroups(context, device, 1, &group));
}

static void a_refusal_of_the_system_is_told(void **unused)
{
    zet_metric_group_handle_t denied = group_find(device, "Denied", TIMED);
    (void)unused;
    assert_result(zetContextActivateMetricGroups(context, device, 1, &denied),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_non_null(strstr(metric_error(), "perf_event_paranoid is 4"));
    assert_result(open_result(denied), ZE_RESULT_NOT_READY);
}

static void groups_are_enabled_at_run_time(void **unused)
{
    zet_metric_group_handle_t groups[8];
    uint32_t count = 8;
    (void)unused;
    assert_success(zetDeviceEnableMetricsExp(device));
    assert_success(zetMetricGroupGet(device, &count, groups));
    assert_int_equal(count, 7);
    assert_string_equal(properties_of(groups[6]).name, "Rare");
    assert_success(zetDeviceDisableMetricsExp(device));
    assert_success(zetMetricGroupGet(device, &count, groups));
    assert_int_equal(count, 6);
}

static void metrics_are_not_disabled_while_groups_are_active(void **unused)
{
    zet_metric_group_handle_t whole = group_find(device, "Steady", TIMED),
                              part = group_find(tile, "Steady", TIMED);
    (void)unused;
    assert_success(zetDeviceEnableMetricsExp(device));
    assert_success(zetContextActivateMetricGroups(context, device, 1, &whole));
    assert_result(zetDeviceDisableMetricsExp(device), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_non_null(strstr(metric_error(), "deactivate them"));
    assert_success(zetDeviceEnableMetricsExp(device)); /* enabling again is no change */
    assert_success(zetContextActivateMetricGroups(context, device, 0, NULL));
    assert_success(zetContextActivateMetricGroups(context, tile, 1, &part));
    assert_result(zetDeviceDisableMetricsExp(tile), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_result(zetDeviceDisableMetricsExp(device), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zetContextActivateMetricGroups(context, tile, 0, NULL));
    assert_success(zetDeviceDisableMetricsExp(tile));
    assert_success(zetDeviceDisableMetricsExp(device));
}

static void groups_are_sorted_into_concurrent_sets(void **unused)
{
    const zet_metric_group_handle_t steady = group_find(device, "Steady", TIMED),
                                    query = group_find(device, "Steady", QUERY),
                                    other = group_find(device, "Other", TIMED);
    zet_metric_group_handle_t groups[3] = {steady, query, other};
    uint32_t sets = 0, sizes[3] = {0};
    (void)unused;
    assert_success(zetDeviceGetConcurrentMetricGroupsExp(device, 3, groups, NULL, &sets));
    assert_int_equal(sets, 2);
    assert_ptr_equal(groups[1], query);
    assert_success(zetDeviceGetConcurrentMetricGroupsExp(device, 3, groups, sizes, &sets));
    assert_int_equal(sets, 2);
    assert_int_equal(sizes[0], 2);
    assert_int_equal(sizes[1], 1);
    assert_ptr_equal(groups[0], steady);
    assert_ptr_equal(groups[1], other);
    assert_ptr_equal(groups[2], query);
    assert_success(zetContextActivateMetricGroups(context, device, sizes[0], groups));
    groups[0] = group_find(other_device, "Other", TIMED);
    assert_invalid(zetDeviceGetConcurrentMetricGroupsExp(device, 3, groups, NULL, &sets));
}

static void timestamps_of_two_clocks_belong_together(void **unused)
{
    const zet_metric_group_handle_t group = group_find(device, "Steady", TIMED);
    uint64_t global = 0, first = 0, second = 0;
    (void)unused;
    pass(SECOND);
    assert_success(zetMetricGroupGetGlobalTimestampsExp(group, 0, &global, &first));
    assert_int_equal(global, now_ns());
    assert_int_equal(first, now_ns() / 1000); /* its timer has 1 MHz */
    pass(SECOND);
    assert_success(zetMetricGroupGetGlobalTimestampsExp(group, 1, &global, &second));
    assert_int_equal(second - first, 1000000);
    assert_true(global > 0);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        METRIC_CASE(groups_are_listed_by_the_protocol),
        METRIC_CASE(a_group_tells_its_properties),
        METRIC_CASE(a_group_tells_more_in_its_chain),
        METRIC_CASE(a_metric_tells_its_properties),
        METRIC_CASE(groups_of_one_domain_are_not_active_together),
        METRIC_CASE(activation_replaces_the_active_groups),
        METRIC_CASE(nothing_is_activated_while_something_collects),
        METRIC_CASE(a_sub_device_is_busy_with_its_device),
        METRIC_CASE(groups_of_other_devices_are_refused),
        METRIC_CASE(a_refusal_of_the_system_is_told),
        METRIC_CASE(groups_are_enabled_at_run_time),
        METRIC_CASE(metrics_are_not_disabled_while_groups_are_active),
        METRIC_CASE(groups_are_sorted_into_concurrent_sets),
        METRIC_CASE(timestamps_of_two_clocks_belong_together),
    };
    return cmocka_run_group_tests_name("metric_groups", cases, metric_setup, metric_teardown);
}
