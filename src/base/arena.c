/* Bump allocation from a chain of malloc blocks. See arena.h. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_ALIGN       16u
#define ARENA_FIRST_BLOCK 4096u
#define ARENA_MAX_BLOCK   (1u << 20)

struct geo_arena_block {
    struct geo_arena_block *next;
    size_t capacity; /* of data */
    size_t used;
    _Alignas(ARENA_ALIGN) unsigned char data[];
};

void geo_arena_init(struct geo_arena *arena, size_t limit_bytes)
{
    memset(arena, 0, sizeof(*arena));
    arena->block_bytes = ARENA_FIRST_BLOCK;
    arena->limit_bytes = limit_bytes;
}

static void blocks_free(struct geo_arena_block *block)
{
    while (block) {
        struct geo_arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void geo_arena_finish(struct geo_arena *arena)
{
    blocks_free(arena->blocks);
    memset(arena, 0, sizeof(*arena));
}

void geo_arena_reset(struct geo_arena *arena)
{
    struct geo_arena_block *kept = arena->blocks;
    if (kept) {
        blocks_free(kept->next);
        kept->next = NULL;
        kept->used = 0;
    }
    arena->used_bytes = 0;
    arena->limit_met = false;
}

static struct geo_arena_block *block_add(struct geo_arena *arena, size_t bytes)
{
    size_t capacity = arena->block_bytes > bytes ? arena->block_bytes : bytes;
    struct geo_arena_block *block = malloc(sizeof(*block) + capacity);
    if (!block) {
        return NULL;
    }
    block->next = arena->blocks;
    block->capacity = capacity;
    block->used = 0;
    arena->blocks = block;
    if (arena->block_bytes < ARENA_MAX_BLOCK) {
        arena->block_bytes *= 2;
    }
    return block;
}

void *geo_arena_alloc(struct geo_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    size_t rounded = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (rounded == 0) {
        rounded = ARENA_ALIGN;
    }
    if (arena->limit_bytes && rounded > arena->limit_bytes - arena->used_bytes) {
        arena->limit_met = true;
        return NULL;
    }
    struct geo_arena_block *block = arena->blocks;
    if (!block || block->capacity - block->used < rounded) {
        block = block_add(arena, rounded);
        if (!block) {
            return NULL;
        }
    }
    void *result = block->data + block->used;
    block->used += rounded;
    arena->used_bytes += rounded;
    return memset(result, 0, rounded);
}

void *geo_arena_array(struct geo_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return NULL;
    }
    return geo_arena_alloc(arena, bytes);
}

void *geo_arena_copy(struct geo_arena *arena, const void *data, size_t bytes)
{
    void *copy = geo_arena_alloc(arena, bytes);
    return copy && bytes ? memcpy(copy, data, bytes) : copy;
}

char *geo_arena_string(struct geo_arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX) {
        return NULL;
    }
    char *copy = geo_arena_alloc(arena, length + 1);
    return copy && length ? memcpy(copy, text, length) : copy;
}
