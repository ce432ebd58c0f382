/* Builds the note of a native binary, which describes the binary in the format of
 * native/native.h. */
#include "compiler/codegen/internal.h"

#include "base/array.h"
#include "base/assert.h"
#include "compiler/link/symbol.h"
#include "native/abi.h"
#include "native/native.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* The tables of the note while they are filled. */
struct note {
    struct {
        struct geo_native_kernel *items;
        size_t count, capacity;
    } kernels;
    struct {
        uint8_t *items; /* of the payload: payload.kernel_bytes for each kernel */
        size_t count, capacity;
    } records;
    struct geo_native_payload payload;
    const struct geo_codegen_payload *code; /* NULL: the binary has no payload */
    struct {
        struct geo_native_argument *items;
        size_t count, capacity;
    } arguments;
    struct {
        struct geo_native_global *items;
        size_t count, capacity;
    } globals;
    struct {
        struct geo_native_symbol *items;
        size_t count, capacity;
    } symbols;
    struct {
        struct geo_native_source *items;
        size_t count, capacity;
    } sources;
    struct {
        char *items;
        size_t count, capacity;
    } strings;
    bool failed;
};

static uint32_t string_add(struct note *note, const char *text)
{
    size_t length = strlen(text) + 1;
    if (!text[0] && note->strings.count) {
        return 0; /* the table starts with an empty string */
    }
    if (!geo_array_reserve(&note->strings, length)) {
        note->failed = true;
        return 0;
    }
    uint32_t offset = (uint32_t)note->strings.count;
    memcpy(note->strings.items + offset, text, length);
    note->strings.count += length;
    return offset;
}

/* ---- arguments ---- */

static void argument_of_pointer(const struct geo_ir_value *parameter,
                                struct geo_native_argument *argument)
{
    const struct geo_ir_type *pointee = parameter->type->element;
    argument->size = 8;
    argument->align = parameter->align ? parameter->align : pointee->align;
    switch (parameter->type->storage) {
    case SpvStorageClassWorkgroup:
        argument->kind = GEO_ARGUMENT_LOCAL;
        break;
    case SpvStorageClassFunction: /* a struct passed by value */
        argument->kind = GEO_ARGUMENT_VALUE;
        argument->size = (uint32_t)pointee->size;
        break;
    case SpvStorageClassUniformConstant:
        argument->kind = GEO_ARGUMENT_GLOBAL;
        argument->flags = GEO_ARGUMENT_CONSTANT_SPACE | GEO_ARGUMENT_READ_ONLY;
        break;
    default:
        argument->kind = GEO_ARGUMENT_GLOBAL;
        argument->flags = parameter->flags & GEO_VALUE_NO_WRITE ? GEO_ARGUMENT_READ_ONLY : 0;
        break;
    }
}

/* Describes the argument of an image or sampler parameter. */
static void argument_of_opaque(const struct geo_ir_type *type, struct geo_native_argument *argument)
{
    static const struct {
        uint32_t plain, arrayed;
    } types[] = {
        [SpvDim1D] = {ZE_IMAGE_TYPE_1D, ZE_IMAGE_TYPE_1DARRAY},
        [SpvDim2D] = {ZE_IMAGE_TYPE_2D, ZE_IMAGE_TYPE_2DARRAY},
        [SpvDim3D] = {ZE_IMAGE_TYPE_3D, ZE_IMAGE_TYPE_3D},
        [SpvDimBuffer] = {ZE_IMAGE_TYPE_BUFFER, ZE_IMAGE_TYPE_BUFFER},
    };
    argument->kind = type->opaque == SpvOpTypeSampler ? GEO_ARGUMENT_SAMPLER : GEO_ARGUMENT_IMAGE;
    argument->size = 8;
    argument->align = 8;
    if (type->opaque == SpvOpTypeImage) {
        const struct geo_ir_image *image = &type->image;
        argument->image =
            1 + (image->arrayed ? types[image->dim].arrayed : types[image->dim].plain);
        argument->flags = image->access == SpvAccessQualifierReadOnly    ? GEO_ARGUMENT_READ_ONLY
                          : image->access == SpvAccessQualifierWriteOnly ? GEO_ARGUMENT_WRITE_ONLY
                                                                         : 0;
    }
}

static void argument_add(struct note *note, const struct geo_ir_value *parameter, uint32_t offset)
{
    struct geo_native_argument argument = {.offset = offset};
    const struct geo_ir_type *type = parameter->type;
    if (!geo_array_reserve(&note->arguments, 1)) {
        note->failed = true;
        return;
    }
    if (type->kind == GEO_TYPE_POINTER) {
        argument_of_pointer(parameter, &argument);
    } else if (type->kind == GEO_TYPE_OPAQUE) {
        argument_of_opaque(type, &argument);
    } else {
        argument.kind = GEO_ARGUMENT_VALUE;
        argument.size = (uint32_t)type->size;
        argument.align = type->align;
    }
    argument.name = string_add(note, parameter->name ? parameter->name : "");
    note->arguments.items[note->arguments.count++] = argument;
}

/* ---- kernels ---- */

static void sizes_format(struct geo_strbuf *text, const char *name, const uint32_t sizes[3])
{
    if (sizes[0]) {
        geo_strbuf_printf(text, "%s%s(%u,%u,%u)", text->length ? " " : "", name, sizes[0], sizes[1],
                          sizes[2]);
    }
}

/* Adds source attributes in OpenCL C's spelling, separated by blanks (KRN-14). */
static uint32_t attributes_add(struct note *note, const struct geo_ir_function *function)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    sizes_format(&text, "reqd_work_group_size", function->required_size);
    sizes_format(&text, "work_group_size_hint", function->size_hint);
    if (function->vector_type_hint) {
        geo_strbuf_printf(&text, "%svec_type_hint(%s)", text.length ? " " : "",
                          function->vector_type_hint);
    }
    if (function->required_subgroup_size) {
        geo_strbuf_printf(&text, "%sintel_reqd_sub_group_size(%u)", text.length ? " " : "",
                          function->required_subgroup_size);
    }
    note->failed |= text.truncated;
    uint32_t offset = string_add(note, geo_strbuf_text(&text));
    geo_strbuf_finish(&text);
    return offset;
}

/* Adds the payload's record of a kernel. The record of a CPU begins as that of a GPU, which is
 * struct geo_native_entry. */
static void record_add(struct note *note, const struct geo_lower_kernel *lowered)
{
    const struct geo_native_cpu_kernel record = {
        .symbol = string_add(note, lowered->symbol),
        .flags = lowered->flags & GEO_CPU_KERNEL_FLAGS_ALL,
        .lanes = lowered->lanes,
        .local_bytes = lowered->local_bytes,
        .frame_bytes = lowered->frame_bytes,
        .chunk_bytes = lowered->chunk_bytes,
    };
    const size_t bytes = note->payload.kernel_bytes;
    if (!geo_array_reserve(&note->records, bytes)) {
        note->failed = true;
        return;
    }
    memcpy(note->records.items + note->records.count, &record, bytes);
    note->records.count += bytes;
}

static void kernel_add(struct note *note, const struct geo_lower_kernel *lowered)
{
    const struct geo_ir_function *function = lowered->function;
    /* A GPU runs sub-groups whatever the kernel does. */
    bool takes_subgroups = lowered->flags & GEO_KERNEL_SUBGROUPS ||
                           (note->code && note->payload.target == GEO_TARGET_NVIDIA);
    struct geo_native_kernel kernel = {
        .name = string_add(note, function->entry_name),
        .flags = lowered->flags & ~GEO_CPU_KERNEL_FLAGS_ALL,
        .subgroup_size = lowered->subgroup_size,
        .required_subgroup_size = function->required_subgroup_size,
        .preferred_multiple = takes_subgroups ? lowered->subgroup_size : lowered->lanes,
        .first_argument = (uint32_t)note->arguments.count,
        .argument_count = lowered->argument_offsets ? function->parameter_count : 0,
        .argument_bytes = lowered->argument_bytes,
        .attributes = attributes_add(note, function),
        .local_bytes = lowered->local_bytes,
        .private_bytes = (lowered->frame_bytes + lowered->chunk_bytes) / lowered->lanes,
    };
    memcpy(kernel.required_size, function->required_size, sizeof(kernel.required_size));
    memcpy(kernel.size_hint, function->size_hint, sizeof(kernel.size_hint));
    memcpy(kernel.max_size, function->max_size, sizeof(kernel.max_size));
    for (uint32_t i = 0; i < kernel.argument_count; i++) {
        argument_add(note, function->parameters[i], lowered->argument_offsets[i]);
    }
    if (!geo_array_reserve(&note->kernels, 1)) {
        note->failed = true;
        return;
    }
    note->kernels.items[note->kernels.count++] = kernel;
    if (note->code) {
        record_add(note, lowered);
    }
}

/* ---- globals and symbols ---- */

static void symbol_add(struct note *note, const struct geo_native_symbol *symbol)
{
    if (!geo_array_reserve(&note->symbols, 1)) {
        note->failed = true;
        return;
    }
    note->symbols.items[note->symbols.count++] = *symbol;
}

static const char *global_symbol(const struct geo_ir_variable *variable)
{
    return variable->symbol ? variable->symbol : variable->linkage_name;
}

/* Adds a variable by its name, and a second time by the host's other name. */
static void global_add(struct note *note, const struct geo_ir_variable *variable)
{
    if (!geo_array_reserve(&note->globals, 2)) {
        note->failed = true;
        return;
    }
    uint32_t name = string_add(note, variable->linkage_name);
    uint32_t symbol = variable->symbol ? string_add(note, variable->symbol) : name;
    struct geo_native_global global = {
        .name = name, .symbol = symbol, .size = variable->value.type->element->size};
    note->globals.items[note->globals.count++] = global;
    if (variable->host_name) {
        global.name = string_add(note, variable->host_name);
        note->globals.items[note->globals.count++] = global;
    }
}

/* Returns whether code still refers to a global after LLVM's passes, which leave behind constant
 * expressions that nothing uses. The depth of an expression is bounded (lower/global). */
static bool is_used(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAConstantExpr(user) || is_used(user)) {
            return true;
        }
    }
    return false;
}

/* Adds variables that other modules hold, and private variables of this module that others use. */
static void variables_add(struct note *note, struct geo_ir_module *module, LLVMModuleRef code)
{
    char symbol[300];
    for (size_t i = 0; i < module->variables.count; i++) {
        const struct geo_ir_variable *variable = module->variables.items[i];
        if (variable->linkage == GEO_LINKAGE_EXTERNAL) {
            geo_symbol_external(variable, symbol, sizeof(symbol));
            LLVMValueRef global = LLVMGetNamedGlobal(code, symbol);
            if (global && is_used(global)) {
                symbol_add(note, &(struct geo_native_symbol){
                                     .kind = GEO_SYMBOL_IMPORT_VARIABLE,
                                     .name = string_add(note, variable->linkage_name),
                                     .symbol = string_add(note, symbol),
                                     .unit = variable->unit});
            }
        } else if (variable->linkage_name) {
            if (LLVMGetNamedGlobal(code, global_symbol(variable))) {
                global_add(note, variable);
            }
        } else if (variable->shared) {
            const char *name = geo_symbol_shared(module, variable);
            note->failed |= name == NULL;
            if (name && LLVMGetNamedGlobal(code, name)) {
                uint32_t text = string_add(note, name);
                symbol_add(note, &(struct geo_native_symbol){.kind = GEO_SYMBOL_SHARED_VARIABLE,
                                                             .name = text,
                                                             .symbol = text});
            }
        }
    }
}

/* Returns the symbol of an export, or "" if the object does not contain it. */
static const char *export_symbol(const struct geo_linkage_symbol *export, LLVMModuleRef code,
                                 char *text, size_t size)
{
    const struct geo_ir_function *function = geo_ir_as_function(export->value);
    snprintf(text, size, "%s", export->name);
    if (function) {
        geo_symbol_descriptor(function, text, size);
    } else if (strlen(export->name) >= size) {
        return LLVMGetNamedGlobal(code, export->name) ? export->name : "";
    }
    return LLVMGetNamedGlobal(code, text) ? text : "";
}

static void exports_add(struct note *note, const struct geo_linkage_symbols *exports,
                        LLVMModuleRef code)
{
    char text[300];
    for (size_t i = 0; i < exports->count; i++) {
        const struct geo_linkage_symbol *export = &exports->items[i];
        bool variable = export->value->kind == GEO_VALUE_VARIABLE;
        uint32_t name = string_add(note, export->name);
        uint32_t symbol = string_add(note, export_symbol(export, code, text, sizeof(text)));
        symbol_add(note, &(struct geo_native_symbol){.kind = variable ? GEO_SYMBOL_EXPORT_VARIABLE
                                                                      : GEO_SYMBOL_EXPORT_FUNCTION,
                                                     .flags = export->weak ? GEO_SYMBOL_WEAK : 0,
                                                     .name = name,
                                                     .symbol = symbol});
    }
}

static const char *user_name(const struct geo_ir_function *function)
{
    if (!function) {
        return "";
    }
    return function->is_kernel      ? function->entry_name
           : function->linkage_name ? function->linkage_name
           : function->value.name   ? function->value.name
                                    : "";
}

static void imports_add(struct note *note, const struct geo_linkage_symbols *imports)
{
    for (size_t i = 0; i < imports->count; i++) {
        const struct geo_linkage_symbol *import = &imports->items[i];
        symbol_add(note, &(struct geo_native_symbol){
                             .kind = import->value->kind == GEO_VALUE_VARIABLE
                                         ? GEO_SYMBOL_IMPORT_VARIABLE
                                         : GEO_SYMBOL_IMPORT_FUNCTION,
                             .name = string_add(note, import->name),
                             .user = string_add(note, user_name(import->function))});
    }
}

static void sources_add(struct note *note, const struct geo_codegen_notes *notes)
{
    for (uint32_t i = 0; i < notes->source_count; i++) {
        if (notes->sources[i].bytes > UINT32_MAX / 4 || !geo_array_reserve(&note->sources, 1)) {
            note->failed = true;
            return;
        }
        const char *options = notes->sources[i].options;
        note->sources.items[note->sources.count++] =
            (struct geo_native_source){.bytes = (uint32_t)notes->sources[i].bytes,
                                       .options = string_add(note, options ? options : "")};
    }
}

/* ---- layout ---- */

static uint32_t table_place(uint32_t *total, size_t count, size_t size)
{
    uint32_t offset = *total;
    *total += (uint32_t)((count * size + 7) & ~(size_t)7);
    return offset;
}

static void header_fill(struct note *note, struct geo_native_header *header)
{
    uint32_t total = sizeof(*header);
    header->magic = GEO_NATIVE_MAGIC;
    header->version = GEO_NATIVE_VERSION;
    header->payload_count = note->code ? 1 : 0;
    header->payload_offset =
        table_place(&total, header->payload_count, sizeof(struct geo_native_payload));
    note->payload.kernel_offset = table_place(&total, note->records.count, 1);
    if (note->code && note->code->code) {
        note->payload.bytes = (uint32_t)note->code->bytes;
        note->payload.offset = table_place(&total, note->code->bytes, 1);
    }
    header->kernel_count = (uint32_t)note->kernels.count;
    header->kernel_offset =
        table_place(&total, note->kernels.count, sizeof(struct geo_native_kernel));
    header->argument_count = (uint32_t)note->arguments.count;
    header->argument_offset =
        table_place(&total, note->arguments.count, sizeof(struct geo_native_argument));
    header->global_count = (uint32_t)note->globals.count;
    header->global_offset =
        table_place(&total, note->globals.count, sizeof(struct geo_native_global));
    header->symbol_count = (uint32_t)note->symbols.count;
    header->symbol_offset =
        table_place(&total, note->symbols.count, sizeof(struct geo_native_symbol));
    header->source_count = (uint32_t)note->sources.count;
    header->source_offset =
        table_place(&total, note->sources.count, sizeof(struct geo_native_source));
    for (size_t i = 0; i < note->sources.count; i++) {
        note->sources.items[i].offset = table_place(&total, note->sources.items[i].bytes, 1);
    }
    header->string_bytes = (uint32_t)note->strings.count;
    header->string_offset = table_place(&total, note->strings.count, 1);
    header->total_bytes = total;
}

static void table_copy(uint8_t *to, const void *items, size_t bytes)
{
    if (bytes) {
        memcpy(to, items, bytes);
    }
}

/* Lays out the section: ELF note header, name, descriptor. Returns NULL when memory runs out; the
 * caller frees it. */
static uint8_t *note_layout(struct note *note, const struct geo_codegen_notes *notes,
                            struct geo_native_header *header, size_t *bytes)
{
    const size_t before = sizeof(Elf64_Nhdr) + sizeof(GEO_NATIVE_NOTE_NAME);
    _Static_assert((sizeof(Elf64_Nhdr) + sizeof(GEO_NATIVE_NOTE_NAME)) % 8 == 0,
                   "the descriptor is 8-byte aligned");
    header_fill(note, header);
    *bytes = before + header->total_bytes;
    uint8_t *section = calloc(1, *bytes);
    if (!section) {
        return NULL;
    }
    const Elf64_Nhdr elf = {.n_namesz = sizeof(GEO_NATIVE_NOTE_NAME),
                            .n_descsz = header->total_bytes,
                            .n_type = GEO_NATIVE_NOTE_TYPE};
    memcpy(section, &elf, sizeof(elf));
    memcpy(section + sizeof(elf), GEO_NATIVE_NOTE_NAME, sizeof(GEO_NATIVE_NOTE_NAME));
    uint8_t *at = section + before;
    memcpy(at, header, sizeof(*header));
    table_copy(at + header->kernel_offset, note->kernels.items,
               note->kernels.count * sizeof(*note->kernels.items));
    table_copy(at + header->payload_offset, &note->payload,
               header->payload_count * sizeof(note->payload));
    table_copy(at + note->payload.kernel_offset, note->records.items, note->records.count);
    table_copy(at + note->payload.offset, note->payload.bytes ? note->code->code : NULL,
               note->payload.bytes);
    table_copy(at + header->argument_offset, note->arguments.items,
               note->arguments.count * sizeof(*note->arguments.items));
    table_copy(at + header->global_offset, note->globals.items,
               note->globals.count * sizeof(*note->globals.items));
    table_copy(at + header->symbol_offset, note->symbols.items,
               note->symbols.count * sizeof(*note->symbols.items));
    table_copy(at + header->source_offset, note->sources.items,
               note->sources.count * sizeof(*note->sources.items));
    for (size_t i = 0; i < note->sources.count; i++) {
        table_copy(at + note->sources.items[i].offset, notes->sources[i].spirv,
                   notes->sources[i].bytes);
    }
    table_copy(at + header->string_offset, note->strings.items, note->strings.count);
    return section;
}

static void section_add(LLVMModuleRef module, const uint8_t *section, size_t bytes)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef data =
        LLVMConstStringInContext2(context, (const char *)section, bytes, 1 /* no terminator */);
    LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(data), "geoid.note");
    LLVMSetInitializer(global, data);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetSection(global, GEO_NATIVE_SECTION);
    LLVMSetAlignment(global, 8);
}

static bool note_fill(struct note *note, struct geo_ir_module *module,
                      const struct geo_lower_result *lowered, const struct geo_codegen_notes *notes,
                      struct geo_native_header *header)
{
    string_add(note, "");
    if (note->code) {
        note->payload = note->code->record;
        note->payload.device_name = string_add(note, note->code->device_name);
    }
    header->compiler_name = string_add(note, GEO_CODEGEN_IDENTITY);
    header->build_options = string_add(note, notes->options ? notes->options : "");
    for (uint32_t i = 0; i < lowered->kernel_count; i++) {
        kernel_add(note, &lowered->kernels[i]);
    }
    variables_add(note, module, lowered->module);
    if (notes->linkage) {
        exports_add(note, &notes->linkage->exports, lowered->module);
        imports_add(note, &notes->linkage->imports);
    }
    sources_add(note, notes);
    return !note->failed;
}

void *geo_codegen_note_make(const struct geo_codegen_payload *payload, struct geo_ir_module *module,
                            const struct geo_lower_result *lowered,
                            const struct geo_codegen_notes *notes, size_t *bytes)
{
    struct note note = {.code = payload, .failed = payload && payload->bytes > UINT32_MAX / 4};
    struct geo_native_header header = {0};
    uint8_t *section = NULL;
    if (note_fill(&note, module, lowered, notes, &header)) {
        section = note_layout(&note, notes, &header, bytes);
    }
    geo_array_finish(&note.kernels);
    geo_array_finish(&note.records);
    geo_array_finish(&note.arguments);
    geo_array_finish(&note.globals);
    geo_array_finish(&note.symbols);
    geo_array_finish(&note.sources);
    geo_array_finish(&note.strings);
    return section;
}

bool geo_codegen_note_add(const struct geo_codegen_target *target, struct geo_ir_module *module,
                          const struct geo_lower_result *lowered,
                          const struct geo_codegen_notes *notes)
{
    const struct geo_codegen_payload payload = {
        .record =
            {
                .kind = GEO_PAYLOAD_OBJECT,
                .contract = GEO_ABI_VERSION,
                .target = target->arch->target,
                .features = target->facts.features,
                .kernel_bytes = sizeof(struct geo_native_cpu_kernel),
            },
        .device_name = target->tune,
    };
    size_t bytes;
    uint8_t *section = geo_codegen_note_make(&payload, module, lowered, notes, &bytes);
    if (section) {
        section_add(lowered->module, section, bytes);
    }
    bool good = section != NULL;
    free(section);
    return good;
}

void geo_codegen_note_registers(void *object, size_t bytes, uint32_t profile_flags,
                                const struct geo_codegen_kernel_registers *registers)
{
    struct geo_native_view view;
    const char *reason;
    ze_result_t result = geo_native_parse(object, bytes, &view, &reason);
    GEO_ASSERT(result == ZE_RESULT_SUCCESS && view.header->payload_count == 1);
    (void)result;
    for (uint32_t i = 0; i < view.header->kernel_count; i++) {
        /* the caller owns the bytes that the view shows */
        struct geo_native_cpu_kernel *record =
            (void *)(uintptr_t)geo_native_payload_entry(&view, view.payloads, i);
        struct geo_native_kernel *kernel = (void *)(uintptr_t)&view.kernels[i];
        kernel->spill_bytes = registers[i].spill_bytes;
        if (profile_flags && *geo_native_string(&view, record->symbol)) {
            record->profile_flags = profile_flags;
            record->free_registers = registers[i].free;
        }
    }
    geo_native_parse_seal(object, bytes);
}
