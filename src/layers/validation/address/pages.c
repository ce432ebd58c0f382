/* Queries pages of the process. See pages.h. */
#include "layers/validation/address/pages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool geo_val_page_exists(uintptr_t address)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;
    return mincore((void *)(address & ~(page - 1)), 1, &resident) == 0 || errno != ENOMEM;
}

bool geo_val_page_is_shared(uintptr_t address)
{
    char line[512];
    bool shared = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) {
        return false;
    }
    while (fgets(line, sizeof(line), maps)) {
        unsigned long begin, end;
        char rights[5];
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3 || address >= end) {
            continue;
        }
        shared = address >= begin && rights[3] == 's' &&
                 (strstr(line, " /memfd:") || strstr(line, " /dev/zero (deleted)"));
        break;
    }
    fclose(maps);
    return shared;
}
