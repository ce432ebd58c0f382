/* Measures copies of all sizes: as commands of an immediate list, by memcpy and by non-temporal
 * stores. The latter two run on THREADS threads or on one, whichever is faster. Prints "copy BYTES
 * GIGABYTES_PER_SECOND MEMCPY NON_TEMPORAL", each the best of several rounds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "common.h"
#include "table.h"

enum { ROUNDS = 7, THREADS_MAX = 1024, COPIES_MAX = 4096 };
#define SIZE_LEAST   ((size_t)64)
#define SIZE_LARGEST ((size_t)1 << 30)
#define SIZE_STEP    8
#define ROUND_SIZE   ((size_t)32 << 20) /* bytes to copy between two readings of the clock */

typedef void (*copy_fn)(uint8_t *to, const uint8_t *from, size_t bytes);

/* ---- the peers ---- */

static void copy_plain(uint8_t *to, const uint8_t *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

/* Copies with non-temporal stores. Both pointers and `bytes` are multiples of 64. */
static void copy_non_temporal(uint8_t *to, const uint8_t *from, size_t bytes)
{
#ifdef __SSE2__
    for (size_t at = 0; at < bytes; at += 64) {
        const __m128i *source = (const __m128i *)(const void *)(from + at);
        __m128i *target = (__m128i *)(void *)(to + at);
        __m128i a = _mm_load_si128(source), b = _mm_load_si128(source + 1),
                c = _mm_load_si128(source + 2), d = _mm_load_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

/* Threads that wait for copies, so that their start is not measured. */
static struct {
    copy_fn copy;
    uint8_t *to;
    const uint8_t *from;
    size_t bytes;
    int threads;
    atomic_int turn, done;
    atomic_bool over;
} peers;

static void copy_part(int index)
{
    size_t part = (peers.bytes / (size_t)peers.threads + 63) & ~(size_t)63;
    size_t begin = part * (size_t)index;
    if (begin < peers.bytes) {
        size_t left = peers.bytes - begin;
        peers.copy(peers.to + begin, peers.from + begin, part < left ? part : left);
    }
}

static void *peer(void *index)
{
    for (int turn = 0;;) {
        while (atomic_load(&peers.turn) == turn) {
            if (atomic_load(&peers.over)) {
                return NULL;
            }
        }
        turn++;
        copy_part((int)(intptr_t)index);
        atomic_fetch_add(&peers.done, 1);
    }
}

static void copy_together(void)
{
    atomic_store(&peers.done, 0);
    atomic_fetch_add(&peers.turn, 1);
    copy_part(0);
    while (atomic_load(&peers.done) < peers.threads - 1) {
    }
}

/* ---- the clock ---- */

struct copies {
    struct example ze;
    uint8_t *to, *from; /* SIZE_LARGEST each */
};

static void commands(struct copies *copies, size_t bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK(&copies->ze, zeCommandListAppendMemoryCopy(copies->ze.list, copies->to, copies->from,
                                                         bytes, NULL, 0, NULL));
    }
    CHECK(&copies->ze, zeCommandListHostSynchronize(copies->ze.list, UINT64_MAX));
}

static void plain(struct copies *copies, size_t bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        peers.copy(copies->to, copies->from, bytes);
        __asm__ volatile("" ::: "memory");
    }
}

static void plain_together(struct copies *copies, size_t bytes, size_t count)
{
    (void)copies; /* the threads find all parameters in `peers` */
    (void)bytes;
    for (size_t i = 0; i < count; i++) {
        copy_together();
    }
}

/* Returns gigabytes per second. */
static double measure(struct copies *copies, size_t bytes,
                      void (*run)(struct copies *copies, size_t bytes, size_t count))
{
    double best = 0;
    size_t count = ROUND_SIZE / bytes;
    count = count < 1 ? 1 : count > COPIES_MAX ? COPIES_MAX : count;
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_now_ms();
        run(copies, bytes, count);
        double speed = (double)(bytes * count) / ((bench_now_ms() - start) * 1e6);
        best = speed > best ? speed : best;
    }
    return best;
}

static double threads_measure(struct copies *copies, size_t bytes)
{
    pthread_t threads[THREADS_MAX];
    peers.to = copies->to;
    peers.from = copies->from;
    peers.bytes = bytes;
    atomic_store(&peers.turn, 0);
    atomic_store(&peers.over, false);
    for (intptr_t i = 1; i < peers.threads; i++) {
        if (pthread_create(&threads[i], NULL, peer, (void *)i) != 0) {
            fprintf(stderr, "bench_copies: no thread %d\n", (int)i);
            exit(1);
        }
    }
    copy_together(); /* returns when all threads have started */
    double speed = measure(copies, bytes, plain_together);
    atomic_store(&peers.over, true);
    for (int i = 1; i < peers.threads; i++) {
        pthread_join(threads[i], NULL);
    }
    return speed;
}

static double peers_best(struct copies *copies, size_t bytes, copy_fn copy)
{
    peers.copy = copy;
    double alone = measure(copies, bytes, plain);
    double together = peers.threads > 1 ? threads_measure(copies, bytes) : 0;
    return alone > together ? alone : together;
}

int main(int argc, char **argv)
{
    struct copies copies = {.to = NULL};
    peers.threads = argc == 2 ? atoi(argv[1]) : 0;
    if (peers.threads < 1 || peers.threads > THREADS_MAX) {
        fprintf(stderr, "usage: bench_copies THREADS\n");
        return 2;
    }
    example_open(&copies.ze, "bench");
    copies.to = example_alloc(&copies.ze, SIZE_LARGEST);
    copies.from = example_alloc(&copies.ze, SIZE_LARGEST);
    memset(copies.to, 1, SIZE_LARGEST);
    memset(copies.from, 2, SIZE_LARGEST);
    for (size_t bytes = SIZE_LEAST; bytes <= SIZE_LARGEST; bytes *= SIZE_STEP) {
        double ours = measure(&copies, bytes, commands);
        printf("copy %zu %.3f %.3f %.3f\n", bytes, ours, peers_best(&copies, bytes, copy_plain),
               peers_best(&copies, bytes, copy_non_temporal));
    }
    example_free(&copies.ze, copies.from);
    example_free(&copies.ze, copies.to);
    example_close(&copies.ze);
    return 0;
}
