/* Parses the note of a native binary. Every byte is untrusted: each is checked before it is used.
 * See native.h. */
#include "native/native.h"

#include "native/abi.h"
#include "native/checksum.h"

#include <elf.h>
#include <string.h>

#define KERNEL_FLAGS_ALL                                                                           \
    (GEO_KERNEL_LINEAR | GEO_KERNEL_BARRIER | GEO_KERNEL_SUBGROUPS | GEO_KERNEL_PRINTF |           \
     GEO_KERNEL_DEVICE_BARRIER | GEO_KERNEL_WAITS | GEO_KERNEL_ANY_GROUPS)

/* Bound on the entries of each table, which keeps all products within 64 bits. */
#define TABLE_LIMIT    65536u
#define LANES_LIMIT    64u
#define ARGUMENT_LIMIT (1u << 20) /* bytes of one argument block */
#define SCRATCH_LIMIT  (UINT64_C(1) << 40)

/* The object being checked, and the first error. */
struct reader {
    const uint8_t *bytes;
    size_t size;
    const char *reason;
};

static bool refuse(struct reader *reader, const char *reason)
{
    reader->reason = reason;
    return false;
}

static bool range_ok(uint64_t offset, uint64_t bytes, uint64_t size)
{
    return offset <= size && bytes <= size - offset;
}

static bool elf_header_ok(struct reader *reader, Elf64_Ehdr *header)
{
    if (reader->size < sizeof(*header)) {
        return refuse(reader, "shorter than an ELF header");
    }
    memcpy(header, reader->bytes, sizeof(*header));
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        return refuse(reader, "not an ELF file");
    }
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_type != ET_REL) {
        return refuse(reader, "not a 64-bit little-endian relocatable ELF object");
    }
    if (header->e_shentsize != sizeof(Elf64_Shdr) ||
        !range_ok(header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), reader->size)) {
        return refuse(reader, "section table outside the file");
    }
    return true;
}

/* Returns the descriptor of the first note with our name and type, and its size, or NULL. */
static const uint8_t *note_find(const uint8_t *bytes, uint64_t size, uint64_t *found_bytes)
{
    uint64_t at = 0;
    while (range_ok(at, sizeof(Elf64_Nhdr), size)) {
        Elf64_Nhdr note;
        memcpy(&note, bytes + at, sizeof(note));
        uint64_t name = at + sizeof(note);
        uint64_t descriptor = name + (((uint64_t)note.n_namesz + 3) & ~UINT64_C(3));
        if (!range_ok(name, note.n_namesz, size) || !range_ok(descriptor, note.n_descsz, size)) {
            return NULL;
        }
        if (note.n_type == GEO_NATIVE_NOTE_TYPE && note.n_namesz == sizeof(GEO_NATIVE_NOTE_NAME) &&
            memcmp(bytes + name, GEO_NATIVE_NOTE_NAME, sizeof(GEO_NATIVE_NOTE_NAME)) == 0) {
            *found_bytes = note.n_descsz;
            return bytes + descriptor;
        }
        at = descriptor + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
    }
    return NULL;
}

static const uint8_t *descriptor_find(struct reader *reader, const Elf64_Ehdr *header,
                                      uint64_t *bytes)
{
    for (unsigned i = 0; i < header->e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, reader->bytes + header->e_shoff + i * sizeof(section), sizeof(section));
        if (section.sh_type != SHT_NOTE ||
            !range_ok(section.sh_offset, section.sh_size, reader->size)) {
            continue;
        }
        const uint8_t *found = note_find(reader->bytes + section.sh_offset, section.sh_size, bytes);
        if (found) {
            return found;
        }
    }
    refuse(reader, "no Geoid note: not a native binary of this driver");
    return NULL;
}

/* Returns whether a terminated string starts at this offset of the string table. */
static bool string_ok(const struct geo_native_view *view, uint32_t offset)
{
    return offset < view->header->string_bytes; /* the table ends with a zero */
}

static bool table_ok(struct reader *reader, const struct geo_native_header *header, uint32_t offset,
                     uint32_t count, size_t size)
{
    if (count > TABLE_LIMIT || offset % 8 != 0 || offset < sizeof(*header) ||
        !range_ok(offset, (uint64_t)count * size, header->total_bytes)) {
        return refuse(reader, "a table lies outside the note");
    }
    return true;
}

/* Returns the header, if it is complete and aligned. */
static const struct geo_native_header *header_find(struct reader *reader, uint64_t *bytes)
{
    Elf64_Ehdr elf;
    if (!elf_header_ok(reader, &elf)) {
        return NULL;
    }
    const uint8_t *descriptor = descriptor_find(reader, &elf, bytes);
    if (!descriptor) {
        return NULL;
    }
    if ((uintptr_t)descriptor % 8 != 0) {
        refuse(reader, "the note is not aligned");
        return NULL;
    }
    if (*bytes < sizeof(struct geo_native_header)) {
        refuse(reader, "the note is not in Geoid's form");
        return NULL;
    }
    return (const void *)descriptor;
}

static uint64_t reader_checksum(const struct reader *reader, const struct geo_native_header *header)
{
    return geo_native_checksum(reader->bytes, reader->size,
                               (size_t)((const uint8_t *)&header->checksum - reader->bytes));
}

static bool header_ok(struct reader *reader, const struct geo_native_header *header, uint64_t bytes)
{
    if (header->magic != GEO_NATIVE_MAGIC) {
        return refuse(reader, "the note is not in Geoid's form");
    }
    if (header->version != GEO_NATIVE_VERSION || header->abi_version != GEO_ABI_VERSION) {
        return refuse(reader, "made by another version of Geoid");
    }
    if (header->checksum != reader_checksum(reader, header)) {
        return refuse(reader, "damaged: the checksum does not match");
    }
    if (header->total_bytes != bytes) {
        return refuse(reader, "the note's size does not match");
    }
    if (!table_ok(reader, header, header->kernel_offset, header->kernel_count,
                  sizeof(struct geo_native_kernel)) ||
        !table_ok(reader, header, header->argument_offset, header->argument_count,
                  sizeof(struct geo_native_argument)) ||
        !table_ok(reader, header, header->global_offset, header->global_count,
                  sizeof(struct geo_native_global)) ||
        !table_ok(reader, header, header->symbol_offset, header->symbol_count,
                  sizeof(struct geo_native_symbol)) ||
        !table_ok(reader, header, header->source_offset, header->source_count,
                  sizeof(struct geo_native_source))) {
        return false;
    }
    if (header->string_bytes == 0 || header->string_offset < sizeof(*header) ||
        !range_ok(header->string_offset, header->string_bytes, header->total_bytes) ||
        ((const char *)header)[header->string_offset + header->string_bytes - 1] != '\0') {
        return refuse(reader, "the string table is not terminated");
    }
    return true;
}

static bool argument_ok(const struct geo_native_view *view, const struct geo_native_kernel *kernel,
                        const struct geo_native_argument *argument)
{
    if (argument->kind < GEO_ARGUMENT_VALUE || argument->kind > GEO_ARGUMENT_SAMPLER) {
        return false;
    }
    if (argument->kind != GEO_ARGUMENT_VALUE && argument->size != sizeof(uint64_t)) {
        return false;
    }
    if (argument->image > (argument->kind == GEO_ARGUMENT_IMAGE ? 1u + ZE_IMAGE_TYPE_BUFFER : 0u)) {
        return false;
    }
    return argument->size > 0 && argument->align > 0 &&
           (argument->align & (argument->align - 1)) == 0 &&
           range_ok(argument->offset, argument->size, kernel->argument_bytes) &&
           string_ok(view, argument->name) && string_ok(view, argument->type_name);
}

static bool scratch_size_ok(uint64_t bytes)
{
    return bytes % GEO_ABI_SCRATCH_ALIGN == 0 && bytes <= SCRATCH_LIMIT;
}

static bool lanes_ok(uint32_t lanes)
{
    return lanes >= 1 && lanes <= LANES_LIMIT && (lanes & (lanes - 1)) == 0;
}

static bool kernel_ok(struct reader *reader, const struct geo_native_view *view,
                      const struct geo_native_kernel *kernel)
{
    if (!string_ok(view, kernel->name) || !string_ok(view, kernel->symbol) ||
        !string_ok(view, kernel->attributes)) {
        return refuse(reader, "a kernel's name lies outside the string table");
    }
    if (kernel->flags & ~(uint32_t)KERNEL_FLAGS_ALL || !lanes_ok(kernel->lanes) ||
        !lanes_ok(kernel->subgroup_size)) {
        return refuse(reader, "a kernel's flags or lane count are unknown");
    }
    if (!range_ok(kernel->first_argument, kernel->argument_count, view->header->argument_count) ||
        kernel->argument_bytes > ARGUMENT_LIMIT) {
        return refuse(reader, "a kernel's arguments lie outside the table");
    }
    if (!scratch_size_ok(kernel->local_bytes) || !scratch_size_ok(kernel->frame_bytes) ||
        !scratch_size_ok(kernel->chunk_bytes)) {
        return refuse(reader, "a kernel's scratch sizes are out of range");
    }
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        if (!argument_ok(view, kernel, &view->arguments[kernel->first_argument + i])) {
            return refuse(reader, "a kernel argument is malformed");
        }
    }
    return true;
}

static bool symbol_ok(const struct geo_native_view *view, const struct geo_native_symbol *symbol)
{
    return symbol->kind >= GEO_SYMBOL_IMPORT_FUNCTION &&
           symbol->kind <= GEO_SYMBOL_SHARED_VARIABLE &&
           !(symbol->flags & ~(uint32_t)GEO_SYMBOL_WEAK) && string_ok(view, symbol->name) &&
           string_ok(view, symbol->symbol) && string_ok(view, symbol->user);
}

static bool tables_ok(struct reader *reader, const struct geo_native_view *view)
{
    const struct geo_native_header *header = view->header;
    if (!string_ok(view, header->compiler_name) || !string_ok(view, header->device_name) ||
        !string_ok(view, header->build_options)) {
        return refuse(reader, "a name lies outside the string table");
    }
    for (uint32_t i = 0; i < header->kernel_count; i++) {
        if (!kernel_ok(reader, view, &view->kernels[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < header->global_count; i++) {
        if (!string_ok(view, view->globals[i].name) || !string_ok(view, view->globals[i].symbol)) {
            return refuse(reader, "a global's name lies outside the string table");
        }
    }
    for (uint32_t i = 0; i < header->symbol_count; i++) {
        if (!symbol_ok(view, &view->symbols[i])) {
            return refuse(reader, "a symbol is malformed");
        }
    }
    for (uint32_t i = 0; i < header->source_count; i++) {
        if (!string_ok(view, view->sources[i].options) ||
            !range_ok(view->sources[i].offset, view->sources[i].bytes, header->total_bytes)) {
            return refuse(reader, "a source lies outside the note");
        }
    }
    return true;
}

static bool native_parse(struct reader *reader, struct geo_native_view *view)
{
    uint64_t bytes;
    const struct geo_native_header *header = header_find(reader, &bytes);
    if (!header || !header_ok(reader, header, bytes)) {
        return false;
    }
    const uint8_t *descriptor = (const uint8_t *)header;
    view->object = reader->bytes;
    view->object_bytes = reader->size;
    view->header = header;
    view->kernels = (const void *)(descriptor + header->kernel_offset);
    view->arguments = (const void *)(descriptor + header->argument_offset);
    view->globals = (const void *)(descriptor + header->global_offset);
    view->symbols = (const void *)(descriptor + header->symbol_offset);
    view->sources = (const void *)(descriptor + header->source_offset);
    view->strings = (const char *)descriptor + header->string_offset;
    return tables_ok(reader, view);
}

bool geo_native_parse_seal(void *bytes, size_t size)
{
    struct reader reader = {.bytes = bytes, .size = size, .reason = ""};
    uint64_t note_bytes;
    const struct geo_native_header *header = header_find(&reader, &note_bytes);
    if (!header) {
        return false;
    }
    uint64_t checksum = reader_checksum(&reader, header);
    memcpy((uint8_t *)bytes + ((const uint8_t *)&header->checksum - reader.bytes), &checksum,
           sizeof(checksum));
    return true;
}

ze_result_t geo_native_parse(const void *bytes, size_t size, struct geo_native_view *view,
                             const char **reason)
{
    struct reader reader = {.bytes = bytes, .size = size, .reason = ""};
    memset(view, 0, sizeof(*view));
    if (!native_parse(&reader, view)) {
        memset(view, 0, sizeof(*view));
        *reason = reader.reason;
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    *reason = "";
    return ZE_RESULT_SUCCESS;
}
