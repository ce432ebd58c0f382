/* Finds the values that are held densely; see dense.h. lower/state/code.c calls it.
 *
 * All instructions that could compute such a value are candidates at first. Then candidates are
 * removed until nothing changes:
 * - those with an operand that is not dense, where parts would have to be joined
 * - loads, phis and moves that no instruction uses as a whole: all uses take them apart
 * - in functions with barriers, those that another block uses: records hold parts */
#include "compiler/analysis/dense.h"

#include "compiler/analysis/uses.h"
#include "compiler/ir/budget.h"
#include "compiler/ir/dot.h"
#include "compiler/ir/grammar.h"

#include <spirv/unified1/OpenCL.std.h>

/* Largest number of components of a vector of OpenCL. */
#define COMPONENTS_LIMIT 16u
/* A value stays dense if at most this many components are taken out of it for each instruction that
 * uses it as a whole. */
#define PULLS_LIMIT 4u

struct dense {
    struct geo_uses uses;
    bool by_block; /* values that other blocks or phis use are not dense */
    bool *marks;   /* by value index: candidates that are left */
    bool *queued;  /* by value index: is in the queue */
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
    return element->kind == GEO_TYPE_BOOL || (number && element->width <= 16);
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

static bool is_opencl(const struct geo_ir_inst *inst, uint32_t number)
{
    return inst->op == SpvOpExtInst && inst->literals[0] == GEO_EXT_OPENCL_STD &&
           inst->literals[1] == number;
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
    return value->kind == GEO_VALUE_INST && d->marks[value->index];
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

/* Returns whether all components of a shuffle's result are the same component of an operand. */
static bool is_splat(const struct geo_ir_inst *inst)
{
    for (uint32_t i = 1; i < inst->literal_count; i++) {
        if (inst->literals[i] != inst->literals[0]) {
            return false;
        }
    }
    return inst->literal_count && inst->literals[0] != UINT32_MAX;
}

static bool shuffle_fits(const struct dense *d, const struct geo_ir_inst *inst)
{
    uint64_t low = geo_ir_components(inst->operands[0]->type);
    bool takes[2] = {false, false}, leaves = false;
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        leaves |= inst->literals[i] == UINT32_MAX;
        takes[inst->literals[i] >= low] |= inst->literals[i] != UINT32_MAX;
    }
    if (is_splat(inst)) {
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
        return is_opencl(inst, OpenCLstd_Vloadn) ||
               (is_elementwise(inst) && elementwise_fits(d, inst));
    }
}

/* ---- uses ---- */

/* Returns the number of components that an instruction takes out of an operand, or 0 if it uses the
 * operand as a whole. */
static uint32_t pulls(const struct dense *d, const struct geo_use *use)
{
    const struct geo_ir_inst *user = use->user;
    bool whole = is_marked(d, &user->value) || user->op == SpvOpAny || user->op == SpvOpAll ||
                 user->op == SpvOpBitcast || (user->op == SpvOpStore && use->operand == 1) ||
                 (is_opencl(user, OpenCLstd_Vstoren) && use->operand == 0) ||
                 geo_dot_has_words(user->op, user->operands[0]->type, user->value.type->width);
    return whole ? 0
           : user->op == SpvOpCompositeExtract
               ? 1
               : (uint32_t)user->operands[use->operand]->type->count;
}

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
    const struct geo_use *uses = geo_uses_of(&d->uses, &inst->value, &count);
    if (d->by_block && leaves_block(inst, uses, count)) {
        return false;
    }
    if (is_elementwise(inst)) { /* one operation for all components pays anyway */
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pull = pulls(d, &uses[i]);
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
    const struct geo_use *uses = geo_uses_of(&d->uses, &inst->value, &count);
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
        geo_uses_of(&d->uses, &inst->value, &count);
        if (!geo_budget_spend((uint64_t)count + inst->operand_count) ||
            (!(definition_fits(d, inst) && uses_fit(d, inst)) && !mark_remove(d, inst))) {
            return false;
        }
    }
    return true;
}

/* Marks and enqueues all vectors of a suitable type. */
static void marks_begin(struct dense *d, const struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
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
                    bool **out)
{
    uint32_t values = function->value_count + 1;
    struct dense d = {.by_block = by_block};
    *out = NULL;
    if (!has_candidates(function)) {
        return true;
    }
    d.marks = geo_arena_new_array(arena, bool, values);
    d.queued = geo_arena_new_array(arena, bool, values);
    d.queue = geo_arena_new_array(arena, struct geo_ir_inst *, values);
    if (!d.marks || !d.queued || !d.queue || !geo_uses_build(function, arena, &d.uses)) {
        return false;
    }
    *out = d.marks;
    marks_begin(&d, function);
    return marks_reduce(&d);
}
