/* Jobs: measuring, splitting, helping. See job.h.
 *
 * Job slots live as long as their board, so a late helper may look at a slot whose job has ended.
 * `users` counts the threads that look at a slot, and a slot is reused only when it is 0. A helper
 * first raises `users` and then checks the state. A new owner first changes the state and then
 * checks `users`. */
#include "exec/job/job.h"

#include "base/assert.h"
#include "base/log.h"
#include "exec/crew/seat.h"
#include "exec/crew/wake.h"
#include "exec/job/contention.h"
#include "exec/job/cost.h"
#include "exec/job/limit.h"
#include "exec/job/observer.h"
#include "exec/job/partition.h"

#include <string.h>
#include <sys/mman.h>

#define ALONE_CHUNKS 8u
#define NAP_NS       UINT64_C(1000000)
#define FLUSH_NS     UINT64_C(1000000) /* time of a participant's blocks between two flushes */

/* A long job of contended memory is run in parts while trials follow each other. A part takes at
 * least PART_NS, has at least GEO_COST_FEW units per worker, and is at most 1 / PARTS_LEAST of the
 * job. */
#define PARTS       32u
#define PARTS_LEAST 8u
#define PART_NS     2e6

/* Why a participant stops. */
enum job_end {
    JOB_DONE,    /* no blocks are left to take */
    JOB_PRESSED, /* other tasks need the worker */
    JOB_CROWDED, /* there were too many participants, and it does not count as one any more */
};

/* The state of a job slot. */
enum job_state {
    JOB_FREE,
    JOB_SETUP,
    JOB_ACTIVE,
};

/* A job in a slot of the board. Units are divided in blocks of `scale`, so that a range of blocks
 * fits in one word. */
struct geo_exec_job {
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t state;
    _Atomic uint32_t users;
    struct geo_exec_job_desc desc;
    uint64_t first; /* number of the unit with which block 0 begins */
    uint64_t scale;
    uint32_t blocks, wanted; /* wanted: number of ranges */
    uint32_t index;
    /* member on the owner's core, if any: the last to wake, because it would compete with the
     * owner */
    uint32_t owner_member;
    uint32_t owner_range; /* index of the owner's range */
    struct geo_exec_job_board *board;
    struct geo_contention_run *run; /* the owner's, and only for it; NULL: no limit is measured */
    uint64_t begin;                 /* of the run, in ticks */
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t joined;
    _Atomic uint32_t limit; /* most participants; only the owner changes it */
    _Atomic uint64_t done;  /* blocks that were run */
    _Atomic uint32_t finished, owner_sleeps;
    /* raised when the job is finished, or when a helper has left blocks behind */
    _Atomic uint32_t owner_wakeups;
    _Atomic bool starves; /* it is counted in `starving` of the board */
    _Atomic bool failed;  /* a unit faulted: the remaining units are not run */
    /* cost of a unit, 0: unknown; a copy, because helpers must not touch the owner's memory */
    _Atomic uint32_t cost_ps;
    struct geo_partition partition;
};

/* Returns whether a job in a slot is divided completely. This holds until the slot is reused, also
 * for a helper that comes after the job has ended. */
static bool job_is_valid(const struct geo_exec_job *job)
{
    return job == &job->board->slots[job->index] && job->first < job->desc.units &&
           (job->desc.units - job->first - 1) / job->scale + 1 == job->blocks && job->wanted != 0 &&
           job->wanted <= job->blocks && job->partition.count == job->wanted &&
           job->owner_range < job->wanted && atomic_load(&job->limit) != 0 &&
           atomic_load(&job->limit) <= job->wanted;
}

static bool job_is_active(const struct geo_exec_job *job)
{
    return atomic_load(&job->state) == JOB_ACTIVE && job_is_valid(job);
}

/* ---- units ---- */

/* Returns whether a unit was stopped only because another has faulted. That fault was reported
 * already. */
static bool unit_was_stopped(const struct geo_exec_job_desc *desc,
                             const struct geo_fault_scope *scope)
{
    return scope->signal == GEO_LIMIT_SIGNAL && desc->stop && atomic_load(desc->stop);
}

/* Reports a fault of these units and returns false. Units that leave something in the worker may
 * have faulted because of earlier ones, so all units are suspects. */
static bool units_faulted(const struct geo_exec_job_desc *desc, struct geo_exec_worker *worker,
                          const struct geo_fault_scope *scope, uint64_t first, uint64_t count)
{
    worker->fp_control = 0; /* the code that faulted may have changed it */
    geo_worker_fp(worker);
    if (desc->flush) {
        desc->drop(worker);
        first = 0;
        count = desc->units;
    }
    if (!unit_was_stopped(desc, scope)) {
        geo_log("cpu", GEO_LOG_ERROR, "%s: %s (signal %d) at address 0x%llx, instruction 0x%llx",
                desc->name, geo_fault_name(scope->signal), scope->signal,
                (unsigned long long)scope->address, (unsigned long long)scope->instruction);
        if (desc->fault) {
            desc->fault(desc, scope, first, count);
        }
    }
    return false;
}

static bool units_try(const struct geo_exec_job_desc *desc, struct geo_exec_worker *worker,
                      uint64_t first, uint64_t count)
{
    struct geo_fault_scope scope;
    bool done = GEO_FAULT_TRY(&scope);
    if (done) {
        if (__builtin_expect(desc->limit_ticks != 0, 0)) {
            geo_limit_enter(&scope);
        }
        desc->run(desc->data, worker, first, count);
    }
    geo_limit_leave();
    geo_fault_leave(&scope);
    return __builtin_expect(done, 1) || units_faulted(desc, worker, &scope, first, count);
}

/* Ends what the units that ran on this thread have left in the worker. Returns false if that
 * faulted. */
static bool units_flush(const struct geo_exec_job_desc *desc, struct geo_exec_worker *worker)
{
    struct geo_fault_scope scope;
    if (__builtin_expect(!desc->flush, 1)) {
        return true;
    }
    bool done = GEO_FAULT_TRY(&scope);
    if (done) {
        desc->flush(desc->data, worker);
    }
    geo_fault_leave(&scope);
    return done || units_faulted(desc, worker, &scope, 0, desc->units);
}

static bool units_each(const struct geo_exec_job_desc *desc, struct geo_exec_worker *worker,
                       uint64_t first, uint64_t count)
{
    bool done = true;
    struct geo_limit limit = {.armed = false};
    if (desc->limit_ticks != 0) {
        geo_limit_begin(&limit, desc->limit_ticks, desc->stop);
    }
    for (uint64_t unit = first; done && unit < first + count; unit++) {
        done = units_try(desc, worker, unit, 1);
    }
    geo_limit_end(&limit);
    return done;
}

/* Runs units on this thread. Returns false if one faulted. */
static bool units_run(const struct geo_exec_job_desc *desc, struct geo_exec_worker *worker,
                      uint64_t first, uint64_t count)
{
    GEO_ASSERT(first < desc->units && count != 0 && count <= desc->units - first);
    geo_busy_with(&worker->busy, desc->busy);
    return __builtin_expect(!desc->one_by_one, 1) ? units_try(desc, worker, first, count)
                                                  : units_each(desc, worker, first, count);
}

/* ---- a participant ---- */

static void job_bit_clear(struct geo_exec_job *job)
{
    if (atomic_load_explicit(&job->board->wanting, memory_order_relaxed) & 1ull << job->index) {
        atomic_fetch_and_explicit(&job->board->wanting, ~(1ull << job->index),
                                  memory_order_seq_cst);
    }
}

static void job_bit_set(struct geo_exec_job *job)
{
    atomic_fetch_or_explicit(&job->board->wanting, 1ull << job->index, memory_order_seq_cst);
}

static void job_blocks_run(struct geo_exec_job *job, struct geo_exec_worker *worker, uint32_t begin,
                           uint32_t count)
{
    GEO_ASSERT(job_is_active(job) && begin < job->blocks && count <= job->blocks - begin);
    uint64_t first = job->first + begin * job->scale;
    uint64_t units = count * job->scale;
    if (first + units > job->desc.units) {
        units = job->desc.units - first;
    }
    if (!atomic_load_explicit(&job->failed, memory_order_relaxed) &&
        !units_run(&job->desc, worker, first, units)) {
        atomic_store_explicit(&job->failed, true, memory_order_relaxed);
    }
}

/* Ends what this participant's blocks have left in the worker. */
static void job_flush(struct geo_exec_job *job, struct geo_exec_worker *worker)
{
    if (!units_flush(&job->desc, worker)) {
        atomic_store_explicit(&job->failed, true, memory_order_relaxed);
    }
}

/* Wakes the owner, which found nothing to steal and waits. */
static void job_wake_owner(struct geo_exec_job *job)
{
    atomic_fetch_add_explicit(&job->owner_wakeups, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&job->owner_sleeps, memory_order_seq_cst)) {
        geo_futex_wake(&job->owner_wakeups, 1, false);
    }
}

/* Adds to the blocks that were run. Each participant calls it once, at its end, because the counter
 * is shared. */
static void job_blocks_done(struct geo_exec_job *job, uint32_t count)
{
    uint64_t before = atomic_fetch_add_explicit(&job->done, count, memory_order_acq_rel);
    GEO_ASSERT(before + count <= job->blocks);
    if (before + count == job->blocks) {
        atomic_store_explicit(&job->finished, 1, memory_order_seq_cst);
        job_wake_owner(job);
    }
}

static void job_learn(struct geo_exec_job *job, uint64_t ns, uint64_t units, bool owner)
{
    if (owner) {
        geo_cost_learn(job->desc.cost_ps, ns, units);
    }
    if (atomic_load_explicit(&job->cost_ps, memory_order_relaxed) == 0) {
        geo_cost_learn(&job->cost_ps, ns, units);
    }
}

/* Wakes more workers as long as it pays: a few at once, because each of them wakes others. Spinning
 * workers come by themselves. The rest of our own range is taken as typical of the others'. */
static void job_wake_helpers(const struct geo_exec_job *job, uint32_t mine)
{
    struct geo_crew *crew = job->board->crew;
    uint32_t there = atomic_load_explicit(&job->joined, memory_order_relaxed);
    uint32_t limit = atomic_load_explicit(&job->limit, memory_order_relaxed);
    if (there >= limit) {
        return;
    }
    there += atomic_load_explicit(&crew->spinning, memory_order_relaxed);
    uint64_t left = (uint64_t)geo_block_range_length(&job->partition.ranges[mine]) * job->wanted;
    double left_ns = geo_cost_ns(&job->cost_ps) * (double)(job->scale * left);
    uint32_t count = geo_cost_wakes(left_ns, there, limit);
    if (count != 0) {
        geo_crew_wake(crew, count, job->owner_member);
    }
}

/* Waits as long as the blocks that nobody has taken should take. Returns true if some are still
 * there: their owner is in a block that takes longer than those before, and the rest may, too. */
static bool job_blocks_remain(const struct geo_exec_job *job)
{
    uint64_t start = geo_machine_ticks();
    while (geo_partition_left(&job->partition)) {
        if (geo_ticks_to_ns(geo_machine_ticks() - start) > GEO_COST_LEAST_NS) {
            return true;
        }
        geo_machine_pause();
    }
    return false;
}

static uint32_t job_next(struct geo_exec_job *job, uint32_t mine, double block_ns, uint32_t *begin)
{
    uint32_t count = geo_partition_next(&job->partition, mine, block_ns, begin);
    while (count == 0 && job_blocks_remain(job)) {
        count = geo_partition_next(&job->partition, mine, 0, begin);
    }
    return count;
}

/* Returns the cost of a block as known by now. 0: it is unknown, or blocks are to be taken one by
 * one. */
static double job_block_ns(const struct geo_exec_job *job)
{
    return job->desc.together ? 0 : geo_cost_ns(&job->cost_ps) * (double)job->scale;
}

/* Changes how many participants the job may have. If there are more, some leave after their next
 * blocks. */
static void job_limit_set(struct geo_exec_job *job, uint32_t limit)
{
    GEO_ASSERT(limit != 0 && limit <= job->wanted && job->desc.contention);
    atomic_store_explicit(&job->limit, limit, memory_order_seq_cst);
    if (atomic_load_explicit(&job->joined, memory_order_seq_cst) < limit) {
        job_bit_set(job);
        job_wake_helpers(job, job->owner_range);
    } else {
        job_bit_clear(job);
    }
}

/* Gives up a trial that cannot win. Called by the owner after each of its blocks. */
static void job_trial_check(struct geo_exec_job *job)
{
    struct geo_contention_run *run = job->run;
    if (!run || !run->trial || run->lost) {
        return;
    }
    uint64_t ns = geo_ticks_to_ns(geo_machine_ticks() - job->begin);
    uint64_t done = job->blocks - geo_partition_length(&job->partition);
    if (geo_contention_gives_up(run, ns, done, job->blocks)) {
        job_limit_set(job, run->best < job->wanted ? run->best : job->wanted);
    }
}

/* Ends a helper's participation if the job has too many participants. Returns whether it did. */
static bool job_uncrowd(struct geo_exec_job *job)
{
    uint32_t joined = atomic_load_explicit(&job->joined, memory_order_relaxed);
    while (joined > atomic_load_explicit(&job->limit, memory_order_relaxed)) {
        if (atomic_compare_exchange_weak_explicit(&job->joined, &joined, joined - 1,
                                                  memory_order_seq_cst, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

/* Returns whether a helper leaves before the job's end, and why. */
static enum job_end job_leaves(struct geo_exec_job *job, const struct geo_exec_worker *worker)
{
    if (job->desc.contention && job_uncrowd(job)) {
        return JOB_CROWDED;
    }
    return geo_crew_seat_pressed(worker) ? JOB_PRESSED : JOB_DONE;
}

/* Runs blocks until none are left to take, or until the participant is to leave. */
static enum job_end job_participate(struct geo_exec_job *job, struct geo_exec_worker *worker,
                                    uint32_t mine, bool owner, double block_ns)
{
    GEO_ASSERT(job_is_valid(job) && mine < job->wanted && (!owner || mine == job->owner_range));
    bool together = job->desc.together;
    enum job_end end = JOB_DONE;
    uint32_t begin, count, ran = 0;
    uint64_t unflushed_ns = 0;
    while (end == JOB_DONE && (count = job_next(job, mine, block_ns, &begin)) != 0) {
        uint64_t start = geo_machine_ticks();
        job_blocks_run(job, worker, begin, count);
        ran += count;
        if (together) {
            continue;
        }
        uint64_t ns = geo_ticks_to_ns(geo_machine_ticks() - start);
        block_ns = (double)ns / count;
        unflushed_ns += ns;
        if (unflushed_ns > FLUSH_NS) {
            job_flush(job, worker);
            unflushed_ns = 0;
        }
        job_learn(job, ns, count * job->scale, owner);
        geo_partition_measured(&job->partition, mine, block_ns);
        if (owner) {
            job_wake_helpers(job, mine);
            job_trial_check(job);
        } else {
            end = job_leaves(job, worker);
        }
    }
    if (end == JOB_DONE) {
        job_bit_clear(job);
    }
    /* Before the job can be finished. A participant that ran nothing may come after that, when what
     * the job refers to is gone. */
    if (ran != 0) {
        job_flush(job, worker);
    }
    if (!owner) {
        geo_busy_with(&worker->busy, GEO_BUSY_NOT);
    }
    job_blocks_done(job, ran);
    return end;
}

/* ---- helpers ---- */

/* Counts the job as lacking threads. It is counted before it says so: a helper that takes the last
 * place may end that at once, and `starving` must not fall below 0. */
static void job_starve_begin(struct geo_exec_job *job)
{
    GEO_ASSERT(job->desc.together && !atomic_load(&job->starves));
    atomic_fetch_add_explicit(&job->board->starving, 1, memory_order_seq_cst);
    atomic_store_explicit(&job->starves, true, memory_order_seq_cst);
    geo_crew_watch(job->board->crew);
}

static void job_starve_end(struct geo_exec_job *job)
{
    if (atomic_exchange_explicit(&job->starves, false, memory_order_seq_cst)) {
        uint32_t before = atomic_fetch_sub_explicit(&job->board->starving, 1, memory_order_seq_cst);
        GEO_ASSERT(before != 0);
    }
}

/* Leaves the rest of our range to thieves. While a thief moves blocks from one range to another
 * they are in neither. So the owner may have looked everywhere and gone to wait before they arrived
 * here, and is told. */
static void job_abandon(struct geo_exec_job *job, enum job_end end)
{
    if (end == JOB_PRESSED) {
        job_bit_set(job);
    }
    job_wake_owner(job);
    if (atomic_load_explicit(&job->finished, memory_order_seq_cst)) {
        job_bit_clear(job); /* the owner cleared the bit before we set it */
    }
}

static bool job_join(struct geo_exec_job *job, struct geo_exec_worker *worker)
{
    uint32_t mine, here = geo_crew_here(job->board->crew);
    here = here == GEO_CREW_NOBODY ? worker->rotor : here;
    uint32_t limit = atomic_load_explicit(&job->limit, memory_order_relaxed);
    bool full =
        job->desc.contention && atomic_load_explicit(&job->joined, memory_order_relaxed) >= limit;
    if (full || !geo_worker_scratch(worker, job->desc.scratch_bytes) ||
        !geo_partition_claim(&job->partition, here, &mine)) {
        job_bit_clear(job);
        return false;
    }
    uint32_t joined = atomic_fetch_add_explicit(&job->joined, 1, memory_order_seq_cst) + 1;
    geo_crew_seat_engage(worker);
    if (joined >= limit) {
        job_bit_clear(job);
        job_starve_end(job);
    } else if (!job->desc.together) {
        job_wake_helpers(job, mine);
    }
    geo_worker_fp(worker);
    geo_busy_for(&worker->busy, &job->board->crew->cores);
    enum job_end end = job_participate(job, worker, mine, false, job_block_ns(job));
    geo_partition_leave(&job->partition, mine);
    if (end != JOB_CROWDED) {
        uint32_t before = atomic_fetch_sub_explicit(&job->joined, 1, memory_order_seq_cst);
        GEO_ASSERT(before > 1); /* the owner stays */
    }
    if (end != JOB_DONE) {
        job_abandon(job, end);
    }
    return true;
}

bool geo_exec_job_help(struct geo_exec_job_board *board, struct geo_exec_worker *worker,
                       const void *owner)
{
    uint64_t mask = atomic_load_explicit(&board->wanting, memory_order_seq_cst);
    bool helped = false;
    while (mask && !helped) {
        struct geo_exec_job *job = &board->slots[__builtin_ctzll(mask)];
        mask &= mask - 1;
        atomic_fetch_add_explicit(&job->users, 1, memory_order_seq_cst);
        if (atomic_load_explicit(&job->state, memory_order_seq_cst) == JOB_ACTIVE &&
            (!owner || job->desc.owner == owner)) {
            helped = job_join(job, worker);
        }
        atomic_fetch_sub_explicit(&job->users, 1, memory_order_seq_cst);
    }
    return helped;
}

/* ---- owners ---- */

static struct geo_exec_job *job_acquire(struct geo_exec_job_board *board)
{
    for (uint32_t i = 0; i < GEO_EXEC_JOB_SLOTS; i++) {
        struct geo_exec_job *job = &board->slots[i];
        uint32_t free = JOB_FREE;
        if (atomic_load_explicit(&job->state, memory_order_relaxed) != JOB_FREE ||
            !atomic_compare_exchange_strong_explicit(&job->state, &free, JOB_SETUP,
                                                     memory_order_seq_cst, memory_order_relaxed)) {
            continue;
        }
        if (atomic_load_explicit(&job->users, memory_order_seq_cst) == 0) {
            job->index = i;
            job->board = board;
            return job;
        }
        atomic_store_explicit(&job->state, JOB_FREE, memory_order_seq_cst);
    }
    return NULL;
}

/* Waits for a free job slot. A slot that a late helper merely looked at becomes free without a
 * wake-up, so each wait is short and the search is repeated. */
static struct geo_exec_job *job_await(struct geo_exec_job_board *board)
{
    struct geo_exec_job *job;
    atomic_fetch_add_explicit(&board->queued, 1, memory_order_seq_cst);
    for (;;) {
        uint32_t before = atomic_load_explicit(&board->freed, memory_order_seq_cst);
        job = job_acquire(board);
        if (job) {
            break;
        }
        geo_futex_wait(&board->freed, before, geo_deadline_ns(NAP_NS), false);
    }
    atomic_fetch_sub_explicit(&board->queued, 1, memory_order_seq_cst);
    return job;
}

static void job_release(struct geo_exec_job *job)
{
    struct geo_exec_job_board *board = job->board;
    GEO_ASSERT(job_is_active(job) && atomic_load(&job->finished));
    GEO_ASSERT(atomic_load(&job->done) == job->blocks && !atomic_load(&job->starves));
    atomic_store_explicit(&job->state, JOB_FREE, memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&board->queued, memory_order_seq_cst) != 0, 0)) {
        atomic_fetch_add_explicit(&board->freed, 1, memory_order_seq_cst);
        geo_futex_wake(&board->freed, 1, false);
    }
}

static void job_setup(struct geo_exec_job *job, const struct geo_exec_job_desc *desc,
                      uint64_t first, struct geo_contention_run *run)
{
    GEO_ASSERT(atomic_load(&job->state) == JOB_SETUP && first < desc->units);
    uint64_t units = desc->units - first;
    uint32_t workers = job->board->crew->members;
    job->desc = *desc;
    if (desc->together) {
        job->desc.limit_ticks = desc->limit_ticks ? desc->limit_ticks : GEO_LIMIT_NEVER;
        job->desc.one_by_one = true;
        job->desc.stop = &job->failed;
    }
    job->first = first;
    job->scale = (units >> 31) + 1;
    job->blocks = (uint32_t)((units + job->scale - 1) / job->scale);
    uint32_t wanted = desc->together ? job->blocks : workers;
    wanted = wanted < job->blocks ? wanted : job->blocks;
    job->wanted = wanted < GEO_PARTITION_RANGES ? wanted : GEO_PARTITION_RANGES;
    job->owner_member = geo_crew_here(job->board->crew);
    job->run = run;
    job->begin = run ? geo_machine_ticks() : 0;
    uint32_t limit = run && run->limit < job->wanted ? run->limit : job->wanted;
    atomic_store_explicit(&job->limit, limit, memory_order_relaxed);
    atomic_store_explicit(&job->cost_ps, atomic_load_explicit(desc->cost_ps, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&job->joined, 1, memory_order_relaxed);
    atomic_store_explicit(&job->done, 0, memory_order_relaxed);
    atomic_store_explicit(&job->finished, 0, memory_order_relaxed);
    atomic_store_explicit(&job->owner_sleeps, 0, memory_order_relaxed);
    atomic_store_explicit(&job->owner_wakeups, 0, memory_order_relaxed);
    atomic_store_explicit(&job->failed, false, memory_order_relaxed);
    geo_partition_deal(&job->partition, job->blocks, job->wanted);
    (void)geo_partition_claim(&job->partition,
                              job->owner_member == GEO_CREW_NOBODY ? 0 : job->owner_member,
                              &job->owner_range);
    atomic_store_explicit(&job->state, JOB_ACTIVE, memory_order_seq_cst);
    GEO_ASSERT(job_is_active(job));
}

static void job_announce(struct geo_exec_job *job)
{
    if (atomic_load_explicit(&job->limit, memory_order_relaxed) < 2) {
        return;
    }
    if (job->desc.together) {
        job_starve_begin(job);
    }
    job_bit_set(job);
    if (job->desc.together) {
        geo_crew_wake(job->board->crew, job->wanted - 1, GEO_CREW_NOBODY);
    } else {
        job_wake_helpers(job, job->owner_range);
    }
}

/* Runs on the owner's thread until every block of the job is done. Takes over blocks that helpers
 * leave behind. */
static void job_finish(struct geo_exec_job *job, struct geo_exec_worker *worker)
{
    uint32_t seen = 0;
    uint64_t start = geo_machine_ticks();
    for (;;) {
        uint32_t wakeups = atomic_load_explicit(&job->owner_wakeups, memory_order_seq_cst);
        if (atomic_load_explicit(&job->finished, memory_order_seq_cst)) {
            return;
        }
        if (wakeups != seen) {
            seen = wakeups;
            (void)job_participate(job, worker, job->owner_range, true, 0);
            start = geo_machine_ticks();
            continue;
        }
        geo_busy_with(&worker->busy, GEO_BUSY_NOT);
        if (geo_ticks_to_ns(geo_machine_ticks() - start) <= job->board->crew->spin_ns) {
            geo_machine_pause();
        } else {
            atomic_store_explicit(&job->owner_sleeps, 1, memory_order_seq_cst);
            geo_futex_wait(&job->owner_wakeups, wakeups, GEO_WAIT_FOREVER, false);
        }
    }
}

/* Shares the units from `first` on with helpers, as the run demands (NULL: with as many as pay).
 * Returns false if a unit faulted. */
static bool job_share(struct geo_exec_job_board *board, const struct geo_exec_job_desc *desc,
                      struct geo_exec_worker *worker, uint64_t first,
                      struct geo_contention_run *run)
{
    struct geo_exec_job *job = job_acquire(board);
    if (!job && desc->together) {
        geo_busy_with(&worker->busy, GEO_BUSY_NOT);
        job = job_await(board);
    } else if (!job) {
        return units_run(desc, worker, first, desc->units - first);
    }
    job_setup(job, desc, first, run);
    job_announce(job);
    (void)job_participate(job, worker, job->owner_range, true, job_block_ns(job));
    job_starve_end(job);
    job_finish(job, worker);
    job_bit_clear(job);
    bool done = !atomic_load_explicit(&job->failed, memory_order_relaxed);
    if (__builtin_expect(desc->steals != NULL, 0)) {
        *desc->steals += geo_partition_steals(&job->partition);
    }
    job_release(job);
    return done;
}

/* ---- contended memory ---- */

/* Returns how many units of a job, of which so many are left, the run takes. */
static uint64_t part_units(const struct geo_exec_job_desc *desc, uint32_t workers, uint64_t left,
                           const struct geo_contention_run *run)
{
    double ns = run->unit_ns > 0 ? run->unit_ns : geo_cost_ns(desc->cost_ps) / workers;
    uint64_t few = (uint64_t)GEO_COST_FEW * workers, part = desc->units / PARTS;
    if (run->until >= PARTS || ns * (double)desc->units < PART_NS * PARTS_LEAST ||
        few * PARTS_LEAST > desc->units) {
        return left;
    }
    uint64_t least = (uint64_t)(PART_NS / ns);
    part = part < few ? few : part;
    part = part < least ? least : part;
    return part < left ? part : left;
}

/* Shares the units from `first` on, which may contend for memory, with as many helpers as serve
 * best. Returns false if a unit faulted. */
static bool job_share_contended(struct geo_exec_job_board *board,
                                const struct geo_exec_job_desc *desc,
                                struct geo_exec_worker *worker, uint64_t first)
{
    struct geo_exec_job_desc part = *desc;
    uint32_t workers = board->crew->members;
    bool done = true;
    while (done && first < desc->units) {
        uint64_t start = geo_machine_ticks(), left = desc->units - first;
        uint32_t all = left < workers ? (uint32_t)left : workers;
        struct geo_contention_run run = geo_contention_begin(desc->contention, all, desc->units);
        uint64_t count = part_units(desc, workers, left, &run);
        part.units = first + count;
        done = job_share(board, &part, worker, first, &run);
        geo_contention_end(&run, geo_ticks_to_ns(geo_machine_ticks() - start), done ? count : 0);
        first = part.units;
    }
    return done;
}

/* Runs units that wait for each other. None starts before there are threads for all. */
static ze_result_t job_gather(struct geo_exec_job_board *board,
                              const struct geo_exec_job_desc *desc, struct geo_exec_worker *worker)
{
    uint64_t units = desc->units < GEO_PARTITION_RANGES ? desc->units : GEO_PARTITION_RANGES;
    /* a guest is not a thread of the crew */
    uint32_t threads = (uint32_t)units - (worker->seat ? 0 : 1);
    if (!geo_crew_gather(board->crew, threads)) {
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    bool done = job_share(board, desc, worker, 0, NULL);
    geo_crew_disperse(board->crew, threads);
    return done ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
}

/* Runs units on this thread until sharing the rest pays; *first becomes the first unit that was not
 * run. Returns false if a unit faulted. */
static bool job_run_alone(const struct geo_exec_job_board *board,
                          const struct geo_exec_job_desc *desc, struct geo_exec_worker *worker,
                          uint64_t *first)
{
    double known = geo_cost_ns(desc->cost_ps);
    if (known > 0 ? geo_cost_shares(known * (double)desc->units, geo_crew_spinning(board->crew))
                  : desc->unbounded && geo_cost_few(desc->units, board->crew->members)) {
        return true;
    }
    uint64_t largest = (desc->units + ALONE_CHUNKS - 1) / ALONE_CHUNKS;
    uint64_t chunk = known > 0 ? largest : 1;
    uint64_t done = 0, start = geo_machine_ticks(), ns;
    for (;;) {
        uint64_t count = chunk < desc->units - done ? chunk : desc->units - done;
        if (!units_run(desc, worker, done, count)) {
            return false;
        }
        done += count;
        ns = geo_ticks_to_ns(geo_machine_ticks() - start);
        double left = (double)ns / (double)done * (double)(desc->units - done);
        if (done == desc->units || geo_cost_shares(left, geo_crew_spinning(board->crew))) {
            break;
        }
        chunk = chunk * 2 < largest ? chunk * 2 : largest;
    }
    geo_cost_learn(desc->cost_ps, ns, done);
    *first = done;
    return true;
}

static ze_result_t job_run(struct geo_exec_job_board *board, const struct geo_exec_job_desc *desc,
                           struct geo_exec_worker *worker)
{
    if (!geo_worker_scratch(worker, desc->scratch_bytes)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    GEO_ASSERT(desc->run && desc->cost_ps && desc->busy <= GEO_BUSY_KINDS);
    GEO_ASSERT(!desc->flush || (desc->drop && !desc->together && !desc->one_by_one));
    geo_busy_for(&worker->busy, &board->crew->cores);
    geo_worker_fp(worker);
    uint64_t first = 0;
    bool done = true;
    if (desc->units == 0) {
        return ZE_RESULT_SUCCESS;
    }
    if (desc->units == 1 || (board->crew->members == 1 && !desc->together)) {
        done = units_run(desc, worker, 0, desc->units);
    } else if (desc->together) {
        return job_gather(board, desc, worker);
    } else {
        done = job_run_alone(board, desc, worker, &first);
        if (done && first < desc->units) {
            done = __builtin_expect(desc->contention != NULL, 0)
                       ? job_share_contended(board, desc, worker, first)
                       : job_share(board, desc, worker, first, NULL);
        }
    }
    done &= units_flush(desc, worker);
    return done ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
}

ze_result_t geo_exec_job_run(struct geo_exec_job_board *board, const struct geo_exec_job_desc *desc,
                             struct geo_exec_worker *worker)
{
    bool observed = atomic_load_explicit(&geo_exec_job_observers, memory_order_relaxed) != 0;
    return __builtin_expect(observed, 0) ? geo_exec_job_observer_run(job_run, board, desc, worker)
                                         : job_run(board, desc, worker);
}

/* ---- boards ---- */

bool geo_exec_job_board_init(struct geo_exec_job_board *board, struct geo_crew *crew)
{
    *board = (struct geo_exec_job_board){.crew = crew};
    /* zeroed; a page takes memory when one of its slots is used */
    void *slots = mmap(NULL, GEO_EXEC_JOB_SLOTS * sizeof(struct geo_exec_job),
                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slots == MAP_FAILED) {
        return false;
    }
    board->slots = slots;
    return true;
}

void geo_exec_job_board_finish(struct geo_exec_job_board *board)
{
    GEO_ASSERT(!geo_exec_job_wanting(board) && !geo_exec_job_starving(board));
    munmap(board->slots, GEO_EXEC_JOB_SLOTS * sizeof(struct geo_exec_job));
}

void geo_exec_job_board_reset(struct geo_exec_job_board *board)
{
    for (uint32_t i = 0; i < GEO_EXEC_JOB_SLOTS; i++) {
        struct geo_exec_job *job = &board->slots[i];
        if (job->board) { /* it was used before */
            memset(job, 0, sizeof(*job));
        }
    }
    atomic_store(&board->wanting, 0);
    atomic_store(&board->starving, 0);
    atomic_store(&board->queued, 0);
}
