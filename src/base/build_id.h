/* What identifies a build of a library or program: the note that the linker makes of everything it
 * put together (NT_GNU_BUILD_ID). Another compiler, option or source is another id. */
#ifndef GEO_BASE_BUILD_ID_H
#define GEO_BASE_BUILD_ID_H

#include <stdbool.h>

/* Hexadecimal digits, terminated. */
#define GEO_BUILD_ID_TEXT 129

/* Of the file; of the loaded library or program that the address lies in. False, with an empty
 * text, when there is none to be read. */
bool geo_build_id_of_file(const char *path, char id[GEO_BUILD_ID_TEXT]);
bool geo_build_id_of_address(const void *address, char id[GEO_BUILD_ID_TEXT]);

#endif
