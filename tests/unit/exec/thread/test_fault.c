/* Faults in kernels and copies: the stream is lost, the process lives; faults of the application
 * stay the application's. Each case runs in a process of its own: the test framework has handlers,
 * too. */
#include "apart.h"

#include "exec/thread/fault.h"

#include <signal.h>
#include <sys/mman.h>

static struct fixture cpu;

static int group_setup(void **state)
{
    (void)state;
    fixture_open(&cpu, &geo_backend_cpu_ops);
    return 0;
}

static void prepare(void)
{
    geo_fault_open();
    geo_fault_after_fork(); /* over the defaults just set */
}

static int run_apart(int (*run)(void))
{
    return apart_run(prepare, run);
}

/* Launches and waits; 0 when the stream is lost, and stays so, and others go on. */
static int trouble_run(enum trouble kind, uint32_t groups, uint32_t at, bool on_worker)
{
    _Atomic uint32_t ran = 0;
    struct trouble_arguments arguments = {kind, at, 0, &ran}, fine = {TROUBLE_NONE, 0, 0, &ran};
    struct test_kernel kernel;
    struct test_batch bad, good;
    struct geo_event_slot slot = {0};
    struct geo_event_ref done = {&slot, 1};
    uint64_t ticket;
    kernel_init(&kernel, trouble_kernel);
    batch_init(&bad);
    batch_init(&good);
    batch_add_launch(&bad, &kernel.kernel, groups, &arguments, sizeof(arguments));
    batch_add_launch(&bad, &kernel.kernel, 1, &fine, sizeof(fine));
    batch_add_launch(&good, &kernel.kernel, 100, &fine, sizeof(fine));
    struct geo_backend_stream *stream = stream_open(&cpu), *other = stream_open(&cpu);
    cpu.ops->stream->submit(stream, &bad.batch, done, &ticket);
    ze_result_t result =
        cpu.ops->stream->wait(stream, ticket, on_worker ? PATIENCE_NS : UINT64_MAX);
    if (result != ZE_RESULT_ERROR_DEVICE_LOST) {
        return 1;
    }
    if (!geo_command_event_complete(&done)) {
        return 2; /* nobody may wait for ever */
    }
    ran = 0;
    cpu.ops->stream->submit(stream, &good.batch, (struct geo_event_ref){0}, &ticket);
    if (cpu.ops->stream->wait(stream, ticket, UINT64_MAX) != ZE_RESULT_ERROR_DEVICE_LOST ||
        ran != 0) {
        return 3;
    }
    cpu.ops->stream->submit(other, &good.batch, (struct geo_event_ref){0}, &ticket);
    if (cpu.ops->stream->wait(other, ticket, PATIENCE_NS) != ZE_RESULT_SUCCESS || ran != 100) {
        return 4;
    }
    cpu.ops->stream->destroy(stream);
    cpu.ops->stream->destroy(other);
    batch_finish(&bad);
    batch_finish(&good);
    return 0;
}

static int kernels_case(void)
{
    for (int kind = TROUBLE_WRITE; kind <= TROUBLE_TRAP; kind++) {
        for (int on_worker = 0; on_worker < 2; on_worker++) {
            int one = trouble_run((enum trouble)kind, 1, 0, on_worker);
            int many = trouble_run((enum trouble)kind, 5000, 3000, on_worker);
            if (one || many) {
                return 10 * kind + one + many;
            }
        }
    }
    return 0;
}

/* CTX-5, KRN-6 */
static void a_fault_in_a_kernel_loses_its_stream_only(void **state)
{
    (void)state;
    assert_int_equal(run_apart(kernels_case), 0);
}

static int stack_case(void)
{
    return trouble_run(TROUBLE_STACK, 1, 0, true);
}

static void a_worker_survives_running_out_of_stack(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip(); /* the sanitizers' own stack handling comes first */
#endif
    assert_int_equal(run_apart(stack_case), 0);
}

static int copies_case(void)
{
    uint8_t *page = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *good = malloc(1 << 20);
    memset(good, 1, 1 << 20);
    struct test_kernel kernel;
    kernel_init(&kernel, trouble_kernel);
    for (int i = 0; i < 5; i++) {
        struct test_batch batch;
        batch_init(&batch);
        if (i == 4) {
            struct geo_command_launch *launch =
                batch_add_launch(&batch, &kernel.kernel, 1, NULL, 0);
            launch->header.operation = GEO_COMMAND_LAUNCH_INDIRECT;
            launch->indirect_counts = (const uint32_t *)(void *)page;
        } else if (i < 2) {
            struct geo_command_copy *copy = batch_add(&batch, GEO_COMMAND_COPY, sizeof(*copy));
            copy->destination = page;
            copy->source = good;
            copy->bytes = i == 0 ? 100 : 1 << 20;
        } else if (i == 2) {
            struct geo_command_fill *fill = batch_add(&batch, GEO_COMMAND_FILL, sizeof(*fill) + 4);
            fill->destination = page;
            fill->bytes = 1 << 20;
            fill->pattern_offset = sizeof(*fill);
            fill->pattern_bytes = 4;
        } else {
            struct geo_command_timestamp *stamp =
                batch_add(&batch, GEO_COMMAND_TIMESTAMP, sizeof(*stamp));
            stamp->destination = (uint64_t *)(void *)page;
        }
        struct geo_backend_stream *stream = stream_open(&cpu);
        if (cpu.ops->stream->execute(stream, &batch.batch, (struct geo_event_ref){0}) !=
            ZE_RESULT_ERROR_DEVICE_LOST) {
            return i + 1;
        }
        cpu.ops->stream->destroy(stream);
        batch_finish(&batch);
    }
    free(good);
    return 0;
}

static void copies_to_nowhere_lose_their_stream(void **state)
{
    (void)state;
    assert_int_equal(run_apart(copies_case), 0);
}

/* ---- what is told, and when ---- */

struct listener {
    _Atomic uint32_t lost, told;
    struct geo_event_slot *shown[2]; /* what must not be raised before */
    bool early;
    struct geo_fault fault;
};

static void listen(void *owner, const struct geo_fault *fault)
{
    struct listener *listener = owner;
    for (int i = 0; i < 2; i++) {
        if (atomic_load(&listener->shown[i]->value) != 0) {
            listener->early = true;
        }
    }
    listener->fault = *fault;
    atomic_fetch_add(&listener->told, 1);
    atomic_store(&listener->lost, 1);
}

static struct geo_backend_stream *stream_told(struct listener *listener)
{
    const struct geo_stream_desc desc = {.priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
                                         .faults = {&listener->lost, listen, listener}};
    struct geo_backend_stream *stream = NULL;
    cpu.ops->stream->create(cpu.device, &desc, &stream);
    return stream;
}

enum { GROUPS = 5000, FAULTY = 3000 };

/* A kernel that faults, with a signal and a fence; a second stream of the same listener is parked
 * on what nobody raises. */
static int told_run(bool exact)
{
    struct geo_event_slot signal = {0}, fence = {0}, never = {0}, behind = {0};
    struct listener listener = {.shown = {&signal, &fence}};
    const struct geo_event_ref wait = {&never, 1};
    _Atomic uint32_t ran = 0;
    struct trouble_arguments arguments = {TROUBLE_WRITE, FAULTY, 0, &ran};
    struct test_kernel kernel;
    struct test_batch bad, parked;
    kernel_init(&kernel, trouble_kernel);
    batch_init(&bad);
    batch_init(&parked);
    batch_add_launch(&bad, &kernel.kernel, GROUPS, &arguments, sizeof(arguments))->header.signal =
        (struct geo_event_ref){&signal, 1};
    struct geo_command *held =
        batch_add_waiting(&parked, GEO_COMMAND_NOP, sizeof(struct geo_command), &wait, 1);
    held->signal = (struct geo_event_ref){&behind, 1};
    struct geo_backend_stream *stream = stream_told(&listener), *other = stream_told(&listener);
    uint64_t ticket;
    cpu.ops->stream->submit(other, &parked.batch, (struct geo_event_ref){0}, &ticket);
    cpu.ops->stream->execute(stream, &bad.batch, (struct geo_event_ref){&fence, 1});
    const struct geo_event_ref done = {&fence, 1}, released = {&behind, 1};
    if (!geo_command_event_complete(&done) ||
        !geo_command_event_lost(&(struct geo_event_ref){&signal, 1})) {
        return 1;
    }
    if (listener.told == 0 || listener.early) {
        return 2;
    }
    if (cpu.ops->stream->wait(other, UINT64_MAX, PATIENCE_NS) != ZE_RESULT_ERROR_DEVICE_LOST ||
        !geo_command_event_complete(&released) || !geo_command_event_lost(&released)) {
        return 3;
    }
    const struct geo_fault *fault = &listener.fault;
    if (fault->first_group[0] > FAULTY || fault->last_group[0] < FAULTY ||
        fault->last_group[0] >= GROUPS || fault->address != 64 || !fault->touched) {
        return 4;
    }
    if (exact && fault->first_group[0] != fault->last_group[0]) {
        return 5;
    }
    cpu.ops->stream->destroy(stream);
    cpu.ops->stream->destroy(other);
    batch_finish(&bad);
    batch_finish(&parked);
    return 0;
}

static int range_case(void)
{
    return told_run(false);
}

static int exact_case(void)
{
    setenv("GEOID_EXACT_FAULTS", "1", 1);
    geo_cpu_launch_open();
    return told_run(true);
}

/* CTX-5 */
static void a_fault_is_told_before_anything_is_raised(void **state)
{
    (void)state;
    assert_int_equal(run_apart(range_case), 0);
}

static void the_group_of_a_fault_is_exact_when_asked_for(void **state)
{
    (void)state;
    assert_int_equal(run_apart(exact_case), 0);
}

/* ---- beside scratch ---- */

struct edge_arguments {
    int64_t offset; /* from the end of scratch; below 0: from its start */
    uint8_t *volatile *touched, *volatile *start;
};

enum { TAIL_BYTES = 512 }; /* writable memory behind scratch */

static void edge_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    const struct edge_arguments *arguments = (const struct edge_arguments *)launch->arguments;
    uint8_t *end = worker->scratch + launch->chunk_offset + TAIL_BYTES;
    (void)first;
    (void)count;
    *arguments->start = worker->scratch;
    memset(worker->scratch, 1, (size_t)(end - worker->scratch)); /* all of it is there */
    if (arguments->offset >= 0 && end[arguments->offset] == 0) { /* may be read */
        *arguments->touched = end + arguments->offset;
        *(volatile uint8_t *)*arguments->touched = 1;
    }
    for (uint8_t *at = worker->scratch; arguments->offset < 0; at += arguments->offset) {
        *arguments->touched = at;
        *(volatile uint8_t *)at = 1;
    }
}

/* Sizes alternate, so that scratch is a part of what there was, all of it, and more. */
static int edge_case(void)
{
    enum { WHOLE_BYTES = (1 << 20) - TAIL_BYTES };
    static const uint64_t sizes[] = {128, 4096, 262144, 384, WHOLE_BYTES, 65536 + 128};
    static const int64_t offsets[] = {0, 1, 4095, 30000, 65535, -1, -128, -4096, -65536};
    for (size_t i = 0; i < 6 * 9; i++) {
        struct geo_event_slot signal = {0}, fence = {0};
        struct listener listener = {.shown = {&signal, &fence}};
        uint8_t *volatile touched = NULL, *volatile start = NULL;
        const struct edge_arguments arguments = {offsets[i % 9], &touched, &start};
        struct test_kernel kernel;
        struct test_batch batch;
        struct geo_backend_stream *stream = stream_told(&listener);
        kernel_init(&kernel, edge_kernel);
        kernel.kernel.needs.frame_bytes = sizes[i / 9];
        batch_init(&batch);
        batch_add_launch(&batch, &kernel.kernel, 1, &arguments, sizeof(arguments));
        if (cpu.ops->stream->execute(stream, &batch.batch, (struct geo_event_ref){0}) !=
            ZE_RESULT_ERROR_DEVICE_LOST) {
            return 1;
        }
        if (!listener.fault.touched || listener.fault.address != (uintptr_t)touched) {
            return 2;
        }
        if (sizes[i / 9] == WHOLE_BYTES && offsets[i % 9] < 0 &&
            touched != start + offsets[i % 9]) {
            return 3; /* there is no more than that */
        }
        cpu.ops->stream->destroy(stream);
        batch_finish(&batch);
    }
    return 0;
}

static void what_writes_beyond_scratch_faults(void **state)
{
    (void)state;
    assert_int_equal(run_apart(edge_case), 0);
}

/* ---- the application's own faults ---- */

static void host_fault(void *data)
{
    *(volatile int *)data = 1;
}

static int host_case(void)
{
    struct test_batch batch;
    batch_init(&batch);
    struct geo_command_host_function *host =
        batch_add(&batch, GEO_COMMAND_HOST_FUNCTION, sizeof(*host));
    host->function = host_fault;
    host->user_data = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct geo_backend_stream *stream = stream_open(&cpu);
    cpu.ops->stream->execute(stream, &batch.batch, (struct geo_event_ref){0});
    return 0;
}

static void host_functions_fault_as_the_application_does(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip(); /* ends in a report instead of the signal */
#endif
    assert_int_equal(run_apart(host_case), -SIGSEGV);
}

static void own_handler(int number)
{
    _exit(number == SIGSEGV ? 42 : 1);
}

/* A handler that was there before ours still gets what is not a kernel's. */
static int chain_case(void)
{
    signal(SIGSEGV, own_handler);
    geo_fault_after_fork(); /* ours comes over it */
    struct geo_fault_scope scope;
    if (!GEO_FAULT_TRY(&scope)) {
        geo_fault_leave(&scope);
        *(volatile int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
        return 3;
    }
    *(volatile int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
    return 2;
}

static void the_previous_handler_gets_the_other_faults(void **state)
{
    (void)state;
    assert_int_equal(run_apart(chain_case), 42);
}

static int sent_case(void)
{
    struct geo_fault_scope scope;
    if (GEO_FAULT_TRY(&scope)) {
        raise(SIGSEGV); /* sent, not a fault: the default action, even inside a scope */
        return 1;
    }
    return 2;
}

static void a_signal_that_somebody_sent_is_not_a_fault(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip();
#endif
    int status = run_apart(sent_case);
    assert_true(status == -SIGSEGV || status == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_in_a_kernel_loses_its_stream_only),
        cmocka_unit_test(a_worker_survives_running_out_of_stack),
        cmocka_unit_test(copies_to_nowhere_lose_their_stream),
        cmocka_unit_test(a_fault_is_told_before_anything_is_raised),
        cmocka_unit_test(the_group_of_a_fault_is_exact_when_asked_for),
        cmocka_unit_test(what_writes_beyond_scratch_faults),
        cmocka_unit_test(host_functions_fault_as_the_application_does),
        cmocka_unit_test(the_previous_handler_gets_the_other_faults),
        cmocka_unit_test(a_signal_that_somebody_sent_is_not_a_fault),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
