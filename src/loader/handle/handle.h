/* The loader's own handles for objects of a driver whose handles do not start with dispatch tables.
 * They allow calls to be dispatched between several drivers. Used by the code that translates calls
 * (translate.h).
 *
 *     program's handle               the library's translation     driver's object
 *     +-----------------+            +-------------------------+       +-------------+
 *     | block: 4 tables |----------->| tables of translating   |       |             |
 *     | handle ---------+--------+   | functions (translate.c) |  +--->|             |
 *     | self ...        |        |   +-------------------------+  |    +-------------+
 *     +-----------------+        +--------------------------------+
 *
 * Each live driver handle of a type has exactly one record, whichever call returned it. A map finds
 * the record by the driver's handle. The memory of a record only ever holds records of one type and
 * one library, and is never freed. A handle that was destroyed is therefore rejected and never
 * followed; its record is reused only after some dozens of other records.
 *
 * The loader does not see objects that the driver destroys by itself, such as kernels with their
 * module, or a graph's own list. Such a record stays in the map and is reused for the next object
 * at that address. The number of records is thus bounded by the number of live objects and of such
 * addresses.
 *
 * Reading a record takes no lock. Finding one by the driver's handle takes no lock either, unless
 * an object of the same shard is being destroyed. Creation and destruction take the lock of a shard
 * and the lock of a pool, one after the other, and never during a call of the driver. */
#ifndef GEO_LOADER_HANDLE_H
#define GEO_LOADER_HANDLE_H

#include "ddi/geo_ddi_loader.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The translation of one library. */
struct geo_translation {
    /* Must be first: the block of every record points here. */
    ze_dditable_driver_t ze;
    const struct geo_ddi_table_set *tables; /* the driver's own functions */
    struct geo_translation_parts *parts;    /* private to handle.c */
};

/* A record: the object that a program's handle points to. Its size and alignment are those of a
 * cache line. block, self and type never change. */
struct geo_handle {
    /* Points to the library's translation, which identifies the owner. */
    ze_handle_t block;
    const struct geo_handle *self;     /* points to itself; any other value: not a record */
    _Atomic(void *) handle;            /* the driver's handle; NULL: the object does not exist */
    _Atomic(struct geo_handle *) next; /* next in the bucket, or in the list of free records */
    uint16_t type;                     /* enum geo_ddi_handle_id */
    bool listed;                       /* in the map; protected by the shard's lock */
    atomic_bool leaving;               /* its destruction has started */
    /* For kernels: number of arguments + 1; 0: not asked yet. */
    _Atomic uint32_t argument_count;
};

/* Returns whether the record is one of a library's translation, with the constant fields that it
 * was made with. */
bool geo_handle_is_valid(const struct geo_handle *handle);

/* Creates the translation of a library, with the driver's functions and the translating functions.
 * It is never freed. The loader's lock is held. Returns NULL when memory ran out. */
struct geo_translation *geo_translation_create(const struct geo_ddi_table_set *tables,
                                               const struct geo_ddi_table_set *functions);

static inline void *geo_handle_driver(const struct geo_handle *handle)
{
    return atomic_load_explicit(&handle->handle, memory_order_acquire);
}

/* Returns the translation of the library that owns the object. */
static inline struct geo_translation *geo_handle_translation(const struct geo_handle *handle)
{
    return (struct geo_translation *)(void *)handle->block.pCore;
}

/* Returns the record for an object of the driver and creates it if needed. `driver` is not NULL.
 * Returns NULL when memory ran out. */
struct geo_handle *geo_handle_get(struct geo_translation *translation, enum geo_ddi_handle_id type,
                                  void *driver);

/* Reserves records for `count` objects before the driver creates them, linked by `next`, so that
 * memory cannot run out afterwards. Returns NULL when memory ran out. */
struct geo_handle *geo_handle_reserve(struct geo_translation *translation,
                                      enum geo_ddi_handle_id type, size_t count);
/* Frees reserved records that were not needed. */
void geo_handle_unreserve(struct geo_handle *first);
/* Returns the record for an object that the driver has just created. This is the reserved record,
 * or a record in the map of an earlier object at that address; the reserved one is then freed. */
struct geo_handle *geo_handle_made(struct geo_handle *reserved, void *driver);

/* Marks an object before the driver destroys it. Returns false when another thread is already
 * destroying it. */
bool geo_handle_leave(struct geo_handle *handle);
/* Ends a destruction after the driver returned. With `gone` the record is freed, else the object
 * still exists. Another thread may have created an object at the same address meanwhile. */
void geo_handle_left(struct geo_handle *handle, bool gone);

/* Returns the record at an address if it is one of an object of this type, else NULL. Reads memory
 * at the address only if it belongs to records. */
struct geo_handle *geo_handle_find(struct geo_translation *translation, enum geo_ddi_handle_id type,
                                   const void *address);
/* Does what geo_handle_find does, but searches the records of all libraries. */
struct geo_handle *geo_handle_find_any(enum geo_ddi_handle_id type, const void *address);
/* Returns whether the library has ever had an object of this type. */
bool geo_handle_any(const struct geo_translation *translation, enum geo_ddi_handle_id type);

#endif
