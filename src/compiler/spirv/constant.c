/* Reads constants; expression.c reads OpSpecConstantOp. See constant.h. */
#include "compiler/spirv/constant.h"

#include "compiler/ir/grammar.h"
#include "compiler/spirv/expression.h"
#include "compiler/spirv/id.h"
#include "compiler/spirv/reference.h"
#include "native/kernel.h"

#include <string.h>

static bool is_scalar(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT ||
           type->kind == GEO_TYPE_BOOL;
}

#define MAX_REPLICAS (1u << 20) /* bound on the members of a replicated composite */

/* Bound on the nesting of constants: types nest up to 255 deep, and each address expression adds a
 * few levels. */
#define MAX_DEPTH 512u

static bool define(struct spirv_reader *reader, struct geo_ir_value *value)
{
    const struct geo_ir_constant *constant = value ? geo_ir_as_constant(value) : NULL;
    if (constant && constant->depth > MAX_DEPTH) {
        return spirv_error(reader, "constants nest deeper than %u", MAX_DEPTH);
    }
    return spirv_define_value(reader, reader->operands[1], value);
}

static bool read_scalar(struct spirv_reader *reader, const struct geo_ir_type *type)
{
    uint64_t bits;
    if (!is_scalar(type)) {
        return spirv_error(reader, "its type is not a scalar");
    }
    if (reader->op == SpvOpConstant || reader->op == SpvOpSpecConstant) {
        uint32_t words = type->width > 32 ? 2 : 1;
        if (type->kind == GEO_TYPE_BOOL || !spirv_need(reader, 2 + words)) {
            return spirv_error(reader, "its type does not fit");
        }
        bits = reader->operands[2];
        if (words == 2) {
            bits |= (uint64_t)reader->operands[3] << 32;
        }
        if (type->kind == GEO_TYPE_INT && geo_ir_int_bits(type) < 64) {
            bits &= (UINT64_C(1) << geo_ir_int_bits(type)) - 1;
        } else if (type->width < 64) {
            bits &= (UINT64_C(1) << type->width) - 1;
        }
    } else {
        if (type->kind != GEO_TYPE_BOOL) {
            return spirv_error(reader, "its type is not bool");
        }
        bits = reader->op == SpvOpConstantTrue || reader->op == SpvOpSpecConstantTrue;
    }
    struct geo_ir_constant *constant = geo_ir_const_scalar(reader->module, type, bits);
    return define(reader, constant ? &constant->value : NULL);
}

/* Reads a composite. `same`: all members are the one value that is given (replicated). */
static bool read_composite(struct spirv_reader *reader, const struct geo_ir_type *type, bool same)
{
    if (geo_ir_is_matrix(type)) { /* made of one number, the value of all elements */
        if (spirv_operand_count(reader) != 3) {
            return spirv_error(reader, "a matrix needs one constant");
        }
        same = true;
    }
    uint32_t count = same ? (uint32_t)type->count : spirv_operand_count(reader) - 2;
    if (same && (!spirv_need(reader, 3) || type->count > MAX_REPLICAS)) {
        return spirv_error(reader, "more than %u members of one value", MAX_REPLICAS);
    }
    if ((type->kind != GEO_TYPE_VECTOR && type->kind != GEO_TYPE_ARRAY &&
         type->kind != GEO_TYPE_STRUCT) ||
        count != type->count) {
        return spirv_error(reader, "its type does not have %u members", count);
    }
    struct geo_ir_value **members =
        geo_arena_new_array(&reader->module->arena, struct geo_ir_value *, count);
    if (!members) {
        return spirv_out_of_memory(reader);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_type *wanted =
            type->kind == GEO_TYPE_STRUCT ? type->members[i] : type->element;
        if (same && i > 0) {
            members[i] = members[0];
        } else {
            members[i] = spirv_value(reader, reader->operands[2 + i]);
            members[i] = members[i] ? spirv_constant_fit(reader, members[i], wanted) : NULL;
        }
        if (!members[i]) {
            return false;
        }
        if (members[i]->type != wanted || members[i]->kind == GEO_VALUE_INST ||
            members[i]->kind == GEO_VALUE_PARAMETER) {
            return spirv_error(reader, "member %u is not a constant of the right type", i);
        }
    }
    struct geo_ir_constant *constant = geo_ir_const_composite(reader->module, type, members);
    return define(reader, constant ? &constant->value : NULL);
}

/* Reads a function's address: an expression whose operand is filled in when the function is
 * read. */
static bool read_function_pointer(struct spirv_reader *reader, const struct geo_ir_type *type)
{
    if (!spirv_need(reader, 3)) {
        return false;
    }
    if (type->kind != GEO_TYPE_POINTER) {
        return spirv_error(reader, "its type is not a pointer");
    }
    struct geo_ir_value **operand = geo_arena_new(&reader->module->arena, struct geo_ir_value *);
    if (!operand) {
        return spirv_out_of_memory(reader);
    }
    return spirv_function_later(reader, operand, reader->operands[2]) &&
           define(reader, spirv_expression_create(reader, type, reader->op, operand, 1));
}

/* Reads a literal sampler. Its value has the bits of a sampler argument (native/kernel.h). */
static bool read_sampler(struct spirv_reader *reader, const struct geo_ir_type *type)
{
    if (!spirv_need(reader, 5)) {
        return false;
    }
    const uint32_t *operands = reader->operands;
    if (type->opaque != SpvOpTypeSampler || operands[2] > SpvSamplerAddressingModeRepeatMirrored ||
        operands[3] > 1 || operands[4] > SpvSamplerFilterModeLinear) {
        return spirv_error(reader, "this kind of sampler is not supported");
    }
    _Static_assert((int)GEO_SAMPLER_MIRRORED_REPEAT == SpvSamplerAddressingModeRepeatMirrored &&
                       (int)GEO_SAMPLER_CLAMP == SpvSamplerAddressingModeClamp,
                   "addressing modes have SPIR-V's numbers");
    uint64_t bits = operands[2] | (operands[3] ? GEO_SAMPLER_NORMALIZED : 0u) |
                    (operands[4] == SpvSamplerFilterModeLinear ? GEO_SAMPLER_LINEAR : 0u);
    struct geo_ir_constant *constant = geo_ir_const_scalar(reader->module, type, bits);
    return define(reader, constant ? &constant->value : NULL);
}

bool spirv_read_constant(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    const struct geo_ir_type *type = spirv_type(reader, reader->operands[0]);
    if (!type) {
        return false;
    }
    if (type->kind == GEO_TYPE_VOID || type->kind == GEO_TYPE_FUNCTION) {
        return spirv_error(reader, "its type has no values");
    }
    struct geo_ir_value *value;
    switch (reader->op) {
    case SpvOpUndef:
    case GEO_SPV_POISON_KHR:
        return define(reader, geo_ir_const_undef(reader->module, type));
    case SpvOpConstantNull:
        return define(reader, geo_ir_const_null(reader->module, type));
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        return read_composite(reader, type, false);
    case GEO_SPV_CONSTANT_COMPOSITE_REPLICATE_EXT:
    case GEO_SPV_SPEC_CONSTANT_COMPOSITE_REPLICATE_EXT:
        return read_composite(reader, type, true);
    case SpvOpSpecConstantOp:
        value = spirv_read_expression(reader, type);
        return value && define(reader, value);
    case SpvOpConstantFunctionPointerINTEL:
        return read_function_pointer(reader, type);
    case SpvOpConstantSampler:
        return read_sampler(reader, type);
    default:
        return read_scalar(reader, type);
    }
}
