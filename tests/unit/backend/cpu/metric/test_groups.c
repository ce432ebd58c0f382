/* Metrics of the CPU: groups, the values that follow from reports, and groups of programs. */
#include "metric_fixture.h"

#include "backend/cpu/metric/group.h"
#include "base/strbuf.h"

#include <stdlib.h>

/* ---- groups ---- */

/* MET-2, MET-3 */
static void groups_are_described(void **state)
{
    uint32_t count;
    const struct geo_metric_group *const *groups = metric->groups(cpu.device, &count);
    (void)state;
    assert_true(count >= 7);
    assert_ptr_not_equal(group_get("Operations", TIMED), group_get("Operations", QUERY));
    assert_true(group_get("Operations", TIMED)->counted);
    assert_false(group_get("Executor", TIMED)->counted);
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_metric_group *group = groups[i];
        assert_true(group->name[0] && group->description[0] && group->metric_count > 2);
        assert_int_equal(__builtin_popcount(group->sampling), 1);
        assert_ptr_equal(metric->find_group(cpu.backend, group->identity), group);
        for (uint32_t j = 0; j < i; j++) {
            assert_memory_not_equal(groups[j]->identity, group->identity, 16);
        }
        for (uint32_t j = 0; j < group->metric_count; j++) {
            const struct geo_metric *each = group->metrics[j];
            assert_true(each->name[0] && each->description[0] && each->component[0]);
            assert_true(strlen(each->description) < ZET_MAX_METRIC_DESCRIPTION);
            assert_in_range(each->tier, 1, 2);
        }
    }
    assert_null(metric->find_group(cpu.backend, (const uint8_t[16]){1}));
}

/* MET-4 */
static void groups_of_one_domain_exclude_each_other(void **state)
{
    const struct geo_metric_group *const twice[] = {group_get("System", QUERY),
                                                    group_get("System", QUERY)};
    const struct geo_metric_group *const both[] = {group_get("System", QUERY),
                                                   group_get("Executor", QUERY)};
    struct geo_strbuf why = {0};
    (void)state;
    assert_int_equal(metric->activate(cpu.device, twice, 2, &why),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(metric->activate(cpu.device, both, 2, &why), ZE_RESULT_SUCCESS);
    activate(NULL);
    assert_false(geo_meter_on());
    geo_strbuf_finish(&why);
}

/* ---- values ---- */

/* Makes a report of 2 seconds of 4 workers. */
static void report_make(uint8_t bytes[EXECUTOR_BYTES], uint64_t kernels)
{
    uint64_t values[GEO_COUNT_THREAD] = {
        [GEO_COUNT_KERNELS] = kernels, [GEO_COUNT_ITEMS] = 600,
        [GEO_COUNT_LANES] = 800,       [GEO_COUNT_KERNEL_NS] = 2000000000,
        [GEO_COUNT_COPY_BYTES] = 1000, [GEO_COUNT_FILL_BYTES] = 500,
        [GEO_COUNT_SUBMISSIONS] = 4,   [GEO_COUNT_WAIT_NS] = 1000,
    };
    const struct geo_cpu_metric_report head = {
        .magic = GEO_CPU_METRIC_REPORT,
        .family = GEO_CPU_METRIC_EXECUTOR,
        .count = GEO_COUNT_THREAD,
        .workers = 4,
        .missed = 3,
        .marker = 77,
        .begin = 1000000000,
        .end = 3000000000,
    };
    memcpy(bytes, &head, sizeof(head));
    memcpy(bytes + sizeof(head), values, sizeof(values));
}

/* MET-15 */
static void values_follow_from_reports(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    uint8_t data[EXECUTOR_BYTES];
    (void)state;
    report_make(data, 5);
#define VALUE(name) value_of(group, name, data, sizeof(data))
    assert_true(VALUE("QueryBeginTime") == 1e9 && VALUE("GpuTime") == 2e9);
    assert_true(VALUE("Kernels") == 5 && VALUE("WorkItems") == 600);
    assert_true(VALUE("WorkItemRate") == 300);
    assert_true(VALUE("ActiveLanes") == 75 && VALUE("MaskedLanes") == 25);
    assert_true(VALUE("KernelUse") == 25);
    assert_true(VALUE("TransferRate") == 750);
    assert_true(VALUE("MeanQueueTime") == 250);
    assert_true(VALUE("MissedReports") == 3 && VALUE("StreamMarker") == 77);
#undef VALUE
}

/* Tools of others find the time of a report by these names: unitrace, oneprof, intel-pti. */
static void reports_begin_with_the_times_that_tools_look_for(void **state)
{
    uint32_t count, timed = 0;
    const struct geo_metric_group *const *groups = metric->groups(cpu.device, &count);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        if (groups[i]->sampling == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED) {
            continue;
        }
        const struct geo_metric *const *first = groups[i]->metrics;
        assert_string_equal(first[0]->name, "QueryBeginTime");
        assert_int_equal(first[0]->type, ZET_METRIC_TYPE_TIMESTAMP);
        assert_int_equal(first[0]->result, ZET_VALUE_TYPE_UINT64);
        assert_string_equal(first[1]->name, "GpuTime");
        assert_int_equal(first[1]->type, ZET_METRIC_TYPE_DURATION);
        timed++;
    }
    assert_true(timed >= 6);
}

static ze_result_t calculate(const struct geo_metric_group *group, int type, const void *data,
                             size_t bytes, uint32_t *count, zet_typed_value_t *values)
{
    return metric->calculate(group, (zet_metric_group_calculation_type_t)type, data, bytes, count,
                             values);
}

/* MET-15 */
static void several_reports_have_values_and_maxima(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    uint8_t data[3 * EXECUTOR_BYTES];
    zet_typed_value_t values[128];
    uint32_t count = 0;
    const uint32_t metrics = group->metric_count;
    (void)state;
    report_make(data, 5);
    report_make(data + EXECUTOR_BYTES, 9);
    report_make(data + 2 * EXECUTOR_BYTES, 7);
    assert_int_equal(calculate(group, 0, data, sizeof(data), &count, NULL), ZE_RESULT_SUCCESS);
    assert_int_equal(count, 3 * metrics);
    assert_int_equal(calculate(group, 0, data, sizeof(data), &count, values), ZE_RESULT_SUCCESS);
    assert_int_equal(values[2].value.ui64, 5);
    assert_int_equal(values[metrics + 2].value.ui64, 9);
    assert_int_equal(values[2 * metrics + 2].value.ui64, 7);
    count = 2; /* less room than values */
    values[2].value.ui64 = 12345;
    assert_int_equal(calculate(group, 0, data, sizeof(data), &count, values), ZE_RESULT_SUCCESS);
    assert_int_equal(count, 2);
    assert_int_equal(values[2].value.ui64, 12345);
    assert_int_equal(calculate(group, 1, data, sizeof(data), &count, NULL), ZE_RESULT_SUCCESS);
    assert_int_equal(count, metrics);
    assert_int_equal(calculate(group, 1, data, sizeof(data), &count, values), ZE_RESULT_SUCCESS);
    assert_int_equal(values[2].value.ui64, 9);
    assert_int_equal(calculate(group, 0, data, 0, &count, NULL), ZE_RESULT_SUCCESS);
    assert_int_equal(count, 0);
}

static void invalid_reports_are_refused(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    const struct geo_metric_group *other = group_get("System", TIMED);
    uint8_t good[EXECUTOR_BYTES], data[EXECUTOR_BYTES];
    zet_typed_value_t values[64];
    uint32_t count = 64;
    (void)state;
    report_make(good, 5);
    assert_int_equal(calculate(group, 0, good, sizeof(good) - 1, &count, values),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(calculate(other, 0, good, sizeof(good), &count, values),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    /* a wrong magic number, family, count; no workers; an end before the begin */
    const struct {
        size_t offset;
        uint8_t value;
    } breaks[] = {
        {0, 1}, {4, 9}, {6, 3}, {8, 0}, {offsetof(struct geo_cpu_metric_report, end) + 3, 0},
    };
    for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
        memcpy(data, good, sizeof(data));
        data[breaks[i].offset] = breaks[i].value;
        assert_int_equal(calculate(group, 0, data, sizeof(data), &count, values),
                         ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    for (uint32_t seed = 1; seed < 2000; seed++) { /* and no bytes do harm */
        memcpy(data, good, sizeof(data));
        for (uint32_t i = 0; i < 4; i++) {
            data[(seed * 2654435761u >> (i * 5)) % sizeof(data)] ^= (uint8_t)(seed >> i);
        }
        (void)calculate(group, 0, data, sizeof(data), &count, values);
        count = 64;
    }
}

/* ---- groups of programs ---- */

static void made_groups_measure_what_their_metrics_do(void **state)
{
    const struct geo_metric_group *whole = group_get("Executor", QUERY);
    const struct geo_metric_group *other = group_get("System", QUERY);
    const struct geo_metric *const metrics[] = {whole->metrics[4], whole->metrics[2]};
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct geo_metric_group *made;
    struct geo_strbuf why = {0};
    (void)state;
    assert_true(metric->group_accepts(cpu.device, metrics, 1, metrics[1], &why));
    assert_false(metric->group_accepts(cpu.device, metrics, 2, other->metrics[2], &why));
    assert_int_equal(
        metric->group_create(cpu.device, "mine", "two", QUERY, metrics, 2, &made, &why),
        ZE_RESULT_SUCCESS);
    assert_int_equal(made->metric_count, 2);
    assert_int_equal(made->sampling, QUERY);
    assert_memory_not_equal(made->identity, whole->identity, 16);
    struct query query = query_make(made);
    activate(made);
    query_run(stream, &query, 7);
    assert_true(query_value(&query, "WorkItems") == 7 * ITEMS);
    assert_true(query_value(&query, "Kernels") == 1);
    activate(NULL);
    metric->group_destroy(made);
    cpu.ops->stream->destroy(stream);
    geo_strbuf_finish(&why);
    free(query.slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_described),
        cmocka_unit_test(groups_of_one_domain_exclude_each_other),
        cmocka_unit_test(values_follow_from_reports),
        cmocka_unit_test(reports_begin_with_the_times_that_tools_look_for),
        cmocka_unit_test(several_reports_have_values_and_maxima),
        cmocka_unit_test(invalid_reports_are_refused),
        cmocka_unit_test(made_groups_measure_what_their_metrics_do),
    };
    return cmocka_run_group_tests(tests, metric_setup, NULL);
}
