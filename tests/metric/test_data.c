/* Raw data that programs pass back: exported, cut, damaged, of another group. */
#include "metric.h"

#define PERIOD 100000000u

enum { METRICS = 6 };
static const zet_metric_group_calculation_type_t values_type =
    ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;

/* Reads `reports` reports of the group "Steady" of a device; the caller frees them. */
static uint8_t *data_make(ze_device_handle_t of, uint32_t reports, size_t *bytes)
{
    const zet_metric_group_handle_t group = group_find(of, "Steady", TIMED);
    activate(of, group);
    const zet_metric_streamer_handle_t streamer = streamer_open(of, group, PERIOD);
    pass(reports * (uint64_t)PERIOD);
    uint8_t *data = streamer_read(streamer, bytes);
    assert_success(zetMetricStreamerClose(streamer));
    return data;
}

static uint8_t *export_make(const uint8_t *data, size_t bytes, size_t *exported)
{
    const zet_metric_group_handle_t group = group_find(device, "Steady", TIMED);
    *exported = 0;
    assert_success(zetMetricGroupGetExportDataExp(group, data, bytes, exported, NULL));
    uint8_t *copy = malloc(*exported);
    assert_non_null(copy);
    assert_success(zetMetricGroupGetExportDataExp(group, data, bytes, exported, copy));
    return copy;
}

static ze_result_t export_calculate(const uint8_t *data, size_t bytes, uint32_t skip,
                                    uint32_t *sets, uint32_t *total, uint32_t *counts,
                                    zet_typed_value_t *values)
{
    zet_metric_calculate_exp_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_CALCULATE_EXP_DESC,
                                            .rawReportSkipCount = skip};
    return zetMetricGroupCalculateMetricExportDataExp(driver, values_type, bytes, data, &desc, sets,
                                                      total, counts, values);
}

static void exported_data_has_the_same_values(void **unused)
{
    size_t bytes, exported;
    uint8_t *data = data_make(device, 4, &bytes), *copy = export_make(data, bytes, &exported);
    zet_typed_value_t values[8 * METRICS], again[8 * METRICS];
    uint32_t sets = 2, total = 8 * METRICS, counts[2], again_counts[2];
    (void)unused;
    assert_success(zetMetricGroupCalculateMultipleMetricValuesExp(
        group_find(device, "Steady", TIMED), values_type, bytes, data, &sets, &total, counts,
        values));
    assert_int_equal(total, 8 * METRICS);
    sets = total = 0;
    assert_success(export_calculate(copy, exported, 0, &sets, &total, NULL, NULL));
    assert_int_equal(sets, 2);
    assert_int_equal(total, 8 * METRICS);
    assert_success(export_calculate(copy, exported, 0, &sets, &total, again_counts, again));
    assert_memory_equal(counts, again_counts, sizeof(counts));
    for (uint32_t i = 0; i < total; i++) {
        assert_int_equal(values[i].type, again[i].type);
        assert_int_equal(values[i].value.ui64, again[i].value.ui64);
    }
    size_t small = exported - 1;
    assert_result(zetMetricGroupGetExportDataExp(group_find(device, "Steady", TIMED), data, bytes,
                                                 &small, copy),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    free(copy);
    free(data);
}

static void reports_of_exported_data_are_skipped(void **unused)
{
    size_t bytes, exported;
    uint8_t *data = data_make(device, 5, &bytes), *copy = export_make(data, bytes, &exported);
    zet_typed_value_t all[10 * METRICS], some[10 * METRICS];
    uint32_t sets = 2, total = 10 * METRICS, counts[2];
    (void)unused;
    assert_success(export_calculate(copy, exported, 0, &sets, &total, counts, all));
    assert_success(export_calculate(copy, exported, 1, &sets, &total, counts, some));
    assert_int_equal(total, 6 * METRICS); /* the first, third and fifth */
    assert_int_equal(counts[0], 3 * METRICS);
    assert_int_equal(some[METRICS].value.ui64, all[2 * METRICS].value.ui64);
    total = 10 * METRICS;
    assert_success(export_calculate(copy, exported, UINT32_MAX, &sets, &total, counts, some));
    assert_int_equal(total, 2 * METRICS);
    free(copy);
    free(data);
}

static void data_of_another_group_is_refused(void **unused)
{
    size_t bytes, exported = 0;
    uint8_t *data = data_make(device, 3, &bytes); /* 8 reports of the other group for each part */
    const zet_metric_group_handle_t other = group_find(device, "Other", TIMED);
    uint32_t count = 0;
    (void)unused;
    assert_invalid(
        zetMetricGroupCalculateMetricValues(other, values_type, bytes, data, &count, NULL));
    assert_non_null(strstr(metric_error(), "Other"));
    assert_invalid(zetMetricGroupGetExportDataExp(other, data, bytes, &exported, NULL));
    assert_success(zetMetricGroupCalculateMetricValues(group_find(other_device, "Steady", TIMED),
                                                       values_type, bytes, data, &count, NULL));
    free(data);
}

static void no_data_has_no_values(void **unused)
{
    const uint8_t nothing = 0;
    uint32_t count = 5;
    (void)unused;
    assert_success(zetMetricGroupCalculateMetricValues(group_find(device, "Steady", TIMED),
                                                       values_type, 0, &nothing, &count, NULL));
    assert_int_equal(count, 0);
}

/* Every length is tried with an allocation of that length, so that a sanitizer sees each read
 * beyond it. */
static void cut_data_is_refused(void **unused)
{
    size_t bytes, exported;
    uint8_t *data = data_make(device, 2, &bytes), *copy = export_make(data, bytes, &exported);
    const zet_metric_group_handle_t group = group_find(device, "Steady", TIMED);
    (void)unused;
    for (size_t length = 1; length < exported; length++) {
        uint32_t count = 0, sets = 0;
        uint8_t *cut = malloc(length);
        assert_non_null(cut);
        memcpy(cut, copy, length);
        assert_result(export_calculate(cut, length, 0, &sets, &count, NULL, NULL),
                      ZE_RESULT_ERROR_INVALID_SIZE);
        if (length < bytes) {
            memcpy(cut, data, length);
            assert_result(
                zetMetricGroupCalculateMetricValues(group, values_type, length, cut, &count, NULL),
                ZE_RESULT_ERROR_INVALID_SIZE);
        }
        free(cut);
    }
    free(copy);
    free(data);
}

/* Changes each byte. Heads and sizes must be refused; other values of reports are only other
 * values. */
static void damaged_data_does_no_harm(void **unused)
{
    size_t bytes, exported;
    uint8_t *data = data_make(device, 2, &bytes), *copy = export_make(data, bytes, &exported);
    zet_typed_value_t values[4 * METRICS];
    uint32_t refused = 0;
    (void)unused;
    for (size_t i = 0; i < exported; i++) {
        for (int bit = 0; bit < 8; bit++) {
            uint32_t sets = 2, total = 4 * METRICS, counts[2];
            copy[i] ^= (uint8_t)(1 << bit);
            const ze_result_t result =
                export_calculate(copy, exported, 0, &sets, &total, counts, values);
            assert_true(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_INVALID_SIZE ||
                        result == ZE_RESULT_ERROR_INVALID_ARGUMENT);
            assert_true(i >= 32 || result != ZE_RESULT_SUCCESS); /* magic, identity, size */
            refused += result != ZE_RESULT_SUCCESS;
            copy[i] ^= (uint8_t)(1 << bit);
        }
    }
    assert_true(refused > (exported - bytes) * 7);
    free(copy);
    free(data);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        METRIC_CASE(exported_data_has_the_same_values),
        METRIC_CASE(reports_of_exported_data_are_skipped),
        METRIC_CASE(data_of_another_group_is_refused),
        METRIC_CASE(no_data_has_no_values),
        METRIC_CASE(cut_data_is_refused),
        METRIC_CASE(damaged_data_does_no_harm),
    };
    return cmocka_run_group_tests_name("metric_data", cases, metric_setup, metric_teardown);
}
