/* Lowers composites. A value is the array of its parts, so construction, extraction and shuffles
 * only rename parts. Run-time component indices become selections. */
#include "compiler/lower/instruction/composite.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/instruction/dense.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

/* Sets parts to, to + 1 ... of the result to parts from, from + 1 ... of an operand. */
static void copy_parts(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t to,
                       struct geo_ir_value *operand, uint32_t from, uint32_t count)
{
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    for (uint32_t i = 0; i < count; i++) {
        geo_value_set_wide(f, inst, to + i, geo_value_operand(f, operand, from + i, as_scalar));
    }
}

static void set_zero(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part)
{
    const struct geo_ir_type *type = geo_part_type(inst->value.type, part);
    geo_value_set_wide(f, inst, part, LLVMConstNull(geo_type_of(f, type)));
}

static bool construct(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t at = 0, total = geo_part_count(inst->value.type);
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        uint32_t count = geo_part_count(inst->operands[i]->type);
        if (count > total - at) {
            break;
        }
        copy_parts(f, inst, at, inst->operands[i], 0, count);
        at += count;
    }
    if (at != total) {
        geo_state_error(f, inst, "constituents do not fill the composite");
        return false;
    }
    return true;
}

static bool extract(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type;
    uint32_t part, count = geo_part_count(inst->value.type);
    if (!geo_part_select(inst->operands[0]->type, inst->literals, inst->literal_count, &part,
                         &type) ||
        geo_part_count(type) != count) {
        geo_state_error(f, inst, "an index is outside the composite");
        return false;
    }
    copy_parts(f, inst, 0, inst->operands[0], part, count);
    return true;
}

static bool insert(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type;
    uint32_t part, total = geo_part_count(inst->value.type);
    uint32_t count = geo_part_count(inst->operands[0]->type);
    if (!geo_part_select(inst->value.type, inst->literals, inst->literal_count, &part, &type) ||
        geo_part_count(type) != count) {
        geo_state_error(f, inst, "an index is outside the composite");
        return false;
    }
    copy_parts(f, inst, 0, inst->operands[1], 0, part);
    copy_parts(f, inst, part, inst->operands[0], 0, count);
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    for (uint32_t i = part + count; i < total; i++) {
        geo_value_set_wide(f, inst, i, geo_value_operand(f, inst->operands[1], i, as_scalar));
    }
    return true;
}

static bool shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t low = geo_part_count(inst->operands[0]->type);
    uint32_t high = geo_part_count(inst->operands[1]->type);
    if (inst->literal_count != geo_part_count(inst->value.type)) {
        geo_state_error(f, inst, "the number of literals differs from the number of components");
        return false;
    }
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        uint32_t pick = inst->literals[i];
        if (pick == UINT32_MAX) {
            set_zero(f, inst, i);
        } else if (pick < low) {
            copy_parts(f, inst, i, inst->operands[0], pick, 1);
        } else if (pick - low < high) {
            copy_parts(f, inst, i, inst->operands[1], pick - low, 1);
        } else {
            geo_state_error(f, inst, "component %u does not exist", pick);
            return false;
        }
    }
    return true;
}

bool geo_instruction_composite(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (geo_instruction_dense_composite(f, inst)) {
        return true;
    }
    switch (inst->op) {
    case SpvOpCompositeConstruct:
        return construct(f, inst);
    case SpvOpCompositeExtract:
        return extract(f, inst);
    case SpvOpCompositeInsert:
        return insert(f, inst);
    case SpvOpVectorShuffle:
        return shuffle(f, inst);
    default: /* OpUndef: zero, so that all widths have the same result */
        for (uint32_t i = 0, count = geo_part_count(inst->value.type); i < count; i++) {
            set_zero(f, inst, i);
        }
        return true;
    }
}

bool geo_instruction_copy(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t count = geo_part_count(inst->value.type);
    if (geo_part_count(inst->operands[0]->type) != count) {
        geo_state_error(f, inst, "operand and result differ in shape");
        return false;
    }
    if (geo_instruction_dense_composite(f, inst)) {
        return true;
    }
    copy_parts(f, inst, 0, inst->operands[0], 0, count);
    return true;
}

/* Returns the component with a run-time index, by a binary tree of selections on the index's bits.
 * An index that is out of range selects some component; an insertion at such an index changes
 * nothing. */
static LLVMValueRef choose(struct geo_lower_function *f, LLVMValueRef *components, uint32_t count,
                           LLVMValueRef index)
{
    GEO_ASSERT(count >= 1 && geo_type_is_integer(index));
    for (uint64_t bit = 1; count > 1; bit *= 2) {
        LLVMValueRef part =
            LLVMBuildAnd(f->llvm.builder, index, geo_emit_const_like(index, bit), "");
        LLVMValueRef upper = geo_emit_icmp(f, LLVMIntNE, part, geo_emit_zero_like(part));
        for (uint32_t i = 0; i < count / 2; i++) {
            components[i] = geo_emit_select(f, upper, components[2 * i + 1], components[2 * i]);
        }
        if (count % 2) {
            components[count / 2] = components[count - 1];
        }
        count = (count + 1) / 2;
    }
    return components[0];
}

bool geo_instruction_vector_dynamic(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    bool inserts = inst->op == SpvOpVectorInsertDynamic;
    struct geo_ir_value *vector = inst->operands[0];
    uint32_t count = geo_part_count(vector->type);
    LLVMValueRef index = geo_value_operand(f, inst->operands[inserts ? 2 : 1], 0, as_scalar);
    LLVMValueRef *components = geo_arena_new_array(f->arena, LLVMValueRef, count);
    if (!components) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        components[i] = geo_value_operand(f, vector, i, as_scalar);
    }
    if (!inserts) {
        geo_value_set_wide(f, inst, 0, choose(f, components, count, index));
        return true;
    }
    LLVMValueRef scalar = geo_value_operand(f, inst->operands[1], 0, as_scalar);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef here = geo_emit_icmp(f, LLVMIntEQ, index, geo_emit_const_like(index, i));
        geo_value_set_wide(f, inst, i, geo_emit_select(f, here, scalar, components[i]));
    }
    return true;
}
