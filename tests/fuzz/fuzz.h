/* What a target of hostile input is. Each stands in a fuzz_<name>.c and is linked twice: with
 * libFuzzer (libfuzzer.c, preset fuzz), which looks for inputs that reach new code, and with a loop
 * of our own (loop.c), which makes very many from seeds, in many processes, and goes on after a
 * death.
 *
 * Input number n of a run follows from the run's seed and n alone. */
#ifndef GEO_TESTS_FUZZ_FUZZ_H
#define GEO_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_ENDS_MAX 12u

struct fuzz_random {
    uint64_t state;
};

enum fuzz_fault {
    FUZZ_DEATH, /* a process ended, even if another one contained it */
    FUZZ_WRONG, /* it broke a promise: no reason for a refusal, malformed code */
    FUZZ_OVER,  /* more time or memory than it may take */
    FUZZ_FAULTS,
};

struct fuzz_target {
    const char *name;
    const char *ends[FUZZ_ENDS_MAX + 1]; /* where an input may end; NULL behind the last */
    uint64_t block;     /* inputs that one process runs, those of one multiple of this */
    size_t max_bytes;   /* of an input */
    size_t stack_bytes; /* of the thread that runs them; 0: as usual */
    bool quiet;         /* what it says on standard error is thrown away */
    /* Once in a process, before inputs from `number` on are run; NULL: nothing to do. */
    bool (*open)(uint64_t number);
    /* Makes seeds, once, before any process is started; NULL: nothing to do. */
    bool (*prepare)(void);
    /* A file that may serve as a seed, or several; false: no memory for it. NULL: none are read. */
    bool (*take)(const uint8_t *bytes, size_t size);
    /* Something to change: the size, 0 when there is none. */
    size_t (*seed)(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes);
    /* Changes it as its format wants; NULL: bytes are just bytes. */
    size_t (*mutate)(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes);
    /* Which of `ends` it came to. */
    unsigned (*run)(const uint8_t *bytes, size_t size);
};

extern const struct fuzz_target fuzz_target;

/* A target calls this while it runs an input. The loop notes it and goes on, libFuzzer stops. */
void fuzz_found(enum fuzz_fault fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Seeds from files (pool.c): the loop reads what --seeds names and hands it to `take`. */
bool fuzz_pool_add(const uint8_t *bytes, size_t size);
size_t fuzz_pool_pick(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes);

/* One to a few changes of bytes, whatever they mean (bytes.c). */
size_t fuzz_mutate_bytes(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes);

/* ---- chance ---- */

static inline uint64_t fuzz_next(struct fuzz_random *random)
{
    uint64_t x = random->state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static inline uint32_t fuzz_below(struct fuzz_random *random, uint32_t bound)
{
    return (uint32_t)((fuzz_next(random) >> 32) * bound >> 32);
}

static inline bool fuzz_one_in(struct fuzz_random *random, uint32_t bound)
{
    return fuzz_below(random, bound) == 0;
}

/* A number at the edge of what fields of it hold. */
uint32_t fuzz_edge(struct fuzz_random *random);

#endif
