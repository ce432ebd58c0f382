/* Allocation. If memory runs out, the debugger ends with a message. Scratch memory lives until the
 * command that allocates it has ended. */
#ifndef ZEDBG_MEMORY_H
#define ZEDBG_MEMORY_H

#include <stddef.h>

/* Returns zeroed memory for `count` elements; the caller frees it. */
void *memory_alloc(size_t count, size_t size);
/* Makes room for one more element in an array of `count`, which the caller frees. The room doubles
 * when `count` is a power of two. */
void *memory_grow(void *array, size_t count, size_t size);
/* Returns a copy of a text; the caller frees it. */
char *memory_text(const char *text);

/* Returns zeroed scratch memory. */
void *scratch_alloc(size_t size);
/* Returns a text in scratch memory. */
char *scratch_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Frees all scratch memory. */
void scratch_reset(void);

#endif
