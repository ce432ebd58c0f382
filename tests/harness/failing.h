/* Calls that fail on demand on all threads of the process: allocations, mappings, threads, memory
 * files, files. Also counts the blocks that our own code has not freed.
 *
 *     failing_begin(&(struct failing){.call = FAILING_MAPPING, .at = 3});    the third one fails
 *     ...
 *     failed = failing_end();
 *
 * Programs with geoid_test_sweep have failing allocations, programs with geoid_test_calls have all
 * calls. In builds with a sanitizer, the sanitizer owns these functions. Then only allocations of
 * code that is linked into the program fail and count. The sweeps of failing_sweep.h let each call
 * of an operation fail in turn, each time in a process of its own. */
#ifndef TESTS_HARNESS_FAILING_H
#define TESTS_HARNESS_FAILING_H

#include <stdbool.h>
#include <stddef.h>

enum failing_call {
    FAILING_ALLOCATION, /* malloc and similar functions: ENOMEM */
    FAILING_MAPPING,    /* mmap: ENOMEM */
    FAILING_THREAD,     /* pthread_create: EAGAIN */
    FAILING_MEMFD,      /* memfd_create: EMFILE */
    FAILING_OPEN,       /* open, openat, fopen: EMFILE */
    FAILING_CALLS,
};

struct failing {
    enum failing_call call;
    long at;       /* the number of the call that fails, from 1; 0: calls are only counted */
    bool for_good; /* all later calls fail, too */
    bool ours;     /* only calls by our own code count (ours.h) */
    void (*tell)(const char *function); /* gets the caller of the first call that fails; or NULL */
};

void failing_begin(const struct failing *failing);
/* Ends the failures. Returns whether a call has failed since failing_begin. */
bool failing_end(void);
/* Returns the number of calls of that kind since failing_begin. */
long failing_count(void);

/* Begins to track the blocks that our own code allocates. */
void failing_watch_blocks(void);
/* Returns how many tracked blocks live. Writes to `names`, unless it is NULL, the functions that
 * allocated the first few. */
long failing_living(char *names, size_t bytes);

/* The wrappers of the C library's functions call these: to ask whether a call fails, and to report
 * allocated and freed blocks. */
bool failing_now(enum failing_call call, const void *caller);
void failing_block_made(void *block, const void *caller);
void failing_block_gone(void *block);

#endif
