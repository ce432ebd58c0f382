/* Allocations that fail on command, and the count of blocks that live: malloc and its kin of a test
 * program. Counted per thread: what workers do beside the test is their own affair. Allocations are
 * numbered from 1. */
#ifndef TESTS_HARNESS_ALLOCATIONS_H
#define TESTS_HARNESS_ALLOCATIONS_H

#include <stdbool.h>

#define ALLOCATIONS_NEVER 0

/* From now on the at-th allocation of this thread fails, alone or with all after it. */
void allocations_fail(long at, bool for_good);

/* Ends the failing; whether an allocation has failed since allocations_fail. */
bool allocations_end(void);

/* How many allocations this thread has tried since allocations_fail. */
long allocations_count(void);

/* While paused, allocations of this thread neither fail nor are they counted. */
void allocations_pause(bool paused);

/* Blocks that this thread allocated, less those that it freed. */
long allocations_living(void);

#endif
