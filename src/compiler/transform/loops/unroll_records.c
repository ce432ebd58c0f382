/* Chooses loops that walk along a record of each lane; see unroll.c.
 *
 *     for (i = 0; i < 16; i++)            Lanes are far apart: key = keys + 16 * get_global_id(0).
 *         h = mix(h, key[i]);             Unrolled, four elements are one load (memory/adjacent.c).
 *
 * LLVM unrolls such loops later in any case. */
#include "compiler/transform/loops/unroll.h"

#include "compiler/analysis/shape.h"
#include "compiler/transform/pass/offset.h"

#define TURNS_LIMIT 16u  /* turns of a loop */
#define BODY_LIMIT  48u  /* instructions of a loop */
#define SIZE_LIMIT  512u /* instructions of a loop when it is unrolled */
#define DEPTH_LIMIT 12u  /* instructions between a pointer and the loop's phis */
#define SHAPE_LANES 8u   /* lanes for which shapes are computed */

static bool is_innermost(const struct unroll *u, const struct geo_loop *loop)
{
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        if (u->p.loops.loops[i]->parent == loop) {
            return false;
        }
    }
    return true;
}

static uint32_t body_size(const struct geo_loop *loop)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < loop->block_count; i++) {
        for (const struct geo_ir_inst *inst = loop->blocks[i]->first; inst; inst = inst->next) {
            size++;
        }
    }
    return size;
}

/* Returns whether an access may be one of a record's elements, as far as it says itself. */
static bool is_element(const struct geo_ir_inst *inst)
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

static bool is_candidate(const struct unroll *u, const struct geo_loop *loop)
{
    bool has_elements = false;
    for (uint32_t i = 0; i < loop->block_count; i++) {
        for (const struct geo_ir_inst *inst = loop->blocks[i]->first; inst; inst = inst->next) {
            has_elements |= is_element(inst);
        }
    }
    return has_elements && body_size(loop) <= BODY_LIMIT && is_innermost(u, loop);
}

bool unroll_has_records(const struct unroll *u)
{
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        if (is_candidate(u, u->p.loops.loops[i])) {
            return true;
        }
    }
    return false;
}

/* ---- what a turn adds ---- */

static bool advance_of(const struct unroll *u, const struct geo_loop *loop,
                       struct geo_ir_value *value, uint32_t depth, int64_t *step);

/* Finds by how much a phi of the header grows in each turn. */
static bool phi_advance(const struct geo_loop *loop, const struct geo_ir_inst *phi, int64_t *step)
{
    const struct geo_ir_inst *next =
        geo_ir_as_inst(phi->operands[geo_phi_find(phi, loop->latches[0])]);
    uint64_t bits;
    if (!next || next->operand_count < 1 || next->operands[0] != &phi->value) {
        return false;
    }
    if (next->op == SpvOpIAdd && geo_ir_constant_bits(next->operands[1], &bits)) {
        uint32_t unused = 64 - next->value.type->width;
        *step = (int64_t)(bits << unused) >> unused;
        return true;
    }
    return geo_make_pointer_step(next->op, next->value.type, next->operands, next->operand_count,
                                 step);
}

/* Finds by how much the address or index that an instruction computes grows in each turn. */
static bool inst_advance(const struct unroll *u, const struct geo_loop *loop,
                         const struct geo_ir_inst *inst, uint32_t depth, int64_t *step)
{
    int64_t more = 0, constant;
    uint64_t bits;
    if (inst->operand_count == 0 || !advance_of(u, loop, inst->operands[0], depth - 1, step)) {
        return false;
    }
    if (geo_make_pointer_step(inst->op, inst->value.type, inst->operands, inst->operand_count,
                              &constant)) {
        return true;
    }
    switch ((uint32_t)inst->op) {
    case SpvOpSConvert:
    case SpvOpUConvert:
        return true;
    case SpvOpShiftLeftLogical:
        return geo_ir_constant_bits(inst->operands[1], &bits) && bits < 32 &&
               !__builtin_mul_overflow(*step, INT64_C(1) << bits, step);
    case SpvOpBitwiseOr: /* of bits that are zero otherwise, as compilers write additions */
        return geo_ir_constant_bits(inst->operands[1], &bits);
    case SpvOpIAdd:
        return advance_of(u, loop, inst->operands[1], depth - 1, &more) &&
               !__builtin_add_overflow(*step, more, step);
    default:
        break;
    }
    bool element = geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN);
    if ((!element && inst->op != (SpvOp)GEO_OP_PTR_ADD) || inst->operand_count != 2 ||
        !advance_of(u, loop, inst->operands[1], depth - 1, &more)) {
        return false;
    }
    uint64_t scale = element ? inst->operands[0]->type->element->size : 1;
    return scale < INT32_MAX && !__builtin_mul_overflow(more, (int64_t)scale, &more) &&
           !__builtin_add_overflow(*step, more, step);
}

static bool advance_of(const struct unroll *u, const struct geo_loop *loop,
                       struct geo_ir_value *value, uint32_t depth, int64_t *step)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    *step = 0;
    if (!inst || !geo_loop_contains(&u->p.loops, loop, inst->block)) {
        return true;
    }
    if (inst->op == SpvOpPhi) {
        return inst->block == loop->header && phi_advance(loop, inst, step);
    }
    return depth > 0 && inst_advance(u, loop, inst, depth, step);
}

/* ---- the choice ---- */

static bool walks_along(const struct unroll *u, const struct geo_shapes *shapes,
                        const struct geo_loop *loop, const struct geo_ir_inst *inst)
{
    int64_t step, size;
    if (!is_element(inst)) {
        return false;
    }
    size = (int64_t)(inst->op == SpvOpLoad ? inst->value.type : inst->operands[1]->type)->size;
    return geo_shape_is_apart(shapes, inst->operands[0], (uint64_t)size) &&
           advance_of(u, loop, inst->operands[0], DEPTH_LIMIT, &step) &&
           (step == size || step == -size);
}

static bool has_record(const struct unroll *u, const struct geo_shapes *shapes,
                       const struct geo_loop *loop)
{
    for (uint32_t i = 0; i < loop->block_count; i++) {
        for (const struct geo_ir_inst *inst = loop->blocks[i]->first; inst; inst = inst->next) {
            if (walks_along(u, shapes, loop, inst)) {
                return true;
            }
        }
    }
    return false;
}

/* Returns whether a loop, or one around it, is chosen already. */
static bool is_chosen(const struct unroll *u, const struct geo_loop *loop)
{
    while (loop && !u->loops[loop->index].chosen) {
        loop = loop->parent;
    }
    return loop;
}

bool unroll_choose_records(struct unroll *u, bool *found)
{
    const struct geo_shape_options options = {.lanes = SHAPE_LANES, .ids_fit_31_bits = true};
    struct geo_shapes shapes;
    if (!unroll_has_records(u)) {
        return true;
    }
    if (!geo_shapes_compute(&u->p.loops, &options, &u->p.pass->arena, &shapes)) {
        return geo_pass_no_memory(u->p.pass);
    }
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        const struct geo_loop *loop = u->p.loops.loops[i];
        uint32_t turns;
        if (!is_chosen(u, loop) && is_candidate(u, loop) && has_record(u, &shapes, loop) &&
            unroll_runs(u, loop, SIZE_LIMIT, &turns) && turns > 1 && turns <= TURNS_LIMIT) {
            u->loops[i].chosen = *found = true;
        }
    }
    return true;
}
