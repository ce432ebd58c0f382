/* Gives loads at clamped indexes a case without the clamp, and loads at indexes that wrap around a
 * case in which no lane wraps (periods.h).
 *
 *     a[max(i - 1, 0)]      -->      if (all lanes: i - 1 >= 0) a[i - 1] else a[max(i - 1, 0)]
 *
 * An index that moves evenly from lane to lane stays consecutive in the first case. A clamped one
 * does not, although only the chunks at a border are clamped: each load is a gather. The question
 * (GEO_OP_ALL_LANES) is the same for all lanes, so the branch needs no mask.
 *
 *     block:  ... v = load at ...      -->      block:  ... branch all ? inside : border
 *                                               inside: load at' (a copy of the address)
 *                                               border: load at
 *                                               rest:   v = phi ...
 *
 * Clamps are the functions min, max and clamp, and selections by a comparison. Below, "clamp" also
 * means an instruction that wraps an index around. */
#include "compiler/transform/memory/periods.h"

#include "compiler/analysis/shape.h"
#include "compiler/ir/debug.h"

#include <spirv/unified1/OpenCL.std.h>

#define SLICE_LIMIT 16u /* instructions between clamps and a load */
#define BOUND_LIMIT 6u  /* comparisons for one load */
#define LOAD_LIMIT  24u /* loads with two cases in one function */
#define PERIODS     16u /* instructions of one function that wrap an index around */
#define TOTAL_LIMIT (GEO_LIMIT_FUNCTION_INSTRUCTIONS / 4) /* of a function that is looked at */
#define LANES       8u                                    /* lanes for which shapes are computed */

/* A comparison that holds where a clamp changes nothing. */
struct bound {
    SpvOp op;
    const struct geo_ir_inst *clamp; /* for the place in the source */
    struct geo_ir_value *index, *limit;
};

/* The periods of one function. */
struct periods {
    struct geo_period items[PERIODS];
    uint32_t count;
};

/* The part of an address that clamps make varying. */
struct slice {
    struct geo_pass *pass;
    const struct geo_shapes *shapes;
    struct periods *periods;
    struct geo_ir_inst *insts[SLICE_LIMIT]; /* operands first */
    /* what each instruction is without clamps: its copy, or the index that is clamped */
    struct geo_ir_value *inside[SLICE_LIMIT];
    bool clamps[SLICE_LIMIT];
    bool uniform[SLICE_LIMIT]; /* it is uniform without clamps */
    uint32_t count;
    struct bound bounds[BOUND_LIMIT];
    uint32_t bound_count;
    /* The load is from local memory, where gathers cost less. Most indexes that wrap there belong
       to sorts and transforms, whose regions have copies without (lower/cpu/function/assumed.c). */
    bool near;
};

/* ---- clamps ---- */

/* The comparisons of one function: of its first operand with the second, and with the third. */
struct clamp_row {
    uint32_t number; /* in OpenCL.std */
    SpvOp second, third;
};

static const struct clamp_row clamp_rows[] = {
    {OpenCLstd_SMax, SpvOpSGreaterThanEqual, SpvOpNop},
    {OpenCLstd_UMax, SpvOpUGreaterThanEqual, SpvOpNop},
    {OpenCLstd_SMin, SpvOpSLessThanEqual, SpvOpNop},
    {OpenCLstd_UMin, SpvOpULessThanEqual, SpvOpNop},
    {OpenCLstd_SClamp, SpvOpSGreaterThanEqual, SpvOpSLessThanEqual},
    {OpenCLstd_UClamp, SpvOpUGreaterThanEqual, SpvOpULessThanEqual},
};

static const struct clamp_row *clamp_row(const struct geo_ir_inst *inst)
{
    for (size_t i = 0; inst->op == SpvOpExtInst && i < sizeof(clamp_rows) / sizeof(clamp_rows[0]);
         i++) {
        if (inst->literals[1] == clamp_rows[i].number) {
            return &clamp_rows[i];
        }
    }
    return NULL;
}

/* Returns the kind of a value's shape. Values that this pass has made for periods are known here. */
static enum geo_shape_kind kind_of(const struct slice *s, const struct geo_ir_value *value)
{
    for (uint32_t i = 0; i < s->periods->count; i++) {
        const struct geo_period *period = &s->periods->items[i];
        if (value == period->inside && period->uniform) {
            return GEO_SHAPE_UNIFORM;
        }
        if (value == period->index) {
            return GEO_SHAPE_STRIDED;
        }
    }
    return geo_shape_of(s->shapes, value).kind;
}

static bool bound_add(struct slice *s, const struct geo_ir_inst *clamp, SpvOp op,
                      struct geo_ir_value *index, struct geo_ir_value *limit)
{
    if (s->bound_count == BOUND_LIMIT || index->type->kind != GEO_TYPE_INT ||
        kind_of(s, index) == GEO_SHAPE_VARYING || kind_of(s, limit) == GEO_SHAPE_VARYING) {
        return false;
    }
    s->bounds[s->bound_count++] = (struct bound){op, clamp, index, limit};
    return true;
}

/* Returns the value of an instruction of the slice without clamps, or the value itself. */
static struct geo_ir_value *inside_value(const struct slice *s, struct geo_ir_value *value)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (&s->insts[i]->value == value) {
            return s->inside[i];
        }
    }
    return value;
}

/* Adds the bounds of min, max or clamp, whose operands are known. Returns the index that is
 * clamped; NULL: none, or it is not even. */
static struct geo_ir_value *function_clamps(struct slice *s, const struct geo_ir_inst *inst,
                                            const struct clamp_row *row)
{
    struct geo_ir_value *a = inside_value(s, inst->operands[0]);
    struct geo_ir_value *b = inside_value(s, inst->operands[1]);
    bool first = kind_of(s, a) == GEO_SHAPE_STRIDED || row->third != SpvOpNop;
    struct geo_ir_value *index = first ? a : b, *limit = first ? b : a;
    if (kind_of(s, index) != GEO_SHAPE_STRIDED || !bound_add(s, inst, row->second, index, limit)) {
        return NULL;
    }
    return row->third == SpvOpNop ||
                   bound_add(s, inst, row->third, index, inside_value(s, inst->operands[2]))
               ? index
               : NULL;
}

/* Adds the bound of a selection by a comparison. Returns the index that is selected inside. */
static struct geo_ir_value *selection_clamps(struct slice *s, const struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *compared = geo_ir_as_inst(inst->operands[0]);
    struct geo_ir_value *on = inside_value(s, inst->operands[1]);
    struct geo_ir_value *off = inside_value(s, inst->operands[2]);
    bool selects_on = kind_of(s, on) == GEO_SHAPE_STRIDED;
    struct geo_ir_value *index = selects_on ? on : off;
    if (!compared || geo_pass_compare_inverse(compared->op) == SpvOpNop ||
        kind_of(s, index) != GEO_SHAPE_STRIDED ||
        kind_of(s, selects_on ? off : on) != GEO_SHAPE_UNIFORM) {
        return NULL;
    }
    return bound_add(s, inst, selects_on ? compared->op : geo_pass_compare_inverse(compared->op),
                     compared->operands[0], compared->operands[1])
               ? index
               : NULL;
}

/* ---- indexes that wrap around ---- */

/* Returns whether the lanes of some chunk can be in one period. */
static bool is_long(const struct slice *s, const struct geo_ir_inst *inst,
                    const struct geo_ir_value *index, const struct geo_ir_value *limit)
{
    int64_t stride = geo_shape_of(s->shapes, index).stride;
    uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    uint64_t length = geo_period_length(inst, limit);
    return length == 0 || step < length / LANES;
}

/* Returns the period of an instruction, or makes it; NULL: it has none. */
static const struct geo_period *period_of(struct slice *s, struct geo_ir_inst *inst)
{
    struct periods *periods = s->periods;
    for (uint32_t i = 0; i < periods->count; i++) {
        if (periods->items[i].inst == inst) {
            return &periods->items[i];
        }
    }
    bool swapped = inst->op == SpvOpBitwiseAnd &&
                   geo_shape_of(s->shapes, inst->operands[0]).kind == GEO_SHAPE_UNIFORM;
    struct geo_ir_value *index = inst->operands[swapped], *limit = inst->operands[!swapped];
    if (periods->count == PERIODS || geo_shape_of(s->shapes, index).kind != GEO_SHAPE_STRIDED ||
        geo_shape_of(s->shapes, limit).kind != GEO_SHAPE_UNIFORM ||
        !is_long(s, inst, index, limit) ||
        !geo_period_make(s->pass, inst, index, limit, &periods->items[periods->count])) {
        return NULL;
    }
    return &periods->items[periods->count++];
}

/* Adds the bounds of an instruction that wraps an index around. Returns what it is inside. */
static struct geo_ir_value *period_clamps(struct slice *s, struct geo_ir_inst *inst)
{
    const struct geo_period *period = s->near ? NULL : period_of(s, inst);
    for (uint32_t i = 0; period && i < GEO_PERIOD_BOUNDS; i++) {
        const struct geo_period_bound *bound = &period->bounds[i];
        if (bound->op == SpvOpNop) {
            continue;
        }
        if (s->bound_count == BOUND_LIMIT) {
            return NULL;
        }
        s->bounds[s->bound_count++] = (struct bound){bound->op, inst, bound->index, bound->limit};
    }
    return period ? period->inside : NULL;
}

/* ---- slices ---- */

/* Returns whether a value is uniform without clamps. */
static bool is_uniform_inside(const struct slice *s, const struct geo_ir_value *value)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (&s->insts[i]->value == value) {
            return s->uniform[i];
        }
    }
    return kind_of(s, value) == GEO_SHAPE_UNIFORM;
}

/* Returns whether all operands are uniform without clamps, and the result depends on them alone. */
static bool becomes_uniform(const struct slice *s, const struct geo_ir_inst *inst)
{
    bool uniform = geo_op_is(inst->op, GEO_IS_PURE) && inst->op != SpvOpPhi;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        uniform = uniform && is_uniform_inside(s, inst->operands[i]);
    }
    return uniform;
}

/* Returns whether the result is even if the operands are. */
static bool keeps_evenness(const struct geo_ir_inst *inst)
{
    uint64_t bits;
    switch ((uint32_t)inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpSConvert:
    case SpvOpUConvert:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case GEO_OP_PTR_ADD:
        return true;
    case SpvOpIMul:
        return geo_ir_constant_bits(inst->operands[0], &bits) ||
               geo_ir_constant_bits(inst->operands[1], &bits);
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpShiftRightLogical:
        return geo_ir_constant_bits(inst->operands[1], &bits);
    default:
        return geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN);
    }
}

static bool slice_has(const struct slice *s, const struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->insts[i] == inst) {
            return true;
        }
    }
    return false;
}

/* Adds a varying value and what it is computed from. Returns false if it varies for another reason
 * than clamps. */
static bool slice_add(struct slice *s, struct geo_ir_value *value, uint32_t depth)
{
    struct geo_ir_inst *inst = geo_ir_as_inst(value);
    if (kind_of(s, value) != GEO_SHAPE_VARYING) {
        return true;
    }
    if (!inst || depth == 0 || value->type->kind == GEO_TYPE_VECTOR) {
        return false;
    }
    if (slice_has(s, inst)) {
        return true;
    }
    const struct clamp_row *row = clamp_row(inst);
    bool selects = inst->op == SpvOpSelect, wraps = geo_period_wraps(inst);
    if (!row && !selects && !wraps && !keeps_evenness(inst) && inst->op != SpvOpIMul) {
        return false;
    }
    for (uint32_t i = selects ? 1 : 0; i < inst->operand_count; i++) {
        if (!slice_add(s, inst->operands[i], depth - 1)) {
            return false;
        }
    }
    if (s->count == SLICE_LIMIT) {
        return false;
    }
    bool uniform = becomes_uniform(s, inst), copied = uniform || keeps_evenness(inst);
    struct geo_ir_value *index = copied    ? value
                                 : row     ? function_clamps(s, inst, row)
                                 : selects ? selection_clamps(s, inst)
                                 : wraps   ? period_clamps(s, inst)
                                           : NULL;
    if (!index) {
        return false;
    }
    s->clamps[s->count] = !copied;
    s->uniform[s->count] = uniform || (wraps && kind_of(s, index) == GEO_SHAPE_UNIFORM);
    s->inside[s->count] = index;
    s->insts[s->count++] = inst;
    return true;
}

/* ---- one load ---- */

static bool slice_copy(struct geo_pass *pass, struct slice *s, struct geo_ir_inst *before)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->clamps[i]) {
            continue;
        }
        struct geo_ir_inst *copy = geo_make_copy(pass, s->insts[i]);
        if (!copy) {
            return false;
        }
        for (uint32_t k = 0; k < copy->operand_count; k++) {
            copy->operands[k] = inside_value(s, s->insts[i]->operands[k]);
        }
        geo_ir_inst_insert_before(before, copy);
        s->inside[i] = &copy->value;
    }
    return true;
}

/* Returns whether all lanes are inside all bounds. */
static struct geo_ir_value *bounds_ask(struct geo_pass *pass, const struct slice *s,
                                       struct geo_ir_inst *before)
{
    struct geo_ir_value *all = NULL;
    for (uint32_t i = 0; i < s->bound_count; i++) {
        const struct bound *bound = &s->bounds[i];
        struct geo_ir_value *holds =
            geo_make_binary(pass, before, bound->op, pass->type_bool, bound->index, bound->limit);
        holds = geo_make_unary(pass, before, (SpvOp)GEO_OP_ALL_LANES, pass->type_bool, holds);
        all = i == 0 ? holds
                     : geo_make_binary(pass, before, SpvOpLogicalAnd, pass->type_bool, all, holds);
    }
    return all;
}

/* Splits the block at a load, and replaces the load by one for each case. */
static bool load_split(struct geo_pass *pass, struct geo_ir_inst *load, struct slice *s)
{
    struct geo_ir_block *block = load->block;
    struct geo_ir_block *inside = geo_ir_block_create(block->function, block);
    struct geo_ir_block *border = inside ? geo_ir_block_create(block->function, inside) : NULL;
    struct geo_ir_block *rest = border ? geo_ir_block_create(block->function, border) : NULL;
    if (!rest) {
        return geo_pass_no_memory(pass);
    }
    geo_block_move_insts(load->next, rest);
    for (uint32_t i = 0; i < rest->last->target_count; i++) {
        geo_edge_moved(rest->last->targets[i], block, rest);
    }
    struct geo_ir_inst *branch =
        geo_make(pass, load, SpvOpBranchConditional, pass->type_void, 1, 0, 2);
    struct geo_ir_inst *phi = geo_make_phi(pass, rest, load->value.type, 2);
    struct geo_ir_inst *loads[2] = {geo_make_copy(pass, load), geo_make_copy(pass, load)};
    if (!branch || !phi || !loads[0] || !loads[1] || !geo_make_branch(pass, inside, rest, load) ||
        !geo_make_branch(pass, border, rest, load)) {
        return false;
    }
    branch->operands[0] = bounds_ask(pass, s, branch);
    branch->targets[0] = inside;
    branch->targets[1] = border;
    geo_ir_inst_insert_before(inside->last, loads[0]);
    geo_ir_inst_insert_before(border->last, loads[1]);
    if (!branch->operands[0] || !slice_copy(pass, s, loads[0])) {
        return false;
    }
    loads[0]->operands[0] = inside_value(s, load->operands[0]);
    loads[1]->operands[0] = load->operands[0];
    geo_phi_add(phi, &loads[0]->value, inside);
    geo_phi_add(phi, &loads[1]->value, border);
    phi->value.id = load->value.id;
    phi->value.name = load->value.name;
    geo_ir_inst_from(phi, load);
    load->value.forward = &phi->value;
    geo_ir_records_move(load, branch); /* the load is behind the branch */
    geo_ir_inst_remove(load);
    return true;
}

/* ---- the pass ---- */

/* Returns whether a load may have two cases, as far as the load itself says. */
static bool is_candidate(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    return inst->op == SpvOpLoad && !(inst->memory_flags & SpvMemoryAccessVolatileMask) &&
           (type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT);
}

/* Lists the loads to look at, and finds out whether the function clamps anything. */
static uint32_t candidates_list(const struct geo_ir_function *function,
                                struct geo_ir_inst **candidates, bool *clamps)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            *clamps = *clamps || clamp_row(inst) || geo_period_wraps(inst) ||
                      (inst->op == SpvOpSelect && inst->value.type->kind == GEO_TYPE_INT);
            if (is_candidate(inst)) {
                candidates[count++] = inst;
            }
        }
    }
    return count;
}

static bool function_clamps_split(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_shapes shapes;
    const struct geo_shape_options options = {.lanes = LANES, .ids_fit_31_bits = true};
    uint32_t total = geo_pass_instruction_count(function), done = 0;
    bool clamps = false;
    struct geo_ir_inst **loads = geo_arena_new_array(&pass->arena, struct geo_ir_inst *, total + 1);
    struct periods *periods = geo_arena_new_array(&pass->arena, struct periods, 1);
    if (!loads || !periods) {
        return geo_pass_no_memory(pass);
    }
    uint32_t count = total > TOTAL_LIMIT ? 0 : candidates_list(function, loads, &clamps);
    if (!clamps || count == 0) {
        return true;
    }
    geo_ir_function_number(function);
    if (!geo_cfg_build(function, &pass->arena, &cfg) ||
        !geo_dominators_compute(&cfg, &pass->arena, &tree) ||
        !geo_loops_compute(&tree, &pass->arena, &loops) ||
        !geo_shapes_compute(&loops, &options, &pass->arena, &shapes)) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 0; i < count && done < LOAD_LIMIT; i++) {
        struct geo_ir_value *pointer = loads[i]->operands[0];
        struct slice s = {.pass = pass,
                          .shapes = &shapes,
                          .periods = periods,
                          .near = pointer->type->storage == SpvStorageClassWorkgroup};
        if (slice_add(&s, loads[i]->operands[0], SLICE_LIMIT) && s.bound_count > 0) {
            done++;
            if (!load_split(pass, loads[i], &s)) {
                return false;
            }
        }
    }
    geo_ir_function_resolve(function);
    geo_ir_function_number(function);
    /* periods of loads that stay as they were */
    return periods->count == 0 || geo_remove_dead(pass, function);
}

ze_result_t geo_transform_clamps(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block && !function->irreducible && !module->concurrent_items) {
            good = function_clamps_split(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
