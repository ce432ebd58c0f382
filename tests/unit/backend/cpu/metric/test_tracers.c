/* Metrics of the CPU: tracers. */
#include "metric_fixture.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
    assert_int_equal(metric->read(tracer, UINT32_MAX, &bytes, NULL), ZE_RESULT_SUCCESS);
    assert_int_equal(bytes, 0);
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

/* Returns the number of events that a tracer has, and sets the result of the read. */
static size_t events_count(struct geo_metric_collection *tracer, ze_result_t *result)
{
    size_t bytes = 0;
    *result = metric->read(tracer, UINT32_MAX, &bytes, NULL);
    return bytes / sizeof(struct geo_cpu_metric_event);
}

/* In the child the parent's tracer has ended and one of its own can be opened. The parent's goes
 * on. */
static void a_started_tracer_stays_with_the_parent(void **state)
{
    const struct geo_metric_group *group = group_get("Trace", TRACER);
    struct geo_metric_collection_desc desc = {.groups = &group, .group_count = 1, .tracer = true};
    struct geo_backend_stream *stream = stream_open(&cpu);
    ze_result_t result;
    int status = -1;
    (void)state;
    activate(group);
    struct geo_metric_collection *tracer = collection_open(&desc);
    assert_int_equal(events_count(tracer, &result), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(60); /* a child that hangs does not hold up the test */
        bool good = events_count(tracer, &result) == 0 && result == ZE_RESULT_NOT_READY;
        metric->close(tracer);
        tracer = collection_open(&desc);
        good = good && events_count(tracer, &result) == 0 && result == ZE_RESULT_SUCCESS;
        metric->close(tracer);
        _exit(!good);
    }
    work_run(stream, 3);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    work_run(stream, 3);
    assert_true(events_count(tracer, &result) >= 2 * 6); /* begin and end of each launch */
    assert_int_equal(result, ZE_RESULT_SUCCESS);
    metric->close(tracer);
    activate(NULL);
    cpu.ops->stream->destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracers_tell_when_work_ran),
        cmocka_unit_test(a_started_tracer_stays_with_the_parent),
    };
    return cmocka_run_group_tests(tests, metric_setup, NULL);
}
