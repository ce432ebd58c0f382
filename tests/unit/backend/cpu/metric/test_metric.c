/* Metrics of the CPU: groups, queries, streamers, tracers and the values that are calculated. */
#include "support.h"

#include "backend/cpu/metric/collect.h"
#include "backend/cpu/metric/group.h"
#include "backend/cpu/metric/report.h"
#include "backend/metric.h"
#include "base/strbuf.h"
#include "exec/record/meter.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Lets a child of this process, which has several threads, start threads under the thread
 * sanitizer. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

#define ITEMS 20u
#define WIDTH 8u
#define PAGES 64u
/* page faults that do not come from the test's pages: stacks, code, memory of a sanitizer */
#if defined(GEOID_SANITIZED)
#define OTHER_FAULTS 10000u
#else
#define OTHER_FAULTS 20u
#endif

static struct fixture cpu;
static const struct geo_metric_ops *metric;
static struct test_kernel kernel, toucher;
static uint8_t *fresh; /* pages that are not present, for `toucher` */

static void group_spin(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                       uint64_t count)
{
    (void)launch, (void)worker, (void)first;
    for (volatile uint64_t spin = 0; spin < 1000 * count; spin++) {
    }
}

/* Each group touches a page. */
static void group_touch(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)launch, (void)worker;
    for (uint64_t i = first; i < first + count; i++) {
        fresh[i * 4096] = 1;
    }
}

static int group_setup(void **state)
{
    (void)state;
    setenv("GEOID_THREADS", "4", 1);
    fixture_open(&cpu, &geo_backend_cpu_ops);
    metric = cpu.ops->metric;
    kernel_init(&kernel, group_spin);
    kernel.kernel.needs.lanes = WIDTH;
    kernel_init(&toucher, group_touch);
    return 0;
}

static const struct geo_metric_group *group_get(const char *name, uint32_t sampling)
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

#define QUERY  ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED
#define TIMED  ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED
#define TRACER ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED

static void activate(const struct geo_metric_group *group)
{
    struct geo_strbuf why = {0};
    assert_int_equal(metric->activate(cpu.device, &group, group ? 1 : 0, &why), ZE_RESULT_SUCCESS);
}

/* ---- groups ---- */

/* MET-2, MET-3 */
static void groups_are_described(void **state)
{
    uint32_t count;
    const struct geo_metric_group *const *groups = metric->groups(cpu.device, &count);
    (void)state;
    assert_true(count >= 5);
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

/* Returns the value of a metric of the first of some reports. */
static double value_of(const struct geo_metric_group *group, const char *name, const void *data,
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

#define EXECUTOR_BYTES (sizeof(struct geo_cpu_metric_report) + GEO_COUNT_THREAD * 8)

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
    assert_true(VALUE("BeginTime") == 1e9 && VALUE("Duration") == 2e9);
    assert_true(VALUE("Kernels") == 5 && VALUE("WorkItems") == 600);
    assert_true(VALUE("WorkItemRate") == 300);
    assert_true(VALUE("ActiveLanes") == 75 && VALUE("MaskedLanes") == 25);
    assert_true(VALUE("KernelUse") == 25);
    assert_true(VALUE("TransferRate") == 750);
    assert_true(VALUE("MeanQueueTime") == 250);
    assert_true(VALUE("MissedReports") == 3 && VALUE("StreamMarker") == 77);
#undef VALUE
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

/* ---- queries ---- */

struct query {
    struct geo_metric_slot *slot;
    const struct geo_metric_group *group;
};

static struct query query_make(const struct geo_metric_group *group)
{
    struct query query = {.group = group};
    query.slot = calloc(
        1, sizeof(*query.slot) +
               metric->query_bytes(cpu.device, group, ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE));
    assert_non_null(query.slot);
    return query;
}

static void record_add(struct test_batch *batch, const struct query *query, uint32_t what)
{
    struct geo_command_metric *record = batch_add(batch, GEO_COMMAND_METRIC, sizeof(*record));
    record->group = query->group;
    record->slot = query->slot;
    record->what = what;
}

static void mark_add(struct test_batch *batch, const struct geo_metric_group *group,
                     struct geo_metric_collection *collection, uint32_t value)
{
    struct geo_command_metric *record = batch_add(batch, GEO_COMMAND_METRIC, sizeof(*record));
    record->group = group;
    record->collection = collection;
    record->what = GEO_METRIC_MARKER;
    record->value = value;
}

static void launch_add(struct test_batch *batch, uint32_t groups)
{
    batch_add_launch(batch, &kernel.kernel, groups, NULL, 0)->local_size[0] = ITEMS;
}

static _Atomic bool busy_ends;

/* Runs launches until it is told to end. */
static void *busy_run(void *nothing)
{
    struct geo_backend_stream *stream = stream_open(&cpu);
    (void)nothing;
    while (!busy_ends) {
        struct test_batch batch;
        batch_init(&batch);
        launch_add(&batch, 10);
        stream_run_batch(&cpu, stream, &batch);
        batch_finish(&batch);
    }
    cpu.ops->stream->destroy(stream);
    return NULL;
}

static double query_value(const struct query *query, const char *name)
{
    return value_of(query->group, name, query->slot->data, query->slot->bytes);
}

/* Runs a query around `groups` groups, with other launches before and behind. */
static void query_run(struct geo_backend_stream *stream, const struct query *query, uint32_t groups)
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

/* MET-11 */
static void a_query_counts_its_commands_alone(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", QUERY);
    struct query query = query_make(group);
    struct geo_backend_stream *stream = stream_open(&cpu);
    pthread_t other;
    (void)state;
    activate(group);
    busy_ends = false;
    assert_int_equal(pthread_create(&other, NULL, busy_run, NULL), 0);
    for (uint32_t groups = 1; groups <= 1000; groups += 111) {
        query_run(stream, &query, groups);
        assert_true(query_value(&query, "Kernels") == 1);
        assert_true(query_value(&query, "WorkGroups") == groups);
        assert_true(query_value(&query, "WorkItems") == groups * ITEMS);
        assert_true(query_value(&query, "Chunks") == groups * 3);
        assert_true(query_value(&query, "PartialChunks") == groups);
        assert_true(query_value(&query, "Commands") == 1);
        assert_true(query_value(&query, "KernelTime") > groups * 100.0);
        assert_in_range(query_value(&query, "KernelCalls"), 1, groups);
        assert_true(query_value(&query, "Duration") > 0);
    }
    busy_ends = true;
    pthread_join(other, NULL);
    activate(NULL);
    cpu.ops->stream->destroy(stream);
    free(query.slot);
}

static void queries_of_inactive_groups_have_no_report(void **state)
{
    struct query query = query_make(group_get("Executor", QUERY));
    struct geo_backend_stream *stream = stream_open(&cpu);
    (void)state;
    query_run(stream, &query, 5);
    assert_int_equal(query.slot->bytes, 0);
    cpu.ops->stream->destroy(stream);
    free(query.slot);
}

/* A query that ends in another stream than it began in has no report. */
static void queries_do_not_change_streams(void **state)
{
    struct query query = query_make(group_get("Executor", QUERY));
    struct geo_backend_stream *streams[] = {stream_open(&cpu), stream_open(&cpu)};
    (void)state;
    activate(query.group);
    for (int i = 0; i < 2; i++) {
        struct test_batch batch;
        batch_init(&batch);
        record_add(&batch, &query, i == 0 ? GEO_METRIC_BEGIN : GEO_METRIC_END);
        launch_add(&batch, 10);
        stream_run_batch(&cpu, streams[i], &batch);
        batch_finish(&batch);
        assert_int_equal(query.slot->state, i + 1);
    }
    assert_int_equal(query.slot->bytes, 0);
    activate(NULL);
    cpu.ops->stream->destroy(streams[0]);
    cpu.ops->stream->destroy(streams[1]);
    free(query.slot);
}

static void page_faults_of_a_kernel_are_counted(void **state)
{
    struct query query = query_make(group_get("System", QUERY));
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct test_batch batch;
    (void)state;
    fresh = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(fresh, MAP_FAILED);
    assert_int_equal(madvise(fresh, PAGES * 4096, MADV_NOHUGEPAGE), 0);
    activate(query.group);
    batch_init(&batch);
    record_add(&batch, &query, GEO_METRIC_BEGIN);
    batch_add_launch(&batch, &toucher.kernel, PAGES, NULL, 0);
    record_add(&batch, &query, GEO_METRIC_END);
    stream_run_batch(&cpu, stream, &batch);
    assert_in_range(query_value(&query, "PageFaults"), PAGES, PAGES + OTHER_FAULTS);
    assert_true(query_value(&query, "ThreadTime") > 0);
    stream_run_batch(&cpu, stream, &batch); /* the pages are present now */
    assert_in_range(query_value(&query, "PageFaults"), 0, OTHER_FAULTS);
    activate(NULL);
    batch_finish(&batch);
    cpu.ops->stream->destroy(stream);
    munmap(fresh, PAGES * 4096);
    free(query.slot);
}

/* ---- streamers ---- */

static struct geo_metric_collection *collection_open(struct geo_metric_collection_desc *desc)
{
    struct geo_metric_collection *collection = NULL;
    struct geo_strbuf why = {0};
    assert_int_equal(metric->open(cpu.device, desc, &collection, &why), ZE_RESULT_SUCCESS);
    assert_int_equal(metric->start(collection, true), ZE_RESULT_SUCCESS);
    return collection;
}

static struct geo_metric_collection *streamer_open(const struct geo_metric_group *group,
                                                   uint32_t period_ns)
{
    struct geo_metric_collection_desc desc = {
        .groups = &group, .group_count = 1, .period_ns = period_ns};
    return collection_open(&desc);
}

/* Sums of the values in the reports of a streamer. */
struct sums {
    uint64_t reports, kernels, items, missed, first_begin, last_end;
    uint32_t marker; /* the last one */
};

/* Reads all reports, and checks that each begins where the one before has ended. */
static ze_result_t reports_read(const struct geo_metric_group *group,
                                struct geo_metric_collection *streamer, struct sums *sums)
{
    size_t bytes = 0;
    (void)group;
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

/* Reads until the reports cover all work so far. */
static void reports_read_all(const struct geo_metric_group *group,
                             struct geo_metric_collection *streamer, struct sums *sums)
{
    uint64_t now, device, end = patience_end();
    assert_int_equal(metric->timestamps(cpu.device, group, false, &device, &now),
                     ZE_RESULT_SUCCESS);
    while (sums->last_end < now) {
        patience_pause(end, "no report covers the end of the work");
        (void)reports_read(group, streamer, sums);
    }
}

static void work_run(struct geo_backend_stream *stream, uint32_t launches)
{
    for (uint32_t i = 0; i < launches; i++) {
        struct test_batch batch;
        batch_init(&batch);
        launch_add(&batch, 50);
        stream_run_batch(&cpu, stream, &batch);
        batch_finish(&batch);
    }
}

/* MET-8, MET-9 */
static void reports_of_a_streamer_add_up(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct sums sums = {0};
    (void)state;
    activate(group);
    struct geo_metric_collection *streamer = streamer_open(group, 100000);
    for (int round = 0; round < 10; round++) {
        work_run(stream, 10);
        (void)reports_read(group, streamer, &sums);
    }
    reports_read_all(group, streamer, &sums);
    assert_int_equal(sums.kernels, 100);
    assert_int_equal(sums.items, 100 * 50 * ITEMS);
    assert_true(sums.reports > 1);
    assert_int_equal(metric->stop(streamer, true), ZE_RESULT_SUCCESS);
    (void)reports_read(group, streamer, &sums);
    uint64_t before = sums.reports;
    work_run(stream, 1);
    usleep(2000);
    (void)reports_read(group, streamer, &sums);
    assert_int_equal(sums.reports, before); /* none after the stop */
    metric->close(streamer);
    activate(NULL);
    cpu.ops->stream->destroy(stream);
}

/* MET-9 */
static void reads_return_whole_reports_up_to_a_limit(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    uint8_t data[4 * EXECUTOR_BYTES];
    size_t bytes;
    uint64_t end = patience_end();
    (void)state;
    activate(group);
    struct geo_metric_collection *streamer = streamer_open(group, 1);
    do {
        patience_pause(end, "no reports come");
        assert_int_equal(metric->read(streamer, UINT32_MAX, &bytes, NULL), ZE_RESULT_SUCCESS);
    } while (bytes < 10 * EXECUTOR_BYTES);
    assert_int_equal(metric->stop(streamer, true), ZE_RESULT_SUCCESS);
    assert_int_equal(metric->read(streamer, 3, &bytes, NULL), ZE_RESULT_SUCCESS);
    assert_int_equal(bytes, 3 * EXECUTOR_BYTES);
    bytes = sizeof(data) - 1; /* three and almost a fourth */
    (void)metric->read(streamer, UINT32_MAX, &bytes, data);
    assert_int_equal(bytes, 3 * EXECUTOR_BYTES);
    bytes = sizeof(data);
    (void)metric->read(streamer, 2, &bytes, data);
    assert_int_equal(bytes, 2 * EXECUTOR_BYTES);
    metric->close(streamer);
    activate(NULL);
}

/* MET-8 */
static void streamers_notify_after_some_reports(void **state)
{
    static struct geo_event_slot slot;
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    struct geo_metric_collection_desc desc = {.groups = &group,
                                              .group_count = 1,
                                              .period_ns = 1,
                                              .notify_every = 20,
                                              .notify = {&slot, 1}};
    uint64_t end = patience_end();
    size_t bytes;
    (void)state;
    activate(group);
    struct geo_metric_collection *streamer = collection_open(&desc);
    assert_int_equal(desc.notify_every, 20);
    assert_int_equal(desc.period_ns, GEO_CPU_METRIC_PERIOD_NS);
    while (atomic_load(&slot.value) == 0) {
        patience_pause(end, "no notification comes");
    }
    assert_int_equal(metric->read(streamer, UINT32_MAX, &bytes, NULL), ZE_RESULT_SUCCESS);
    assert_true(bytes >= 20 * EXECUTOR_BYTES);
    metric->close(streamer);
    activate(NULL);
}

/* Overruns are counted and told once, and no work is missing in the sums. */
static void a_full_ring_loses_no_counts(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct sums sums = {0};
    size_t bytes;
    uint64_t end = patience_end();
    (void)state;
    activate(group);
    struct geo_metric_collection *streamer = streamer_open(group, 1);
    do {
        patience_pause(end, "the ring does not become full");
        assert_int_equal(metric->read(streamer, UINT32_MAX, &bytes, NULL), ZE_RESULT_SUCCESS);
    } while (bytes < GEO_CPU_METRIC_REPORTS * EXECUTOR_BYTES);
    work_run(stream, 20);
    usleep(2000);
    ze_result_t result;
    do {
        result = reports_read(group, streamer, &sums);
        patience_pause(end, "no report is missed");
    } while (result != ZE_RESULT_WARNING_DROPPED_DATA);
    assert_int_equal(sums.missed, 0);
    assert_int_equal(reports_read(group, streamer, &sums), ZE_RESULT_SUCCESS);
    reports_read_all(group, streamer, &sums);
    assert_true(sums.missed > 0);
    assert_int_equal(sums.kernels, 20);
    metric->close(streamer);
    activate(NULL);
    cpu.ops->stream->destroy(stream);
}

/* MET-10 */
static void markers_end_reports(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct sums sums = {0};
    struct test_batch batch;
    (void)state;
    activate(group);
    struct geo_metric_collection *streamer = streamer_open(group, UINT32_MAX);
    for (uint32_t i = 0; i < 2; i++) { /* by the streamer, and by its group */
        batch_init(&batch);
        launch_add(&batch, 10);
        mark_add(&batch, group, i == 0 ? streamer : NULL, 100 + i);
        launch_add(&batch, 20);
        launch_add(&batch, 20);
        stream_run_batch(&cpu, stream, &batch);
        batch_finish(&batch);
        assert_int_equal(reports_read(group, streamer, &sums), ZE_RESULT_SUCCESS);
        assert_int_equal(sums.reports, i + 1);
        assert_int_equal(sums.marker, 100 + i);
        assert_int_equal(sums.kernels, i == 0 ? 1 : 4);
    }
    struct geo_metric_collection *other = streamer_open(group, UINT32_MAX);
    metric->close(streamer);
    batch_init(&batch);
    mark_add(&batch, group, streamer, 1); /* a closed one */
    stream_run_batch(&cpu, stream, &batch);
    batch_finish(&batch);
    assert_int_equal(reports_read(group, other, &sums), ZE_RESULT_SUCCESS);
    assert_int_equal(sums.reports, 2);
    metric->close(other);
    activate(NULL);
    cpu.ops->stream->destroy(stream);
}

static void streamers_take_only_groups_of_their_kind(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", QUERY);
    struct geo_metric_collection_desc desc = {.groups = &group, .group_count = 1};
    struct geo_metric_collection *collection;
    struct geo_strbuf why = {0};
    (void)state;
    assert_int_equal(metric->open(cpu.device, &desc, &collection, &why),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.tracer = true;
    assert_int_equal(metric->open(cpu.device, &desc, &collection, &why),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    geo_strbuf_finish(&why);
}

/* ---- tracers ---- */

static void tracers_tell_when_work_ran(void **state)
{
    const struct geo_metric_group *group = group_get("Trace", TRACER);
    struct geo_metric_collection_desc desc = {.groups = &group, .group_count = 1, .tracer = true};
    struct geo_backend_stream *stream = stream_open(&cpu);
    zet_metric_entry_exp_t entries[2048];
    uint64_t seen[GEO_CPU_METRIC_TRACES] = {0}, groups = 0;
    static uint8_t from[64], to[64];
    struct test_batch batch;
    (void)state;
    activate(group);
    struct geo_metric_collection *tracer = collection_open(&desc);
    size_t bytes = 0;
    assert_int_equal(metric->read(tracer, UINT32_MAX, &bytes, NULL), ZE_RESULT_NOT_READY);
    batch_init(&batch);
    launch_add(&batch, 300);
    struct geo_command_copy *copy = batch_add(&batch, GEO_COMMAND_COPY, sizeof(*copy));
    copy->destination = to;
    copy->source = from;
    copy->bytes = 64;
    mark_add(&batch, group, NULL, 4711);
    stream_run_batch(&cpu, stream, &batch);
    batch_finish(&batch);
    assert_int_equal(metric->stop(tracer, true), ZE_RESULT_SUCCESS);
    work_run(stream, 1); /* not traced */
    assert_int_equal(metric->read(tracer, UINT32_MAX, &bytes, NULL), ZE_RESULT_SUCCESS);
    uint8_t *data = malloc(bytes);
    size_t room = bytes;
    assert_int_equal(metric->read(tracer, UINT32_MAX, &bytes, data), ZE_RESULT_SUCCESS);
    assert_int_equal(bytes, room);
    uint32_t count = 2048;
    assert_int_equal(metric->decode(&group, 1, group->metrics, group->metric_count, data, &bytes,
                                    &count, entries),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(bytes, room);
    assert_int_equal(count, room / sizeof(struct geo_cpu_metric_event));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t what = entries[i].metricIndex;
        seen[what]++;
        groups += what == GEO_CPU_METRIC_RANGE_END ? entries[i].value.ui64 : 0;
        assert_true(what != GEO_CPU_METRIC_COPY_END || entries[i].value.ui64 == 64);
        assert_true(what != GEO_CPU_METRIC_TRACE_MARKER || entries[i].value.ui64 == 4711);
        if (what % 2 == 1) { /* an end follows its begin */
            assert_int_equal(entries[i - 1].metricIndex, what - 1);
            assert_true(entries[i - 1].timeStamp <= entries[i].timeStamp);
        }
    }
    assert_int_equal(seen[GEO_CPU_METRIC_KERNEL_BEGIN], 1);
    assert_int_equal(seen[GEO_CPU_METRIC_KERNEL_END], 1);
    assert_int_equal(seen[GEO_CPU_METRIC_COPY_END], 1);
    assert_int_equal(seen[GEO_CPU_METRIC_TRACE_MARKER], 1);
    assert_int_equal(groups, 300);
    count = 1; /* only ends of copies, and room for one entry */
    bytes = room;
    assert_int_equal(metric->decode(&group, 1, &group->metrics[GEO_CPU_METRIC_COPY_END], 1, data,
                                    &bytes, &count, entries),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(entries[0].metricIndex, 0);
    data[0] ^= 1;
    bytes = room;
    assert_int_equal(metric->decode(&group, 1, group->metrics, 1, data, &bytes, &count, NULL),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    free(data);
    metric->close(tracer);
    activate(NULL);
    cpu.ops->stream->destroy(stream);
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

/* ---- fork ---- */

/* Returns whether a streamer of the child works. */
static bool child_streams(const struct geo_metric_group *group)
{
    struct geo_metric_collection *own = streamer_open(group, 100000);
    size_t bytes = 0;
    for (int i = 0; i < 2000 && bytes == 0; i++) {
        usleep(1000);
        (void)metric->read(own, UINT32_MAX, &bytes, NULL);
    }
    metric->close(own);
    return bytes != 0;
}

static void a_child_has_streamers_of_its_own(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    (void)state;
    activate(group);
    struct geo_metric_collection *streamer = streamer_open(group, 10000);
    usleep(1000);
    pid_t child = fork();
    if (child == 0) {
        size_t before, after;
        (void)metric->read(streamer, UINT32_MAX, &before, NULL);
        usleep(2000);
        (void)metric->read(streamer, UINT32_MAX, &after, NULL); /* the parent's is stopped */
        metric->close(streamer);
        _exit(before == after && child_streams(group) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct sums sums = {0};
    reports_read_all(group, streamer, &sums);
    metric->close(streamer);
    activate(NULL);
}

/* ---- costs ---- */

static uint64_t process_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * GEO_NS_PER_SEC + (uint64_t)now.tv_nsec;
}

/* Returns the least time of many executions of a batch. */
static uint64_t batch_least_ns(struct geo_backend_stream *stream, struct test_batch *batch)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 20000; i++) {
        const uint64_t start = geo_now_ns();
        assert_int_equal(cpu.ops->stream->execute(stream, &batch->batch, (struct geo_event_ref){0}),
                         ZE_RESULT_SUCCESS);
        const uint64_t ns = geo_now_ns() - start;
        least = ns < least ? ns : least;
    }
    return least;
}

static void begin_and_end_of_a_query_are_cheap(void **state)
{
    struct query query = query_make(group_get("Executor", QUERY));
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct test_batch plain, queried;
    (void)state;
    activate(query.group);
    batch_init(&plain);
    launch_add(&plain, 1);
    batch_init(&queried);
    record_add(&queried, &query, GEO_METRIC_BEGIN);
    launch_add(&queried, 1);
    record_add(&queried, &query, GEO_METRIC_END);
    const uint64_t without = batch_least_ns(stream, &plain);
    const uint64_t with = batch_least_ns(stream, &queried);
    activate(NULL);
    const uint64_t off = batch_least_ns(stream, &plain);
    print_message("a launch takes %lu ns, %lu ns while a group is active, %lu ns with a query\n",
                  (unsigned long)off, (unsigned long)without, (unsigned long)with);
    if (getenv("GEOID_TEST_TIMES")) {
        assert_in_range(with - without, 0, 3000);
    }
    batch_finish(&plain);
    batch_finish(&queried);
    cpu.ops->stream->destroy(stream);
    free(query.slot);
}

static void a_streamer_of_1_khz_takes_little_time(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    const uint32_t ms = getenv("GEOID_TEST_TIMES") ? 2000 : 50;
    struct sums sums = {0};
    (void)state;
    activate(group);
    usleep(20000); /* until workers sleep */
    uint64_t start = process_ns();
    usleep(ms * 1000);
    const uint64_t idle = process_ns() - start;
    struct geo_metric_collection *streamer = streamer_open(group, 1000000);
    start = process_ns();
    usleep(ms * 1000);
    const uint64_t busy = process_ns() - start;
    (void)reports_read(group, streamer, &sums);
    print_message("%lu reports took %lu ns of a core each\n", (unsigned long)sums.reports,
                  (unsigned long)(busy - (idle < busy ? idle : busy)) /
                      (unsigned long)(sums.reports ? sums.reports : 1));
    if (getenv("GEOID_TEST_TIMES")) { /* waking a thread costs 7 to 9 us on a virtual machine */
        assert_true(busy < idle + ms * 15000ull);
    }
    metric->close(streamer);
    activate(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_described),
        cmocka_unit_test(groups_of_one_domain_exclude_each_other),
        cmocka_unit_test(values_follow_from_reports),
        cmocka_unit_test(several_reports_have_values_and_maxima),
        cmocka_unit_test(invalid_reports_are_refused),
        cmocka_unit_test(a_query_counts_its_commands_alone),
        cmocka_unit_test(queries_of_inactive_groups_have_no_report),
        cmocka_unit_test(queries_do_not_change_streams),
        cmocka_unit_test(page_faults_of_a_kernel_are_counted),
        cmocka_unit_test(reports_of_a_streamer_add_up),
        cmocka_unit_test(reads_return_whole_reports_up_to_a_limit),
        cmocka_unit_test(streamers_notify_after_some_reports),
        cmocka_unit_test(a_full_ring_loses_no_counts),
        cmocka_unit_test(markers_end_reports),
        cmocka_unit_test(streamers_take_only_groups_of_their_kind),
        cmocka_unit_test(tracers_tell_when_work_ran),
        cmocka_unit_test(made_groups_measure_what_their_metrics_do),
        cmocka_unit_test(begin_and_end_of_a_query_are_cheap),
        cmocka_unit_test(a_streamer_of_1_khz_takes_little_time),
        cmocka_unit_test(a_child_has_streamers_of_its_own),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
