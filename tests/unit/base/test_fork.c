/* Unit test of base's fork handlers: their order, and that the child may go on. */
#include "base/fork.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that the thread sanitizer sees has lost the other thread; it was not joined there. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0:report_thread_leaks=0";
}

static char trace[64];

static void trace_add(char what)
{
    size_t length = strlen(trace);
    if (length + 1 < sizeof(trace)) {
        trace[length] = what;
    }
}

/* Upper case: prepare; lower case: after fork; the first letter is the outermost lock's. */
#define HANDLER(letter, upper, lower, place)                                                       \
    static void prepare_##letter(void)                                                             \
    {                                                                                              \
        trace_add(upper);                                                                          \
    }                                                                                              \
    static void after_##letter(void)                                                               \
    {                                                                                              \
        trace_add(lower);                                                                          \
    }                                                                                              \
    static void child_##letter(void)                                                               \
    {                                                                                              \
        trace_add(lower);                                                                          \
        trace_add('!');                                                                            \
    }                                                                                              \
    static struct geo_fork_handler handler_##letter = {                                            \
        .order = (place),                                                                          \
        .prepare = prepare_##letter,                                                               \
        .parent = after_##letter,                                                                  \
        .child = child_##letter,                                                                   \
    };

HANDLER(a, 'A', 'a', 1)
HANDLER(b, 'B', 'b', 2)
HANDLER(c, 'C', 'c', 2)
HANDLER(d, 'D', 'd', 3)

static struct geo_fork_handler handler_empty = {.order = 2};
static struct geo_fork_handler handler_late = {.order = 0};

/* The exit status of a child that ran `check`. */
static int child_status(bool (*check)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(check() ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static bool child_trace_right(void)
{
    geo_fork_register(&handler_late); /* the list is usable */
    return strcmp(trace, "ABCDd!c!b!a!") == 0;
}

static void handlers_run_inwards_before_and_outwards_after(void **state)
{
    (void)state;
    geo_fork_register(&handler_d);
    geo_fork_register(&handler_b);
    geo_fork_register(&handler_empty);
    geo_fork_register(&handler_a);
    geo_fork_register(&handler_c); /* of equal order, later: further in */
    geo_fork_register(&handler_b); /* again: nothing happens */
    for (int round = 0; round < 3; round++) {
        memset(trace, 0, sizeof(trace));
        assert_int_equal(child_status(child_trace_right), 0);
        assert_string_equal(trace, "ABCDdcba");
    }
}

static bool child_in_order(void)
{
    return true;
}

#define CROWD 400

static struct geo_fork_handler crowd[CROWD];
static _Atomic int crowd_prepared, crowd_released;

static void crowd_prepare(void)
{
    crowd_prepared++;
}

static void crowd_release(void)
{
    crowd_released++;
}

/* A lock of another library, whose fork handlers run behind ours. */
static pthread_mutex_t foreign_lock = PTHREAD_MUTEX_INITIALIZER;

static void foreign_prepare(void)
{
    pthread_mutex_lock(&foreign_lock);
}

static void foreign_release(void)
{
    pthread_mutex_unlock(&foreign_lock);
}

static void *crowd_register(void *argument)
{
    for (int i = 0; i < CROWD; i++) {
        crowd[i].order = i % 7;
        crowd[i].prepare = crowd_prepare;
        crowd[i].parent = crowd_release;
        pthread_mutex_lock(&foreign_lock);
        usleep(100); /* a fork has begun meanwhile, and waits for this lock */
        geo_fork_register(&crowd[i]);
        pthread_mutex_unlock(&foreign_lock);
    }
    return argument;
}

static void who_registers_while_another_thread_forks_is_in_whole_or_not_at_all(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, crowd_register, NULL), 0);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(child_status(child_in_order), 0);
        assert_int_equal(crowd_prepared, crowd_released);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
}

int main(void)
{
    pthread_atfork(foreign_prepare, foreign_release, foreign_release);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_run_inwards_before_and_outwards_after),
        cmocka_unit_test(who_registers_while_another_thread_forks_is_in_whole_or_not_at_all),
    };
    return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
