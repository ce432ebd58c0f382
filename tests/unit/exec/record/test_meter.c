/* Meters: what is counted of records and jobs, for the device and for the stream of a query. */
#include "support.h"

#include "exec/record/meter.h"
#include "exec/stream/stream.h"

#include <stdlib.h>

#define GROUPS 500u

static struct fixture cpu;
static struct test_kernel kernel;

/* Counts of the listener. */
static struct {
    _Atomic uint64_t kernels, copies, ranges, range_units, copy_bytes, wrong;
} told;

static void group_spin(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                       uint64_t count)
{
    (void)launch, (void)worker, (void)first;
    for (volatile uint64_t spin = 0; spin < 2000 * count; spin++) {
    }
}

static int group_setup(void **state)
{
    (void)state;
    setenv("GEOID_THREADS", "4", 1);
    fixture_open(&cpu, &geo_backend_cpu_ops);
    kernel_init(&kernel, group_spin);
    kernel.kernel.needs.lanes = 8;
    return 0;
}

static _Atomic uint64_t source_reads;

static bool source_read(uint64_t counts[GEO_METER_THREAD_COUNTS])
{
    static _Thread_local uint64_t reads;
    memset(counts, 0, GEO_METER_THREAD_COUNTS * sizeof(*counts));
    counts[3] = reads++ * 10; /* so each range adds 10 */
    source_reads++;
    return true;
}

static void source_told(const struct geo_meter_event *event)
{
    told.wrong += event->begin > event->end || !event->runner;
    told.kernels += event->kind == GEO_METER_KERNEL;
    told.ranges += event->kind == GEO_METER_RANGE;
    told.range_units += event->kind == GEO_METER_RANGE ? event->units : 0;
    told.copies += event->kind == GEO_METER_COPY;
    told.copy_bytes += event->kind == GEO_METER_COPY ? event->units : 0;
}

static const struct geo_meter_source source = {source_read, source_told};

static void totals(uint64_t counts[GEO_COUNTS])
{
    const struct geo_executor *executor = geo_host_executor(cpu.device);
    memset(counts, 0, GEO_COUNTS * sizeof(*counts));
    for (uint32_t i = 0; i < GEO_METER_CELLS; i++) {
        geo_meter_sum(&executor->meters[i], 0, GEO_COUNTS, counts);
    }
}

/* Runs two launches of 500 groups of 20 items, a copy, a copy of a region and a fill. */
static void work_run(struct geo_backend_stream *stream)
{
    static uint8_t from[4096], to[4096];
    struct test_batch batch;
    batch_init(&batch);
    for (int i = 0; i < 2; i++) {
        batch_add_launch(&batch, &kernel.kernel, GROUPS, NULL, 0)->local_size[0] = 20;
    }
    struct geo_command_copy *copy = batch_add(&batch, GEO_COMMAND_COPY, sizeof(*copy));
    copy->destination = to;
    copy->source = from;
    copy->bytes = 1000;
    struct geo_command_copy_region *region =
        batch_add(&batch, GEO_COMMAND_COPY_REGION, sizeof(*region));
    region->destination = to;
    region->source = from;
    region->width = 10;
    region->height = 5;
    region->depth = 2;
    region->destination_pitch = region->source_pitch = 100;
    region->destination_slice_pitch = region->source_slice_pitch = 1000;
    struct geo_command_fill *fill = batch_add(&batch, GEO_COMMAND_FILL, sizeof(*fill) + 1);
    fill->destination = to;
    fill->bytes = 300;
    fill->pattern_offset = sizeof(*fill);
    fill->pattern_bytes = 1;
    batch_add(&batch, GEO_COMMAND_BARRIER, sizeof(struct geo_command));
    stream_run_batch(&cpu, stream, &batch);
    batch_finish(&batch);
}

/* Returns what one call of work_run adds to the device's total. */
static void work_count(struct geo_backend_stream *stream, uint64_t counts[GEO_COUNTS])
{
    uint64_t before[GEO_COUNTS];
    totals(before);
    work_run(stream);
    totals(counts);
    for (uint32_t i = 0; i < GEO_COUNTS; i++) {
        counts[i] -= before[i];
    }
}

static void work_is_counted_exactly(void **state)
{
    uint64_t counts[GEO_COUNTS];
    struct geo_backend_stream *stream = stream_open(&cpu);
    (void)state;
    geo_meter_use();
    for (int round = 0; round < 5; round++) {
        work_count(stream, counts);
        assert_int_equal(counts[GEO_COUNT_KERNELS], 2);
        assert_int_equal(counts[GEO_COUNT_GROUPS], 2 * GROUPS);
        assert_int_equal(counts[GEO_COUNT_ITEMS], 2 * GROUPS * 20);
        assert_int_equal(counts[GEO_COUNT_CHUNKS], 2 * GROUPS * 3);
        assert_int_equal(counts[GEO_COUNT_PARTIAL_CHUNKS], 2 * GROUPS);
        assert_int_equal(counts[GEO_COUNT_LANES], 2 * GROUPS * 24);
        assert_in_range(counts[GEO_COUNT_CALLS], 2, 2 * GROUPS);
        assert_int_equal(counts[GEO_COUNT_COPIES], 2);
        assert_int_equal(counts[GEO_COUNT_COPY_BYTES], 1100);
        assert_int_equal(counts[GEO_COUNT_FILLS], 1);
        assert_int_equal(counts[GEO_COUNT_FILL_BYTES], 300);
        assert_int_equal(counts[GEO_COUNT_COMMANDS], 6);
        assert_int_equal(counts[GEO_COUNT_SUBMISSIONS], 1);
        assert_true(counts[GEO_COUNT_WAIT_NS] > 0);
        /* every group spins 2000 times, and no loop is faster than a cycle of 10 GHz */
        assert_true(counts[GEO_COUNT_KERNEL_NS] > 2ull * GROUPS * 2000 / 10);
        assert_true(counts[GEO_COUNT_COPY_NS] > 0);
    }
    geo_meter_release();
    cpu.ops->stream->destroy(stream);
}

static void nothing_is_counted_without_users(void **state)
{
    uint64_t counts[GEO_COUNTS];
    struct geo_backend_stream *stream = stream_open(&cpu);
    (void)state;
    geo_meter_use();
    geo_meter_use();
    geo_meter_release();
    work_count(stream, counts);
    assert_int_equal(counts[GEO_COUNT_KERNELS], 2);
    geo_meter_release();
    work_count(stream, counts);
    for (uint32_t i = 0; i < GEO_COUNTS; i++) {
        assert_int_equal(counts[i], 0);
    }
    cpu.ops->stream->destroy(stream);
}

static _Atomic(const struct geo_runner *) seen;

static void runner_keep(const struct geo_meter_event *event)
{
    seen = event->runner;
}

static const struct geo_meter_source keeper = {.told = runner_keep};

/* A query counts its stream alone, from when it is opened. */
static void an_open_query_counts_its_stream(void **state)
{
    uint64_t counts[GEO_COUNTS] = {0};
    struct geo_backend_stream *own = stream_open(&cpu), *other = stream_open(&cpu);
    (void)state;
    geo_meter_source_set(&keeper);
    geo_meter_use();
    work_run(own);
    struct geo_meter *meter = atomic_load(&seen)->meter;
    geo_meter_source_set(NULL);
    geo_meter_sum(meter, 0, GEO_COUNTS, counts);
    assert_int_equal(counts[GEO_COUNT_KERNELS], 0);
    atomic_store(&meter->queried, true);
    work_run(own);
    work_run(other);
    geo_meter_sum(meter, 0, GEO_COUNTS, counts);
    assert_int_equal(counts[GEO_COUNT_KERNELS], 2);
    assert_int_equal(counts[GEO_COUNT_ITEMS], 2 * GROUPS * 20);
    assert_true(counts[GEO_COUNT_KERNEL_NS] > 0);
    geo_meter_release();
    cpu.ops->stream->destroy(own);
    cpu.ops->stream->destroy(other);
}

static void the_source_is_read_around_each_range(void **state)
{
    uint64_t counts[GEO_COUNTS];
    struct geo_backend_stream *stream = stream_open(&cpu);
    (void)state;
    memset(&told, 0, sizeof(told));
    source_reads = 0;
    geo_meter_source_set(&source);
    geo_meter_use();
    work_count(stream, counts);
    geo_meter_release();
    geo_meter_source_set(NULL);
    assert_int_equal(told.kernels, 2);
    assert_int_equal(told.copies, 3);
    assert_int_equal(told.copy_bytes, 1400);
    assert_int_equal(told.ranges, counts[GEO_COUNT_CALLS]);
    assert_int_equal(told.range_units, 2 * GROUPS);
    assert_int_equal(told.wrong, 0);
    /* Two reads for each range. Each copy and fill is at least one range. */
    assert_true(source_reads >= 2 * (told.ranges + 3));
    assert_int_equal(counts[GEO_COUNT_THREAD + 3], 5 * source_reads);
    assert_int_equal(counts[GEO_COUNT_THREAD], 0);
    cpu.ops->stream->destroy(stream);
}

static _Atomic uint64_t turns, kernels_at_turn;

/* Is called before the first launch counts, or the copies of the work before. */
static void turn_keep(void)
{
    uint64_t counts[GEO_COUNTS];
    if (atomic_fetch_add(&turns, 1) == 0) {
        totals(counts);
        kernels_at_turn = counts[GEO_COUNT_KERNELS];
    }
}

/* A time that has passed calls the function before anything is counted; a later one does not. */
static void turns_come_before_counters_grow(void **state)
{
    uint64_t before[GEO_COUNTS];
    struct geo_backend_stream *stream = stream_open(&cpu);
    (void)state;
    geo_meter_use();
    geo_meter_turn_set(geo_timer_ns() + UINT64_C(3600) * GEO_NS_PER_SEC, turn_keep);
    work_run(stream);
    assert_int_equal(turns, 0);
    totals(before);
    geo_meter_turn_set(geo_timer_ns(), turn_keep);
    work_run(stream);
    geo_meter_turn_set(GEO_WAIT_FOREVER, turn_keep);
    assert_true(turns >= 2 + 3); /* for each launch, copy and fill, at least */
    assert_int_equal(kernels_at_turn, before[GEO_COUNT_KERNELS]);
    const uint64_t seen_turns = turns;
    work_run(stream);
    assert_int_equal(turns, seen_turns);
    geo_meter_release();
    cpu.ops->stream->destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_counted_exactly),
        cmocka_unit_test(nothing_is_counted_without_users),
        cmocka_unit_test(an_open_query_counts_its_stream),
        cmocka_unit_test(the_source_is_read_around_each_range),
        cmocka_unit_test(turns_come_before_counters_grow),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
