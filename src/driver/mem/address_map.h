/* The address map: from any pointer to what lies there, without a lock for readers.
 *
 *     root ──► { first address, leaf } sorted        leaf ──► { base, end, value } sorted, up to 64
 *              { first address, leaf }
 *              ...
 *
 * Ranges never overlap. A look-up is two binary searches, O(log n). Writers (under their owner's
 * lock) never change what readers may be searching, with two exceptions that are single atomic
 * stores: inserting replaces a leaf by a copy in its slot of the root; removing sets an entry's
 * value to NULL (so that a free never needs memory). A new root is published when a leaf splits or
 * becomes empty. Old leaves and roots are retired through the epoch (epoch.h).
 *
 * The value found is safe to use until leave; the owner retires values through the same epoch. */
#ifndef GEO_DRIVER_MEM_ADDRESS_MAP_H
#define GEO_DRIVER_MEM_ADDRESS_MAP_H

#include "driver/mem/epoch.h"

#include <stdbool.h>

struct geo_address_root;

struct geo_address_map {
    _Atomic(struct geo_address_root *) root; /* NULL: empty */
};

struct geo_address_range {
    uintptr_t base, end; /* [base, end) */
    void *value;
};

/* (reader, between enter and leave of `epoch`) The range that holds the address; false: none. */
bool geo_address_find(struct geo_address_map *map, uintptr_t address,
                      struct geo_address_range *out);

/* (reader) The first range that begins at or after the address. */
bool geo_address_next(struct geo_address_map *map, uintptr_t address,
                      struct geo_address_range *out);

/* (writer) Adds a range that overlaps none; value is not NULL. False when memory ran out: nothing
 * has changed. */
bool geo_address_insert(struct geo_address_map *map, struct geo_epoch *epoch,
                        const struct geo_address_range *range);

/* (writer) Puts another end and value in the place of the range that begins at range->base, which
 * must be there. A range that begins inside the old one may have been inserted before: look-ups
 * find the nearest beginning. False when memory ran out: nothing has changed. */
bool geo_address_replace(struct geo_address_map *map, struct geo_epoch *epoch,
                         const struct geo_address_range *range);

/* (writer) Removes the range that begins at base; its value, or NULL when there is none. */
void *geo_address_remove(struct geo_address_map *map, struct geo_epoch *epoch, uintptr_t base);

#endif
