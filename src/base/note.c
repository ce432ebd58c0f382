/* Notes in ELF files. See note.h. */
#include "base/note.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#define MARK_NAME "Geoid"
#define MARK_TYPE 1u

/* The mark of Geoid's libraries: an ELF note with name size 6, an empty description, type 1 and the
 * name. */
__asm__(".pushsection .note.geoid, \"a\", %note\n"
        "    .balign 4\n"
        "    .long 6, 0, 1\n"
        "    .asciz \"" MARK_NAME "\"\n"
        "    .balign 4\n"
        ".popsection\n");

static size_t rounded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

const uint8_t *geo_note_find(const uint8_t *notes, size_t size, uint32_t type, const char *name,
                             size_t name_bytes, size_t *count)
{
    Elf64_Nhdr note;
    for (size_t at = 0; size - at >= sizeof(note);) {
        memcpy(&note, notes + at, sizeof(note));
        size_t name_at = at + sizeof(note), left = size - name_at;
        if (note.n_namesz > left || rounded(note.n_namesz) > left ||
            note.n_descsz > left - rounded(note.n_namesz)) {
            return NULL;
        }
        const uint8_t *bytes = notes + name_at + rounded(note.n_namesz);
        if (note.n_type == type && note.n_namesz == name_bytes &&
            memcmp(notes + name_at, name, name_bytes) == 0) {
            *count = note.n_descsz;
            return bytes;
        }
        size_t next = (size_t)(bytes - notes) + rounded(note.n_descsz);
        at = next < size ? next : size;
    }
    return NULL;
}

static bool is_marked(const struct dl_phdr_info *object)
{
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        size_t count;
        if (segment->p_type == PT_NOTE &&
            geo_note_find((const uint8_t *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz,
                          MARK_TYPE, MARK_NAME, sizeof(MARK_NAME), &count)) {
            return true;
        }
    }
    return false;
}

static bool holds(const struct dl_phdr_info *object, uintptr_t address)
{
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz) {
            return true;
        }
    }
    return false;
}

/* Callback of dl_iterate_phdr: stops at the first marked object and sets `first` to whether that
 * object contains this code. */
static int object_look(struct dl_phdr_info *object, size_t size, void *first)
{
    (void)size;
    if (!is_marked(object)) {
        return 0;
    }
    *(bool *)first = holds(object, (uintptr_t)geo_note_is_first);
    return 1;
}

bool geo_note_is_first(void)
{
    bool first = true;
    dl_iterate_phdr(object_look, &first);
    return first;
}
