/* A bump allocator: many small objects that are freed together. Each compilation and each command
 * list has one.
 *
 * An arena never moves an allocated object. It takes no lock: the owner serialises the calls. */
#ifndef GEO_BASE_ARENA_H
#define GEO_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct geo_arena_block;

struct geo_arena {
    struct geo_arena_block
        *blocks;        /* newest first; older blocks are kept for reuse after a reset */
    size_t block_bytes; /* size of the next block */
    size_t used_bytes;  /* bytes allocated since init or reset */
    size_t limit_bytes; /* allocations beyond it fail; 0: no limit */
    bool limit_met;     /* an allocation failed because of limit_bytes */
};

/* Prepares an empty arena without allocating. `limit_bytes` bounds the memory that hostile input
 * can use. */
void geo_arena_init(struct geo_arena *arena, size_t limit_bytes);

/* Frees every block. The arena may be initialised again. */
void geo_arena_finish(struct geo_arena *arena);

/* Drops all objects but keeps the largest block, so that a reused command list does not
 * allocate. */
void geo_arena_reset(struct geo_arena *arena);

/* Returns zeroed memory of the given size, aligned to 16 bytes, or NULL when memory or the limit is
 * exhausted. */
void *geo_arena_alloc(struct geo_arena *arena, size_t bytes);

/* Allocates an array of `count` elements of `size` bytes, with an overflow check. Returns NULL as
 * geo_arena_alloc does. */
void *geo_arena_array(struct geo_arena *arena, size_t count, size_t size);

/* Return a copy of the bytes, or of the first `length` bytes of a text as a terminated string.
 * Return NULL as geo_arena_alloc does. */
void *geo_arena_copy(struct geo_arena *arena, const void *data, size_t bytes);
char *geo_arena_string(struct geo_arena *arena, const char *text, size_t length);

#define geo_arena_new(arena, type) ((type *)geo_arena_alloc((arena), sizeof(type)))
#define geo_arena_new_array(arena, type, count)                                                    \
    ((type *)geo_arena_array((arena), (count), sizeof(type)))

#endif
