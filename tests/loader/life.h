/* What tests of a process' life share. Their programs are not linked with the loader: they open it,
 * as bindings of other languages do. */
#ifndef TESTS_LOADER_LIFE_H
#define TESTS_LOADER_LIFE_H

#include "late.h"

#include <pthread.h>

/* Variables of each set of drivers that every scenario runs with. */
enum { LIFE_SETS = 6 };
extern const char *const life_sets[LIFE_SETS];

extern struct late_calls calls;

/* Opens the loader and finds its functions; the caller closes it. */
void *loader_open(int flags);

/* Initialises everything and makes a context. */
void begin(void);

/* Says how calls are answered now. */
void state_tell(const char *when);

unsigned files_open(void);

/* Threads that call until life_enough; they have begun when it returns. */
void busy_start(pthread_t threads[3]);
void life_enough(void);

#endif
