/* A bump allocator: many small objects, freed together. One per compilation and per command list.
 *
 * An arena never moves what it handed out. It is not thread-safe; its owner is. */
#ifndef GEO_BASE_ARENA_H
#define GEO_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct geo_arena_block;

struct geo_arena {
    struct geo_arena_block *blocks; /* newest first; the rest is kept for reuse after a reset */
    size_t block_bytes;             /* size of the next block */
    size_t used_bytes;              /* handed out since init or reset */
    size_t limit_bytes;             /* allocation fails beyond it; 0: no limit */
    bool limit_met;                 /* it failed for that */
};

/* Prepares an empty arena; allocates nothing. limit_bytes bounds what hostile input can make us
 * use. */
void geo_arena_init(struct geo_arena *arena, size_t limit_bytes);

/* Frees every block. The arena may be initialised again. */
void geo_arena_finish(struct geo_arena *arena);

/* Forgets all objects but keeps the largest block, so that a reused list does not allocate. */
void geo_arena_reset(struct geo_arena *arena);

/* Zeroed memory of the given size, aligned to 16 bytes; NULL when memory or the limit is exhausted.
 */
void *geo_arena_alloc(struct geo_arena *arena, size_t bytes);

/* count * size with an overflow check; NULL as above. */
void *geo_arena_array(struct geo_arena *arena, size_t count, size_t size);

/* A copy of bytes; of a string (always terminated). */
void *geo_arena_copy(struct geo_arena *arena, const void *data, size_t bytes);
char *geo_arena_string(struct geo_arena *arena, const char *text, size_t length);

#define geo_arena_new(arena, type) ((type *)geo_arena_alloc((arena), sizeof(type)))
#define geo_arena_new_array(arena, type, count)                                                    \
    ((type *)geo_arena_array((arena), (count), sizeof(type)))

#endif
