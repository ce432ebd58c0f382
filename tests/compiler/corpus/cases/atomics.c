/* Atomics. Counters start as given; tickets mark slots, which must each be marked once. */
#include <string.h>

#include "../corpus.h"
#include "../data.h"
#include "shapes.h"

#define ZEROS(type, n) INOUT_ALL(type, GEN_ZERO, n)

/* taken[]: one for every ticket given out, zero beyond. For kernels whose outputs are a counter and
 * the slots. */
static void expect_tickets(struct corpus_run *run)
{
    uint32_t *taken = (uint32_t *)(void *)run->memory[1];
    *(uint32_t *)(void *)run->memory[0] = (uint32_t)run->items;
    for (size_t i = 0; i < run->items; i++) {
        taken[i] = 1;
    }
}

static void expect_tickets_divergent(struct corpus_run *run)
{
    const uint32_t *in = (const uint32_t *)(const void *)run->memory[0];
    uint32_t *counter = (uint32_t *)(void *)run->memory[1],
             *taken = (uint32_t *)(void *)run->memory[2], count = 0;
    for (size_t i = 0; i < run->items; i++) {
        count += in[i] % 3 != 0;
    }
    *counter = 2 * count;
    for (size_t i = 0; i < count; i++) {
        taken[i] = 1;
    }
}

static void expect_add(struct corpus_run *run)
{
    const uint32_t *in = (const uint32_t *)(const void *)run->memory[0];
    uint32_t *out = (uint32_t *)(void *)run->memory[1];
    for (size_t i = 0; i < run->items; i++) {
        out[in[i] & 7] += in[i];
    }
}

static void expect_product(struct corpus_run *run)
{
    const uint32_t *in = (const uint32_t *)(const void *)run->memory[0];
    uint32_t *out = (uint32_t *)(void *)run->memory[1];
    size_t slots = run->elements[1];
    for (size_t i = 0; i < run->items; i++) {
        out[i % slots] *= in[i] | 1;
    }
}

/* enough items for workers to keep pending additions from call to call, or not quite */
static const struct corpus_shape many[] = {SHAPE1(75, 100), SHAPE1(41, 99), SHAPE_END};

static const struct corpus_case atomics[] = {
    {.kernel = "global_add",
     .args = {IN(I32, GEN_RANDOM), INOUT_ALL(I32, GEN_RANDOM, 8)},
     .shapes = corpus_flat,
     .expect = expect_add},
    {.kernel = "global_sub",
     .args = {IN(U32, GEN_RANDOM), INOUT_ALL(U32, GEN_RANDOM, 8)},
     .shapes = corpus_flat},
    {.kernel = "global_inc_dec",
     .args = {IN(I32, GEN_RANDOM), INOUT_ALL(I32, GEN_RANDOM, 2)},
     .shapes = corpus_flat},
    {.kernel = "global_min_max_signed",
     .args = {IN(I32, GEN_RANDOM), ZEROS(I32, 8)},
     .shapes = corpus_short},
    {.kernel = "global_min_max_unsigned",
     .args = {IN(U32, GEN_RANDOM), INOUT_ALL(U32, GEN_RANDOM, 8)},
     .shapes = corpus_short},
    {.kernel = "global_bits",
     .args = {IN(U32, GEN_RANDOM), INOUT_ALL(U32, GEN_RANDOM, 3)},
     .shapes = corpus_short},
    {.kernel = "global_same_address",
     .args = {INOUT_ALL(I32, GEN_SMALL, 3)},
     .shapes = corpus_flat},
    {.kernel = "global_ticket",
     .args = {ZEROS(U32, 1), INOUT(U32, GEN_ZERO)},
     .shapes = corpus_flat,
     .expect = expect_tickets},
    {.kernel = "global_ticket_divergent",
     .args = {IN(U32, GEN_RANDOM), ZEROS(U32, 1), INOUT(U32, GEN_ZERO)},
     .shapes = corpus_flat,
     .expect = expect_tickets_divergent},
    {.kernel = "global_exchange",
     .args = {INOUT(U32, GEN_RANDOM), OUT(U32)},
     .shapes = corpus_flat},
    {.kernel = "global_exchange_float",
     .args = {INOUT(F32, GEN_RANDOM), OUT(F32)},
     .shapes = corpus_flat},
    {.kernel = "global_cmpxchg",
     .args = {IN(U32, GEN_RANDOM), ZEROS(U32, 16), ZEROS(U32, 16)},
     .shapes = corpus_flat},
    {.kernel = "global_cmpxchg_loop",
     .args = {IN(U32, GEN_RANDOM), INOUT_ALL(U32, GEN_POSITIVE, 3)},
     .shapes = corpus_flat,
     .expect = expect_product},
    {.kernel = "global_add_float_loop",
     .args = {IN(U32, GEN_RANDOM), ZEROS(F32, 5)},
     .shapes = corpus_short},
    {.kernel = "global_histogram",
     .args = {IN(U8, GEN_RANDOM), ZEROS(U32, 256)},
     .shapes = corpus_flat},
    {.kernel = "global_sums",
     .args = {IN(U32, GEN_RANDOM), INOUT_ALL(U32, GEN_RANDOM, 5000)},
     .shapes = many},
    {.kernel = "global_loop", .args = {IN(U32, GEN_RANDOM), ZEROS(U32, 9)}, .shapes = corpus_short},
    {.kernel = "global64_add", .args = {IN(I64, GEN_RANDOM), ZEROS(I64, 5)}, .shapes = corpus_flat},
    {.kernel = "global64_inc_ticket",
     .args = {ZEROS(U64, 1), INOUT(U32, GEN_ZERO)},
     .shapes = corpus_short,
     .expect = expect_tickets},
    {.kernel = "global64_min_max",
     .args = {IN(I64, GEN_RANDOM), ZEROS(I64, 2)},
     .shapes = corpus_short},
    {.kernel = "global64_bits",
     .args = {IN(U64, GEN_RANDOM), INOUT_ALL(U64, GEN_RANDOM, 3)},
     .shapes = corpus_short},
    {.kernel = "global64_cmpxchg",
     .args = {IN(U32, GEN_RANDOM), ZEROS(U64, 8), ZEROS(U32, 7)},
     .shapes = corpus_short},
    {.kernel = "local_add", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_groups},
    {.kernel = "local_ticket", .args = {OUT(U32)}, .shapes = corpus_groups},
    {.kernel = "local_min_max",
     .args = {IN(I32, GEN_RANDOM), OUT_N(I32, 3)},
     .shapes = corpus_groups},
    {.kernel = "local_cmpxchg", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_groups},
    {.kernel = "local64_add", .args = {IN(U64, GEN_RANDOM), OUT(U64)}, .shapes = corpus_groups},
    {.kernel = "local_ranks", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_groups},
    {.kernel = "local_ticket_divergent",
     .args = {IN(U32, GEN_RANDOM), OUT(U32)},
     .shapes = corpus_groups},
    {.kernel = "local_records", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_groups},
    {.kernel = "local_own_place", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_groups},
    {.kernel = "global_own_place",
     .args = {INOUT(U32, GEN_RANDOM), IN(U32, GEN_RANDOM), OUT(U32)},
     .shapes = corpus_flat},
    {.kernel = "local_loop_divergent",
     .args = {IN(U32, GEN_RANDOM), OUT(U32)},
     .shapes = corpus_groups},
};

static const struct corpus_case c11[] = {
    {.kernel = "fetch_add",
     .args = {IN(I32, GEN_RANDOM), INOUT_ALL(I32, GEN_RANDOM, 8)},
     .shapes = corpus_flat,
     .expect = expect_add},
    {.kernel = "fetch_each",
     .args = {IN(U32, GEN_RANDOM), INOUT_ALL(U32, GEN_RANDOM, 6)},
     .shapes = corpus_short},
    {.kernel = "load_store", .args = {INOUT(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_short},
    {.kernel = "compare_exchange_strong",
     .args = {IN(U32, GEN_RANDOM), INOUT_ALL(U32, GEN_POSITIVE, 1)},
     .shapes = corpus_short,
     .expect = expect_product},
    {.kernel = "compare_exchange_weak",
     .args = {IN(U32, GEN_RANDOM), ZEROS(U32, 1)},
     .shapes = corpus_short},
    {.kernel = "exchange", .args = {INOUT(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_short},
    {.kernel = "local_fetch", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_groups},
    {.kernel = "fences", .args = {OUT(I32), OUT(I32)}, .shapes = corpus_short},
};

TOPIC_FILES(atomics, CORPUS_FILE("atomics", atomics), CORPUS_FILE("atomics_c11", c11));
