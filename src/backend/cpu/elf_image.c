/* The second half of the CPU backend's loader of native binaries: places, relocates and protects
 * the image. See elf_image.h. */
#include "backend/cpu/elf_image.h"

#include "backend/cpu/elf_file.h"
#include "backend/cpu/elf_protect.h"
#include "backend/cpu/elf_rules.h"
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NEED_ENTRY 1u /* the symbol needs an entry in the offset table */
#define NEED_STUB  2u

/* External functions that compiled code may call: LLVM emits these for large copies. */
static const struct import {
    const char *name;
    void *address;
} imports[] = {
    {"memcpy", (void *)memcpy},
    {"memmove", (void *)memmove},
    {"memset", (void *)memset},
    {"memcmp", (void *)memcmp},
};

struct geo_elf_loading {
    const struct geo_elf_object *object;
    struct geo_elf_image *image;
    struct geo_strbuf *log;
    const struct geo_elf_external *externals; /* sorted; the caller's */
    uint32_t external_count;
    uint8_t *needs; /* per symbol */
    /* Per symbol: its definition in another image, or NULL. */
    const struct geo_elf_external **outside;
    uint32_t *entries; /* per symbol: index in the offset table */
    uint32_t *stubs;   /* per symbol: index of the stub */
    uint32_t entry_count, stub_count;
    uint64_t table_offset, stub_offset; /* offsets in the image */
};

static bool refuse(struct geo_elf_loading *loader, const char *what, const char *name)
{
    geo_strbuf_printf(loader->log, "native binary refused: %s%s%s\n", what, name ? " " : "",
                      name ? name : "");
    return false;
}

/* ---- relocations ---- */

static const struct import *import_find(const char *name)
{
    for (size_t i = 0; i < sizeof(imports) / sizeof(imports[0]); i++) {
        if (strcmp(imports[i].name, name) == 0) {
            return &imports[i];
        }
    }
    return NULL;
}

static int external_compare(const void *a, const void *b)
{
    return strcmp(((const struct geo_elf_external *)a)->symbol,
                  ((const struct geo_elf_external *)b)->symbol);
}

static void externals_find(struct geo_elf_loading *loader)
{
    const struct geo_elf_object *object = loader->object;
    for (uint32_t i = 1; loader->external_count && i < object->symbol_count; i++) {
        const struct geo_elf_external wanted = {
            .symbol = geo_elf_object_symbol_name(object, &object->symbols[i])};
        if (object->symbols[i].st_shndx == SHN_UNDEF) {
            loader->outside[i] = bsearch(&wanted, loader->externals, loader->external_count,
                                         sizeof(*loader->externals), external_compare);
        }
    }
}

/* Calls `visit` for every relocation of a section that is loaded. Stops when it returns false. */
static bool relocations_walk(struct geo_elf_loading *loader,
                             bool (*visit)(struct geo_elf_loading *loader, uint32_t section,
                                           const Elf64_Rela *relocation))
{
    const struct geo_elf_object *object = loader->object;
    for (uint32_t i = 0; i < object->section_count; i++) {
        const Elf64_Shdr *table = &object->sections[i];
        if (table->sh_type != SHT_RELA && table->sh_type != SHT_REL) {
            continue;
        }
        if (table->sh_info == 0 || table->sh_info >= object->section_count) {
            return refuse(loader, "relocations of no section", NULL);
        }
        if (!geo_elf_object_placed(&object->sections[table->sh_info])) {
            continue; /* debug information: gdb relocates it itself */
        }
        if (table->sh_type != SHT_RELA || table->sh_entsize != sizeof(Elf64_Rela) ||
            table->sh_link != object->symbol_section) {
            return refuse(loader, "bad relocation section", NULL);
        }
        for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table->sh_size; at += sizeof(Elf64_Rela)) {
            Elf64_Rela relocation;
            memcpy(&relocation, object->bytes + table->sh_offset + at, sizeof(relocation));
            if (!visit(loader, table->sh_info, &relocation)) {
                return false;
            }
        }
    }
    return true;
}

static bool symbol_check(struct geo_elf_loading *loader, uint64_t index)
{
    const Elf64_Sym *symbol = &loader->object->symbols[index];
    const struct geo_elf_object *object = loader->object;
    uint32_t type = ELF64_ST_TYPE(symbol->st_info);
    if (type == STT_TLS || type == STT_GNU_IFUNC) {
        return refuse(loader, "a symbol of a type that is not allowed:",
                      geo_elf_object_symbol_name(object, symbol));
    }
    if (symbol->st_shndx == SHN_UNDEF) {
        const char *name = geo_elf_object_symbol_name(object, symbol);
        return loader->outside[index] || import_find(name)
                   ? true
                   : refuse(loader, "unresolved symbol", name);
    }
    if (symbol->st_shndx >= SHN_LORESERVE ||
        !geo_elf_object_placed(&object->sections[symbol->st_shndx])) {
        return refuse(loader, "a reference to what is not in memory:",
                      geo_elf_object_symbol_name(object, symbol));
    }
    return true;
}

/* First pass: checks that each relocation is allowed and in bounds, and determines which symbols
 * need table entries and stubs. */
static bool relocation_check(struct geo_elf_loading *loader, uint32_t section,
                             const Elf64_Rela *relocation)
{
    const struct geo_elf_object *object = loader->object;
    const Elf64_Shdr *target = &object->sections[section];
    uint32_t type = ELF64_R_TYPE(relocation->r_info);
    uint64_t index = ELF64_R_SYM(relocation->r_info);
    const struct geo_elf_rule *rule = geo_elf_rule_find(object->rules, type);
    if (!rule) {
        geo_strbuf_printf(loader->log, "native binary refused: relocation type %u\n", type);
        return false;
    }
    if (rule->bytes == 0) {
        return true;
    }
    if (target->sh_type == SHT_NOBITS || rule->bytes > target->sh_size ||
        relocation->r_offset > target->sh_size - rule->bytes) {
        return refuse(loader, "a relocation outside its section", NULL);
    }
    if (index == 0 || index >= object->symbol_count) {
        return refuse(loader, "a relocation against no symbol", NULL);
    }
    const Elf64_Sym *symbol = &object->symbols[index];
    if (!symbol_check(loader, index)) {
        return false;
    }
    bool outside = symbol->st_shndx == SHN_UNDEF;
    bool direct = rule->use == GEO_ELF_DIRECT;
    if (outside && direct && rule->bytes < sizeof(uint64_t)) {
        return refuse(loader, "a direct reference to", geo_elf_object_symbol_name(object, symbol));
    }
    if (rule->use == GEO_ELF_TABLE || (outside && !direct)) {
        loader->needs[index] |= NEED_ENTRY;
    }
    if (outside && rule->use == GEO_ELF_CALL) {
        loader->needs[index] |= NEED_STUB;
    }
    return true;
}

/* ---- layout ---- */

static uint64_t align_up(uint64_t value, uint64_t unit)
{
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

enum part {
    PART_CODE,
    PART_CONSTANTS,
    PART_DATA,
    PART_COUNT,
};

static enum part section_part(const Elf64_Shdr *section)
{
    return section->sh_flags & SHF_EXECINSTR ? PART_CODE
           : section->sh_flags & SHF_WRITE   ? PART_DATA
                                             : PART_CONSTANTS;
}

/* Assigns an offset to every section of a part, starting at `offset`. Returns the end. */
static uint64_t part_place(struct geo_elf_loading *loader, enum part part, uint64_t offset)
{
    const struct geo_elf_object *object = loader->object;
    for (uint32_t i = 0; i < object->section_count; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        if (geo_elf_object_placed(section) && section_part(section) == part) {
            offset = align_up(offset, section->sh_addralign);
            loader->image->places[i] = offset;
            offset += section->sh_size;
        }
    }
    return offset;
}

static void image_layout(struct geo_elf_loading *loader)
{
    struct geo_elf_image *image = loader->image;
    uint64_t end = align_up(part_place(loader, PART_CODE, 0), GEO_ELF_STUB_BYTES);
    loader->stub_offset = end;
    image->code_bytes =
        align_up(end + loader->stub_count * GEO_ELF_STUB_BYTES, GEO_MACHINE_PAGE_BYTES);
    end = align_up(part_place(loader, PART_CONSTANTS, image->code_bytes), sizeof(uint64_t));
    loader->table_offset = end;
    end = align_up(end + loader->entry_count * sizeof(uint64_t), GEO_MACHINE_PAGE_BYTES);
    image->constant_bytes = end - image->code_bytes;
    image->bytes = align_up(part_place(loader, PART_DATA, end), GEO_MACHINE_PAGE_BYTES);
    if (image->bytes == image->code_bytes && image->bytes && geo_elf_file_folder()) {
        image->bytes += GEO_MACHINE_PAGE_BYTES; /* the file needs a second part */
    }
}

static void needs_count(struct geo_elf_loading *loader)
{
    for (uint32_t i = 0; i < loader->object->symbol_count; i++) {
        if (loader->needs[i] & NEED_ENTRY) {
            loader->entries[i] = loader->entry_count++;
        }
        if (loader->needs[i] & NEED_STUB) {
            loader->stubs[i] = loader->stub_count++;
        }
    }
}

/* ---- contents ---- */

static uint64_t symbol_address(const struct geo_elf_loading *loader, uint64_t index)
{
    const Elf64_Sym *symbol = &loader->object->symbols[index];
    if (loader->outside[index]) {
        return (uint64_t)(uintptr_t)loader->outside[index]->address;
    }
    if (symbol->st_shndx == SHN_UNDEF) {
        return (uint64_t)(uintptr_t)import_find(geo_elf_object_symbol_name(loader->object, symbol))
            ->address;
    }
    return (uint64_t)(uintptr_t)loader->image->base + loader->image->places[symbol->st_shndx] +
           symbol->st_value;
}

static uint64_t entry_address(const struct geo_elf_loading *loader, uint64_t symbol)
{
    return (uint64_t)(uintptr_t)loader->image->base + loader->table_offset +
           loader->entries[symbol] * sizeof(uint64_t);
}

static uint64_t stub_address(const struct geo_elf_loading *loader, uint64_t symbol)
{
    return (uint64_t)(uintptr_t)loader->image->base + loader->stub_offset +
           (uint64_t)loader->stubs[symbol] * GEO_ELF_STUB_BYTES;
}

static void sections_copy(struct geo_elf_loading *loader)
{
    const struct geo_elf_object *object = loader->object;
    for (uint32_t i = 0; i < object->section_count; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        if (geo_elf_object_placed(section) && section->sh_type != SHT_NOBITS) {
            memcpy(loader->image->base + loader->image->places[i],
                   object->bytes + section->sh_offset, section->sh_size);
        }
    }
}

static void tables_fill(struct geo_elf_loading *loader)
{
    for (uint32_t i = 0; i < loader->object->symbol_count; i++) {
        if (loader->needs[i] & NEED_ENTRY) {
            uint64_t address = symbol_address(loader, i);
            memcpy((void *)(uintptr_t)entry_address(loader, i), &address, sizeof(address));
        }
        if (loader->needs[i] & NEED_STUB) {
            uint64_t stub = stub_address(loader, i);
            loader->object->rules->stub_write((uint8_t *)(uintptr_t)stub, stub,
                                              entry_address(loader, i));
        }
    }
}

/* Computes the value of a relocation as its rule says. */
static uint64_t relocation_value(const struct geo_elf_loading *loader,
                                 const struct geo_elf_rule *rule, uint64_t index, int64_t addend,
                                 uint64_t place)
{
    bool stub = rule->use == GEO_ELF_CALL && loader->needs[index] & NEED_STUB;
    uint64_t value = rule->use == GEO_ELF_TABLE ? entry_address(loader, index)
                     : stub                     ? stub_address(loader, index)
                                                : symbol_address(loader, index);
    value += (uint64_t)addend;
    switch ((enum geo_elf_value)rule->value) {
    case GEO_ELF_ADDRESS:
        return value;
    case GEO_ELF_DISTANCE:
        return value - place;
    default:
        return (value & ~(uint64_t)(GEO_ELF_PAGES_BYTES - 1)) -
               (place & ~(uint64_t)(GEO_ELF_PAGES_BYTES - 1));
    }
}

static bool relocation_apply(struct geo_elf_loading *loader, uint32_t section,
                             const Elf64_Rela *relocation)
{
    uint32_t type = ELF64_R_TYPE(relocation->r_info);
    const struct geo_elf_rule *rule = geo_elf_rule_find(loader->object->rules, type);
    if (rule->bytes == 0) {
        return true;
    }
    uint8_t *place = loader->image->base + loader->image->places[section] + relocation->r_offset;
    uint64_t value = relocation_value(loader, rule, ELF64_R_SYM(relocation->r_info),
                                      relocation->r_addend, (uint64_t)(uintptr_t)place);
    return geo_elf_rule_apply(rule, place, value) ||
           refuse(loader, "a relocation out of range", NULL);
}

/* ---- interface ---- */

static ze_result_t image_map(struct geo_elf_loading *loader)
{
    struct geo_elf_image *image = loader->image;
    needs_count(loader);
    image_layout(loader);
    if (image->bytes == 0) {
        return ZE_RESULT_SUCCESS; /* a module that consists only of its note */
    }
    void *base =
        mmap(NULL, image->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    image->base = base;
    sections_copy(loader);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t loading_begin(struct geo_elf_loading *loader)
{
    const struct geo_elf_object *object = loader->object;
    struct geo_elf_image *image = loader->image;
    image->places = malloc(object->section_count * sizeof(*image->places));
    loader->needs = calloc(object->symbol_count, sizeof(*loader->needs));
    loader->outside = calloc(object->symbol_count, sizeof(*loader->outside));
    loader->entries = calloc(object->symbol_count, sizeof(*loader->entries));
    loader->stubs = calloc(object->symbol_count, sizeof(*loader->stubs));
    if (!image->places || !loader->needs || !loader->outside || !loader->entries ||
        !loader->stubs) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < object->section_count; i++) {
        image->places[i] = GEO_ELF_NOWHERE;
    }
    externals_find(loader);
    return relocations_walk(loader, relocation_check) ? image_map(loader)
                                                      : ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
}

ze_result_t geo_elf_image_place(const struct geo_elf_object *object,
                                const struct geo_elf_external *externals, uint32_t external_count,
                                struct geo_elf_image *image, struct geo_elf_loading **loading,
                                struct geo_strbuf *log)
{
    struct geo_elf_loading *loader = calloc(1, sizeof(*loader));
    memset(image, 0, sizeof(*image));
    if (!loader) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *loader = (struct geo_elf_loading){.object = object,
                                       .image = image,
                                       .log = log,
                                       .externals = externals,
                                       .external_count = external_count};
    ze_result_t result = loading_begin(loader);
    if (result != ZE_RESULT_SUCCESS) {
        geo_elf_image_loading_end(loader);
        geo_elf_image_unload(image);
        return result;
    }
    *loading = loader;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_elf_image_relocate(struct geo_elf_loading *loading, struct geo_strbuf *log)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    loading->log = log;
    tables_fill(loading);
    if (!relocations_walk(loading, relocation_apply)) {
        result = ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    } else {
        result = geo_elf_protect(loading->object, loading->image, log);
    }
    geo_elf_image_loading_end(loading);
    return result;
}

void geo_elf_image_loading_end(struct geo_elf_loading *loading)
{
    if (loading) {
        free(loading->needs);
        free(loading->outside);
        free(loading->entries);
        free(loading->stubs);
        free(loading);
    }
}

ze_result_t geo_elf_image_load(const struct geo_elf_object *object, struct geo_elf_image *image,
                               struct geo_strbuf *log)
{
    struct geo_elf_loading *loading;
    ze_result_t result = geo_elf_image_place(object, NULL, 0, image, &loading, log);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_elf_image_relocate(loading, log);
        if (result != ZE_RESULT_SUCCESS) {
            geo_elf_image_unload(image);
        }
    }
    return result;
}

void geo_elf_image_unload(struct geo_elf_image *image)
{
    if (image->base) {
        munmap(image->base, image->bytes);
    }
    free(image->places);
    memset(image, 0, sizeof(*image));
}

void *geo_elf_image_symbol_find(const struct geo_elf_object *object,
                                const struct geo_elf_image *image, const char *name, bool code)
{
    for (uint32_t i = 1; i < object->symbol_count; i++) {
        const Elf64_Sym *symbol = &object->symbols[i];
        if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE ||
            image->places[symbol->st_shndx] == GEO_ELF_NOWHERE ||
            strcmp(geo_elf_object_symbol_name(object, symbol), name) != 0) {
            continue;
        }
        const Elf64_Shdr *section = &object->sections[symbol->st_shndx];
        bool is_code = (section->sh_flags & SHF_EXECINSTR) != 0;
        if (is_code == code && (!code || symbol->st_value < section->sh_size)) {
            return image->base + image->places[symbol->st_shndx] + symbol->st_value;
        }
    }
    return NULL;
}
