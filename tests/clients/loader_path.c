/* An auditor of the dynamic linker (LD_AUDIT): who opens Level Zero's loader by the path of
 * Debian's package gets the file that CLIENT_LOADER names. So a client runs as it is, without
 * rights to put a library there. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

unsigned int la_version(unsigned int version);
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag);

unsigned int la_version(unsigned int version)
{
    return version;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
    (void)cookie;
    (void)flag;
    char *ours = getenv("CLIENT_LOADER");
    const char *file = strrchr(name, '/');
    return ours && file && strcmp(file, "/libze_loader.so.1") == 0 &&
                   strncmp(name, "/usr/lib/", 9) == 0
               ? ours
               : (char *)name;
}
