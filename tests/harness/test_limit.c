/* Unit test of limits on child processes (limit.h). Processes that work for too long and processes
 * that wait without end die of different signals. Here, the ten minutes of waiting pass at once. */
#include "limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

static unsigned set; /* the last argument of alarm */
static bool time_flies;

unsigned __real_alarm(unsigned seconds);
unsigned __wrap_alarm(unsigned seconds);

unsigned __wrap_alarm(unsigned seconds)
{
    set = seconds;
    if (seconds && time_flies) {
        raise(SIGALRM);
    }
    return __real_alarm(seconds);
}

/* Calls `run` in a child process. Returns the child's status. */
static int status_of(void (*run)(void))
{
    int status = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void works_for_ever(void)
{
    limit_work(1);
    for (volatile unsigned i = 0;; i++) {
    }
}

static void waits_with_work_left(void)
{
    limit_work(1);
    pause();
}

static void waits(void)
{
    limit_stall();
    pause();
}

static void expect_end(void (*run)(void), const char *name)
{
    int status = status_of(run);
    assert_true(WIFSIGNALED(status));
    assert_non_null(limit_name(WTERMSIG(status)));
    assert_string_equal(limit_name(WTERMSIG(status)), name);
}

static void work_without_end_is_too_slow(void **state)
{
    (void)state;
    time_flies = false;
    expect_end(works_for_ever, "too slow");
}

static void what_waits_for_ever_hangs(void **state)
{
    (void)state;
    time_flies = true;
    expect_end(waits_with_work_left, "it hangs");
    expect_end(waits, "it hangs");
}

static void limits_come_and_go(void **state)
{
    struct itimerval left;
    (void)state;
    time_flies = false;
    limit_work(1000);
    assert_int_equal(set, LIMIT_STALL_S);
    assert_int_equal(getitimer(ITIMER_PROF, &left), 0);
    assert_true(left.it_value.tv_sec > 0);
    limit_work(0);
    assert_int_equal(set, 0);
    assert_int_equal(getitimer(ITIMER_PROF, &left), 0);
    assert_int_equal(left.it_value.tv_sec, 0);
    assert_int_equal(left.it_value.tv_usec, 0);
    limit_stall();
    assert_int_equal(set, LIMIT_STALL_S);
    assert_true(__real_alarm(0) > 0);
}

static void other_signals_are_no_limits(void **state)
{
    (void)state;
    assert_null(limit_name(SIGSEGV));
    assert_null(limit_name(SIGKILL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_without_end_is_too_slow),
        cmocka_unit_test(what_waits_for_ever_hangs),
        cmocka_unit_test(limits_come_and_go),
        cmocka_unit_test(other_signals_are_no_limits),
    };
    return cmocka_run_group_tests_name("harness_limit", tests, NULL, NULL);
}
