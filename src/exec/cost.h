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
#define GEO_COST_LEAST_NS 2000u  /* what taking blocks has to be worth */
#define GEO_COST_CALLS    3u     /* how many workers one participant wakes at once */
#define GEO_COST_FEW      16u    /* for each worker: units that are given out unmeasured */
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

/* Whether units of unknown cost are so few that one would be too large a part of all: alone for the
 * first, the owner might lose more than waking others for nothing costs. */
static inline bool geo_cost_few(uint64_t units, uint32_t workers)
{
    return units <= (uint64_t)GEO_COST_FEW * workers;
}

/* How many sleeping workers to wake now for a job that wants `wanted` participants and has, or will
 * have, `there`: each is to find a hand-over's worth of work. left_ns: 0 unknown. */
static inline uint32_t geo_cost_call(double left_ns, uint32_t there, uint32_t wanted)
{
    double pay = left_ns > 0 ? 1 + left_ns / GEO_COST_WAKE_NS : wanted;
    uint32_t most = pay < wanted ? (uint32_t)pay : wanted;
    uint32_t missing = most > there ? most - there : 0;
    return missing < GEO_COST_CALLS ? missing : GEO_COST_CALLS;
}

/* Whether a range is worth stealing from; busy: somebody works on it, who would do the rest soon. */
static inline bool geo_cost_steals(double range_ns, bool busy)
{
    return !busy || range_ns <= 0 || range_ns >= GEO_COST_LEAST_NS;
}

/* How many blocks of a range of `length` a participant takes at once: a quarter, so that others
 * find some to steal and all end together; up to half where a quarter is not worth taking; and no
 * more than let it look around now and then. */
static inline uint32_t geo_cost_chunk(double block_ns, uint32_t length)
{
    if (block_ns <= 0) {
        return 1;
    }
    double most = GEO_COST_CHUNK_NS / block_ns, least = GEO_COST_LEAST_NS / block_ns;
    uint32_t half = length / 2, quarter = length / 4;
    double chunk = quarter > least ? quarter : half < least ? half : least;
    chunk = chunk < most ? chunk : most;
    return chunk < 1 ? 1 : (uint32_t)chunk;
}

#endif
