/* Unit test of programs that are no children of the caller (facade/spawn.c), with the system's
 * own programs. Each case in a process of its own, because it asks for orphans. */
#include "compiler/facade/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static _Atomic unsigned child_signals;

static void child_signal_count(int number)
{
    (void)number;
    child_signals++;
}

static void run_apart(void (*run)(bool orphans), bool orphans)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGCHLD, child_signal_count);
        prctl(PR_SET_CHILD_SUBREAPER, orphans, 0, 0, 0);
        run(orphans);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void run_both(void (*run)(bool orphans))
{
    run_apart(run, false);
    run_apart(run, true);
}

static int program_spawn(void *data, pid_t *pid)
{
    char *const *arguments = data;
    return posix_spawn(pid, arguments[0], NULL, NULL, arguments, environ);
}

static void starter_await(struct geo_starter *starter)
{
    while (!geo_starter_reap(starter)) {
        usleep(1000);
    }
}

/* ---- cases ---- */

static void ends_run(bool orphans)
{
    char *const arguments[] = {"/bin/sh", "-c", "exit 3", NULL};
    for (int i = 0; i < 20; i++) {
        struct geo_starter starter;
        NEED(geo_spawn(&starter, program_spawn, (void *)(uintptr_t)arguments) == 0);
        NEED((starter.pid != 0) == orphans);
        NEED(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
        starter_await(&starter);
        NEED(starter.pid == 0 && starter.memory == NULL);
        NEED(geo_starter_reap(&starter)); /* again: nothing is left to do */
    }
    NEED(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD); /* nobody is left */
    NEED(child_signals == 0);
}

static void programs_end_without_a_signal_or_a_status(void **state)
{
    (void)state;
    run_both(ends_run);
}

/* A pipe's reader sees the end when the last writer has closed it: the program has no writer, and
 * the starter, which stays, keeps none. */
static void files_run(bool orphans)
{
    int pipes[2], hold[2];
    char byte;
    struct geo_starter starter;
    char *const arguments[] = {"/bin/sh", "-c", "exec cat <&9 >/dev/null", NULL};
    NEED(pipe2(pipes, O_CLOEXEC) == 0 && pipe2(hold, O_CLOEXEC) == 0);
    NEED(dup2(hold[0], 9) == 9); /* the program lives until `hold` is closed here */
    NEED(geo_spawn(&starter, program_spawn, (void *)(uintptr_t)arguments) == 0);
    NEED(!orphans || !geo_starter_reap(&starter));
    close(pipes[1]);
    NEED(read(pipes[0], &byte, 1) == 0);
    close(hold[1]);
    starter_await(&starter);
}

static void starters_keep_no_files(void **state)
{
    (void)state;
    run_both(files_run);
}

static void missing_run(bool orphans)
{
    (void)orphans;
    struct geo_starter starter;
    char *const arguments[] = {"/nowhere/program", NULL};
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    NEED(geo_spawn(&starter, program_spawn, (void *)(uintptr_t)arguments) == ENOENT);
    NEED(starter.pid == 0 && starter.memory == NULL);
    NEED(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    NEED(sigismember(&after, SIGTERM) == sigismember(&before, SIGTERM));
    NEED(child_signals == 0);
}

static void a_program_that_is_missing_is_an_error(void **state)
{
    (void)state;
    run_both(missing_run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_end_without_a_signal_or_a_status),
        cmocka_unit_test(starters_keep_no_files),
        cmocka_unit_test(a_program_that_is_missing_is_an_error),
    };
    return cmocka_run_group_tests_name("facade_spawn", tests, NULL, NULL);
}
