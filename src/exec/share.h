/* How blocks of a job are shared: a range for each participant, which takes from the front of its
 * own and, when that is empty, steals half of the largest other one from the back. Blocks taken at
 * once get fewer towards the end of a range, so that participants end together; what a participant
 * does sooner itself than another comes for it is left to it.
 *
 * Ranges are numbered as the workers of the cores are, and a worker has the range of its own
 * number where it can: launched again, a kernel finds in a core's caches what it left there. */
#ifndef GEO_EXEC_SHARE_H
#define GEO_EXEC_SHARE_H

#include "exec/range.h"

#define GEO_SHARE_RANGES 256u

struct geo_share {
    uint32_t count; /* ranges */
    struct geo_range ranges[GEO_SHARE_RANGES];
};

/* Deals all blocks to `count` ranges of nobody; 1 <= count <= GEO_SHARE_RANGES. */
void geo_share_deal(struct geo_share *share, uint32_t blocks, uint32_t count);

/* A range for one more participant, the preferred one if nobody has it. False: there is none. */
bool geo_share_claim(struct geo_share *share, uint32_t preferred, uint32_t *mine);

/* What the blocks that the participant ran last took, each. */
static inline void geo_share_measured(struct geo_share *share, uint32_t mine, double block_ns)
{
    atomic_store_explicit(&share->ranges[mine].block_ps, (uint64_t)(block_ns * 1000) + 1,
                          memory_order_relaxed);
}

/* Whether there are blocks that nobody has taken. */
bool geo_share_left(const struct geo_share *share);

/* The participant goes; what is left of its range will be stolen. */
void geo_share_leave(struct geo_share *share, uint32_t mine);

/* The next blocks for a participant: how many, from *begin; 0 when there are none worth taking.
 * block_ns: what one costs; 0: unknown, they are taken one at a time, and all are worth it. */
uint32_t geo_share_next(struct geo_share *share, uint32_t mine, double block_ns, uint32_t *begin);

#endif
