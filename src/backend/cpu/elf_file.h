/* Maps code from an ELF file, so that programs that know nothing of Geoid find its symbols and
 * source lines: perf, valgrind, and others that read /proc/PID/maps. See docs/decisions/codegen.md,
 * "Code can be mapped from files".
 *
 *     | header | code | constants | data | debug information, symbols, names | section headers |
 *       a page   as in the image
 *
 * The file is a shared object with the sections of the native binary. The address and the offset of
 * a loaded section are its offset in the image plus one page. Debug information is relocated to
 * these addresses. */
#ifndef GEO_BACKEND_CPU_ELF_FILE_H
#define GEO_BACKEND_CPU_ELF_FILE_H

#include "backend/cpu/elf_image.h"

/* Returns GEOID_CODE_FOLDER, or NULL when it is not set. */
const char *geo_elf_file_folder(void);

/* Writes the file into `folder`, as geoid-PID-XXXXXX.so, and replaces a relocated image by a
 * mapping of it, in which code can be executed. The image has code, and a page of constants or
 * data. Returns false with errno set, and without a file, when that is not possible. */
bool geo_elf_file_map(const struct geo_elf_object *object, const struct geo_elf_image *image,
                      const char *folder);

/* Writes all bytes at an offset of a file. Returns false with errno set when that fails. */
bool geo_elf_file_write(int fd, const void *bytes, uint64_t count, uint64_t offset);

#endif
