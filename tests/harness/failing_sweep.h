/* An operation runs with its first, second, third ... call of a kind failing, alone and with all
 * after it, each time in a process of its own, which is as this one is. There
 * - it does not die, and comes to an end;
 * - it answers out of host or device memory, or success with everything as it should be;
 * - it works again afterwards;
 * - our code has given back what it allocated, when what it made is taken back. */
#ifndef TESTS_HARNESS_FAILING_SWEEP_H
#define TESTS_HARNESS_FAILING_SWEEP_H

#include "failing.h"

#include <level_zero/ze_api.h>

struct failing_sweep {
    const char *name;
    ze_result_t (*run)(void); /* also looks at what came of it: ERROR_UNKNOWN when that is wrong */
    void (*undo)(void);       /* after a successful run; NULL: nothing to do */
    bool (*accepts)(ze_result_t result); /* other results that may be; NULL: none */
    bool once;     /* happens once in a process: nothing is run before it, no blocks are counted */
    bool abandons; /* what fails may leave a thread standing, with its blocks */
    bool ours;     /* only calls out of our own code fail */
    long points;   /* tries about so many calls, evenly spread; 0: all */
};

/* Fails the cmocka test that calls it, after all points have been tried. How many calls there are. */
long failing_sweep(const struct failing_sweep *sweep, enum failing_call call);

/* From now on only one of every `of` points is tried, from the first but `number` on: several
 * processes with different numbers try them all. */
void failing_sweep_share(long number, long of);

/* Points that were tried, and how many of them ended wrongly. */
long failing_sweep_tried(void);
long failing_sweep_wrong(void);

#endif
