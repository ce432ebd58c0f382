/* Unit test of base's assertions: this file has them on, whatever the build. */
#ifndef GEOID_ASSERTIONS
#define GEOID_ASSERTIONS 1
#endif
#include "base/assert.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRONG_LINE = __LINE__ + 4 };

static void assert_small(int value)
{
    GEO_ASSERT(value < 3);
}

/* Returns the wait status of a child that asserts `value`, and what the child wrote. */
static int status_of_child(int value, char *text, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(ends[1], STDERR_FILENO);
        assert_small(value);
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t count; (count = read(ends[0], text + length, size - 1 - length)) > 0;) {
        length += (size_t)count;
    }
    text[length] = '\0';
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void a_true_condition_does_nothing(void **state)
{
    (void)state;
    char text[1024];
    assert_int_equal(status_of_child(2, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static void a_false_condition_aborts_with_its_place(void **state)
{
    (void)state;
    char text[1024];
    int status = status_of_child(3, text, sizeof text);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    char place[64];
    snprintf(place, sizeof place, "test_assert.c:%d: assert_small: ", WRONG_LINE);
    assert_non_null(strstr(text, place));
    assert_non_null(strstr(text, "value < 3\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_condition_does_nothing),
        cmocka_unit_test(a_false_condition_aborts_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
