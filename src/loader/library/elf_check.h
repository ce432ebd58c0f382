/* Explains why a file cannot be loaded as a driver. The dynamic linker reports a file for another
 * machine as missing, which misleads users. */
#ifndef GEO_LOADER_ELF_CHECK_H
#define GEO_LOADER_ELF_CHECK_H

/* Returns NULL when the file looks like a shared object for this machine or cannot be read, else a
 * constant error text. Reads only the headers, which are untrusted. */
const char *geo_elf_check(const char *path);

#endif
