/* Hash maps from names to pointers, for every library. See strmap.h. */
#include "base/strmap.h"

#include <stdint.h>
#include <string.h>

void geo_strmap_finish(struct geo_strmap *map)
{
    geo_map_finish(&map->map);
}

/* Hashes a name with a seed that differs between processes (address randomisation). An attacker who
 * chooses names cannot prepare names that collide. */
static size_t name_hash(const void *key)
{
    static const char anchor;
    uint64_t h = UINT64_C(0xCBF29CE484222325) ^ (uintptr_t)&anchor * UINT64_C(0x9E3779B97F4A7C15);
    for (const char *at = key; *at; at++) {
        h = (h ^ (unsigned char)*at) * UINT64_C(0x100000001B3);
    }
    h ^= h >> 32;
    return (size_t)(h * UINT64_C(0x9E3779B97F4A7C15) >> 20);
}

static bool names_equal(const void *one, const void *other)
{
    return strcmp(one, other) == 0;
}

static const struct geo_map_keys names = {name_hash, names_equal};

void *geo_strmap_find(const struct geo_strmap *map, const char *key)
{
    return geo_map_find(&map->map, names, key);
}

void *geo_strmap_add(struct geo_strmap *map, const char *key, void *value)
{
    struct geo_map_entry *entry = geo_map_take(&map->map, names, key);
    if (entry && !entry->value) {
        entry->value = value;
    }
    return entry ? entry->value : NULL;
}
