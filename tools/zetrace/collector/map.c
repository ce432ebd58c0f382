/* Open addressing with linear probing; at most half full. See map.h. */
#include "map.h"

#include <stdint.h>
#include <stdlib.h>

static size_t home(const struct map *map, const void *key)
{
    return (size_t)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u) >> 32) & (map->room - 1);
}

/* The entry of the key, or the free one where it belongs. */
static struct map_entry *find(const struct map *map, const void *key)
{
    size_t i = home(map, key);
    while (map->entries[i].key && map->entries[i].key != key) {
        i = (i + 1) & (map->room - 1);
    }
    return &map->entries[i];
}

void *map_get(const struct map *map, const void *key)
{
    return map->room ? find(map, key)->value : NULL;
}

static bool grow(struct map *map)
{
    struct map larger = {.room = map->room ? 2 * map->room : 64};
    larger.entries = calloc(larger.room, sizeof(*larger.entries));
    if (!larger.entries) {
        return false;
    }
    for (size_t i = 0; i < map->room; i++) {
        if (map->entries[i].key) {
            *find(&larger, map->entries[i].key) = map->entries[i];
            larger.count++;
        }
    }
    free(map->entries);
    *map = larger;
    return true;
}

bool map_put(struct map *map, const void *key, void *value)
{
    if (2 * (map->count + 1) > map->room && !grow(map)) {
        return false;
    }
    struct map_entry *entry = find(map, key);
    map->count += entry->key == NULL;
    *entry = (struct map_entry){key, value};
    return true;
}

/* Moves back what stands behind, so that no search ends at the hole. */
void *map_remove(struct map *map, const void *key)
{
    struct map_entry *hole = map->room ? find(map, key) : NULL;
    void *value = hole ? hole->value : NULL;
    if (!hole || !hole->key) {
        return NULL;
    }
    map->count--;
    size_t free_at = (size_t)(hole - map->entries), i = free_at;
    for (;;) {
        i = (i + 1) & (map->room - 1);
        if (!map->entries[i].key) {
            break;
        }
        const size_t from = home(map, map->entries[i].key);
        if (((i - from) & (map->room - 1)) >= ((i - free_at) & (map->room - 1))) {
            map->entries[free_at] = map->entries[i];
            free_at = i;
        }
    }
    map->entries[free_at] = (struct map_entry){NULL, NULL};
    return value;
}

void map_clear(struct map *map)
{
    free(map->entries);
    *map = (struct map){NULL, 0, 0};
}
