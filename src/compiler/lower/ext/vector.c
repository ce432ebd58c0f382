/* OpenCL.std instructions over whole vectors: cross, the fast_ geometric functions, shuffles. */
#include "compiler/lower/ext/vector.h"

#include "compiler/lower/arith/arith.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

#include <spirv/unified1/OpenCL.std.h>

static const struct geo_operation arithmetic = {
    .flags = GEO_OPERATION_FLOAT, .operand_count = 2, .emit = geo_emit_arith};

/* One rounded float operation on components, half included. */
static LLVMValueRef compute(struct geo_lower_function *f, const struct geo_ir_inst *inst, SpvOp op,
                            LLVMValueRef a, LLVMValueRef b)
{
    struct geo_emit e = {.f = f, .inst = inst, .op = op, .count = 2, .v = {a, b}};
    e.flags = inst->value.flags;
    e.type = e.source = geo_ir_scalar_of(inst->operands[0]->type);
    return geo_operation_emit(&e, &arithmetic);
}

static bool float_operands(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           uint32_t operands)
{
    if (inst->operand_count != operands) {
        geo_lower_error(f, inst, "wrong number of operands");
        return false;
    }
    uint32_t count = geo_part_count(inst->operands[0]->type);
    for (uint32_t i = 0; i < operands; i++) {
        if (geo_ir_scalar_of(inst->operands[i]->type)->kind != GEO_TYPE_FLOAT ||
            geo_part_count(inst->operands[i]->type) != count) {
            geo_lower_error(f, inst, "operands are not float vectors of one size");
            return false;
        }
    }
    return true;
}

bool geo_lower_ext_cross(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool as_scalar = geo_lower_as_scalar(f, &inst->value);
    uint32_t count = geo_part_count(inst->value.type);
    if (!float_operands(f, inst, 2)) {
        return false;
    }
    if ((count != 3 && count != 4) || geo_part_count(inst->operands[0]->type) != count) {
        geo_lower_error(f, inst, "cross takes vectors of 3 or 4 components");
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        LLVMValueRef aj = geo_lower_operand(f, inst->operands[0], j, as_scalar);
        LLVMValueRef ak = geo_lower_operand(f, inst->operands[0], k, as_scalar);
        LLVMValueRef bj = geo_lower_operand(f, inst->operands[1], j, as_scalar);
        LLVMValueRef bk = geo_lower_operand(f, inst->operands[1], k, as_scalar);
        LLVMValueRef left = compute(f, inst, SpvOpFMul, aj, bk);
        LLVMValueRef right = compute(f, inst, SpvOpFMul, ak, bj);
        geo_lower_set_wide(f, inst, i, compute(f, inst, SpvOpFSub, left, right));
    }
    if (count == 4) {
        const struct geo_ir_type *type = geo_ir_scalar_of(inst->value.type);
        geo_lower_set_wide(f, inst, 3, LLVMConstNull(geo_emit_type_of(f, type)));
    }
    return true;
}

/* The root in float, rounded to half where the components are. */
static LLVMValueRef root(struct geo_lower_function *f, const struct geo_ir_type *type,
                         LLVMValueRef square)
{
    bool half = geo_type_is_half(type);
    LLVMValueRef wide = half ? geo_emit_half_to_float(f, square) : square;
    wide = geo_emit_intrinsic(f, "llvm.sqrt", &wide, 1);
    return half ? geo_emit_float_to_half(f, wide, SpvFPRoundingModeRTE) : wide;
}

/* fast_length, fast_distance, fast_normalize: the plain formulas, no care for overflow. */
bool geo_lower_ext_length(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool as_scalar = geo_lower_as_scalar(f, &inst->value);
    bool distance = inst->literals[1] == OpenCLstd_Fast_distance;
    if (!float_operands(f, inst, distance ? 2 : 1)) {
        return false;
    }
    const struct geo_ir_type *type = geo_ir_scalar_of(inst->operands[0]->type);
    uint32_t count = geo_part_count(inst->operands[0]->type);
    LLVMValueRef sum = NULL;
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef x = geo_lower_operand(f, inst->operands[0], i, as_scalar);
        if (distance) {
            LLVMValueRef y = geo_lower_operand(f, inst->operands[1], i, as_scalar);
            x = compute(f, inst, SpvOpFSub, x, y);
        }
        LLVMValueRef square = compute(f, inst, SpvOpFMul, x, x);
        sum = sum ? compute(f, inst, SpvOpFAdd, sum, square) : square;
    }
    LLVMValueRef length = root(f, type, sum);
    if (inst->literals[1] != OpenCLstd_Fast_normalize) {
        geo_lower_set_wide(f, inst, 0, length);
        return true;
    }
    LLVMValueRef zero = geo_emit_icmp(f, LLVMIntEQ, geo_emit_to_bits(f, length),
                                      LLVMConstNull(LLVMTypeOf(geo_emit_to_bits(f, length))));
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef x = geo_lower_operand(f, inst->operands[0], i, as_scalar);
        LLVMValueRef scaled = compute(f, inst, SpvOpFDiv, x, length);
        geo_lower_set_wide(f, inst, i, geo_emit_select(f, zero, x, scaled));
    }
    return true;
}

/* Picks one of `count` (a power of two, or 3 as 4) values by the low bits of `index`. */
static LLVMValueRef pick(struct geo_lower_function *f, LLVMValueRef *values, uint32_t count,
                         LLVMValueRef index)
{
    for (uint32_t bit = 0; count > 1; bit++, count /= 2) {
        LLVMValueRef mask = geo_emit_const_like(index, 1ull << bit);
        LLVMValueRef odd = geo_emit_icmp(f, LLVMIntNE, LLVMBuildAnd(f->builder, index, mask, ""),
                                         geo_emit_zero_like(index));
        for (uint32_t i = 0; i < count / 2; i++) {
            values[i] = geo_emit_select(f, odd, values[2 * i + 1], values[2 * i]);
        }
    }
    return values[0];
}

bool geo_lower_ext_shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool as_scalar = geo_lower_as_scalar(f, &inst->value);
    uint32_t sources = inst->literals[1] == OpenCLstd_Shuffle2 ? 2 : 1;
    uint32_t count = geo_part_count(inst->value.type);
    if (inst->operand_count != sources + 1 ||
        geo_part_count(inst->operands[sources]->type) != count) {
        geo_lower_error(f, inst, "the mask has not the result's components");
        return false;
    }
    uint32_t each = geo_part_count(inst->operands[0]->type);
    /* 3 components count as 4 (the last one undefined). */
    uint32_t slots = each == 3 ? 4 : each;
    if (each > 16 || (slots & (slots - 1)) ||
        (sources == 2 && geo_part_count(inst->operands[1]->type) != each)) {
        geo_lower_error(f, inst, "vectors of this size cannot be shuffled");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef values[32];
        for (uint32_t j = 0; j < sources * slots; j++) {
            uint32_t component = j % slots < each ? j % slots : 0;
            values[j] = geo_lower_operand(f, inst->operands[j / slots], component, as_scalar);
        }
        LLVMValueRef index = geo_lower_operand(f, inst->operands[sources], i, as_scalar);
        geo_lower_set_wide(f, inst, i, pick(f, values, sources * slots, index));
    }
    return true;
}
