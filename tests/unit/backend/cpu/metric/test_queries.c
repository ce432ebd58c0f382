/* Metrics of the CPU: queries around commands. */
#include "metric_fixture.h"

#include "base/strbuf.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGES 64u
/* page faults that do not come from the test's pages: stacks, code, memory of a sanitizer */
#if defined(GEOID_SANITIZED)
#define OTHER_FAULTS 10000u
#else
#define OTHER_FAULTS 20u
#endif

static struct test_kernel toucher;
static uint8_t *fresh; /* pages that are not present, for `toucher` */

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
    kernel_init(&toucher, group_touch);
    return metric_setup(state);
}

/* ---- queries ---- */

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

/* Runs one record of a query, or a launch of 10 groups without one. */
static void one_run(struct geo_backend_stream *stream, const struct query *query, uint32_t what)
{
    struct test_batch batch;
    batch_init(&batch);
    if (query) {
        record_add(&batch, query, what);
    } else {
        launch_add(&batch, 10);
    }
    stream_run_batch(&cpu, stream, &batch);
    batch_finish(&batch);
}

/* MET-11: another stream runs commands between the begin and the end of a query. */
static void a_query_counts_commands_of_its_stream_alone(void **state)
{
    const struct geo_metric_group *group = group_get("Executor", QUERY);
    struct query query = query_make(group);
    struct geo_backend_stream *stream = stream_open(&cpu), *other = stream_open(&cpu);
    (void)state;
    activate(group);
    one_run(stream, &query, GEO_METRIC_BEGIN);
    one_run(other, NULL, 0);
    one_run(stream, NULL, 0);
    one_run(other, NULL, 0);
    one_run(stream, &query, GEO_METRIC_END);
    assert_true(query_value(&query, "Kernels") == 1);
    assert_true(query_value(&query, "WorkGroups") == 10);
    assert_true(query_value(&query, "Commands") == 1);
    activate(NULL);
    cpu.ops->stream->destroy(stream);
    cpu.ops->stream->destroy(other);
    free(query.slot);
}

/* MET-11: the same while another thread runs commands all the time. */
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
        assert_true(query_value(&query, "GpuTime") > 0);
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

/* ---- costs ---- */

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
    activate(group_get("Executor", TIMED));
    struct geo_metric_collection *streamer = streamer_open(group_get("Executor", TIMED), 1000000);
    const uint64_t streamed = batch_least_ns(stream, &plain);
    metric->close(streamer);
    activate(NULL);
    const uint64_t off = batch_least_ns(stream, &plain);
    print_message("a launch takes %lu ns, %lu ns while a group is active, %lu ns with a streamer, "
                  "%lu ns with a query\n",
                  (unsigned long)off, (unsigned long)without, (unsigned long)streamed,
                  (unsigned long)with);
    if (getenv("GEOID_TEST_TIMES")) {
        assert_in_range(with - without, 0, 3000);
    }
    batch_finish(&plain);
    batch_finish(&queried);
    cpu.ops->stream->destroy(stream);
    free(query.slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_counts_commands_of_its_stream_alone),
        cmocka_unit_test(a_query_counts_its_commands_alone),
        cmocka_unit_test(queries_of_inactive_groups_have_no_report),
        cmocka_unit_test(queries_do_not_change_streams),
        cmocka_unit_test(page_faults_of_a_kernel_are_counted),
        cmocka_unit_test(begin_and_end_of_a_query_are_cheap),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
