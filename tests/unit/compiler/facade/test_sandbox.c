/* Unit test of what a child that builds may do (facade/sandbox.c): in processes of their own. */
#include "compiler/facade/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void *memory;

static int memory_ends(void)
{
    bool bounded = geo_sandbox_limit(64 << 20);
#ifndef GEOID_SANITIZED
    if (!bounded) {
        return 1;
    }
#endif
    memory = malloc(16 << 20);
    bool some = memory != NULL;
    memory = malloc(128 << 20);
    return !some || (bounded && memory != NULL);
}

/* As where there is no /proc. */
static int memory_ends_without_files(void)
{
    return setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0}) != 0 || memory_ends();
}

static int nothing_can_be_opened(void)
{
    int pair[2];
    geo_sandbox_close();
    bool closed = open("/dev/null", O_RDONLY) == -1 && errno == EPERM;
    closed = closed && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1 && errno == EPERM;
    closed = closed && fork() == -1 && errno == EPERM;
    closed = closed && execl("/bin/true", "true", (char *)NULL) == -1 && errno == EPERM;
    closed = closed && kill(getpid(), 0) == -1 && errno == EPERM;
    memory = malloc(1 << 20); /* what a build needs is there */
    return !(closed && memory && getpid() > 0);
}

static pid_t victim;

/* Every way by which a process signals another one. */
static int nobody_is_signalled(void)
{
    siginfo_t info = {.si_signo = SIGKILL, .si_code = SI_QUEUE};
    geo_sandbox_close();
    bool closed = syscall(SYS_tgkill, victim, victim, SIGKILL) == -1 && errno == EPERM;
    closed = closed && syscall(SYS_tgkill, -1, victim, SIGKILL) == -1 && errno == EPERM;
    closed = closed && syscall(SYS_tkill, victim, SIGKILL) == -1 && errno == EPERM;
    closed = closed && syscall(SYS_kill, victim, SIGKILL) == -1 && errno == EPERM;
    closed = closed && syscall(SYS_rt_sigqueueinfo, victim, SIGKILL, &info) == -1 && errno == EPERM;
    closed = closed && syscall(SYS_rt_tgsigqueueinfo, victim, victim, SIGKILL, &info) == -1 &&
             errno == EPERM;
    closed = closed && syscall(SYS_pidfd_open, victim, 0) == -1 && errno == EPERM;
    closed = closed && syscall(SYS_pidfd_send_signal, 0, SIGKILL, NULL, 0) == -1 && errno == EPERM;
    closed = closed && syscall(SYS_fcntl, 0, F_SETOWN, victim) == -1 && errno == EPERM;
    return !(closed && syscall(SYS_tgkill, getpid(), getpid(), 0) == 0);
}

/* As abort does, by a signal that leaves no core. */
static int ends_itself(void)
{
    geo_sandbox_close();
    return raise(SIGTERM) == 0 ? 1 : 2;
}

static void run(int (*function)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(function());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void memory_ends_where_it_was_said(void **state)
{
    (void)state;
    run(memory_ends);
    run(memory_ends_without_files);
}

static void behind_the_door_nothing_is_opened(void **state)
{
    (void)state;
    run(nothing_can_be_opened);
}

static void behind_the_door_nobody_is_signalled(void **state)
{
    (void)state;
    int status = -1;
    fflush(NULL);
    victim = fork();
    assert_true(victim >= 0);
    if (victim == 0) {
        for (;;) {
            pause();
        }
    }
    run(nobody_is_signalled);
    assert_int_equal(waitpid(victim, &status, WNOHANG), 0);
    assert_int_equal(kill(victim, SIGKILL), 0);
    assert_int_equal(waitpid(victim, &status, 0), victim);
}

static void behind_the_door_a_process_may_end_itself(void **state)
{
    (void)state;
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(ends_itself());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_ends_where_it_was_said),
        cmocka_unit_test(behind_the_door_nothing_is_opened),
        cmocka_unit_test(behind_the_door_nobody_is_signalled),
        cmocka_unit_test(behind_the_door_a_process_may_end_itself),
    };
    return cmocka_run_group_tests_name("facade_sandbox", tests, NULL, NULL);
}
