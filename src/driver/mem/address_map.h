/* The address map finds the range that contains any address. Readers take no lock.
 *
 *     root ──► { first address, leaf } sorted        leaf ──► { base, end, value } sorted, up to 64
 *              { first address, leaf }
 *              ...
 *
 * Ranges never overlap. A look-up takes two binary searches, O(log n). Writers hold their owner's
 * lock and never change data that readers may be searching, except by two kinds of single atomic
 * stores. An insertion replaces a leaf by a copy in its slot of the root. A removal sets the value
 * of an entry to NULL, so that a free never needs memory. A new root is published when a leaf is
 * split or becomes empty. Old leaves and roots are retired through the epoch (epoch.h).
 *
 * A value that a reader finds is valid until it leaves the epoch, because the owner retires values
 * through the same epoch. */
#ifndef GEO_DRIVER_MEM_ADDRESS_MAP_H
#define GEO_DRIVER_MEM_ADDRESS_MAP_H

#include "driver/mem/epoch.h"

#include <stdbool.h>

struct geo_address_root;

/* An address map; zeroed, it is empty. */
struct geo_address_map {
    _Atomic(struct geo_address_root *) root; /* NULL: empty */
};

/* A range with its value. */
struct geo_address_range {
    uintptr_t base, end; /* [base, end) */
    void *value;
};

/* (reader, between enter and leave of `epoch`) Finds the range that contains the address. Returns
 * false if no range does. */
bool geo_address_map_find(struct geo_address_map *map, uintptr_t address,
                          struct geo_address_range *out);

/* (reader) Finds the first range that begins at or after the address. */
bool geo_address_map_next(struct geo_address_map *map, uintptr_t address,
                          struct geo_address_range *out);

/* (writer) Adds a range that overlaps no other, or the tail of a range that geo_address_map_replace
 * shortens next. Its value is not NULL. Returns false, with nothing changed, if memory is short. */
bool geo_address_map_insert(struct geo_address_map *map, struct geo_epoch *epoch,
                            const struct geo_address_range *range);

/* (writer) Gives the range that begins at range->base another value and an end that is not later.
 * The range must exist; its old value is overwritten, and the caller retires it. To split a range,
 * first insert the tail, which begins inside the range and has its end. Then replace the range by
 * the head. Look-ups use the nearest beginning, so readers never miss a part. Returns false, with
 * nothing changed, if memory is short. */
bool geo_address_map_replace(struct geo_address_map *map, struct geo_epoch *epoch,
                             const struct geo_address_range *range);

/* (writer) Removes the range that begins at `base`. Returns its value, or NULL if no range begins
 * there. */
void *geo_address_map_remove(struct geo_address_map *map, struct geo_epoch *epoch, uintptr_t base);

#endif
