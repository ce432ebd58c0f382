/* Parses a relocatable object: the first half of the loader. The file is untrusted. An object that
 * geo_elf_object_parse accepts can be placed and relocated without further bounds checks, except
 * where elf_image.c makes one. */
#ifndef GEO_BACKEND_CPU_ELF_OBJECT_H
#define GEO_BACKEND_CPU_ELF_OBJECT_H

#include "base/strbuf.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_elf_rules;

struct geo_elf_object {
    const uint8_t *bytes; /* owned by the caller, must outlive this object */
    size_t size;
    const struct geo_elf_rules *rules; /* rules of its architecture */
    Elf64_Shdr *sections;              /* copies, owned */
    uint32_t section_count;
    const char *section_names;
    uint64_t section_names_bytes;
    Elf64_Sym *symbols; /* copies, owned */
    uint32_t symbol_count, symbol_section;
    const char *symbol_names;
    uint64_t symbol_names_bytes;
};

/* Parses an object. Returns false with the reason in `log` when it is refused, or sets *memory when
 * memory ran out. The object needs no geo_elf_object_finish then. */
bool geo_elf_object_parse(const void *bytes, size_t size, struct geo_elf_object *object,
                          struct geo_strbuf *log, bool *memory);
void geo_elf_object_finish(struct geo_elf_object *object);

/* Return names that are terminated inside their table; never NULL. */
const char *geo_elf_object_section_name(const struct geo_elf_object *object, uint32_t index);
const char *geo_elf_object_symbol_name(const struct geo_elf_object *object,
                                       const Elf64_Sym *symbol);

/* Returns whether the section is in memory at run time. Notes are read from the file instead. */
static inline bool geo_elf_object_placed(const Elf64_Shdr *section)
{
    return (section->sh_flags & SHF_ALLOC) != 0 && section->sh_size != 0 &&
           section->sh_type != SHT_NOTE;
}

#endif
