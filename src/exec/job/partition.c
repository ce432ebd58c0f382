/* Divides and steals ranges of blocks. See partition.h. */
#include "exec/job/partition.h"

#include "base/assert.h"
#include "exec/job/cost.h"

void geo_partition_deal(struct geo_partition *partition, uint32_t blocks, uint32_t count)
{
    GEO_ASSERT(count != 0 && count <= GEO_PARTITION_RANGES);
    partition->count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t begin = (uint32_t)((uint64_t)blocks * i / count);
        uint32_t end = (uint32_t)((uint64_t)blocks * (i + 1) / count);
        atomic_store_explicit(&partition->ranges[i].blocks, geo_block_range_pack(begin, end),
                              memory_order_relaxed);
        atomic_store_explicit(&partition->ranges[i].block_ps, 0, memory_order_relaxed);
        atomic_store_explicit(&partition->ranges[i].taken, false, memory_order_relaxed);
        atomic_store_explicit(&partition->ranges[i].steals, 0, memory_order_relaxed);
    }
}

uint32_t geo_partition_steals(const struct geo_partition *partition)
{
    uint32_t steals = 0;
    for (uint32_t i = 0; i < partition->count; i++) {
        steals += atomic_load_explicit(&partition->ranges[i].steals, memory_order_relaxed);
    }
    return steals;
}

bool geo_partition_left(const struct geo_partition *partition)
{
    for (uint32_t i = 0; i < partition->count; i++) {
        if (geo_block_range_length(&partition->ranges[i]) != 0) {
            return true;
        }
    }
    return false;
}

uint64_t geo_partition_length(const struct geo_partition *partition)
{
    uint64_t length = 0;
    for (uint32_t i = 0; i < partition->count; i++) {
        length += geo_block_range_length(&partition->ranges[i]);
    }
    return length;
}

bool geo_partition_claim(struct geo_partition *partition, uint32_t preferred, uint32_t *mine)
{
    for (uint32_t i = 0; i < partition->count; i++) {
        uint32_t at = (preferred + i) % partition->count;
        if (!atomic_load_explicit(&partition->ranges[at].taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&partition->ranges[at].taken, true, memory_order_acq_rel)) {
            *mine = at;
            return true;
        }
    }
    return false;
}

/* Returns whether this is a range that a participant owns. */
static bool partition_owns(const struct geo_partition *partition, uint32_t mine)
{
    return mine < partition->count && atomic_load(&partition->ranges[mine].taken);
}

void geo_partition_leave(struct geo_partition *partition, uint32_t mine)
{
    GEO_ASSERT(partition_owns(partition, mine));
    atomic_store_explicit(&partition->ranges[mine].taken, false, memory_order_release);
}

/* Returns whether a range is worth stealing from, by what its owner measured last. */
static bool partition_worth(const struct geo_block_range *range, uint32_t length)
{
    double block_ns = (double)atomic_load_explicit(&range->block_ps, memory_order_relaxed) / 1000.0;
    bool busy = atomic_load_explicit(&range->taken, memory_order_relaxed);
    return geo_cost_steals(block_ns * length, busy);
}

/* Returns the range with the most blocks among those worth stealing from; NULL: none. */
static struct geo_block_range *partition_victim(struct geo_partition *partition, uint32_t mine,
                                                bool any)
{
    struct geo_block_range *victim = NULL;
    uint32_t most = 0;
    for (uint32_t i = 1; i < partition->count; i++) {
        struct geo_block_range *range = &partition->ranges[(mine + i) % partition->count];
        uint32_t length = geo_block_range_length(range);
        if (length > most && (any || partition_worth(range, length))) {
            most = length;
            victim = range;
        }
    }
    return victim;
}

/* Steals half of another range into ours. Returns false if nothing is worth it. */
static bool partition_steal(struct geo_partition *partition, uint32_t mine, bool any)
{
    struct geo_block_range *victim, *own = &partition->ranges[mine];
    while ((victim = partition_victim(partition, mine, any))) {
        uint32_t begin, count = geo_block_range_steal(victim, &begin);
        if (count != 0) {
            GEO_ASSERT(geo_block_range_length(own) == 0); /* only we add to it */
            uint32_t steals = atomic_load_explicit(&own->steals, memory_order_relaxed);
            atomic_store_explicit(&own->steals, steals + 1, memory_order_relaxed);
            atomic_store_explicit(&own->blocks, geo_block_range_pack(begin, begin + count),
                                  memory_order_release);
            return true;
        }
    }
    return false;
}

uint32_t geo_partition_next(struct geo_partition *partition, uint32_t mine, double block_ns,
                            uint32_t *begin)
{
    GEO_ASSERT(partition_owns(partition, mine));
    struct geo_block_range *own = &partition->ranges[mine];
    do {
        uint32_t chunk = geo_cost_chunk(block_ns, geo_block_range_length(own));
        uint32_t count = geo_block_range_take(own, chunk, begin);
        if (count != 0) {
            return count;
        }
    } while (partition_steal(partition, mine, block_ns <= 0));
    return 0;
}
