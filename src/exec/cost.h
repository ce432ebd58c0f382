/* What a unit of work costs, as learnt from what it cost before, and what follows from it: whether
 * sharing pays, and how much a participant takes at once. Measuring is the caller's. */
#ifndef GEO_EXEC_COST_H
#define GEO_EXEC_COST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GEO_COST_SPIN_NS  3000u  /* what a hand-over to a spinning worker has to save */
#define GEO_COST_WAKE_NS  25000u /* and one to a sleeping worker */
#define GEO_COST_CHUNK_NS 50000u /* how long a participant goes between two looks around */
#define GEO_COST_MAX_PS   4000000000u

/* Mixes a measurement in: picoseconds per unit, 0 unknown. Up at once by half, down slowly: what is
 * thought cheap and is not makes others wait. */
static inline void geo_cost_learn(_Atomic uint32_t *cost_ps, uint64_t ns, uint64_t units)
{
    double now = (double)ns * 1000.0 / (double)units;
    uint32_t old = atomic_load_explicit(cost_ps, memory_order_relaxed);
    double mixed = old == 0 ? now : now > old ? (now + old) / 2 : (old * 7.0 + now) / 8;
    uint32_t cost = mixed < 1 ? 1 : mixed > GEO_COST_MAX_PS ? GEO_COST_MAX_PS : (uint32_t)mixed;
    if (cost != old) {
        atomic_store_explicit(cost_ps, cost, memory_order_relaxed);
    }
}

/* Of one unit; 0 unknown. */
static inline double geo_cost_ns(const _Atomic uint32_t *cost_ps)
{
    return atomic_load_explicit(cost_ps, memory_order_relaxed) / 1000.0;
}

/* Whether what is left is worth a hand-over; spinning: somebody looks for work already. */
static inline bool geo_cost_shares(double left_ns, bool spinning)
{
    return left_ns > (double)(spinning ? GEO_COST_SPIN_NS : GEO_COST_WAKE_NS);
}

/* How many blocks of a range of `length` a participant takes at once. */
static inline uint32_t geo_cost_chunk(double block_ns, uint32_t length)
{
    uint32_t most = length / 4 ? length / 4 : 1;
    double chunk = block_ns > 0 ? GEO_COST_CHUNK_NS / block_ns : 1;
    return chunk < 1 ? 1 : chunk > most ? most : (uint32_t)chunk;
}

#endif
