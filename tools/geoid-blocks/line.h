/* Source lines of code, from the debug information of a module. */
#ifndef GEOID_BLOCKS_LINE_H
#define GEOID_BLOCKS_LINE_H

#include <stddef.h>
#include <stdint.h>

/* The debug information of one module. */
struct line_source;

/* Opens the ELF file of zetModuleGetDebugInfo. Returns NULL if it has no debug information that can
 * be read. */
struct line_source *line_open(const uint8_t *bytes, size_t size);

/* Writes "file:line" of `size` bytes of code at an offset in a function, or "" if it is unknown. */
void line_find(struct line_source *source, const char *function, uint64_t offset, uint64_t size,
               char *text, size_t room);

void line_close(struct line_source *source);

#endif
