/* Lowers moves, casts and votes of dense vectors (emit/dense.h); see dense.h. Operations on all
 * components are in value/apply.c. */
#include "compiler/lower/instruction/dense.h"

#include "base/assert.h"
#include "compiler/lower/emit/dense.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

#define WORD_BITS 64u

/* ---- moves ---- */

/* Returns the only component that a shuffle takes, or UINT32_MAX if it takes several, or none. */
static uint32_t only_pick(const struct geo_ir_inst *inst)
{
    for (uint32_t i = 1; i < inst->literal_count; i++) {
        if (inst->literals[i] != inst->literals[0]) {
            return UINT32_MAX;
        }
    }
    return inst->literal_count ? inst->literals[0] : UINT32_MAX;
}

/* Returns an operand of a shuffle as a dense vector, or NULL if no component of it is taken. */
static LLVMValueRef shuffle_operand(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                    uint32_t number, uint32_t low)
{
    bool taken = false;
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        uint32_t pick = inst->literals[i];
        taken |= pick != UINT32_MAX && (pick >= low) == (number == 1);
    }
    return taken ? geo_value_dense(f, inst->operands[number]) : NULL;
}

static bool shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t low = geo_part_count(inst->operands[0]->type);
    uint32_t high = geo_part_count(inst->operands[1]->type);
    uint32_t count = geo_part_count(inst->value.type), only = only_pick(inst);
    uint32_t picks[GEO_EMIT_DENSE_COMPONENTS];
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        if (inst->literals[i] != UINT32_MAX && inst->literals[i] >= low + high) {
            return false;
        }
    }
    if (inst->literal_count != count) {
        return false;
    }
    if (only != UINT32_MAX) {
        LLVMValueRef one =
            geo_value_vector(f, inst->operands[only >= low], only >= low ? only - low : only);
        geo_value_set_dense(f, &inst->value, geo_emit_dense_spread(f, one, count));
        return true;
    }
    LLVMValueRef a = shuffle_operand(f, inst, 0, low), b = shuffle_operand(f, inst, 1, low);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pick = inst->literals[i];
        picks[i] = a || pick == UINT32_MAX ? pick : pick - low;
    }
    if (!a && !b) {
        return false;
    }
    LLVMValueRef result = a ? geo_emit_dense_shuffle(f, a, low, b, high, picks, count)
                            : geo_emit_dense_shuffle(f, b, high, NULL, 0, picks, count);
    geo_value_set_dense(f, &inst->value, result);
    return true;
}

static bool insert(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t picks[GEO_EMIT_DENSE_COMPONENTS], count = geo_part_count(inst->value.type);
    if (inst->literal_count != 1 || inst->literals[0] >= count ||
        geo_part_count(inst->operands[0]->type) != 1) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        picks[i] = i == inst->literals[0] ? count + i : i;
    }
    LLVMValueRef scalars =
        geo_emit_dense_spread(f, geo_value_vector(f, inst->operands[0], 0), count);
    LLVMValueRef result = geo_emit_dense_shuffle(f, geo_value_dense(f, inst->operands[1]), count,
                                                 scalars, count, picks, count);
    geo_value_set_dense(f, &inst->value, result);
    return true;
}

/* One scalar for all components, or two halves of equal size. */
static bool construct(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t picks[GEO_EMIT_DENSE_COMPONENTS], count = geo_part_count(inst->value.type);
    uint32_t each = inst->operand_count ? geo_part_count(inst->operands[0]->type) : 0;
    bool same = each == 1 && inst->operand_count == count;
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        same = same && inst->operands[i] == inst->operands[0];
    }
    if (same) {
        LLVMValueRef scalar = geo_value_vector(f, inst->operands[0], 0);
        geo_value_set_dense(f, &inst->value, geo_emit_dense_spread(f, scalar, count));
        return true;
    }
    if (inst->operand_count != 2 || each < 2 || 2 * each != count ||
        geo_part_count(inst->operands[1]->type) != each) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        picks[i] = i;
    }
    LLVMValueRef result =
        geo_emit_dense_shuffle(f, geo_value_dense(f, inst->operands[0]), each,
                               geo_value_dense(f, inst->operands[1]), each, picks, count);
    geo_value_set_dense(f, &inst->value, result);
    return true;
}

bool geo_instruction_dense_composite(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (!geo_value_is_dense(f, &inst->value)) {
        return false;
    }
    switch (inst->op) {
    case SpvOpVectorShuffle:
        return shuffle(f, inst);
    case SpvOpCompositeInsert:
        return insert(f, inst);
    case SpvOpCompositeConstruct:
        return construct(f, inst);
    case SpvOpCopyObject:
        geo_value_set_dense(f, &inst->value, geo_value_dense(f, inst->operands[0]));
        return true;
    default:
        return false;
    }
}

/* ---- casts ---- */

bool geo_instruction_dense_bitcast(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_ir_value *operand = inst->operands[0];
    const struct geo_ir_type *type = inst->value.type, *scalar = geo_ir_scalar_of(type);
    uint32_t count = geo_part_count(type);
    bool number = scalar->kind == GEO_TYPE_INT || scalar->kind == GEO_TYPE_FLOAT;
    if (inst->op != SpvOpBitcast || !number || !geo_value_is_dense(f, operand) ||
        geo_value_as_scalar(f, &inst->value) ||
        (uint64_t)scalar->width * count !=
            (uint64_t)operand->type->element->width * operand->type->count) {
        return false;
    }
    LLVMValueRef result =
        LLVMBuildBitCast(f->llvm.builder, geo_value_dense(f, operand),
                         geo_emit_dense_type(f, geo_type_of(f, scalar), count), "");
    if (geo_value_is_dense(f, &inst->value)) {
        geo_value_set_dense(f, &inst->value, result);
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        geo_value_set(f, inst, i, count == 1 ? result : geo_emit_dense_part(f, result, count, i));
    }
    return true;
}

/* ---- any and all ---- */

/* Joins pairs of neighbouring words by `or` or `and`, until one word per lane is left. */
static LLVMValueRef words_join(struct geo_lower_function *f, LLVMValueRef words, bool any)
{
    for (uint32_t count = geo_type_lanes(words); count > f->lanes; count /= 2) {
        LLVMValueRef even = geo_lanes_stride(f, words, 0, 2, count / 2);
        LLVMValueRef odd = geo_lanes_stride(f, words, 1, 2, count / 2);
        words = any ? LLVMBuildOr(f->llvm.builder, even, odd, "")
                    : LLVMBuildAnd(f->llvm.builder, even, odd, "");
    }
    return words;
}

bool geo_instruction_dense_any_all(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_ir_value *operand = inst->operands[0];
    bool any = inst->op == SpvOpAny;
    if (!geo_value_is_dense(f, operand) || geo_value_as_scalar(f, &inst->value)) {
        return false;
    }
    /* a byte of zeros or ones for each component, seen as words */
    uint32_t count = geo_part_count(operand->type), bits = 8 * count;
    uint32_t width = bits < WORD_BITS ? bits : WORD_BITS;
    LLVMValueRef bytes = geo_emit_sext(f, geo_value_dense(f, operand), 8);
    LLVMTypeRef type = geo_type_wide(geo_type_int(f, width), f->lanes * bits / width);
    LLVMValueRef words = words_join(f, LLVMBuildBitCast(f->llvm.builder, bytes, type, ""), any);
    LLVMValueRef result =
        any ? geo_emit_icmp(f, LLVMIntNE, words, geo_emit_zero_like(words))
            : geo_emit_icmp(f, LLVMIntEQ, words, geo_emit_const_like(words, ~UINT64_C(0)));
    geo_value_set(f, inst, 0, result);
    return true;
}
