/* Archives of offline compilers (ar files, as ocloc writes them). They contain machine code for
 * several devices and, under the name generic_ir, the SPIR-V from which it was made. Geoid's own
 * ocloc stores native binaries of Geoid. Otherwise only the SPIR-V is used. */
#ifndef GEO_DRIVER_PROGRAM_ARCHIVE_H
#define GEO_DRIVER_PROGRAM_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A native binary, or the SPIR-V and its options; pointers into the bytes of the archive. */
struct geo_archive_module {
    const uint8_t *native; /* any alignment; NULL: the archive has none, so `spirv` is set */
    size_t native_bytes;
    const uint8_t *spirv; /* any alignment; NULL if `native` is set */
    size_t spirv_bytes;
    const char *options; /* not terminated; NULL if the archive has none */
    size_t option_bytes;
};

/* Returns whether the bytes begin like an archive. */
bool geo_archive_is(const void *bytes, size_t size);
/* Finds the first entry that looks like a native binary of Geoid: a relocatable ELF file, which no
 * other offline compiler stores. Without one, finds the SPIR-V of the generic entry, plain or in an
 * ELF file. The archive is untrusted. Returns false if it contains no valid entry. */
bool geo_archive_find(const void *bytes, size_t size, struct geo_archive_module *module);

#endif
