/* Expands integers of other widths than 8, 16, 32 and 64 bits
 * (SPV_ALTERA_arbitrary_precision_integers). LLVM makes them from sums of loops and from shifts.
 * They are computed in the next larger of these widths. After this pass, the upper bits of every
 * such value are zero:
 *
 *     sums, products, left shifts, loads     the upper bits of the result are cleared
 *     operations that depend on the sign     operands are sign-extended first
 *     conversions from and to them           both; removed if the widths become equal
 *     unsigned comparisons, quotients, right shifts, copies      unchanged
 *
 * Any other instruction on such integers is rejected; the message names it. */
#include "compiler/transform/pass/pass.h"

#include "compiler/ir/grammar.h"

#include <string.h>

static bool is_odd(const struct geo_ir_type *type)
{
    return geo_ir_is_odd_int(geo_ir_scalar_of(type));
}

/* Returns a constant of a type, the same in every component. */
static struct geo_ir_value *constant_make(struct geo_pass *pass, const struct geo_ir_type *type,
                                          uint64_t bits)
{
    struct geo_ir_value *scalar = geo_pass_int(pass, geo_ir_scalar_of(type), bits);
    if (!scalar || type->kind != GEO_TYPE_VECTOR) {
        return scalar;
    }
    struct geo_ir_value *members[16];
    for (uint64_t i = 0; i < type->count && i < 16; i++) {
        members[i] = scalar;
    }
    struct geo_ir_constant *made = geo_ir_const_composite(pass->module, type, members);
    if (!made) {
        geo_pass_no_memory(pass);
    }
    return made ? &made->value : NULL;
}

/* Sign-extends operand i to its full width, if it is odd. */
static bool sign_extend(struct geo_pass *pass, struct geo_ir_inst *inst, uint32_t i)
{
    struct geo_ir_value *operand = inst->operands[i];
    if (!is_odd(operand->type)) {
        return true;
    }
    const struct geo_ir_type *scalar = geo_ir_scalar_of(operand->type);
    struct geo_ir_value *upper =
        constant_make(pass, operand->type, scalar->width - geo_ir_int_bits(scalar));
    struct geo_ir_value *left =
        geo_make_binary(pass, inst, SpvOpShiftLeftLogical, operand->type, operand, upper);
    struct geo_ir_value *extended =
        geo_make_binary(pass, inst, SpvOpShiftRightArithmetic, operand->type, left, upper);
    if (extended) {
        inst->operands[i] = extended;
    }
    return extended != NULL;
}

/* Clears the upper bits of a result: a copy of the instruction computes, and the instruction itself
 * becomes the mask. */
static bool upper_clear(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    uint64_t mask = (UINT64_C(1) << geo_ir_int_bits(geo_ir_scalar_of(type))) - 1;
    struct geo_ir_value *bits = constant_make(pass, type, mask);
    struct geo_ir_inst *copy =
        bits ? geo_make(pass, inst, inst->op, type, inst->operand_count, 0, 0) : NULL;
    struct geo_ir_value **operands =
        geo_arena_new_array(&pass->module->arena, struct geo_ir_value *, 2);
    if (!copy || !operands) {
        return geo_pass_no_memory(pass);
    }
    memcpy(copy->operands, inst->operands, inst->operand_count * sizeof(struct geo_ir_value *));
    copy->memory_align = inst->memory_align;
    copy->memory_flags = inst->memory_flags;
    inst->value.flags = 0; /* no-wrap flags were about fewer bits */
    inst->op = SpvOpBitwiseAnd;
    inst->operands = operands;
    inst->operands[0] = &copy->value;
    inst->operands[1] = bits;
    inst->operand_count = 2;
    inst->memory_align = inst->memory_flags = 0;
    return true;
}

static bool upper_clear_if_odd(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    return !is_odd(inst->value.type) || upper_clear(pass, inst);
}

/* Converts between integers. If both have the same width afterwards, the conversion becomes a bit
 * cast. */
static bool convert(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *from = geo_ir_scalar_of(inst->operands[0]->type);
    if (inst->value.flags & GEO_VALUE_SATURATED) {
        return false;
    }
    if (inst->op == SpvOpSConvert && !sign_extend(pass, inst, 0)) {
        return false;
    }
    if (from->width == geo_ir_scalar_of(inst->value.type)->width) {
        inst->op = SpvOpBitcast;
    }
    return upper_clear_if_odd(pass, inst);
}

static bool inst_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpSNegate:
    case SpvOpNot:
    case SpvOpShiftLeftLogical:
    case SpvOpLoad:
        return upper_clear_if_odd(pass, inst);
    case SpvOpShiftRightArithmetic:
        return sign_extend(pass, inst, 0) && upper_clear_if_odd(pass, inst);
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        return sign_extend(pass, inst, 0) && sign_extend(pass, inst, 1) &&
               upper_clear_if_odd(pass, inst);
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
        return sign_extend(pass, inst, 0) && sign_extend(pass, inst, 1);
    case SpvOpUConvert:
    case SpvOpSConvert:
        return convert(pass, inst);
    case SpvOpConvertSToF:
        return sign_extend(pass, inst, 0);
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
        return !(inst->value.flags & GEO_VALUE_SATURATED) && upper_clear_if_odd(pass, inst);
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpShiftRightLogical:
    case SpvOpUDiv:
    case SpvOpUMod:
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpULessThan:
    case SpvOpULessThanEqual:
    case SpvOpUGreaterThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpConvertUToF:
    case SpvOpCopyObject:
    case SpvOpPhi:
    case SpvOpSelect:
    case SpvOpStore:
    case SpvOpSwitch:
    case SpvOpFunctionCall:
    case SpvOpReturnValue:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        return true;
    default:
        return false;
    }
}

/* Rejects an instruction; the message names it and the width. */
static bool refuse(struct geo_pass *pass, const struct geo_ir_inst *inst,
                   const struct geo_ir_type *type)
{
    char label[256];
    if (pass->result != ZE_RESULT_SUCCESS) {
        return false;
    }
    return geo_pass_fail(pass,
                         "%s: %s at word %u: integers of %u bits are not supported in this "
                         "instruction (8, 16, 32, 64)",
                         geo_pass_function_label(inst->block->function, label, sizeof(label)),
                         geo_op_name(inst->op), inst->word_offset,
                         geo_ir_int_bits(geo_ir_scalar_of(type)));
}

static bool visit(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = is_odd(inst->value.type) ? inst->value.type : NULL;
    for (uint32_t i = 0; i < inst->operand_count && !type; i++) {
        type = is_odd(inst->operands[i]->type) ? inst->operands[i]->type : NULL;
    }
    if (!type) {
        return true;
    }
    if (geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN)) { /* indices are signed */
        for (uint32_t i = 1; i < inst->operand_count; i++) {
            if (!sign_extend(pass, inst, i)) {
                return false;
            }
        }
        return true;
    }
    return inst_rewrite(pass, inst) || refuse(pass, inst, type);
}

ze_result_t geo_transform_odd_integers(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_pass_each(module, log, visit, NULL);
}
