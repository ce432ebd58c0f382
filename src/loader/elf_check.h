/* Says in words why the loader cannot open a file as a driver: the dynamic linker reports a file
 * of another machine as missing. */
#ifndef GEO_LOADER_ELF_CHECK_H
#define GEO_LOADER_ELF_CHECK_H

/* NULL when the file looks like a shared object for this machine (or cannot be judged), else a
 * constant text. The file is untrusted; only its header is read. */
const char *geo_elf_check(const char *path);

#endif
