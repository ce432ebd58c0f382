/* Allocations that fail on demand, and the number of live blocks, for malloc and similar functions
 * of a test program. Both are per thread, so that worker threads do not disturb the test.
 * Allocations are numbered from 1. */
#ifndef TESTS_HARNESS_ALLOCATIONS_H
#define TESTS_HARNESS_ALLOCATIONS_H

#include <stdbool.h>

#define ALLOCATIONS_NEVER 0

/* Makes allocation number `at` of this thread fail, counted from now; with for_good also all later
 * ones. */
void allocations_fail(long at, bool for_good);

/* Ends the failures. Returns whether an allocation has failed since allocations_fail. */
bool allocations_end(void);

/* Returns how many allocations this thread has tried since allocations_fail. */
long allocations_count(void);

/* Pauses failures and counts for this thread, or resumes them. */
void allocations_pause(bool paused);

/* Returns the number of blocks that this thread has allocated, minus those that it has freed. */
long allocations_living(void);

#endif
