/* A range of blocks. One participant takes blocks from its front and others steal from its back.
 * Both ends are in one 64-bit word, so that taking and stealing are each one compare-and-swap. */
#ifndef GEO_EXEC_JOB_BLOCK_RANGE_H
#define GEO_EXEC_JOB_BLOCK_RANGE_H

#include "base/assert.h"
#include "exec/thread/sync.h"

/* A range of blocks; part of geo_partition. */
struct geo_block_range {
    /* begin << 32 | end, of blocks that nobody has taken */
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t blocks;
    /* time per block of the last blocks run from here, in picoseconds; 0: none was run */
    _Atomic uint64_t block_ps;
    _Atomic bool taken;      /* a participant owns the range */
    _Atomic uint32_t steals; /* how often its owner took blocks from other ranges */
};

static inline uint64_t geo_block_range_pack(uint32_t begin, uint32_t end)
{
    GEO_ASSERT(begin <= end);
    return (uint64_t)begin << 32 | end;
}

static inline uint32_t geo_block_range_length(const struct geo_block_range *range)
{
    uint64_t word = atomic_load_explicit(&range->blocks, memory_order_relaxed);
    return (uint32_t)word - (uint32_t)(word >> 32);
}

/* Takes up to `limit` blocks from the front. Returns how many, from *begin. */
static inline uint32_t geo_block_range_take(struct geo_block_range *range, uint32_t limit,
                                            uint32_t *begin)
{
    GEO_ASSERT(limit != 0);
    uint64_t word = atomic_load_explicit(&range->blocks, memory_order_relaxed);
    for (;;) {
        uint32_t from = (uint32_t)(word >> 32), to = (uint32_t)word;
        if (from >= to) {
            return 0;
        }
        uint32_t count = to - from < limit ? to - from : limit;
        if (atomic_compare_exchange_weak_explicit(&range->blocks, &word,
                                                  geo_block_range_pack(from + count, to),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
            *begin = from;
            return count;
        }
    }
}

/* Steals the back half of a range, or all of it if no participant owns it. Returns how many blocks,
 * from *begin; they are in no range until the thief stores them. */
uint32_t geo_block_range_steal(struct geo_block_range *range, uint32_t *begin);

#endif
