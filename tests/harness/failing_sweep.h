/* Runs an operation once for each call of a kind that it makes. In each run that call fails, first
 * alone, then with all later calls. Each run is in a fork of this process, and checks that the
 * operation
 * - does not crash or hang;
 * - returns out of host or device memory, or success with a correct result;
 * - works when it is repeated;
 * - leaks no blocks of our code after it is undone. */
#ifndef TESTS_HARNESS_FAILING_SWEEP_H
#define TESTS_HARNESS_FAILING_SWEEP_H

#include "failing.h"

#include <level_zero/ze_api.h>

struct failing_sweep {
    const char *name;
    ze_result_t (*run)(void);            /* returns ERROR_UNKNOWN if the result is wrong */
    void (*undo)(void);                  /* after a successful run; NULL: nothing to undo */
    bool (*accepts)(ze_result_t result); /* tells other allowed results; NULL: none */
    bool once;     /* works once per process: it does not run before, and no blocks are counted */
    bool abandons; /* a failed run may leave a thread with its blocks */
    bool ours;     /* only calls by our own code fail */
    long points;   /* the approximate number of calls to try, evenly spread; 0: all */
};

/* Runs the sweep. Fails the cmocka test that calls it, after all calls have been tried. Returns the
 * number of calls of the operation. */
long failing_sweep(const struct failing_sweep *sweep, enum failing_call call);

/* Divides later sweeps among `of` processes: this one tries every `of`-th call, from `number`
 * (which is less than `of`) on. */
void failing_sweep_share(long number, long of);

/* Return the number of calls that were tried, and how many of these runs were wrong. */
long failing_sweep_tried(void);
long failing_sweep_wrong(void);

#endif
