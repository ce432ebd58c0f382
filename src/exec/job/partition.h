/* Divides the blocks of a job among its participants. Each has a range and takes blocks from its
 * front. When the range is empty, the participant steals the back half of the largest other range.
 * The number of blocks taken at once falls towards the end of a range, so that participants end
 * together. Work that its owner finishes sooner than a thief could start is not stolen.
 *
 * Ranges are numbered like the workers, and a worker takes the range of its own number if it can.
 * So the next launch of a kernel finds data of the last one in the caches of the core. */
#ifndef GEO_EXEC_JOB_PARTITION_H
#define GEO_EXEC_JOB_PARTITION_H

#include "base/assert.h"
#include "exec/job/block_range.h"

#define GEO_PARTITION_RANGES 256u

/* The ranges of a job; part of its slot. */
struct geo_partition {
    uint32_t count; /* number of ranges in use */
    struct geo_block_range ranges[GEO_PARTITION_RANGES];
};

/* Divides all blocks into `count` ranges without owners; 1 <= count <= GEO_PARTITION_RANGES. */
void geo_partition_deal(struct geo_partition *partition, uint32_t blocks, uint32_t count);

/* Gives a participant a range, preferably this one. Returns false if all ranges have owners. */
bool geo_partition_claim(struct geo_partition *partition, uint32_t preferred, uint32_t *mine);

/* Stores the time per block of the blocks that the participant ran last. */
static inline void geo_partition_measured(struct geo_partition *partition, uint32_t mine,
                                          double block_ns)
{
    GEO_ASSERT(mine < partition->count && block_ns >= 0);
    atomic_store_explicit(&partition->ranges[mine].block_ps, (uint64_t)(block_ns * 1000) + 1,
                          memory_order_relaxed);
}

/* Returns whether some blocks are not taken yet. */
bool geo_partition_left(const struct geo_partition *partition);

/* Returns how many blocks are not taken yet. Less while a thief moves some. */
uint64_t geo_partition_length(const struct geo_partition *partition);

/* Returns how often participants have stolen since the blocks were dealt. Exact once all blocks
 * were run. */
uint32_t geo_partition_steals(const struct geo_partition *partition);

/* Gives up the participant's range; others steal its remaining blocks. */
void geo_partition_leave(struct geo_partition *partition, uint32_t mine);

/* Takes the next blocks for a participant. Returns how many, from *begin; 0 if none are worth
 * taking. block_ns is the cost of a block. With 0 (unknown) blocks are taken one at a time and all
 * are worth it. */
uint32_t geo_partition_next(struct geo_partition *partition, uint32_t mine, double block_ns,
                            uint32_t *begin);

#endif
