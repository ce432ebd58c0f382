/* A map from pointers to pointers: open addressing, grows, no removal. For the compiler, which
 * copies graphs. */
#ifndef GEO_BASE_PTRMAP_H
#define GEO_BASE_PTRMAP_H

#include "base/map.h"

struct geo_ptrmap {
    struct geo_map map;
};

/* A zeroed map is empty. */
void geo_ptrmap_finish(struct geo_ptrmap *map);
/* NULL when there is none; key is not NULL. */
void *geo_ptrmap_find(const struct geo_ptrmap *map, const void *key);
/* Sets or replaces; value is not NULL. False when memory ran out. */
bool geo_ptrmap_set(struct geo_ptrmap *map, const void *key, void *value);

#endif
