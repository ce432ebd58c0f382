/* Constant offsets between pointers. See offset.h. */
#include "compiler/transform/pass/offset.h"

#include "compiler/ir/grammar.h"

/* Returns in *index a constant index of any width, sign-extended. */
static bool index_bits(const struct geo_ir_value *value, int64_t *index)
{
    uint64_t bits;
    if (value->type->kind != GEO_TYPE_INT || !geo_ir_constant_bits(value, &bits)) {
        return false;
    }
    uint32_t width = value->type->width;
    *index = width >= 64 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
    return true;
}

static bool step_add(int64_t *step, int64_t index, uint64_t size)
{
    int64_t product;
    return size <= INT64_MAX && !__builtin_mul_overflow(index, (int64_t)size, &product) &&
           !__builtin_add_overflow(*step, product, step);
}

static bool chain_step(const struct geo_ir_type *type, struct geo_ir_value *const *operands,
                       uint32_t first, uint32_t operand_count, int64_t *step)
{
    for (uint32_t i = first; i < operand_count; i++) {
        int64_t index;
        if (!index_bits(operands[i], &index)) {
            return false;
        }
        if (type->kind == GEO_TYPE_STRUCT) {
            if (index < 0 || (uint64_t)index >= type->count) {
                return false;
            }
            if (!step_add(step, 1, type->offsets[index])) {
                return false;
            }
            type = type->members[index];
        } else if (type->kind == GEO_TYPE_ARRAY || type->kind == GEO_TYPE_VECTOR) {
            type = type->element;
            if (!step_add(step, index, type->size)) {
                return false;
            }
        } else {
            return false;
        }
    }
    return true;
}

bool geo_make_pointer_step(SpvOp op, const struct geo_ir_type *type,
                           struct geo_ir_value *const *operands, uint32_t operand_count,
                           int64_t *step)
{
    *step = 0;
    if (operand_count == 0 || operands[0]->type->kind != GEO_TYPE_POINTER ||
        type->kind != GEO_TYPE_POINTER) {
        return false;
    }
    const struct geo_ir_type *pointee = operands[0]->type->element;
    int64_t index;
    if (geo_op_is(op, GEO_IS_SAME_ADDRESS)) {
        return true;
    }
    if (op == (SpvOp)GEO_OP_PTR_ADD) {
        return operand_count == 2 && index_bits(operands[1], step);
    }
    if (!geo_op_is(op, GEO_IS_ACCESS_CHAIN)) {
        return false;
    }
    uint32_t first = 1;
    if (geo_op_is(op, GEO_IS_ELEMENT_CHAIN)) {
        if (operand_count < 2 || !index_bits(operands[1], &index) ||
            !step_add(step, index, pointee->size)) {
            return false;
        }
        first = 2;
    }
    return chain_step(pointee, operands, first, operand_count, step);
}
