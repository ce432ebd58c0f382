/* Allocates memory. See memory.h. */
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of scratch memory; the bytes follow. */
struct block {
    struct block *next;
    size_t size;
};

static struct block *blocks;

static void *checked(void *memory)
{
    if (!memory) {
        fputs("zedbg: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void *memory_alloc(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size));
}

void *memory_grow(void *array, size_t count, size_t size)
{
    if (count & (count - 1)) {
        return array;
    }
    return checked(reallocarray(array, count ? 2 * count : 1, size));
}

char *memory_text(const char *text)
{
    return checked(strdup(text));
}

void *scratch_alloc(size_t size)
{
    struct block *block = checked(calloc(1, sizeof(*block) + size));
    block->next = blocks;
    block->size = size;
    blocks = block;
    return block + 1;
}

char *scratch_format(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = scratch_alloc(length > 0 ? (size_t)length + 1 : 1);
    if (length > 0) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}

void scratch_reset(void)
{
    while (blocks) {
        struct block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}
