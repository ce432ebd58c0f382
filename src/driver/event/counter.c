/* The pool of counters of counter-based events. A list takes one when it first signals such an
 * event; a counter without references is reused. See counter.h. */
#include "driver/event/counter.h"

#include "base/fork.h"
#include "base/lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS_PER_BLOCK 64u

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
/* [whether they are shared]; protected by free_lock */
static struct geo_counter *free_counters[2];
/* incremented in each child of a fork; protected by free_lock */
static uint32_t generation;

static void fork_prepare(void)
{
    pthread_mutex_lock(&free_lock);
}

static void fork_release(void)
{
    pthread_mutex_unlock(&free_lock);
}

/* Runs in the child: forgets the free shared counters, because they belong to the parent. The new
 * generation keeps counters that become free later out of the child's free list. */
static void fork_child(void)
{
    generation++;
    free_counters[true] = NULL;
    pthread_mutex_unlock(&free_lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_COUNTERS,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_child,
};
GEO_FORK_AT_LOAD(fork_handler)

static struct geo_counter *block_create(uint32_t count)
{
    struct geo_counter *block = aligned_alloc(64, count * sizeof(*block));
    if (block) {
        memset(block, 0, count * sizeof(*block));
    }
    return block;
}

static void counter_free_locked(struct geo_counter *counter)
{
    bool shared = counter->page != NULL;
    GEO_ASSERT(geo_mutex_held(&free_lock));
    GEO_ASSERT(counter->slot != NULL && shared == (counter->slot != &counter->own));
    GEO_ASSERT(atomic_load_explicit(&counter->references, memory_order_relaxed) == 0);
    if (shared && counter->page->generation != generation) {
        return;
    }
    counter->next = free_counters[shared];
    free_counters[shared] = counter;
}

static void block_add_locked(void)
{
    struct geo_counter *block = block_create(COUNTERS_PER_BLOCK);
    for (uint32_t i = 0; block && i < COUNTERS_PER_BLOCK; i++) {
        block[i].slot = &block[i].own;
        counter_free_locked(&block[i]);
    }
}

static void page_add_locked(struct geo_driver *driver)
{
    const uint32_t count = GEO_COUNTER_PAGE_BYTES / sizeof(struct geo_event_slot);
    struct geo_counter_page *page = calloc(1, sizeof(*page));
    struct geo_counter *block = page ? block_create(count) : NULL;
    if (!block || driver->ops->memory->allocate(driver->backend, NULL, GEO_MEMORY_HOST,
                                                GEO_COUNTER_PAGE_BYTES, 0, GEO_MEMORY_EXPORTABLE,
                                                &page->allocation) != ZE_RESULT_SUCCESS) {
        free(block);
        free(page);
        return;
    }
    page->generation = generation;
    struct geo_event_slot *slots = page->allocation.base;
    for (uint32_t i = 0; i < count; i++) {
        slots[i].flags = GEO_EVENT_SHARED;
        block[i].slot = &slots[i];
        block[i].page = page;
        counter_free_locked(&block[i]);
    }
}

/* Returns the value from which a counter continues. Peers may have written anything into a shared
 * slot, so the last value in use is restored there. No work in flight raises it. */
static uint64_t counter_value(struct geo_counter *counter)
{
    if (!counter->page) {
        return atomic_load_explicit(&counter->slot->value, memory_order_acquire);
    }
    uint64_t value = atomic_load_explicit(&counter->next_base, memory_order_relaxed);
    atomic_store_explicit(&counter->slot->value, value, memory_order_release);
    return value;
}

struct geo_counter *geo_counter_acquire(struct geo_driver *driver, bool shared)
{
    pthread_mutex_lock(&free_lock);
    if (!free_counters[shared]) {
        shared ? page_add_locked(driver) : block_add_locked();
    }
    struct geo_counter *counter = free_counters[shared];
    if (counter) {
        free_counters[shared] = counter->next;
    }
    pthread_mutex_unlock(&free_lock);
    if (counter) {
        uint64_t value = counter_value(counter);
        GEO_ASSERT(shared == (counter->page != NULL));
        GEO_ASSERT(atomic_load_explicit(&counter->references, memory_order_relaxed) == 0);
        atomic_store_explicit(&counter->references, 1, memory_order_relaxed);
        atomic_store_explicit(&counter->slot->lost_from, 0, memory_order_relaxed);
        atomic_store_explicit(&counter->base, value, memory_order_relaxed);
        atomic_store_explicit(&counter->next_base, value, memory_order_relaxed);
    }
    return counter;
}

void geo_counter_unref(struct geo_counter *counter)
{
    GEO_ASSERT(!counter || atomic_load_explicit(&counter->references, memory_order_relaxed) != 0);
    if (counter && atomic_fetch_sub_explicit(&counter->references, 1, memory_order_acq_rel) == 1) {
        pthread_mutex_lock(&free_lock);
        counter_free_locked(counter);
        pthread_mutex_unlock(&free_lock);
    }
}
