/* The harness of the tests of metrics. See metric.h. */
#include "metric.h"

#include <stdio.h>

ze_driver_handle_t driver;
ze_context_handle_t context;
ze_device_handle_t device, other_device, tile;

static ze_result_t (*set_time)(uint64_t);
static uint64_t now;

void metric_assert_result(ze_result_t actual, ze_result_t expected, const char *call,
                          const char *file, int line)
{
    if (actual != expected) {
        print_error("%s: 0x%x instead of 0x%x (%s)\n", call, (unsigned)actual, (unsigned)expected,
                    driver ? metric_error() : "");
        _assert_int_equal(actual, expected, file, line);
    }
}

const char *metric_error(void)
{
    const char *text = "";
    return zeDriverGetLastErrorDescription(driver, &text) == ZE_RESULT_SUCCESS ? text : "";
}

int metric_setup(void **unused)
{
    ze_device_handle_t devices[2];
    uint32_t count = 1;
    zes_driver_handle_t sysman;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    void *found = NULL;
    (void)unused;
    assert_success(zeInit(0));
    assert_success(zeDriverGet(&count, &driver));
    count = 2;
    assert_success(zeDeviceGet(driver, &count, devices));
    assert_int_equal(count, 2);
    device = devices[0];
    other_device = devices[1];
    count = 1;
    assert_success(zeDeviceGetSubDevices(device, &count, &tile));
    assert_success(zeContextCreate(driver, &desc, &context));
    assert_success(zesInit(0));
    assert_success(zesDriverGet(&count, &sysman));
    assert_success(zesDriverGetExtensionFunctionAddress(sysman, "geoidSimulatedSetTime", &found));
    memcpy(&set_time, &found, sizeof(found));
    return 0;
}

int metric_teardown(void **unused)
{
    metric_reset(unused);
    assert_success(zeContextDestroy(context));
    return 0;
}

int metric_reset(void **unused)
{
    (void)unused;
    assert_success(zetContextActivateMetricGroups(context, device, 0, NULL));
    assert_success(zetContextActivateMetricGroups(context, other_device, 0, NULL));
    return 0;
}

void pass(uint64_t nanoseconds)
{
    now += nanoseconds;
    assert_success(set_time(now));
}

uint64_t now_ns(void)
{
    return now;
}

zet_metric_group_handle_t group_find(ze_device_handle_t of, const char *name,
                                     zet_metric_group_sampling_type_flags_t sampling)
{
    zet_metric_group_handle_t groups[16];
    uint32_t count = 16;
    assert_success(zetMetricGroupGet(of, &count, groups));
    for (uint32_t i = 0; i < count; i++) {
        zet_metric_group_properties_t properties = {.stype =
                                                        ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES};
        assert_success(zetMetricGroupGetProperties(groups[i], &properties));
        if (strcmp(properties.name, name) == 0 && properties.samplingType == sampling) {
            return groups[i];
        }
    }
    fail_msg("no group %s", name);
    return NULL;
}

void activate(ze_device_handle_t of, zet_metric_group_handle_t group)
{
    assert_success(zetContextActivateMetricGroups(context, of, 1, &group));
}

zet_metric_streamer_handle_t streamer_open(ze_device_handle_t of, zet_metric_group_handle_t group,
                                           uint32_t period)
{
    zet_metric_streamer_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC,
                                       .samplingPeriod = period};
    zet_metric_streamer_handle_t streamer = NULL;
    assert_success(zetMetricStreamerOpen(context, of, group, &desc, NULL, &streamer));
    return streamer;
}

uint8_t *streamer_read(zet_metric_streamer_handle_t streamer, size_t *bytes)
{
    *bytes = 0;
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, bytes, NULL));
    uint8_t *data = malloc(*bytes + 1);
    assert_non_null(data);
    if (*bytes) {
        assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, bytes, data));
    }
    return data;
}

zet_typed_value_t *calculate(zet_metric_group_handle_t group, const uint8_t *data, size_t bytes,
                             uint32_t *count)
{
    const zet_metric_group_calculation_type_t type =
        ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    *count = 0;
    assert_success(zetMetricGroupCalculateMetricValues(group, type, bytes, data, count, NULL));
    zet_typed_value_t *values = calloc(*count + 1u, sizeof(*values));
    assert_non_null(values);
    assert_success(zetMetricGroupCalculateMetricValues(group, type, bytes, data, count, values));
    return values;
}
