/* Faults on threads of the application as they come: signals blocked, small stacks, stacks that run
 * out, handlers of others over ours. Each case in a process of its own, which lives.
 *
 *     unit_exec_thread_caller [FAULTS]         so many faults on so many threads; 48 without it */
#include "apart.h"

#include "exec/thread/caller.h"
#include "exec/thread/fault.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

static struct fixture cpu;
static int faults = 48;

static void prepare(void)
{
    fixture_open(&cpu, &geo_backend_cpu_ops);
}

static int run_apart(int (*run)(void))
{
    return apart_run(prepare, run);
}

/* ---- kernels ---- */

/* Runs a kernel as synchronous lists do, or submits it and waits without limit. */
static ze_result_t kernel_run(enum trouble kind, bool execute)
{
    _Atomic uint32_t ran = 0;
    const struct trouble_arguments arguments = {kind, 0, 0, &ran};
    struct test_kernel kernel;
    struct test_batch batch;
    uint64_t ticket;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, trouble_kernel);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 1, &arguments, sizeof(arguments));
    ze_result_t result;
    if (execute) {
        result = cpu.ops->stream->execute(stream, &batch.batch, (struct geo_event_ref){0});
    } else {
        cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){0}, &ticket);
        result = cpu.ops->stream->wait(stream, ticket, UINT64_MAX);
    }
    NEED(ran == 1);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
    return result;
}

/* ---- threads ---- */

struct thread {
    size_t stack_bytes; /* 0: as usual */
    bool blocked;
    int turn;
};

static bool all_blocked(void)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, SIGSEGV) && sigismember(&mask, SIGBUS) &&
           sigismember(&mask, SIGFPE) && sigismember(&mask, SIGILL);
}

static void *thread_main(void *argument)
{
    const struct thread *thread = argument;
    enum trouble kind = (enum trouble)(TROUBLE_WRITE + thread->turn % 3);
    if (thread->blocked) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    }
    NEED(kernel_run(TROUBLE_NONE, thread->turn & 1) == ZE_RESULT_SUCCESS);
    NEED(kernel_run(kind, thread->turn & 1) == ZE_RESULT_ERROR_DEVICE_LOST);
    NEED(kernel_run(TROUBLE_NONE, true) == ZE_RESULT_SUCCESS);
    NEED(!thread->blocked || all_blocked());
    return NULL;
}

static void thread_run(struct thread thread)
{
    pthread_attr_t attributes;
    pthread_t id;
    pthread_attr_init(&attributes);
    if (thread.stack_bytes != 0) {
        NEED(pthread_attr_setstacksize(&attributes, thread.stack_bytes) == 0);
    }
    NEED(pthread_create(&id, &attributes, thread_main, &thread) == 0);
    pthread_join(id, NULL);
    pthread_attr_destroy(&attributes);
}

static int threads_case(void)
{
    static const size_t stacks[] = {0, 64 << 10, 160 << 10, 1 << 20};
    for (int i = 0; i < faults; i++) {
        thread_run((struct thread){stacks[i / 6 % 4], i / 3 % 2 == 0, i});
    }
    return 0;
}

static void faults_on_any_thread_lose_their_stream_only(void **state)
{
    (void)state;
    assert_int_equal(run_apart(threads_case), 0);
}

static void *frame_main(void *unused)
{
    (void)unused;

    return geo_caller_fit() ? &cpu : NULL;
}

static int small_case(void)
{
    pthread_attr_t attributes;
    pthread_t id;
    void *fits;
    for (int large = 0; large < 2; large++) {
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, large ? 4 * GEO_CALLER_STACK_BYTES : 64 << 10);
        NEED(pthread_create(&id, &attributes, frame_main, NULL) == 0);
        pthread_join(id, &fits);
        NEED((fits != NULL) == large);
    }
    return 0;
}

/* A kernel may need more than such a thread has. */
static void small_stacks_leave_work_to_the_workers(void **state)
{
    (void)state;
    assert_int_equal(run_apart(small_case), 0);
}

static void *overflow_main(void *unused)
{
    (void)unused;
    NEED(kernel_run(TROUBLE_STACK, true) == ZE_RESULT_ERROR_DEVICE_LOST);
    NEED(kernel_run(TROUBLE_NONE, true) == ZE_RESULT_SUCCESS);
    return NULL;
}

static int overflow_case(void)
{
    pthread_t id;
    NEED(pthread_create(&id, NULL, overflow_main, NULL) == 0);
    pthread_join(id, NULL);
    return 0;
}

static void a_kernel_may_run_out_of_the_callers_stack(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip(); /* the sanitizers' own stack handling comes first */
#endif
    assert_int_equal(run_apart(overflow_case), 0);
}

static int pending_case(void)
{
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGSEGV); /* kept for later by the application */
    NEED(kernel_run(TROUBLE_NONE, true) == ZE_RESULT_SUCCESS);
    sigpending(&pending);
    NEED(sigismember(&pending, SIGSEGV) == 1);
    return 0;
}

static void signals_that_wait_for_the_application_stay(void **state)
{
    (void)state;
    assert_int_equal(run_apart(pending_case), 0);
}

/* ---- handlers of others ---- */

static struct sigaction behind;
static _Atomic uint32_t handled;
static uint8_t *page;

static void page_open(int number)
{
    (void)number;
    handled++;
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0) {
        _exit(9);
    }
}

/* As crash reporters do. */
static void hand_on(int number, siginfo_t *info, void *context)
{
    if (handled++ > 100) {
        _exit(8);
    }
    behind.sa_sigaction(number, info, context);
}

static void install(void (*handler)(int), void (*action)(int, siginfo_t *, void *))
{
    struct sigaction new = {.sa_flags = action ? SA_SIGINFO : 0};
    if (action) {
        new.sa_sigaction = action;
    } else {
        new.sa_handler = handler;
    }
    NEED(sigaction(SIGSEGV, &new, &behind) == 0);
}

/* The application's own fault, which its handler mends. */
static void own_fault(void)
{
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile uint8_t *)page = 1;
    NEED(page[0] == 1);
}

static int late_case(void)
{
    NEED(kernel_run(TROUBLE_WRITE, true) == ZE_RESULT_ERROR_DEVICE_LOST);
    for (int i = 0; i < 20; i++) {
        handled = 0;
        install(i & 1 ? SIG_DFL : page_open, NULL);
        /* a new list sees to it that the handler is ours again */
        NEED(kernel_run(TROUBLE_WRITE, i & 2) == ZE_RESULT_ERROR_DEVICE_LOST);
        NEED(handled == 0);
        if (!(i & 1)) {
            own_fault();
            NEED(handled == 1);
        }
    }
    return 0;
}

static void handlers_installed_later_come_behind_ours(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip(); /* sanitizers keep handlers of their own */
#endif
    assert_int_equal(run_apart(late_case), 0);
}

/* On one list, made before the handler: after so many pieces of work at the latest. */
static int turns_case(void)
{
    _Atomic uint32_t ran = 0;
    const struct trouble_arguments fine = {TROUBLE_NONE, 0, 0, &ran},
                                   bad = {TROUBLE_WRITE, 0, 0, &ran};
    struct test_kernel kernel;
    struct test_batch good, last;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, trouble_kernel);
    batch_init(&good);
    batch_init(&last);
    batch_add_launch(&good, &kernel.kernel, 1, &fine, sizeof(fine));
    batch_add_launch(&last, &kernel.kernel, 1, &bad, sizeof(bad));
    install(page_open, NULL);
    for (uint32_t i = 0; i < 2 * GEO_CALLER_TURNS; i++) {
        cpu.ops->stream->execute(stream, &good.batch, (struct geo_event_ref){0});
    }
    NEED(cpu.ops->stream->execute(stream, &last.batch, (struct geo_event_ref){0}) ==
         ZE_RESULT_ERROR_DEVICE_LOST);
    NEED(handled == 0);
    return 0;
}

static void busy_lists_look_for_handlers_now_and_then(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip();
#endif
    assert_int_equal(run_apart(turns_case), 0);
}

/* Its handler hands on to the one that it found, which is ours, which has come over it. */
static int circle_case(void)
{
    install(page_open, NULL);
    NEED(kernel_run(TROUBLE_WRITE, true) == ZE_RESULT_ERROR_DEVICE_LOST);
    install(NULL, hand_on);
    NEED(kernel_run(TROUBLE_WRITE, true) == ZE_RESULT_ERROR_DEVICE_LOST);
    NEED(handled == 0);
    for (int i = 0; i < 3; i++) {
        handled = 0;
        own_fault(); /* ours, hand_on, ours again, page_open */
        NEED(handled == 2);
    }
    return 0;
}

static void handlers_that_hand_on_to_ours_make_no_circle(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip();
#endif
    assert_int_equal(run_apart(circle_case), 0);
}

/* Ends the attempt to handle a fault: what was there before has to handle it. */
static void withdraw(int number)
{
    if (handled++ > 100) {
        _exit(8);
    }
    if (sigaction(number, &behind, NULL) != 0) {
        _exit(9);
    }
}

static int withdrawal_case(void)
{
    NEED(kernel_run(TROUBLE_WRITE, true) == ZE_RESULT_ERROR_DEVICE_LOST);
    install(withdraw, NULL);
    NEED(kernel_run(TROUBLE_WRITE, true) == ZE_RESULT_ERROR_DEVICE_LOST);
    NEED(handled == 0);
    own_fault(); /* ours, withdraw, ours again, the default action */
    return 2;
}

static int withdrawal_before_case(void)
{
    install(page_open, NULL);
    NEED(kernel_run(TROUBLE_WRITE, true) == ZE_RESULT_ERROR_DEVICE_LOST);
    for (int i = 0; i < 20; i++) {
        install(withdraw, NULL);
        NEED(kernel_run(TROUBLE_WRITE, true) == ZE_RESULT_ERROR_DEVICE_LOST);
        NEED(sigaction(SIGSEGV, &behind, NULL) == 0);
        if (i & 1) {
            NEED(kernel_run(TROUBLE_WRITE, i & 2) == ZE_RESULT_ERROR_DEVICE_LOST);
        }
        handled = 0;
        own_fault(); /* ours, page_open */
        NEED(handled == 1);
    }
    return 0;
}

static void withdrawn_handlers_receive_nothing(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip();
#endif
    assert_int_equal(run_apart(withdrawal_case), -SIGSEGV);
    assert_int_equal(run_apart(withdrawal_before_case), 0);
}

static void count_only(int number)
{
    (void)number;
    if (handled++ > 100) {
        _exit(8);
    }
}

static int once_case(void)
{
    install(page_open, NULL);
    NEED(kernel_run(TROUBLE_WRITE, true) == ZE_RESULT_ERROR_DEVICE_LOST);
    const struct sigaction once = {.sa_handler = count_only, .sa_flags = (int)SA_RESETHAND};
    NEED(sigaction(SIGSEGV, &once, NULL) == 0);
    NEED(kernel_run(TROUBLE_WRITE, true) == ZE_RESULT_ERROR_DEVICE_LOST);
    own_fault(); /* ours, count_only; ours, page_open */
    NEED(handled == 2);
    own_fault();
    NEED(handled == 3);
    return 0;
}

static void handlers_for_one_signal_receive_one(void **state)
{
    (void)state;
#if defined(GEOID_SANITIZED)
    skip();
#endif
    assert_int_equal(run_apart(once_case), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_on_any_thread_lose_their_stream_only),
        cmocka_unit_test(small_stacks_leave_work_to_the_workers),
        cmocka_unit_test(a_kernel_may_run_out_of_the_callers_stack),
        cmocka_unit_test(signals_that_wait_for_the_application_stay),
        cmocka_unit_test(handlers_installed_later_come_behind_ours),
        cmocka_unit_test(busy_lists_look_for_handlers_now_and_then),
        cmocka_unit_test(handlers_that_hand_on_to_ours_make_no_circle),
        cmocka_unit_test(withdrawn_handlers_receive_nothing),
        cmocka_unit_test(handlers_for_one_signal_receive_one),
    };
    faults = argc > 1 ? atoi(argv[1]) : faults;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
