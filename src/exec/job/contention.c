/* Compares numbers of participants by trials. See contention.h. */
#include "exec/job/contention.h"

#include "base/assert.h"

#include <stddef.h>

#define SIZE_BITS 4u /* the number of units counts by its length in bits, in steps of these */
#define WINS      2u /* trials that a number has to win, because a single time may be disturbed */
#define NUMBERS   4u /* numbers of participants that take turns */
/* A trial wins with less than this part of the best time. It is given up after a quarter of the
 * best time if it would take one and a half times as long. */
#define WINNING (15.0 / 16)
#define LOSING  1.5

static struct geo_contention_size *size_of(struct geo_contention *contention, uint64_t units)
{
    uint32_t bits = 63u - (uint32_t)__builtin_clzll(units);
    uint32_t at = bits / SIZE_BITS;
    return &contention->sizes[at < GEO_CONTENTION_SIZES ? at : GEO_CONTENTION_SIZES - 1];
}

/* Returns the number of participants of the next trial. Numbers that make no sense are skipped. */
static uint32_t next_number(struct geo_contention_size *size, uint32_t best, uint32_t all)
{
    GEO_ASSERT(all > 1 && best >= 1 && best <= all);
    for (;; size->turn++) {
        const uint32_t numbers[NUMBERS] = {1, best / 2, best * 2, all};
        uint32_t number = numbers[size->turn % NUMBERS];
        if (number != best && number >= 1 && number <= all) {
            return number;
        }
    }
}

struct geo_contention_run geo_contention_begin(struct geo_contention *contention, uint32_t all,
                                               uint64_t units)
{
    GEO_ASSERT(all != 0 && units != 0);
    struct geo_contention_size *size = size_of(contention, units);
    uint32_t best = atomic_load_explicit(&size->best, memory_order_relaxed);
    best = best == 0 || best > all ? all : best;
    struct geo_contention_run run = {
        .size = size, .limit = best, .best = best, .all = all, .until = UINT32_MAX};
    if (all == 1 || atomic_load_explicit(&contention->held, memory_order_relaxed) ||
        atomic_exchange_explicit(&contention->held, true, memory_order_acquire)) {
        return run;
    }
    run.contention = contention;
    if (size->pause == 0) {
        size->pause = size->until = GEO_CONTENTION_FIRST;
    }
    run.until = size->until;
    run.unit_ns = size->unit_ns;
    if (size->until == 0 && size->unit_ns > 0) {
        run.trial = true;
        run.limit = next_number(size, best, all);
    }
    return run;
}

bool geo_contention_gives_up(struct geo_contention_run *run, uint64_t ns, uint64_t done,
                             uint64_t units)
{
    if (!run->trial || run->lost) {
        return false;
    }
    double best = run->size->unit_ns * (double)units, now = (double)ns;
    bool slow = now >= best / 4 && now * (double)units > LOSING * best * (double)done;
    run->lost = slow || now >= best;
    return run->lost;
}

/* The best time follows faster runs at once and slower ones slowly: most of those were disturbed. */
static void best_learn(struct geo_contention_size *size, double unit_ns)
{
    double old = size->unit_ns;
    size->unit_ns = old <= 0 || unit_ns < old ? unit_ns : old + (unit_ns - old) / 8;
}

static void trial_learn(struct geo_contention_size *size, const struct geo_contention_run *run,
                        double unit_ns)
{
    size->tried = false;
    size->returned = true;
    if (run->lost || unit_ns >= size->unit_ns * WINNING) {
        size->wins = 0;
        size->turn++;
        size->pause = size->pause * 2 < GEO_CONTENTION_LAST ? size->pause * 2 : GEO_CONTENTION_LAST;
        size->until = size->pause;
        return;
    }
    size->until = GEO_CONTENTION_FIRST; /* an even number: of two launches in turn, try both */
    if (++size->wins == WINS) {
        uint32_t best = run->limit == run->all ? 0 : run->limit;
        atomic_store_explicit(&size->best, best, memory_order_relaxed);
        size->unit_ns = unit_ns;
        size->returned = false;
        size->wins = 0;
        size->turn++;
        size->pause = GEO_CONTENTION_FIRST;
    }
}

void geo_contention_end(struct geo_contention_run *run, uint64_t ns, uint64_t units)
{
    if (!run->contention) {
        return;
    }
    GEO_ASSERT(atomic_load(&run->contention->held));
    if (units != 0) {
        double unit_ns = (double)(ns ? ns : 1) / (double)units;
        struct geo_contention_size *size = run->size;
        if (run->trial && (size->tried || run->lost)) {
            trial_learn(size, run, unit_ns);
        } else if (run->trial) {
            size->tried = true;
        } else {
            if (!size->returned) {
                best_learn(size, unit_ns);
            }
            size->returned = false;
            size->until -= size->until != 0;
        }
    }
    atomic_store_explicit(&run->contention->held, false, memory_order_release);
    run->contention = NULL;
}
