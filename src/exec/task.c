/* The host runtime's queues of ready tasks: the shards that workers take from. See task.h. */
#include "exec/task.h"

#include <string.h>

void geo_task_queues_init(struct geo_task_queues *queues)
{
    for (uint32_t p = 0; p < GEO_TASK_PRIORITIES; p++) {
        atomic_store(&queues->ready[p], 0);
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
    *task = (struct geo_task){
        .shard = &queues->shards[shard % GEO_TASK_SHARDS],
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
        atomic_fetch_or_explicit(&shard->queues->ready[p], 1ull << shard->index,
                                 memory_order_seq_cst);
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
        atomic_fetch_and_explicit(&shard->queues->ready[p], ~(1ull << shard->index),
                                  memory_order_seq_cst);
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

struct geo_task *geo_task_take(struct geo_task_queues *queues, struct geo_exec_worker *worker)
{
    for (uint32_t p = 0; p < GEO_TASK_PRIORITIES; p++) {
        uint64_t mask = atomic_load_explicit(&queues->ready[p], memory_order_seq_cst);
        while (mask) {
            uint32_t turn = worker->rotor++ % GEO_TASK_SHARDS;
            uint64_t after = mask >> turn << turn; /* shards from our turn on */
            uint32_t index = (uint32_t)__builtin_ctzll(after ? after : mask);
            struct geo_task *task = shard_take(&queues->shards[index], p);
            if (task) {
                return task;
            }
            mask &= ~(1ull << index);
        }
    }
    return NULL;
}
