/* Finds the values that are held densely; see dense.h. lower/state/code.c calls it, and
 * lower/cpu/function/begin.c when shapes are known.
 *
 * All instructions that could compute such a value are candidates at first. Then candidates are
 * removed until nothing changes:
 * - those with an operand that is not dense, where parts would have to be joined
 * - loads, phis and moves that no instruction uses as a whole: all uses take them apart
 * - in functions with barriers, those that another block uses: records hold parts
 *
 * Large elements are chosen among these by their gain (dense_gain.h). */
#include "compiler/analysis/dense.h"

#include "compiler/analysis/dense_gain.h"
#include "compiler/analysis/dense_use.h"
#include "compiler/ir/budget.h"
#include "compiler/ir/grammar.h"

#include <spirv/unified1/OpenCL.std.h>

#include <string.h>

/* Largest number of components of a vector of OpenCL. */
#define COMPONENTS_LIMIT 16u
/* A value stays dense if at most this many components are taken out of it for each instruction that
 * uses it as a whole. */
#define PULLS_LIMIT 4u

struct dense {
    const struct geo_dense *of;
    bool *marks;  /* by value index: candidates that are left */
    bool *queued; /* by value index: is in the queue */
    struct geo_ir_inst **queue;
    uint32_t queue_count;
};

/* ---- types and opcodes ---- */

static bool type_fits(const struct geo_ir_type *type)
{
    if (type->kind != GEO_TYPE_VECTOR || type->count < 2 || type->count > COMPONENTS_LIMIT ||
        (type->count & (type->count - 1))) {
        return false;
    }
    const struct geo_ir_type *element = type->element;
    bool number = element->kind == GEO_TYPE_INT || element->kind == GEO_TYPE_FLOAT;
    return element->kind == GEO_TYPE_BOOL || (number && element->width <= 64);
}

/* Returns whether lowering computes the opcode component by component (opcodes.def). */
static bool is_by_part(SpvOp op)
{
#define LOWERING_PART    true
#define LOWERING_WHOLE   false
#define LOWERING_GROUP   false
#define LOWERING_CONTROL false
#define LOWERING_EARLIER false
    static const bool by_part[GEO_ROW_COUNT] = {
#define ROW(op, types, shape, folding, lowering, ...) [GEO_ROW_##op] = LOWERING_##lowering,
#include "compiler/ir/opcodes.def"
    };
    return by_part[geo_op_row(op)] && op != SpvOpFRem && op != SpvOpFMod;
}

/* Returns whether lowering computes an instruction of OpenCL.std component by component. */
static bool is_by_part_opencl(uint32_t number)
{
#undef LOWERING_PART
#undef LOWERING_WHOLE
#define LOWERING_LIBRARY          false
#define LOWERING_GEOMETRIC        false
#define LOWERING_PART(emitter)    true
#define LOWERING_PART_64(emitter) true
#define LOWERING_WHOLE(emitter)   false
    static const bool by_part[GEO_OPENCL_ROW_COUNT] = {
#define ROW(name, types, shape, rounding, lowering, ...)                                           \
    [GEO_OPENCL_ROW_##name] = LOWERING_##lowering,
#include "compiler/ir/opencl_std.def"
    };
    return by_part[geo_grammar_opencl_row(number)];
}

static bool is_elementwise(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpExtInst
               ? inst->literals[0] == GEO_EXT_OPENCL_STD && is_by_part_opencl(inst->literals[1])
               : is_by_part(inst->op);
}

/* ---- operands ---- */

static bool is_marked(const struct dense *d, const struct geo_ir_value *value)
{
    return geo_dense_use_is_marked(d->marks, value);
}

/* Returns whether a value is, or can be made, dense without joining parts that differ by lane. */
static bool is_ready(const struct dense *d, const struct geo_ir_value *value)
{
    return value->kind != GEO_VALUE_INST || d->marks[value->index];
}

static bool elementwise_fits(const struct dense *d, const struct geo_ir_inst *inst)
{
    bool any = false;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_value *operand = inst->operands[i];
        uint64_t count = geo_ir_components(operand->type);
        if (count != 1 && (count != inst->value.type->count || !is_ready(d, operand))) {
            return false;
        }
        any |= is_marked(d, operand);
    }
    return any;
}

static bool phi_fits(const struct dense *d, const struct geo_ir_inst *inst)
{
    bool any = false;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (!is_ready(d, inst->operands[i])) {
            return false;
        }
        any |= is_marked(d, inst->operands[i]) && inst->operands[i] != &inst->value;
    }
    return any;
}

static bool shuffle_fits(const struct dense *d, const struct geo_ir_inst *inst)
{
    uint64_t low = geo_ir_components(inst->operands[0]->type);
    bool takes[2] = {false, false}, leaves = false;
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        leaves |= inst->literals[i] == UINT32_MAX;
        takes[inst->literals[i] >= low] |= inst->literals[i] != UINT32_MAX;
    }
    if (geo_dense_use_is_splat(inst)) {
        return true;
    }
    return !(leaves && takes[0] && takes[1]) && (!takes[0] || is_ready(d, inst->operands[0])) &&
           (!takes[1] || is_ready(d, inst->operands[1])) &&
           ((takes[0] && is_marked(d, inst->operands[0])) ||
            (takes[1] && is_marked(d, inst->operands[1])));
}

/* Two halves, or one scalar for all components. */
static bool construct_fits(const struct dense *d, const struct geo_ir_inst *inst)
{
    if (inst->operand_count == 2 && inst->operands[0]->type == inst->operands[1]->type &&
        type_fits(inst->operands[0]->type)) {
        return is_ready(d, inst->operands[0]) && is_ready(d, inst->operands[1]) &&
               (is_marked(d, inst->operands[0]) || is_marked(d, inst->operands[1]));
    }
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        if (inst->operands[i] != inst->operands[0]) {
            return false;
        }
    }
    return inst->operand_count == inst->value.type->count;
}

static bool definition_fits(const struct dense *d, const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpLoad:
        return inst->value.type->element->kind != GEO_TYPE_BOOL &&
               !(inst->memory_flags & SpvMemoryAccessVolatileMask);
    case SpvOpPhi:
        return phi_fits(d, inst);
    case SpvOpVectorShuffle:
        return shuffle_fits(d, inst);
    case SpvOpCompositeConstruct:
        return construct_fits(d, inst);
    case SpvOpCompositeInsert:
        return inst->literal_count == 1 && is_marked(d, inst->operands[1]);
    case SpvOpBitcast:
    case SpvOpCopyObject:
        return is_marked(d, inst->operands[0]);
    default:
        return geo_dense_use_is_vload(inst) || (is_elementwise(inst) && elementwise_fits(d, inst));
    }
}

/* ---- uses ---- */

/* Returns whether a value is used outside its block, or by a phi. */
static bool leaves_block(const struct geo_ir_inst *inst, const struct geo_use *uses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (uses[i].user->block != inst->block || uses[i].user->op == SpvOpPhi) {
            return true;
        }
    }
    return inst->op == SpvOpPhi;
}

static bool uses_fit(const struct dense *d, const struct geo_ir_inst *inst)
{
    uint32_t count, wholes = 0, pulled = 0;
    const struct geo_use *uses = geo_uses_of(&d->of->uses, &inst->value, &count);
    if (d->of->by_block && leaves_block(inst, uses, count)) {
        return false;
    }
    if (is_elementwise(inst)) { /* one operation for all components pays anyway */
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pull = geo_dense_use_pulls(d->marks, &uses[i]);
        wholes += pull == 0;
        pulled += pull;
    }
    return wholes && pulled <= PULLS_LIMIT * wholes;
}

/* ---- the function ---- */

/* Adds a candidate to those that have to be checked again. */
static void enqueue(struct dense *d, struct geo_ir_value *value)
{
    if (is_marked(d, value) && !d->queued[value->index]) {
        d->queued[value->index] = true;
        d->queue[d->queue_count++] = (struct geo_ir_inst *)value;
    }
}

/* Removes the mark of an instruction, and enqueues those that depend on it. Returns false when the
 * budget is exceeded. */
static bool mark_remove(struct dense *d, struct geo_ir_inst *inst)
{
    uint32_t count;
    const struct geo_use *uses = geo_uses_of(&d->of->uses, &inst->value, &count);
    d->marks[inst->value.index] = false;
    for (uint32_t i = 0; i < count; i++) {
        enqueue(d, &uses[i].user->value);
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        enqueue(d, inst->operands[i]);
    }
    return geo_budget_spend(count + inst->operand_count);
}

static bool marks_reduce(struct dense *d)
{
    while (d->queue_count) {
        struct geo_ir_inst *inst = d->queue[--d->queue_count];
        uint32_t count;
        d->queued[inst->value.index] = false;
        geo_uses_of(&d->of->uses, &inst->value, &count);
        if (!geo_budget_spend((uint64_t)count + inst->operand_count) ||
            (!(definition_fits(d, inst) && uses_fit(d, inst)) && !mark_remove(d, inst))) {
            return false;
        }
    }
    return true;
}

static bool is_large(const struct geo_ir_value *value)
{
    const struct geo_ir_type *type = value->type;
    return type->kind == GEO_TYPE_VECTOR && type->element->kind != GEO_TYPE_BOOL &&
           type->element->width > 16;
}

static bool dense_init(struct dense *d, const struct geo_dense *of, struct geo_arena *arena)
{
    uint32_t values = of->function->value_count + 1;
    *d = (struct dense){.of = of};
    d->marks = geo_arena_new_array(arena, bool, values);
    d->queued = geo_arena_new_array(arena, bool, values);
    d->queue = geo_arena_new_array(arena, struct geo_ir_inst *, values);
    return d->marks && d->queued && d->queue;
}

/* Marks and enqueues all vectors of a suitable type. */
static void marks_begin(struct dense *d)
{
    geo_ir_for_each_block(block, d->of->function) {
        geo_ir_for_each_inst(inst, block) {
            if (type_fits(inst->value.type)) {
                d->marks[inst->value.index] = true;
                enqueue(d, &inst->value);
            }
        }
    }
}

/* Returns whether the function has a value that may be dense, so that the rest is worth while. */
static bool has_candidates(const struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (type_fits(inst->value.type) && inst->value.type->element->kind != GEO_TYPE_BOOL) {
                return true;
            }
        }
    }
    return false;
}

bool geo_dense_find(const struct geo_ir_function *function, struct geo_arena *arena, bool by_block,
                    struct geo_dense *out)
{
    struct dense d;
    *out = (struct geo_dense){.function = function, .by_block = by_block};
    if (!has_candidates(function)) {
        return true;
    }
    if (!dense_init(&d, out, arena) || !geo_uses_build(function, arena, &out->uses)) {
        return false;
    }
    marks_begin(&d);
    if (!marks_reduce(&d)) {
        return false;
    }
    out->marks = d.marks;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            out->large = out->large || (is_marked(&d, &inst->value) && is_large(&inst->value));
        }
    }
    return true;
}

/* ---- large elements ---- */

bool geo_dense_choose(const struct geo_dense *dense, const struct geo_loops *loops,
                      const struct geo_shapes *shapes, struct geo_arena *arena, const bool **out)
{
    struct dense d;
    bool *loses;
    *out = dense->marks;
    if (!dense->large) {
        return true;
    }
    if (!dense_init(&d, dense, arena) ||
        !geo_dense_gain_find(dense, loops, shapes, arena, &loses)) {
        return false;
    }
    memcpy(d.marks, dense->marks, (dense->function->value_count + 1) * sizeof(bool));
    geo_ir_for_each_block(block, dense->function) {
        geo_ir_for_each_inst(inst, block) {
            if (loses[inst->value.index] && is_large(&inst->value) && !mark_remove(&d, inst)) {
                return false;
            }
        }
    }
    *out = d.marks;
    return marks_reduce(&d);
}
