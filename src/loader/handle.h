/* The loader's handles for objects of a driver whose own begin with no dispatch tables, so that
 * several drivers can be told apart. Used by what translates calls (translate.h).
 *
 *     program's handle              the library's translation           driver's object
 *     +-----------------+          +-------------------------+         +-------------+
 *     | block: 4 tables |--------->| tables of translating   |         |             |
 *     | handle ---------+--------> | functions (translate.c) |  +----->|             |
 *     | self ...        |     |    +-------------------------+  |      +-------------+
 *     +-----------------+     +---------------------------------+
 *
 * One driver's handle of one type has one record as long as it lives, whichever call gave it: a map
 * leads from handles to records. Records are memory that only ever holds records of one type of one
 * library and is never given back, so that a handle which was destroyed is refused, not followed;
 * it may be in use again after some dozens of others.
 *
 * What the driver destroys by itself (kernels with their module, a graph's own list) the loader is
 * not told of: such a record stays, and serves the next object at that address. So there are never
 * more records than objects at a time and addresses of such.
 *
 * Reading a record takes no lock. Finding one by the driver's handle takes none either, as long as
 * nobody destroys an object of the same shard at that moment; creation and destruction take the
 * lock of a shard and that of a pool, one after the other, and never while a driver is called. */
#ifndef GEO_LOADER_HANDLE_H
#define GEO_LOADER_HANDLE_H

#include "ddi/geo_ddi_loader.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything of one library. */
struct geo_translation {
    ze_dditable_driver_t ze;                /* first: the block of every record leads here */
    const struct geo_ddi_table_set *tables; /* the driver's own functions */
    struct geo_translation_parts *parts;    /* handle.c's */
};

/* As long as a cache line, and aligned like one. block, self and type never change. */
struct geo_handle {
    ze_handle_t block;                 /* of the library's translation, so also who it belongs to */
    const struct geo_handle *self;     /* itself: else it is no record */
    _Atomic(void *) handle;            /* the driver's; NULL: there is no such object */
    _Atomic(struct geo_handle *) next; /* in its bucket, or among free records */
    uint16_t type;                     /* enum geo_ddi_handle_id */
    bool listed;                       /* in the map; under the shard's lock */
    atomic_bool leaving;               /* its destruction has begun */
    /* Kernels: how many arguments it has, + 1; 0: not asked yet. */
    _Atomic uint32_t argument_count;
};

/* For a library, with its own functions and with those that translate. NULL when memory ran out.
 * Lives as long as the process. Under the loader's lock. */
struct geo_translation *geo_translation_create(const struct geo_ddi_table_set *tables,
                                               const struct geo_ddi_table_set *functions);

static inline void *geo_handle_driver(const struct geo_handle *handle)
{
    return atomic_load_explicit(&handle->handle, memory_order_acquire);
}

/* Whose object it is. */
static inline struct geo_translation *geo_handle_translation(const struct geo_handle *handle)
{
    return (struct geo_translation *)(void *)handle->block.pCore;
}

/* The handle for an object of the driver, made if there is none yet. NULL when memory ran out.
 * `driver` is not NULL. */
struct geo_handle *geo_handle_get(struct geo_translation *translation, enum geo_ddi_handle_id type,
                                  void *driver);

/* Takes records for so many objects that are about to be made, linked by `next`, so that there is
 * no lack of them afterwards. NULL when memory ran out. */
struct geo_handle *geo_handle_reserve(struct geo_translation *translation,
                                      enum geo_ddi_handle_id type, size_t count);
/* Gives back records that were not needed. */
void geo_handle_unreserve(struct geo_handle *first);
/* The handle for an object that the driver has just made: the reserved record, or the one that an
 * object had at that address which the driver has destroyed by itself; then that is given back. */
struct geo_handle *geo_handle_made(struct geo_handle *reserved, void *driver);

/* Before the driver destroys the object; false: somebody else does. */
bool geo_handle_leave(struct geo_handle *handle);
/* After it: the record is free, or the object is there still. Another thread may have an object at
 * the same address by now. */
void geo_handle_left(struct geo_handle *handle, bool gone);

/* The record that an address is, of an object of this type; NULL when it is none. Reads nothing
 * there but records. */
struct geo_handle *geo_handle_find(struct geo_translation *translation, enum geo_ddi_handle_id type,
                                   const void *address);
/* The same among all libraries. */
struct geo_handle *geo_handle_find_any(enum geo_ddi_handle_id type, const void *address);
/* Whether there has been an object of this type. */
bool geo_handle_any(const struct geo_translation *translation, enum geo_ddi_handle_id type);

#endif
