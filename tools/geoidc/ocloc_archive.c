/* Archives for several devices (ar files), which ocloc calls fat binaries. All entries of an
 * archive are the same native binary, because the code is for CPUs whatever -device names. An entry
 * has the name that ocloc gives it: 64, a dot, and the IP version of the device. */
#include "ocloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC        "!<arch>\n"
#define HEADER_BYTES 60u
#define NAME_CHARS   17u /* "64.12.60.7/" and more; the field has 16 */

/* Writes the header of an entry: name, date, owner, group, mode, size and two final characters.
 * Date and owner are 0, so the same input gives the same bytes. */
static void header_write(uint8_t *at, const struct ocloc_device *device, size_t bytes)
{
    char name[NAME_CHARS], text[HEADER_BYTES + 1];
    snprintf(name, sizeof(name), "64.%s/", device->version);
    snprintf(text, sizeof(text), "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", name, 0, 0, 0, 644, bytes);
    memcpy(at, text, HEADER_BYTES);
}

bool ocloc_archive_make(const struct ocloc_device *const *devices, size_t count,
                        const struct file *binary, struct file *out)
{
    size_t magic = sizeof(MAGIC) - 1, padded = binary->count + binary->count % 2;
    size_t bytes = magic + count * (HEADER_BYTES + padded);
    uint8_t *at = calloc(1, bytes + 1);
    if (!at) {
        return false;
    }
    *out = (struct file){.bytes = at, .count = bytes};
    memcpy(at, MAGIC, magic);
    at += magic;
    for (size_t i = 0; i < count; i++) {
        header_write(at, devices[i], binary->count);
        memcpy(at + HEADER_BYTES, binary->bytes, binary->count);
        if (padded != binary->count) {
            at[HEADER_BYTES + binary->count] = '\n';
        }
        at += HEADER_BYTES + padded;
    }
    return true;
}
