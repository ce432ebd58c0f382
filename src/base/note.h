/* Notes in ELF files, and the note that marks every library and program that has these functions:
 * the loader, layers and drivers of Geoid have a copy each and share no variable. */
#ifndef GEO_BASE_NOTE_H
#define GEO_BASE_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the description of the first note of that type and name in a segment of notes, and its
 * length in `count`; NULL: there is none. `name_bytes` counts the terminating zero. */
const uint8_t *geo_note_find(const uint8_t *notes, size_t size, uint32_t type, const char *name,
                             size_t name_bytes, size_t *count);

/* Returns true when the library that this code is in stands first among the marked ones in the
 * dynamic linker's list, which is the order in which they were loaded. For what a process says only
 * once. */
bool geo_note_is_first(void);

#endif
