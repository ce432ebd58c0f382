/* Applies a scalar operation (arith/) to the parts of an instruction, or to dense vectors. Operands
 * are read in the form in which the result is held. Where lane 0 may be wrong, the operation is
 * computed in an active lane; see apply.h. */
#include "compiler/lower/value/apply.h"

#include "base/assert.h"
#include "compiler/lower/emit/dense.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/compare.h"
#include "compiler/lower/value/value.h"

#include <string.h>

/* ---- dense vectors ---- */

/* Returns whether the result and all operands with several components are dense vectors, or equal
 * in all lanes. */
static bool is_dense(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t count = geo_part_count(inst->value.type);
    if (!geo_value_is_dense(f, &inst->value)) {
        return false;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        uint32_t parts = geo_part_count(inst->operands[i]->type);
        if (parts != 1 && (parts != count || (!geo_value_is_dense(f, inst->operands[i]) &&
                                              !geo_value_is_uniform(f, inst->operands[i])))) {
            return false;
        }
    }
    return true;
}

static LLVMValueRef dense_operand(struct geo_lower_function *f, struct geo_ir_value *value,
                                  uint32_t count)
{
    if (geo_part_count(value->type) != 1) {
        return geo_value_dense(f, value);
    }
    return geo_emit_dense_spread(f, geo_value_operand(f, value, 0, geo_value_is_uniform(f, value)),
                                 count);
}

/* Returns whether an operation on large elements is long. It is emitted for W elements at a time,
 * as with parts: longer vectors take LLVM longer, and outlined functions exist for each length. */
static bool is_sliced(const struct geo_emit *e)
{
    const struct geo_ir_type *element = e->inst->value.type->element;
    bool divides = e->op == SpvOpSDiv || e->op == SpvOpUDiv || e->op == SpvOpSRem ||
                   e->op == SpvOpSMod || e->op == SpvOpUMod;
    return element->kind != GEO_TYPE_BOOL && element->width >= 32 &&
           (divides || e->inst->op == SpvOpExtInst);
}

/* Applies the operation to W elements after the other. `e->v`, and the mask of the body, are dense
 * vectors. */
static LLVMValueRef slices_emit(struct geo_emit *e, const struct geo_operation *operation,
                                uint32_t count)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef operands[4], slices[GEO_EMIT_DENSE_COMPONENTS], mask = f->body.mask;
    memcpy(operands, e->v, sizeof(operands));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < operation->operand_count; k++) {
            e->v[k] = geo_lanes_slice(f, operands[k], i * f->lanes, f->lanes);
        }
        f->body.mask = mask ? geo_lanes_slice(f, mask, i * f->lanes, f->lanes) : NULL;
        slices[i] = geo_arith_operation_emit(e, operation);
        if (!slices[i]) {
            return NULL;
        }
    }
    for (uint32_t left = count; left > 1; left /= 2) {
        for (uint32_t i = 0; i < left / 2; i++) {
            slices[i] = geo_lanes_concat(f, slices[2 * i], slices[2 * i + 1]);
        }
    }
    return slices[0];
}

/* Applies the operation once to all components of all lanes. To the operation, a dense vector has
 * as many lanes as elements. */
static LLVMValueRef dense_emit(struct geo_emit *e, const struct geo_operation *operation)
{
    struct geo_lower_function *f = e->f;
    uint32_t lanes = f->lanes, count = geo_part_count(e->inst->value.type);
    LLVMValueRef mask = f->body.mask;
    e->type = geo_part_type(e->inst->value.type, 0);
    e->from = geo_part_type(e->inst->operands[0]->type, 0);
    for (uint32_t i = 0; i < operation->operand_count; i++) {
        e->v[i] = dense_operand(f, e->inst->operands[i], count);
    }
    f->body.mask = mask ? geo_emit_dense_spread(f, mask, count) : NULL;
    LLVMValueRef result;
    if (is_sliced(e)) {
        result = slices_emit(e, operation, count);
    } else {
        f->lanes = lanes * count;
        result = geo_arith_operation_emit(e, operation);
        f->lanes = lanes;
    }
    f->body.mask = mask;
    return result;
}

/* ---- any form ---- */

/* Reports that an operation could not be emitted. */
static bool unsupported(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (!f->failed) {
        geo_state_error(f, inst, "operation on these types is not supported");
    }
    return false;
}

bool geo_value_apply(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                     const struct geo_operation *operation)
{
    if (inst->operand_count != operation->operand_count) {
        geo_state_error(f, inst, "it has %u operands instead of %u", inst->operand_count,
                        operation->operand_count);
        return false;
    }
    bool as_scalar = geo_value_as_scalar(f, &inst->value);
    uint32_t count = geo_part_count(inst->value.type);
    uint32_t operand_parts[4] = {0};
    GEO_ASSERT(operation->operand_count <= 4);
    /* Extensions, right shifts and masks of strided scalars may be wrong in an inactive lane 0. */
    struct geo_shape shape = geo_value_shape(f, &inst->value);
    bool anchored = f->lanes > 1 && shape.kind == GEO_SHAPE_STRIDED && shape.anchored;
    LLVMValueRef lane = NULL;
    for (uint32_t i = 0; i < operation->operand_count; i++) {
        operand_parts[i] = geo_part_count(inst->operands[i]->type);
        if (operand_parts[i] != 1 && operand_parts[i] < count) {
            geo_state_error(f, inst, "operand %u has %u components, the result %u", i,
                            operand_parts[i], count);
            return false;
        }
    }
    if (is_dense(f, inst)) {
        struct geo_emit e = {.f = f,
                             .inst = inst,
                             .op = operation->op,
                             .flags = inst->value.flags,
                             .count = operation->operand_count};
        LLVMValueRef result = dense_emit(&e, operation);
        if (result) {
            geo_value_set_dense(f, &inst->value, result);
        }
        return result || unsupported(f, inst);
    }
    LLVMValueRef narrow = geo_value_compare(f, inst);
    if (narrow) {
        geo_value_set(f, inst, 0, narrow);
        return true;
    }
    for (uint32_t part = 0; part < count; part++) {
        struct geo_emit e = {
            .f = f, .inst = inst, .op = operation->op, .count = operation->operand_count};
        e.flags = inst->value.flags;
        e.type = geo_part_type(inst->value.type, part);
        for (uint32_t i = 0; i < operation->operand_count; i++) {
            uint32_t from = operand_parts[i] == 1 ? 0 : part;
            e.v[i] = geo_value_operand(f, inst->operands[i], from, as_scalar);
            if (i == 0) {
                e.from = geo_part_type(inst->operands[0]->type, from);
            }
        }
        if (anchored) {
            e.v[0] = geo_value_anchor(f, inst, inst->operands[0], &lane);
        }
        LLVMValueRef result = geo_arith_operation_emit(&e, operation);
        if (!result) {
            return unsupported(f, inst);
        }
        if (anchored) {
            result = geo_value_unanchor(f, inst, result, lane);
        }
        geo_value_set_wide(f, inst, part, result);
    }
    return true;
}
