/* Calls that fail on command in the whole process, whichever thread makes them: allocations,
 * mappings, threads, memory files, files. And the blocks that our own code has not given back.
 *
 *     failing_begin(&(struct failing){.call = FAILING_MAPPING, .at = 3});    the third one fails
 *     ...
 *     failed = failing_end();
 *
 * Who links geoid_test_sweep has failing allocations, who links geoid_test_calls all of it. With a
 * sanitizer these functions are the sanitizer's: nothing fails, nothing is counted, except the
 * allocations of what is linked into the program. Each point of an operation in turn, in a process
 * of its own: failing_sweep.h. */
#ifndef TESTS_HARNESS_FAILING_H
#define TESTS_HARNESS_FAILING_H

#include <stdbool.h>
#include <stddef.h>

enum failing_call {
    FAILING_ALLOCATION, /* malloc and its kin: ENOMEM */
    FAILING_MAPPING,    /* mmap: ENOMEM */
    FAILING_THREAD,     /* pthread_create: EAGAIN */
    FAILING_MEMFD,      /* memfd_create: EMFILE */
    FAILING_OPEN,       /* open, openat, fopen: EMFILE */
    FAILING_CALLS,
};

struct failing {
    enum failing_call call;
    long at;                            /* fails, counted from 1; 0: none, they are only counted */
    bool for_good;                      /* and all after it */
    bool ours;                          /* only calls out of our own code count (ours.h) */
    void (*tell)(const char *function); /* is told whose call fails, at the first one; or NULL */
};

void failing_begin(const struct failing *failing);
/* Ends the failing; whether a call has failed since failing_begin. */
bool failing_end(void);
/* Calls of that kind since failing_begin. */
long failing_count(void);

/* From now on the blocks that our own code allocates are known until they are freed. */
void failing_watch_blocks(void);
/* How many of them live; with a buffer also which functions allocated the first few. */
long failing_living(char *names, size_t bytes);

/* For what stands in front of the functions: whether this call fails, what it allocated, what is
 * freed. */
bool failing_now(enum failing_call call, const void *caller);
void failing_block_made(void *block, const void *caller);
void failing_block_gone(void *block);

#endif
