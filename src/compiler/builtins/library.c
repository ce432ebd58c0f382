/* Finds slices of the embedded library by name. See library.h. */
#include "compiler/builtins/library.h"

#include <string.h>

/* The place of one slice in the library; sorted by name. */
struct slice {
    const char *name;
    uint32_t offset, bytes;
};

static const struct slice slices[] = {
#include "builtins.inc"
};

/* The bytes come from the file that slice.py wrote; the build defines its path. */
__asm__(".section .rodata\n"
        ".balign 16\n"
        ".hidden geo_builtins_blob\n"
        ".globl geo_builtins_blob\n"
        "geo_builtins_blob:\n"
        ".incbin \"" GEO_BUILTINS_BLOB "\"\n"
        ".previous\n");
extern const uint8_t geo_builtins_blob[];

const void *geo_builtins_library_slice(const char *name, size_t *bytes)
{
    size_t low = 0;
    size_t high = sizeof(slices) / sizeof(slices[0]);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(slices[middle].name, name);
        if (order == 0) {
            *bytes = slices[middle].bytes;
            return geo_builtins_blob + slices[middle].offset;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}
