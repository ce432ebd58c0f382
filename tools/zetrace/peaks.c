/* Loops that do nothing but fused operations, or nothing but loads and stores, on one thread for
 * each processor. The best of several repetitions counts, because other programs disturb. The loops
 * are compiled for several levels of x86-64 (the build permits fused operations in this file). */
#include "peaks.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REPETITIONS = 7, CHAINS = 10, THREADS_MAX = 1024 };

#define STEP_NS      UINT64_C(20000000) /* of one repetition */
#define FIRST_BYTES  ((size_t)24 << 10) /* of the three arrays of a thread */
#define SECOND_BYTES ((size_t)384 << 10)
#define MEMORY_BYTES ((size_t)768 << 20) /* of all threads together */

/* Runs `rounds` times `CHAINS` fused operations on vectors. The result keeps them from being
 * removed. */
typedef double fuse_fn(uint64_t rounds);
/* Computes a[i] = b[i] + s * c[i] for arrays of `count` floats, `rounds` times. */
typedef void triad_fn(float *a, const float *b, const float *c, size_t count, uint64_t rounds);

#define FUSE(name, type, vector_bytes, attribute)                                                  \
    attribute static double name(uint64_t rounds)                                                  \
    {                                                                                              \
        typedef type vector __attribute__((vector_size(vector_bytes)));                            \
        vector sums[CHAINS], factor, term;                                                         \
        for (unsigned i = 0; i < sizeof(vector) / sizeof(type); i++) {                             \
            factor[i] = (type)0.999;                                                               \
            term[i] = (type)0.001;                                                                 \
        }                                                                                          \
        for (unsigned c = 0; c < CHAINS; c++) {                                                    \
            sums[c] = term * (type)c;                                                              \
        }                                                                                          \
        for (uint64_t round = 0; round < rounds; round++) {                                        \
            for (unsigned c = 0; c < CHAINS; c++) {                                                \
                sums[c] = sums[c] * factor + term;                                                 \
            }                                                                                      \
        }                                                                                          \
        double all = 0;                                                                            \
        for (unsigned c = 0; c < CHAINS; c++) {                                                    \
            for (unsigned i = 0; i < sizeof(vector) / sizeof(type); i++) {                         \
                all += (double)sums[c][i];                                                         \
            }                                                                                      \
        }                                                                                          \
        return all;                                                                                \
    }

#define TRIAD(name, vector_bytes, attribute)                                                       \
    attribute static void name(float *a, const float *b, const float *c, size_t count,             \
                               uint64_t rounds)                                                    \
    {                                                                                              \
        typedef float vector __attribute__((vector_size(vector_bytes)));                           \
        const size_t vectors = count * sizeof(float) / sizeof(vector);                             \
        vector *to = (vector *)(void *)a;                                                          \
        const vector *from = (const vector *)(const void *)b;                                      \
        const vector *more = (const vector *)(const void *)c;                                      \
        for (uint64_t round = 0; round < rounds; round++) {                                        \
            for (size_t i = 0; i < vectors; i++) {                                                 \
                to[i] = from[i] + more[i] * 1.5f;                                                  \
            }                                                                                      \
            __asm__ volatile("" : : "r"(a) : "memory");                                            \
        }                                                                                          \
    }

#define LEVEL(level, vector_bytes, attribute)                                                      \
    FUSE(fuse_single_##level, float, vector_bytes, attribute)                                      \
    FUSE(fuse_double_##level, double, vector_bytes, attribute)                                     \
    TRIAD(triad_##level, vector_bytes, attribute)

LEVEL(plain, 16, )
#if defined(__x86_64__)
LEVEL(v3, 32, __attribute__((target("avx2,fma"))))
LEVEL(v4, 64, __attribute__((target("avx512f"))))
#endif

/* The loops for this processor. */
struct loops {
    fuse_fn *single, *twice;
    triad_fn *triad;
    unsigned vector_bytes;
};

static struct loops loops_choose(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return (struct loops){fuse_single_v4, fuse_double_v4, triad_v4, 64};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return (struct loops){fuse_single_v3, fuse_double_v3, triad_v3, 32};
    }
#endif
    return (struct loops){fuse_single_plain, fuse_double_plain, triad_plain, 16};
}

/* --- threads --- */

enum kind { SINGLE, DOUBLE, TRIAD_BYTES };

struct job {
    struct loops loops;
    enum kind kind;
    size_t bytes; /* of the arrays of a thread */
    pthread_barrier_t *start;
    double best[REPETITIONS]; /* units per second of this thread */
    bool failed;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns how many units one round has: operations on floats, or bytes. */
static double round_units(const struct job *job)
{
    const unsigned size = job->kind == DOUBLE ? sizeof(double) : sizeof(float);
    const unsigned elements = job->loops.vector_bytes / size;
    return job->kind == TRIAD_BYTES ? (double)job->bytes : 2.0 * CHAINS * (double)elements;
}

static void rounds_run(const struct job *job, float *memory, uint64_t rounds)
{
    static _Thread_local volatile double sink;
    const size_t count = job->bytes / 3 / sizeof(float);
    switch (job->kind) {
    case SINGLE:
        sink = job->loops.single(rounds);
        break;
    case DOUBLE:
        sink = job->loops.twice(rounds);
        break;
    case TRIAD_BYTES:
        job->loops.triad(memory, memory + count, memory + 2 * count, count, rounds);
        break;
    }
    (void)sink;
}

static void *job_main(void *argument)
{
    struct job *job = argument;
    float *memory = NULL;
    uint64_t rounds = 1, spent = 0;
    if (job->bytes && posix_memalign((void **)&memory, 4096, job->bytes) != 0) {
        job->failed = true;
        memory = NULL;
    } else if (job->bytes) {
        memset(memory, 0, job->bytes);
    }
    while (!job->failed && spent < STEP_NS / 2 && rounds < UINT64_C(1) << 40) {
        const uint64_t begin = now_ns();
        rounds_run(job, memory, rounds);
        spent = now_ns() - begin;
        rounds *= spent < STEP_NS / 2 ? 2 : 1;
    }
    for (unsigned i = 0; i < REPETITIONS; i++) {
        pthread_barrier_wait(job->start);
        const uint64_t begin = now_ns();
        if (!job->failed) {
            rounds_run(job, memory, rounds);
        }
        const uint64_t ns = now_ns() - begin;
        job->best[i] = round_units(job) * (double)rounds * 1e9 / (double)(ns ? ns : 1);
    }
    free(memory);
    return NULL;
}

/* Runs a job on all threads. Returns the units per second of all together, or 0. */
static double job_run(const struct job *model, unsigned threads)
{
    struct job *jobs = calloc(threads, sizeof(*jobs));
    pthread_t *handles = calloc(threads, sizeof(*handles));
    pthread_barrier_t start;
    unsigned started = 0;
    double most = 0;
    pthread_barrier_init(&start, NULL, threads);
    while (jobs && handles && started < threads) {
        jobs[started] = *model;
        jobs[started].start = &start;
        if (pthread_create(&handles[started], NULL, job_main, &jobs[started]) != 0) {
            break;
        }
        started++;
    }
    if (started < threads) { /* the others wait for ever: zetrace ends anyway */
        return 0;
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(handles[i], NULL);
    }
    for (unsigned k = 0; k < REPETITIONS; k++) {
        double sum = 0;
        for (unsigned i = 0; i < threads; i++) {
            sum += jobs[i].failed ? 0 : jobs[i].best[k];
        }
        most = sum > most ? sum : most;
    }
    pthread_barrier_destroy(&start);
    free(jobs);
    free(handles);
    return most;
}

bool peaks_measure(struct peaks *peaks)
{
    cpu_set_t allowed;
    const int count =
        sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    const unsigned threads = count > 0 && count < THREADS_MAX ? (unsigned)count : 1;
    const struct loops loops = loops_choose();
    const struct job single = {.loops = loops, .kind = SINGLE};
    const struct job twice = {.loops = loops, .kind = DOUBLE};
    const struct job first = {.loops = loops, .kind = TRIAD_BYTES, .bytes = FIRST_BYTES};
    const struct job second = {.loops = loops, .kind = TRIAD_BYTES, .bytes = SECOND_BYTES};
    const struct job memory = {
        .loops = loops, .kind = TRIAD_BYTES, .bytes = MEMORY_BYTES / threads / 12288 * 12288};
    *peaks = (struct peaks){.threads = threads,
                            .single_flops = job_run(&single, threads),
                            .double_flops = job_run(&twice, threads),
                            .first_bytes = job_run(&first, threads),
                            .second_bytes = job_run(&second, threads),
                            .memory_bytes = job_run(&memory, threads)};
    return peaks->single_flops > 0 && peaks->double_flops > 0 && peaks->first_bytes > 0 &&
           peaks->second_bytes > 0 && peaks->memory_bytes > 0;
}
