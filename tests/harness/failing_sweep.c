/* Runs a child process for each call that fails. See failing_sweep.h. */
#include "failing_sweep.h"

#include "limit.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define WRONG_MAX 10 /* wrong runs of a sweep that are printed */

static const char *const call_names[FAILING_CALLS] = {
    [FAILING_ALLOCATION] = "allocation", [FAILING_MAPPING] = "mapping", [FAILING_THREAD] = "thread",
    [FAILING_MEMFD] = "memory file",     [FAILING_OPEN] = "file",
};

/* The result of a child process. */
struct report {
    bool done, failed;
    long count;
    char where[100]; /* the function whose call failed */
    char wrong[1000];
};

static struct report *report; /* memory shared with the children */

static long share_number, share_of = 1, tried, all_wrong;

void failing_sweep_share(long number, long of)
{
    share_number = number;
    share_of = of;
}

long failing_sweep_tried(void)
{
    return tried;
}

long failing_sweep_wrong(void)
{
    return all_wrong;
}

static void where_tell(const char *function)
{
    snprintf(report->where, sizeof(report->where), "%s", function);
}

static void undo(const struct failing_sweep *sweep, ze_result_t result)
{
    if (result == ZE_RESULT_SUCCESS && sweep->undo) {
        sweep->undo();
    }
}

static bool is_fine(const struct failing_sweep *sweep, ze_result_t result, bool failed)
{
    return result == ZE_RESULT_SUCCESS ||
           (failed && (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
                       result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY ||
                       (sweep->accepts && sweep->accepts(result))));
}

/* Returns how many blocks of an undisturbed run live after it is undone: some are freed only by the
 * next call. A run before allocates the blocks that are allocated once. */
static long blocks_kept(const struct failing_sweep *sweep)
{
    for (int i = 0; i < 2; i++) {
        if (i == 1) {
            failing_watch_blocks();
        }
        undo(sweep, sweep->run());
    }
    return failing_living(NULL, 0);
}

/* Removes cmocka's signal handlers in a child, so that a signal ends it. */
static void signals_default(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        signal(signals[i], SIG_DFL);
    }
}

static void attempt(const struct failing_sweep *sweep, const struct failing *failing)
{
    char names[800] = "";
    long before = sweep->once ? 0 : blocks_kept(sweep);
    failing_begin(failing);
    ze_result_t result = sweep->run();
    report->failed = failing_end();
    report->count = failing_count();
    if (!is_fine(sweep, result, report->failed)) {
        snprintf(report->wrong, sizeof(report->wrong), "0x%x", (unsigned)result);
        return;
    }
    bool abandoned = sweep->abandons && result != ZE_RESULT_SUCCESS;
    undo(sweep, result);
    result = sweep->run();
    if (result != ZE_RESULT_SUCCESS) {
        snprintf(report->wrong, sizeof(report->wrong), "0x%x afterwards", (unsigned)result);
        return;
    }
    undo(sweep, result);
    long living = sweep->once ? 0 : failing_living(names, sizeof(names));
    if (living > before && !abandoned) {
        snprintf(report->wrong, sizeof(report->wrong), "%ld blocks are left, not %ld, of%s", living,
                 before, names);
    }
}

/* Makes an attempt in a child process, and waits for it. Sets report->wrong if it went wrong. */
static void attempt_apart(const struct failing_sweep *sweep, const struct failing *failing)
{
    int status;
    memset(report, 0, sizeof(*report));
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signals_default();
        limit_stall();
        attempt(sweep, failing);
        report->done = true;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
        const char *limit = limit_name(WTERMSIG(status));
        snprintf(report->wrong, sizeof(report->wrong), "ended by signal %d%s%s", WTERMSIG(status),
                 limit ? ": " : "", limit ? limit : "");
    } else if (!report->done) {
        snprintf(report->wrong, sizeof(report->wrong), "exited with %d", WEXITSTATUS(status));
    }
}

long failing_sweep(const struct failing_sweep *sweep, enum failing_call call)
{
    report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(report != MAP_FAILED);
    struct failing failing = {.call = call, .ours = sweep->ours, .tell = where_tell};
    attempt_apart(sweep, &failing);
    if (report->wrong[0]) {
        fail_msg("%s undisturbed: %s", sweep->name, report->wrong);
    }
    long count = report->count, wrong = 0;
    long step = sweep->points && count > sweep->points ? count / sweep->points + 1 : 1;
    for (int for_good = 0; for_good < 2; for_good++) {
        failing.for_good = for_good;
        failing.at = 1 + share_number * step;
        for (; failing.at <= count; failing.at += share_of * step) {
            attempt_apart(sweep, &failing);
            tried++;
            all_wrong += report->wrong[0] != 0;
            if (report->wrong[0] && wrong++ < WRONG_MAX) {
                print_error("%s, %s %ld of %ld (%s)%s fails: %s\n", sweep->name, call_names[call],
                            failing.at, count, report->where, for_good ? " and all after it" : "",
                            report->wrong);
            }
        }
    }
    munmap(report, sizeof(*report));
    if (wrong != 0) {
        fail_msg("%s: %ld wrong ends", sweep->name, wrong);
    }
    return count;
}
