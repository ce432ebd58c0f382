/* Kernels that never end, with a limit of a second: they are stopped, where they are is told, and
 * other work goes on. Each case in a process of its own. */
#include "apart.h"

#include "exec/job/limit.h"
#include "exec/thread/fault.h"
#include "exec/thread/sync.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static struct fixture cpu;

static const char *seconds;
static void (*limited)(void);

static void prepare(void)
{
    setenv("GEOID_KERNEL_TIMEOUT", seconds, 1);
    setenv("GEOID_THREADS", "2", 1);
    fixture_open(&cpu, &geo_backend_cpu_ops);
}

static int limited_run(void)
{
    limited();
    return 0;
}

static int run_limited(void (*run)(void), const char *timeout)
{
    limited = run;
    seconds = timeout;
    return apart_run(prepare, limited_run);
}

static int run_apart(void (*run)(void))
{
    return run_limited(run, "1");
}

/* ---- kernels ---- */

enum endless { ENDLESS_SPINS, ENDLESS_PRINTS, ENDLESS_SERVICE };

struct arguments {
    uint64_t endless; /* the group that does not end */
    enum endless how;
    _Atomic uint32_t *ran;
};

static _Atomic uint32_t inside,
    behind; /* of a service: its time was over, it was left by its end */

/* As a service that holds a lock when the time is over. */
static void service(void)
{
    geo_limit_service_begin();
    while (!geo_limit_over()) {
        geo_machine_pause();
    }
    inside++;
    geo_limit_service_end();
    behind++;
}

#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void kernel_main(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    const struct arguments *arguments = (const struct arguments *)launch->arguments;
    (void)worker;
    for (uint64_t group = first; group < first + count; group++) {
        atomic_fetch_add(arguments->ran, 1);
        while (group == arguments->endless) {
            if (arguments->how == ENDLESS_SERVICE) {
                service();
            } else if (arguments->how == ENDLESS_PRINTS) {
                static const char text[] = "nothing ends here\n";
                launch->services->print(launch, text, NULL, 0, NULL);
            }
            geo_machine_pause();
        }
    }
}

struct listener {
    _Atomic uint32_t lost;
    struct geo_fault fault;
};

static void listen(void *owner, const struct geo_fault *fault)
{
    struct listener *listener = owner;
    listener->fault = *fault;
    atomic_store(&listener->lost, 1);
}

/* A list with one launch. */
struct lane {
    struct listener listener;
    struct geo_backend_stream *stream;
    struct test_kernel kernel;
    struct test_batch batch;
    _Atomic uint32_t ran;
};

static void lane_open(struct lane *lane, uint32_t groups, uint64_t endless, enum endless how)
{
    const struct geo_stream_desc desc = {
        .priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
        .faults = {&lane->listener.lost, listen, &lane->listener},
    };
    const struct arguments arguments = {endless, how, &lane->ran};
    memset(lane, 0, sizeof(*lane));
    NEED(cpu.ops->stream->create(cpu.device, &desc, &lane->stream) == ZE_RESULT_SUCCESS);
    kernel_init(&lane->kernel, kernel_main);
    batch_init(&lane->batch);
    batch_add_launch(&lane->batch, &lane->kernel.kernel, groups, &arguments, sizeof(arguments));
}

static ze_result_t lane_execute(struct lane *lane)
{
    return cpu.ops->stream->execute(lane->stream, &lane->batch.batch, (struct geo_event_ref){0});
}

static void lane_submit(struct lane *lane)
{
    cpu.ops->stream->submit(lane->stream, &lane->batch.batch, (struct geo_event_ref){0}, NULL);
}

static ze_result_t lane_wait(struct lane *lane)
{
    return cpu.ops->stream->wait(lane->stream, UINT64_MAX, PATIENCE_NS);
}

static void lane_close(struct lane *lane)
{
    cpu.ops->stream->destroy(lane->stream);
    batch_finish(&lane->batch);
}

/* ---- cases ---- */

static void position_run(void)
{
    static const struct {
        uint32_t groups;
        uint64_t endless;
    } cases[] = {{1, 0}, {5000, 3000}};
    for (int i = 0; i < 4; i++) {
        struct lane lane, after;
        lane_open(&lane, cases[i / 2].groups, cases[i / 2].endless, ENDLESS_SPINS);
        if (i & 1) {
            lane_submit(&lane);
        }
        NEED((i & 1 ? lane_wait(&lane) : lane_execute(&lane)) == ZE_RESULT_ERROR_DEVICE_LOST);
        const struct geo_fault *fault = &lane.listener.fault;
        NEED(fault->stopped && fault->first_group[0] == cases[i / 2].endless);
        NEED(fault->last_group[0] == cases[i / 2].endless);
        lane_open(&after, 100, UINT64_MAX, ENDLESS_SPINS);
        NEED(lane_execute(&after) == ZE_RESULT_SUCCESS && after.ran == 100);
        lane_close(&after);
        lane_close(&lane);
    }
}

static void a_group_that_does_not_end_is_stopped_and_named(void **state)
{
    (void)state;
    assert_int_equal(run_apart(position_run), 0);
}

enum { LANES = 70 };

static void many_run(void)
{
    static struct lane lanes[LANES], good;
    for (int i = 0; i < LANES; i++) {
        lane_open(&lanes[i], 1, 0, ENDLESS_SPINS);
        lane_submit(&lanes[i]);
    }
    lane_open(&good, 10, UINT64_MAX, ENDLESS_SPINS);
    lane_submit(&good);
    NEED(lane_wait(&good) == ZE_RESULT_SUCCESS && good.ran == 10);
    for (int i = 0; i < LANES; i++) {
        NEED(lane_wait(&lanes[i]) == ZE_RESULT_ERROR_DEVICE_LOST);
        lane_close(&lanes[i]); /* it is not in use any more */
    }
}

/* More of them than there are spare threads. */
static void many_endless_kernels_give_way(void **state)
{
    (void)state;
    assert_int_equal(run_apart(many_run), 0);
}

static void service_run(void)
{
    struct lane lane;
    lane_open(&lane, 1, 0, ENDLESS_SERVICE);
    NEED(lane_execute(&lane) == ZE_RESULT_ERROR_DEVICE_LOST);
    NEED(lane.listener.fault.stopped && inside == 1 && behind == 0);
    lane_close(&lane);
}

static void print_run(void)
{
    struct lane lane;
    NEED(freopen("/dev/null", "w", stdout) != NULL);
    lane_open(&lane, 1, 0, ENDLESS_PRINTS);
    lane_submit(&lane);
    NEED(lane_wait(&lane) == ZE_RESULT_ERROR_DEVICE_LOST);
    NEED(lane.listener.fault.stopped);
    lane_close(&lane);
    for (int i = 0; i < 100; i++) { /* the stream's lock is free */
        NEED(printf("still here\n") > 0);
    }
}

/* What compiled code calls may hold locks. */
static void a_service_is_left_by_its_end(void **state)
{
    (void)state;
    assert_int_equal(run_apart(service_run), 0);
    assert_int_equal(run_apart(print_run), 0);
}

static void blocked_run(void)
{
    sigset_t all, after;
    struct lane lane;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    lane_open(&lane, 1, 0, ENDLESS_SPINS);
    NEED(lane_execute(&lane) == ZE_RESULT_ERROR_DEVICE_LOST);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    NEED(sigismember(&after, GEO_LIMIT_SIGNAL) == 1);
    lane_close(&lane);
}

static void the_callers_signals_may_be_blocked(void **state)
{
    (void)state;
    assert_int_equal(run_apart(blocked_run), 0);
}

/* Group 0 waits for group 1, which faults when it is there. */
static void meeting_kernel(const struct geo_launch *launch, struct geo_worker *worker,
                           uint64_t first, uint64_t count)
{
    _Atomic uint32_t *waits = ((const struct arguments *)launch->arguments)->ran;
    (void)worker;
    for (uint64_t group = first; group < first + count; group++) {
        while (group == 0 && atomic_load(waits) < 2) { /* nobody stores more */
            atomic_store(waits, 1);
        }
        while (atomic_load(waits) == 0) {
            geo_machine_pause();
        }
        __builtin_trap();
    }
}

static void meeting_run(void)
{
    for (int i = 0; i < 6; i++) {
        struct lane lane;
        lane_open(&lane, 2, 0, ENDLESS_SPINS);
        lane.kernel.kernel.entry = meeting_kernel;
        ((struct geo_command_launch *)(void *)lane.batch.bytes)->cooperative = true;
        if (i & 1) {
            lane_submit(&lane);
        }
        NEED((i & 1 ? lane_wait(&lane) : lane_execute(&lane)) == ZE_RESULT_ERROR_DEVICE_LOST);
        NEED(!lane.listener.fault.stopped && lane.listener.fault.signal == SIGILL);
        lane_close(&lane); /* waits for both */
    }
}

static void groups_that_wait_for_one_that_faulted_are_stopped(void **state)
{
    (void)state;
    assert_int_equal(run_apart(meeting_run), 0);
    assert_int_equal(run_limited(meeting_run, "0"), 0);
}

/* In whole ticks of a tenth of a second; what is set for a device goes before the option. */
static void words_run(void)
{
    static _Atomic uint64_t words[GEO_LIMITS];
    geo_limit_set_by(words);
    NEED(geo_limit_ticks(0) == 10 && geo_limit_option_us() == 1000000);
    atomic_store(&words[1], GEO_LIMIT_NONE);
    NEED(geo_limit_ticks(1) == 0 && geo_limit_ticks(0) == 10);
    atomic_store(&words[1], 600000);
    NEED(geo_limit_ticks(1) == 6);
    atomic_store(&words[1], 600001);
    NEED(geo_limit_ticks(1) == 7);
    atomic_store(&words[1], 1);
    NEED(geo_limit_ticks(1) == 1);
    atomic_store(&words[1], GEO_LIMIT_NONE - 1);
    NEED(geo_limit_ticks(1) == GEO_LIMIT_NEVER);
    geo_limit_after_fork();
    NEED(geo_limit_ticks(1) == 10);
}

static void no_option_run(void)
{
    NEED(geo_limit_ticks(0) == 0 && geo_limit_option_us() == GEO_LIMIT_NONE);
}

static void what_is_set_for_a_device_goes_before_the_option(void **state)
{
    (void)state;
    assert_int_equal(run_apart(words_run), 0);
    assert_int_equal(run_limited(no_option_run, "0"), 0);
}

static _Atomic uint32_t urgent;

static void urgent_handle(int number)
{
    (void)number;
    urgent++;
}

static void others_run(void)
{
    raise(GEO_LIMIT_SIGNAL); /* the application's own, which nobody handled before us */
    NEED(urgent == 0);
    signal(GEO_LIMIT_SIGNAL, urgent_handle);
    raise(GEO_LIMIT_SIGNAL);
    NEED(urgent == 1);
    struct lane lane;
    lane_open(&lane, 1, 0, ENDLESS_SPINS);
    NEED(lane_execute(&lane) == ZE_RESULT_ERROR_DEVICE_LOST); /* our handler is over theirs */
    raise(GEO_LIMIT_SIGNAL);
    NEED(urgent == 2);
    signal(GEO_LIMIT_SIGNAL, SIG_IGN);
    raise(GEO_LIMIT_SIGNAL);
    NEED(urgent == 2);
    lane_close(&lane);
}

static void the_signal_stays_the_applications_too(void **state)
{
    (void)state;
    assert_int_equal(run_apart(others_run), 0);
}

/* Takes the signal when the group runs. */
static void *taker_main(void *argument)
{
    const struct lane *lane = argument;
    while (atomic_load(&lane->ran) == 0) {
        geo_machine_pause();
    }
    signal(GEO_LIMIT_SIGNAL, SIG_IGN);
    return NULL;
}

static void taken_run(void)
{
    for (int i = 0; i < 4; i++) {
        struct lane lane;
        pthread_t taker;
        lane_open(&lane, 1, 0, ENDLESS_SPINS);
        NEED(pthread_create(&taker, NULL, taker_main, &lane) == 0);
        if (i & 1) {
            lane_submit(&lane);
        }
        NEED((i & 1 ? lane_wait(&lane) : lane_execute(&lane)) == ZE_RESULT_ERROR_DEVICE_LOST);
        NEED(lane.listener.fault.stopped);
        pthread_join(taker, NULL);
        lane_close(&lane);
    }
}

static void who_takes_the_signal_does_not_end_the_limit(void **state)
{
    (void)state;
    assert_int_equal(run_apart(taken_run), 0);
}

/* Handlers that hand on to ours, as libraries of the field do. */
static struct sigaction handed_to;

static void handing_handle(int number, siginfo_t *info, void *context)
{
    urgent++;
    handed_to.sa_sigaction(number, info, context);
}

static void handing_run(void)
{
    struct sigaction action = {.sa_sigaction = handing_handle, .sa_flags = SA_SIGINFO};
    struct lane lane;
    signal(GEO_LIMIT_SIGNAL, urgent_handle);
    for (int i = 0; i < 2; i++) { /* at the second time the handler that hands on is over ours */
        lane_open(&lane, 1, 0, ENDLESS_SPINS);
        NEED(lane_execute(&lane) == ZE_RESULT_ERROR_DEVICE_LOST);
        lane_close(&lane);
        NEED(i == 1 || sigaction(GEO_LIMIT_SIGNAL, &action, &handed_to) == 0);
    }
    urgent = 0;
    raise(GEO_LIMIT_SIGNAL);
    NEED(urgent == 2); /* each once: the one that hands on, and the one below ours */
}

static void handlers_that_hand_on_end(void **state)
{
    (void)state;
    assert_int_equal(run_apart(handing_run), 0);
}

/* What has no timer runs on, and says so where everybody sees it. */
static void timerless_run(void)
{
    char text[1024] = "";
    char path[] = "/tmp/geoid-limit-XXXXXX";
    struct lane lane;
    int log = mkstemp(path), errors = dup(STDERR_FILENO);
    NEED(log >= 0 && dup2(log, STDERR_FILENO) >= 0);
    NEED(setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){0, 0}) == 0);
    lane_open(&lane, 3, UINT64_MAX, ENDLESS_SPINS);
    NEED(lane_execute(&lane) == ZE_RESULT_SUCCESS && lane.ran == 3);
    NEED(lane_execute(&lane) == ZE_RESULT_SUCCESS);
    lane_close(&lane);
    dup2(errors, STDERR_FILENO);
    NEED(pread(log, text, sizeof(text) - 1, 0) > 0);
    unlink(path);
    const char *first = strstr(text, "work-groups cannot be stopped");
    NEED(first && strstr(text, "GEOID_KERNEL_TIMEOUT") && strstr(text, "ulimit -i"));
    NEED(!strstr(first + 1, "work-groups cannot be stopped")); /* once */
}

static void a_limit_that_cannot_hold_is_told(void **state)
{
    (void)state;
    assert_int_equal(run_apart(timerless_run), 0);
}

int main(void)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return 0; /* it keeps signals back until the code calls something */
#endif
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_that_does_not_end_is_stopped_and_named),
        cmocka_unit_test(many_endless_kernels_give_way),
        cmocka_unit_test(a_service_is_left_by_its_end),
        cmocka_unit_test(the_callers_signals_may_be_blocked),
        cmocka_unit_test(groups_that_wait_for_one_that_faulted_are_stopped),
        cmocka_unit_test(what_is_set_for_a_device_goes_before_the_option),
        cmocka_unit_test(the_signal_stays_the_applications_too),
        cmocka_unit_test(who_takes_the_signal_does_not_end_the_limit),
        cmocka_unit_test(handlers_that_hand_on_end),
        cmocka_unit_test(a_limit_that_cannot_hold_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
