/* Hash maps from pointers to pointers, for every library. See ptrmap.h. */
#include "base/ptrmap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void geo_ptrmap_finish(struct geo_ptrmap *map)
{
    free(map->entries);
    memset(map, 0, sizeof(*map));
}

/* The entry of the key, or the free one where it belongs; capacity is not 0. */
static struct geo_ptrmap_entry *entry_of(const struct geo_ptrmap *map, const void *key)
{
    size_t at = (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20);
    for (;; at++) {
        struct geo_ptrmap_entry *entry = &map->entries[at & (map->capacity - 1)];
        if (!entry->key || entry->key == key) {
            return entry;
        }
    }
}

void *geo_ptrmap_find(const struct geo_ptrmap *map, const void *key)
{
    return map->capacity ? entry_of(map, key)->value : NULL;
}

static bool map_grow(struct geo_ptrmap *map)
{
    struct geo_ptrmap larger = {.capacity = map->capacity ? 2 * map->capacity : 64,
                                .count = map->count};
    larger.entries = calloc(larger.capacity, sizeof(*larger.entries));
    if (!larger.entries) {
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->entries[i].key) {
            *entry_of(&larger, map->entries[i].key) = map->entries[i];
        }
    }
    free(map->entries);
    *map = larger;
    return true;
}

bool geo_ptrmap_set(struct geo_ptrmap *map, const void *key, void *value)
{
    if (2 * map->count >= map->capacity && !map_grow(map)) {
        return false;
    }
    struct geo_ptrmap_entry *entry = entry_of(map, key);
    map->count += entry->key == NULL;
    entry->key = key;
    entry->value = value;
    return true;
}
