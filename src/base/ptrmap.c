/* Hash maps from pointers to pointers, for every library. See ptrmap.h. */
#include "base/ptrmap.h"

#include <stdint.h>

void geo_ptrmap_finish(struct geo_ptrmap *map)
{
    geo_map_finish(&map->map);
}

static size_t pointer_hash(const void *key)
{
    return (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20);
}

static bool pointers_equal(const void *one, const void *other)
{
    return one == other;
}

static const struct geo_map_keys pointers = {pointer_hash, pointers_equal};

void *geo_ptrmap_find(const struct geo_ptrmap *map, const void *key)
{
    return geo_map_find(&map->map, pointers, key);
}

bool geo_ptrmap_set(struct geo_ptrmap *map, const void *key, void *value)
{
    struct geo_map_entry *entry = geo_map_take(&map->map, pointers, key);
    if (entry) {
        entry->value = value;
    }
    return entry != NULL;
}
