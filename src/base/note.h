/* Notes in ELF files. A note of our own marks every library and program that contains these
 * functions. The loader, layers and drivers of Geoid have a copy each and share no variable. */
#ifndef GEO_BASE_NOTE_H
#define GEO_BASE_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the description of the first note of that type and name in a segment of notes, and its
 * length in `count`. Returns NULL if the segment has no such note. `name_bytes` counts the
 * terminating zero. */
const uint8_t *geo_note_find(const uint8_t *notes, size_t size, uint32_t type, const char *name,
                             size_t name_bytes, size_t *count);

/* Returns true if this library was loaded before all other marked ones. The dynamic linker's list
 * has the order. Used for texts that a process prints only once. */
bool geo_note_is_first(void);

#endif
