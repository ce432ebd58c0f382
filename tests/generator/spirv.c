/* Random kernels as SPIR-V, module scope: sections, types, constants, built-in variables. See
 * spirv.h. */
#include "spirv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *memory)
{
    if (!memory) {
        fprintf(stderr, "generator: out of memory\n");
        exit(1);
    }
    return memory;
}

void gen_words_put(struct gen_words *words, uint32_t word)
{
    if (words->count == words->capacity) {
        words->capacity = words->capacity ? words->capacity * 2 : 64;
        words->items = check(realloc(words->items, words->capacity * sizeof(*words->items)));
    }
    words->items[words->count++] = word;
}

void gen_put(struct gen_words *words, uint32_t opcode, uint32_t count, ...)
{
    va_list args;
    va_start(args, count);
    gen_words_put(words, (count + 1) << 16 | opcode);
    for (uint32_t i = 0; i < count; i++) {
        gen_words_put(words, va_arg(args, uint32_t));
    }
    va_end(args);
}

void gen_put_list(struct gen_words *words, uint32_t opcode, uint32_t count,
                  const uint32_t *operands, uint32_t more, const uint32_t *list)
{
    gen_words_put(words, (count + more + 1) << 16 | opcode);
    for (uint32_t i = 0; i < count + more; i++) {
        gen_words_put(words, i < count ? operands[i] : list[i - count]);
    }
}

static void words_append(struct gen_words *to, struct gen_words *from)
{
    for (size_t i = 0; i < from->count; i++) {
        gen_words_put(to, from->items[i]);
    }
    free(from->items);
    *from = (struct gen_words){0};
}

void gen_put_string(struct gen_words *words, const char *text)
{
    size_t length = strlen(text) + 1;
    for (size_t i = 0; i < length; i += 4) {
        uint32_t word = 0;
        memcpy(&word, text + i, length - i < 4 ? length - i : 4);
        gen_words_put(words, word);
    }
}

uint32_t gen_string_words(const char *text)
{
    return (uint32_t)strlen(text) / 4 + 1;
}

/* ---- types ---- */

uint32_t gen_type_id(struct gen_spirv *spirv, const struct gen_type *type)
{
    uint32_t *slot = &spirv->type_ids[type->index];
    uint32_t members[64];
    if (*slot) {
        return *slot;
    }
    uint32_t element = type->element ? gen_type_id(spirv, type->element) : 0;
    if (type->kind == GEN_STRUCT) {
        for (uint32_t i = 0; i < type->count; i++) {
            members[i] = gen_type_id(spirv, type->members[i]);
        }
    }
    uint32_t length = type->kind == GEN_ARRAY ? gen_u32_id(spirv, type->count) : 0;
    uint32_t id = spirv->bound++;
    struct gen_words *out = &spirv->globals;
    *slot = id;
    switch (type->kind) {
    case GEN_VOID:
        gen_put(out, SpvOpTypeVoid, 1, id);
        break;
    case GEN_BOOL:
        gen_put(out, SpvOpTypeBool, 1, id);
        break;
    case GEN_INT:
        gen_put(out, SpvOpTypeInt, 3, id, type->bits, 0);
        break;
    case GEN_FLOAT:
        gen_put(out, SpvOpTypeFloat, 2, id, type->bits);
        break;
    case GEN_VECTOR:
        gen_put(out, SpvOpTypeVector, 3, id, element, type->count);
        break;
    case GEN_ARRAY:
        gen_put(out, SpvOpTypeArray, 3, id, element, length);
        break;
    case GEN_STRUCT:
        gen_words_put(out, (type->count + 2) << 16 | SpvOpTypeStruct);
        gen_words_put(out, id);
        for (uint32_t i = 0; i < type->count; i++) {
            gen_words_put(out, members[i]);
        }
        break;
    }
    return id;
}

uint32_t gen_pointer_id(struct gen_spirv *spirv, const struct gen_type *type,
                        SpvStorageClass storage)
{
    uint32_t element = gen_type_id(spirv, type);
    uint32_t *slot = &spirv->pointer_ids[storage][type->index];
    if (!*slot) {
        *slot = spirv->bound++;
        gen_put(&spirv->globals, SpvOpTypePointer, 3, *slot, (uint32_t)storage, element);
    }
    return *slot;
}

SpvStorageClass gen_storage(const struct gen_variable *variable)
{
    return variable->is_generic           ? SpvStorageClassGeneric
           : variable->role == GEN_TABLE  ? SpvStorageClassUniformConstant
           : variable->role == GEN_BUFFER ? SpvStorageClassCrossWorkgroup
           : variable->role == GEN_SHARED ? SpvStorageClassWorkgroup
                                          : SpvStorageClassFunction;
}

/* ---- constants ---- */

uint32_t gen_scalar_id(struct gen_spirv *spirv, const struct gen_type *type, uint64_t bits)
{
    for (size_t i = 0; i < spirv->constants.count; i++) {
        const struct gen_constant_entry *entry = &spirv->constants.items[i];
        if (entry->type == type && entry->bits == bits) {
            return entry->id;
        }
    }
    uint32_t type_id = gen_type_id(spirv, type), id = spirv->bound++;
    if (type->kind == GEN_BOOL) {
        gen_put(&spirv->globals, bits ? SpvOpConstantTrue : SpvOpConstantFalse, 2, type_id, id);
    } else if (type->bits == 64) {
        gen_put(&spirv->globals, SpvOpConstant, 4, type_id, id, (uint32_t)bits,
                (uint32_t)(bits >> 32));
    } else {
        gen_put(&spirv->globals, SpvOpConstant, 3, type_id, id, (uint32_t)bits);
    }
    if (spirv->constants.count == spirv->constants.capacity) {
        spirv->constants.capacity = spirv->constants.capacity ? spirv->constants.capacity * 2 : 64;
        spirv->constants.items = check(realloc(
            spirv->constants.items, spirv->constants.capacity * sizeof(*spirv->constants.items)));
    }
    spirv->constants.items[spirv->constants.count++] = (struct gen_constant_entry){type, bits, id};
    return id;
}

uint32_t gen_u32_id(struct gen_spirv *spirv, uint32_t value)
{
    return gen_scalar_id(spirv, gen_type_int((struct gen_program *)(uintptr_t)spirv->program, 32),
                         value);
}

uint32_t gen_const_id(struct gen_spirv *spirv, const struct gen_type *type, const uint64_t *leaves)
{
    uint32_t members[GEN_MAX_LEAVES];
    bool zero = true;
    if (type->kind == GEN_BOOL || type->kind == GEN_INT || type->kind == GEN_FLOAT) {
        return gen_scalar_id(spirv, type, leaves[0]);
    }
    uint32_t type_id = gen_type_id(spirv, type);
    for (uint32_t i = 0; i < type->leaves; i++) {
        zero = zero && leaves[i] == 0;
    }
    if (zero) {
        uint32_t id = spirv->bound++;
        gen_put(&spirv->globals, SpvOpConstantNull, 2, type_id, id);
        return id;
    }
    for (uint32_t i = 0; i < type->count; i++) {
        const struct gen_type *member = type->kind == GEN_STRUCT ? type->members[i] : type->element;
        members[i] = gen_const_id(spirv, member, leaves);
        leaves += member->leaves;
    }
    uint32_t id = spirv->bound++;
    gen_words_put(&spirv->globals, (type->count + 3) << 16 | SpvOpConstantComposite);
    gen_words_put(&spirv->globals, type_id);
    gen_words_put(&spirv->globals, id);
    for (uint32_t i = 0; i < type->count; i++) {
        gen_words_put(&spirv->globals, members[i]);
    }
    return id;
}

/* ---- built-ins ---- */

const struct gen_type *gen_builtin_type(const struct gen_spirv *spirv, enum gen_id id)
{
    struct gen_program *program = (struct gen_program *)(uintptr_t)spirv->program;
    const struct gen_type *scalar = gen_type_int(program, id >= GEN_SUBGROUP_LOCAL_ID ? 32 : 64);
    return id >= GEN_SUBGROUP_EQ_MASK ? gen_type_vector(program, scalar, 4)
           : id >= GEN_GLOBAL_LINEAR  ? scalar
                                      : gen_type_vector(program, scalar, 3);
}

uint32_t gen_builtin_variable(struct gen_spirv *spirv, enum gen_id id)
{
    static const SpvBuiltIn builtins[GEN_ID_COUNT] = {
        [GEN_GLOBAL_ID] = SpvBuiltInGlobalInvocationId,
        [GEN_LOCAL_ID] = SpvBuiltInLocalInvocationId,
        [GEN_GROUP_ID] = SpvBuiltInWorkgroupId,
        [GEN_LOCAL_SIZE] = SpvBuiltInWorkgroupSize,
        [GEN_GLOBAL_SIZE] = SpvBuiltInGlobalSize,
        [GEN_GROUP_COUNT] = SpvBuiltInNumWorkgroups,
        [GEN_GLOBAL_OFFSET] = SpvBuiltInGlobalOffset,
        [GEN_GLOBAL_LINEAR] = SpvBuiltInGlobalLinearId,
        [GEN_LOCAL_LINEAR] = SpvBuiltInLocalInvocationIndex,
        [GEN_SUBGROUP_LOCAL_ID] = SpvBuiltInSubgroupLocalInvocationId,
        [GEN_SUBGROUP_ID] = SpvBuiltInSubgroupId,
        [GEN_SUBGROUP_COUNT] = SpvBuiltInNumSubgroups,
        [GEN_SUBGROUP_SIZE] = SpvBuiltInSubgroupSize,
        [GEN_SUBGROUP_MAX_SIZE] = SpvBuiltInSubgroupMaxSize,
        [GEN_SUBGROUP_EQ_MASK] = SpvBuiltInSubgroupEqMask,
        [GEN_SUBGROUP_GE_MASK] = SpvBuiltInSubgroupGeMask,
        [GEN_SUBGROUP_GT_MASK] = SpvBuiltInSubgroupGtMask,
        [GEN_SUBGROUP_LE_MASK] = SpvBuiltInSubgroupLeMask,
        [GEN_SUBGROUP_LT_MASK] = SpvBuiltInSubgroupLtMask,
    };
    uint32_t *slot = &spirv->id_variables[id];
    if (*slot) {
        return *slot;
    }
    uint32_t pointer = gen_pointer_id(spirv, gen_builtin_type(spirv, id), SpvStorageClassInput);
    *slot = spirv->bound++;
    gen_put(&spirv->globals, SpvOpVariable, 3, pointer, *slot, SpvStorageClassInput);
    gen_put(&spirv->annotations, SpvOpDecorate, 3, *slot, SpvDecorationBuiltIn, builtins[id]);
    gen_put(&spirv->annotations, SpvOpDecorate, 2, *slot, SpvDecorationConstant);
    return *slot;
}

static void emit_shared(struct gen_spirv *spirv)
{
    const struct gen_variables *list = &spirv->program->shared;
    struct gen_program *program = (struct gen_program *)(uintptr_t)spirv->program;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct gen_variable *variable = list->items[i];
        const struct gen_type *type = gen_type_array(program, variable->type, variable->length);
        uint32_t pointer = gen_pointer_id(spirv, type, SpvStorageClassWorkgroup);
        spirv->shared_ids[variable->slot] = spirv->bound;
        gen_put(&spirv->globals, SpvOpVariable, 3, pointer, spirv->bound++,
                SpvStorageClassWorkgroup);
    }
}

static void emit_tables(struct gen_spirv *spirv)
{
    const struct gen_variables *list = &spirv->program->tables;
    struct gen_program *program = (struct gen_program *)(uintptr_t)spirv->program;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct gen_variable *table = list->items[i];
        const struct gen_type *type = gen_type_array(program, table->type, table->length);
        uint32_t pointer = gen_pointer_id(spirv, type, SpvStorageClassUniformConstant);
        uint32_t type_id = gen_type_id(spirv, type), members[64];
        for (uint32_t e = 0; e < table->length; e++) {
            uint64_t leaves[GEN_MAX_LEAVES];
            gen_leaves_load(table->type, table->bytes + (size_t)e * table->type->size, leaves);
            members[e] = gen_const_id(spirv, table->type, leaves);
        }
        uint32_t contents = spirv->bound++;
        gen_words_put(&spirv->globals, (table->length + 3) << 16 | SpvOpConstantComposite);
        gen_words_put(&spirv->globals, type_id);
        gen_words_put(&spirv->globals, contents);
        for (uint32_t e = 0; e < table->length; e++) {
            gen_words_put(&spirv->globals, members[e]);
        }
        uint32_t id = spirv->table_ids[i] = spirv->bound++;
        gen_put(&spirv->globals, SpvOpVariable, 4, pointer, id, SpvStorageClassUniformConstant,
                contents);
        gen_put(&spirv->annotations, SpvOpDecorate, 2, id, SpvDecorationConstant);
    }
}

/* ---- the module ---- */

/* The defaults, rounding to nearest and denormals as they are, are spelled out now and then. */
static void emit_modes(const struct gen_program *program, uint32_t kernel, struct gen_words *out)
{
    static const uint32_t roundings[] = {
        SpvExecutionModeRoundingModeRTE, SpvExecutionModeRoundingModeRTZ,
        SpvExecutionModeRoundingModeRTPINTEL, SpvExecutionModeRoundingModeRTNINTEL};
    for (uint32_t i = program->halves ? 0 : 1; program->modes && i < 3; i++) {
        const struct gen_float_mode *mode = &program->float_modes[i];
        if (mode->rounding || program->seed % 3 == 0) {
            gen_put(out, SpvOpExecutionMode, 3, kernel, roundings[mode->rounding], 16u << i);
        }
        if (mode->flush || program->seed % 3 == 1) {
            gen_put(out, SpvOpExecutionMode, 3, kernel,
                    mode->flush ? SpvExecutionModeDenormFlushToZero
                                : SpvExecutionModeDenormPreserve,
                    16u << i);
        }
    }
}

static void emit_modes_head(const struct gen_program *program, struct gen_words *out)
{
    static const uint32_t capabilities[] = {
        SpvCapabilityDenormPreserve, SpvCapabilityDenormFlushToZero, SpvCapabilityRoundingModeRTE,
        SpvCapabilityRoundingModeRTZ, SpvCapabilityRoundToInfinityINTEL};
    for (size_t i = 0; program->modes && i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
        gen_put(out, SpvOpCapability, 1, capabilities[i]);
    }
}

static void emit_head(struct gen_spirv *spirv, struct gen_words *out)
{
    static const uint32_t capabilities[] = {SpvCapabilityAddresses, SpvCapabilityKernel,
                                            SpvCapabilityVector16,  SpvCapabilityFloat64,
                                            SpvCapabilityInt64,     SpvCapabilityInt16,
                                            SpvCapabilityInt8,      SpvCapabilityInt64Atomics};
    static const char *const ext = "OpenCL.std";
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
        gen_put(out, SpvOpCapability, 1, capabilities[i]);
    }
    if (spirv->program->halves) {
        gen_put(out, SpvOpCapability, 1, SpvCapabilityFloat16);
    }
    if (spirv->program->generics || spirv->program->spaces) {
        gen_put(out, SpvOpCapability, 1, SpvCapabilityGenericPointer);
    }
    emit_modes_head(spirv->program, out);
    gen_emit_subgroup_head(spirv->program, out);
    gen_words_put(out, (gen_string_words(ext) + 2) << 16 | SpvOpExtInstImport);
    gen_words_put(out, spirv->ext_set);
    gen_put_string(out, ext);
    gen_put(out, SpvOpMemoryModel, 2, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);

    struct gen_words interface = {0};
    for (uint32_t i = 0; i < GEN_ID_COUNT; i++) {
        if (spirv->id_variables[i]) {
            gen_words_put(&interface, spirv->id_variables[i]);
        }
    }
    for (uint32_t i = 0; spirv->program->version >= 4 && i < spirv->program->shared.count; i++) {
        gen_words_put(&interface, spirv->shared_ids[spirv->program->shared.items[i]->slot]);
    }
    for (uint32_t i = 0; spirv->program->version >= 4 && i < spirv->program->tables.count; i++) {
        gen_words_put(&interface, spirv->table_ids[i]);
    }
    uint32_t kernel = spirv->function_ids[gen_kernel(spirv->program)->number];
    gen_words_put(out, (gen_string_words(GEN_KERNEL_NAME) + 3 + (uint32_t)interface.count) << 16 |
                           SpvOpEntryPoint);
    gen_words_put(out, SpvExecutionModelKernel);
    gen_words_put(out, kernel);
    gen_put_string(out, GEN_KERNEL_NAME);
    words_append(out, &interface);
    gen_put(out, SpvOpExecutionMode, 2, kernel, SpvExecutionModeContractionOff);
    emit_modes(spirv->program, kernel, out);
    if (spirv->program->required_local) {
        const uint32_t *local = spirv->program->local;
        gen_put(out, SpvOpExecutionMode, 5, kernel, SpvExecutionModeLocalSize, local[0], local[1],
                local[2]);
    }
    if (spirv->program->subgroup_size) {
        gen_put(out, SpvOpExecutionMode, 3, kernel, SpvExecutionModeSubgroupSize,
                spirv->program->subgroup_size);
    }
    gen_put(out, SpvOpSource, 2, SpvSourceLanguageOpenCL_C, 300000);
}

uint32_t *gen_emit_spirv(const struct gen_program *program, size_t *word_count)
{
    /* Types may be made while emitting (arrays of shared memory): room for those. */
    size_t types = program->types.count + 64;
    struct gen_spirv spirv = {.program = program, .bound = 1};
    spirv.type_ids = check(calloc(types, sizeof(uint32_t)));
    for (uint32_t i = 0; i < 16; i++) {
        spirv.pointer_ids[i] = check(calloc(types, sizeof(uint32_t)));
    }
    spirv.function_ids = check(calloc(program->functions.count, sizeof(uint32_t)));
    spirv.shared_ids = check(calloc(gen_kernel(program)->slot_count + 1, sizeof(uint32_t)));
    spirv.ext_set = spirv.bound++;
    for (uint32_t i = 0; i < program->functions.count; i++) {
        spirv.function_ids[i] = spirv.bound++;
    }
    spirv.table_ids = check(calloc(program->tables.count + 1, sizeof(uint32_t)));
    emit_shared(&spirv);
    emit_tables(&spirv);
    for (uint32_t i = 0; i < program->functions.count; i++) {
        gen_emit_function(&spirv, program->functions.items[i]);
    }

    struct gen_words out = {0};
    gen_words_put(&out, SpvMagicNumber);
    gen_words_put(&out, 0x00010000 | program->version << 8);
    gen_words_put(&out, 0);
    gen_words_put(&out, spirv.bound);
    gen_words_put(&out, 0);
    emit_head(&spirv, &out);
    words_append(&out, &spirv.annotations);
    words_append(&out, &spirv.globals);
    words_append(&out, &spirv.functions);

    free(spirv.type_ids);
    for (uint32_t i = 0; i < 16; i++) {
        free(spirv.pointer_ids[i]);
    }
    free(spirv.function_ids);
    free(spirv.shared_ids);
    free(spirv.table_ids);
    free(spirv.constants.items);
    *word_count = out.count;
    return out.items;
}
