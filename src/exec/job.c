/* Measuring, splitting, stealing. See job.h.
 *
 * Job slots belong to the process for ever, so a late helper may look at one whose job has ended.
 * `users` counts threads that look; a slot is reused only when it is 0. A thread raises it first
 * and checks the state after, a new owner changes the state first and checks `users` after. */
#include "exec/job.h"

#include "base/log.h"
#include "exec/fault.h"
#include "exec/pool.h"
#include "exec/reactor.h"

#include <string.h>

#define JOB_SLOTS     64u
#define JOB_RANGES    256u
#define SHARE_SPIN_NS 3000u  /* what a hand-over to a spinning worker has to save */
#define SHARE_WAKE_NS 25000u /* and one to a sleeping worker */
#define CHUNK_NS      50000u /* how long a participant goes between two looks around */
#define ALONE_CHUNKS  8u

enum job_state {
    JOB_FREE,
    JOB_SETUP,
    JOB_ACTIVE,
};

/* Units are dealt in blocks of `scale`, so that a range fits in one word. */
struct job_range {
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t blocks; /* begin << 32 | end */
    _Atomic bool taken;                               /* a participant works on it */
};

struct job {
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t state;
    _Atomic uint32_t users;
    struct geo_job_desc desc;
    uint64_t first; /* unit of block 0 */
    uint64_t scale;
    double unit_ns; /* as known at the start: helpers must not touch the owner's memory */
    uint32_t blocks, wanted;
    uint32_t index;
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t joined;
    _Atomic uint64_t done; /* blocks */
    _Atomic uint32_t finished, owner_sleeps;
    _Atomic bool starves; /* counted in `starving` */
    _Atomic bool failed;  /* a unit faulted: the rest is not run any more */
    struct job_range ranges[JOB_RANGES];
};

static struct job jobs[JOB_SLOTS];
static _Atomic uint64_t wanting;  /* a bit per job that would take a participant */
static _Atomic uint32_t starving; /* jobs of `together` units that lack threads */

/* ---- units ---- */

/* Runs units on this thread; false when they faulted. */
static bool units_run(const struct geo_job_desc *desc, struct geo_host_worker *worker,
                      uint64_t first, uint64_t count)
{
    struct geo_fault_scope scope;
    bool done = GEO_FAULT_TRY(&scope);
    if (done) {
        desc->run(desc->data, worker, first, count);
    } else {
        worker->fp_control = 0; /* whatever the code left there */
        geo_worker_fp(worker, desc->fp_control);
        geo_log("cpu", GEO_LOG_ERROR, "%s: %s (signal %d) at address 0x%llx, instruction 0x%llx",
                desc->name, geo_fault_name(scope.signal), scope.signal,
                (unsigned long long)scope.address, (unsigned long long)scope.instruction);
    }
    geo_fault_leave(&scope);
    return done;
}

/* ---- ranges ---- */

static uint64_t range_pack(uint32_t begin, uint32_t end)
{
    return (uint64_t)begin << 32 | end;
}

/* Takes up to `limit` blocks from the front. */
static uint32_t range_take(struct job_range *range, uint32_t limit, uint32_t *begin)
{
    uint64_t word = atomic_load_explicit(&range->blocks, memory_order_relaxed);
    for (;;) {
        uint32_t from = (uint32_t)(word >> 32), to = (uint32_t)word;
        if (from >= to) {
            return 0;
        }
        uint32_t count = to - from < limit ? to - from : limit;
        if (atomic_compare_exchange_weak_explicit(&range->blocks, &word,
                                                  range_pack(from + count, to),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
            *begin = from;
            return count;
        }
    }
}

/* Takes the back half of a range; all of it when nobody works on it. */
static uint32_t range_steal(struct job_range *range, uint32_t *begin)
{
    uint64_t word = atomic_load_explicit(&range->blocks, memory_order_relaxed);
    for (;;) {
        uint32_t from = (uint32_t)(word >> 32), to = (uint32_t)word;
        if (from >= to) {
            return 0;
        }
        bool taken = atomic_load_explicit(&range->taken, memory_order_relaxed);
        uint32_t middle = taken ? from + (to - from) / 2 : from;
        if (atomic_compare_exchange_weak_explicit(&range->blocks, &word, range_pack(from, middle),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
            *begin = middle;
            return to - middle;
        }
    }
}

static bool job_steal(struct job *job, uint32_t mine)
{
    for (uint32_t i = 1; i < job->wanted; i++) {
        struct job_range *victim = &job->ranges[(mine + i) % job->wanted];
        uint32_t begin, count = range_steal(victim, &begin);
        if (count != 0) {
            atomic_store_explicit(&job->ranges[mine].blocks, range_pack(begin, begin + count),
                                  memory_order_release);
            return true;
        }
    }
    return false;
}

/* ---- costs ---- */

static uint64_t share_threshold_ns(void)
{
    return geo_pool_spinning() ? SHARE_SPIN_NS : SHARE_WAKE_NS;
}

static void cost_learn(_Atomic uint32_t *cost_ps, uint64_t ns, uint64_t units)
{
    double now = (double)ns * 1000.0 / (double)units;
    uint32_t old = atomic_load_explicit(cost_ps, memory_order_relaxed);
    double mixed = old == 0 ? now : now > old ? (now + old) / 2 : (old * 7.0 + now) / 8;
    uint32_t cost = mixed < 1 ? 1 : mixed > 4e9 ? 4000000000u : (uint32_t)mixed;
    if (cost != old) {
        atomic_store_explicit(cost_ps, cost, memory_order_relaxed);
    }
}

static double cost_known_ns(const struct geo_job_desc *desc)
{
    return atomic_load_explicit(desc->cost_ps, memory_order_relaxed) / 1000.0;
}

/* ---- a participant ---- */

static void job_bit_clear(struct job *job)
{
    if (atomic_load_explicit(&wanting, memory_order_relaxed) & 1ull << job->index) {
        atomic_fetch_and_explicit(&wanting, ~(1ull << job->index), memory_order_seq_cst);
    }
}

static void job_bit_set(struct job *job)
{
    atomic_fetch_or_explicit(&wanting, 1ull << job->index, memory_order_seq_cst);
}

static void job_blocks_run(struct job *job, struct geo_host_worker *worker, uint32_t begin,
                           uint32_t count)
{
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

static void job_blocks_done(struct job *job, uint32_t count)
{
    uint64_t before = atomic_fetch_add_explicit(&job->done, count, memory_order_acq_rel);
    if (before + count == job->blocks) {
        atomic_store_explicit(&job->finished, 1, memory_order_seq_cst);
        if (atomic_load_explicit(&job->owner_sleeps, memory_order_seq_cst)) {
            geo_futex_wake(&job->finished, 1, false);
        }
    }
}

static uint32_t chunk_for(const struct job *job, double block_ns, uint32_t mine)
{
    if (job->desc.together) {
        return 1;
    }
    uint64_t word = atomic_load_explicit(&job->ranges[mine].blocks, memory_order_relaxed);
    uint32_t length = (uint32_t)word - (uint32_t)(word >> 32);
    uint32_t most = length / 4 ? length / 4 : 1;
    double chunk = block_ns > 0 ? CHUNK_NS / block_ns : 1;
    return chunk < 1 ? 1 : chunk > most ? most : (uint32_t)chunk;
}

static void job_participate(struct job *job, struct geo_host_worker *worker, uint32_t mine,
                            bool owner)
{
    double block_ns = job->unit_ns * (double)job->scale;
    for (;;) {
        uint32_t begin,
            count = range_take(&job->ranges[mine], chunk_for(job, block_ns, mine), &begin);
        if (count == 0) {
            if (!job_steal(job, mine)) {
                job_bit_clear(job);
                return;
            }
            continue;
        }
        uint64_t start = geo_ticks();
        job_blocks_run(job, worker, begin, count);
        uint64_t ns = geo_ticks_to_ns(geo_ticks() - start);
        block_ns = (double)ns / count;
        if (owner) {
            cost_learn(job->desc.cost_ps, ns, count * job->scale);
        }
        job_blocks_done(job, count);
        if (!owner && !job->desc.together && geo_pool_pressed()) {
            return; /* what is left of our range gets stolen */
        }
    }
}

/* ---- helpers ---- */

static bool range_claim(struct job *job, uint32_t *mine)
{
    for (uint32_t i = 1; i < job->wanted; i++) { /* 0 is the owner's */
        if (!atomic_load_explicit(&job->ranges[i].taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&job->ranges[i].taken, true, memory_order_acq_rel)) {
            *mine = i;
            return true;
        }
    }
    return false;
}

static void job_starve(struct job *job, bool starves)
{
    if (atomic_exchange_explicit(&job->starves, starves, memory_order_seq_cst) == starves) {
        return;
    }
    if (starves) {
        atomic_fetch_add_explicit(&starving, 1, memory_order_seq_cst);
        geo_reactor_tick();
    } else {
        atomic_fetch_sub_explicit(&starving, 1, memory_order_seq_cst);
    }
}

static bool job_join(struct job *job, struct geo_host_worker *worker)
{
    uint32_t mine;
    if (!geo_worker_scratch(worker, job->desc.scratch_bytes) || !range_claim(job, &mine)) {
        job_bit_clear(job);
        return false;
    }
    uint32_t joined = atomic_fetch_add_explicit(&job->joined, 1, memory_order_seq_cst) + 1;
    if (joined >= job->wanted) {
        job_bit_clear(job);
        job_starve(job, false);
    } else if (!geo_pool_spinning()) {
        geo_pool_wake(job->wanted - joined > 2 ? 2 : job->wanted - joined);
    }
    geo_worker_fp(worker, job->desc.fp_control);
    job_participate(job, worker, mine, false);
    atomic_store_explicit(&job->ranges[mine].taken, false, memory_order_release);
    atomic_fetch_sub_explicit(&job->joined, 1, memory_order_seq_cst);
    return true;
}

bool geo_job_help(struct geo_host_worker *worker, const void *owner)
{
    uint64_t mask = atomic_load_explicit(&wanting, memory_order_seq_cst);
    bool helped = false;
    while (mask && !helped) {
        struct job *job = &jobs[__builtin_ctzll(mask)];
        mask &= mask - 1;
        atomic_fetch_add_explicit(&job->users, 1, memory_order_seq_cst);
        if (atomic_load_explicit(&job->state, memory_order_seq_cst) != JOB_ACTIVE) {
            job_bit_clear(job);
        } else if (!owner || job->desc.owner == owner) {
            helped = job_join(job, worker);
        }
        atomic_fetch_sub_explicit(&job->users, 1, memory_order_seq_cst);
    }
    return helped;
}

bool geo_job_wanting(void)
{
    return atomic_load_explicit(&wanting, memory_order_seq_cst) != 0;
}

bool geo_job_starving(void)
{
    return atomic_load_explicit(&starving, memory_order_relaxed) != 0;
}

/* ---- owners ---- */

static struct job *job_acquire(void)
{
    for (uint32_t i = 0; i < JOB_SLOTS; i++) {
        struct job *job = &jobs[i];
        uint32_t free = JOB_FREE;
        if (atomic_load_explicit(&job->state, memory_order_relaxed) != JOB_FREE ||
            !atomic_compare_exchange_strong_explicit(&job->state, &free, JOB_SETUP,
                                                     memory_order_seq_cst, memory_order_relaxed)) {
            continue;
        }
        if (atomic_load_explicit(&job->users, memory_order_seq_cst) == 0) {
            job->index = i;
            return job;
        }
        atomic_store_explicit(&job->state, JOB_FREE, memory_order_seq_cst);
    }
    return NULL;
}

static void job_setup(struct job *job, const struct geo_job_desc *desc, uint64_t first)
{
    uint64_t units = desc->units - first;
    uint32_t workers = geo_pool_workers();
    job->desc = *desc;
    job->first = first;
    job->unit_ns = cost_known_ns(desc);
    job->scale = (units >> 31) + 1;
    job->blocks = (uint32_t)((units + job->scale - 1) / job->scale);
    uint32_t wanted = desc->together ? job->blocks : workers;
    wanted = wanted < job->blocks ? wanted : job->blocks;
    job->wanted = wanted < JOB_RANGES ? wanted : JOB_RANGES;
    atomic_store_explicit(&job->joined, 1, memory_order_relaxed);
    atomic_store_explicit(&job->done, 0, memory_order_relaxed);
    atomic_store_explicit(&job->finished, 0, memory_order_relaxed);
    atomic_store_explicit(&job->owner_sleeps, 0, memory_order_relaxed);
    atomic_store_explicit(&job->failed, false, memory_order_relaxed);
    for (uint32_t i = 0; i < job->wanted; i++) {
        uint32_t begin = (uint32_t)((uint64_t)job->blocks * i / job->wanted);
        uint32_t end = (uint32_t)((uint64_t)job->blocks * (i + 1) / job->wanted);
        atomic_store_explicit(&job->ranges[i].blocks, range_pack(begin, end), memory_order_relaxed);
        atomic_store_explicit(&job->ranges[i].taken, i == 0, memory_order_relaxed);
    }
    atomic_store_explicit(&job->state, JOB_ACTIVE, memory_order_seq_cst);
}

static void job_call(struct job *job)
{
    if (job->wanted < 2) {
        return;
    }
    job_bit_set(job);
    uint32_t helpers = job->wanted - 1;
    if (job->desc.together) {
        job_starve(job, true);
        geo_pool_wake(helpers);
    } else if (!geo_pool_spinning()) {
        geo_pool_wake(helpers > 2 ? 2 : helpers);
    }
}

static void job_wait(struct job *job)
{
    uint64_t start = geo_ticks();
    while (!atomic_load_explicit(&job->finished, memory_order_acquire)) {
        if (geo_ticks_to_ns(geo_ticks() - start) > geo_pool_spin_ns()) {
            atomic_store_explicit(&job->owner_sleeps, 1, memory_order_seq_cst);
            geo_futex_wait(&job->finished, 0, GEO_WAIT_FOREVER, false);
        }
        geo_pause();
    }
}

/* False when a unit faulted. */
static bool job_share(const struct geo_job_desc *desc, struct geo_host_worker *worker,
                      uint64_t first)
{
    struct job *job = job_acquire();
    if (!job) {
        return units_run(desc, worker, first, desc->units - first);
    }
    job_setup(job, desc, first);
    job_call(job);
    job_participate(job, worker, 0, true);
    job_bit_clear(job);
    job_starve(job, false);
    job_wait(job);
    bool done = !atomic_load_explicit(&job->failed, memory_order_relaxed);
    atomic_store_explicit(&job->state, JOB_FREE, memory_order_seq_cst);
    return done;
}

/* Runs units on this thread until the rest is worth sharing; *first becomes the first unit not
 * done. False when a unit faulted. */
static bool job_alone(const struct geo_job_desc *desc, struct geo_host_worker *worker,
                      uint64_t *first)
{
    double known = cost_known_ns(desc);
    if (known > 0 && known * (double)desc->units > (double)share_threshold_ns()) {
        return true;
    }
    uint64_t largest = (desc->units + ALONE_CHUNKS - 1) / ALONE_CHUNKS;
    uint64_t chunk = known > 0 ? largest : 1;
    uint64_t done = 0, start = geo_ticks(), ns;
    for (;;) {
        uint64_t count = chunk < desc->units - done ? chunk : desc->units - done;
        if (!units_run(desc, worker, done, count)) {
            return false;
        }
        done += count;
        ns = geo_ticks_to_ns(geo_ticks() - start);
        double left = (double)ns / (double)done * (double)(desc->units - done);
        if (done == desc->units || left > (double)share_threshold_ns()) {
            break;
        }
        chunk = chunk * 2 < largest ? chunk * 2 : largest;
    }
    cost_learn(desc->cost_ps, ns, done);
    *first = done;
    return true;
}

ze_result_t geo_job_run(const struct geo_job_desc *desc, struct geo_host_worker *worker)
{
    if (!geo_worker_scratch(worker, desc->scratch_bytes)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    geo_worker_fp(worker, desc->fp_control);
    uint64_t first = 0;
    bool done = true;
    if (desc->units == 0) {
        return ZE_RESULT_SUCCESS;
    }
    if (desc->units == 1 || (geo_pool_workers() == 1 && !desc->together)) {
        done = units_run(desc, worker, 0, desc->units);
    } else {
        if (!desc->together) {
            done = job_alone(desc, worker, &first);
        }
        if (done && first < desc->units) {
            done = job_share(desc, worker, first);
        }
    }
    return done ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
}

void geo_job_after_fork(void)
{
    memset(jobs, 0, sizeof(jobs));
    atomic_store(&wanting, 0);
    atomic_store(&starving, 0);
}
