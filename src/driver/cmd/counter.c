/* The store of counters behind counter-based events: taken when an in-order list first signals one,
 * used again when nobody refers to it. See counter.h. */
#include "driver/cmd/counter.h"

#include "base/fork.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS_PER_BLOCK 64u

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct geo_counter *free_counters; /* under free_lock */

static void fork_prepare(void)
{
    pthread_mutex_lock(&free_lock);
}

static void fork_release(void)
{
    pthread_mutex_unlock(&free_lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_COUNTERS,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_release,
};
GEO_FORK_AT_LOAD(fork_handler)

static void block_add_locked(void)
{
    struct geo_counter *block = aligned_alloc(64, COUNTERS_PER_BLOCK * sizeof(*block));
    if (!block) {
        return;
    }
    memset(block, 0, COUNTERS_PER_BLOCK * sizeof(*block));
    for (uint32_t i = 0; i < COUNTERS_PER_BLOCK; i++) {
        block[i].next = free_counters;
        free_counters = &block[i];
    }
}

struct geo_counter *geo_counter_acquire(void)
{
    pthread_mutex_lock(&free_lock);
    if (!free_counters) {
        block_add_locked();
    }
    struct geo_counter *counter = free_counters;
    if (counter) {
        free_counters = counter->next;
    }
    pthread_mutex_unlock(&free_lock);
    if (counter) {
        uint64_t value = atomic_load_explicit(&counter->slot.value, memory_order_acquire);
        atomic_store_explicit(&counter->references, 1, memory_order_relaxed);
        atomic_store_explicit(&counter->slot.lost_from, 0, memory_order_relaxed);
        atomic_store_explicit(&counter->base, value, memory_order_relaxed);
        counter->next_base = value;
    }
    return counter;
}

void geo_counter_unref(struct geo_counter *counter)
{
    if (counter && atomic_fetch_sub_explicit(&counter->references, 1, memory_order_acq_rel) == 1) {
        pthread_mutex_lock(&free_lock);
        counter->next = free_counters;
        free_counters = counter;
        pthread_mutex_unlock(&free_lock);
    }
}
