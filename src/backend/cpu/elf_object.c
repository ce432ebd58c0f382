/* The first half of the CPU backend's loader of native binaries: parses and checks relocatable
 * objects. See elf_object.h. */
#include "backend/cpu/elf_object.h"

#include "backend/cpu/elf_rules.h"
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

#define SECTION_LIMIT 65000u
#define SYMBOL_LIMIT  (1u << 20)
/* So that all distances inside the image fit into 32 bits. */
#define IMAGE_LIMIT (UINT64_C(1) << 30)

static bool refuse(struct geo_strbuf *log, const char *reason)
{
    geo_strbuf_printf(log, "native binary refused: %s\n", reason);
    return false;
}

static bool in_file(const struct geo_elf_object *object, uint64_t offset, uint64_t bytes)
{
    return offset <= object->size && bytes <= object->size - offset;
}

static bool header_check(struct geo_elf_object *object, Elf64_Ehdr *header, struct geo_strbuf *log)
{
    if (object->size < sizeof(*header)) {
        return refuse(log, "shorter than an ELF header");
    }
    memcpy(header, object->bytes, sizeof(*header));
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != ELFDATA2LSB) {
        return refuse(log, "not a 64-bit little-endian ELF file");
    }
    object->rules = geo_elf_rules_of(header->e_machine);
    if (header->e_type != ET_REL || header->e_machine != GEO_MACHINE_ELF || !object->rules) {
        return refuse(log, "not a relocatable object for this architecture");
    }
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0 ||
        header->e_shnum > SECTION_LIMIT ||
        !in_file(object, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr))) {
        return refuse(log, "bad section table");
    }
    if (header->e_shstrndx >= header->e_shnum) {
        return refuse(log, "no section names");
    }
    return true;
}

/* Checks that a string table ends with a terminator, so that every offset in it is a valid
 * string. */
static bool strings_take(const struct geo_elf_object *object, const Elf64_Shdr *section,
                         const char **names, uint64_t *bytes, struct geo_strbuf *log)
{
    if (section->sh_type != SHT_STRTAB || section->sh_size == 0 ||
        !in_file(object, section->sh_offset, section->sh_size) ||
        object->bytes[section->sh_offset + section->sh_size - 1] != '\0') {
        return refuse(log, "bad string table");
    }
    *names = (const char *)object->bytes + section->sh_offset;
    *bytes = section->sh_size;
    return true;
}

static bool placed_check(const struct geo_elf_object *object, const Elf64_Shdr *section,
                         struct geo_strbuf *log)
{
    bool unwinds = object->rules->unwind_type && section->sh_type == object->rules->unwind_type;
    if (section->sh_type != SHT_PROGBITS && section->sh_type != SHT_NOBITS && !unwinds) {
        return refuse(log, "a section in memory of a type that is not allowed");
    }
    if (section->sh_flags & (SHF_TLS | SHF_COMPRESSED)) {
        return refuse(log, "thread-local or compressed sections");
    }
    if ((section->sh_flags & SHF_WRITE) && (section->sh_flags & SHF_EXECINSTR)) {
        return refuse(log, "a section both writable and executable");
    }
    if (section->sh_addralign > GEO_MACHINE_PAGE_BYTES ||
        (section->sh_addralign & (section->sh_addralign - 1)) != 0) {
        return refuse(log, "bad section alignment");
    }
    return true;
}

static bool sections_check(struct geo_elf_object *object, struct geo_strbuf *log)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < object->section_count; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        if (section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL &&
            !in_file(object, section->sh_offset, section->sh_size)) {
            return refuse(log, "a section outside the file");
        }
        if (section->sh_type == SHT_SYMTAB_SHNDX) {
            return refuse(log, "extended section indexes");
        }
        if (!geo_elf_object_placed(section)) {
            continue;
        }
        if (!placed_check(object, section, log)) {
            return false;
        }
        if (section->sh_size > IMAGE_LIMIT ||
            (total += section->sh_size + GEO_MACHINE_PAGE_BYTES) > IMAGE_LIMIT) {
            return refuse(log, "too large");
        }
    }
    return true;
}

static bool symbols_find(struct geo_elf_object *object, struct geo_strbuf *log)
{
    for (uint32_t i = 0; i < object->section_count; i++) {
        if (object->sections[i].sh_type == SHT_SYMTAB) {
            if (object->symbol_section != 0) {
                return refuse(log, "two symbol tables");
            }
            object->symbol_section = i;
        }
    }
    if (object->symbol_section == 0) {
        return refuse(log, "no symbol table");
    }
    const Elf64_Shdr *table = &object->sections[object->symbol_section];
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    if (table->sh_entsize != sizeof(Elf64_Sym) || count == 0 || count > SYMBOL_LIMIT ||
        table->sh_link >= object->section_count) {
        return refuse(log, "bad symbol table");
    }
    object->symbol_count = (uint32_t)count;
    return strings_take(object, &object->sections[table->sh_link], &object->symbol_names,
                        &object->symbol_names_bytes, log);
}

static bool symbols_check(struct geo_elf_object *object, struct geo_strbuf *log)
{
    for (uint32_t i = 0; i < object->symbol_count; i++) {
        const Elf64_Sym *symbol = &object->symbols[i];
        if (symbol->st_name >= object->symbol_names_bytes) {
            return refuse(log, "a symbol's name outside the string table");
        }
        if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE) {
            continue;
        }
        if (symbol->st_shndx >= object->section_count ||
            symbol->st_value > object->sections[symbol->st_shndx].sh_size) {
            return refuse(log, "a symbol outside its section");
        }
    }
    return true;
}

static bool object_fill(struct geo_elf_object *object, struct geo_strbuf *log, bool *memory)
{
    Elf64_Ehdr header;
    if (!header_check(object, &header, log)) {
        return false;
    }
    object->section_count = header.e_shnum;
    object->sections = malloc(header.e_shnum * sizeof(*object->sections));
    if (!object->sections) {
        *memory = true;
        return false;
    }
    memcpy(object->sections, object->bytes + header.e_shoff,
           header.e_shnum * sizeof(*object->sections));
    if (!sections_check(object, log) ||
        !strings_take(object, &object->sections[header.e_shstrndx], &object->section_names,
                      &object->section_names_bytes, log) ||
        !symbols_find(object, log)) {
        return false;
    }
    object->symbols = malloc(object->symbol_count * sizeof(*object->symbols));
    if (!object->symbols) {
        *memory = true;
        return false;
    }
    memcpy(object->symbols, object->bytes + object->sections[object->symbol_section].sh_offset,
           object->symbol_count * sizeof(*object->symbols));
    return symbols_check(object, log);
}

bool geo_elf_object_parse(const void *bytes, size_t size, struct geo_elf_object *object,
                          struct geo_strbuf *log, bool *memory)
{
    *object = (struct geo_elf_object){.bytes = bytes, .size = size};
    *memory = false;
    if (!object_fill(object, log, memory)) {
        geo_elf_object_finish(object);
        return false;
    }
    return true;
}

void geo_elf_object_finish(struct geo_elf_object *object)
{
    free(object->sections);
    free(object->symbols);
    object->sections = NULL;
    object->symbols = NULL;
}

const char *geo_elf_object_section_name(const struct geo_elf_object *object, uint32_t index)
{
    uint32_t offset = object->sections[index].sh_name;
    return offset < object->section_names_bytes ? object->section_names + offset : "";
}

const char *geo_elf_object_symbol_name(const struct geo_elf_object *object, const Elf64_Sym *symbol)
{
    return object->symbol_names + symbol->st_name; /* checked by geo_elf_object_parse */
}
