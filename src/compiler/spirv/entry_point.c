/* Reads entry points and execution modes. They precede the functions that they describe, so they
 * are collected and applied at the end of the module. See entry_point.h. */
#include "compiler/spirv/entry_point.h"

#include "base/strmap.h"
#include "compiler/spirv/id.h"

#include <stdio.h>
#include <string.h>

/* A collected OpEntryPoint. */
struct spirv_entry_point {
    uint32_t function_id;
    const char *name;
    struct spirv_entry_point *next;
};

/* A collected OpExecutionMode or OpExecutionModeId. */
struct spirv_mode {
    uint32_t function_id;
    uint32_t mode; /* SpvExecutionMode */
    uint32_t count;
    const uint32_t *words;
    bool by_id; /* OpExecutionModeId: words are ids of constants */
    struct spirv_mode *next;
};

bool spirv_read_entry_point(struct spirv_reader *reader)
{
    uint32_t used;
    if (!spirv_need(reader, 3)) {
        return false;
    }
    if (reader->operands[0] != SpvExecutionModelKernel) {
        return spirv_error(reader, "execution model %u: only Kernel is supported",
                           reader->operands[0]);
    }
    struct spirv_entry_point *entry =
        geo_arena_new(&reader->module->arena, struct spirv_entry_point);
    if (!entry) {
        return spirv_out_of_memory(reader);
    }
    entry->function_id = reader->operands[1];
    entry->name = spirv_string(reader, reader->operands + 2, reader->length - 3, &used);
    entry->next = reader->entry_points;
    reader->entry_points = entry;
    return entry->name != NULL;
}

bool spirv_read_execution_mode(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    struct spirv_mode *mode = geo_arena_new(&reader->module->arena, struct spirv_mode);
    if (!mode) {
        return spirv_out_of_memory(reader);
    }
    mode->function_id = reader->operands[0];
    mode->mode = reader->operands[1];
    mode->words = reader->operands + 2;
    mode->count = spirv_operand_count(reader) - 2;
    mode->by_id = reader->op == SpvOpExecutionModeId;
    mode->next = reader->modes;
    reader->modes = mode;
    if (mode->mode == SpvExecutionModeSubgroupSize && mode->count) {
        uint32_t size = mode->words[0];
        reader->subgroup_sizes_differ |= reader->subgroup_size && reader->subgroup_size != size;
        reader->subgroup_size = reader->subgroup_size ? reader->subgroup_size : size;
    }
    return true;
}

/* ---- the end of the module ---- */

static struct geo_ir_function *function_of(struct spirv_reader *reader, uint32_t id)
{
    struct geo_ir_value *value = spirv_value(reader, id);
    struct geo_ir_function *function = value ? geo_ir_as_function(value) : NULL;
    if (value && !function) {
        spirv_error(reader, "entry point %u is not a function", id);
    }
    return function;
}

/* Checks the parameter types of a kernel. Images and samplers are allowed by themselves, but not
 * behind pointers or inside other types. Integers need a width that the host has. */
static bool parameters_check(struct spirv_reader *reader, const struct geo_ir_function *function)
{
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct geo_ir_type *type = function->parameters[i]->type;
        if (geo_ir_is_odd_int(geo_ir_scalar_of(type))) {
            return spirv_error(reader, "parameter %u of an entry point has %u bits", i,
                               geo_ir_int_bits(geo_ir_scalar_of(type)));
        }
        bool inside = type->kind == GEO_TYPE_POINTER && type->element->holds_image;
        if (inside || (type->holds_image && type->opaque != SpvOpTypeImage &&
                       type->opaque != SpvOpTypeSampler)) {
            return spirv_error(reader, "parameter %u of an entry point has images inside", i);
        }
    }
    return true;
}

static bool entry_points_resolve(struct spirv_reader *reader, struct geo_strmap *names)
{
    for (struct spirv_entry_point *e = reader->entry_points; e; e = e->next) {
        struct geo_ir_function *function = function_of(reader, e->function_id);
        if (!function) {
            return false;
        }
        if (!function->first_block || function->value.type->element->kind != GEO_TYPE_VOID) {
            return spirv_error(reader, "entry point %u has no body or does not return void",
                               e->function_id);
        }
        if (!parameters_check(reader, function)) {
            return false;
        }
        if (function->is_kernel && strcmp(function->entry_name, e->name) != 0) {
            return spirv_error(reader, "function %u is two entry points, \"%s\" and \"%s\"",
                               e->function_id, function->entry_name, e->name);
        }
        const struct geo_ir_function *first = geo_strmap_add(names, e->name, function);
        if (!first) {
            return spirv_out_of_memory(reader);
        }
        if (first != function) {
            return spirv_error(reader, "two entry points are named \"%s\"", e->name);
        }
        function->is_kernel = true;
        function->entry_name = e->name;
    }
    return true;
}

static bool sizes_set(struct spirv_reader *reader, const struct spirv_mode *mode, uint32_t *sizes)
{
    if (mode->count < 3) {
        return spirv_error(reader, "execution mode %u has too few operands", mode->mode);
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t bits = mode->words[i];
        if (mode->by_id) {
            struct geo_ir_value *value = spirv_constant(reader, mode->words[i]);
            if (!value || !geo_ir_constant_bits(value, &bits)) {
                return spirv_error(reader, "execution mode %u needs constants", mode->mode);
            }
        }
        if (bits == 0 || bits > UINT32_MAX) {
            return spirv_error(reader, "execution mode %u has a size of %llu", mode->mode,
                               (unsigned long long)bits);
        }
        sizes[i] = (uint32_t)bits;
    }
    return true;
}

static const char *vector_type_name(struct geo_ir_module *module, uint32_t word)
{
    static const char *const scalars[] = {"char", "short", "int",   "long",
                                          "half", "float", "double"};
    char text[16];
    uint32_t kind = word & 0xFFFFu;
    uint32_t count = word >> 16;
    if (kind >= sizeof(scalars) / sizeof(scalars[0])) {
        return NULL;
    }
    int length = count > 1 ? snprintf(text, sizeof(text), "%s%u", scalars[kind], count)
                           : snprintf(text, sizeof(text), "%s", scalars[kind]);
    return geo_arena_string(&module->arena, text, (size_t)length);
}

static const char *float_mode_name(uint32_t mode)
{
    switch (mode) {
    case SpvExecutionModeDenormPreserve:
        return "DenormPreserve";
    case SpvExecutionModeDenormFlushToZero:
        return "DenormFlushToZero";
    case SpvExecutionModeSignedZeroInfNanPreserve:
        return "SignedZeroInfNanPreserve";
    case SpvExecutionModeRoundingModeRTE:
        return "RoundingModeRTE";
    case SpvExecutionModeRoundingModeRTZ:
        return "RoundingModeRTZ";
    case SpvExecutionModeRoundingModeRTPINTEL:
        return "RoundingModeRTPINTEL";
    case SpvExecutionModeRoundingModeRTNINTEL:
        return "RoundingModeRTNINTEL";
    default:
        return "FloatingPointModeALTINTEL";
    }
}

/* Returns the bits that an execution mode sets, together with the _GIVEN flag of its kind. */
static uint32_t float_mode_bits(uint32_t mode)
{
    switch (mode) {
    case SpvExecutionModeDenormPreserve:
        return GEO_FLOAT_DENORMALS_GIVEN;
    case SpvExecutionModeDenormFlushToZero:
        return GEO_FLOAT_DENORMALS_GIVEN | GEO_FLOAT_FLUSH;
    case SpvExecutionModeRoundingModeRTE:
        return GEO_FLOAT_ROUNDING_GIVEN | SpvFPRoundingModeRTE;
    case SpvExecutionModeRoundingModeRTZ:
        return GEO_FLOAT_ROUNDING_GIVEN | SpvFPRoundingModeRTZ;
    case SpvExecutionModeRoundingModeRTPINTEL:
        return GEO_FLOAT_ROUNDING_GIVEN | SpvFPRoundingModeRTP;
    case SpvExecutionModeRoundingModeRTNINTEL:
        return GEO_FLOAT_ROUNDING_GIVEN | SpvFPRoundingModeRTN;
    default:
        return GEO_FLOAT_STRICT;
    }
}

/* Applies a float mode. A function may have one mode of a kind for each width. */
static bool float_mode_apply(struct spirv_reader *reader, const struct spirv_mode *mode,
                             struct geo_ir_function *function)
{
    const char *name = float_mode_name(mode->mode);
    uint32_t width = mode->count ? mode->words[0] : 0, bits = float_mode_bits(mode->mode);
    if (mode->mode == SpvExecutionModeFloatingPointModeALTINTEL ||
        (width != 16 && width != 32 && width != 64)) {
        return spirv_error(reader, "kernel \"%s\": execution mode %s of %u bits is not supported",
                           function->is_kernel ? function->entry_name : "", name, width);
    }
    uint32_t given = bits & (GEO_FLOAT_ROUNDING_GIVEN | GEO_FLOAT_DENORMALS_GIVEN);
    uint32_t kind = (given & GEO_FLOAT_ROUNDING_GIVEN ? GEO_FLOAT_ROUNDING : 0) |
                    (given & GEO_FLOAT_DENORMALS_GIVEN ? GEO_FLOAT_FLUSH : 0) | given;
    uint32_t before = geo_ir_float_mode(function->float_modes, width);
    if (before & given && (before & kind) != bits) {
        return spirv_error(reader,
                           "kernel \"%s\": execution mode %s of %u bits contradicts another",
                           function->is_kernel ? function->entry_name : "", name, width);
    }
    function->float_modes |= bits << geo_ir_float_mode_shift(width);
    return true;
}

/* Applies the mode of operations without a mode of their own (SPV_KHR_float_controls2). The
 * permissions are not used. A missing AllowContract turns contraction off for all types. */
static bool fast_math_default_apply(struct spirv_reader *reader, const struct spirv_mode *mode,
                                    struct geo_ir_function *function)
{
    uint64_t allowed = 0;
    const struct geo_ir_value *value =
        mode->by_id && mode->count == 2 ? spirv_constant(reader, mode->words[1]) : NULL;
    if (!value || value->type->kind != GEO_TYPE_INT || !geo_ir_constant_bits(value, &allowed)) {
        return spirv_error(reader, "execution mode FPFastMathDefault needs a type and a constant");
    }
    if (!(allowed & SpvFPFastMathModeAllowContractFastINTELMask)) {
        function->float_modes |= GEO_FLOAT_CONTRACTION_OFF;
    }
    return true;
}

static bool mode_apply(struct spirv_reader *reader, const struct spirv_mode *mode)
{
    struct geo_ir_function *function = function_of(reader, mode->function_id);
    uint32_t word = mode->count ? mode->words[0] : 0;
    if (!function) {
        return false;
    }
    switch (mode->mode) {
    case SpvExecutionModeLocalSize:
    case SpvExecutionModeLocalSizeId:
        return sizes_set(reader, mode, function->required_size);
    case SpvExecutionModeLocalSizeHint:
    case SpvExecutionModeLocalSizeHintId:
        return sizes_set(reader, mode, function->size_hint);
    case SpvExecutionModeMaxWorkgroupSizeINTEL:
        return sizes_set(reader, mode, function->max_size);
    case SpvExecutionModeSubgroupSize:
        function->required_subgroup_size = word;
        return true;
    case SpvExecutionModeVecTypeHint:
        function->vector_type_hint = vector_type_name(reader->module, word);
        return true;
    case SpvExecutionModeContractionOff:
        function->float_modes |= GEO_FLOAT_CONTRACTION_OFF;
        return true;
    case GEO_MODE_FP_FAST_MATH_DEFAULT:
        return fast_math_default_apply(reader, mode, function);
    case SpvExecutionModeDenormPreserve:
    case SpvExecutionModeDenormFlushToZero:
    case SpvExecutionModeSignedZeroInfNanPreserve:
    case SpvExecutionModeRoundingModeRTE:
    case SpvExecutionModeRoundingModeRTZ:
    case SpvExecutionModeRoundingModeRTPINTEL:
    case SpvExecutionModeRoundingModeRTNINTEL:
    case SpvExecutionModeFloatingPointModeALTINTEL:
        return float_mode_apply(reader, mode, function);
    default:
        return true; /* hints, and modes without an effect here */
    }
}

bool spirv_entry_points_finish(struct spirv_reader *reader)
{
    struct geo_strmap names = {0};
    bool good = entry_points_resolve(reader, &names);
    geo_strmap_finish(&names);
    if (!good) {
        return false;
    }
    for (struct spirv_mode *mode = reader->modes; mode; mode = mode->next) {
        if (!mode_apply(reader, mode)) {
            return false;
        }
    }
    return true;
}
