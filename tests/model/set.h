/* Sets of nodes: one bit each. */
#ifndef TESTS_MODEL_SET_H
#define TESTS_MODEL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODES_MAX 512
#define SET_WORDS (NODES_MAX / 64)

struct set {
    uint64_t words[SET_WORDS];
};

static inline bool set_has(const struct set *set, int node)
{
    return (set->words[node / 64] >> (node % 64) & 1) != 0;
}

static inline void set_add(struct set *set, int node)
{
    set->words[node / 64] |= UINT64_C(1) << (node % 64);
}

static inline void set_unite(struct set *set, const struct set *with)
{
    for (size_t i = 0; i < SET_WORDS; i++) {
        set->words[i] |= with->words[i];
    }
}

static inline void set_intersect(struct set *set, const struct set *with)
{
    for (size_t i = 0; i < SET_WORDS; i++) {
        set->words[i] &= with->words[i];
    }
}

static inline bool set_empty(const struct set *set)
{
    uint64_t all = 0;
    for (size_t i = 0; i < SET_WORDS; i++) {
        all |= set->words[i];
    }
    return all == 0;
}

static inline bool set_meets(const struct set *a, const struct set *b)
{
    uint64_t all = 0;
    for (size_t i = 0; i < SET_WORDS; i++) {
        all |= a->words[i] & b->words[i];
    }
    return all != 0;
}

/* Whether everything of `a` is in `b`. */
static inline bool set_within(const struct set *a, const struct set *b)
{
    uint64_t all = 0;
    for (size_t i = 0; i < SET_WORDS; i++) {
        all |= a->words[i] & ~b->words[i];
    }
    return all == 0;
}

static inline int set_count(const struct set *set)
{
    int count = 0;
    for (size_t i = 0; i < SET_WORDS; i++) {
        count += __builtin_popcountll(set->words[i]);
    }
    return count;
}

/* The first node of the set from `node` on, or -1. */
static inline int set_next(const struct set *set, int node)
{
    for (; node < NODES_MAX; node = (node | 63) + 1) {
        uint64_t rest = set->words[node / 64] >> (node % 64);
        if (rest) {
            return node + __builtin_ctzll(rest);
        }
    }
    return -1;
}

#define SET_EACH(set, node)                                                                        \
    for (int node = set_next((set), 0); node >= 0;                                                 \
         node = node + 1 < NODES_MAX ? set_next((set), node + 1) : -1)

#endif
