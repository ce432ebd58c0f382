/* Metrics of the CPU: streamers. */
#include "metric_fixture.h"

#include "backend/cpu/metric/collect.h"
#include "base/strbuf.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Lets a child of this process, which has several threads, start threads under the thread
 * sanitizer. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

/* ---- streamers ---- */

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
        (void)reports_read(streamer, &sums);
    }
    reports_read_all(group, streamer, &sums);
    assert_int_equal(sums.kernels, 100);
    assert_int_equal(sums.items, 100 * 50 * ITEMS);
    for (const uint64_t end = patience_end(); sums.reports < 2;) {
        patience_pause(end, "no second report");
        (void)reports_read(streamer, &sums);
    }
    assert_int_equal(metric->stop(streamer, true), ZE_RESULT_SUCCESS);
    (void)reports_read(streamer, &sums);
    uint64_t before = sums.reports;
    work_run(stream, 1);
    usleep(2000);
    (void)reports_read(streamer, &sums);
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

/* MET-8: a notification comes when 20 periods of 5 ms have passed, never earlier. */
static void streamers_notify_after_some_reports(void **state)
{
    static struct geo_event_slot slot;
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    struct geo_metric_collection_desc desc = {
        .groups = &group, .group_count = 1, .period_ns = 1, .notify_every = 20};
    uint64_t end = patience_end();
    size_t bytes;
    (void)state;
    activate(group);
    struct geo_metric_collection *streamer = collection_open(&desc);
    assert_int_equal(desc.notify_every, 20);
    assert_int_equal(desc.period_ns, GEO_CPU_METRIC_PERIOD_NS);
    metric->close(streamer);
    desc.period_ns = 5000000;
    desc.notify = (struct geo_event_ref){&slot, 1};
    const uint64_t begin = geo_timer_ns();
    streamer = collection_open(&desc);
    while (atomic_load(&slot.value) == 0) {
        patience_pause(end, "no notification comes");
    }
    assert_true(geo_timer_ns() - begin >= 20 * desc.period_ns);
    assert_int_equal(metric->read(streamer, UINT32_MAX, &bytes, NULL), ZE_RESULT_SUCCESS);
    assert_true(bytes >= 20 * EXECUTOR_BYTES);
    metric->close(streamer);
    activate(NULL);
}

/* Returns the reports of a streamer, which the caller frees. */
static uint8_t *reports_get(struct geo_metric_collection *streamer, size_t *count)
{
    size_t bytes = 0;
    assert_int_equal(metric->read(streamer, UINT32_MAX, &bytes, NULL), ZE_RESULT_SUCCESS);
    uint8_t *data = malloc(bytes + 1);
    assert_non_null(data);
    assert_int_equal(metric->read(streamer, UINT32_MAX, &bytes, data), ZE_RESULT_SUCCESS);
    *count = bytes / EXECUTOR_BYTES;
    return data;
}

/* Checks that each report has one period and begins at the end of the one before. Returns whether
 * the report with the launches is of the time in which they ran, from `begin` to `end`. */
static bool reports_check(const uint8_t *data, size_t count, uint64_t period_ns, uint64_t begin,
                          uint64_t end, struct sums *sums)
{
    bool placed = true;
    for (size_t at = 0; at < count; at++) {
        struct geo_cpu_metric_report *report = (void *)(uintptr_t)(data + at * EXECUTOR_BYTES);
        const uint64_t kernels = geo_cpu_metric_report_values(report)[GEO_COUNT_KERNELS];
        assert_int_equal(report->end - report->begin, period_ns);
        assert_true(sums->last_end == 0 || report->begin == sums->last_end);
        sums->last_end = report->end;
        sums->kernels += kernels;
        placed = placed && (kernels == 0 || (report->end > begin && report->begin < end));
    }
    return placed;
}

/* Each period has a report that ends on time, whenever it is taken: by threads that count work, or
 * by the read. A thread that finds the lock held counts without taking reports. So on a busy
 * machine some launches may be in the report before. */
static void every_period_has_a_report(void **state)
{
    enum { ROUNDS = 10 };
    const uint32_t period_ns = 2000000;
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct sums sums = {0};
    uint32_t placed = 0;
    size_t count;
    (void)state;
    activate(group);
    struct geo_metric_collection *streamer = streamer_open(group, period_ns);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        usleep(10000);
        const uint64_t before = geo_timer_ns();
        work_run(stream, 1);
        const uint64_t behind = geo_timer_ns();
        usleep(10000);
        uint8_t *data = reports_get(streamer, &count);
        assert_true(count >= 9);
        placed += reports_check(data, count, period_ns, before, behind, &sums);
        assert_int_equal(sums.kernels, round);
        free(data);
    }
    assert_in_range(placed, ROUNDS / 2, ROUNDS);
    metric->close(streamer);
    activate(NULL);
    cpu.ops->stream->destroy(stream);
}

/* Profilers ask for 32,768 reports for each notification. */
static void rings_grow_with_the_reports_of_a_notification(void **state)
{
    static const uint32_t asked[] = {3000, 32768, UINT32_MAX}, given[] = {3000, 32768, 32768};
    const struct geo_metric_group *group = group_get("Executor", TIMED);
    (void)state;
    activate(group);
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        struct geo_metric_collection_desc desc = {
            .groups = &group, .group_count = 1, .period_ns = 1, .notify_every = asked[i]};
        const uint64_t end = patience_end();
        struct geo_metric_collection *streamer = collection_open(&desc);
        assert_int_equal(desc.notify_every, given[i]);
        for (size_t bytes = 0; i == 0 && bytes < 2 * given[i] * EXECUTOR_BYTES;) {
            patience_pause(end, "the ring is too small for two notifications");
            assert_int_equal(metric->read(streamer, UINT32_MAX, &bytes, NULL), ZE_RESULT_SUCCESS);
        }
        metric->close(streamer);
    }
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
        result = reports_read(streamer, &sums);
        patience_pause(end, "no report is missed");
    } while (result != ZE_RESULT_WARNING_DROPPED_DATA);
    assert_int_equal(sums.missed, 0);
    assert_int_equal(reports_read(streamer, &sums), ZE_RESULT_SUCCESS);
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
        assert_int_equal(reports_read(streamer, &sums), ZE_RESULT_SUCCESS);
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
    assert_int_equal(reports_read(other, &sums), ZE_RESULT_SUCCESS);
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

/* ---- fork ---- */

/* Returns whether a streamer of the child has reports and notifies. */
static bool child_streams(const struct geo_metric_group *group)
{
    static struct geo_event_slot slot;
    struct geo_metric_collection_desc desc = {.groups = &group,
                                              .group_count = 1,
                                              .period_ns = 100000,
                                              .notify_every = 5,
                                              .notify = {&slot, 1}};
    struct geo_metric_collection *own = collection_open(&desc);
    size_t bytes = 0;
    for (int i = 0; i < 2000 && (bytes == 0 || atomic_load(&slot.value) == 0); i++) {
        usleep(1000);
        (void)metric->read(own, UINT32_MAX, &bytes, NULL);
    }
    metric->close(own);
    return bytes != 0 && atomic_load(&slot.value) != 0;
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
    (void)reports_read(streamer, &sums);
    print_message("%lu reports took %lu ns of a core each\n", (unsigned long)sums.reports,
                  (unsigned long)(busy - (idle < busy ? idle : busy)) /
                      (unsigned long)(sums.reports ? sums.reports : 1));
    if (getenv("GEOID_TEST_TIMES")) { /* a hundredth of a core */
        assert_true(busy < idle + ms * 10000ull);
    }
    metric->close(streamer);
    activate(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_of_a_streamer_add_up),
        cmocka_unit_test(reads_return_whole_reports_up_to_a_limit),
        cmocka_unit_test(streamers_notify_after_some_reports),
        cmocka_unit_test(every_period_has_a_report),
        cmocka_unit_test(rings_grow_with_the_reports_of_a_notification),
        cmocka_unit_test(a_full_ring_loses_no_counts),
        cmocka_unit_test(markers_end_reports),
        cmocka_unit_test(streamers_take_only_groups_of_their_kind),
        cmocka_unit_test(a_streamer_of_1_khz_takes_little_time),
        cmocka_unit_test(a_child_has_streamers_of_its_own),
    };
    return cmocka_run_group_tests(tests, metric_setup, NULL);
}
