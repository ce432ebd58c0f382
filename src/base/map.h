/* The common part of the hash maps strmap.h and ptrmap.h: open addressing, growth, no removal. Each
 * map passes its hash and comparison functions as a constant, so the compiler inlines them. */
#ifndef GEO_BASE_MAP_H
#define GEO_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct geo_map_entry {
    const void *key; /* NULL: free */
    void *value;
};

struct geo_map {
    struct geo_map_entry *entries;
    size_t count, capacity; /* capacity: 0 or a power of two */
};

struct geo_map_keys {
    size_t (*hash)(const void *key);
    bool (*equal)(const void *one, const void *other);
};

static inline void geo_map_finish(struct geo_map *map)
{
    free(map->entries);
    *map = (struct geo_map){0};
}

/* Returns the entry of `key`, or the free entry where the key belongs. The capacity must not be
 * 0. */
static inline __attribute__((always_inline)) struct geo_map_entry *
geo_map_entry(const struct geo_map *map, struct geo_map_keys keys, const void *key)
{
    for (size_t at = keys.hash(key);; at++) {
        struct geo_map_entry *entry = &map->entries[at & (map->capacity - 1)];
        if (!entry->key || keys.equal(entry->key, key)) {
            return entry;
        }
    }
}

/* Returns the value of `key`, or NULL when the map does not have the key. */
static inline __attribute__((always_inline)) void *
geo_map_find(const struct geo_map *map, struct geo_map_keys keys, const void *key)
{
    return map->capacity ? geo_map_entry(map, keys, key)->value : NULL;
}

static inline __attribute__((always_inline)) bool geo_map_grow(struct geo_map *map,
                                                               struct geo_map_keys keys)
{
    struct geo_map larger = {.capacity = map->capacity ? 2 * map->capacity : 64,
                             .count = map->count};
    larger.entries = calloc(larger.capacity, sizeof(*larger.entries));
    if (!larger.entries) {
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->entries[i].key) {
            *geo_map_entry(&larger, keys, map->entries[i].key) = map->entries[i];
        }
    }
    free(map->entries);
    *map = larger;
    return true;
}

/* Returns the entry of `key` and adds it if it is missing. A new entry has a NULL value, and the
 * caller must set it. Returns NULL when memory ran out. */
static inline __attribute__((always_inline)) struct geo_map_entry *
geo_map_take(struct geo_map *map, struct geo_map_keys keys, const void *key)
{
    if (2 * map->count >= map->capacity && !geo_map_grow(map, keys)) {
        return NULL;
    }
    struct geo_map_entry *entry = geo_map_entry(map, keys, key);
    if (!entry->key) {
        entry->key = key;
        map->count++;
    }
    return entry;
}

#endif
