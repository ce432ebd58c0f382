/* Streams of GPUs and their events: order, tickets, losses, children. */
#include "batch_fixture.h"

#include "sweep.h"

#include <pthread.h>

static const struct geo_backend_ops *const ops = &geo_backend_cuda_compute_ops;
static const struct geo_event_ref none;

enum { SLOTS = 8 };

/* The sink of a context: counts faults. */
struct sink {
    _Atomic uint32_t lost, reports;
    const char *reason;
    uint16_t operation;
};

struct work {
    struct cudas cudas;
    struct sink sink;
    struct geo_allocation memory;
    struct geo_event_slot *slots; /* pinned */
};

static struct work work;

static void fault_note(void *owner, const struct geo_fault *fault)
{
    struct sink *sink = owner;
    sink->reason = fault->reason;
    sink->operation = fault->operation;
    atomic_fetch_add(&sink->reports, 1);
    atomic_store(&sink->lost, 1);
}

static void work_begin(const char *gpus)
{
    memset(&work, 0, sizeof(work));
    cudas_open(&work.cudas, gpus);
    assert_int_equal(ops->memory->allocate(work.cudas.backend, NULL, GEO_MEMORY_HOST,
                                           SLOTS * sizeof(struct geo_event_slot), 64, 0,
                                           &work.memory),
                     ZE_RESULT_SUCCESS);
    work.slots = work.memory.base;
    memset(work.slots, 0, SLOTS * sizeof(struct geo_event_slot));
}

static void work_end(void)
{
    ops->memory->release(work.cudas.backend, &work.memory);
    cudas_close(&work.cudas);
}

static struct geo_backend_stream *stream_make(uint32_t gpu)
{
    struct geo_backend_stream *stream = NULL;
    const struct geo_stream_desc desc = {
        .faults = {.lost = &work.sink.lost, .report = fault_note, .owner = &work.sink}};
    assert_int_equal(ops->stream->create(cudas_device(&work.cudas, gpu), &desc, &stream),
                     ZE_RESULT_SUCCESS);
    return stream;
}

static struct geo_event_ref event(uint32_t slot, uint64_t value)
{
    return (struct geo_event_ref){&work.slots[slot], value};
}

static bool is_raised(uint32_t slot)
{
    return atomic_load(&work.slots[slot].value) != 0;
}

static uint64_t submit(struct geo_backend_stream *stream, struct test_batch *batch,
                       struct geo_event_ref done)
{
    uint64_t ticket = 0;
    assert_int_equal(ops->stream->submit(stream, &batch->batch, done, &ticket), ZE_RESULT_SUCCESS);
    return ticket;
}

static ze_result_t event_wait(uint32_t slot, struct geo_backend_stream *stream, uint64_t timeout_ns)
{
    const struct geo_event_wait wait = {.event = event(slot, 1),
                                        .timeout_ns = timeout_ns,
                                        .stream = stream,
                                        .lost = &work.sink.lost};
    return ops->event->wait(work.cudas.backend, &wait);
}

static void event_signal(uint32_t slot)
{
    ops->event->signal(work.cudas.backend, event(slot, 1));
}

/* ---- order ---- */

static char order[16];
static _Atomic uint32_t order_length;

static void order_note(void *data)
{
    order[atomic_fetch_add(&order_length, 1)] = *(const char *)data;
}

static void records_run_one_after_the_other(void **state)
{
    (void)state;
    struct test_batch first, second;
    work_begin("h100");
    struct geo_backend_stream *stream = stream_make(0);
    memset(order, 0, sizeof(order));
    atomic_store(&order_length, 0);
    batch_begin(&first);
    batch_begin(&second);
    batch_wait(&first, event(0, 1));
    batch_host(&first, order_note, "a");
    batch_plain(&first, GEO_COMMAND_BARRIER);
    batch_host(&first, order_note, "b")->signal = event(1, 1);
    batch_plain(&first, GEO_COMMAND_NOP);
    batch_host(&second, order_note, "c");
    uint64_t one = submit(stream, &first, event(2, 1));
    uint64_t two = submit(stream, &second, none);
    assert_true(two > one);
    assert_false(ops->stream->finished(stream, one));
    assert_int_equal(ops->stream->wait(stream, one, 0), ZE_RESULT_NOT_READY);
    assert_int_equal(ops->stream->wait(stream, UINT64_MAX, 3000000), ZE_RESULT_NOT_READY);
    assert_int_equal(order_length, 0);
    event_signal(0);
    assert_int_equal(ops->stream->wait(stream, one, PATIENCE_NS), ZE_RESULT_SUCCESS);
    assert_true(is_raised(1) && is_raised(2));
    assert_true(ops->stream->finished(stream, one));
    assert_int_equal(ops->stream->wait(stream, UINT64_MAX, UINT64_MAX), ZE_RESULT_SUCCESS);
    assert_true(ops->stream->finished(stream, two) && ops->stream->finished(stream, UINT64_MAX));
    assert_string_equal(order, "abc");
    ops->stream->destroy(stream);
    work_end();
}

static void an_empty_batch_raises_its_fence(void **state)
{
    (void)state;
    struct test_batch batch;
    work_begin("t4");
    struct geo_backend_stream *stream = stream_make(0);
    assert_true(ops->stream->finished(stream, UINT64_MAX));
    assert_int_equal(ops->stream->wait(stream, UINT64_MAX, 0), ZE_RESULT_SUCCESS);
    batch_begin(&batch);
    assert_int_equal(ops->stream->execute(stream, &batch.batch, event(0, 1)), ZE_RESULT_SUCCESS);
    assert_true(is_raised(0));
    ops->stream->destroy(stream);
    work_end();
}

/* ---- events ---- */

static void gpus_wait_for_each_other(void **state)
{
    (void)state;
    struct test_batch first, second;
    work_begin("h100,t4");
    struct geo_backend_stream *one = stream_make(0), *two = stream_make(1);
    batch_begin(&first);
    batch_begin(&second);
    batch_wait(&first, event(0, 1));
    batch_event(&first, GEO_COMMAND_EVENT_SIGNAL, event(1, 1));
    batch_wait(&second, event(1, 1));
    batch_event(&second, GEO_COMMAND_EVENT_SIGNAL, event(2, 1));
    (void)submit(two, &second, none);
    (void)submit(one, &first, none);
    assert_int_equal(event_wait(2, two, 3000000), ZE_RESULT_NOT_READY);
    assert_int_equal(event_wait(2, NULL, 0), ZE_RESULT_NOT_READY);
    event_signal(0);
    assert_int_equal(event_wait(2, two, UINT64_MAX), ZE_RESULT_SUCCESS);
    assert_true(is_raised(1));
    ops->stream->destroy(one);
    ops->stream->destroy(two);
    work_end();
}

static void events_are_reset_in_order(void **state)
{
    (void)state;
    struct test_batch batch;
    work_begin("h100");
    struct geo_backend_stream *stream = stream_make(0);
    event_signal(0);
    atomic_store(&work.slots[0].lost_from, 1);
    geo_command_timestamps_write(&work.slots[0].times, 5, 6);
    batch_begin(&batch);
    batch_wait(&batch, event(0, 1));
    batch_event(&batch, GEO_COMMAND_EVENT_RESET, event(0, 0));
    batch_event(&batch, GEO_COMMAND_EVENT_SIGNAL, event(1, 1));
    assert_int_equal(ops->stream->execute(stream, &batch.batch, none), ZE_RESULT_SUCCESS);
    assert_false(is_raised(0));
    assert_int_equal(work.slots[0].lost_from, 0);
    assert_int_equal(geo_command_timestamps_read(&work.slots[0].times).context.kernelEnd, 0);
    assert_true(is_raised(1));
    ops->event->reset(work.cudas.backend, &work.slots[1]);
    assert_false(is_raised(1));
    ops->stream->destroy(stream);
    work_end();
}

/* Values of counters: relative to the bases of the submission, and words of the application. */
static void relative_and_external_values_are_resolved(void **state)
{
    (void)state;
    struct test_batch batch;
    const uint64_t bases[] = {100, 200};
    const uint64_t index = UINT64_C(1) << GEO_EVENT_BASE_SHIFT;
    work_begin("h100");
    struct geo_backend_stream *stream = stream_make(0);
    _Atomic uint64_t *word = (_Atomic uint64_t *)&work.slots[1];
    atomic_store(word, 40);
    batch_begin(&batch);
    batch.batch.bases = bases;
    batch_plain(&batch, GEO_COMMAND_NOP)->signal = event(0, GEO_EVENT_RELATIVE | index | 3);
    batch_wait(&batch, event(0, GEO_EVENT_RELATIVE | index | 3));
    batch_event(&batch, GEO_COMMAND_EVENT_SIGNAL, event(1, GEO_EVENT_EXTERNAL | 2));
    batch_wait(&batch, event(1, GEO_EVENT_EXTERNAL | 42));
    assert_int_equal(ops->stream->execute(stream, &batch.batch, none), ZE_RESULT_SUCCESS);
    assert_int_equal(work.slots[0].value, 203);
    assert_int_equal(atomic_load(word), 42);
    ops->event->signal(work.cudas.backend, event(1, GEO_EVENT_EXTERNAL | 1));
    assert_int_equal(atomic_load(word), 43);
    ops->stream->destroy(stream);
    work_end();
}

/* The host raises and resets slots that the GPU does not reach; it cannot wait for them. */
static void slots_of_the_process_are_raised_by_the_host(void **state)
{
    (void)state;
    struct test_batch batch;
    struct geo_event_slot own = {0}, other = {0};
    uint64_t ticket;
    work_begin("h100");
    struct geo_backend_stream *stream = stream_make(0);
    const struct geo_event_ref ref = {&own, 1};
    atomic_store(&other.value, 1);
    batch_begin(&batch);
    batch_event(&batch, GEO_COMMAND_EVENT_RESET, (struct geo_event_ref){&other, 0});
    batch_event(&batch, GEO_COMMAND_EVENT_SIGNAL, ref);
    assert_int_equal(ops->stream->execute(stream, &batch.batch, none), ZE_RESULT_SUCCESS);
    assert_int_equal(own.value, 1);
    assert_int_equal(other.value, 0);
    batch_begin(&batch);
    batch_wait(&batch, ref); /* complete */
    assert_int_equal(ops->stream->execute(stream, &batch.batch, none), ZE_RESULT_SUCCESS);
    atomic_store(&own.value, 0);
    assert_int_equal(ops->stream->submit(stream, &batch.batch, none, &ticket),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    ops->stream->destroy(stream);
    work_end();
}

/* ---- what is missing ---- */

static void what_cannot_run_is_refused_and_nothing_is_queued(void **state)
{
    (void)state;
    static const enum geo_command_operation operations[] = {GEO_COMMAND_LAUNCH_INDIRECT,
                                                            GEO_COMMAND_TIMESTAMP,
                                                            GEO_COMMAND_QUERY_TIMESTAMPS,
                                                            GEO_COMMAND_SIGNAL_SEMAPHORES,
                                                            GEO_COMMAND_WAIT_SEMAPHORES,
                                                            GEO_COMMAND_METRIC,
                                                            GEO_COMMAND_NOP};
    struct test_batch batch;
    uint64_t ticket = 77;
    work_begin("h100");
    struct geo_backend_stream *stream = stream_make(0);
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        batch_begin(&batch);
        batch_event(&batch, GEO_COMMAND_EVENT_SIGNAL, event(0, 1));
        struct geo_command *command =
            batch_add(&batch, operations[i], sizeof(struct geo_command_launch), 0, NULL, 0);
        command->flags = operations[i] == GEO_COMMAND_NOP ? GEO_COMMAND_PROFILE : 0;
        assert_int_equal(ops->stream->submit(stream, &batch.batch, event(1, 1), &ticket),
                         ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        assert_int_equal(ticket, 77);
    }
    assert_int_equal(ops->stream->wait(stream, UINT64_MAX, UINT64_MAX), ZE_RESULT_SUCCESS);
    assert_false(is_raised(0) || is_raised(1));
    /* hints do nothing */
    batch_begin(&batch);
    batch_add(&batch, GEO_COMMAND_PREFETCH, sizeof(struct geo_command_range), 0, NULL, 0);
    batch_add(&batch, GEO_COMMAND_ADVISE, sizeof(struct geo_command_range), 0, NULL, 0);
    assert_int_equal(ops->stream->execute(stream, &batch.batch, none), ZE_RESULT_SUCCESS);
    ops->stream->destroy(stream);
    work_end();
}

static void priorities_become_those_of_cuda(void **state)
{
    (void)state;
    static const struct {
        ze_command_queue_priority_t ours;
        int64_t theirs;
    } table[] = {{ZE_COMMAND_QUEUE_PRIORITY_NORMAL, -2},
                 {ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW, 0},
                 {ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH, -5}};
    work_begin("h100");
    for (int i = 0; i < 3; i++) {
        const struct geo_stream_desc desc = {.priority = table[i].ours};
        struct geo_backend_stream *stream;
        assert_int_equal(ops->stream->create(cudas_device(&work.cudas, 0), &desc, &stream),
                         ZE_RESULT_SUCCESS);
        const struct fake_cuda_record *record =
            &work.cudas.fake->records[work.cudas.fake->record_count - 1];
        assert_int_equal(record->function, FAKE_CUDA_StreamCreateWithPriority);
        assert_int_equal(record->first, GEO_CUDA_STREAM_NON_BLOCKING);
        assert_int_equal((int64_t)record->second, table[i].theirs);
        ops->stream->destroy(stream);
    }
    work_end();
}

/* ---- losses ---- */

/* A fault of the GPU: a thread that waits for an event reports it, and everything is raised. */
static void a_fault_is_reported_once_and_everything_is_raised(void **state)
{
    (void)state;
    struct test_batch first, second, later;
    work_begin("h100,t4");
    struct geo_backend_stream *one = stream_make(0), *two = stream_make(0);
    struct geo_backend_stream *other = stream_make(1);
    batch_begin(&first);
    batch_begin(&second);
    batch_wait(&first, event(0, 1)); /* nobody raises it */
    batch_event(&first, GEO_COMMAND_EVENT_SIGNAL, event(1, 1));
    batch_plain(&first, GEO_COMMAND_BARRIER)->signal = event(2, 1);
    batch_wait(&second, event(0, 1));
    uint64_t ticket = submit(one, &first, event(3, 1));
    (void)submit(two, &second, event(4, 1));
    work.cudas.fake->lost[0] = GEO_CUDA_ILLEGAL_ADDRESS;
    assert_int_equal(event_wait(1, one, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(ops->stream->wait(one, ticket, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(ops->stream->wait(two, UINT64_MAX, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(work.sink.reports, 1);
    assert_string_equal(work.sink.reason, "an illegal memory access was encountered");
    assert_int_equal(work.sink.operation, GEO_COMMAND_WAIT_EVENTS);
    for (uint32_t slot = 1; slot <= 4; slot++) {
        assert_true(is_raised(slot));
        assert_int_equal(work.slots[slot].lost_from, 1);
    }
    assert_true(ops->stream->finished(one, ticket));
    batch_begin(&later);
    batch_event(&later, GEO_COMMAND_EVENT_SIGNAL, event(5, 1));
    (void)submit(one, &later, event(6, 1));
    assert_true(is_raised(5) && is_raised(6));
    assert_int_equal(work.slots[5].lost_from, 1);
    work.cudas.fake->lost[0] = 0;
    ops->stream->destroy(one);
    ops->stream->destroy(two);
    ops->stream->destroy(other);
    work_end();
}

static void a_stream_without_a_sink_is_lost_alone(void **state)
{
    (void)state;
    const struct geo_stream_desc desc = {0};
    struct geo_backend_stream *alone = NULL;
    struct test_batch batch;
    work_begin("h100,t4");
    struct geo_backend_stream *other = stream_make(1);
    assert_int_equal(ops->stream->create(cudas_device(&work.cudas, 0), &desc, &alone),
                     ZE_RESULT_SUCCESS);
    batch_begin(&batch);
    batch_wait(&batch, event(0, 1));
    (void)submit(alone, &batch, event(1, 1));
    work.cudas.fake->lost[0] = GEO_CUDA_LAUNCH_FAILED;
    assert_int_equal(ops->stream->wait(alone, UINT64_MAX, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_true(is_raised(1));
    batch_begin(&batch);
    assert_int_equal(ops->stream->execute(other, &batch.batch, none), ZE_RESULT_SUCCESS);
    work.cudas.fake->lost[0] = 0;
    ops->stream->destroy(alone);
    ops->stream->destroy(other);
    work_end();
}

static void a_context_that_is_gone_is_a_loss(void **state)
{
    (void)state;
    struct test_batch batch;
    work_begin("h100");
    struct geo_backend_stream *stream = stream_make(0);
    work.cudas.fake->results[FAKE_CUDA_CtxPushCurrent] = GEO_CUDA_CONTEXT_IS_DESTROYED;
    batch_begin(&batch);
    batch_event(&batch, GEO_COMMAND_EVENT_SIGNAL, event(1, 1));
    uint64_t ticket = submit(stream, &batch, event(2, 1));
    assert_int_equal(ops->stream->wait(stream, ticket, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(work.sink.reports, 1);
    assert_true(is_raised(1) && is_raised(2));
    assert_int_equal(work.slots[2].lost_from, 1);
    work.cudas.fake->results[FAKE_CUDA_CtxPushCurrent] = 0;
    ops->stream->destroy(stream);
    work_end();
}

/* A part of the batch is queued and cannot be taken back. */
static void a_batch_that_cannot_be_queued_is_lost(void **state)
{
    (void)state;
    struct test_batch batch;
    work_begin("h100");
    struct geo_backend_stream *stream = stream_make(0);
    work.cudas.fake->results[FAKE_CUDA_LaunchHostFunc] = GEO_CUDA_OUT_OF_MEMORY;
    batch_begin(&batch);
    batch_wait(&batch, event(0, 1));
    batch_event(&batch, GEO_COMMAND_EVENT_SIGNAL, event(1, 1));
    batch_host(&batch, order_note, "x")->signal = event(2, 1);
    (void)submit(stream, &batch, event(3, 1));
    assert_int_equal(work.sink.reports, 1);
    assert_string_equal(work.sink.reason, "out of memory");
    /* the GPU still has the first part */
    assert_int_equal(ops->stream->wait(stream, UINT64_MAX, 0), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_false(is_raised(1) || is_raised(2));
    event_signal(0);
    while (!ops->stream->finished(stream, UINT64_MAX)) {
        assert_int_equal(ops->stream->wait(stream, UINT64_MAX, 1000000),
                         ZE_RESULT_ERROR_DEVICE_LOST);
    }
    assert_true(is_raised(1) && is_raised(2) && is_raised(3));
    assert_int_equal(work.slots[1].lost_from, 0); /* the GPU raised it */
    assert_int_equal(work.slots[2].lost_from, 1);
    ops->stream->destroy(stream);
    work_end();
}

/* ---- threads and children ---- */

enum { THREADS = 4, ROUNDS = 50 };

static void *batches_submit(void *data)
{
    struct geo_backend_stream *stream = data;
    static uint64_t bytes[THREADS * ROUNDS];
    struct test_batch *batches = calloc(ROUNDS, sizeof(*batches));
    uint64_t last = 0;
    for (int i = 0; i < ROUNDS; i++) {
        batch_begin(&batches[i]);
        batch_fill(&batches[i], work.slots + 7, sizeof(work.slots[7]), "\1", 1);
        if (ops->stream->submit(stream, &batches[i].batch, none, &last) != ZE_RESULT_SUCCESS) {
            return bytes;
        }
    }
    ze_result_t result = ops->stream->wait(stream, last, PATIENCE_NS);
    free(batches);
    return result == ZE_RESULT_SUCCESS ? NULL : bytes;
}

static void threads_share_a_stream(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    work_begin("h100");
    struct geo_backend_stream *stream = stream_make(0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, batches_submit, stream), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed = stream;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_true(ops->stream->finished(stream, THREADS * ROUNDS));
    assert_int_equal(work.cudas.fake->calls[FAKE_CUDA_MemsetD8Async], THREADS * ROUNDS);
    ops->stream->destroy(stream);
    work_end();
}

static int child_uses(void *data)
{
    struct geo_backend_stream *stream = data, *another;
    const struct geo_stream_desc desc = {0};
    struct test_batch batch;
    uint64_t ticket;
    batch_begin(&batch);
    bool good =
        ops->stream->submit(stream, &batch.batch, none, &ticket) == ZE_RESULT_ERROR_UNINITIALIZED &&
        ops->stream->execute(stream, &batch.batch, none) == ZE_RESULT_ERROR_UNINITIALIZED &&
        ops->stream->wait(stream, UINT64_MAX, UINT64_MAX) == ZE_RESULT_ERROR_UNINITIALIZED &&
        ops->stream->create(cudas_device(&work.cudas, 0), &desc, &another) ==
            ZE_RESULT_ERROR_UNINITIALIZED;
    ops->stream->destroy(stream);
    return good && work.cudas.fake->calls_in_children == 0 ? 0 : 1;
}

static void a_child_gets_errors_and_waits_for_nothing(void **state)
{
    (void)state;
    struct test_batch batch;
    char text[512];
    work_begin("h100");
    struct geo_backend_stream *stream = stream_make(0);
    batch_begin(&batch);
    batch_wait(&batch, event(0, 1));
    (void)submit(stream, &batch, none);
    assert_int_equal(cudas_child(child_uses, stream, text), 0);
    event_signal(0);
    assert_int_equal(ops->stream->wait(stream, UINT64_MAX, UINT64_MAX), ZE_RESULT_SUCCESS);
    ops->stream->destroy(stream);
    work_end();
}

/* ---- creation ---- */

static void a_stream_that_cannot_be_made_leaves_nothing(void **state)
{
    (void)state;
    const struct geo_stream_desc desc = {0};
    struct geo_backend_stream *stream = NULL;
    work_begin("h100");
    work.cudas.fake->results[FAKE_CUDA_StreamCreateWithPriority] = GEO_CUDA_OUT_OF_MEMORY;
    assert_int_equal(ops->stream->create(cudas_device(&work.cudas, 0), &desc, &stream),
                     ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    work.cudas.fake->results[FAKE_CUDA_MemHostAlloc] = GEO_CUDA_OUT_OF_MEMORY;
    assert_int_equal(ops->stream->create(cudas_device(&work.cudas, 0), &desc, &stream),
                     ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_null(stream);
    ops->stream->destroy(NULL);
    work_end();
}

/* ---- lack of memory ---- */

static struct geo_backend_stream *swept;
static struct test_batch swept_batch;

static void swept_undo(void)
{
    ops->stream->destroy(swept);
    swept = NULL;
}

static ze_result_t swept_run(void)
{
    const struct geo_stream_desc desc = {0};
    ze_result_t result = ops->stream->create(cudas_device(&work.cudas, 0), &desc, &swept);
    if (result == ZE_RESULT_SUCCESS) {
        result = ops->stream->execute(swept, &swept_batch.batch, none);
        if (result != ZE_RESULT_SUCCESS) {
            swept_undo();
        }
    }
    return result;
}

static void no_lack_of_memory_crashes_or_leaks(void **state)
{
    (void)state;
    const struct sweep sweep = {.name = "a stream", .run = swept_run, .undo = swept_undo};
    work_begin("h100");
    batch_begin(&swept_batch);
    batch_event(&swept_batch, GEO_COMMAND_EVENT_SIGNAL, event(0, 1));
    assert_int_equal(swept_run(), ZE_RESULT_SUCCESS); /* the system keeps stacks of threads */
    swept_undo();
    sweep_run(&sweep);
    work_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_run_one_after_the_other),
        cmocka_unit_test(an_empty_batch_raises_its_fence),
        cmocka_unit_test(gpus_wait_for_each_other),
        cmocka_unit_test(events_are_reset_in_order),
        cmocka_unit_test(relative_and_external_values_are_resolved),
        cmocka_unit_test(slots_of_the_process_are_raised_by_the_host),
        cmocka_unit_test(what_cannot_run_is_refused_and_nothing_is_queued),
        cmocka_unit_test(priorities_become_those_of_cuda),
        cmocka_unit_test(a_fault_is_reported_once_and_everything_is_raised),
        cmocka_unit_test(a_stream_without_a_sink_is_lost_alone),
        cmocka_unit_test(a_context_that_is_gone_is_a_loss),
        cmocka_unit_test(a_batch_that_cannot_be_queued_is_lost),
        cmocka_unit_test(threads_share_a_stream),
        cmocka_unit_test(a_child_gets_errors_and_waits_for_nothing),
        cmocka_unit_test(a_stream_that_cannot_be_made_leaves_nothing),
        cmocka_unit_test(no_lack_of_memory_crashes_or_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
