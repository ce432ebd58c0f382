/* By how much values grow in each turn of a loop. See advance.h. */
#include "compiler/transform/loops/advance.h"

#include "compiler/ir/access.h"
#include "compiler/ir/grammar.h"
#include "compiler/transform/pass/offset.h"
#include "compiler/transform/pass/pass.h"

#define DEPTH_LIMIT 12u /* instructions between a value and the loop's phis */

/* A value on the way. `flags`: it must not wrap in this sense. */
static bool value_advance(const struct loop_advance *a, struct geo_ir_value *value, uint32_t flags,
                          uint32_t depth, int64_t *step);

/* Returns whether an instruction has the flags that are needed. */
static bool has_flags(const struct loop_advance *a, const struct geo_ir_inst *inst, uint32_t flags)
{
    return !a->exact || (inst->value.flags & flags) == flags;
}

/* Adds to *step what an instruction adds to its first operand. */
static bool constant_add(const struct loop_advance *a, const struct geo_ir_inst *inst,
                         uint32_t flags, int64_t *step)
{
    int64_t more;
    uint64_t bits;
    if (inst->op == SpvOpIAdd && geo_ir_constant_bits(inst->operands[1], &bits)) {
        uint32_t unused = 64 - inst->value.type->width;
        more = (int64_t)(bits << unused) >> unused;
        if (!has_flags(a, inst, flags)) {
            return false;
        }
    } else if (!geo_make_pointer_step(inst->op, inst->value.type, inst->operands,
                                      inst->operand_count, &more)) {
        return false;
    }
    return !__builtin_add_overflow(*step, more, step);
}

/* Follows the value of the next turn back to the phi. */
static bool phi_advance(const struct loop_advance *a, const struct geo_ir_inst *phi, uint32_t flags,
                        int64_t *step)
{
    struct geo_ir_value *value = phi->operands[geo_phi_find(phi, a->loop->latches[0])];
    flags &= ~(phi == a->counter ? a->counter_flags : 0);
    for (uint32_t i = 0; i < DEPTH_LIMIT && value != &phi->value; i++) {
        const struct geo_ir_inst *next = geo_ir_as_inst(value);
        if (!next || next->operand_count < 1 || !constant_add(a, next, flags, step)) {
            return false;
        }
        value = next->operands[0];
    }
    return value == &phi->value;
}

/* Extensions grow like what they extend if that does not wrap. */
static bool extension_advance(const struct loop_advance *a, const struct geo_ir_inst *inst,
                              uint32_t flags, uint32_t depth, int64_t *step)
{
    const struct geo_ir_value *from = inst->operands[0];
    uint32_t needed =
        inst->op == SpvOpSConvert ? GEO_VALUE_NO_SIGNED_WRAP : GEO_VALUE_NO_UNSIGNED_WRAP;
    bool extends = from->type->kind == GEO_TYPE_INT && from->type->width < inst->value.type->width;
    if (a->exact && (!extends || flags & ~needed)) {
        return false;
    }
    return value_advance(a, inst->operands[0], needed, depth - 1, step);
}

static bool sum_advance(const struct loop_advance *a, const struct geo_ir_inst *inst,
                        uint32_t flags, uint32_t depth, int64_t *step)
{
    int64_t more = 0;
    return has_flags(a, inst, flags) &&
           value_advance(a, inst->operands[0], flags, depth - 1, step) &&
           value_advance(a, inst->operands[1], flags, depth - 1, &more) &&
           !__builtin_add_overflow(*step, more, step);
}

static bool shift_advance(const struct loop_advance *a, const struct geo_ir_inst *inst,
                          uint32_t flags, uint32_t depth, int64_t *step)
{
    uint64_t bits;
    return has_flags(a, inst, flags) && geo_ir_constant_bits(inst->operands[1], &bits) &&
           bits < 32 && value_advance(a, inst->operands[0], flags, depth - 1, step) &&
           !__builtin_mul_overflow(*step, INT64_C(1) << bits, step);
}

/* An access chain, or the addition of bytes to a pointer. Chains extend their indices. */
static bool chain_advance(const struct loop_advance *a, const struct geo_ir_inst *inst,
                          uint32_t depth, int64_t *step)
{
    int64_t more = 0;
    bool element = geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN);
    if ((!element && inst->op != (SpvOp)GEO_OP_PTR_ADD) || inst->operand_count != 2) {
        return false;
    }
    uint32_t needed = inst->operands[1]->type->width < 64 ? GEO_VALUE_NO_SIGNED_WRAP : 0;
    uint64_t scale = element ? inst->operands[0]->type->element->size : 1;
    return value_advance(a, inst->operands[0], 0, depth - 1, step) &&
           value_advance(a, inst->operands[1], needed, depth - 1, &more) && scale < INT32_MAX &&
           !__builtin_mul_overflow(more, (int64_t)scale, &more) &&
           !__builtin_add_overflow(*step, more, step);
}

static bool inst_advance(const struct loop_advance *a, const struct geo_ir_inst *inst,
                         uint32_t flags, uint32_t depth, int64_t *step)
{
    int64_t constant;
    uint64_t bits;
    if (inst->operand_count == 0) {
        return false;
    }
    if (geo_make_pointer_step(inst->op, inst->value.type, inst->operands, inst->operand_count,
                              &constant)) {
        return value_advance(a, inst->operands[0], 0, depth - 1, step);
    }
    switch ((uint32_t)inst->op) {
    case SpvOpSConvert:
    case SpvOpUConvert:
        return extension_advance(a, inst, flags, depth, step);
    case SpvOpShiftLeftLogical:
        return shift_advance(a, inst, flags, depth, step);
    case SpvOpBitwiseOr: /* of bits that are zero otherwise, as compilers write additions */
        return !a->exact && geo_ir_constant_bits(inst->operands[1], &bits) &&
               value_advance(a, inst->operands[0], 0, depth - 1, step);
    case SpvOpIAdd:
        return sum_advance(a, inst, flags, depth, step);
    default:
        return chain_advance(a, inst, depth, step);
    }
}

static bool value_advance(const struct loop_advance *a, struct geo_ir_value *value, uint32_t flags,
                          uint32_t depth, int64_t *step)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    *step = 0;
    if (!inst || !geo_loop_contains(a->loops, a->loop, inst->block)) {
        return true;
    }
    if (inst->op == SpvOpPhi) {
        return inst->block == a->loop->header && phi_advance(a, inst, flags, step);
    }
    return depth > 0 && inst_advance(a, inst, flags, depth, step);
}

bool loop_advance_of(const struct loop_advance *a, struct geo_ir_value *value, int64_t *step)
{
    return value_advance(a, value, 0, DEPTH_LIMIT, step);
}

bool loop_access_is_element(const struct geo_ir_inst *inst)
{
    if ((inst->op != SpvOpLoad && inst->op != SpvOpStore) ||
        inst->memory_flags & SpvMemoryAccessVolatileMask ||
        inst->operands[0]->type->storage == SpvStorageClassFunction) {
        return false;
    }
    const struct geo_ir_type *type =
        inst->op == SpvOpLoad ? inst->value.type : inst->operands[1]->type;
    return (type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT) &&
           (type->size == 4 || type->size == 8);
}

bool loop_access_walks(const struct loop_advance *a, const struct geo_shapes *shapes,
                       const struct geo_ir_inst *inst)
{
    int64_t step,
        size = (int64_t)(inst->op == SpvOpLoad ? inst->value.type : inst->operands[1]->type)->size;
    return geo_shape_is_apart(shapes, inst->operands[0], (uint64_t)size) &&
           loop_advance_of(a, inst->operands[0], &step) && (step == size || step == -size);
}
