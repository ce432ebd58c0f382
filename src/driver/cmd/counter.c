/* The store of counters. See counter.h. */
#include "driver/cmd/counter.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS_PER_BLOCK 64u

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct geo_counter *free_counters; /* under free_lock */

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
        atomic_store_explicit(&counter->references, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&free_lock);
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
