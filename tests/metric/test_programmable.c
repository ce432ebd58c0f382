/* Programmable metrics, and metrics and groups that programs make. */
#include "metric.h"

static zet_metric_programmable_exp_handle_t programmable_get(uint32_t index)
{
    zet_metric_programmable_exp_handle_t handles[4];
    uint32_t count = 4;
    assert_success(zetMetricProgrammableGetExp(device, &count, handles));
    assert_int_equal(count, 2);
    return handles[index];
}

/* Makes one metric "M" of a programmable metric. */
static zet_metric_handle_t metric_make(uint32_t programmable)
{
    zet_metric_programmable_param_value_exp_t values[2] = {{.value.ui64 = 1}, {.value.ui64 = 64}};
    zet_metric_handle_t metric = NULL;
    uint32_t count = 1;
    assert_success(zetMetricCreateFromProgrammableExp2(programmable_get(programmable),
                                                       programmable ? 0 : 2, values, "M",
                                                       "made by a test", &count, &metric));
    assert_int_equal(count, 1);
    return metric;
}

static void programmable_metrics_are_described(void **unused)
{
    zet_metric_programmable_exp_properties_t properties = {
        .stype = ZET_STRUCTURE_TYPE_METRIC_PROGRAMMABLE_EXP_PROPERTIES};
    zet_metric_programmable_param_info_exp_t infos[3];
    zet_metric_programmable_param_value_info_exp_t values[3];
    const zet_metric_programmable_exp_handle_t programmable = programmable_get(0);
    uint32_t count = 3;
    (void)unused;
    memset(infos, 0, sizeof(infos));
    memset(values, 0, sizeof(values));
    for (uint32_t i = 0; i < 3; i++) {
        infos[i].stype = ZET_STRUCTURE_TYPE_METRIC_PROGRAMMABLE_PARAM_INFO_EXP;
        values[i].stype = ZET_STRUCTURE_TYPE_METRIC_PROGRAMMABLE_PARAM_VALUE_INFO_EXP;
    }
    assert_success(zetMetricProgrammableGetPropertiesExp(programmable, &properties));
    assert_int_equal(properties.stype, ZET_STRUCTURE_TYPE_METRIC_PROGRAMMABLE_EXP_PROPERTIES);
    assert_string_equal(properties.name, "Bytes");
    assert_string_equal(properties.description, "bytes by channel");
    assert_string_equal(properties.component, "memory");
    assert_int_equal(properties.tierNumber, 4);
    assert_int_equal(properties.domain, 6);
    assert_int_equal(properties.sourceId, 8);
    assert_int_equal(properties.parameterCount, 2);
    assert_int_equal(properties.samplingType, TIMED | QUERY);
    assert_success(zetMetricProgrammableGetParamInfoExp(programmable, &count, infos));
    assert_int_equal(count, 2);
    assert_string_equal(infos[1].name, "unit");
    assert_int_equal(infos[0].type, ZET_METRIC_PROGRAMMABLE_PARAM_TYPE_EXP_DISAGGREGATION);
    assert_int_equal(infos[1].valueInfoType, ZET_VALUE_INFO_TYPE_EXP_UINT64_RANGE);
    assert_int_equal(infos[1].defaultValue.ui64, 1);
    assert_int_equal(infos[1].valueInfoCount, 2);
    count = 3;
    assert_success(zetMetricProgrammableGetParamValueInfoExp(programmable, 1, &count, values));
    assert_int_equal(count, 2);
    assert_int_equal(values[1].valueInfo.ui64Range.ui64Min, 64);
    assert_string_equal(values[1].description, "lines");
    assert_invalid(zetMetricProgrammableGetParamValueInfoExp(programmable, 2, &count, values));
    count = 0;
    assert_invalid(zetMetricProgrammableGetParamInfoExp(programmable, &count, infos));
}

static void parameters_choose_the_metrics(void **unused)
{
    zet_metric_programmable_param_value_exp_t values[3] = {{.value.ui64 = 3}, {.value.ui64 = 64}};
    zet_metric_properties_t properties = {.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES};
    zet_metric_handle_t metrics[4] = {NULL};
    const zet_metric_programmable_exp_handle_t programmable = programmable_get(0);
    uint32_t count = 0;
    (void)unused;
    assert_success(zetMetricCreateFromProgrammableExp2(programmable, 2, values, "Bytes",
                                                       "bytes of a channel", &count, NULL));
    assert_int_equal(count, 3);
    count = 4;
    assert_success(zetMetricCreateFromProgrammableExp(programmable, values, 2, "Bytes",
                                                      "bytes of a channel", &count, metrics));
    assert_int_equal(count, 3);
    assert_success(zetMetricGetProperties(metrics[2], &properties));
    assert_string_equal(properties.name, "Bytes.2");
    assert_string_equal(properties.description, "bytes of a channel");
    assert_string_equal(properties.resultUnits, "bytes");
    for (uint32_t i = 0; i < count; i++) {
        assert_success(zetMetricDestroyExp(metrics[i]));
    }
    values[1].value.ui64 = 65; /* not a possible value */
    assert_invalid(
        zetMetricCreateFromProgrammableExp2(programmable, 2, values, "Bytes", "", &count, metrics));
    assert_non_null(strstr(metric_error(), "unit"));
    values[1].value.ui64 = 64;
    assert_invalid(
        zetMetricCreateFromProgrammableExp2(programmable, 3, values, "Bytes", "", &count, metrics));
    char name[ZET_MAX_METRIC_NAME + 1];
    memset(name, 'n', sizeof(name));
    name[ZET_MAX_METRIC_NAME] = '\0';
    assert_invalid(
        zetMetricCreateFromProgrammableExp2(programmable, 0, values, name, "", &count, metrics));
}

static void a_made_group_is_measured(void **unused)
{
    const zet_metric_handle_t metric = metric_make(0);
    zet_metric_group_type_exp_t type = {.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_TYPE_EXP};
    zet_metric_group_properties_t properties = {.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES,
                                                .pNext = &type};
    zet_metric_group_handle_t group = NULL;
    zet_metric_handle_t same = NULL;
    size_t bytes;
    uint32_t count = 1;
    (void)unused;
    assert_success(zetMetricGroupCreateExp(device, "Mine", "made by a test", TIMED, &group));
    assert_invalid(zetMetricGroupCloseExp(group)); /* empty */
    assert_invalid(zetContextActivateMetricGroups(context, device, 1, &group));
    assert_success(zetMetricGroupAddMetricExp(group, metric, NULL, NULL));
    assert_success(zetMetricGroupAddMetricExp(group, metric, NULL, NULL)); /* once */
    assert_success(zetMetricGroupCloseExp(group));
    assert_success(zetMetricGroupGetProperties(group, &properties));
    assert_string_equal(properties.name, "Mine");
    assert_string_equal(properties.description, "made by a test");
    assert_int_equal(properties.metricCount, 1);
    assert_int_equal(properties.domain, 6);
    assert_int_equal(properties.samplingType, TIMED);
    assert_true(type.type & ZET_METRIC_GROUP_TYPE_EXP_FLAG_USER_CREATED);
    assert_success(zetMetricGet(group, &count, &same));
    assert_ptr_equal(same, metric);
    activate(device, group);
    const zet_metric_streamer_handle_t streamer = streamer_open(device, group, 100000000);
    pass(SECOND / 10);
    uint8_t *data = streamer_read(streamer, &bytes);
    zet_typed_value_t *values = calculate(group, data, bytes, &count);
    assert_int_equal(count, 1);
    assert_int_equal(values[0].value.ui64, 6400); /* 100 times 64 */
    free(values);
    free(data);
    assert_result(zetMetricGroupRemoveMetricExp(group, metric),
                  ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_result(zetMetricGroupDestroyExp(group), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zetMetricStreamerClose(streamer));
    assert_success(zetContextActivateMetricGroups(context, device, 0, NULL));
    assert_result(zetMetricDestroyExp(metric), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zetMetricGroupRemoveMetricExp(group, metric));
    assert_invalid(zetMetricGroupRemoveMetricExp(group, metric));
    assert_invalid(zetContextActivateMetricGroups(context, device, 1, &group)); /* open again */
    assert_success(zetMetricDestroyExp(metric));
    assert_success(zetMetricGroupDestroyExp(group));
}

static void a_metric_that_does_not_fit_is_refused_with_a_reason(void **unused)
{
    const zet_metric_handle_t bytes = metric_make(0), stalls = metric_make(1);
    zet_metric_group_handle_t group = NULL;
    zet_metric_handle_t described;
    char reason[256] = "", cut[8];
    size_t size = 0;
    uint32_t count = 1;
    (void)unused;
    assert_success(zetMetricGroupCreateExp(device, "Mine", "", TIMED, &group));
    assert_success(zetMetricGroupAddMetricExp(group, bytes, NULL, NULL));
    assert_invalid(zetMetricGroupAddMetricExp(group, stalls, &size, NULL));
    assert_true(size > 8 && size <= sizeof(reason));
    assert_invalid(zetMetricGroupAddMetricExp(group, stalls, &size, reason));
    assert_int_equal(strlen(reason) + 1, size);
    assert_non_null(strstr(reason, "domain 7"));
    size = sizeof(cut);
    memset(cut, 'x', sizeof(cut));
    assert_invalid(zetMetricGroupAddMetricExp(group, stalls, &size, cut));
    assert_int_equal(cut[7], '\0');
    assert_success(zetMetricGet(group_find(device, "Other", TIMED), &count, &described));
    assert_invalid(zetMetricGroupAddMetricExp(group, described, NULL, NULL));
    assert_invalid(zetMetricDestroyExp(described));
    assert_invalid(
        zetMetricGroupAddMetricExp(group_find(device, "Other", TIMED), bytes, NULL, NULL));
    assert_invalid(zetMetricGroupDestroyExp(group_find(device, "Other", TIMED)));
    assert_success(zetMetricGroupDestroyExp(group));
    assert_success(zetMetricDestroyExp(bytes));
    assert_success(zetMetricDestroyExp(stalls));
}

static void groups_are_made_for_metrics(void **unused)
{
    zet_metric_handle_t metrics[3] = {metric_make(0), metric_make(1), metric_make(0)};
    zet_metric_group_handle_t groups[3] = {NULL};
    zet_metric_group_properties_t properties = {.stype =
                                                    ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES};
    uint32_t count = 0;
    (void)unused;
    assert_success(zetDeviceCreateMetricGroupsFromMetricsExp(device, 3, metrics, "Auto", "made",
                                                             &count, NULL));
    assert_int_equal(count, 2);
    assert_success(zetMetricDestroyExp(metrics[0])); /* the question left nothing behind */
    metrics[0] = metric_make(0);
    count = 3;
    assert_success(zetDeviceCreateMetricGroupsFromMetricsExp(device, 3, metrics, "Auto", "made",
                                                             &count, groups));
    assert_int_equal(count, 2);
    assert_success(zetMetricGroupGetProperties(groups[0], &properties));
    assert_int_equal(properties.metricCount, 2);
    assert_memory_equal(properties.name, "Auto", 4);
    assert_int_equal(properties.samplingType, TIMED | QUERY);
    assert_success(zetContextActivateMetricGroups(context, device, 2, groups)); /* complete */
    assert_success(zetContextActivateMetricGroups(context, device, 0, NULL));
    assert_invalid(zetDeviceCreateMetricGroupsFromMetricsExp(other_device, 3, metrics, "Auto", "",
                                                             &count, groups));
    for (uint32_t i = 0; i < 2; i++) {
        assert_success(zetMetricGroupDestroyExp(groups[i]));
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_success(zetMetricDestroyExp(metrics[i]));
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        METRIC_CASE(programmable_metrics_are_described),
        METRIC_CASE(parameters_choose_the_metrics),
        METRIC_CASE(a_made_group_is_measured),
        METRIC_CASE(a_metric_that_does_not_fit_is_refused_with_a_reason),
        METRIC_CASE(groups_are_made_for_metrics),
    };
    return cmocka_run_group_tests_name("metric_programmable", cases, metric_setup, metric_teardown);
}
