/* Memory for the records of one type of one library. Used by handle.c only.
 *
 * Slabs double in size, so there are few, and a few comparisons tell whether an address is in one
 * of them. Free records are queued. The record that has been free longest is reused first, and only
 * when some dozens are free. */
#ifndef GEO_LOADER_HANDLE_POOL_H
#define GEO_LOADER_HANDLE_POOL_H

#include "base/lock.h"
#include "loader/handle/handle.h"

enum { GEO_POOL_SLABS = 26, GEO_POOL_FIRST = 64 }; /* slab i has GEO_POOL_FIRST << i records */

/* A zeroed struct is an empty pool. */
struct geo_handle_pool {
    struct geo_object_lock lock;
    /* Entries never change once set. */
    _Atomic(struct geo_handle *) slabs[GEO_POOL_SLABS];
    /* The fields below are protected by the lock. */
    size_t slab_count, fresh; /* fresh: never used records of the last slab */
    struct geo_handle *first_free, *last_free;
    size_t free_count;
};

/* Returns a record with the block and type of `pattern`, or NULL when memory ran out. */
struct geo_handle *geo_handle_pool_take(struct geo_handle_pool *pool,
                                        const struct geo_handle *pattern);
void geo_handle_pool_give(struct geo_handle_pool *pool, struct geo_handle *handle);
/* Returns the record at an address, or NULL. */
struct geo_handle *geo_handle_pool_find(const struct geo_handle_pool *pool, const void *address);

#endif
