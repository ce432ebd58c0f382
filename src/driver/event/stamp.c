/* The pool of stamps. See stamp.h.
 *
 * A released stamp goes to the end of a queue, because its command may still write to it. Only a
 * few of the oldest are checked before memory is allocated. */
#include "driver/event/stamp.h"

#include "base/assert.h"
#include "base/fork.h"
#include "base/lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STAMPS_PER_BLOCK 32u
#define LOOKS            4u

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct geo_stamp *free_head, **free_end = &free_head; /* protected by free_lock */

static void fork_prepare(void)
{
    pthread_mutex_lock(&free_lock);
}

static void fork_release(void)
{
    pthread_mutex_unlock(&free_lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_STAMPS,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_release,
};
GEO_FORK_AT_LOAD(fork_handler)

static void stamp_push_locked(struct geo_stamp *stamp)
{
    GEO_ASSERT(geo_mutex_held(&free_lock) && *free_end == NULL);
    GEO_ASSERT(atomic_load_explicit(&stamp->base.references, memory_order_relaxed) <= 1);
    stamp->next = NULL;
    *free_end = stamp;
    free_end = &stamp->next;
}

static struct geo_stamp *stamp_pop_locked(void)
{
    struct geo_stamp *stamp = free_head;
    GEO_ASSERT(geo_mutex_held(&free_lock) && stamp != NULL);
    free_head = stamp->next;
    if (!free_head) {
        free_end = &free_head;
    }
    return stamp;
}

/* Returns the oldest free stamp whose command has completed. Stamps still in flight are moved to
 * the end of the queue. */
static struct geo_stamp *stamp_find_locked(void)
{
    for (uint32_t i = 0; i < LOOKS && free_head; i++) {
        struct geo_stamp *stamp = stamp_pop_locked();
        if (!stamp->written.slot || geo_command_event_complete(&stamp->written)) {
            return stamp;
        }
        stamp_push_locked(stamp);
    }
    return NULL;
}

static struct geo_stamp *block_add_locked(void)
{
    struct geo_stamp *block = calloc(STAMPS_PER_BLOCK, sizeof(*block));
    for (uint32_t i = 1; block && i < STAMPS_PER_BLOCK; i++) {
        stamp_push_locked(&block[i]);
    }
    return block;
}

static void stamp_release(struct geo_object *object)
{
    pthread_mutex_lock(&free_lock);
    stamp_push_locked((struct geo_stamp *)object);
    pthread_mutex_unlock(&free_lock);
}

struct geo_stamp *geo_stamp_acquire(void)
{
    pthread_mutex_lock(&free_lock);
    struct geo_stamp *stamp = stamp_find_locked();
    if (!stamp) {
        stamp = block_add_locked();
    }
    pthread_mutex_unlock(&free_lock);
    if (stamp) {
        stamp->written.slot = NULL;
        stamp->base.destroy = stamp_release;
        atomic_store_explicit(&stamp->base.references, 1, memory_order_relaxed);
        GEO_ASSERT(geo_stamp_idle(stamp));
    }
    return stamp;
}
