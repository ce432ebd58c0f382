/* A hash map from names to pointers with open addressing. It grows and never removes an entry.
 * Meant for names from untrusted input, of which there may be many.
 *
 * The map does not copy keys: each key must live as long as the map. */
#ifndef GEO_BASE_STRMAP_H
#define GEO_BASE_STRMAP_H

#include "base/map.h"

struct geo_strmap {
    struct geo_map map;
};

/* Frees the map. A zeroed struct is an empty map. */
void geo_strmap_finish(struct geo_strmap *map);
/* Returns the value of `key`, or NULL when the map does not have the key. */
void *geo_strmap_find(const struct geo_strmap *map, const char *key);
/* Adds `key` with `value`, which is not NULL, unless the map has the key. Returns the value that
 * the key has now, or NULL when memory ran out. */
void *geo_strmap_add(struct geo_strmap *map, const char *key, void *value);

#endif
