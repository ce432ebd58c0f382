/* Hash maps from names to pointers, for every library. See strmap.h. */
#include "base/strmap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void geo_strmap_finish(struct geo_strmap *map)
{
    free(map->entries);
    memset(map, 0, sizeof(*map));
}

/* Names come from outside, so what they hash to differs from process to process: nobody can make
 * them collide beforehand. */
static size_t key_hash(const char *key)
{
    static const char anchor;
    uint64_t h = UINT64_C(0xCBF29CE484222325) ^ (uintptr_t)&anchor * UINT64_C(0x9E3779B97F4A7C15);
    for (; *key; key++) {
        h = (h ^ (unsigned char)*key) * UINT64_C(0x100000001B3);
    }
    h ^= h >> 32;
    return (size_t)(h * UINT64_C(0x9E3779B97F4A7C15) >> 20);
}

/* The entry of the key, or the free one where it belongs; capacity is not 0. */
static struct geo_strmap_entry *entry_of(const struct geo_strmap *map, const char *key)
{
    for (size_t at = key_hash(key);; at++) {
        struct geo_strmap_entry *entry = &map->entries[at & (map->capacity - 1)];
        if (!entry->key || strcmp(entry->key, key) == 0) {
            return entry;
        }
    }
}

void *geo_strmap_find(const struct geo_strmap *map, const char *key)
{
    return map->capacity ? entry_of(map, key)->value : NULL;
}

static bool map_grow(struct geo_strmap *map)
{
    struct geo_strmap larger = {.capacity = map->capacity ? 2 * map->capacity : 64,
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

void *geo_strmap_add(struct geo_strmap *map, const char *key, void *value)
{
    if (2 * map->count >= map->capacity && !map_grow(map)) {
        return NULL;
    }
    struct geo_strmap_entry *entry = entry_of(map, key);
    if (!entry->key) {
        *entry = (struct geo_strmap_entry){key, value};
        map->count++;
    }
    return entry->value;
}
