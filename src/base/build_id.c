/* Finds build ids, which are notes in ELF files and in their loaded segments. See build_id.h. */
#include "base/build_id.h"

#include "base/note.h"
#include "base/room.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define SEGMENTS_MAX 32u
#define NOTES_BYTES  1024u /* of a segment; more are not looked at */

static bool id_print(const uint8_t *bytes, size_t count, char id[GEO_BUILD_ID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    if (count == 0 || 2 * count >= GEO_BUILD_ID_TEXT) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        id[2 * i] = digits[bytes[i] >> 4];
        id[2 * i + 1] = digits[bytes[i] & 15];
    }
    id[2 * count] = '\0';
    return true;
}

/* Prints the build id of a segment of notes. Returns false if the segment has no build id. */
static bool notes_search(const uint8_t *notes, size_t size, char id[GEO_BUILD_ID_TEXT])
{
    size_t count;
    const uint8_t *bytes =
        geo_note_find(notes, size, NT_GNU_BUILD_ID, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU), &count);
    return bytes && id_print(bytes, count, id);
}

static bool header_is_ours(const Elf64_Ehdr *header)
{
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_phentsize == sizeof(Elf64_Phdr) &&
           header->e_phnum <= SEGMENTS_MAX;
}

static bool read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
    return pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

bool geo_build_id_of_file(const char *path, char id[GEO_BUILD_ID_TEXT])
{
    Elf64_Ehdr header;
    GEO_ROOM(Elf64_Phdr, segments, SEGMENTS_MAX);
    GEO_ROOM(uint8_t, notes, NOTES_BYTES);
    bool found = false;
    id[0] = '\0';
    int fd = segments && notes ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0) {
        return false;
    }
    if (read_at(fd, &header, sizeof(header), 0) && header_is_ours(&header) &&
        read_at(fd, segments, header.e_phnum * sizeof(segments[0]), header.e_phoff)) {
        for (size_t i = 0; i < header.e_phnum && !found; i++) {
            size_t size = segments[i].p_filesz < NOTES_BYTES ? segments[i].p_filesz : NOTES_BYTES;
            found = segments[i].p_type == PT_NOTE &&
                    read_at(fd, notes, size, segments[i].p_offset) && notes_search(notes, size, id);
        }
    }
    close(fd);
    return found;
}

/* A library's first segment begins with the file's header, at address 0 of the file. */
bool geo_build_id_of_address(const void *address, char id[GEO_BUILD_ID_TEXT])
{
    Dl_info place;
    bool found = false;
    id[0] = '\0';
    if (!dladdr(address, &place) || !place.dli_fbase) {
        return false;
    }
    const uint8_t *base = place.dli_fbase;
    const Elf64_Ehdr *header = place.dli_fbase;
    if (!header_is_ours(header)) {
        return false;
    }
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(base + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum && !found; i++) {
        found = header->e_type == ET_DYN && segments[i].p_type == PT_NOTE &&
                notes_search(base + segments[i].p_vaddr, segments[i].p_filesz, id);
    }
    return found;
}
