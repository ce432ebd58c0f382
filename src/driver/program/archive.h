/* Archives of offline compilers (ar, as ocloc writes them): machine code for several devices and,
 * under the name generic_ir, what it was made from. The code is for others; the rest builds. */
#ifndef GEO_DRIVER_PROGRAM_ARCHIVE_H
#define GEO_DRIVER_PROGRAM_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Places within the bytes of an archive. */
struct geo_archive_module {
    const uint8_t *spirv; /* any alignment */
    size_t spirv_bytes;
    const char *options; /* not terminated; NULL: none */
    size_t option_bytes;
};

/* Do the bytes begin as an archive does? */
bool geo_archive_is(const void *bytes, size_t size);
/* The SPIR-V of the generic entry, bare or in an ELF file; false when the archive (untrusted) has
 * none that can be read. */
bool geo_archive_find(const void *bytes, size_t size, struct geo_archive_module *module);

#endif
