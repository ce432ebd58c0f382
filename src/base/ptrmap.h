/* A hash map from pointers to pointers with open addressing. It grows and never removes an entry.
 * The compiler uses it to copy graphs. */
#ifndef GEO_BASE_PTRMAP_H
#define GEO_BASE_PTRMAP_H

#include "base/map.h"

struct geo_ptrmap {
    struct geo_map map;
};

/* Frees the map. A zeroed struct is an empty map. */
void geo_ptrmap_finish(struct geo_ptrmap *map);
/* Returns the value of `key`, or NULL when the map does not have the key. `key` is not NULL. */
void *geo_ptrmap_find(const struct geo_ptrmap *map, const void *key);
/* Adds or replaces the value of `key`. `value` is not NULL. Returns false when memory ran out. */
bool geo_ptrmap_set(struct geo_ptrmap *map, const void *key, void *value);

#endif
