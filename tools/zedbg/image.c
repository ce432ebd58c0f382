/* Opens images of modules. See image.h. The bytes come from another process, so that nothing in
 * them is trusted: offsets and sizes are checked before use. */
#include "image.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

/* ---- sections ---- */

static bool sections_find(struct image *image)
{
    Elf64_Ehdr header;
    if (image->size < sizeof(header)) {
        return error_set("the module's image is shorter than the header of an ELF file");
    }
    memcpy(&header, image->bytes, sizeof(header));
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL) {
        return error_set("the module's image is not a relocatable ELF file of 64 bits");
    }
    if (header.e_machine != EM_X86_64) {
        return error_set("the module's image is not for x86-64");
    }
    const uint64_t room = image->size;
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > room || header.e_shoff % 8 ||
        header.e_shnum > (room - header.e_shoff) / sizeof(Elf64_Shdr)) {
        return error_set("the module's image has section headers outside of it");
    }
    image->sections = (const Elf64_Shdr *)(image->bytes + header.e_shoff);
    image->section_count = header.e_shnum;
    for (uint32_t i = 0; i < image->section_count; i++) {
        const Elf64_Shdr *section = &image->sections[i];
        if (section->sh_type != SHT_NOBITS &&
            (section->sh_offset > room || section->sh_size > room - section->sh_offset)) {
            return error_set("section %u of the module's image is outside of it", i);
        }
    }
    return true;
}

/* Gives addresses to loaded sections without one, behind those that have one. The information for
 * unwinding is not loaded, but its addresses are relative to code. */
static void sections_place(struct image *image, uint64_t load)
{
    bool placed = false;
    uint64_t end = load;
    for (uint32_t i = 0; i < image->section_count; i++) {
        const Elf64_Shdr *section = &image->sections[i];
        if (section->sh_flags & SHF_ALLOC && section->sh_addr) {
            const uint64_t behind = section->sh_addr + section->sh_size;
            image->begin =
                placed && image->begin < section->sh_addr ? image->begin : section->sh_addr;
            end = placed && end > behind ? end : behind;
            placed = true;
        }
    }
    image->end = end;
    for (uint32_t i = 0; i < image->section_count; i++) {
        Elf64_Shdr *section = (Elf64_Shdr *)&image->sections[i];
        if (section->sh_flags & SHF_ALLOC && !section->sh_addr) {
            const uint64_t align = section->sh_addralign ? section->sh_addralign : 1;
            section->sh_addr = (end + align - 1) / align * align;
            end = section->sh_addr + section->sh_size;
        }
    }
    if (!placed) {
        image->begin = load;
        image->end = end;
    }
}

/* ---- symbols ---- */

static const Elf64_Shdr *symbols_find(const struct image *image)
{
    for (uint32_t i = 0; i < image->section_count; i++) {
        const Elf64_Shdr *section = &image->sections[i];
        if (section->sh_type == SHT_SYMTAB && section->sh_offset % 8 == 0 &&
            section->sh_link < image->section_count) {
            return section;
        }
    }
    return NULL;
}

/* Returns a text of a string table, or NULL if it is not one. */
static const char *string_at(const struct image *image, uint32_t table, uint64_t offset)
{
    const Elf64_Shdr *strings = &image->sections[table];
    const char *start = (const char *)image->bytes + strings->sh_offset;
    if (strings->sh_type != SHT_STRTAB || offset >= strings->sh_size ||
        !memchr(start + offset, '\0', strings->sh_size - offset)) {
        return NULL;
    }
    return start + offset;
}

static const Elf64_Sym *symbol_at(const struct image *image, const Elf64_Shdr *table,
                                  uint64_t index)
{
    return index < table->sh_size / sizeof(Elf64_Sym)
               ? (const Elf64_Sym *)(image->bytes + table->sh_offset) + index
               : NULL;
}

static bool symbol_address(const struct image *image, const Elf64_Sym *symbol, uint64_t *address)
{
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= image->section_count) {
        return false;
    }
    *address = image->sections[symbol->st_shndx].sh_addr + symbol->st_value;
    return true;
}

/* Returns the name of a symbol that is a function of the image, or NULL. The compiler marks kernels
 * by a word before their name. */
static const char *function_name(const struct image *image, const Elf64_Shdr *table,
                                 const Elf64_Sym *symbol, uint64_t *address, bool *is_kernel)
{
    static const char kernel[] = "kernel.";
    const char *name =
        ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol_address(image, symbol, address)
            ? string_at(image, table->sh_link, symbol->st_name)
            : NULL;
    *is_kernel = name && strncmp(name, kernel, strlen(kernel)) == 0;
    return *is_kernel ? name + strlen(kernel) : name;
}

const char *image_symbol(const struct image *image, uint64_t address, uint64_t *start,
                         uint64_t *size)
{
    const Elf64_Shdr *table = symbols_find(image);
    for (uint64_t i = 0; table && i < table->sh_size / sizeof(Elf64_Sym); i++) {
        const Elf64_Sym *symbol = symbol_at(image, table, i);
        bool is_kernel;
        const char *name = function_name(image, table, symbol, start, &is_kernel);
        if (name && address >= *start && address - *start < symbol->st_size) {
            *size = symbol->st_size;
            return name;
        }
    }
    return NULL;
}

void image_functions(const struct image *image,
                     bool (*visit)(void *context, const char *name, uint64_t address,
                                   bool is_kernel),
                     void *context)
{
    const Elf64_Shdr *table = symbols_find(image);
    bool more = true;
    for (uint64_t i = 0; more && table && i < table->sh_size / sizeof(Elf64_Sym); i++) {
        uint64_t address;
        bool is_kernel;
        const char *name =
            function_name(image, table, symbol_at(image, table, i), &address, &is_kernel);
        more = !name || visit(context, name, address, is_kernel);
    }
}

struct wanted {
    const char *name;
    uint64_t *address;
    bool found;
};

static bool wanted_visit(void *context, const char *name, uint64_t address, bool is_kernel)
{
    struct wanted *wanted = context;
    (void)is_kernel;
    wanted->found = strcmp(name, wanted->name) == 0;
    if (wanted->found) {
        *wanted->address = address;
    }
    return !wanted->found;
}

bool image_function(const struct image *image, const char *name, uint64_t *address)
{
    struct wanted wanted = {.name = name, .address = address};
    image_functions(image, wanted_visit, &wanted);
    return wanted.found;
}

/* ---- relocations ---- */

/* Writes one value into a section. */
static bool relocation_apply(struct image *image, const Elf64_Shdr *target,
                             const Elf64_Rela *relocation, uint64_t value)
{
    const uint64_t type = ELF64_R_TYPE(relocation->r_info);
    const uint64_t bytes = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
    if (type == R_X86_64_NONE) {
        return true;
    }
    if (type != R_X86_64_64 && type != R_X86_64_32 && type != R_X86_64_32S &&
        type != R_X86_64_PC32 && type != R_X86_64_PC64) {
        return error_set("the debug information has a relocation of the unknown type %llu",
                         (unsigned long long)type);
    }
    if (target->sh_size < bytes || relocation->r_offset > target->sh_size - bytes) {
        return error_set("the debug information has a relocation outside of its section");
    }
    value += (uint64_t)relocation->r_addend;
    if (type == R_X86_64_PC32 || type == R_X86_64_PC64) {
        value -= target->sh_addr + relocation->r_offset;
    }
    memcpy(image->bytes + target->sh_offset + relocation->r_offset, &value, bytes);
    return true;
}

static bool table_apply(struct image *image, const Elf64_Shdr *table, const Elf64_Shdr *target)
{
    const Elf64_Shdr *symbols = &image->sections[table->sh_link];
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table->sh_size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        uint64_t address = 0;
        memcpy(&relocation, image->bytes + table->sh_offset + at, sizeof(relocation));
        const Elf64_Sym *symbol = symbol_at(image, symbols, ELF64_R_SYM(relocation.r_info));
        if (!symbol) {
            return error_set("the debug information has a relocation without a symbol");
        }
        (void)symbol_address(image, symbol, &address); /* an undefined symbol is 0 */
        if (!relocation_apply(image, target, &relocation, address)) {
            return false;
        }
    }
    return true;
}

/* Relocates what is not loaded, and the information for unwinding. */
static bool debug_relocate(struct image *image)
{
    for (uint32_t i = 0; i < image->section_count; i++) {
        const Elf64_Shdr *table = &image->sections[i];
        if (table->sh_type != SHT_RELA || table->sh_info >= image->section_count ||
            table->sh_link >= image->section_count) {
            continue;
        }
        const Elf64_Shdr *target = &image->sections[table->sh_info];
        const Elf64_Shdr *symbols = &image->sections[table->sh_link];
        const bool debug = !(target->sh_flags & SHF_ALLOC) || target->sh_type == SHT_X86_64_UNWIND;
        if (debug && target->sh_type != SHT_NOBITS && symbols->sh_type == SHT_SYMTAB &&
            symbols->sh_offset % 8 == 0 && !table_apply(image, table, target)) {
            return false;
        }
    }
    return true;
}

/* ---- opening ---- */

bool image_open(struct image *image, uint8_t *bytes, size_t size, uint64_t load)
{
    *image = (struct image){.bytes = bytes, .size = size};
    if (!sections_find(image)) {
        return false;
    }
    sections_place(image, load);
    if (!debug_relocate(image)) {
        return false;
    }
    elf_version(EV_CURRENT);
    image->elf = elf_memory((char *)image->bytes, image->size);
    if (!image->elf) {
        return error_set("libelf cannot read the module's image: %s", elf_errmsg(-1));
    }
    image->dwarf = dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
    image->cfi = dwarf_getcfi_elf(image->elf);
    return true;
}

void image_close(struct image *image)
{
    if (image->cfi) {
        dwarf_cfi_end(image->cfi);
    }
    if (image->dwarf) {
        dwarf_end(image->dwarf);
    }
    if (image->elf) {
        elf_end(image->elf);
    }
    free(image->bytes);
    *image = (struct image){0};
}

bool image_has_code(const struct image *image, uint64_t address)
{
    for (uint32_t i = 0; i < image->section_count; i++) {
        const Elf64_Shdr *section = &image->sections[i];
        if (section->sh_flags & SHF_EXECINSTR && address >= section->sh_addr &&
            address - section->sh_addr < section->sh_size) {
            return true;
        }
    }
    return false;
}
