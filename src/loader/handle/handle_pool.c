/* Allocates records. See handle_pool.h. */
#include "loader/handle/handle_pool.h"

#include "base/assert.h"

#include <stdlib.h>

/* Number of free records that must exist before one is reused. */
#define QUIET 48

static size_t slab_length(size_t index)
{
    return (size_t)GEO_POOL_FIRST << index;
}

/* Returns whether the fields of a pool agree: slabs are filled from the front, and the queue of
 * free records has two ends or none. The pool's lock is held. */
static bool pool_is_valid(const struct geo_handle_pool *pool)
{
    const size_t slabs = pool->slab_count;
    const bool filled = slabs <= GEO_POOL_SLABS &&
                        (slabs == 0 || atomic_load(&pool->slabs[slabs - 1])) &&
                        (slabs == GEO_POOL_SLABS || !atomic_load(&pool->slabs[slabs]));
    const bool queued = !pool->first_free == !pool->last_free &&
                        !pool->first_free == (pool->free_count == 0) &&
                        (!pool->last_free || !atomic_load(&pool->last_free->next));
    return geo_object_lock_held(&pool->lock) && filled && queued &&
           pool->fresh <= (slabs ? slab_length(slabs - 1) : 0);
}

/* Allocates a slab and initialises all its records before any of them can be found. */
static bool slab_add(struct geo_handle_pool *pool, const struct geo_handle *pattern)
{
    const size_t index = pool->slab_count, count = index < GEO_POOL_SLABS ? slab_length(index) : 0;
    GEO_ASSERT(pool->fresh == 0); /* else records of the last slab would be lost */
    struct geo_handle *slab =
        count ? aligned_alloc(sizeof(struct geo_handle), count * sizeof(struct geo_handle)) : NULL;
    if (!slab) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        slab[i].block = pattern->block;
        slab[i].self = &slab[i];
        atomic_init(&slab[i].handle, NULL);
        atomic_init(&slab[i].next, NULL);
        slab[i].type = pattern->type;
        slab[i].listed = false;
        atomic_init(&slab[i].leaving, false);
        atomic_init(&slab[i].argument_count, 0);
    }
    atomic_store_explicit(&pool->slabs[index], slab, memory_order_release);
    pool->slab_count++;
    pool->fresh = count;
    return true;
}

static struct geo_handle *free_take(struct geo_handle_pool *pool)
{
    struct geo_handle *handle = pool->first_free;
    GEO_ASSERT(handle && pool->free_count);
    pool->first_free = atomic_load_explicit(&handle->next, memory_order_relaxed);
    pool->last_free = pool->first_free ? pool->last_free : NULL;
    pool->free_count--;
    return handle;
}

static struct geo_handle *fresh_take(struct geo_handle_pool *pool)
{
    GEO_ASSERT(pool->fresh && pool->slab_count);
    struct geo_handle *slab = atomic_load(&pool->slabs[pool->slab_count - 1]);
    return &slab[slab_length(pool->slab_count - 1) - pool->fresh--];
}

static struct geo_handle *take_locked(struct geo_handle_pool *pool,
                                      const struct geo_handle *pattern)
{
    GEO_ASSERT(pool_is_valid(pool));
    if (pool->free_count > QUIET) {
        return free_take(pool);
    }
    if (pool->fresh || slab_add(pool, pattern)) {
        return fresh_take(pool);
    }
    return pool->free_count ? free_take(pool) : NULL;
}

struct geo_handle *geo_handle_pool_take(struct geo_handle_pool *pool,
                                        const struct geo_handle *pattern)
{
    geo_object_lock_acquire(&pool->lock);
    struct geo_handle *handle = take_locked(pool, pattern);
    GEO_ASSERT(pool_is_valid(pool));
    geo_object_lock_release(&pool->lock);
    if (handle) {
        GEO_ASSERT(handle->self == handle && handle->type == pattern->type && !handle->listed);
        atomic_store_explicit(&handle->next, NULL, memory_order_release);
        atomic_store_explicit(&handle->leaving, false, memory_order_relaxed);
    }
    return handle;
}

void geo_handle_pool_give(struct geo_handle_pool *pool, struct geo_handle *handle)
{
    GEO_ASSERT(geo_handle_pool_find(pool, handle) == handle && !handle->listed);
    atomic_store_explicit(&handle->handle, NULL, memory_order_release);
    atomic_store_explicit(&handle->next, NULL, memory_order_release);
    geo_object_lock_acquire(&pool->lock);
    GEO_ASSERT(pool_is_valid(pool) && handle != pool->last_free);
    if (pool->last_free) {
        atomic_store_explicit(&pool->last_free->next, handle, memory_order_release);
    } else {
        pool->first_free = handle;
    }
    pool->last_free = handle;
    pool->free_count++;
    GEO_ASSERT(pool_is_valid(pool));
    geo_object_lock_release(&pool->lock);
}

struct geo_handle *geo_handle_pool_find(const struct geo_handle_pool *pool, const void *address)
{
    for (size_t i = 0; i < GEO_POOL_SLABS; i++) {
        struct geo_handle *slab = atomic_load_explicit(&pool->slabs[i], memory_order_acquire);
        if (!slab) {
            return NULL;
        }
        const uintptr_t distance = (uintptr_t)address - (uintptr_t)slab;
        if (distance < slab_length(i) * sizeof(*slab)) {
            return distance % sizeof(*slab) == 0 ? &slab[distance / sizeof(*slab)] : NULL;
        }
    }
    return NULL;
}
