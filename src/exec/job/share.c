/* Divides and steals ranges of blocks. See share.h. */
#include "exec/job/share.h"

#include "base/assert.h"
#include "exec/job/cost.h"

void geo_share_deal(struct geo_share *share, uint32_t blocks, uint32_t count)
{
    GEO_ASSERT(count != 0 && count <= GEO_SHARE_RANGES);
    share->count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t begin = (uint32_t)((uint64_t)blocks * i / count);
        uint32_t end = (uint32_t)((uint64_t)blocks * (i + 1) / count);
        atomic_store_explicit(&share->ranges[i].blocks, geo_range_pack(begin, end),
                              memory_order_relaxed);
        atomic_store_explicit(&share->ranges[i].block_ps, 0, memory_order_relaxed);
        atomic_store_explicit(&share->ranges[i].taken, false, memory_order_relaxed);
    }
}

bool geo_share_left(const struct geo_share *share)
{
    for (uint32_t i = 0; i < share->count; i++) {
        if (geo_range_length(&share->ranges[i]) != 0) {
            return true;
        }
    }
    return false;
}

bool geo_share_claim(struct geo_share *share, uint32_t preferred, uint32_t *mine)
{
    for (uint32_t i = 0; i < share->count; i++) {
        uint32_t at = (preferred + i) % share->count;
        if (!atomic_load_explicit(&share->ranges[at].taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&share->ranges[at].taken, true, memory_order_acq_rel)) {
            *mine = at;
            return true;
        }
    }
    return false;
}

/* Returns whether this is a range that a participant owns. */
static bool share_owns(const struct geo_share *share, uint32_t mine)
{
    return mine < share->count && atomic_load(&share->ranges[mine].taken);
}

void geo_share_leave(struct geo_share *share, uint32_t mine)
{
    GEO_ASSERT(share_owns(share, mine));
    atomic_store_explicit(&share->ranges[mine].taken, false, memory_order_release);
}

/* Returns whether a range is worth stealing from, by what its owner measured last. */
static bool share_worth(const struct geo_range *range, uint32_t length)
{
    double block_ns = (double)atomic_load_explicit(&range->block_ps, memory_order_relaxed) / 1000.0;
    bool busy = atomic_load_explicit(&range->taken, memory_order_relaxed);
    return geo_cost_steals(block_ns * length, busy);
}

/* Returns the range with the most blocks among those worth stealing from; NULL: none. */
static struct geo_range *share_victim(struct geo_share *share, uint32_t mine, bool any)
{
    struct geo_range *victim = NULL;
    uint32_t most = 0;
    for (uint32_t i = 1; i < share->count; i++) {
        struct geo_range *range = &share->ranges[(mine + i) % share->count];
        uint32_t length = geo_range_length(range);
        if (length > most && (any || share_worth(range, length))) {
            most = length;
            victim = range;
        }
    }
    return victim;
}

/* Steals half of another range into ours. Returns false if nothing is worth it. */
static bool share_steal(struct geo_share *share, uint32_t mine, bool any)
{
    struct geo_range *victim;
    while ((victim = share_victim(share, mine, any))) {
        uint32_t begin, count = geo_range_steal(victim, &begin);
        if (count != 0) {
            GEO_ASSERT(geo_range_length(&share->ranges[mine]) == 0); /* only we add to it */
            atomic_store_explicit(&share->ranges[mine].blocks, geo_range_pack(begin, begin + count),
                                  memory_order_release);
            return true;
        }
    }
    return false;
}

uint32_t geo_share_next(struct geo_share *share, uint32_t mine, double block_ns, uint32_t *begin)
{
    GEO_ASSERT(share_owns(share, mine));
    struct geo_range *own = &share->ranges[mine];
    do {
        uint32_t chunk = geo_cost_chunk(block_ns, geo_range_length(own));
        uint32_t count = geo_range_take(own, chunk, begin);
        if (count != 0) {
            return count;
        }
    } while (share_steal(share, mine, block_ns <= 0));
    return 0;
}
