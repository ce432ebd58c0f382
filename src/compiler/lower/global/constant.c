/* Builds LLVM constants from constants of the model: scalars, parts of composites, and address
 * expressions, which only LLVM can compute. value/value.c uses it for every constant operand.
 *
 * Undefined values become zero. Expressions are untrusted input whose operands may be shared many
 * times. So the depth of each and the work for all of a module are limited. */
#include "compiler/lower/global/constant.h"

#include "base/assert.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/global/variable.h"
#include "compiler/lower/state/parts.h"

#include <string.h>

#define DEPTH_LIMIT 64u
#define WORK_LIMIT  (UINT64_C(1) << 20)

/* The evaluation of one constant. */
struct evaluation {
    struct geo_lower_function *f;
    uint32_t depth;
};

static LLVMValueRef evaluate(struct evaluation *run, const struct geo_ir_value *value,
                             uint32_t part);

static LLVMTypeRef part_llvm_type(struct geo_lower_function *f, const struct geo_ir_value *value,
                                  uint32_t part)
{
    return geo_type_of(f, geo_part_type(value->type, part));
}

void geo_global_constant_error(struct geo_lower_function *f, const struct geo_ir_value *value,
                               const char *text)
{
    const struct geo_ir_constant *constant =
        value->kind == GEO_VALUE_CONSTANT ? (const struct geo_ir_constant *)value : NULL;
    if (constant && constant->op != SpvOpNop) {
        geo_state_error(f, NULL, "%s in constant %%%u: %s", geo_op_name(constant->op), value->id,
                        text);
    } else {
        geo_state_error(f, NULL, "constant %%%u: %s", value->id, text);
    }
}

static LLVMValueRef scalar_bits(struct geo_lower_function *f, const struct geo_ir_type *type,
                                uint64_t bits)
{
    LLVMTypeRef llvm_type = geo_type_of(f, type);
    if (LLVMGetTypeKind(llvm_type) == LLVMIntegerTypeKind) {
        return LLVMConstInt(llvm_type, bits, false);
    }
    if (type->kind == GEO_TYPE_FLOAT) {
        return LLVMConstBitCast(LLVMConstInt(geo_type_int(f, type->width), bits, false), llvm_type);
    }
    return LLVMConstIntToPtr(LLVMConstInt(geo_type_int(f, 64), bits, false), llvm_type);
}

/* ---- expressions ---- */

static LLVMValueRef expression_address(struct evaluation *run,
                                       const struct geo_ir_constant *constant)
{
    struct geo_lower_function *f = run->f;
    const struct geo_ir_value *base = constant->operands[0];
    const struct geo_ir_type *type = base->type->element;
    LLVMValueRef address = evaluate(run, base, 0);
    bool steps = geo_op_is(constant->op, GEO_IS_ELEMENT_CHAIN);
    uint64_t offset = 0;
    for (uint32_t i = 1; address && i < constant->operand_count; i++) {
        uint64_t index;
        LLVMValueRef value = evaluate(run, constant->operands[i], 0);
        if (!type || !value || !LLVMIsAConstantInt(value)) {
            return NULL;
        }
        index = (uint64_t)LLVMConstIntGetSExtValue(value);
        if (i == 1 && steps) {
            offset += index * type->size;
        } else if (type->kind == GEO_TYPE_STRUCT) {
            if (index >= type->count) {
                return NULL;
            }
            offset += type->offsets[index];
            type = type->members[index];
        } else if (type->kind == GEO_TYPE_ARRAY || type->kind == GEO_TYPE_VECTOR) {
            type = type->element;
            offset += index * type->size;
        } else {
            return NULL;
        }
    }
    return address ? geo_emit_offset_const(f, address, (int64_t)offset) : NULL;
}

static LLVMValueRef expression_function(struct evaluation *run,
                                        const struct geo_ir_constant *constant)
{
    const struct geo_ir_function *function =
        constant->operand_count ? geo_ir_as_function(constant->operands[0]) : NULL;
    return function ? geo_global_variable_address(run->f, &function->value) : NULL;
}

static LLVMValueRef expression_bitcast(struct evaluation *run,
                                       const struct geo_ir_constant *constant, uint32_t part)
{
    struct geo_lower_function *f = run->f;
    const struct geo_ir_value *operand = constant->operands[0];
    if (geo_part_count(operand->type) != geo_part_count(constant->value.type)) {
        return NULL;
    }
    LLVMValueRef value = evaluate(run, operand, part);
    LLVMTypeRef type = part_llvm_type(f, &constant->value, part);
    if (!value || LLVMTypeOf(value) == type) {
        return value;
    }
    bool from_pointer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
    bool to_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    LLVMValueRef bits = from_pointer
                            ? LLVMBuildPtrToInt(f->llvm.builder, value, geo_type_int(f, 64), "")
                            : geo_emit_to_bits(f, value);
    if (to_pointer) {
        return LLVMBuildIntToPtr(f->llvm.builder, geo_emit_zext(f, bits, 64), type, "");
    }
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) {
        return geo_emit_zext(f, bits, LLVMGetIntTypeWidth(type));
    }
    return LLVMBuildBitCast(f->llvm.builder, bits, type, "");
}

/* Evaluates an expression of addresses or casts of addresses. spirv/constant.c has folded all
 * others (fold/). Returns NULL if it is not supported. */
static LLVMValueRef expression(struct evaluation *run, const struct geo_ir_constant *constant,
                               uint32_t part)
{
    if (constant->operand_count == 0) {
        return NULL;
    }
    if (geo_op_is(constant->op, GEO_IS_ACCESS_CHAIN)) {
        return expression_address(run, constant);
    }
    switch (constant->op) {
    case SpvOpConstantFunctionPointerINTEL:
        return expression_function(run, constant);
    case SpvOpBitcast:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        return expression_bitcast(run, constant, part);
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr: {
        LLVMValueRef pointer = evaluate(run, constant->operands[0], part);
        LLVMTypeRef type = part_llvm_type(run->f, &constant->value, part);
        return pointer ? geo_emit_pointer_cast(run->f, pointer, type) : NULL;
    }
    default:
        return NULL;
    }
}

/* Returns the member of a composite constant that holds part *part, and sets *part to the part
 * within that member. */
static const struct geo_ir_value *member_of(const struct geo_ir_constant *constant, uint32_t *part)
{
    const struct geo_ir_type *type = constant->value.type;
    GEO_ASSERT(constant->members && *part < geo_part_count(type));
    if (type->kind != GEO_TYPE_STRUCT) {
        uint32_t each = geo_part_count(type->element);
        uint32_t member = each ? *part / each : 0;
        *part -= member * each;
        return constant->members[member];
    }
    uint64_t member = geo_ir_struct_member_at(type, *part);
    *part -= (uint32_t)type->first_leaves[member];
    return constant->members[member];
}

static LLVMValueRef evaluate(struct evaluation *run, const struct geo_ir_value *value,
                             uint32_t part)
{
    struct geo_lower_function *f = run->f;
    for (;;) {
        if (value->kind == GEO_VALUE_VARIABLE || value->kind == GEO_VALUE_FUNCTION) {
            return geo_global_variable_address(f, value);
        }
        if (value->kind != GEO_VALUE_CONSTANT) {
            return value->kind == GEO_VALUE_UNDEF ? LLVMConstNull(part_llvm_type(f, value, part))
                                                  : NULL;
        }
        const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
        if (constant->op != SpvOpNop) {
            if (run->depth >= DEPTH_LIMIT || f->lower->expression_work >= WORK_LIMIT) {
                geo_global_constant_error(f, value, "the expression is too large");
                return NULL;
            }
            run->depth++;
            f->lower->expression_work++;
            LLVMValueRef result = expression(run, constant, part);
            run->depth--;
            if (!result && !f->failed) {
                geo_global_constant_error(f, value, "this expression is not supported");
            }
            return result;
        }
        if (constant->is_null) {
            return LLVMConstNull(part_llvm_type(f, value, part));
        }
        if (!constant->members) {
            return scalar_bits(f, value->type, constant->bits);
        }
        value = member_of(constant, &part);
    }
}

LLVMValueRef geo_global_constant(struct geo_lower_function *f, const struct geo_ir_value *value,
                                 uint32_t part)
{
    struct evaluation run = {.f = f};
    LLVMValueRef result = evaluate(&run, value, part);
    GEO_ASSERT(run.depth == 0);
    GEO_ASSERT(!result || LLVMTypeOf(result) == part_llvm_type(f, value, part));
    return result ? result : LLVMConstNull(part_llvm_type(f, value, part));
}
