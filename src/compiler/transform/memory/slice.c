/* Finds what clamps make varying; see slice.h. */
#include "compiler/transform/memory/slice.h"

#include "base/assert.h"
#include "compiler/ir/debug.h"

#include <spirv/unified1/OpenCL.std.h>

#define LANES 8u /* lanes for which shapes are computed */

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
static enum geo_shape_kind kind_of(const struct geo_slice *s, const struct geo_ir_value *value)
{
    for (uint32_t i = 0; s->periods && i < s->periods->count; i++) {
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

static bool bound_add(struct geo_slice *s, const struct geo_ir_inst *clamp, SpvOp op,
                      struct geo_ir_value *index, struct geo_ir_value *limit)
{
    if (s->bound_count == GEO_SLICE_BOUNDS || index->type->kind != GEO_TYPE_INT ||
        kind_of(s, index) == GEO_SHAPE_VARYING || kind_of(s, limit) == GEO_SHAPE_VARYING) {
        return false;
    }
    s->bounds[s->bound_count++] = (struct geo_slice_bound){op, clamp, index, limit};
    return true;
}

struct geo_ir_value *geo_slice_inside(const struct geo_slice *s, struct geo_ir_value *value)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (&s->insts[i]->value == value) {
            return s->inside[i];
        }
    }
    return value;
}

/* Returns whether a bound has been added. */
static bool is_known(const struct geo_slice *s, SpvOp op, const struct geo_ir_value *index,
                     const struct geo_ir_value *limit)
{
    for (uint32_t i = 0; i < s->bound_count; i++) {
        const struct geo_slice_bound *bound = &s->bounds[i];
        if (bound->op == op && bound->index == index && bound->limit == limit) {
            return true;
        }
    }
    return false;
}

/* Returns the comparison of min or max in the other direction. */
static SpvOp compare_turned(SpvOp op)
{
    return op == SpvOpSGreaterThanEqual   ? SpvOpSLessThanEqual
           : op == SpvOpSLessThanEqual    ? SpvOpSGreaterThanEqual
           : op == SpvOpUGreaterThanEqual ? SpvOpULessThanEqual
                                          : SpvOpUGreaterThanEqual;
}

/* Adds the bounds of min, max or clamp, whose operands are known. Returns the index that is
 * clamped; NULL: none, or it is not even. */
static struct geo_ir_value *function_clamps(struct geo_slice *s, const struct geo_ir_inst *inst,
                                            const struct clamp_row *row)
{
    struct geo_ir_value *a = geo_slice_inside(s, inst->operands[0]);
    struct geo_ir_value *b = geo_slice_inside(s, inst->operands[1]);
    bool first = kind_of(s, a) == GEO_SHAPE_STRIDED || row->third != SpvOpNop;
    struct geo_ir_value *index = first ? a : b, *limit = first ? b : a;
    if (row->third == SpvOpNop && is_known(s, compare_turned(row->second), index, limit)) {
        return limit; /* another clamp wants the other case */
    }
    if (kind_of(s, index) != GEO_SHAPE_STRIDED || !bound_add(s, inst, row->second, index, limit)) {
        return NULL;
    }
    return row->third == SpvOpNop ||
                   bound_add(s, inst, row->third, index, geo_slice_inside(s, inst->operands[2]))
               ? index
               : NULL;
}

/* Adds the bound of a selection by a comparison. Returns the index that is selected inside. */
static struct geo_ir_value *selection_clamps(struct geo_slice *s, const struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *compared = geo_ir_as_inst(inst->operands[0]);
    struct geo_ir_value *on = geo_slice_inside(s, inst->operands[1]);
    struct geo_ir_value *off = geo_slice_inside(s, inst->operands[2]);
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

/* Returns whether an instruction is a difference that saturates. Its copy does not. */
static bool saturates(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpExtInst && inst->literals[0] == GEO_EXT_OPENCL_STD &&
           inst->literals[1] == OpenCLstd_USub_sat;
}

bool geo_slice_is_clamp(const struct geo_ir_inst *inst)
{
    return clamp_row(inst) || saturates(inst);
}

/* ---- indexes that wrap around ---- */

/* Returns whether the lanes of some chunk can be in one period. */
static bool is_long(const struct geo_slice *s, const struct geo_ir_inst *inst,
                    const struct geo_ir_value *index, const struct geo_ir_value *limit)
{
    int64_t stride = geo_shape_of(s->shapes, index).stride;
    uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    uint64_t length = geo_period_length(inst, limit);
    return length == 0 || step < length / LANES;
}

/* Returns the period of an instruction, or makes it; NULL: it has none. */
static const struct geo_period *period_of(struct geo_slice *s, struct geo_ir_inst *inst)
{
    struct geo_slice_periods *periods = s->periods;
    for (uint32_t i = 0; i < periods->count; i++) {
        if (periods->items[i].inst == inst) {
            return &periods->items[i];
        }
    }
    bool swapped = inst->op == SpvOpBitwiseAnd &&
                   geo_shape_of(s->shapes, inst->operands[0]).kind == GEO_SHAPE_UNIFORM;
    struct geo_ir_value *index = inst->operands[swapped], *limit = inst->operands[!swapped];
    if (periods->count == GEO_SLICE_PERIODS ||
        geo_shape_of(s->shapes, index).kind != GEO_SHAPE_STRIDED ||
        geo_shape_of(s->shapes, limit).kind != GEO_SHAPE_UNIFORM ||
        !is_long(s, inst, index, limit) ||
        !geo_period_make(s->pass, inst, index, limit, &periods->items[periods->count])) {
        return NULL;
    }
    return &periods->items[periods->count++];
}

/* Adds the bounds of an instruction that wraps an index around. Returns what it is inside. */
static struct geo_ir_value *period_clamps(struct geo_slice *s, struct geo_ir_inst *inst)
{
    const struct geo_period *period = s->periods ? period_of(s, inst) : NULL;
    for (uint32_t i = 0; period && i < GEO_PERIOD_BOUNDS; i++) {
        const struct geo_period_bound *bound = &period->bounds[i];
        if (bound->op == SpvOpNop) {
            continue;
        }
        if (s->bound_count == GEO_SLICE_BOUNDS) {
            return NULL;
        }
        s->bounds[s->bound_count++] =
            (struct geo_slice_bound){bound->op, inst, bound->index, bound->limit};
    }
    return period ? period->inside : NULL;
}

/* ---- slices ---- */

/* Returns whether a value is uniform without clamps. */
static bool is_uniform_inside(const struct geo_slice *s, const struct geo_ir_value *value)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (&s->insts[i]->value == value) {
            return s->uniform[i];
        }
    }
    return kind_of(s, value) == GEO_SHAPE_UNIFORM;
}

/* Returns whether all operands are uniform without clamps, and the result depends on them alone. */
static bool becomes_uniform(const struct geo_slice *s, const struct geo_ir_inst *inst)
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

static bool slice_has(const struct geo_slice *s, const struct geo_ir_inst *inst)
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
static bool value_add(struct geo_slice *s, struct geo_ir_value *value, uint32_t depth)
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
    bool subtracts = saturates(inst);
    if (!row && !selects && !wraps && !subtracts && !keeps_evenness(inst) &&
        inst->op != SpvOpIMul) {
        return false;
    }
    for (uint32_t i = selects ? 1 : 0; i < inst->operand_count; i++) {
        if (!value_add(s, inst->operands[i], depth - 1)) {
            return false;
        }
    }
    if (s->count == GEO_SLICE_LIMIT) {
        return false;
    }
    bool uniform = becomes_uniform(s, inst), copied = uniform || keeps_evenness(inst);
    if (subtracts && !uniform) {
        copied = geo_slice_inside(s, inst->operands[0]) == inst->operands[0] &&
                 kind_of(s, inst->operands[0]) == GEO_SHAPE_STRIDED &&
                 bound_add(s, inst, SpvOpUGreaterThanEqual, inst->operands[0], inst->operands[1]);
    }
    struct geo_ir_value *index = copied    ? value
                                 : row     ? function_clamps(s, inst, row)
                                 : selects ? selection_clamps(s, inst)
                                 : wraps   ? period_clamps(s, inst)
                                           : NULL;
    if (!index) {
        return false;
    }
    s->clamps[s->count] = !copied;
    s->uniform[s->count] = uniform || (!copied && kind_of(s, index) == GEO_SHAPE_UNIFORM);
    s->inside[s->count] = index;
    s->insts[s->count++] = inst;
    return true;
}

bool geo_slice_add(struct geo_slice *s, struct geo_ir_value *value)
{
    uint32_t count = s->count, bounds = s->bound_count;
    if (value_add(s, value, GEO_SLICE_LIMIT)) {
        return true;
    }
    s->count = count;
    s->bound_count = bounds;
    return false;
}

/* ---- the case inside ---- */

bool geo_slice_copy(struct geo_slice *s, uint32_t number, struct geo_ir_inst *before)
{
    const struct geo_ir_inst *inst = s->insts[number];
    struct geo_ir_inst *copy =
        saturates(inst) && !s->uniform[number]
            ? geo_make(s->pass, NULL, SpvOpISub, inst->value.type, inst->operand_count, 0, 0)
            : geo_make_copy(s->pass, inst);
    GEO_ASSERT(!s->clamps[number]);
    if (!copy) {
        return false;
    }
    for (uint32_t k = 0; k < copy->operand_count; k++) {
        copy->operands[k] = geo_slice_inside(s, inst->operands[k]);
    }
    geo_ir_inst_from(copy, inst);
    geo_ir_inst_insert_before(before, copy);
    s->inside[number] = &copy->value;
    return true;
}

struct geo_ir_value *geo_slice_ask(const struct geo_slice *s, struct geo_ir_inst *before)
{
    struct geo_pass *pass = s->pass;
    struct geo_ir_value *all = NULL;
    for (uint32_t i = 0; i < s->bound_count; i++) {
        const struct geo_slice_bound *bound = &s->bounds[i];
        struct geo_ir_value *holds =
            geo_make_binary(pass, before, bound->op, pass->type_bool, bound->index, bound->limit);
        struct geo_ir_value *each =
            geo_make_unary(pass, before, (SpvOp)GEO_OP_ALL_LANES, pass->type_bool, holds);
        all = i == 0 ? each
                     : geo_make_binary(pass, before, SpvOpLogicalAnd, pass->type_bool, all, each);
        if (!all) {
            return NULL;
        }
        geo_ir_inst_from(geo_ir_as_inst(holds), bound->clamp);
        geo_ir_inst_from(geo_ir_as_inst(each), bound->clamp);
        geo_ir_inst_from(geo_ir_as_inst(all), bound->clamp);
    }
    return all;
}
