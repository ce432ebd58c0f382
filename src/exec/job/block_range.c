/* Steals blocks from ranges. See block_range.h. */
#include "exec/job/block_range.h"

uint32_t geo_block_range_steal(struct geo_block_range *range, uint32_t *begin)
{
    uint64_t word = atomic_load_explicit(&range->blocks, memory_order_relaxed);
    for (;;) {
        uint32_t from = (uint32_t)(word >> 32), to = (uint32_t)word;
        if (from >= to) {
            return 0;
        }
        bool taken = atomic_load_explicit(&range->taken, memory_order_relaxed);
        uint32_t middle = taken ? from + (to - from) / 2 : from;
        if (atomic_compare_exchange_weak_explicit(&range->blocks, &word,
                                                  geo_block_range_pack(from, middle),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
            *begin = middle;
            return to - middle;
        }
    }
}
