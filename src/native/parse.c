/* Parses the note of a native binary. Every byte is untrusted: each is checked before it is used.
 * See native.h. */
#include "native/native.h"

#include "native/abi.h"
#include "native/checksum.h"
#include "native/registers.h"

#include <elf.h>
#include <string.h>

#define KERNEL_FLAGS_ALL                                                                           \
    (GEO_KERNEL_BARRIER | GEO_KERNEL_SUBGROUPS | GEO_KERNEL_PRINTF | GEO_KERNEL_DEFERRED |         \
     GEO_KERNEL_DEVICE_BARRIER | GEO_KERNEL_WAITS | GEO_KERNEL_RESTRICTED)

/* Bound on the entries of each table, which keeps all products within 64 bits. */
#define TABLE_LIMIT 65536u
/* Each payload has a record of every kernel, so this also bounds the time that parsing takes. */
#define PAYLOAD_LIMIT      64u
#define RECORD_LIMIT       4096u /* bytes of a payload's record of a kernel */
#define ARCHITECTURE_LIMIT 999u
#define LANES_LIMIT        64u
#define ARGUMENT_LIMIT     (1u << 20) /* bytes of one argument block */
#define MEMORY_LIMIT       (UINT64_C(1) << 40)

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

/* Reads the header of a section; `i` is below header->e_shnum. */
static void section_read(const struct reader *reader, const Elf64_Ehdr *header, uint32_t i,
                         Elf64_Shdr *section)
{
    memcpy(section, reader->bytes + header->e_shoff + i * sizeof(*section), sizeof(*section));
}

/* Sets the reader's size to where the object ends. Bytes after the end are not looked at: the
 * OpenCL driver appends its own there. */
static void end_find(struct reader *reader, const Elf64_Ehdr *header)
{
    uint64_t end = header->e_shoff + (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);
    for (uint32_t i = 0; i < header->e_shnum; i++) {
        Elf64_Shdr section;
        section_read(reader, header, i, &section);
        if (section.sh_type != SHT_NOBITS &&
            range_ok(section.sh_offset, section.sh_size, reader->size) &&
            section.sh_offset + section.sh_size > end) {
            end = section.sh_offset + section.sh_size;
        }
    }
    reader->size = end;
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
        section_read(reader, header, i, &section);
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
    end_find(reader, &elf);
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
    if (header->version != GEO_NATIVE_VERSION) {
        return refuse(reader, "made by another version of Geoid");
    }
    if (header->checksum == 0) {
        return refuse(reader, "changed by a tool (its checksum is 0), which needs "
                              "ZET_ENABLE_PROGRAM_INSTRUMENTATION=1");
    }
    if (header->checksum != reader_checksum(reader, header)) {
        return refuse(reader, "damaged: the checksum does not match");
    }
    if (header->total_bytes != bytes) {
        return refuse(reader, "the note's size does not match");
    }
    if (header->payload_count > PAYLOAD_LIMIT) {
        return refuse(reader, "too many payloads");
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
                  sizeof(struct geo_native_source)) ||
        !table_ok(reader, header, header->payload_offset, header->payload_count,
                  sizeof(struct geo_native_payload))) {
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
    return bytes % GEO_ABI_SCRATCH_ALIGN == 0 && bytes <= MEMORY_LIMIT;
}

static bool memory_ok(const struct geo_native_kernel *kernel)
{
    return kernel->local_bytes <= MEMORY_LIMIT && kernel->private_bytes <= MEMORY_LIMIT &&
           kernel->spill_bytes <= MEMORY_LIMIT;
}

/* Returns whether the number is a size of sub-groups or vectors: a power of two. */
static bool lanes_ok(uint32_t lanes)
{
    return lanes >= 1 && lanes <= LANES_LIMIT && (lanes & (lanes - 1)) == 0;
}

/* Checks a kernel. *arguments is the end of the previous kernel's arguments, and becomes the end of
 * its own. */
static bool kernel_ok(struct reader *reader, const struct geo_native_view *view,
                      const struct geo_native_kernel *kernel, uint32_t *arguments)
{
    if (!string_ok(view, kernel->name) || !string_ok(view, kernel->attributes)) {
        return refuse(reader, "a kernel's name lies outside the string table");
    }
    if (kernel->flags & ~(uint32_t)KERNEL_FLAGS_ALL || !lanes_ok(kernel->subgroup_size) ||
        !lanes_ok(kernel->preferred_multiple)) {
        return refuse(reader, "a kernel's flags or sub-group size are unknown");
    }
    /* Kernels that shared arguments would make a small file slow to check. */
    if (kernel->first_argument < *arguments ||
        !range_ok(kernel->first_argument, kernel->argument_count, view->header->argument_count) ||
        kernel->argument_bytes > ARGUMENT_LIMIT) {
        return refuse(reader, "a kernel's arguments lie outside the table or are another's");
    }
    *arguments = kernel->first_argument + kernel->argument_count;
    if (!memory_ok(kernel)) {
        return refuse(reader, "a kernel's memory sizes are out of range");
    }
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        if (!argument_ok(view, kernel, &view->arguments[kernel->first_argument + i])) {
            return refuse(reader, "a kernel argument is malformed");
        }
    }
    return true;
}

/* ---- payloads ---- */

/* Returns whether target, features and architecture belong to the kind of the payload. Which
 * features a CPU knows is left to the device that runs the code. */
static bool payload_target_ok(const struct geo_native_payload *payload)
{
    switch (payload->kind) {
    case GEO_PAYLOAD_OBJECT:
        return (payload->target == GEO_TARGET_X86_64 || payload->target == GEO_TARGET_AARCH64) &&
               payload->architecture == 0;
    case GEO_PAYLOAD_PTX:
    case GEO_PAYLOAD_CUBIN:
        return payload->target == GEO_TARGET_NVIDIA && payload->features == 0 &&
               payload->architecture > 0 && payload->architecture <= ARCHITECTURE_LIMIT;
    default:
        return false;
    }
}

/* Returns whether the code is inside the descriptor and begins or ends as its kind does. The rest
 * of it is checked by whoever loads it. */
static bool payload_code_ok(const struct geo_native_view *view,
                            const struct geo_native_payload *payload)
{
    if (payload->offset == 0) {
        return payload->bytes == 0 && payload->kind == GEO_PAYLOAD_OBJECT;
    }
    if (payload->offset % 8 != 0 || payload->offset < sizeof(*view->header) ||
        payload->bytes == 0 ||
        !range_ok(payload->offset, payload->bytes, view->header->total_bytes)) {
        return false;
    }
    const uint8_t *code = (const uint8_t *)view->header + payload->offset;
    return payload->kind == GEO_PAYLOAD_PTX
               ? code[payload->bytes - 1] == '\0'
               : payload->bytes >= sizeof(Elf64_Ehdr) && memcmp(code, ELFMAG, SELFMAG) == 0;
}

/* Returns whether a record of a CPU's kernel is one of our contract. */
static bool cpu_kernel_ok(const struct geo_native_cpu_kernel *kernel)
{
    return !(kernel->flags & ~GEO_CPU_KERNEL_FLAGS_ALL) && lanes_ok(kernel->lanes) &&
           !(kernel->profile_flags & ~GEO_NATIVE_PROFILE_FLAGS) &&
           scratch_size_ok(kernel->local_bytes) && scratch_size_ok(kernel->frame_bytes) &&
           scratch_size_ok(kernel->chunk_bytes);
}

/* Checks a payload's records of kernels. Records of another contract are never read, except for
 * their start. */
static bool payload_kernels_ok(struct reader *reader, const struct geo_native_view *view,
                               const struct geo_native_payload *payload)
{
    const struct geo_native_header *header = view->header;
    bool ours = payload->kind == GEO_PAYLOAD_OBJECT && payload->contract == GEO_ABI_VERSION;
    if (payload->kernel_bytes % 8 != 0 || payload->kernel_bytes > RECORD_LIMIT ||
        payload->kernel_bytes < sizeof(struct geo_native_entry) ||
        (ours && payload->kernel_bytes != sizeof(struct geo_native_cpu_kernel))) {
        return refuse(reader, "a payload's records of kernels have another size");
    }
    if (!table_ok(reader, header, payload->kernel_offset, header->kernel_count,
                  payload->kernel_bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < header->kernel_count; i++) {
        const struct geo_native_entry *entry = geo_native_payload_entry(view, payload, i);
        if (!string_ok(view, entry->symbol)) {
            return refuse(reader, "a kernel's name lies outside the string table");
        }
        bool whole = ours && entry->flags & GEO_KERNEL_WHOLE_ROWS;
        if (whole && !(view->kernels[i].flags & GEO_KERNEL_RESTRICTED)) {
            return refuse(reader, "a kernel without partial chunks is not restricted");
        }
        if (ours && !cpu_kernel_ok((const void *)entry)) {
            return refuse(reader, "a payload's record of a kernel is malformed");
        }
    }
    return true;
}

static bool payload_ok(struct reader *reader, const struct geo_native_view *view,
                       const struct geo_native_payload *payload)
{
    if (!string_ok(view, payload->device_name)) {
        return refuse(reader, "a name lies outside the string table");
    }
    if (!payload_target_ok(payload)) {
        return refuse(reader, "a payload's kind or target is unknown");
    }
    if (!payload_code_ok(view, payload)) {
        return refuse(reader, "a payload's code is malformed or outside the note");
    }
    return payload_kernels_ok(reader, view, payload);
}

/* ---- tables ---- */

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
    uint32_t arguments = 0;
    if (!string_ok(view, header->compiler_name) || !string_ok(view, header->build_options)) {
        return refuse(reader, "a name lies outside the string table");
    }
    for (uint32_t i = 0; i < header->kernel_count; i++) {
        if (!kernel_ok(reader, view, &view->kernels[i], &arguments)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < header->payload_count; i++) {
        if (!payload_ok(reader, view, &view->payloads[i])) {
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
    view->file = reader->bytes;
    view->file_bytes = reader->size;
    view->header = header;
    view->payloads = (const void *)(descriptor + header->payload_offset);
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

void geo_native_parse_seal_changed(void *bytes, size_t size)
{
    struct reader reader = {.bytes = bytes, .size = size, .reason = ""};
    uint64_t note_bytes;
    const struct geo_native_header *header = header_find(&reader, &note_bytes);
    if (header && header->magic == GEO_NATIVE_MAGIC && header->checksum == 0) {
        geo_native_parse_seal(bytes, size);
    }
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

/* ---- debug information ---- */

bool geo_native_parse_has_debug(const void *bytes, size_t size)
{
    static const char wanted[] = ".debug_info";
    struct reader reader = {.bytes = bytes, .size = size};
    Elf64_Ehdr header;
    Elf64_Shdr names = {0};
    if (!elf_header_ok(&reader, &header) || header.e_shstrndx >= header.e_shnum) {
        return false;
    }
    section_read(&reader, &header, header.e_shstrndx, &names);
    if (!range_ok(names.sh_offset, names.sh_size, size)) {
        return false;
    }
    for (uint32_t i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        section_read(&reader, &header, i, &section);
        if (range_ok(section.sh_name, sizeof(wanted), names.sh_size) &&
            memcmp(reader.bytes + names.sh_offset + section.sh_name, wanted, sizeof(wanted)) == 0) {
            return true;
        }
    }
    return false;
}
