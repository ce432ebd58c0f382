/* Unit test of builds in children, the caller's side (facade/child.c): whatever a child does with
 * its order, the build ends, and so does the child. The time that passes is the test's. */
#include "compiler/facade/service.h"

#include "compiler/facade/job.h"

#include "order.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- time ---- */

static int64_t skew_ms;
static unsigned waits;
static enum {
    NOTHING_COMES, /* once the child is ready: whoever waits has waited in vain */
    SECONDS_PASS,  /* what is waited for comes, a second later each time */
    CALLER_DIES,
} fate;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_poll(struct pollfd *states, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *states, nfds_t count, int timeout);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = __real_clock_gettime(clock, now);
    int64_t ns = now->tv_nsec + skew_ms % 1000 * 1000000;
    now->tv_sec += skew_ms / 1000 + ns / 1000000000;
    now->tv_nsec = ns % 1000000000;
    return result;
}

int __wrap_poll(struct pollfd *states, nfds_t count, int timeout)
{
    if (timeout == 0 || waits++ == 0 || fate == SECONDS_PASS) {
        skew_ms += fate == SECONDS_PASS ? 1000 : 0;
        return __real_poll(states, count, timeout ? -1 : 0);
    }
    if (fate == CALLER_DIES) {
        raise(SIGKILL);
    }
    int ready = __real_poll(states, count, 0);
    skew_ms += ready ? 0 : timeout;
    return ready;
}

/* ---- children ---- */

enum { NO_STATUS = -1, KILLED = 128 + SIGKILL };

static int last_status = NO_STATUS; /* of a starter that the service has reaped */

pid_t __real_waitpid(pid_t pid, int *status, int flags);
pid_t __wrap_waitpid(pid_t pid, int *status, int flags);

pid_t __wrap_waitpid(pid_t pid, int *status, int flags)
{
    int own = 0;
    pid_t ended = __real_waitpid(pid, &own, flags);
    if (status) {
        *status = own;
    } else if (ended > 0) {
        last_status = own;
    }
    return ended;
}

/* What the last child came to, as its starter tells: this process gets orphans, so starters stay.
 * The service may have reaped it already. */
static int child_status(void)
{
    int status = last_status;
    if (status == NO_STATUS) {
        assert_true(__real_waitpid(-1, &status, __WALL) > 0);
    }
    last_status = NO_STATUS;
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static struct geo_answer build(const char *manners, const struct geo_order *order)
{
    struct geo_answer answer = {.result = ZE_RESULT_SUCCESS};
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    setenv("GEOID_TEST_CHILD", manners, 1);
    waits = 0;
    bool answered = geo_children_build(order, &answer, &log);
    geo_strbuf_finish(&log);
    assert_true(answered);
    assert_int_equal(answer.result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_null(answer.binary);
    return answer;
}

static void late_expect(const char *manners, const struct geo_order *order)
{
    struct geo_answer answer = build(manners, order);
    assert_false(answer.gave_up); /* no other effort would be answered */
    assert_non_null(strstr(answer.log, "did not answer"));
    assert_non_null(strstr(answer.log, "GEOID_BUILD_TIME"));
    assert_int_equal(child_status(), KILLED);
    geo_answer_finish(&answer);
}

/* ---- cases ---- */

static void silence_is_not_waited_for_for_ever(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    fate = NOTHING_COMES;
    late_expect("silent", order);
    late_expect("half", order);
    geo_order_unref(order);
}

/* More than a socket holds. */
static void nor_is_one_that_does_not_listen(void **state)
{
    (void)state;
    const struct geo_compiler_source source = {.spirv = calloc(4, 1 << 20), .bytes = 4 << 20};
    const struct geo_compiler_request request = {.source_count = 1, .sources = &source};
    struct geo_order *order = geo_order_create(&request);
    free((void *)source.spirv);
    assert_non_null(order);
    fate = NOTHING_COMES;
    late_expect("silent", order);
    geo_order_unref(order);
}

static void an_answer_in_drops_comes_too_late(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    fate = SECONDS_PASS;
    order->seconds = 1;
    late_expect("drip", order);
    assert_true(waits <= GEO_JOB_WALL_FACTOR + 1);
    geo_order_unref(order);
}

static void an_answer_is_no_larger_than_code_may_be(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    fate = SECONDS_PASS; /* it says how large, when it has the time for it */
    struct geo_answer answer = build("greedy", order);
    assert_null(strstr(answer.log, "did not answer"));
    assert_int_equal(child_status(), KILLED);
    geo_answer_finish(&answer);
    geo_order_unref(order);
}

static void one_that_ends_is_an_answer(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    fate = NOTHING_COMES;
    order->seconds = 0; /* without an end it waits, and does not look at the clock */
    struct geo_answer answer = build("dead", order);
    assert_true(answer.gave_up);
    assert_int_equal(child_status(), 0);
    geo_answer_finish(&answer);
    geo_order_unref(order);
}

/* It still lives when the answer is here: the next order would come to nothing. */
static void a_last_answer_is_the_last(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    fate = SECONDS_PASS;
    for (int i = 0; i < 2; i++) {
        struct geo_answer answer = build("last", order);
        assert_false(answer.gave_up);
        assert_int_equal(child_status(), KILLED);
        geo_answer_finish(&answer);
    }
    geo_order_unref(order);
}

/* Only a build of PTX has no binary. The test's helper expects a failure. */
static void a_success_without_its_binary_is_a_failure(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    fate = SECONDS_PASS;
    struct geo_answer answer = build("texts", order);
    assert_int_equal(child_status(), KILLED);
    geo_answer_finish(&answer);
    geo_order_unref(order);
}

static void children_end_with_their_caller(void **state)
{
    (void)state;
    struct geo_order *order = order_make();
    fate = CALLER_DIES;
    fflush(NULL);
    pid_t caller = fork();
    assert_true(caller >= 0);
    if (caller == 0) {
        build("silent", order);
        _exit(1);
    }
    for (int i = 0; i < 2; i++) { /* the caller, and its child, which is an orphan now */
        int status;
        assert_true(wait(&status) > 0);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGKILL);
    }
    geo_order_unref(order);
}

static _Atomic unsigned child_signals;

static void child_signal_count(int number)
{
    (void)number;
    child_signals++;
}

/* Whether a process of /proc is a child of this one. */
static bool is_child(const char *number)
{
    char path[300], line[512] = "";
    int parent = 0;
    snprintf(path, sizeof(path), "/proc/%s/stat", number);
    FILE *file = fopen(path, "re");
    if (file) {
        const char *name = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
        (void)!(name ? sscanf(name, ") %*c %d", &parent) : 0);
        fclose(file);
    }
    return parent == getpid();
}

static unsigned children_count(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        count += entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_child(entry->d_name);
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

enum { PATIENCE_TRIES = 3000, TRY_US = 10000 };

/* Builds with children that end by themselves or are killed. The application's own wait never
 * meets any of them, and each further build takes away what the earlier ones left. */
static int quiet_run(bool orphans)
{
    const struct sigaction count = {.sa_handler = child_signal_count, .sa_flags = SA_RESTART};
    const char *const manners[] = {"greedy", "last", "dead"};
    struct geo_order *order = order_make();
    prctl(PR_SET_CHILD_SUBREAPER, orphans, 0, 0, 0);
    sigaction(SIGCHLD, &count, NULL);
    fate = SECONDS_PASS;
    order->seconds = 0;
    for (int i = 0; i < 3 || (i < PATIENCE_TRIES && children_count() > orphans); i++) {
        struct geo_answer answer = build(manners[i < 2 ? i : 2], order);
        geo_answer_finish(&answer);
        if (__real_waitpid(-1, &(int){0}, WNOHANG) != -1 || errno != ECHILD) {
            return 1;
        }
        usleep(i < 2 ? 0 : TRY_US);
    }
    geo_order_unref(order);
    return children_count() > orphans ? 2 : child_signals != 0 ? 3 : 0;
}

static void quiet_expect(bool orphans)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(quiet_run(orphans));
    }
    assert_int_equal(__real_waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    while (__real_waitpid(-1, &status, __WALL) > 0) { /* orphans are this process's */
    }
}

static void the_application_meets_no_child_of_ours(void **state)
{
    (void)state;
    quiet_expect(false);
    quiet_expect(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_is_not_waited_for_for_ever),
        cmocka_unit_test(nor_is_one_that_does_not_listen),
        cmocka_unit_test(an_answer_in_drops_comes_too_late),
        cmocka_unit_test(an_answer_is_no_larger_than_code_may_be),
        cmocka_unit_test(one_that_ends_is_an_answer),
        cmocka_unit_test(a_last_answer_is_the_last),
        cmocka_unit_test(a_success_without_its_binary_is_a_failure),
        cmocka_unit_test(the_application_meets_no_child_of_ours),
        cmocka_unit_test(children_end_with_their_caller),
    };
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    return cmocka_run_group_tests_name("facade_child", tests, NULL, NULL);
}
