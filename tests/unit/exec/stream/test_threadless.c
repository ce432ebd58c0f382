/* A system that gives no thread, or not the n-th one: work is done all the same, by whoever is
 * there. Each case runs in a process of its own, which has no thread yet. */
#include "apart.h"

#include "exec/thread/sync.h"
#include "exec/wait/reactor.h"

#include <dlfcn.h>
#include <pthread.h>

/* ---- threads that are refused ---- */

static _Atomic long refused_from, refused_to; /* the first call is number 1 */

#if !defined(GEOID_SANITIZED) /* sanitizers have a pthread_create of their own */
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*main)(void *), void *restrict argument)
{
    static _Atomic long asked;
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    long number = atomic_fetch_add(&asked, 1) + 1;
    if (number >= refused_from && number <= refused_to) {
        return EAGAIN;
    }
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&real, &symbol, sizeof(real));
    }
    return real(thread, attributes, main, argument);
}
#endif

static bool none_given(void)
{
    return refused_to == LONG_MAX && refused_from == 1;
}

/* ---- kernels ---- */

static struct fixture cpu;

struct count_arguments {
    _Atomic uint32_t *total;
};

static void count_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                         uint64_t count)
{
    (void)worker;
    (void)first;
    atomic_fetch_add(((const struct count_arguments *)launch->arguments)->total, (uint32_t)count);
}

/* Runs until another kernel has counted. */
static void await_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                         uint64_t count)
{
    (void)worker;
    (void)first;
    (void)count;
    while (atomic_load(((const struct count_arguments *)launch->arguments)->total) == 0) {
        geo_machine_pause();
    }
}

static void add_launch(struct test_batch *batch, const struct test_kernel *kernel, uint32_t groups,
                       _Atomic uint32_t *total)
{
    const struct count_arguments arguments = {total};
    batch_init(batch);
    batch_add_launch(batch, &kernel->kernel, groups, &arguments, sizeof(arguments));
}

/* ---- asking ---- */

static ze_result_t ask(struct geo_event_slot *slot, uint64_t timeout_ns)
{
    const struct geo_event_wait wait = {.event = {slot, 1}, .timeout_ns = timeout_ns};
    return cpu.ops->event->wait(cpu.backend, &wait);
}

/* As a program does that only ever asks. */
static void poll_until(struct geo_event_slot *slot)
{
    while (ask(slot, 0) == ZE_RESULT_NOT_READY) {
        sched_yield();
    }
}

static const struct geo_event_ref nothing;

/* ---- what a program does ---- */

static int launches(void)
{
    struct geo_event_slot slot = {0};
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct test_kernel kernel;
    struct test_batch batch;
    _Atomic uint32_t total = 0;
    uint64_t ticket;
    kernel_init(&kernel, count_kernel);
    add_launch(&batch, &kernel, 5000, &total);
    for (int i = 0; i < 8; i++) {
        atomic_store(&slot.value, 0);
        cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){&slot, 1}, &ticket);
        if (none_given()) { /* nobody has asked */
            NEED(geo_command_event_complete(&(struct geo_event_ref){&slot, 1}));
        } else if (i % 4 == 0) {
            poll_until(&slot);
        } else if (i % 4 == 1) {
            NEED(ask(&slot, PATIENCE_NS) == ZE_RESULT_SUCCESS);
        } else if (i % 4 == 2) {
            NEED(cpu.ops->stream->wait(stream, ticket, UINT64_MAX) == ZE_RESULT_SUCCESS);
        }
        NEED(cpu.ops->stream->wait(stream, ticket, PATIENCE_NS) == ZE_RESULT_SUCCESS);
        NEED(total == 5000u * (uint32_t)(i + 1));
    }
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
    return 0;
}

static int copies(void)
{
    enum { BYTES = 3 << 20 };
    static uint8_t from[BYTES], to[BYTES];
    struct geo_event_slot slot = {0};
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct test_batch batch;
    batch_init(&batch);
    struct geo_command_fill *fill = batch_add(&batch, GEO_COMMAND_FILL, sizeof(*fill) + 1);
    fill->destination = from;
    fill->bytes = BYTES;
    fill->pattern_offset = sizeof(*fill);
    fill->pattern_bytes = 1;
    *((uint8_t *)fill + sizeof(*fill)) = 7;
    struct geo_command_copy *copy = batch_add(&batch, GEO_COMMAND_COPY, sizeof(*copy));
    copy->destination = to;
    copy->source = from;
    copy->bytes = BYTES;
    cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){&slot, 1}, NULL);
    poll_until(&slot);
    NEED(to[0] == 7 && memcmp(to, to + 1, BYTES - 1) == 0);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
    return 0;
}

enum { LINKS = 3000 };

/* Streams that wait for each other, the first for the host. */
static int chains(void)
{
    static struct geo_event_slot slots[LINKS + 1];
    static struct geo_backend_stream *streams[LINKS];
    static struct test_batch batches[LINKS];
    for (int i = 0; i < LINKS; i++) {
        const struct geo_event_ref wait = {&slots[i], 1};
        streams[i] = stream_open(&cpu);
        batches[i].room = 4096;
        batches[i].bytes = aligned_alloc(64, batches[i].room);
        batches[i].batch.first = (const struct geo_command *)batches[i].bytes;
        struct geo_command *command =
            batch_add_waiting(&batches[i], GEO_COMMAND_NOP, sizeof(*command), &wait, 1);
        command->signal = (struct geo_event_ref){&slots[i + 1], 1};
        cpu.ops->stream->submit(streams[i], &batches[i].batch, nothing, NULL);
    }
    NEED(ask(&slots[LINKS], 0) == ZE_RESULT_NOT_READY);
    NEED(ask(&slots[LINKS], 1000000) == ZE_RESULT_NOT_READY);
    cpu.ops->event->signal(cpu.backend, (struct geo_event_ref){&slots[0], 1});
    poll_until(&slots[LINKS]);
    for (int i = 0; i < LINKS; i++) {
        cpu.ops->stream->destroy(streams[i]);
        batch_finish(&batches[i]);
    }
    return 0;
}

/* A word that another process raises, or a plain store: nobody is told of it. */
static int words(void)
{
    static struct geo_event_slot shared = {.flags = GEO_EVENT_SHARED};
    static _Atomic uint64_t counter;
    const struct geo_event_ref waits[] = {
        {&shared, 1},
        {(struct geo_event_slot *)(void *)&counter, 1 | GEO_EVENT_EXTERNAL},
    };
    for (int i = 0; i < 2; i++) {
        struct geo_event_slot slot = {0};
        struct test_batch batch;
        struct geo_backend_stream *stream = stream_open(&cpu);
        batch_init(&batch);
        batch_add_waiting(&batch, GEO_COMMAND_NOP, sizeof(struct geo_command), &waits[i], 1);
        cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){&slot, 1}, NULL);
        NEED(ask(&slot, 0) == ZE_RESULT_NOT_READY);
        atomic_store(i ? &counter : (_Atomic uint64_t *)&shared.value, 1);
        if (i == 0) { /* as the other process does, which knows of the futex only */
            geo_futex_wake((_Atomic uint32_t *)(void *)&shared.value, INT_MAX, true);
        }
        poll_until(&slot);
        cpu.ops->stream->destroy(stream);
        batch_finish(&batch);
    }
    return 0;
}

static struct {
    struct geo_backend_stream *inner;
    struct test_batch batch;
    struct geo_event_slot slot;
} nested;

static void nested_host(void *data)
{
    (void)data;
    cpu.ops->stream->submit(nested.inner, &nested.batch.batch,
                            (struct geo_event_ref){&nested.slot, 1}, NULL);
    poll_until(&nested.slot);
}

/* A host function that submits and waits for it. */
static int hosts(void)
{
    struct geo_event_slot slot = {0};
    struct geo_backend_stream *stream = stream_open(&cpu);
    struct test_kernel kernel;
    struct test_batch batch;
    _Atomic uint32_t total = 0;
    kernel_init(&kernel, count_kernel);
    nested.inner = stream_open(&cpu);
    add_launch(&nested.batch, &kernel, 10, &total);
    batch_init(&batch);
    struct geo_command_host_function *host =
        batch_add(&batch, GEO_COMMAND_HOST_FUNCTION, sizeof(*host));
    host->function = nested_host;
    cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){&slot, 1}, NULL);
    poll_until(&slot);
    NEED(total == 10);
    cpu.ops->stream->destroy(stream);
    cpu.ops->stream->destroy(nested.inner);
    return 0;
}

/* Kernels that need another stream's work to end: some thread is there, or one comes later. */
static int dependents(void)
{
    enum { STREAMS = 4 };
    struct geo_event_slot slots[STREAMS + 1] = {0};
    struct geo_backend_stream *streams[STREAMS + 1];
    struct test_batch batches[STREAMS + 1];
    struct test_kernel count, await;
    _Atomic uint32_t total = 0;
    if (none_given()) {
        return 0; /* they have to run one after the other */
    }
    kernel_init(&count, count_kernel);
    kernel_init(&await, await_kernel);
    for (int i = 0; i <= STREAMS; i++) {
        streams[i] = stream_open(&cpu);
        add_launch(&batches[i], i == STREAMS ? &count : &await, 1, &total);
        cpu.ops->stream->submit(streams[i], &batches[i].batch, (struct geo_event_ref){&slots[i], 1},
                                NULL);
    }
    for (int i = 0; i <= STREAMS; i++) {
        poll_until(&slots[i]);
        cpu.ops->stream->destroy(streams[i]);
        batch_finish(&batches[i]);
    }
    return 0;
}

static const char *reason;

static void listen(void *owner, const struct geo_fault *fault)
{
    reason = fault->reason;
    atomic_store((_Atomic uint32_t *)owner, 1);
}

static void meet_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    _Atomic uint32_t *arrived = ((const struct count_arguments *)launch->arguments)->total;
    (void)worker;
    (void)first;
    atomic_fetch_add(arrived, (uint32_t)count);
    while (atomic_load(arrived) < 2) {
        geo_machine_pause();
    }
}

/* Groups that wait for each other run at once, or not at all. */
static int meetings(void)
{
    _Atomic uint32_t lost = 0, arrived = 0;
    const struct geo_stream_desc desc = {.priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
                                         .faults = {&lost, listen, &lost}};
    const struct count_arguments arguments = {&arrived};
    struct geo_event_slot slot = {0};
    struct geo_backend_stream *stream = NULL;
    struct test_kernel kernel;
    struct test_batch batch;
    kernel_init(&kernel, meet_kernel);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 2, &arguments, sizeof(arguments))->cooperative = true;
    NEED(cpu.ops->stream->create(cpu.device, &desc, &stream) == ZE_RESULT_SUCCESS);
    cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){&slot, 1}, NULL);
    poll_until(&slot);
    NEED(none_given() ? lost && arrived == 0 && strstr(reason, "no threads")
         : lost       ? arrived == 0
                      : arrived == 2);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
    return 0;
}

static int (*const programs[])(void) = {
    launches, copies, chains, words, hosts, dependents, meetings,
};

enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

static long next_from, next_to;

static void prepare(void)
{
    refused_from = next_from;
    refused_to = next_to;
    setenv("GEOID_THREADS", "3", 1);
    fixture_open(&cpu, &geo_backend_cpu_ops);
}

/* Runs a program in a child where the calls from..to of pthread_create fail. */
static int program_run(int program, long from, long to)
{
    next_from = from;
    next_to = to;
    int result = apart_run(prepare, programs[program]);
    if (result != 0) {
        fprintf(stderr, "program %d without threads %ld to %ld: %d\n", program, from, to, result);
    }
    return result;
}

static void programs_run(long from, long to)
{
    for (int i = 0; i < PROGRAMS; i++) {
        assert_int_equal(program_run(i, from, to), 0);
    }
}

static void without_any_thread_work_is_done(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip();
#endif
    programs_run(1, LONG_MAX);
}

static void one_refused_thread_stops_nothing(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip();
#endif
    for (long number = 1; number <= 5; number++) {
        programs_run(number, number);
    }
}

/* What there is already goes on, and suffices for all but those that need one more. */
static void no_more_threads_stop_nothing(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip();
#endif
    for (long number = 2; number <= 4; number++) {
        for (int i = 0; i < PROGRAMS; i++) {
            if (programs[i] != dependents) {
                assert_int_equal(program_run(i, number, LONG_MAX), 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_any_thread_work_is_done),
        cmocka_unit_test(one_refused_thread_stops_nothing),
        cmocka_unit_test(no_more_threads_stop_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
