/* A map from handles to pointers other than NULL. Its users must hold a lock. */
#ifndef TOOLS_ZETRACE_MAP_H
#define TOOLS_ZETRACE_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct map {
    struct map_entry {
        const void *key; /* NULL: free */
        void *value;
    } *entries;
    size_t room, count;
};

void *map_get(const struct map *map, const void *key);
/* Sets the value of a key. Returns false if memory ran out. */
bool map_put(struct map *map, const void *key, void *value);
/* Returns what was there. */
void *map_remove(struct map *map, const void *key);
/* Removes all entries without touching the values. */
void map_clear(struct map *map);

#endif
