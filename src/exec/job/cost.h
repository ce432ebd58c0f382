/* Estimates the cost of a unit of work from earlier measurements, and decides from it whether
 * sharing work pays and how much a participant takes at once. The callers measure. */
#ifndef GEO_EXEC_JOB_COST_H
#define GEO_EXEC_JOB_COST_H

#include "base/assert.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GEO_COST_SPIN_NS 3000u  /* least saving that justifies a hand-over to a spinning worker */
#define GEO_COST_WAKE_NS 25000u /* least saving that justifies waking a sleeping worker */
/* longest time that a participant works before it looks for other work */
#define GEO_COST_CHUNK_NS 50000u
#define GEO_COST_LEAST_NS 2000u /* least work that is worth taking or stealing */
#define GEO_COST_WAKES    3u    /* most workers that one participant wakes at once */
/* units per worker up to which a job of unknown cost is shared unmeasured */
#define GEO_COST_FEW    16u
#define GEO_COST_MAX_PS 4000000000u

/* Merges a measurement into the cost in picoseconds per unit (0: unknown). It rises fast, by half
 * of the difference, and falls slowly: underestimated work makes others wait. */
static inline void geo_cost_learn(_Atomic uint32_t *cost_ps, uint64_t ns, uint64_t units)
{
    GEO_ASSERT(units != 0);
    double now = (double)ns * 1000.0 / (double)units;
    uint32_t old = atomic_load_explicit(cost_ps, memory_order_relaxed);
    double mixed = old == 0 ? now : now > old ? (now + old) / 2 : (old * 7.0 + now) / 8;
    uint32_t cost = mixed < 1 ? 1 : mixed > GEO_COST_MAX_PS ? GEO_COST_MAX_PS : (uint32_t)mixed;
    if (cost != old) {
        atomic_store_explicit(cost_ps, cost, memory_order_relaxed);
    }
}

/* Returns the cost of one unit in nanoseconds; 0: unknown. */
static inline double geo_cost_ns(const _Atomic uint32_t *cost_ps)
{
    return atomic_load_explicit(cost_ps, memory_order_relaxed) / 1000.0;
}

/* Returns whether the remaining work is worth a hand-over. `spinning`: a worker already spins. */
static inline bool geo_cost_shares(double left_ns, bool spinning)
{
    return left_ns > (double)(spinning ? GEO_COST_SPIN_NS : GEO_COST_WAKE_NS);
}

/* Returns whether the job has so few units of unknown cost that one may be a large part of the
 * whole. Running the first one alone to measure it may then cost more than waking workers in
 * vain. */
static inline bool geo_cost_few(uint64_t units, uint32_t workers)
{
    return units <= (uint64_t)GEO_COST_FEW * workers;
}

/* Returns how many sleeping workers to wake for a job that wants `wanted` participants and has, or
 * will soon have, `there`. Each must get work worth a hand-over. left_ns: remaining work, 0 if
 * unknown. */
static inline uint32_t geo_cost_wakes(double left_ns, uint32_t there, uint32_t wanted)
{
    double pay = left_ns > 0 ? 1 + left_ns / GEO_COST_WAKE_NS : wanted;
    uint32_t most = pay < wanted ? (uint32_t)pay : wanted;
    uint32_t missing = most > there ? most - there : 0;
    return missing < GEO_COST_WAKES ? missing : GEO_COST_WAKES;
}

/* Returns whether a range is worth stealing from. `busy`: a participant works on it and would soon
 * do the rest. */
static inline bool geo_cost_steals(double range_ns, bool busy)
{
    return !busy || range_ns <= 0 || range_ns >= GEO_COST_LEAST_NS;
}

/* Returns how many blocks of a range of `length` a participant takes at once. It is a quarter of
 * the range, so that others can steal and all end together. It is up to half if a quarter is too
 * little work, and at most GEO_COST_CHUNK_NS of work. */
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
