/* Native binaries from anyone: the note's reader and the loader of objects must refuse or load,
 * never crash, hang or leak. What loads is not run: its code is as untrusted as the file. Most
 * changes are made where the format has its numbers, and the checksum is put right after them. */
#include "backend/cpu/elf_image.h"
#include "backend/cpu/elf_register.h"
#include "native/abi.h"
#include "native/native.h"

#include "fuzz.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_ELF, NOTE, OBJECT, PLACEMENT, RELOCATION, LOADED };

/* ---- what is done with one ---- */

/* The two steps apart, with an address for whatever the object asks for. */
static unsigned object_place(const struct geo_elf_object *object, struct geo_strbuf *log)
{
    static uint64_t variable;
    const struct geo_elf_external externals[] = {{"missing_function", &variable}};
    struct geo_elf_image image;
    struct geo_elf_loading *loading;
    if (geo_elf_image_place(object, externals, 1, &image, &loading, log) != ZE_RESULT_SUCCESS) {
        return PLACEMENT;
    }
    ze_result_t result = geo_elf_image_relocate(loading, log);
    geo_elf_image_unload(&image);
    return result == ZE_RESULT_SUCCESS ? LOADED : RELOCATION;
}

static void object_use(const struct geo_elf_object *object, struct geo_strbuf *log)
{
    struct geo_elf_image image;
    if (geo_elf_image_load(object, &image, log) == ZE_RESULT_SUCCESS) {
        struct geo_elf_registration *registration = geo_elf_register(object, &image);
        geo_elf_image_symbol_find(object, &image, "kernel_ids", true);
        geo_elf_image_symbol_find(object, &image, "variable_table", false);
        geo_elf_unregister(registration);
        geo_elf_image_unload(&image);
    }
}

static unsigned object_load(const uint8_t *bytes, size_t size)
{
    struct geo_elf_object object;
    struct geo_strbuf log;
    unsigned end = OBJECT;
    bool memory;
    geo_strbuf_init(&log, 4096);
    if (geo_elf_object_parse(bytes, size, &object, &log, &memory)) {
        end = object_place(&object, &log);
        if (end == LOADED) {
            object_use(&object, &log);
        }
        geo_elf_object_finish(&object);
    }
    geo_strbuf_finish(&log);
    return end;
}

/* The code and the records of a payload can be read, and the name of each entry point is one. */
static size_t payload_read(const struct geo_native_view *view,
                           const struct geo_native_payload *payload)
{
    size_t bytes, total = strlen(geo_native_string(view, payload->device_name));
    const uint8_t *code = geo_native_payload_code(view, payload, &bytes);
    for (size_t i = 0; i < bytes; i++) {
        total += code[i];
    }
    if (payload->kind == GEO_PAYLOAD_OBJECT && code != view->file) {
        total += object_load(code, bytes);
    }
    for (uint32_t i = 0; i < view->header->kernel_count; i++) {
        const struct geo_native_entry *entry = geo_native_payload_entry(view, payload, i);
        total += strlen(geo_native_string(view, entry->symbol));
        for (uint32_t k = 0; k < payload->kernel_bytes; k++) {
            total += ((const uint8_t *)entry)[k];
        }
    }
    return total;
}

/* A device gets a payload that is for it, or a reason. */
static void view_choose(const struct geo_native_view *view)
{
    static const struct geo_native_device devices[] = {
        {.kinds = 1u << GEO_PAYLOAD_OBJECT,
         .contract = GEO_ABI_VERSION,
         .target = GEO_TARGET_X86_64,
         .features = GEO_FEATURE_SSE4_2},
        {.kinds = 1u << GEO_PAYLOAD_PTX | 1u << GEO_PAYLOAD_CUBIN,
         .target = GEO_TARGET_NVIDIA,
         .architecture = 90},
    };
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        char reason[GEO_NATIVE_REASON_BYTES];
        const struct geo_native_payload *payload = geo_native_choose(view, &devices[i], reason);
        if (payload ? payload->target != devices[i].target : !reason[0]) {
            fuzz_found(FUZZ_WRONG, "a device has the wrong payload, or none without a reason");
        }
    }
}

/* Every byte that the view names can be read. */
static void view_read(const struct geo_native_view *view)
{
    volatile size_t total = 0;
    for (uint32_t i = 0; i < view->header->kernel_count; i++) {
        total += strlen(geo_native_string(view, view->kernels[i].name));
        total += strlen(geo_native_string(view, view->kernels[i].attributes));
        const struct geo_native_argument *argument =
            &view->arguments[view->kernels[i].first_argument];
        for (uint32_t k = 0; k < view->kernels[i].argument_count; k++, argument++) {
            total += strlen(geo_native_string(view, argument->name));
            total += strlen(geo_native_string(view, argument->type_name));
            total += argument->image;
        }
    }
    for (uint32_t i = 0; i < view->header->payload_count; i++) {
        total += payload_read(view, &view->payloads[i]);
    }
    view_choose(view);
    for (uint32_t i = 0; i < view->header->global_count; i++) {
        total += strlen(geo_native_string(view, view->globals[i].symbol));
    }
    for (uint32_t i = 0; i < view->header->symbol_count; i++) {
        total += strlen(geo_native_string(view, view->symbols[i].name));
        total += strlen(geo_native_string(view, view->symbols[i].symbol));
        total += strlen(geo_native_string(view, view->symbols[i].user));
    }
    for (uint32_t i = 0; i < view->header->source_count; i++) {
        const uint8_t *source = (const uint8_t *)view->header + view->sources[i].offset;
        total += strlen(geo_native_string(view, view->sources[i].options));
        for (uint32_t k = 0; k < view->sources[i].bytes; k++) {
            total += source[k];
        }
    }
}

static bool note_read(const uint8_t *bytes, size_t size)
{
    struct geo_native_view view;
    const char *reason = NULL;
    if (geo_native_parse(bytes, size, &view, &reason) == ZE_RESULT_SUCCESS) {
        view_read(&view);
        return true;
    }
    if (!reason || !*reason) {
        fuzz_found(FUZZ_WRONG, "a note is refused without a reason");
    }
    return false;
}

/* What lies behind a checksum that is wrong. */
static bool sealed_read(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    bool good = false;
    if (copy) {
        memcpy(copy, bytes, size);
        good = geo_native_parse_seal(copy, size) && note_read(copy, size);
    }
    free(copy);
    return good;
}

static unsigned object_run(const uint8_t *bytes, size_t size)
{
    bool known = note_read(bytes, size) || sealed_read(bytes, size);
    unsigned end = object_load(bytes, size); /* the loader trusts no reader */
    bool elf = size >= sizeof(Elf64_Ehdr) && memcmp(bytes, ELFMAG, SELFMAG) == 0;
    return known ? end : elf ? NOTE : NOT_ELF;
}

/* ---- changes ---- */

struct region {
    size_t at, bytes, unit; /* unit: of its entries */
};

static bool section_read(const uint8_t *bytes, size_t size, uint32_t index, Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof(header));
    if (header.e_shoff > size || (size - header.e_shoff) / sizeof(*section) <= index) {
        return false;
    }
    memcpy(section, bytes + header.e_shoff + index * sizeof(*section), sizeof(*section));
    return section->sh_offset <= size && section->sh_size <= size - section->sh_offset;
}

static size_t unit_of(uint32_t type)
{
    return type == SHT_SYMTAB ? sizeof(Elf64_Sym) : type == SHT_RELA ? sizeof(Elf64_Rela) : 4;
}

/* The file's header, its table of sections, or what is in one of them: notes, symbols and
 * relocations more often than code. */
static struct region region_pick(struct fuzz_random *random, const uint8_t *bytes, size_t size)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    struct region all = {0, size, 4};
    if (size < sizeof(header)) {
        return all;
    }
    memcpy(&header, bytes, sizeof(header));
    if (fuzz_one_in(random, 12)) {
        return (struct region){0, sizeof(header), 2};
    }
    size_t table = (size_t)header.e_shnum * sizeof(section);
    if (fuzz_one_in(random, 5) && header.e_shoff <= size && table <= size - header.e_shoff) {
        return (struct region){header.e_shoff, table, sizeof(section)};
    }
    for (int tries = 0; tries < 16 && header.e_shnum != 0; tries++) {
        if (section_read(bytes, size, fuzz_below(random, header.e_shnum), &section) &&
            section.sh_size != 0 && (section.sh_type != SHT_PROGBITS || fuzz_one_in(random, 8)) &&
            section.sh_type != SHT_NOBITS) {
            return (struct region){section.sh_offset, section.sh_size, unit_of(section.sh_type)};
        }
    }
    return all;
}

/* A field becomes an edge, another field of the region, or something near. */
static void field_change(struct fuzz_random *random, uint8_t *bytes, struct region region)
{
    size_t width = fuzz_one_in(random, 3) ? 8 : fuzz_one_in(random, 6) ? 2 : 4;
    uint64_t value = 0;
    if (region.bytes < width) {
        return;
    }
    uint32_t places = (uint32_t)(region.bytes / width);
    uint8_t *field = bytes + region.at + fuzz_below(random, places) * width;
    switch (fuzz_below(random, 4)) {
    case 0:
        value = fuzz_edge(random);
        value = fuzz_one_in(random, 4) ? ~value : value;
        break;
    case 1:
        memcpy(&value, bytes + region.at + fuzz_below(random, places) * width, width);
        break;
    case 2:
        memcpy(&value, field, width);
        value ^= UINT64_C(1) << fuzz_below(random, (uint32_t)width * 8);
        break;
    default:
        memcpy(&value, field, width);
        value += fuzz_below(random, 65) - UINT64_C(32);
    }
    memcpy(field, &value, width);
}

static void entry_copy(struct fuzz_random *random, uint8_t *bytes, struct region region)
{
    uint32_t entries = (uint32_t)(region.bytes / region.unit);
    if (entries > 1) {
        memmove(bytes + region.at + fuzz_below(random, entries) * region.unit,
                bytes + region.at + fuzz_below(random, entries) * region.unit, region.unit);
    }
}

static size_t object_mutate(struct fuzz_random *random, uint8_t *bytes, size_t size,
                            size_t max_bytes)
{
    if (fuzz_one_in(random, 24)) {
        size = fuzz_mutate_bytes(random, bytes, size, max_bytes);
    }
    for (uint32_t i = 1 + fuzz_below(random, 5); i-- > 0 && size != 0;) {
        struct region region = region_pick(random, bytes, size);
        if (fuzz_one_in(random, 8)) {
            entry_copy(random, bytes, region);
        } else {
            field_change(random, bytes, region);
        }
    }
    if (!fuzz_one_in(random, 16)) {
        (void)geo_native_parse_seal(bytes, size);
    }
    return size;
}

const struct fuzz_target fuzz_target = {
    .name = "native",
    .ends = {"no-elf", "note", "object", "placement", "relocation", "loaded"},
    .block = 500000,
    .max_bytes = (size_t)1 << 16,
    .stack_bytes = 65536,
    .take = fuzz_pool_add,
    .seed = fuzz_pool_pick,
    .mutate = object_mutate,
    .run = object_run,
};
