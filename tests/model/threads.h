/* Starting threads fails on command, as allocations do (allocations.h). */
#ifndef TESTS_MODEL_THREADS_H
#define TESTS_MODEL_THREADS_H

#include <stdbool.h>

/* Of the calling thread: from now on it starts no other. */
void threads_fail(bool fail);

#endif
