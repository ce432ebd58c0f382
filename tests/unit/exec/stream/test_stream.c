/* Streams: records run in order, waits park a stream, tickets and fences tell when. */
#include "support.h"

#include "exec/stream/stream.h"

#include <pthread.h>
#include <stdatomic.h>

static struct fixture cpu, null;

static int group_setup(void **state)
{
    (void)state;
    fixture_open(&cpu, &geo_backend_cpu_ops);
    fixture_open(&null, &geo_backend_null_ops);
    return 0;
}

static ze_result_t event_wait(struct geo_event_slot *slot, uint64_t timeout_ns)
{
    const struct geo_event_wait wait = {.event = {slot, 1}, .timeout_ns = timeout_ns};
    return cpu.ops->event->wait(cpu.backend, &wait);
}

/* ---- kernels ---- */

struct add_arguments {
    uint32_t *values;
    uint32_t amount;
};

/* values[group] += amount */
static void add_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                       uint64_t count)
{
    (void)worker;
    const struct add_arguments *arguments = (const struct add_arguments *)launch->arguments;
    for (uint64_t i = first; i < first + count; i++) {
        arguments->values[i] += arguments->amount;
    }
}

struct gate_arguments {
    _Atomic uint32_t *entered;
    _Atomic uint32_t *open;
};

/* Counts itself in and runs until the gate opens. */
static void gate_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)worker;
    (void)first;
    (void)count;
    const struct gate_arguments *arguments = (const struct gate_arguments *)launch->arguments;
    atomic_fetch_add(arguments->entered, 1);
    while (atomic_load(arguments->open) == 0) {
        geo_machine_pause();
    }
}

struct turn_arguments {
    const struct geo_executor *executor;
    _Atomic uint32_t *turns, *overtaken;
};

/* Notes whether a stream of high priority is still to be taken when it runs. */
static void turn_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)worker;
    (void)first;
    (void)count;
    const struct turn_arguments *arguments = (const struct turn_arguments *)launch->arguments;
    if (geo_tasks_ready(&arguments->executor->tasks, 1)) {
        atomic_fetch_add(arguments->overtaken, 1);
    }
    atomic_fetch_add(arguments->turns, 1);
}

static void empty_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                         uint64_t count)
{
    (void)launch;
    (void)worker;
    (void)first;
    (void)count;
}

/* ---- order and data ---- */

/* KRN-6, CMQ-14 */
static void launches_run_every_group_once_and_in_order(void **state)
{
    (void)state;
    enum { GROUPS = 10000 };
    static uint32_t values[GROUPS];
    struct test_kernel kernel;
    struct test_batch batch;
    kernel_init(&kernel, add_kernel);
    struct geo_backend_stream *stream = stream_open(&cpu);
    for (int round = 0; round < 50; round++) {
        memset(values, 0, sizeof(values));
        batch_init(&batch);
        for (uint32_t i = 0; i < 4; i++) {
            struct add_arguments arguments = {.values = values, .amount = 1u << (8 * i)};
            batch_add_launch(&batch, &kernel.kernel, GROUPS, &arguments, sizeof(arguments));
        }
        stream_run_batch(&cpu, stream, &batch);
        for (uint32_t i = 0; i < GROUPS; i++) {
            assert_int_equal(values[i], 0x01010101);
        }
        batch_finish(&batch);
    }
    cpu.ops->stream->destroy(stream);
}

/* CPY-1, CPY-2, CPY-3 */
static void copies_and_fills_do_what_they_say(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 100, 4096, (256 << 10) + 1, (3 << 20) + 17};
    const uint32_t patterns[] = {1, 2, 4, 8, 16, 64, 3, 4096};
    struct geo_backend_stream *stream = stream_open(&cpu);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
            uint8_t *a = malloc(sizes[s] + 1), *b = malloc(sizes[s] + 1);
            memset(a, 0xee, sizes[s] + 1);
            memset(b, 0xee, sizes[s] + 1);
            struct test_batch batch;
            batch_init(&batch);
            struct geo_command_fill *fill =
                batch_add(&batch, GEO_COMMAND_FILL, sizeof(*fill) + patterns[p]);
            fill->destination = a;
            fill->bytes = sizes[s];
            fill->pattern_offset = sizeof(*fill);
            fill->pattern_bytes = patterns[p];
            for (uint32_t i = 0; i < patterns[p]; i++) {
                ((uint8_t *)(fill + 1))[i] = (uint8_t)(i * 7 + 3);
            }
            struct geo_command_copy *copy = batch_add(&batch, GEO_COMMAND_COPY, sizeof(*copy));
            copy->destination = b;
            copy->source = a;
            copy->bytes = sizes[s];
            stream_run_batch(&cpu, stream, &batch);
            for (size_t i = 0; i < sizes[s]; i++) {
                if (b[i] != (uint8_t)(i % patterns[p] * 7 + 3)) {
                    fail_msg("byte %zu of %zu, pattern %u", i, sizes[s], patterns[p]);
                }
            }
            assert_int_equal(b[sizes[s]], 0xee);
            assert_int_equal(a[sizes[s]], 0xee);
            batch_finish(&batch);
            free(a);
            free(b);
        }
    }
    cpu.ops->stream->destroy(stream);
}

/* CPY-3 */
static void region_copies_move_rows_and_slices(void **state)
{
    (void)state;
    enum { W = 700, H = 60, D = 9, PITCH = 1024, SLICE = PITCH * 64 };
    uint8_t *from = malloc(SLICE * D), *to = calloc(1, SLICE * D);
    for (size_t i = 0; i < SLICE * D; i++) {
        from[i] = (uint8_t)(i * 31 + i / 977);
    }
    struct test_batch batch;
    batch_init(&batch);
    struct geo_command_copy_region *region =
        batch_add(&batch, GEO_COMMAND_COPY_REGION, sizeof(*region));
    region->destination = to + 5;
    region->source = from + 3;
    region->width = W;
    region->height = H;
    region->depth = D;
    region->destination_pitch = region->source_pitch = PITCH;
    region->destination_slice_pitch = region->source_slice_pitch = SLICE;
    struct geo_backend_stream *stream = stream_open(&cpu);
    stream_run_batch(&cpu, stream, &batch);
    for (size_t z = 0; z < D; z++) {
        for (size_t y = 0; y < H; y++) {
            const uint8_t *row = to + z * SLICE + y * PITCH;
            assert_memory_equal(row + 5, from + z * SLICE + y * PITCH + 3, W);
            assert_int_equal(row[5 + W], 0);
        }
    }
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
    free(from);
    free(to);
}

static void indirect_launch_reads_counts_when_it_runs(void **state)
{
    (void)state;
    uint32_t values[64] = {0}, counts[3] = {0, 1, 1}, limit = 0;
    struct test_kernel kernel;
    struct test_batch batch;
    struct add_arguments arguments = {.values = values, .amount = 1};
    kernel_init(&kernel, add_kernel);
    batch_init(&batch);
    for (uint32_t i = 0; i < 2; i++) {
        struct geo_command_launch *launch =
            batch_add_launch(&batch, &kernel.kernel, 0, &arguments, sizeof(arguments));
        launch->header.operation = GEO_COMMAND_LAUNCH_INDIRECT;
        launch->indirect_counts = counts;
        launch->indirect_limit = i == 1 ? &limit : NULL;
        launch->indirect_index = i;
    }
    struct geo_backend_stream *stream = stream_open(&cpu);
    counts[0] = 64;
    limit = 1; /* the second, of index 1, does not run */
    stream_run_batch(&cpu, stream, &batch);
    assert_int_equal(values[0], 1);
    assert_int_equal(values[63], 1);
    limit = 2;
    stream_run_batch(&cpu, stream, &batch);
    assert_int_equal(values[63], 3);
    counts[1] = 0; /* no groups: nothing runs */
    stream_run_batch(&cpu, stream, &batch);
    assert_int_equal(values[63], 3);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
}

static void null_device_completes_everything_and_touches_nothing(void **state)
{
    (void)state;
    uint32_t values[16] = {0};
    struct test_kernel kernel;
    struct test_batch batch;
    struct geo_event_slot slot = {0};
    struct add_arguments arguments = {.values = values, .amount = 1};
    kernel_init(&kernel, add_kernel);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 16, &arguments, sizeof(arguments));
    struct geo_command_copy *copy = batch_add(&batch, GEO_COMMAND_COPY, sizeof(*copy));
    copy->destination = NULL;
    copy->bytes = 1 << 20;
    struct geo_command *nop = batch_add(&batch, GEO_COMMAND_NOP, sizeof(*nop));
    nop->signal = (struct geo_event_ref){&slot, 1};
    nop->flags = GEO_COMMAND_PROFILE;
    nop->profile = &slot.times;
    struct geo_backend_stream *stream = stream_open(&null);
    stream_run_batch(&null, stream, &batch);
    assert_int_equal(values[0], 0);
    assert_int_equal(slot.value, 1);
    assert_true(slot.times.global_start != 0 && slot.times.global_end >= slot.times.global_start);
    null.ops->stream->destroy(stream);
    batch_finish(&batch);
}

/* ---- waiting ---- */

/* VAL-9, CMQ-10, CMQ-6 */
static void bounded_wait_returns_in_time_and_unbounded_when_done(void **state)
{
    (void)state;
    _Atomic uint32_t entered = 0, open = 0;
    struct gate_arguments arguments = {&entered, &open};
    struct test_kernel kernel;
    struct test_batch batch;
    uint64_t ticket;
    kernel_init(&kernel, gate_kernel);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 1, &arguments, sizeof(arguments));
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct geo_event_ref none = {0};
    cpu.ops->stream->submit(stream, &batch.batch, none, &ticket);
    uint64_t start = geo_now_ns();
    assert_int_equal(cpu.ops->stream->wait(stream, ticket, 0), ZE_RESULT_NOT_READY);
    assert_int_equal(cpu.ops->stream->wait(stream, ticket, 20000000), ZE_RESULT_NOT_READY);
    uint64_t took = geo_now_ns() - start;
    assert_true(took >= 20000000); /* and how much later it came back is the machine's */
    wait_for(&entered, 1);         /* a worker runs it although nobody waits */
    atomic_store(&open, 1);
    assert_int_equal(cpu.ops->stream->wait(stream, ticket, UINT64_MAX), ZE_RESULT_SUCCESS);
    assert_int_equal(cpu.ops->stream->wait(stream, UINT64_MAX, 0), ZE_RESULT_SUCCESS);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
}

/* SYN-1, SYN-2, SYN-5 */
static void waits_park_the_stream_until_the_event_is_raised(void **state)
{
    (void)state;
    enum { STREAMS = 40 };
    struct geo_event_slot slot = {0}, done[STREAMS];
    struct geo_backend_stream *streams[STREAMS];
    struct test_batch batches[STREAMS];
    struct geo_event_ref wait = {&slot, 1};
    memset(done, 0, sizeof(done));
    for (int i = 0; i < STREAMS; i++) { /* far more than workers: none may be blocked */
        streams[i] = stream_open(&cpu);
        batch_init(&batches[i]);
        batch_add_waiting(&batches[i], GEO_COMMAND_NOP, sizeof(struct geo_command), &wait, 1);
        uint64_t ticket;
        cpu.ops->stream->submit(streams[i], &batches[i].batch, (struct geo_event_ref){&done[i], 1},
                                &ticket);
    }
    assert_int_equal(event_wait(&done[STREAMS - 1], 5000000), ZE_RESULT_NOT_READY);
    cpu.ops->event->signal(cpu.backend, wait);
    for (int i = 0; i < STREAMS; i++) {
        assert_int_equal(event_wait(&done[i], UINT64_MAX), ZE_RESULT_SUCCESS);
        assert_int_equal(cpu.ops->stream->wait(streams[i], UINT64_MAX, UINT64_MAX),
                         ZE_RESULT_SUCCESS);
    }
    assert_int_equal(slot.sleepers, 0);
    for (int i = 0; i < STREAMS; i++) {
        cpu.ops->stream->destroy(streams[i]);
        batch_finish(&batches[i]);
    }
}

/* CMQ-3 */
static void streams_progress_although_all_workers_are_busy(void **state)
{
    (void)state;
    enum { BUSY = 6 };
    _Atomic uint32_t entered = 0, open = 0;
    struct gate_arguments arguments = {&entered, &open};
    struct test_kernel gate, empty;
    struct test_batch batches[BUSY], free_batch;
    struct geo_backend_stream *streams[BUSY];
    struct geo_event_slot slot = {0};
    kernel_init(&gate, gate_kernel);
    kernel_init(&empty, empty_kernel);
    for (int i = 0; i < BUSY; i++) {
        streams[i] = stream_open(&cpu);
        batch_init(&batches[i]);
        batch_add_launch(&batches[i], &gate.kernel, 1, &arguments, sizeof(arguments));
        uint64_t ticket;
        cpu.ops->stream->submit(streams[i], &batches[i].batch, (struct geo_event_ref){0}, &ticket);
    }
    wait_for(&entered, BUSY); /* spare workers came for those that found none */
    struct geo_backend_stream *other = stream_open(&cpu);
    batch_init(&free_batch);
    batch_add_launch(&free_batch, &empty.kernel, 1, NULL, 0);
    uint64_t ticket;
    struct geo_event_ref done = {&slot, 1};
    cpu.ops->stream->submit(other, &free_batch.batch, done, &ticket);
    assert_int_equal(event_wait(&slot, PATIENCE_NS), ZE_RESULT_SUCCESS);
    atomic_store(&open, 1);
    for (int i = 0; i < BUSY; i++) {
        assert_int_equal(cpu.ops->stream->wait(streams[i], UINT64_MAX, UINT64_MAX),
                         ZE_RESULT_SUCCESS);
        cpu.ops->stream->destroy(streams[i]);
        batch_finish(&batches[i]);
    }
    cpu.ops->stream->destroy(other);
    batch_finish(&free_batch);
}

struct waiter {
    pthread_t thread;
    struct geo_backend_stream *stream;
};

static void *waiter_main(void *argument)
{
    struct waiter *waiter = argument;
    cpu.ops->stream->wait(waiter->stream, UINT64_MAX, UINT64_MAX);
    return NULL;
}

/* CMQ-4, CMQ-9: a thread that waits for a stream of low priority does not run it while one of high
 * priority finds no worker. */
static void waiting_for_a_low_priority_does_not_overtake_a_high_one(void **state)
{
    (void)state;
    enum { GATE, HIGH, LOW, COUNT };
    const uint32_t priorities[COUNT] = {1, 0, 2};
    const int32_t place = 0;
    const struct geo_crew_desc desc = {.places = &place, .place_count = 1, .workers = 1};
    const struct geo_runner runner = {.ops = &geo_cpu_record_ops,
                                      .executor = geo_executor_create(&desc)};
    _Atomic uint32_t entered = 0, open = 0, turns = 0, overtaken = 0;
    struct gate_arguments gate_arguments = {&entered, &open};
    struct turn_arguments turn_arguments = {runner.executor, &turns, &overtaken};
    struct test_kernel gate, turn;
    struct test_batch batches[COUNT];
    struct geo_backend_stream *streams[COUNT];
    kernel_init(&gate, gate_kernel);
    kernel_init(&turn, turn_kernel);
    assert_non_null(runner.executor);
    atomic_store(&runner.executor->crew.spare_bits, UINT64_MAX); /* one worker, no spare ones */
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(geo_exec_stream_create(&runner, priorities[i], &streams[i]),
                         ZE_RESULT_SUCCESS);
        batch_init(&batches[i]);
        if (i == GATE) {
            batch_add_launch(&batches[i], &gate.kernel, 1, &gate_arguments, sizeof(gate_arguments));
        } else {
            batch_add_launch(&batches[i], &turn.kernel, 1, &turn_arguments, sizeof(turn_arguments));
        }
        cpu.ops->stream->submit(streams[i], &batches[i].batch, (struct geo_event_ref){0}, NULL);
        wait_for(&entered, 1); /* nobody is left to take what comes then */
    }
    struct waiter waiter = {.stream = streams[LOW]};
    assert_int_equal(pthread_create(&waiter.thread, NULL, waiter_main, &waiter), 0);
    /* a stream begins with the slot that its waiters sleep on: when they found nothing to do */
    struct geo_event_slot *completed = (struct geo_event_slot *)(void *)streams[LOW];
    wait_for(&completed->sleepers, 1);
    assert_int_equal(turns, 0);
    atomic_store(&open, 1);
    pthread_join(waiter.thread, NULL);
    for (int i = 0; i < COUNT; i++) {
        cpu.ops->stream->destroy(streams[i]);
        batch_finish(&batches[i]);
    }
    assert_int_equal(turns, 2);
    assert_int_equal(overtaken, 0);
    geo_executor_destroy(runner.executor);
}

/* CMQ-9 */
static void execute_runs_the_batch_and_returns_when_it_is_done(void **state)
{
    (void)state;
    uint32_t value = 0;
    struct test_kernel kernel;
    struct add_arguments arguments = {.values = &value, .amount = 1};
    kernel_init(&kernel, add_kernel);
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct test_batch batch;
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 1, &arguments, sizeof(arguments));
    for (uint32_t i = 1; i <= 1000; i++) {
        assert_int_equal(cpu.ops->stream->execute(stream, &batch.batch, (struct geo_event_ref){0}),
                         ZE_RESULT_SUCCESS);
        assert_int_equal(value, i);
    }
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
}

static void host_record(void *data)
{
    atomic_fetch_add((_Atomic uint32_t *)data, 1);
}

static void host_functions_run_in_order_with_the_rest(void **state)
{
    (void)state;
    _Atomic uint32_t calls = 0;
    struct test_batch batch;
    batch_init(&batch);
    for (int i = 0; i < 100; i++) {
        struct geo_command_host_function *host =
            batch_add(&batch, GEO_COMMAND_HOST_FUNCTION, sizeof(*host));
        host->function = host_record;
        host->user_data = &calls;
    }
    struct geo_backend_stream *stream = stream_open(&cpu);
    stream_run_batch(&cpu, stream, &batch);
    assert_int_equal(calls, 100);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
}

/* ---- timestamps ---- */

/* SYN-17, SYN-19, SYN-20, CMQ-22 */
static void timestamps_are_taken_and_queried(void **state)
{
    (void)state;
    struct geo_event_slot slots[2];
    uint64_t before = 0, after = 0, offsets[2] = {64, 0};
    ze_kernel_timestamp_result_t results[4];
    struct test_kernel kernel;
    struct test_batch batch;
    memset(slots, 0, sizeof(slots));
    memset(results, 0, sizeof(results));
    kernel_init(&kernel, empty_kernel);
    batch_init(&batch);
    struct geo_command_timestamp *stamp = batch_add(&batch, GEO_COMMAND_TIMESTAMP, sizeof(*stamp));
    stamp->destination = &before;
    for (int i = 0; i < 2; i++) {
        struct geo_command_launch *launch = batch_add_launch(&batch, &kernel.kernel, 1, NULL, 0);
        launch->header.flags = GEO_COMMAND_PROFILE;
        launch->header.profile = &slots[i].times;
        launch->header.signal = (struct geo_event_ref){&slots[i], 1};
    }
    stamp = batch_add(&batch, GEO_COMMAND_TIMESTAMP, sizeof(*stamp));
    stamp->destination = &after;
    struct geo_command_query_timestamps *query = batch_add(
        &batch, GEO_COMMAND_QUERY_TIMESTAMPS, sizeof(*query) + 2 * sizeof(struct geo_timestamps *));
    const struct geo_timestamps **times = (const struct geo_timestamps **)(void *)(query + 1);
    times[0] = &slots[0].times;
    times[1] = &slots[1].times;
    query->destination = results;
    query->offsets = offsets;
    query->times_offset = sizeof(*query);
    query->times_count = 2;
    struct geo_backend_stream *stream = stream_open(&cpu);
    stream_run_batch(&cpu, stream, &batch);
    assert_true(before != 0 && before <= slots[0].times.global_start);
    assert_true(slots[0].times.global_start <= slots[0].times.global_end);
    assert_true(slots[0].times.global_end <= slots[1].times.global_start);
    assert_true(slots[1].times.global_end <= after);
    assert_true(results[2].global.kernelStart == slots[0].times.global_start);
    assert_true(results[0].context.kernelEnd == slots[1].times.context_end);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_run_every_group_once_and_in_order),
        cmocka_unit_test(copies_and_fills_do_what_they_say),
        cmocka_unit_test(region_copies_move_rows_and_slices),
        cmocka_unit_test(indirect_launch_reads_counts_when_it_runs),
        cmocka_unit_test(null_device_completes_everything_and_touches_nothing),
        cmocka_unit_test(bounded_wait_returns_in_time_and_unbounded_when_done),
        cmocka_unit_test(waits_park_the_stream_until_the_event_is_raised),
        cmocka_unit_test(streams_progress_although_all_workers_are_busy),
        cmocka_unit_test(waiting_for_a_low_priority_does_not_overtake_a_high_one),
        cmocka_unit_test(execute_runs_the_batch_and_returns_when_it_is_done),
        cmocka_unit_test(host_functions_run_in_order_with_the_rest),
        cmocka_unit_test(timestamps_are_taken_and_queried),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
