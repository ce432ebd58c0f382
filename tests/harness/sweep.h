/* Allocation sweeps. An operation runs once for each of its allocations, which fails: first alone,
 * then with all later ones. A sweep ends when the operation does not reach the allocation. It
 * checks that the operation
 * - does not crash, and returns out of host or device memory;
 * - leaks no blocks;
 * - works at the end of the sweep, and leaks no blocks after it is undone.
 *
 * sweep_run is for operations that can be undone, sweep_fresh for those that work once in a
 * process. */
#ifndef TESTS_HARNESS_SWEEP_H
#define TESTS_HARNESS_SWEEP_H

#include "allocations.h"

#include <level_zero/ze_api.h>

struct sweep {
    const char *name;
    ze_result_t (*run)(void);
    void (*undo)(void);   /* undoes a successful run */
    void (*failed)(void); /* checks the state after a failed run */
    void (*settle)(void); /* frees blocks that are freed late, before blocks are counted */
    long (*kept)(void);   /* for sweep_fresh: returns how many live blocks do not count */
    bool lenient;         /* a run may succeed with a smaller result, such as a shorter text */
    bool recovers;        /* a run may succeed if only one allocation fails */
    long points;          /* the approximate number of allocations to try, evenly spread; 0: all */
};

/* Runs the sweep. Functions that are NULL are not called. Fails the cmocka test that calls it. */
void sweep_run(const struct sweep *sweep);

/* Runs the sweep with each attempt in a fork of this process. An attempt then repeats `run` without
 * failures: it must succeed and leave as many live blocks as an undisturbed run. With `lenient`, it
 * may leave fewer. `undo` and `settle` are not used. */
void sweep_fresh(const struct sweep *sweep);

#endif
