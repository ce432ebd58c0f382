/* A map from names to pointers: open addressing, grows, no removal. For names that come from
 * outside, of which there may be many.
 *
 * Keys are not copied: they live as long as the map. */
#ifndef GEO_BASE_STRMAP_H
#define GEO_BASE_STRMAP_H

#include "base/map.h"

struct geo_strmap {
    struct geo_map map;
};

/* A zeroed map is empty. */
void geo_strmap_finish(struct geo_strmap *map);
/* NULL when there is none. */
void *geo_strmap_find(const struct geo_strmap *map, const char *key);
/* What the name has: the value (not NULL), or the one that it was given first. NULL when memory ran
 * out. */
void *geo_strmap_add(struct geo_strmap *map, const char *key, void *value);

#endif
