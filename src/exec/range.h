/* A range of blocks that one participant works on from the front and others steal from the back:
 * one 64-bit word {begin, end}, so taking and stealing are one compare-and-swap on the owner's
 * cache line. */
#ifndef GEO_EXEC_RANGE_H
#define GEO_EXEC_RANGE_H

#include "exec/sync.h"

struct geo_range {
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t blocks; /* begin << 32 | end */
    _Atomic uint64_t block_ps; /* what the last blocks from here took, each; 0: none was run */
    _Atomic bool taken;        /* a participant works on it */
};

static inline uint64_t geo_range_pack(uint32_t begin, uint32_t end)
{
    return (uint64_t)begin << 32 | end;
}

static inline uint32_t geo_range_length(const struct geo_range *range)
{
    uint64_t word = atomic_load_explicit(&range->blocks, memory_order_relaxed);
    return (uint32_t)word - (uint32_t)(word >> 32);
}

/* Takes up to `limit` blocks from the front. */
static inline uint32_t geo_range_take(struct geo_range *range, uint32_t limit, uint32_t *begin)
{
    uint64_t word = atomic_load_explicit(&range->blocks, memory_order_relaxed);
    for (;;) {
        uint32_t from = (uint32_t)(word >> 32), to = (uint32_t)word;
        if (from >= to) {
            return 0;
        }
        uint32_t count = to - from < limit ? to - from : limit;
        if (atomic_compare_exchange_weak_explicit(&range->blocks, &word,
                                                  geo_range_pack(from + count, to),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
            *begin = from;
            return count;
        }
    }
}

/* Takes the back half of a range; all of it when nobody works on it. Until the thief has put them
 * down somewhere the blocks are in no range. */
uint32_t geo_range_steal(struct geo_range *range, uint32_t *begin);

#endif
