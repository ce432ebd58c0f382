/* The map of allocations by address. See ranges.h. */
#include "layers/validation/address/ranges.h"
#include "layers/validation/address/pages.h"
#include "layers/validation/address/system_memory.h"

#include "base/fork.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

enum { READERS = 16 };

static struct {
    _Alignas(64) pthread_rwlock_t lock;
} readers[READERS];
static void *tree; /* of struct geo_val_range; overlapping ranges compare equal */

/* Initialises the locks. Also runs in a child of fork, where a lock's holder may not exist. */
__attribute__((constructor)) static void readers_make(void)
{
    for (size_t i = 0; i < READERS; i++) {
        pthread_rwlock_init(&readers[i].lock, NULL);
    }
}

void *geo_val_ranges_read_begin(void)
{
    pthread_rwlock_t *lock = &readers[geo_val_report_thread() % READERS].lock;
    pthread_rwlock_rdlock(lock);
    return lock;
}

void geo_val_ranges_read_end(void *reader)
{
    pthread_rwlock_unlock(reader);
}

void geo_val_ranges_write_begin(void)
{
    for (size_t i = 0; i < READERS; i++) {
        pthread_rwlock_wrlock(&readers[i].lock);
    }
}

void geo_val_ranges_write_end(void)
{
    for (size_t i = READERS; i-- > 0;) {
        pthread_rwlock_unlock(&readers[i].lock);
    }
}

static struct geo_fork_handler fork_handler = {.order = GEO_FORK_VALIDATION_RANGES,
                                               .prepare = geo_val_ranges_write_begin,
                                               .parent = geo_val_ranges_write_end,
                                               .child = readers_make};
GEO_FORK_AT_LOAD(fork_handler)

/* --- the tree --- */

static int range_compare(const void *one, const void *other)
{
    const struct geo_val_range *a = one, *b = other;
    if (a->base + a->size <= b->base) {
        return -1;
    }
    return b->base + b->size <= a->base ? 1 : 0;
}

static struct geo_val_range *range_at(uintptr_t address, size_t size)
{
    const struct geo_val_range key = {.base = address, .size = size ? size : 1};
    struct geo_val_range **node = tfind(&key, &tree, range_compare);
    return node ? *node : NULL;
}

/* Returns the range that starts at the address, or NULL. */
static struct geo_val_range *range_of(uintptr_t base)
{
    struct geo_val_range *range = range_at(base, 1);
    return range && range->base == base ? range : NULL;
}

static void range_remove(struct geo_val_range *range)
{
    tdelete(range, &tree, range_compare);
    free(range);
}

/* --- for the memory tracker --- */

bool geo_val_range_find(uintptr_t address, struct geo_val_range *range)
{
    void *const reader = geo_val_ranges_read_begin();
    const struct geo_val_range *found = range_at(address, 1);
    if (found) {
        *range = *found;
    }
    geo_val_ranges_read_end(reader);
    return found != NULL;
}

static void range_add_locked(const struct geo_val_range *range)
{
    struct geo_val_range *old = range_of(range->base);
    if (old && !old->freed && old->size == range->size) {
        old->opened++;
        return;
    }
    while ((old = range_at(range->base, range->size))) {
        range_remove(old); /* it was freed, or its release was not seen */
    }
    struct geo_val_range *fresh = malloc(sizeof(*fresh));
    if (fresh) {
        *fresh = *range;
        fresh->opened = 1;
    }
    if (!fresh || !tsearch(fresh, &tree, range_compare)) {
        free(fresh);
        geo_val_allocations_unseen(); /* memory ran out: freeing this range must not be reported */
    }
}

void geo_val_range_add(const struct geo_val_range *range)
{
    geo_val_ranges_write_begin();
    range_add_locked(range);
    geo_val_ranges_write_end();
}

bool geo_val_range_free(uintptr_t base, struct geo_val_moment ended)
{
    geo_val_ranges_write_begin();
    struct geo_val_range *range = range_of(base);
    const bool lives = range && !range->freed;
    if (lives && --range->opened == 0) {
        range->freed = true;
        range->history.ended = ended;
    }
    geo_val_ranges_write_end();
    return lives;
}

void geo_val_range_keep(uintptr_t base)
{
    geo_val_ranges_write_begin();
    struct geo_val_range *range = range_of(base);
    if (range) {
        range->freed = false;
        range->opened++;
        range->history.ended.function = GEO_DDI_FUNCTION_COUNT;
    }
    geo_val_ranges_write_end();
}

void geo_val_range_settle(uintptr_t base, bool forget_foreign)
{
    const bool gone = !geo_val_page_exists(base);
    geo_val_ranges_write_begin();
    struct geo_val_range *range = range_of(base);
    if (range && range->freed && range->foreign && forget_foreign) {
        range_remove(range);
    } else if (range && range->freed) {
        range->gone = gone;
    }
    geo_val_ranges_write_end();
}

bool geo_val_range_is_empty(uintptr_t address, const struct geo_val_range *freed)
{
    return !geo_val_page_exists(address) || (!freed->gone && geo_val_page_is_shared(address));
}

static void (*visitor)(const struct geo_val_range *range); /* protected by the writers' locks */

static void range_visit(const void *node, VISIT which, int depth)
{
    (void)depth;
    const struct geo_val_range *range = *(struct geo_val_range *const *)node;
    if ((which == postorder || which == leaf) && !range->freed) {
        visitor(range);
    }
}

void geo_val_ranges_each(void (*visit)(const struct geo_val_range *range))
{
    geo_val_ranges_write_begin();
    visitor = visit;
    twalk(tree, range_visit);
    geo_val_ranges_write_end();
}
