/* Allocation sweeps: an operation runs with its first, second, third ... allocation failing, until
 * it gets by without that one; then again with all allocations from there on failing. Each time
 * - it does not crash, and answers out of host or device memory;
 * - it leaves nothing behind: as many blocks live as before;
 * - it works at the end of the sweep, and what it made can be taken back without a trace.
 *
 * What can be done and undone in one process: sweep_run. What happens once in it: sweep_fresh. */
#ifndef TESTS_HARNESS_SWEEP_H
#define TESTS_HARNESS_SWEEP_H

#include "allocations.h"

#include <level_zero/ze_api.h>

struct sweep {
    const char *name;
    ze_result_t (*run)(void);
    void (*undo)(void);   /* takes back what a successful run made */
    void (*failed)(void); /* after a failed run: checks what must hold then */
    void (*settle)(void); /* frees what is freed late, so that living blocks can be counted */
    long (*kept)(void);   /* of sweep_fresh: how many of the living blocks do not count */
    bool lenient;         /* lack of memory may also give less instead of failing: a shorter text */
    bool recovers;        /* one failing allocation may be got over; all failing may not */
    long points;          /* tries about so many allocations, evenly spread; 0: all */
};

/* NULL functions do nothing. Fails the cmocka test that calls it. */
void sweep_run(const struct sweep *sweep);

/* Every attempt in a process of its own, which is as this one is when sweep_fresh is called. There
 * `run` is repeated with memory back: it succeeds, and as many blocks live then as after an
 * undisturbed run, or less where less may be the result. `undo` and `settle` are not used. */
void sweep_fresh(const struct sweep *sweep);

#endif
