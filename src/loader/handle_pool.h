/* Records of one type of one library: where their memory comes from. Used by handle.c only.
 *
 * Slabs double in size, so that there are few and an address is found among them by some
 * comparisons. Free records wait in a row: the one that is free longest is taken first, and not
 * before there are some dozens. */
#ifndef GEO_LOADER_HANDLE_POOL_H
#define GEO_LOADER_HANDLE_POOL_H

#include "base/lock.h"
#include "loader/handle.h"

enum { GEO_POOL_SLABS = 26, GEO_POOL_FIRST = 64 }; /* records of slab i: FIRST << i */

/* Zeroed: empty. */
struct geo_handle_pool {
    struct geo_object_lock lock;
    /* Never changed once set. */
    _Atomic(struct geo_handle *) slabs[GEO_POOL_SLABS];
    /* Under the lock. */
    size_t slab_count, fresh; /* records of the last slab that nobody has had */
    struct geo_handle *first_free, *last_free;
    size_t free_count;
};

/* A record like `pattern`; NULL when memory ran out. */
struct geo_handle *geo_handle_pool_take(struct geo_handle_pool *pool,
                                        const struct geo_handle *pattern);
void geo_handle_pool_give(struct geo_handle_pool *pool, struct geo_handle *handle);
/* The record at an address, or NULL. */
struct geo_handle *geo_handle_pool_find(const struct geo_handle_pool *pool, const void *address);

#endif
