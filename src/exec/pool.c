/* Workers: starting, spinning, sleeping, waking; and the shards they take tasks from. See pool.h.
 */
#include "exec/pool.h"

#include "base/log.h"
#include "exec/fault.h"
#include "exec/job.h"
#include "exec/reactor.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_LIMIT        64u
#define PATIENCE_TICKS_MAX 64u
#define SPARE_LIFE_NS      1000000000u
#define YIELD_NS           150u
#define STACK_BYTES        (2u << 20)
#define PINNED_NONE        (-1)

static struct {
    /* read-mostly */
    uint32_t workers, max_spinning;
    uint64_t spin_ns;
    int32_t *cpus;
    bool open;
    /* which shards have ready tasks, by priority */
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t ready[GEO_POOL_PRIORITIES];
    /* idle workers; a waker counts the worker it wakes as spinning already */
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t spinning;
    _Atomic uint32_t sleeping;
    _Atomic uint32_t tokens; /* semaphore the sleepers wait on */
    _Atomic uint32_t started, spares;
    _Atomic uint32_t next_shard;
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t taken; /* tasks taken by workers: progress */
    /* the reactor's: how long nothing was taken, and how long that has to last for a spare */
    uint64_t taken_before;
    uint32_t stuck_ticks, patience_ticks;
    struct geo_shard shards[GEO_POOL_SHARDS];
} pool;

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

struct start {
    uint32_t index;
    int32_t cpu;
    bool spare;
};

/* ---- tasks ---- */

void geo_task_init(struct geo_task *task, uint32_t priority,
                   void (*run)(struct geo_task *, struct geo_host_worker *))
{
    uint32_t shard = atomic_fetch_add_explicit(&pool.next_shard, 1, memory_order_relaxed);
    *task = (struct geo_task){
        .shard = &pool.shards[shard % GEO_POOL_SHARDS],
        .priority = priority,
        .state = GEO_TASK_IDLE,
        .run = run,
    };
}

void geo_task_ready_locked(struct geo_task *task)
{
    struct geo_shard *shard = task->shard;
    uint32_t p = task->priority;
    atomic_store_explicit(&task->state, GEO_TASK_READY, memory_order_relaxed);
    task->next = NULL;
    task->previous = shard->tail[p];
    if (shard->tail[p]) {
        shard->tail[p]->next = task;
    } else {
        shard->head[p] = task;
        atomic_fetch_or_explicit(&pool.ready[p], 1ull << shard->index, memory_order_seq_cst);
    }
    shard->tail[p] = task;
}

void geo_task_claim_locked(struct geo_task *task)
{
    struct geo_shard *shard = task->shard;
    uint32_t p = task->priority;
    if (task->previous) {
        task->previous->next = task->next;
    } else {
        shard->head[p] = task->next;
    }
    if (task->next) {
        task->next->previous = task->previous;
    } else {
        shard->tail[p] = task->previous;
    }
    if (!shard->head[p]) {
        atomic_fetch_and_explicit(&pool.ready[p], ~(1ull << shard->index), memory_order_seq_cst);
    }
    task->next = task->previous = NULL;
    atomic_store_explicit(&task->state, GEO_TASK_RUNNING, memory_order_relaxed);
}

static struct geo_task *shard_take(struct geo_shard *shard, uint32_t priority)
{
    geo_lock_acquire(&shard->lock);
    struct geo_task *task = shard->head[priority];
    if (task) {
        geo_task_claim_locked(task);
    }
    geo_lock_release(&shard->lock);
    return task;
}

static struct geo_task *task_take(struct geo_host_worker *worker)
{
    for (uint32_t p = 0; p < GEO_POOL_PRIORITIES; p++) {
        uint64_t mask = atomic_load_explicit(&pool.ready[p], memory_order_seq_cst);
        while (mask) {
            uint32_t turn = worker->rotor++ % GEO_POOL_SHARDS;
            uint64_t after = mask >> turn << turn; /* shards from our turn on */
            uint32_t index = (uint32_t)__builtin_ctzll(after ? after : mask);
            struct geo_task *task = shard_take(&pool.shards[index], p);
            if (task) {
                atomic_fetch_add_explicit(&pool.taken, 1, memory_order_relaxed);
                return task;
            }
            mask &= ~(1ull << index);
        }
    }
    return NULL;
}

static bool tasks_ready(void)
{
    for (uint32_t p = 0; p < GEO_POOL_PRIORITIES; p++) {
        if (atomic_load_explicit(&pool.ready[p], memory_order_seq_cst) != 0) {
            return true;
        }
    }
    return false;
}

static bool work_visible(void)
{
    return tasks_ready() || geo_job_wanting();
}

bool geo_pool_pressed(void)
{
    return tasks_ready() && atomic_load_explicit(&pool.spinning, memory_order_relaxed) == 0 &&
           atomic_load_explicit(&pool.sleeping, memory_order_relaxed) == 0;
}

bool geo_pool_outranked(uint32_t priority)
{
    for (uint32_t p = 0; p < priority; p++) {
        if (atomic_load_explicit(&pool.ready[p], memory_order_relaxed) != 0) {
            return atomic_load_explicit(&pool.started, memory_order_relaxed) != 0;
        }
    }
    return false;
}

bool geo_pool_spinning(void)
{
    return atomic_load_explicit(&pool.spinning, memory_order_relaxed) != 0;
}

/* ---- threads ---- */

bool geo_pool_thread(void *(*main)(void *), void *argument)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        sigdelset(&all, faults[i]);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, &attributes, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed == 0;
}

static bool dec_if_positive(_Atomic uint32_t *counter)
{
    uint32_t value = atomic_load_explicit(counter, memory_order_seq_cst);
    while (value != 0) {
        if (atomic_compare_exchange_weak_explicit(counter, &value, value - 1, memory_order_seq_cst,
                                                  memory_order_seq_cst)) {
            return true;
        }
    }
    return false;
}

/* Waits for a token; false when a spare has waited long enough and leaves. */
static bool token_wait(bool spare)
{
    uint64_t deadline = spare ? geo_deadline_ns(SPARE_LIFE_NS) : GEO_WAIT_FOREVER;
    while (!dec_if_positive(&pool.tokens)) {
        if (!geo_futex_wait(&pool.tokens, 0, deadline, false)) {
            if (dec_if_positive(&pool.sleeping)) {
                return false;
            }
            deadline = GEO_WAIT_FOREVER; /* somebody is about to give us a token */
        }
    }
    return true;
}

/* Not spinning on entry; spinning on return. False: the worker leaves. */
static bool worker_sleep(bool spare)
{
    atomic_fetch_add_explicit(&pool.sleeping, 1, memory_order_seq_cst);
    if (work_visible() && dec_if_positive(&pool.sleeping)) {
        atomic_fetch_add_explicit(&pool.spinning, 1, memory_order_seq_cst);
        return true;
    }
    return token_wait(spare);
}

/* Something to do that nobody else is about to do. A thread that submits often waits at once and
 * then runs its task itself, which is faster than the hand-over: it gets a moment to do so. */
static bool work_left(void)
{
    if (!work_visible()) {
        return false;
    }
    uint64_t seen = geo_ticks();
    while (!geo_job_wanting() && geo_ticks_to_ns(geo_ticks() - seen) < YIELD_NS) {
        geo_pause();
    }
    return work_visible();
}

/* Spinning on entry and on return; false: the time is over, not spinning any more. */
static bool worker_spin(void)
{
    uint64_t start = geo_ticks();
    do {
        for (int i = 0; i < 32; i++) {
            if (work_left()) {
                return true;
            }
            geo_pause();
        }
    } while (geo_ticks_to_ns(geo_ticks() - start) < pool.spin_ns);
    atomic_fetch_sub_explicit(&pool.spinning, 1, memory_order_seq_cst);
    return false;
}

static bool worker_idle(bool spare)
{
    uint32_t spinning = atomic_fetch_add_explicit(&pool.spinning, 1, memory_order_seq_cst);
    if (spinning >= pool.max_spinning) {
        atomic_fetch_sub_explicit(&pool.spinning, 1, memory_order_seq_cst);
    } else if (worker_spin()) {
        return true;
    }
    return worker_sleep(spare);
}

/* The last worker that stops spinning because it found work lets the next one look for more. */
static void spinning_leave(void)
{
    if (atomic_fetch_sub_explicit(&pool.spinning, 1, memory_order_seq_cst) == 1 && work_visible()) {
        geo_pool_wake(1);
    }
}

static void worker_loop(struct geo_host_worker *worker, bool spare)
{
    bool spinning = true; /* whoever started us counted us so */
    for (;;) {
        struct geo_task *task = task_take(worker);
        if (spinning && task) {
            spinning_leave();
            spinning = false;
        }
        if (task) {
            task->run(task, worker);
            continue;
        }
        if (geo_job_wanting()) {
            if (spinning) {
                spinning_leave();
                spinning = false;
            }
            if (geo_job_help(worker, NULL)) {
                continue;
            }
        }
        if (spinning) {
            /* woken for nothing: spin from here */
            if (worker_spin()) {
                continue;
            }
            spinning = worker_sleep(spare);
        } else {
            spinning = worker_idle(spare);
        }
        if (!spinning) {
            return;
        }
    }
}

static void *worker_main(void *argument)
{
    struct start start = *(struct start *)argument;
    free(argument);
    if (start.cpu != PINNED_NONE) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)start.cpu, &set);
        pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
    }
    char name[16] = "geoid-worker";
    pthread_setname_np(pthread_self(), name);
    struct geo_host_worker worker;
    uint8_t fault_stack[GEO_FAULT_STACK_BYTES];
    geo_fault_stack(fault_stack, true);
    geo_worker_init(&worker, start.index);
    worker_loop(&worker, start.spare);
    geo_worker_finish(&worker);
    geo_fault_stack(fault_stack, false);
    atomic_fetch_sub_explicit(start.spare ? &pool.spares : &pool.started, 1, memory_order_seq_cst);
    return NULL;
}

/* The caller has counted the new worker as spinning and as started or spare. */
static bool worker_start(uint32_t index, bool spare)
{
    struct start *start = malloc(sizeof(*start));
    if (start) {
        *start = (struct start){
            .index = index,
            .cpu = pool.cpus && !spare ? pool.cpus[index] : PINNED_NONE,
            .spare = spare,
        };
        if (geo_pool_thread(worker_main, start)) {
            return true;
        }
        free(start);
    }
    geo_log("cpu", GEO_LOG_WARN, "a worker thread cannot be started: %s", strerror(errno));
    return false;
}

/* Makes one more worker spin: a sleeping one, or a new one. */
static bool wake_another(void)
{
    if (dec_if_positive(&pool.sleeping)) {
        atomic_fetch_add_explicit(&pool.tokens, 1, memory_order_seq_cst);
        geo_futex_wake(&pool.tokens, 1, false);
        return true;
    }
    uint32_t started = atomic_load_explicit(&pool.started, memory_order_relaxed);
    while (started < pool.workers) {
        if (atomic_compare_exchange_weak_explicit(&pool.started, &started, started + 1,
                                                  memory_order_seq_cst, memory_order_relaxed)) {
            if (worker_start(started, false)) {
                return true;
            }
            atomic_fetch_sub_explicit(&pool.started, 1, memory_order_seq_cst);
            return false;
        }
    }
    return false;
}

void geo_pool_wake(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        atomic_fetch_add_explicit(&pool.spinning, 1, memory_order_seq_cst);
        if (!wake_another()) {
            atomic_fetch_sub_explicit(&pool.spinning, 1, memory_order_seq_cst);
            if (tasks_ready()) {
                geo_reactor_tick();
            }
            return;
        }
    }
}

bool geo_pool_notify(void)
{
    uint32_t none = 0;
    if (atomic_load_explicit(&pool.spinning, memory_order_seq_cst) != 0 ||
        !atomic_compare_exchange_strong_explicit(&pool.spinning, &none, 1, memory_order_seq_cst,
                                                 memory_order_seq_cst)) {
        return true;
    }
    if (wake_another()) {
        return true;
    }
    atomic_fetch_sub_explicit(&pool.spinning, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&pool.started, memory_order_relaxed) == 0) {
        return false;
    }
    if (tasks_ready()) {
        geo_reactor_tick();
    }
    return true;
}

static void spare_start(void)
{
    uint32_t spares = atomic_fetch_add_explicit(&pool.spares, 1, memory_order_seq_cst);
    atomic_fetch_add_explicit(&pool.spinning, 1, memory_order_seq_cst);
    if (spares >= SPARE_LIMIT || !worker_start(pool.workers + spares, true)) {
        atomic_fetch_sub_explicit(&pool.spinning, 1, memory_order_seq_cst);
        atomic_fetch_sub_explicit(&pool.spares, 1, memory_order_seq_cst);
    }
}

/* Each spare makes the next one wait twice as long: work that is merely long gets few of them. */
bool geo_pool_rescue(void)
{
    uint64_t taken = atomic_load_explicit(&pool.taken, memory_order_relaxed);
    bool progress = taken != pool.taken_before;
    pool.taken_before = taken;
    if (!tasks_ready() && !geo_job_starving()) {
        pool.patience_ticks = 1;
        pool.stuck_ticks = 0;
        return false;
    }
    if (progress || atomic_load_explicit(&pool.spinning, memory_order_relaxed) != 0) {
        pool.stuck_ticks = 0;
    } else if (++pool.stuck_ticks >= pool.patience_ticks) {
        spare_start();
        pool.stuck_ticks = 0;
        if (pool.patience_ticks < PATIENCE_TICKS_MAX) {
            pool.patience_ticks *= 2;
        }
    }
    return true;
}

/* ---- set-up ---- */

uint32_t geo_pool_workers(void)
{
    return pool.workers;
}

uint64_t geo_pool_spin_ns(void)
{
    return pool.spin_ns;
}

static void shards_init(void)
{
    memset(pool.shards, 0, sizeof(pool.shards));
    for (uint32_t i = 0; i < GEO_POOL_SHARDS; i++) {
        pool.shards[i].index = i;
    }
}

bool geo_pool_open(const struct geo_pool_config *config)
{
    bool done = true;
    pthread_mutex_lock(&open_lock);
    if (!pool.open) {
        uint32_t workers = config->workers ? config->workers : 1;
        if (config->cpus) {
            pool.cpus = malloc(workers * sizeof(*pool.cpus));
            done = pool.cpus != NULL;
        }
        if (done) {
            if (config->cpus) {
                memcpy(pool.cpus, config->cpus, workers * sizeof(*pool.cpus));
            }
            pool.workers = workers;
            pool.max_spinning = workers > 1 ? workers - 1 : 1;
            pool.spin_ns = config->spin_ns;
            pool.patience_ticks = 1;
            shards_init();
            geo_ticks_init();
            pool.open = true;
        }
    }
    pthread_mutex_unlock(&open_lock);
    return done;
}

void geo_pool_after_fork(void)
{
    for (uint32_t p = 0; p < GEO_POOL_PRIORITIES; p++) {
        atomic_store(&pool.ready[p], 0);
    }
    atomic_store(&pool.spinning, 0);
    atomic_store(&pool.sleeping, 0);
    atomic_store(&pool.tokens, 0);
    atomic_store(&pool.started, 0);
    atomic_store(&pool.spares, 0);
    shards_init();
}
