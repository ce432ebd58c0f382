/* The device, records and reports of the tests of metrics. See metric_fixture.h. */
#include "metric_fixture.h"

#include "base/strbuf.h"

#include <stdlib.h>

struct fixture cpu;
const struct geo_metric_ops *metric;
struct test_kernel kernel;

static void group_spin(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                       uint64_t count)
{
    (void)launch, (void)worker, (void)first;
    for (volatile uint64_t spin = 0; spin < 1000 * count; spin++) {
    }
}

int metric_setup(void **state)
{
    (void)state;
    setenv("GEOID_THREADS", "4", 1);
    fixture_open(&cpu, &geo_backend_cpu_ops);
    metric = cpu.ops->metric;
    kernel_init(&kernel, group_spin);
    kernel.kernel.needs.lanes = WIDTH;
    return 0;
}

const struct geo_metric_group *group_get(const char *name, uint32_t sampling)
{
    uint32_t count;
    const struct geo_metric_group *const *groups = metric->groups(cpu.device, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(groups[i]->name, name) == 0 && groups[i]->sampling == sampling) {
            return groups[i];
        }
    }
    fail_msg("no group %s", name);
    return NULL;
}

void activate(const struct geo_metric_group *group)
{
    struct geo_strbuf why = {0};
    assert_int_equal(metric->activate(cpu.device, &group, group ? 1 : 0, &why), ZE_RESULT_SUCCESS);
}

double value_of(const struct geo_metric_group *group, const char *name, const void *data,
                size_t bytes)
{
    zet_typed_value_t values[64];
    uint32_t count = 64;
    assert_int_equal(metric->calculate(group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, data,
                                       bytes, &count, values),
                     ZE_RESULT_SUCCESS);
    assert_true(count >= group->metric_count);
    for (uint32_t i = 0; i < group->metric_count; i++) {
        if (strcmp(group->metrics[i]->name, name) == 0) {
            assert_int_equal(values[i].type, group->metrics[i]->result);
            return values[i].type == ZET_VALUE_TYPE_FLOAT64 ? values[i].value.fp64
                                                            : (double)values[i].value.ui64;
        }
    }
    fail_msg("no metric %s", name);
    return 0;
}

struct query query_make(const struct geo_metric_group *group)
{
    struct query query = {.group = group};
    query.slot = calloc(
        1, sizeof(*query.slot) +
               metric->query_bytes(cpu.device, group, ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE));
    assert_non_null(query.slot);
    return query;
}

void record_add(struct test_batch *batch, const struct query *query, uint32_t what)
{
    struct geo_command_metric *record = batch_add(batch, GEO_COMMAND_METRIC, sizeof(*record));
    record->group = query->group;
    record->slot = query->slot;
    record->what = what;
}

void mark_add(struct test_batch *batch, const struct geo_metric_group *group,
              struct geo_metric_collection *collection, uint32_t value)
{
    struct geo_command_metric *record = batch_add(batch, GEO_COMMAND_METRIC, sizeof(*record));
    record->group = group;
    record->collection = collection;
    record->what = GEO_METRIC_MARKER;
    record->value = value;
}

void launch_add(struct test_batch *batch, uint32_t groups)
{
    batch_add_launch(batch, &kernel.kernel, groups, NULL, 0)->local_size[0] = ITEMS;
}

double query_value(const struct query *query, const char *name)
{
    return value_of(query->group, name, query->slot->data, query->slot->bytes);
}

void query_run(struct geo_backend_stream *stream, const struct query *query, uint32_t groups)
{
    struct test_batch batch;
    batch_init(&batch);
    launch_add(&batch, 33);
    record_add(&batch, query, GEO_METRIC_BEGIN);
    launch_add(&batch, groups);
    record_add(&batch, query, GEO_METRIC_END);
    launch_add(&batch, 44);
    stream_run_batch(&cpu, stream, &batch);
    batch_finish(&batch);
    assert_int_equal(query->slot->state, 2);
}

struct geo_metric_collection *collection_open(struct geo_metric_collection_desc *desc)
{
    struct geo_metric_collection *collection = NULL;
    struct geo_strbuf why = {0};
    assert_int_equal(metric->open(cpu.device, desc, &collection, &why), ZE_RESULT_SUCCESS);
    assert_int_equal(metric->start(collection, true), ZE_RESULT_SUCCESS);
    return collection;
}

struct geo_metric_collection *streamer_open(const struct geo_metric_group *group,
                                            uint32_t period_ns)
{
    struct geo_metric_collection_desc desc = {
        .groups = &group, .group_count = 1, .period_ns = period_ns};
    return collection_open(&desc);
}

ze_result_t reports_read(struct geo_metric_collection *streamer, struct sums *sums)
{
    size_t bytes = 0;
    assert_int_equal(metric->read(streamer, UINT32_MAX, &bytes, NULL), ZE_RESULT_SUCCESS);
    assert_int_equal(bytes % EXECUTOR_BYTES, 0);
    uint8_t *data = malloc(bytes + 1);
    ze_result_t result = metric->read(streamer, UINT32_MAX, &bytes, data);
    for (size_t at = 0; at < bytes; at += EXECUTOR_BYTES) {
        struct geo_cpu_metric_report *report = (void *)(data + at);
        const uint64_t *values = geo_cpu_metric_report_values(report);
        assert_true(report->begin <= report->end);
        assert_true(sums->last_end == 0 || report->begin == sums->last_end);
        sums->first_begin = sums->first_begin ? sums->first_begin : report->begin;
        sums->last_end = report->end;
        sums->reports++;
        sums->kernels += values[GEO_COUNT_KERNELS];
        sums->items += values[GEO_COUNT_ITEMS];
        sums->missed += report->missed;
        sums->marker = report->marker ? report->marker : sums->marker;
    }
    free(data);
    return result;
}

void reports_read_all(const struct geo_metric_group *group, struct geo_metric_collection *streamer,
                      struct sums *sums)
{
    uint64_t now, device, end = patience_end();
    assert_int_equal(metric->timestamps(cpu.device, group, false, &device, &now),
                     ZE_RESULT_SUCCESS);
    while (sums->last_end < now) {
        patience_pause(end, "no report covers the end of the work");
        (void)reports_read(streamer, sums);
    }
}

void work_run(struct geo_backend_stream *stream, uint32_t launches)
{
    for (uint32_t i = 0; i < launches; i++) {
        struct test_batch batch;
        batch_init(&batch);
        launch_add(&batch, 50);
        stream_run_batch(&cpu, stream, &batch);
        batch_finish(&batch);
    }
}
