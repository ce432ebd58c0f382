/* Reads the build id of a library or program: the note NT_GNU_BUILD_ID, which the linker computes
 * from everything that it links. Two builds from different sources, options or compilers have
 * different ids. */
#ifndef GEO_BASE_BUILD_ID_H
#define GEO_BASE_BUILD_ID_H

#include <stdbool.h>

/* Size of an id's text: hexadecimal digits and the terminating zero. */
#define GEO_BUILD_ID_TEXT 129

/* Write the build id of the ELF file at `path`, or of the loaded library or program that contains
 * `address`, to `id`. Return false and write an empty text when the id is missing or cannot be
 * read. */
bool geo_build_id_of_file(const char *path, char id[GEO_BUILD_ID_TEXT]);
bool geo_build_id_of_address(const void *address, char id[GEO_BUILD_ID_TEXT]);

#endif
