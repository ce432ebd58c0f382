/* The queues of ready tasks, in shards. See task.h. */
#include "exec/crew/task.h"

#include "base/assert.h"

#include <string.h>

#define MOMENT_NS   150u /* time in which a thread may run a task that it submitted itself */
#define MOMENTS_LOG 4u   /* looks that find nothing become rarer, by up to this power of 2 */
#define MARK_READY  0x8000u

_Static_assert(sizeof(((struct geo_task_snapshot *)0)->marks) / sizeof(uint16_t) == GEO_TASK_SHARDS,
               "a snapshot has a mark for each shard");

void geo_task_queues_init(struct geo_task_queues *queues)
{
    for (uint32_t p = 0; p < GEO_TASK_PRIORITIES; p++) {
        atomic_store(&queues->used[p], 0);
    }
    memset(queues->shards, 0, sizeof(queues->shards));
    for (uint32_t i = 0; i < GEO_TASK_SHARDS; i++) {
        queues->shards[i].index = i;
        queues->shards[i].queues = queues;
    }
}

void geo_task_init(struct geo_task *task, struct geo_task_queues *queues, uint32_t priority,
                   void (*run)(struct geo_task *, struct geo_exec_worker *))
{
    uint32_t shard = atomic_fetch_add_explicit(&queues->next_shard, 1, memory_order_relaxed);
    GEO_ASSERT(run && priority < GEO_TASK_PRIORITIES);
    *task = (struct geo_task){
        .shard = &queues->shards[shard % GEO_TASK_SHARDS],
        .priority = priority,
        .state = GEO_TASK_IDLE,
        .run = run,
    };
}

/* Returns whether the list and the word of a shard agree on this priority. Its lock is held. */
static bool shard_is_valid(const struct geo_shard *shard, uint32_t priority)
{
    const struct geo_task *head = shard->head[priority], *tail = shard->tail[priority];
    const uint32_t word = atomic_load_explicit(&shard->word, memory_order_relaxed);
    const bool ready = (word & GEO_SHARD_READY(priority)) != 0;
    const bool now = (word & GEO_SHARD_NOW(priority)) != 0;
    return geo_lock_held(&shard->lock) && ready == (head != NULL) && ready == (tail != NULL) &&
           (ready || !now) && (!ready || (!head->previous && !tail->next));
}

/* Publishes that a task is ready, before the submitter checks whether a worker is awake. A worker
 * that goes to sleep publishes that first and then looks here, so one of them sees the other. */
static void shard_tell_locked(struct geo_shard *shard, uint32_t priority, bool now)
{
    _Atomic uint64_t *used = &shard->queues->used[priority];
    uint64_t bit = 1ull << shard->index;
    uint32_t word = atomic_load_explicit(&shard->word, memory_order_relaxed);
    uint32_t more = GEO_SHARD_READY(priority) | (now ? GEO_SHARD_NOW(priority) : 0);
    if ((word | more) != word) {
        atomic_store_explicit(&shard->word, word | more, memory_order_seq_cst);
    }
    if (!(atomic_load_explicit(used, memory_order_seq_cst) & bit)) {
        atomic_fetch_or_explicit(used, bit, memory_order_seq_cst);
    }
}

void geo_task_ready_locked(struct geo_task *task, bool now)
{
    struct geo_shard *shard = task->shard;
    uint32_t p = task->priority;
    GEO_ASSERT(shard_is_valid(shard, p));
    geo_task_set_state_locked(task, GEO_TASK_READY);
    task->next = NULL;
    task->previous = shard->tail[p];
    if (shard->tail[p]) {
        shard->tail[p]->next = task;
    } else {
        shard->head[p] = task;
    }
    shard->tail[p] = task;
    shard_tell_locked(shard, p, now);
    GEO_ASSERT(shard_is_valid(shard, p));
}

void geo_task_claim_locked(struct geo_task *task)
{
    struct geo_shard *shard = task->shard;
    uint32_t p = task->priority;
    GEO_ASSERT(shard_is_valid(shard, p) && shard->head[p]);
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
    uint32_t word = atomic_load_explicit(&shard->word, memory_order_relaxed) + GEO_SHARD_TAKEN;
    if (!shard->head[p]) {
        word &= ~(GEO_SHARD_READY(p) | GEO_SHARD_NOW(p));
    }
    atomic_store_explicit(&shard->word, word, memory_order_relaxed);
    task->next = task->previous = NULL;
    GEO_ASSERT(shard_is_valid(shard, p) && atomic_load(&task->state) == GEO_TASK_READY);
    geo_task_set_state_locked(task, GEO_TASK_RUNNING);
}

static uint32_t shard_word(const struct geo_shard *shard)
{
    return atomic_load_explicit(&shard->word, memory_order_seq_cst);
}

static struct geo_task *shard_take(struct geo_shard *shard, uint32_t priority)
{
    if (!(shard_word(shard) & GEO_SHARD_READY(priority))) {
        return NULL;
    }
    geo_lock_acquire(&shard->lock);
    struct geo_task *task = shard->head[priority];
    if (task) {
        geo_task_claim_locked(task);
    }
    geo_lock_release(&shard->lock);
    return task;
}

static uint64_t shards_used(const struct geo_task_queues *queues, uint32_t below)
{
    uint64_t mask = 0;
    GEO_ASSERT(below <= GEO_TASK_PRIORITIES);
    for (uint32_t p = 0; p < below; p++) {
        mask |= atomic_load_explicit(&queues->used[p], memory_order_seq_cst);
    }
    return mask;
}

bool geo_tasks_ready(const struct geo_task_queues *queues, uint32_t below)
{
    for (uint64_t mask = shards_used(queues, below); mask; mask &= mask - 1) {
        if (shard_word(&queues->shards[__builtin_ctzll(mask)]) & ((1u << below) - 1)) {
            return true;
        }
    }
    return false;
}

/* Returns a number that changes after a task was taken, or was added to an empty shard. */
static uint16_t shard_mark(uint32_t word)
{
    uint32_t taken = word / GEO_SHARD_TAKEN % MARK_READY;
    return (uint16_t)(taken | (word & GEO_SHARD_ANY ? MARK_READY : 0));
}

/* Reading a shard's word takes its cache line from the submitting thread. So if threads run their
 * own submissions, workers look less often. */
bool geo_tasks_left(const struct geo_task_queues *queues, struct geo_task_snapshot *snapshot)
{
    uint64_t now = geo_machine_ticks();
    bool moved = false;
    if (geo_ticks_to_ns(now - snapshot->ticks) < MOMENT_NS << snapshot->idle) {
        return snapshot->left != 0;
    }
    snapshot->ticks = now;
    snapshot->left = 0;
    for (uint64_t mask = shards_used(queues, GEO_TASK_PRIORITIES); mask; mask &= mask - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(mask);
        uint32_t word = shard_word(&queues->shards[index]);
        uint16_t mark = shard_mark(word);
        bool stayed = mark & MARK_READY && mark == snapshot->marks[index];
        if (stayed || word & GEO_SHARD_ANY << GEO_TASK_PRIORITIES) {
            snapshot->left |= 1ull << index;
        }
        moved = moved || mark != snapshot->marks[index];
        snapshot->marks[index] = mark;
    }
    if (snapshot->left != 0 || !moved) {
        snapshot->idle = 0;
    } else if (snapshot->idle < MOMENTS_LOG) {
        snapshot->idle++;
    }
    return snapshot->left != 0;
}

struct geo_task *geo_task_take(struct geo_task_queues *queues, struct geo_exec_worker *worker)
{
    struct geo_task_snapshot *snapshot = worker->snapshot;
    if (snapshot && !geo_tasks_left(queues, snapshot)) {
        return NULL;
    }
    uint64_t from = snapshot ? snapshot->left : UINT64_MAX;
    for (uint32_t p = 0; p < GEO_TASK_PRIORITIES; p++) {
        uint64_t mask = from & atomic_load_explicit(&queues->used[p], memory_order_seq_cst);
        while (mask) {
            uint32_t turn = worker->rotor++ % GEO_TASK_SHARDS;
            uint64_t after = mask >> turn << turn; /* shards from this turn on */
            uint32_t index = (uint32_t)__builtin_ctzll(after ? after : mask);
            struct geo_task *task = shard_take(&queues->shards[index], p);
            if (task) {
                return task;
            }
            mask &= ~(1ull << index);
        }
    }
    if (snapshot) {
        snapshot->left = 0;
    }
    return NULL;
}
