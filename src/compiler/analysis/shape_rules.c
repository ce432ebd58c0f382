/* Computes the shape of one instruction from the shapes of its operands. Called by shape.c until
 * nothing changes.
 *
 * Strided integers are modular: value(lane) = value(0) + lane * stride in the value's width.
 * Additions and multiplications by constants preserve this. Extensions and right shifts preserve it
 * only if the operand does not wrap between lanes. That is known
 * - for all lanes of the work-group ("whole"), from the range of the value, or
 * - among active lanes ("live"), from no-wrap decorations, or because an access in the same block
 *   uses the value as an index and would leave its object after a wrap (index.h).
 *
 * If the lanes lie inside one aligned block, more is known (shape_block.h). */
#include "compiler/analysis/shape_rules.h"

#include "base/assert.h"
#include "compiler/analysis/index.h"
#include "compiler/analysis/interleave.h"
#include "compiler/analysis/shape_block.h"
#include "compiler/ir/grammar.h"
#include "compiler/ir/group_op.h"

#define LOW_ZEROS 16u /* low zero bits that a mask may lack */

/* ---- wrapping ---- */

static int64_t sign_extend(uint64_t bits, uint32_t width)
{
    GEO_ASSERT(width >= 8 && width <= 64);
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

static bool is_whole(const struct shape_state *state, const struct geo_ir_value *value,
                     struct fact fact, bool is_signed)
{
    if (fact.kind != FACT_STRIDED) {
        return true;
    }
    struct geo_range range = geo_range_of(state->ranges, value);
    if (!is_signed && range.low < 0) {
        return false;
    }
    uint64_t span = (uint64_t)range.high - (uint64_t)range.low;
    uint64_t step = fact.stride < 0 ? -(uint64_t)fact.stride : (uint64_t)fact.stride;
    uint64_t reach;
    if (__builtin_mul_overflow(step, state->options->lanes - 1, &reach) ||
        __builtin_add_overflow(span, reach, &reach)) {
        return false;
    }
    return value->type->width >= 64 || reach < (uint64_t)1 << value->type->width;
}

static bool is_live(const struct shape_state *state, const struct geo_ir_value *value,
                    struct fact fact, bool is_signed)
{
    return (is_signed ? fact.live_signed : fact.live_unsigned) ||
           is_whole(state, value, fact, is_signed);
}

/* Returns a result that relies on an access: only the access rules out that the operand wraps at
 * 2^32. */
static struct fact leaning(const struct shape_state *state, const struct geo_ir_inst *inst,
                           struct fact result)
{
    result.leans = true;
    return state->trusted[inst->value.index] ? result : geo_varying_fact;
}

/* ---- integers ---- */

static struct fact arithmetic(const struct shape_state *state, const struct geo_ir_inst *inst,
                              int64_t stride)
{
    struct fact result = geo_strided_fact(sign_extend((uint64_t)stride, inst->value.type->width));
    if (result.kind != FACT_STRIDED) {
        return result;
    }
    result.live_signed = inst->value.flags & GEO_VALUE_NO_SIGNED_WRAP;
    result.live_unsigned = inst->value.flags & GEO_VALUE_NO_UNSIGNED_WRAP;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_value *operand = inst->operands[i];
        struct fact fact = geo_shape_fact(state, operand);
        result.live_signed = result.live_signed && is_live(state, operand, fact, true);
        result.live_unsigned = result.live_unsigned && is_live(state, operand, fact, false);
    }
    return result;
}

static struct fact multiplied(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    int64_t factor;
    uint32_t strided = geo_ranges_constant_signed(inst->operands[1], &factor)   ? 0
                       : geo_ranges_constant_signed(inst->operands[0], &factor) ? 1
                                                                                : 2;
    if (strided == 2) {
        return geo_varying_fact;
    }
    uint64_t stride = (uint64_t)geo_shape_fact(state, inst->operands[strided]).stride;
    return arithmetic(state, inst, (int64_t)(stride * (uint64_t)factor));
}

static struct fact shifted_left(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    int64_t amount;
    struct fact a = geo_shape_fact(state, inst->operands[0]);
    if (!geo_ranges_constant_signed(inst->operands[1], &amount) || amount < 0 ||
        amount >= (int64_t)inst->value.type->width) {
        return geo_varying_fact;
    }
    return arithmetic(state, inst, (int64_t)((uint64_t)a.stride << amount));
}

/* Handles an operand below 2^zeros that is put into zero bits: an addition that never carries. */
static struct fact combined(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    uint32_t strided = geo_shape_fact(state, inst->operands[0]).kind == FACT_STRIDED ? 0 : 1;
    const struct geo_ir_value *base = inst->operands[strided];
    const struct geo_ir_value *added = inst->operands[1 - strided];
    struct fact fact = geo_shape_fact(state, base);
    struct geo_range range = geo_range_of(state->ranges, added);
    uint32_t zeros = geo_range_of(state->ranges, base).zeros;
    GEO_ASSERT(fact.kind == FACT_STRIDED);
    if (geo_shape_fact(state, added).kind != FACT_UNIFORM || range.low < 0 || zeros >= 63 ||
        range.high >= (int64_t)1 << zeros) {
        return geo_varying_fact;
    }
    fact.live_signed = is_live(state, base, fact, true);
    fact.live_unsigned = is_live(state, base, fact, false);
    fact.anchored = fact.leans = false;
    return fact;
}

static struct fact extended(const struct shape_state *state, const struct geo_ir_inst *inst,
                            bool is_signed)
{
    const struct geo_ir_value *from = inst->operands[0];
    struct fact fact = geo_shape_fact(state, from);
    if (from->type->width >= inst->value.type->width) {
        return geo_strided_fact(sign_extend((uint64_t)fact.stride, inst->value.type->width));
    }
    struct fact result = geo_strided_fact(fact.stride);
    result.live_signed = true;
    result.live_unsigned = !is_signed || is_live(state, from, fact, false);
    if (is_whole(state, from, fact, is_signed)) {
        return result;
    }
    result.anchored = true;
    if (is_live(state, from, fact, is_signed)) {
        return result;
    }
    return from->type->width == 32 ? leaning(state, inst, result) : geo_varying_fact;
}

static struct fact shifted_right(const struct shape_state *state, const struct geo_ir_inst *inst,
                                 bool is_signed)
{
    const struct geo_ir_value *from = inst->operands[0];
    struct fact fact = geo_shape_fact(state, from);
    int64_t amount;
    if (!geo_ranges_constant_signed(inst->operands[1], &amount) || amount < 0 ||
        amount > geo_range_of(state->ranges, from).zeros) {
        return geo_varying_fact;
    }
    struct fact result = geo_strided_fact(fact.stride >> amount);
    result.live_signed = true;
    result.live_unsigned = !is_signed || is_live(state, from, fact, false);
    if (is_whole(state, from, fact, is_signed)) {
        return result;
    }
    result.anchored = true;
    if (is_live(state, from, fact, is_signed)) {
        return result;
    }
    return geo_index_log(inst) ? leaning(state, inst, result) : geo_varying_fact;
}

/* Handles x & (2^m - 1) as a truncation to m bits and an extension back. The mask may lack low bits
 * that are zero in x. */
static struct fact masked(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    int64_t bits;
    const struct geo_ir_value *from = inst->operands[0];
    struct fact fact = geo_shape_fact(state, from);
    struct geo_range range = geo_range_of(state->ranges, from);
    bool known = geo_ranges_constant_signed(inst->operands[1], &bits) && bits > 0;
    if (known && range.zeros < LOW_ZEROS) {
        bits |= (INT64_C(1) << range.zeros) - 1;
    }
    if (fact.kind != FACT_STRIDED || !known || (bits & (bits + 1)) != 0) {
        return geo_varying_fact;
    }
    struct fact result = geo_strided_fact(fact.stride);
    result.live_signed = result.live_unsigned = true;
    if (range.low >= 0 && range.high <= bits) {
        return result;
    }
    result.anchored = true;
    return bits == UINT32_MAX ? leaning(state, inst, result) : geo_varying_fact;
}

/* ---- pointers ---- */

static bool add_index(const struct shape_state *state, const struct geo_ir_value *index,
                      uint64_t element_bytes, uint64_t *stride)
{
    struct fact fact = geo_shape_fact(state, index);
    if (fact.kind == FACT_VARYING || index->type->kind != GEO_TYPE_INT) {
        return false;
    }
    if (fact.kind == FACT_STRIDED && index->type->width < 64 &&
        !is_whole(state, index, fact, true)) {
        return false;
    }
    *stride += (uint64_t)fact.stride * element_bytes;
    return true;
}

static struct fact access_chain(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    const struct geo_ir_value *base = inst->operands[0];
    const struct geo_ir_type *type = base->type->element;
    uint64_t stride = 0; /* of the offset */
    uint32_t first = 1;
    if (geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN)) {
        if (inst->operand_count < 2 || !add_index(state, inst->operands[1], type->size, &stride)) {
            return geo_varying_fact;
        }
        first = 2;
    }
    for (uint32_t i = first; i < inst->operand_count; i++) {
        if (type->kind == GEO_TYPE_STRUCT) {
            uint64_t member;
            if (!geo_ir_constant_bits(inst->operands[i], &member) || member >= type->count) {
                return geo_varying_fact;
            }
            type = type->members[member];
            continue;
        }
        type = type->element;
        if (!type || !add_index(state, inst->operands[i], type->size, &stride)) {
            return geo_varying_fact;
        }
    }
    uint64_t from = (uint64_t)geo_shape_fact(state, base).stride;
    uint64_t scale = geo_interleave_scale(&inst->value, state->options->lanes);
    return geo_strided_fact((int64_t)(from + stride * scale));
}

static bool is_address(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_POINTER || (type->kind == GEO_TYPE_INT && type->width == 64);
}

/* ---- rules by opcode ---- */

/* Returns the shape of an id between the chunks of a tile, which differ in one dimension only. */
static struct fact tile_builtin(enum geo_shape_tile tile, const struct geo_ir_inst *inst)
{
    bool along = inst->literals[1] == (tile == GEO_SHAPE_ROWS ? 1 : 0);
    return tile == GEO_SHAPE_NO_TILE ? geo_varying_fact : geo_strided_fact(along);
}

static struct fact group_builtin(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    if (inst->literals[0] == GEO_BUILTIN_ZEROS || inst->literals[0] == GEO_BUILTIN_SINK) {
        return geo_uniform_fact;
    }
    switch ((SpvBuiltIn)inst->literals[0]) {
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInEnqueuedWorkgroupSize:
    case SpvBuiltInWorkDim:
    case SpvBuiltInGlobalSize:
    case SpvBuiltInGlobalOffset:
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupMaxSize:
        return geo_uniform_fact;
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInLocalInvocationId:
        return tile_builtin(state->options->tile, inst);
    default:
        return geo_varying_fact;
    }
}

static struct fact builtin(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    if (state->options->group) {
        return group_builtin(state, inst);
    }
    uint32_t required = state->cfg->function->required_size[0];
    bool rows = !state->options->linear || (required && required % state->options->lanes == 0);
    uint32_t component = inst->literals[1];
    switch ((SpvBuiltIn)inst->literals[0]) {
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInLocalInvocationId:
        return !rows ? geo_varying_fact : geo_strided_fact(component == 0);
    case SpvBuiltInGlobalLinearId:
        return rows ? geo_strided_fact(1) : geo_varying_fact;
    case SpvBuiltInLocalInvocationIndex:
    case SpvBuiltInSubgroupLocalInvocationId:
        return geo_strided_fact(1);
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return geo_varying_fact;
    default:
        return geo_uniform_fact;
    }
}

static struct fact private_variable(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    if (state->options->group) {
        return geo_varying_fact;
    }
    const struct geo_ir_type *type = inst->value.type->element;
    bool interleaved = inst->value.flags & GEO_VALUE_INTERLEAVED;
    return geo_strided_fact(
        (int64_t)(interleaved ? geo_interleave_element(type) : geo_private_stride(type)));
}

/* Returns the shape of a group operation. A sub-group is a chunk, so all lanes may get one value,
 * whatever their operands are. */
static struct fact group_result(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    const struct geo_group_op *group = geo_group_op_find((uint32_t)inst->op);
    bool reduces = inst->literal_count && inst->literals[0] == SpvGroupOperationReduce;
    return group->uniform && !state->options->group &&
                   (group->family != GEO_GROUP_REDUCE || reduces)
               ? geo_uniform_fact
               : geo_varying_fact;
}

/* ---- strided operands ---- */

static struct fact copied(struct fact from)
{
    from.anchored = from.leans = false;
    return from;
}

static struct fact pointer_sum(const struct shape_state *state, const struct geo_ir_inst *inst,
                               struct fact pointer, struct fact offset)
{
    uint64_t scale = geo_interleave_scale(&inst->value, state->options->lanes);
    return geo_strided_fact((int64_t)((uint64_t)pointer.stride + (uint64_t)offset.stride * scale));
}

/* The rules that opcodes.def names in STRIDE(stride, zeros, block). The operands are uniform or
 * strided, at least one of them strided. `a` and `b` are the facts of the first two. */
#define STRIDE_RULE(name, made)                                                                    \
    static struct fact stride_##name(const struct shape_state *state,                              \
                                     const struct geo_ir_inst *inst, struct fact a, struct fact b) \
    {                                                                                              \
        (void)state, (void)inst, (void)a, (void)b;                                                 \
        return made;                                                                               \
    }
/* A rule whose result is a single integer. */
#define INTEGER_RULE(name, made)                                                                   \
    STRIDE_RULE(name, inst->value.type->kind == GEO_TYPE_INT ? (made) : geo_varying_fact)

INTEGER_RULE(sum, arithmetic(state, inst, (int64_t)((uint64_t)a.stride + (uint64_t)b.stride)))
INTEGER_RULE(difference,
             arithmetic(state, inst, (int64_t)((uint64_t)a.stride - (uint64_t)b.stride)))
INTEGER_RULE(product, multiplied(state, inst))
INTEGER_RULE(negation, arithmetic(state, inst, (int64_t)-(uint64_t)a.stride))
INTEGER_RULE(shift_left, shifted_left(state, inst))
INTEGER_RULE(shift_right,
             b.kind == FACT_UNIFORM ? shifted_right(state, inst, false) : geo_varying_fact)
INTEGER_RULE(shift_right_signed,
             b.kind == FACT_UNIFORM ? shifted_right(state, inst, true) : geo_varying_fact)
INTEGER_RULE(merge, combined(state, inst))
INTEGER_RULE(mask, masked(state, inst))
INTEGER_RULE(extension, extended(state, inst, false))
INTEGER_RULE(extension_signed, extended(state, inst, true))
STRIDE_RULE(none, geo_varying_fact)
STRIDE_RULE(copy, copied(a))
STRIDE_RULE(choice, a.kind == FACT_UNIFORM
                        ? geo_shape_fact_join(b, geo_shape_fact(state, inst->operands[2]))
                        : geo_varying_fact)
STRIDE_RULE(pointer_sum, pointer_sum(state, inst, a, b))
STRIDE_RULE(address, is_address(inst->value.type) && is_address(inst->operands[0]->type)
                         ? geo_strided_fact(a.stride)
                         : geo_varying_fact)
STRIDE_RULE(access_chain, access_chain(state, inst))

/* ---- rows ---- */

/* The shape of an opcode: the first word of its column. */
enum shape_kind {
    SHAPE_PLAIN,
    SHAPE_STRIDE,
    SHAPE_VARYING,
    SHAPE_LOADED,   /* OpLoad */
    SHAPE_EXTENDED, /* OpExtInst, by opencl_shapes */
    SHAPE_ID,       /* GEO_OP_BUILTIN */
    SHAPE_PRIVATE,  /* OpVariable */
    SHAPE_GROUP,    /* group operations */
    SHAPE_ALL_LANES,
};

struct shape_row {
    uint8_t kind; /* enum shape_kind */
    /* SHAPE_STRIDE only */
    struct fact (*stride)(const struct shape_state *state, const struct geo_ir_inst *inst,
                          struct fact a, struct fact b);
};

/* Completes the word of a kind: SHAPE_STRIDE(sum, least, none) has a rule too. */
#define SHAPE_STRIDE(rule, zeros, block) SHAPE_STRIDE, .stride = stride_##rule
static const struct shape_row shape_rows[GEO_ROW_COUNT] = {
#define ROW(op, types, shape, ...) [GEO_ROW_##op] = {.kind = SHAPE_##shape},
#include "compiler/ir/opcodes.def"
};
#undef SHAPE_STRIDE

static const uint8_t opencl_shapes[GEO_OPENCL_ROW_COUNT] = {
#define ROW(name, types, shape, ...) [GEO_OPENCL_ROW_##name] = SHAPE_##shape,
#include "compiler/ir/opencl_std.def"
};

/* Handles instructions whose operands are uniform or strided, at least one of them strided. */
static struct fact strided_rule(const struct shape_state *state, const struct geo_ir_inst *inst,
                                const struct shape_row *row)
{
    GEO_ASSERT(inst->operand_count > 0);
    struct fact a = geo_shape_fact(state, inst->operands[0]);
    struct fact b =
        inst->operand_count > 1 ? geo_shape_fact(state, inst->operands[1]) : geo_uniform_fact;
    struct fact block;
    if (row->kind != SHAPE_STRIDE) {
        return geo_varying_fact;
    }
    return geo_shape_block_rule(state, inst, &block) ? block : row->stride(state, inst, a, b);
}

static struct fact kind_rule(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    const struct shape_row *row = &shape_rows[geo_op_row(inst->op)];
    switch ((enum shape_kind)row->kind) {
    case SHAPE_ID:
        return builtin(state, inst);
    case SHAPE_PRIVATE:
        return private_variable(state, inst);
    case SHAPE_GROUP:
        return group_result(state, inst);
    case SHAPE_VARYING:
        return geo_varying_fact;
    case SHAPE_ALL_LANES:
        if (!state->options->group) {
            return geo_uniform_fact; /* chunks differ, lanes do not */
        }
        break;
    case SHAPE_LOADED:
        if (inst->memory_flags & SpvMemoryAccessVolatileMask) {
            return geo_varying_fact;
        }
        break;
    case SHAPE_EXTENDED:
        if (opencl_shapes[geo_grammar_opencl_row(inst->literals[1])] == SHAPE_VARYING) {
            return geo_varying_fact;
        }
        break;
    default:
        break;
    }
    uint8_t worst = FACT_UNIFORM;
    bool waiting = false;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        uint8_t kind = geo_shape_fact(state, inst->operands[i]).kind;
        waiting |= kind == FACT_NONE;
        worst = kind > worst ? kind : worst;
    }
    if (waiting && worst < FACT_VARYING) {
        return (struct fact){.kind = FACT_NONE};
    }
    if (worst == FACT_STRIDED) {
        return strided_rule(state, inst, row);
    }
    return worst == FACT_UNIFORM ? geo_uniform_fact : geo_varying_fact;
}

struct fact geo_shape_rule(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    struct fact fact = kind_rule(state, inst);
    if (fact.kind == FACT_UNIFORM || fact.kind == FACT_STRIDED) {
        fact.zeros = geo_shape_block_zeros_made(state, inst);
    }
    return fact;
}
