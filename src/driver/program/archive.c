/* Finds a native binary in an archive, or the SPIR-V of its generic entry. See archive.h.
 *
 * Each search makes one pass over the entries. Every offset is checked against the size before it
 * is read. */
#include "driver/program/archive.h"

#include "base/assert.h"

#include <elf.h>
#include <string.h>

#define MAGIC "!<arch>\n"
#define NAME  "generic_ir"

/* Section types of the ELF files that OpenCL compilers write. */
#define SECTION_OPTIONS 0xff000006u
#define SECTION_SPIRV   0xff000009u

#define SPIRV_MAGIC 0x07230203u

/* The header of an entry in an ar file. */
struct entry_header {
    char name[16]; /* ends with '/' or spaces */
    char date[12], user[6], group[6], mode[8];
    char size[10]; /* decimal, then spaces */
    char end[2];
};

/* A piece of the archive. */
struct span {
    const uint8_t *at;
    size_t bytes;
};

bool geo_archive_is(const void *bytes, size_t size)
{
    return size >= sizeof(MAGIC) - 1 && memcmp(bytes, MAGIC, sizeof(MAGIC) - 1) == 0;
}

/* Returns the size of an entry, or SIZE_MAX if the field is not a number. */
static size_t entry_bytes(const struct entry_header *header)
{
    size_t value = 0, digits = 0;
    while (digits < sizeof(header->size) && header->size[digits] >= '0' &&
           header->size[digits] <= '9') {
        value = value * 10 + (size_t)(header->size[digits++] - '0');
    }
    for (size_t i = digits; i < sizeof(header->size); i++) {
        if (header->size[i] != ' ') {
            return SIZE_MAX;
        }
    }
    return digits ? value : SIZE_MAX;
}

static bool is_generic(const struct entry_header *header, struct span entry)
{
    (void)entry;
    size_t length = sizeof(NAME) - 1;
    return memcmp(header->name, NAME, length) == 0 &&
           (header->name[length] == '/' || header->name[length] == ' ');
}

/* Returns whether an entry is a relocatable ELF file for CPUs. Whether it is a native binary of
 * Geoid is checked when it is loaded. */
static bool is_object(const struct entry_header *header, struct span entry)
{
    (void)header;
    Elf64_Ehdr elf;
    if (entry.bytes < sizeof(elf)) {
        return false;
    }
    memcpy(&elf, entry.at, sizeof(elf));
    return memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 && elf.e_ident[EI_CLASS] == ELFCLASS64 &&
           elf.e_type == ET_REL;
}

/* Finds the first entry that `is_wanted` accepts. The search ends at the first damaged entry.
 * Returns false if nothing was found. */
static bool entry_find(struct span archive,
                       bool (*is_wanted)(const struct entry_header *header, struct span entry),
                       struct span *entry)
{
    size_t at = sizeof(MAGIC) - 1;
    while (archive.bytes >= at && archive.bytes - at >= sizeof(struct entry_header)) {
        struct entry_header header;
        memcpy(&header, archive.at + at, sizeof(header));
        size_t bytes = entry_bytes(&header), start = at + sizeof(header);
        if (memcmp(header.end, "`\n", 2) != 0 || bytes > archive.bytes - start) {
            return false;
        }
        *entry = (struct span){.at = archive.at + start, .bytes = bytes};
        if (is_wanted(&header, *entry)) {
            return true;
        }
        GEO_ASSERT(start > at && start <= archive.bytes);
        at = start + bytes + bytes % 2;
    }
    return false;
}

static bool is_spirv(struct span span)
{
    uint32_t first;
    if (span.bytes < sizeof(first)) {
        return false;
    }
    memcpy(&first, span.at, sizeof(first));
    return first == SPIRV_MAGIC || first == __builtin_bswap32(SPIRV_MAGIC);
}

/* Finds the first section of a type in a 64-bit ELF file. Returns false if the file has none. */
static bool section_find(struct span file, uint32_t type, struct span *section)
{
    Elf64_Ehdr header;
    if (file.bytes < sizeof(header)) {
        return false;
    }
    memcpy(&header, file.at, sizeof(header));
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > file.bytes ||
        header.e_shnum > (file.bytes - header.e_shoff) / sizeof(Elf64_Shdr)) {
        return false;
    }
    for (size_t i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr row;
        memcpy(&row, file.at + header.e_shoff + i * sizeof(row), sizeof(row));
        if (row.sh_type == type && row.sh_offset <= file.bytes &&
            row.sh_size <= file.bytes - row.sh_offset) {
            *section = (struct span){.at = file.at + row.sh_offset, .bytes = row.sh_size};
            return true;
        }
    }
    return false;
}

bool geo_archive_find(const void *bytes, size_t size, struct geo_archive_module *module)
{
    struct span archive = {.at = bytes, .bytes = size}, entry, spirv, options = {0};
    if (!geo_archive_is(bytes, size)) {
        return false;
    }
    if (entry_find(archive, is_object, &entry)) {
        *module = (struct geo_archive_module){.native = entry.at, .native_bytes = entry.bytes};
        return true;
    }
    if (!entry_find(archive, is_generic, &entry)) {
        return false;
    }
    if (is_spirv(entry)) {
        spirv = entry;
    } else if (section_find(entry, SECTION_SPIRV, &spirv) && is_spirv(spirv)) {
        (void)section_find(entry, SECTION_OPTIONS, &options);
    } else {
        return false;
    }
    GEO_ASSERT(spirv.at >= entry.at && spirv.bytes <= entry.bytes);
    *module = (struct geo_archive_module){.spirv = spirv.at,
                                          .spirv_bytes = spirv.bytes,
                                          .options = (const char *)options.at,
                                          .option_bytes = options.bytes};
    return true;
}
