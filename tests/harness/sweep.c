/* The sweep over all allocations of an operation. See sweep.h. */
#include "sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A sweep that gets here does not end. */
#define ALLOCATIONS_LIMIT 1000000

static void call(void (*function)(void))
{
    if (function) {
        function();
    }
}

static bool is_fine(const struct sweep *sweep, ze_result_t result, bool failed, bool for_good)
{
    if (result == ZE_RESULT_SUCCESS) {
        return !failed || sweep->lenient || (sweep->recovers && !for_good);
    }
    return failed && (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
                      result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
}

/* Runs and undoes the operation without failures. Checks that it leaks no blocks. Returns the
 * number of its allocations. */
static long undisturbed(const struct sweep *sweep)
{
    call(sweep->settle);
    long before = allocations_living();
    allocations_fail(ALLOCATIONS_NEVER, false);
    ze_result_t result = sweep->run();
    long count = allocations_count();
    if (result != ZE_RESULT_SUCCESS) {
        fail_msg("%s: 0x%x with all memory", sweep->name, (unsigned)result);
    }
    call(sweep->undo);
    call(sweep->settle);
    if (allocations_living() != before) {
        fail_msg("%s: %ld blocks left behind when taken back", sweep->name,
                 allocations_living() - before);
    }
    return count;
}

/* Runs the operation with a failing allocation. Returns false if it has not reached it. */
static bool attempt(const struct sweep *sweep, long at, bool for_good)
{
    const char *rest = for_good ? " and all after it" : "";
    call(sweep->settle);
    long before = allocations_living();
    allocations_fail(at, for_good);
    ze_result_t result = sweep->run();
    bool failed = allocations_end();
    bool fine = is_fine(sweep, result, failed, for_good);
    if (!fine) {
        fail_msg("%s, allocation %ld%s%s: 0x%x", sweep->name, at, rest,
                 failed ? " failed" : " not reached", (unsigned)result);
    }
    call(result == ZE_RESULT_SUCCESS ? sweep->undo : sweep->failed);
    call(sweep->settle);
    if (allocations_living() != before) {
        fail_msg("%s, allocation %ld%s failed: %ld blocks left behind", sweep->name, at, rest,
                 allocations_living() - before);
    }
    return failed;
}

void sweep_run(const struct sweep *sweep)
{
    long count = undisturbed(sweep); /* the first run also allocates what is kept */
    count = undisturbed(sweep);
    long step = sweep->points && count > sweep->points ? count / sweep->points + 1 : 1;
    assert_true(count > 0);
    for (int for_good = 0; for_good < 2; for_good++) {
        long at = 1;
        while (attempt(sweep, at, for_good)) {
            at += step;
            assert_true(at < ALLOCATIONS_LIMIT);
        }
        assert_true(at > 1);
    }
    undisturbed(sweep);
}

/* ---- in fresh processes ---- */

/* Exit codes that cmocka does not use. */
enum outcome { FINE = 40, NOT_REACHED, WRONG };

/* Makes an attempt in the child. *living is the number of live blocks after an undisturbed run. The
 * attempt without failures (`at` is ALLOCATIONS_NEVER) sets it. */
static enum outcome fresh_attempt(const struct sweep *sweep, long at, bool for_good, long *living)
{
    long before = allocations_living();
    allocations_fail(at, for_good);
    ze_result_t result = sweep->run();
    bool failed = allocations_end();
    bool fine = is_fine(sweep, result, failed, for_good);
    if (!fine) {
        fprintf(stderr, "%s, allocation %ld, failing %s: 0x%x\n", sweep->name, at,
                for_good ? "for good" : "alone", (unsigned)result);
        return WRONG;
    }
    if (result != ZE_RESULT_SUCCESS) {
        call(sweep->failed);
    }
    if (failed && (result = sweep->run()) != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "%s, after allocation %ld failed: 0x%x\n", sweep->name, at,
                (unsigned)result);
        return WRONG;
    }
    long kept = sweep->kept ? sweep->kept() : 0;
    long now = allocations_living() - before - kept;
    if (at == ALLOCATIONS_NEVER) {
        *living = now;
    } else if (now > *living || (now < *living && !sweep->lenient)) {
        fprintf(stderr, "%s, allocation %ld, failing %s: %ld blocks live in the end, not %ld\n",
                sweep->name, at, for_good ? "for good" : "alone", now, *living);
        return WRONG;
    }
    return failed ? FINE : NOT_REACHED;
}

static enum outcome fresh(const struct sweep *sweep, long at, bool for_good, long *living)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit((int)fresh_attempt(sweep, at, for_good, living));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != FINE && WEXITSTATUS(status) != NOT_REACHED)) {
        fail_msg("%s, allocation %ld, failing %s: status 0x%x", sweep->name, at,
                 for_good ? "for good" : "alone", (unsigned)status);
    }
    return (enum outcome)WEXITSTATUS(status);
}

void sweep_fresh(const struct sweep *sweep)
{
    long *living =
        mmap(NULL, sizeof(*living), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(living != MAP_FAILED);
    assert_int_equal(fresh(sweep, ALLOCATIONS_NEVER, false, living), NOT_REACHED);
    for (int for_good = 0; for_good < 2; for_good++) {
        long at = 1;
        while (fresh(sweep, at, for_good, living) == FINE) {
            assert_true(++at < ALLOCATIONS_LIMIT);
        }
        assert_true(at > 1);
    }
    munmap(living, sizeof(*living));
}
