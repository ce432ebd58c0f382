/* Pools of events with timestamps. See timer.h. */
#include "timer.h"

#include <stdlib.h>

enum { POOL_EVENTS = 64 };

struct pool {
    ze_event_pool_handle_t handle;
    struct pool *next;
    struct timer timers[POOL_EVENTS];
};

static void pool_destroy(struct pool *pool)
{
    for (int i = 0; i < POOL_EVENTS; i++) {
        if (pool->timers[i].event) {
            zeEventDestroy(pool->timers[i].event);
        }
    }
    if (pool->handle) {
        zeEventPoolDestroy(pool->handle);
    }
    free(pool);
}

static ze_result_t pool_init(struct pool *pool, struct timers *owner)
{
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                                                ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                                       .count = POOL_EVENTS};
    ze_result_t result = zeEventPoolCreate(owner->context, &desc, 0, NULL, &pool->handle);
    for (uint32_t i = 0; i < POOL_EVENTS && result == ZE_RESULT_SUCCESS; i++) {
        const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        pool->timers[i].owner = owner;
        result = zeEventCreate(pool->handle, &event, &pool->timers[i].event);
    }
    return result;
}

static void pool_add(struct timers *timers)
{
    struct pool *pool = calloc(1, sizeof(*pool));
    if (!pool) {
        return;
    }
    if (pool_init(pool, timers) != ZE_RESULT_SUCCESS) {
        pool_destroy(pool);
        return;
    }
    pool->next = timers->pools;
    timers->pools = pool;
    for (int i = POOL_EVENTS; i-- > 0;) {
        timer_put(&pool->timers[i]);
    }
}

struct timer *timer_take(struct timers *timers)
{
    if (!timers->free) {
        pool_add(timers);
    }
    struct timer *timer = timers->free;
    if (timer && zeEventHostReset(timer->event) != ZE_RESULT_SUCCESS) {
        return NULL;
    }
    if (timer) {
        timers->free = timer->next;
    }
    return timer;
}

void timer_put(struct timer *timer)
{
    timer->next = timer->owner->free;
    timer->owner->free = timer;
}

void timers_finish(struct timers *timers)
{
    for (struct pool *pool = timers->pools, *next; pool; pool = next) {
        next = pool->next;
        pool_destroy(pool);
    }
    *timers = (struct timers){.context = timers->context};
}
