/* Computes shapes (shape.h) as an optimistic fixpoint with a work list over the instructions of one
 * function. Values start unevaluated and only move towards varying. When the condition of a branch
 * becomes non-uniform, divergence.c marks blocks, and their phis are evaluated again. */
#include "compiler/analysis/shape.h"

#include "base/assert.h"
#include "compiler/analysis/address.h"
#include "compiler/analysis/divergence.h"
#include "compiler/analysis/index.h"
#include "compiler/analysis/shape_block.h"
#include "compiler/analysis/shape_rules.h"
#include "compiler/analysis/uses.h"

/* The fixpoint over one function. */
struct fixpoint {
    struct shape_state state;
    struct geo_uses uses;
    struct geo_ir_inst **queue; /* a stack; each instruction is in it at most once */
    uint32_t queued_count;
    bool *queued; /* by value index: is in the stack */
    bool no_memory;
};

struct geo_shape geo_shape_of(const struct geo_shapes *shapes, const struct geo_ir_value *value)
{
    if (!shapes->values || (value->kind != GEO_VALUE_INST && value->kind != GEO_VALUE_PARAMETER)) {
        return (struct geo_shape){.kind = GEO_SHAPE_UNIFORM};
    }
    return shapes->values[value->index];
}

static void enqueue(struct fixpoint *fix, struct geo_ir_inst *inst)
{
    if (!fix->queued[inst->value.index]) {
        fix->queued[inst->value.index] = true;
        GEO_ASSERT(fix->queued_count < fix->state.cfg->function->value_count);
        fix->queue[fix->queued_count++] = inst;
    }
}

static void enqueue_phis(void *data, struct geo_ir_block *block)
{
    for (struct geo_ir_inst *inst = block->first; inst && inst->op == SpvOpPhi; inst = inst->next) {
        enqueue(data, inst);
    }
}

/* ---- phis ---- */

/* Returns whether a value is defined in a divergent loop that the edge from -> to leaves. */
static bool leaves_divergent_loop(const struct shape_state *state, const struct geo_ir_value *value,
                                  const struct geo_ir_block *from, const struct geo_ir_block *to)
{
    if (value->kind != GEO_VALUE_INST) {
        return false;
    }
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    for (const struct geo_loop *loop = state->loops->of[from->index]; loop; loop = loop->parent) {
        if (geo_loop_contains(state->loops, loop, to)) {
            return false;
        }
        if (state->result->divergent_loop[loop->index] &&
            geo_loop_contains(state->loops, loop, inst->block)) {
            return true;
        }
    }
    return false;
}

static struct fact phi_fact(const struct shape_state *state, const struct geo_ir_inst *phi)
{
    struct fact joined = {.kind = FACT_NONE};
    const struct geo_ir_value *only = NULL;
    bool same = true, undefined = false;
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        const struct geo_ir_value *operand = phi->operands[i];
        if (operand->kind == GEO_VALUE_UNDEF) {
            undefined = true; /* may take any value, also in single lanes */
            continue;
        }
        same = same && (!only || only == operand);
        only = operand;
        if (leaves_divergent_loop(state, operand, phi->targets[i], phi->block)) {
            return (struct fact){.kind = FACT_VARYING};
        }
        struct fact fact = geo_shape_fact(state, operand);
        fact.zeros = geo_shape_block_zeros(state, operand);
        joined = geo_shape_fact_join(joined, fact);
    }
    if (!same && state->result->divergent_join[phi->block->index]) {
        return (struct fact){.kind = FACT_VARYING};
    }
    /* An undefined operand counts as uniform: a loop's phi must not wait for its own result. */
    if (joined.kind == FACT_NONE && undefined) {
        joined.kind = FACT_UNIFORM;
    }
    bool flattened = phi->value.type->kind == GEO_TYPE_VECTOR ||
                     phi->value.type->kind == GEO_TYPE_ARRAY ||
                     phi->value.type->kind == GEO_TYPE_STRUCT;
    if (flattened && joined.kind == FACT_STRIDED) {
        joined = (struct fact){.kind = FACT_VARYING};
    }
    joined.anchored = joined.leans = false;
    return joined;
}

/* ---- the worklist ---- */

static void evaluate_branch(struct fixpoint *fix, const struct geo_ir_inst *inst)
{
    struct shape_state *state = &fix->state;
    const struct geo_ir_block *block = inst->block;
    if ((inst->op != SpvOpBranchConditional && inst->op != SpvOpSwitch) ||
        state->result->divergent_branch[block->index] || state->options->tile ||
        (state->options->agreed && state->options->agreed[block->index]) ||
        state->cfg->succs[block->index].count < 2 ||
        geo_shape_fact(state, inst->operands[0]).kind <= FACT_UNIFORM) {
        return;
    }
    state->result->divergent_branch[block->index] = true;
    if (!geo_divergence_spread(state, block, enqueue_phis, fix)) {
        fix->no_memory = true;
    }
}

static bool same_fact(struct fact a, struct fact b)
{
    return a.kind == b.kind && a.stride == b.stride && a.live_signed == b.live_signed &&
           a.live_unsigned == b.live_unsigned && a.anchored == b.anchored && a.leans == b.leans &&
           a.zeros == b.zeros;
}

/* Combines the old and new fact so that facts never move back. */
static struct fact fact_lowered(struct fact before, struct fact now)
{
    if (before.kind == FACT_NONE) {
        return now;
    }
    bool anchored = before.anchored || now.anchored, leans = before.leans || now.leans;
    now = geo_shape_fact_join(before, now);
    now.anchored = anchored && now.kind == FACT_STRIDED;
    now.leans = leans && now.kind == FACT_STRIDED;
    return now;
}

static void evaluate(struct fixpoint *fix, struct geo_ir_inst *inst)
{
    struct shape_state *state = &fix->state;
    if (inst == inst->block->last) {
        evaluate_branch(fix, inst);
        return;
    }
    struct fact *fact = &state->facts[inst->value.index];
    if (fact->kind == FACT_VARYING) {
        return;
    }
    struct fact now = inst->op == SpvOpPhi ? phi_fact(state, inst) : geo_shape_rule(state, inst);
    now = fact_lowered(*fact, now);
    if (same_fact(*fact, now)) {
        return;
    }
    GEO_ASSERT(now.kind >= fact->kind); /* facts only move down their list, so the fixpoint ends */
    GEO_ASSERT(now.kind != FACT_STRIDED ||
               (now.stride && (inst->value.type->kind == GEO_TYPE_INT ||
                               inst->value.type->kind == GEO_TYPE_POINTER)));
    *fact = now;
    uint32_t count;
    const struct geo_use *uses = geo_uses_of(&fix->uses, &inst->value, &count);
    for (uint32_t i = 0; i < count; i++) {
        enqueue(fix, uses[i].user);
    }
}

static void settle(struct fixpoint *fix)
{
    while (fix->queued_count && !fix->no_memory) {
        struct geo_ir_inst *inst = fix->queue[--fix->queued_count];
        fix->queued[inst->value.index] = false;
        evaluate(fix, inst);
    }
}

static void enqueue_index(void *data, struct geo_ir_inst *inst)
{
    enqueue(data, inst);
}

static void run(struct fixpoint *fix)
{
    const struct geo_loops *loops = fix->state.loops;
    /* The stack returns the last entry first, so it is filled in reverse. */
    for (uint32_t i = loops->cfg->reachable_count; i > 0; i--) {
        for (struct geo_ir_inst *inst = loops->order[i - 1]->last; inst; inst = inst->prev) {
            enqueue(fix, inst);
        }
    }
    settle(fix);
    for (uint32_t round = 0; !fix->no_memory && round <= GEO_INDEX_ROUNDS; round++) {
        if (!geo_indexes_check(&fix->state, round == GEO_INDEX_ROUNDS, enqueue_index, fix)) {
            fix->no_memory = true;
        }
        if (!fix->queued_count) {
            return;
        }
        settle(fix);
    }
}

/* ---- interface ---- */

static bool result_create(const struct geo_loops *loops, const struct geo_shape_options *options,
                          struct geo_arena *arena, struct geo_shapes *out)
{
    uint32_t blocks = loops->cfg->block_count;
    *out = (struct geo_shapes){.lanes = options->lanes, .linear = options->linear};
    out->values =
        geo_arena_new_array(arena, struct geo_shape, loops->cfg->function->value_count + 1);
    out->divergent_branch = geo_arena_new_array(arena, bool, blocks + 1);
    out->divergent_block = geo_arena_new_array(arena, bool, blocks + 1);
    out->divergent_join = geo_arena_new_array(arena, bool, blocks + 1);
    out->divergent_loop = geo_arena_new_array(arena, bool, loops->count + 1);
    return out->values && out->divergent_branch && out->divergent_block && out->divergent_join &&
           out->divergent_loop;
}

static void result_fill(const struct shape_state *state)
{
    for (uint32_t i = 0; i < state->cfg->function->value_count; i++) {
        const struct fact *fact = &state->facts[i];
        struct geo_shape *shape = &state->result->values[i];
        shape->kind = fact->kind == FACT_VARYING   ? GEO_SHAPE_VARYING
                      : fact->kind == FACT_STRIDED ? GEO_SHAPE_STRIDED
                                                   : GEO_SHAPE_UNIFORM;
        shape->stride = fact->stride;
        shape->anchored = fact->anchored;
        shape->zeros = fact->kind == FACT_VARYING ? 0 : fact->zeros;
    }
}

static bool fixpoint_init(struct fixpoint *fix, const struct geo_loops *loops,
                          const struct geo_shape_options *options, struct geo_arena *arena,
                          struct geo_shapes *out)
{
    const struct geo_ir_function *function = loops->cfg->function;
    uint32_t values = function->value_count + 1;
    struct geo_range *ranges;
    fix->state = (struct shape_state){
        .loops = loops, .cfg = loops->cfg, .options = options, .arena = arena, .result = out};
    if (!geo_ranges_compute(loops->cfg, options->ids_fit_31_bits, arena, &ranges) ||
        !geo_uses_build(function, arena, &fix->uses)) {
        return false;
    }
    fix->state.ranges = ranges;
    out->ranges = ranges;
    fix->state.facts = geo_arena_new_array(arena, struct fact, values);
    fix->state.trusted = options->ids_fit_31_bits && !options->large_objects
                             ? geo_addresses_find(loops->cfg, arena)
                             : geo_arena_new_array(arena, bool, values);
    fix->queue = geo_arena_new_array(arena, struct geo_ir_inst *, values);
    fix->queued = geo_arena_new_array(arena, bool, values);
    if (!fix->state.facts || !fix->state.trusted || !fix->queue || !fix->queued) {
        return false;
    }
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        fix->state.facts[function->parameters[i]->index].kind =
            options->parameters_varying ? FACT_VARYING : FACT_UNIFORM;
    }
    return true;
}

bool geo_shapes_compute(const struct geo_loops *loops, const struct geo_shape_options *options,
                        struct geo_arena *arena, struct geo_shapes *out)
{
    GEO_ASSERT(options->lanes && (options->lanes & (options->lanes - 1)) == 0);
    GEO_ASSERT(options->lanes == 1 || !loops->irreducible);
    GEO_ASSERT(!options->tile || options->group);
    if (!result_create(loops, options, arena, out)) {
        return false;
    }
    if (options->lanes <= 1) {
        return true; /* all zeros: everything is uniform */
    }
    struct fixpoint fix = {0};
    if (!fixpoint_init(&fix, loops, options, arena, out)) {
        return false;
    }
    run(&fix);
    if (!fix.no_memory) {
        result_fill(&fix.state);
    }
    return !fix.no_memory;
}
