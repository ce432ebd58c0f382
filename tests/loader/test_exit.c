/* The end of a process, and its copies: nothing crashes, nothing hangs. */
#include "limit.h"
#include "scenario.h"

#include <level_zero/loader/ze_loader.h>
#include <level_zero/zes_api.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ONE_DRIVER    "ZE_ENABLE_ALT_DRIVERS={a}"
#define TWO_DRIVERS   "ZE_ENABLE_ALT_DRIVERS={a},{b}"
#define MORTAL_DRIVER "ZE_ENABLE_ALT_DRIVERS={mortal}"

/* A child of fork cannot join the threads of its parent, whose end the thread sanitizer saw. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_thread_leaks=0";
}

static ze_context_handle_t context;

static void context_make(void)
{
    uint32_t count = 1;
    ze_driver_handle_t driver;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
}

/* What a program may do while it ends: every answer is fine, but it must be one. */
static void late_calls(const char *when)
{
    uint32_t count = 0;
    ze_result_t get = zeDriverGet(&count, NULL), status = zeContextGetStatus(context);
    ze_result_t init = zeInit(0), sysman = zesInit(0);
    bool working = !get && !status && !init && !sysman;
    bool refused =
        get == ZE_RESULT_ERROR_UNINITIALIZED && status == get && init == get && sysman == get;
    printf("%s %s\n", when, working ? "working" : refused ? "refused" : "confused");
    fflush(stdout);
    if (!working && !refused) {
        _exit(1);
    }
}

static void exit_early_handler(void)
{
    late_calls("registered before");
}

static void exit_late_handler(void)
{
    late_calls("registered after");
}

static void leave(void)
{
    atexit(exit_early_handler);
    context_make();
    atexit(exit_late_handler);
    setenv("FAKE_LATE", "1", 1); /* for the destructor below */
    exit(0);
}

__attribute__((destructor)) static void program_end(void)
{
    if (getenv("FAKE_LATE")) {
        late_calls("destructor");
    }
}

/* GEN-15, GEN-23: a driver that lives to the end is called until the end; another one is no longer
 * called once its own end may have come. The fake drivers fail the process when called after it. */
static void test_calls_while_the_process_ends(void **state)
{
    (void)state;
    static struct scenario_outcome outcome;
    static const char *const surviving[] = {ONE_DRIVER, TWO_DRIVERS};
    for (int i = 0; i < 2; i++) {
        scenario_run(&outcome, "leave", surviving[i], NULL);
        assert_int_equal(outcome.exit_code, 0);
        assert_non_null(strstr(outcome.output, "registered after working"));
        assert_non_null(strstr(outcome.output, "registered before working"));
        assert_non_null(strstr(outcome.output, "destructor"));
    }
    scenario_run(&outcome, "leave", MORTAL_DRIVER, NULL);
    assert_int_equal(outcome.exit_code, 0);
    assert_non_null(strstr(outcome.output, "registered after working"));
    assert_non_null(strstr(outcome.output, "registered before refused"));
    assert_non_null(strstr(outcome.output, "destructor refused"));
    scenario_run(&outcome, "leave", "ZE_ENABLE_ALT_DRIVERS={a},{mortal}", NULL);
    assert_int_equal(outcome.exit_code, 0);
    assert_non_null(strstr(outcome.output, "registered before refused"));
}

static atomic_uint busy_calls;

static void *busy_thread(void *unused)
{
    (void)unused;
    for (;; busy_calls++) {
        ze_result_t result = zeContextGetStatus(context);
        if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_UNINITIALIZED) {
            _exit(1);
        }
        uint32_t count = 0;
        zeDriverGet(&count, NULL);
        zeInit(0);
        zesInit(0);
    }
    return NULL;
}

static void leave_busy(void)
{
    pthread_t threads[3];
    context_make();
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&threads[i], NULL, busy_thread, NULL) == 0);
    }
    while (busy_calls < 100) {
        sched_yield();
    }
    exit(0);
}

/* GEN-23: threads that go on calling while the main thread exits. */
static void test_other_threads_call_while_the_process_exits(void **state)
{
    (void)state;
    const char *const drivers[] = {ONE_DRIVER, TWO_DRIVERS, "ZE_ENABLE_ALT_DRIVERS={mortal}",
                                   "ZE_ENABLE_ALT_DRIVERS={a},{mortal}"};
    for (int i = 0; i < 12; i++) {
        scenario_passes("leave_busy", drivers[i % 4], NULL);
    }
}

static void *init_thread(void *unused)
{
    (void)unused;
    zeInit(0);
    return NULL;
}

/* A thread that initialises a driver which tells when it is there; returns then. */
static pthread_t init_thread_start(void)
{
    pthread_t thread;
    int pipes[2];
    char byte, text[16];
    CHECK(pipe(pipes) == 0);
    snprintf(text, sizeof(text), "%d", pipes[1]);
    setenv("FAKE_STUCK_FD", text, 1);
    CHECK(pthread_create(&thread, NULL, init_thread, NULL) == 0);
    CHECK(read(pipes[0], &byte, 1) == 1);
    return thread;
}

static void leave_during_init(void)
{
    init_thread_start();
    exit(0);
}

/* INI-7 */
static void test_exit_does_not_wait_for_an_initialisation(void **state)
{
    (void)state;
    scenario_passes("leave_during_init", "ZE_ENABLE_ALT_DRIVERS={stuck}", NULL);
}

static void close_and_reopen(void)
{
    /* this program is linked to the loader; another name of the same library counts as another user
     */
    void *loader = dlopen("libze_loader.so.1", RTLD_LAZY);
    CHECK(loader);
    ze_result_t (*init)(ze_init_flags_t) =
        (ze_result_t (*)(ze_init_flags_t))dlsym(loader, "zeInit");
    CHECK_RESULT(init(0), ZE_RESULT_SUCCESS);
    for (int i = 0; i < 3; i++) {
        dlclose(loader);
    }
    CHECK_RESULT(init(0), ZE_RESULT_SUCCESS); /* never unmapped */
    context_make();
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
}

static void test_closing_the_loader_does_not_unmap_it(void **state)
{
    (void)state;
    scenario_passes("close_and_reopen", ONE_DRIVER, NULL);
}

static void child_check(void (*run)(void))
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        limit_stall(); /* a lock that was held for ever would show as its signal */
        run();
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void in_child(void)
{
    uint32_t count = 0;
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 2);
    CHECK_RESULT(zeContextGetStatus(context), ZE_RESULT_SUCCESS); /* from before the fork */
    int before = fake_state("a")->init_calls;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(fake_state("a")->init_calls > before); /* drivers get to know of the new process */
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
    context_make();
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
}

static void in_fresh_child(void)
{
    uint32_t count = 0;
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    context_make();
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
}

static void forking(void)
{
    child_check(in_fresh_child);
    context_make();
    child_check(in_child);
    CHECK_RESULT(zeContextGetStatus(context), ZE_RESULT_SUCCESS);
}

static void in_child_of_any_age(void)
{
    context_make();
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
}

/* INI-1, INI-7: before and after initialisation. */
static void test_a_forked_child_works(void **state)
{
    (void)state;
    scenario_passes("forking", TWO_DRIVERS, NULL);
}

static int gate_fd = -1; /* what is written here lets the driver go on */

typedef int clocklock_fn(pthread_mutex_t *, clockid_t, const struct timespec *);
static clocklock_fn *real_clocklock;
/* What a sanitizer has in the place of the C library's; without one it is not there. */
extern clocklock_fn __interceptor_pthread_mutex_clocklock __attribute__((weak));

/* Early: a thread may hang in the dynamic linker later. */
__attribute__((constructor)) static void clocklock_find(void)
{
    real_clocklock = __interceptor_pthread_mutex_clocklock
                         ? __interceptor_pthread_mutex_clocklock
                         : (clocklock_fn *)dlsym(RTLD_NEXT, "pthread_mutex_clocklock");
}

/* The loader's, when it waits in a fork: time stands still, and what it waits for is let go only
 * now. */
__attribute__((visibility("default"))) int
pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    if (gate_fd < 0) {
        return real_clocklock(mutex, clock, until);
    }
    CHECK(pthread_mutex_trylock(mutex) == EBUSY && write(gate_fd, "", 1) == 1);
    return pthread_mutex_lock(mutex);
}

static void fork_while_initialising(void)
{
    int pipes[2];
    char text[16];
    CHECK(pipe(pipes) == 0);
    snprintf(text, sizeof(text), "%d", pipes[0]);
    setenv("FAKE_GATE_FD", text, 1);
    pthread_t thread = init_thread_start();
    gate_fd = pipes[1];
    child_check(in_child_of_any_age);
    pthread_join(thread, NULL);
}

/* INI-7: the child must not inherit a lock that nobody will give back. */
static void test_fork_during_initialisation(void **state)
{
    (void)state;
    scenario_passes("fork_while_initialising", "ZE_ENABLE_ALT_DRIVERS={gated}", NULL);
}

static void in_child_of_stuck(void)
{
    uint32_t count = 0;
    context_make();
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 1); /* the other one */
    const char *why = explanation_of("stuck");
    CHECK(strstr(why, "left out") && strstr(why, "forked"));
}

static void fork_while_a_driver_hangs(void)
{
    init_thread_start();
    for (int i = 0; i < 3; i++) {
        child_check(in_child_of_stuck);
    }
    exit(0);
}

static void in_child_of_stuck_load(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    const char *why = explanation_of("stuck_load");
    CHECK(strstr(why, "left out") && strstr(why, "forked"));
    why = explanation_of("a");
    CHECK(strstr(why, "not loaded") && strstr(why, "forked"));
    _exit(0); /* exit waits for the dynamic linker, too */
}

static void fork_while_opening_hangs(void)
{
    init_thread_start();
    child_check(in_child_of_stuck_load);
    _exit(0);
}

/* INI-7: a driver that never comes back costs the child that driver, and nobody else anything. */
static void test_fork_does_not_wait_for_a_driver_that_hangs(void **state)
{
    (void)state;
    scenario_passes("fork_while_a_driver_hangs", "ZE_ENABLE_ALT_DRIVERS={stuck},{a}", NULL);
    scenario_passes("fork_while_a_driver_hangs", "ZE_ENABLE_ALT_DRIVERS={a},{stuck}", NULL);
    scenario_passes("fork_while_opening_hangs", "ZE_ENABLE_ALT_DRIVERS={stuck_load},{a}", NULL);
}

static int called_back;

static void on_teardown(void)
{
    called_back++;
    printf("teardown callback, context %s\n",
           zeContextGetStatus(context) == ZE_RESULT_SUCCESS ? "alive" : "gone");
    fflush(stdout);
}

static void on_teardown_never(void)
{
    printf("forgotten callback\n");
    fflush(stdout);
}

static void callbacks(void)
{
    zel_application_teardown_callback_t forget = NULL;
    uint32_t first = 0, second = 0;
    CHECK_RESULT(zelRegisterTeardownCallback(NULL, &forget, &first),
                 ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zelRegisterTeardownCallback(on_teardown, NULL, &first),
                 ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zelRegisterTeardownCallback(on_teardown, &forget, NULL),
                 ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zelRegisterTeardownCallback(on_teardown, &forget, &first), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelRegisterTeardownCallback(on_teardown_never, &forget, &second),
                 ZE_RESULT_SUCCESS);
    CHECK(first != second && forget);
    forget(second);
    forget(12345); /* nothing of that number */
    context_make();
    CHECK(!zelCheckIsLoaderInTearDown() && called_back == 0);
}

/* Callbacks are called once, while objects can still be released. */
static void test_teardown_callbacks_are_called(void **state)
{
    (void)state;
    static struct scenario_outcome outcome;
    scenario_run(&outcome, "callbacks", ONE_DRIVER, NULL);
    assert_int_equal(outcome.exit_code, 0);
    assert_string_equal(outcome.output, "teardown callback, context alive\n");
    scenario_run(&outcome, "callbacks", MORTAL_DRIVER, NULL);
    assert_int_equal(outcome.exit_code, 0);
    assert_string_equal(outcome.output, "teardown callback, context alive\n");
}

static void nothing(void) {}

static atomic_uint registered;

static void *registering_thread(void *unused)
{
    (void)unused;
    for (;;) {
        zel_application_teardown_callback_t forget;
        uint32_t index;
        ze_result_t result = zelRegisterTeardownCallback(nothing, &forget, &index);
        if (result == ZE_RESULT_ERROR_UNINITIALIZED) {
            return NULL;
        }
        registered++;
    }
}

/* Would come again and again. */
static void on_teardown_register(void)
{
    zel_application_teardown_callback_t forget;
    uint32_t index;
    CHECK_RESULT(zelRegisterTeardownCallback(on_teardown_register, &forget, &index),
                 ZE_RESULT_ERROR_UNINITIALIZED);
}

static void leave_registering(void)
{
    pthread_t threads[3];
    zel_application_teardown_callback_t forget;
    uint32_t index;
    context_make();
    CHECK_RESULT(zelRegisterTeardownCallback(on_teardown_register, &forget, &index),
                 ZE_RESULT_SUCCESS);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&threads[i], NULL, registering_thread, NULL) == 0);
        CHECK(pthread_detach(threads[i]) == 0);
    }
    while (registered < 100) {
        sched_yield();
    }
    exit(0);
}

static void test_exit_does_not_wait_for_threads_that_register_callbacks(void **state)
{
    (void)state;
    scenario_passes("leave_registering", ONE_DRIVER, NULL);
    scenario_passes("leave_registering", MORTAL_DRIVER, NULL);
}

static zel_application_teardown_callback_t forget_one;
static uint32_t last_index;

static void on_teardown_forget(void)
{
    called_back++;
    forget_one(last_index);
}

/* Some are taken back, in any order, the last one by a callback. */
static void many_callbacks(void)
{
    static uint32_t indices[1000];
    uint32_t index;
    context_make();
    for (int i = 0; i < 1000; i++) {
        CHECK_RESULT(zelRegisterTeardownCallback(on_teardown_never, &forget_one, &indices[i]),
                     ZE_RESULT_SUCCESS);
        if (i % 100 == 50) {
            CHECK_RESULT(zelRegisterTeardownCallback(on_teardown_forget, &forget_one, &index),
                         ZE_RESULT_SUCCESS);
        }
    }
    CHECK_RESULT(zelRegisterTeardownCallback(on_teardown_never, &forget_one, &last_index),
                 ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 1000; i++) {
        forget_one(indices[i * 7 % 1000]);
        forget_one(indices[i * 7 % 1000]);
    }
    CHECK_RESULT(zelSetDriverTeardown(), ZE_RESULT_SUCCESS);
    CHECK(called_back == 10);
}

static void test_callbacks_that_were_taken_back_are_not_called(void **state)
{
    (void)state;
    static struct scenario_outcome outcome;
    scenario_run(&outcome, "many_callbacks", ONE_DRIVER, NULL);
    assert_string_equal(outcome.output, "");
    assert_int_equal(outcome.exit_code, 0);
}

static void driver_teardown(void)
{
    uint32_t count = 0, index;
    zel_application_teardown_callback_t forget;
    CHECK_RESULT(zelSetDriverTeardown(), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zelRegisterTeardownCallback(on_teardown, &forget, &index), ZE_RESULT_SUCCESS);
    context_make();
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelSetDriverTeardown(), ZE_RESULT_SUCCESS);
    CHECK(called_back == 1 && zelCheckIsLoaderInTearDown());
    CHECK_RESULT(zeContextGetStatus(context), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zesDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED); /* for good */
    CHECK_RESULT(zesInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zelRegisterTeardownCallback(on_teardown, &forget, &index),
                 ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zelSetDriverTeardown(), ZE_RESULT_SUCCESS);
    CHECK(called_back == 1);
}

/* GEN-23 */
static void test_a_driver_can_end_the_loader(void **state)
{
    (void)state;
    scenario_passes("driver_teardown", TWO_DRIVERS, NULL);
}

static void static_teardown(void)
{
    context_make();
    zelSetDelayLoaderContextTeardown();
    zelLoaderContextTeardown(); /* concerns the static form only */
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
}

static void test_teardown_of_the_static_form_changes_nothing_here(void **state)
{
    (void)state;
    scenario_passes("static_teardown", ONE_DRIVER, NULL);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(leave),
    S(leave_busy),
    S(leave_during_init),
    S(close_and_reopen),
    S(forking),
    S(callbacks),
    S(fork_while_initialising),
    S(driver_teardown),
    S(static_teardown),
    S(fork_while_a_driver_hangs),
    S(fork_while_opening_hangs),
    S(leave_registering),
    S(many_callbacks),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_while_the_process_ends),
        cmocka_unit_test(test_other_threads_call_while_the_process_exits),
        cmocka_unit_test(test_exit_does_not_wait_for_an_initialisation),
        cmocka_unit_test(test_closing_the_loader_does_not_unmap_it),
        cmocka_unit_test(test_a_forked_child_works),
        cmocka_unit_test(test_fork_during_initialisation),
        cmocka_unit_test(test_fork_does_not_wait_for_a_driver_that_hangs),
        cmocka_unit_test(test_teardown_callbacks_are_called),
        cmocka_unit_test(test_exit_does_not_wait_for_threads_that_register_callbacks),
        cmocka_unit_test(test_callbacks_that_were_taken_back_are_not_called),
        cmocka_unit_test(test_a_driver_can_end_the_loader),
        cmocka_unit_test(test_teardown_of_the_static_form_changes_nothing_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
