/* Drivers that do not come back from their initialisation, with GEOID_DRIVER_INIT_TIMEOUT: the
 * others work. No time is measured here: this program's clock runs out when a driver has told that
 * it hangs, and not before. */
#include "limit.h"
#include "scenario.h"

#include <level_zero/zes_api.h>

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define A_DAY "GEOID_DRIVER_INIT_TIMEOUT=86400000"

/* A child of fork cannot join the threads of its parent, whose end the thread sanitizer saw. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_thread_leaks=0:die_after_fork=0";
}

/* ---- the clock, and threads ---- */

typedef int clockwait_fn(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static clockwait_fn *real_clockwait;
static create_fn *real_create;
/* What a sanitizer has in the place of the C library's; without one they are not there. */
extern clockwait_fn __interceptor_pthread_cond_clockwait __attribute__((weak));
extern create_fn __interceptor_pthread_create __attribute__((weak));

__attribute__((constructor)) static void functions_find(void)
{
    real_clockwait = __interceptor_pthread_cond_clockwait
                         ? __interceptor_pthread_cond_clockwait
                         : (clockwait_fn *)dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    real_create = __interceptor_pthread_create ? __interceptor_pthread_create
                                               : (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
}

static int told_fd = -1;    /* a byte comes from a driver that hangs; below 0: an ordinary clock */
static time_t longest_wait; /* that was asked for, in seconds */
static bool no_threads;

static bool is_told(void)
{
    char byte;
    struct pollfd wait = {.fd = told_fd, .events = POLLIN};
    return poll(&wait, 1, 0) == 1 && read(told_fd, &byte, 1) == 1;
}

__attribute__((visibility("default"))) int pthread_cond_clockwait(pthread_cond_t *condition,
                                                                  pthread_mutex_t *mutex,
                                                                  clockid_t clock,
                                                                  const struct timespec *until)
{
    struct timespec now;
    clock_gettime(clock, &now);
    longest_wait =
        until->tv_sec - now.tv_sec > longest_wait ? until->tv_sec - now.tv_sec : longest_wait;
    if (told_fd < 0) {
        return real_clockwait(condition, mutex, clock, until);
    }
    for (;;) {
        clock_gettime(clock, &now);
        now.tv_nsec += 20000000; /* then it is looked again */
        now.tv_sec += now.tv_nsec / 1000000000;
        now.tv_nsec %= 1000000000;
        int error = real_clockwait(condition, mutex, clock, &now);
        if (error != ETIMEDOUT || is_told()) {
            return error;
        }
    }
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *argument)
{
    return no_threads ? EAGAIN : real_create(thread, attributes, run, argument);
}

/* From now on the clock runs out for drivers that hang. */
static void clock_watch(void)
{
    int pipes[2];
    char text[16];
    CHECK(pipe(pipes) == 0);
    snprintf(text, sizeof(text), "%d", pipes[1]);
    setenv("FAKE_STUCK_FD", text, 1);
    told_fd = pipes[0];
}

/* ---- scenarios ---- */

static uint32_t driver_count(void)
{
    uint32_t count = 0;
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    return count;
}

static void driver_use(void)
{
    uint32_t one = 1;
    ze_driver_handle_t driver;
    ze_context_handle_t context;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(zeDriverGet(&one, &driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
}

static void left_out(const char *name)
{
    const char *why = explanation_of(name);
    CHECK(strstr(why, "\tleft out\t") && strstr(why, "GEOID_DRIVER_INIT_TIMEOUT"));
}

static void one_hangs(void)
{
    clock_watch();
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 1);
    driver_use();
    left_out("stuck");
    CHECK(strstr(explanation_of("a"), "\tin use\t"));
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_SUCCESS);
    CHECK(fake_state("stuck")->init_calls == 1); /* never again */
    CHECK(driver_count() == 1);
}

static void in_child(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 1);
    driver_use();
    left_out("stuck");
}

static void fork_beside_it(void)
{
    int status = 0;
    one_hangs();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        limit_stall();
        in_child();
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void nobody_else(void)
{
    clock_watch();
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    left_out("stuck");
}

static void by_the_clock(void)
{
    setenv("FAKE_STUCK_FD", "2", 1);
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    left_out("stuck");
}

static void in_time(void)
{
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 2);
    driver_use();
    CHECK(strstr(explanation_of("a"), "\tin use\t") && strstr(explanation_of("b"), "\tin use\t"));
    CHECK(strstr(explanation_of("broken"), "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE"));
    CHECK(strstr(explanation_of("empty"), "(1 more without devices, not listed)"));
    CHECK(longest_wait > 43200 && longest_wait <= 86400);
}

static void without_limit(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(longest_wait == 0 && driver_count() == 1);
}

/* It comes back after all: nobody wants it any more, and nothing of it is used. */
static void too_late(void)
{
    int pipes[2];
    char text[16];
    CHECK(pipe(pipes) == 0);
    snprintf(text, sizeof(text), "%d", pipes[0]);
    setenv("FAKE_GATE_FD", text, 1);
    clock_watch();
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(write(pipes[1], "", 1) == 1);
    while (fake_state("gated")->started == 0 || fake_state("gated")->concurrent != 0) {
        sched_yield();
    }
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    left_out("gated");
}

/* Its handles are with the program already. */
static void sysman_hangs(void)
{
    clock_watch();
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 2);
    uint32_t count = 0;
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 1 && driver_count() == 2);
    driver_use();
    const char *why = explanation_of("stuck_sysman");
    CHECK(strstr(why, "\tin use\t") && strstr(why, "GEOID_DRIVER_INIT_TIMEOUT"));
}

/* Nothing of it is with the program yet. */
static void list_hangs(void)
{
    clock_watch();
    uint32_t count = 0;
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK(strstr(explanation_of("stuck_list"), "drivers not asked for"));
    CHECK_RESULT(zesDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
    const char *why = explanation_of("stuck_list");
    CHECK(strstr(why, "GEOID_DRIVER_INIT_TIMEOUT"));
    CHECK(fake_state("stuck_list")->sysman_lists == 1);
    CHECK_RESULT(zesDriverGet(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 1 && fake_state("stuck_list")->sysman_lists == 1); /* never again */
}

static void calls_back(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 1);
}

static void without_threads(void)
{
    no_threads = true;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(driver_count() == 1);
}

/* ---- tests ---- */

/* INI-5: one driver that hangs leaves the others usable, wherever it stands. */
static void test_a_driver_that_hangs_is_left_out(void **state)
{
    (void)state;
    scenario_passes("one_hangs", "ZE_ENABLE_ALT_DRIVERS={stuck},{a}", A_DAY, NULL);
    scenario_passes("one_hangs", "ZE_ENABLE_ALT_DRIVERS={a},{stuck}", A_DAY, NULL);
    scenario_passes("nobody_else", "ZE_ENABLE_ALT_DRIVERS={stuck}", A_DAY, NULL);
}

static void test_the_limit_is_one_of_time(void **state)
{
    (void)state;
    scenario_passes("by_the_clock", "ZE_ENABLE_ALT_DRIVERS={stuck}", "GEOID_DRIVER_INIT_TIMEOUT=20",
                    NULL);
}

static void test_drivers_that_come_back_are_used(void **state)
{
    (void)state;
    scenario_passes("in_time", "ZE_ENABLE_ALT_DRIVERS={a},{broken},{empty},{b}", A_DAY, NULL);
}

static void test_without_the_variable_there_is_no_limit(void **state)
{
    (void)state;
    scenario_passes("without_limit", "ZE_ENABLE_ALT_DRIVERS={a}", NULL);
    scenario_passes("without_limit", "ZE_ENABLE_ALT_DRIVERS={a}", "GEOID_DRIVER_INIT_TIMEOUT=0",
                    NULL);
}

static void test_a_driver_that_comes_back_too_late_is_not_used(void **state)
{
    (void)state;
    scenario_passes("too_late", "ZE_ENABLE_ALT_DRIVERS={gated}", A_DAY, NULL);
}

static void test_what_a_driver_gave_before_it_hangs_stays(void **state)
{
    (void)state;
    scenario_passes("sysman_hangs", "ZE_ENABLE_ALT_DRIVERS={a},{stuck_sysman}", A_DAY, NULL);
    scenario_passes("list_hangs", "ZE_ENABLE_ALT_DRIVERS={a},{stuck_list}", A_DAY, NULL);
}

/* INI-7 */
static void test_a_child_does_without_it_too(void **state)
{
    (void)state;
    scenario_passes("fork_beside_it", "ZE_ENABLE_ALT_DRIVERS={stuck},{a}", A_DAY, NULL);
}

/* INI-7: from the thread that it is initialised in. */
static void test_drivers_that_call_back_or_fork_do_not_lock_up(void **state)
{
    (void)state;
    scenario_passes("calls_back", "ZE_ENABLE_ALT_DRIVERS={reentrant}", A_DAY, NULL);
    scenario_passes("calls_back", "ZE_ENABLE_ALT_DRIVERS={forks}", A_DAY, NULL);
}

static void test_without_threads_there_is_no_limit(void **state)
{
    (void)state;
    scenario_passes("without_threads", "ZE_ENABLE_ALT_DRIVERS={a}", A_DAY, NULL);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(one_hangs),  S(fork_beside_it),  S(nobody_else), S(by_the_clock),
    S(in_time),    S(without_limit),   S(too_late),    S(sysman_hangs),
    S(calls_back), S(without_threads), S(list_hangs),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_driver_that_hangs_is_left_out),
        cmocka_unit_test(test_the_limit_is_one_of_time),
        cmocka_unit_test(test_drivers_that_come_back_are_used),
        cmocka_unit_test(test_without_the_variable_there_is_no_limit),
        cmocka_unit_test(test_a_driver_that_comes_back_too_late_is_not_used),
        cmocka_unit_test(test_what_a_driver_gave_before_it_hangs_stays),
        cmocka_unit_test(test_a_child_does_without_it_too),
        cmocka_unit_test(test_drivers_that_call_back_or_fork_do_not_lock_up),
        cmocka_unit_test(test_without_threads_there_is_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
