/* Shapes of divided, shifted and masked ids, for lanes inside one aligned block.
 *
 * A chunk starts at a multiple of W, so lane 0's id ends in zeros. The other lanes add only bits
 * below the first nonzero one:
 *
 *     value(lane) = block + lane * stride,   block = 0 mod 2^n,   (W - 1) * stride < 2^n
 *
 * So no addition carries out of the low n bits, not even in inactive lanes. Then value / 2^n is
 * uniform and value % 2^n is strided; the same holds for every divisor that is a multiple of 2^n.
 * Called by shape_rules.c before its own rules. */
#include "compiler/analysis/shape_block.h"

#include "base/assert.h"
#include "compiler/ir/grammar.h"

#define ALL_ZEROS 64u

/* Shapes other than STRIDE have no rules here. */
#define SHAPE_PLAIN     NULL
#define SHAPE_VARYING   NULL
#define SHAPE_LOADED    NULL
#define SHAPE_EXTENDED  NULL
#define SHAPE_ID        NULL
#define SHAPE_PRIVATE   NULL
#define SHAPE_GROUP     NULL
#define SHAPE_ALL_LANES NULL

/* ---- low zero bits of lane 0 ---- */

static uint8_t smaller(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t larger(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static uint8_t zeros_added(const struct geo_ir_inst *inst, uint32_t a, uint32_t b)
{
    uint32_t width = inst->value.type->width;
    return (uint8_t)(a + b < width ? a + b : width);
}

uint8_t geo_shape_block_zeros(const struct shape_state *state, const struct geo_ir_value *value)
{
    if (value->type->kind != GEO_TYPE_INT) {
        return 0;
    }
    struct fact fact = geo_shape_fact(state, value);
    uint8_t known = (uint8_t)geo_range_of(state->ranges, value).zeros;
    return larger(fact.kind == FACT_VARYING ? 0 : fact.zeros, known);
}

static uint8_t builtin_zeros(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    uint32_t lanes = state->options->lanes, required = state->cfg->function->required_size[0];
    GEO_ASSERT(lanes > 1 && inst->literal_count == 2);
    uint8_t chunk = (uint8_t)__builtin_ctz(lanes);
    bool whole_rows = required && required % lanes == 0;
    switch ((SpvBuiltIn)inst->literals[0]) {
    case SpvBuiltInLocalInvocationId:
        return inst->literals[1] == 0 && (whole_rows || !state->options->linear) ? chunk : 0;
    case SpvBuiltInLocalInvocationIndex:
        return whole_rows || state->options->whole_rows || state->options->linear ? chunk : 0;
    case SpvBuiltInSubgroupLocalInvocationId:
        return ALL_ZEROS;
    default:
        return 0;
    }
}

static uint8_t zeros_shifted(const struct geo_ir_inst *inst, uint8_t zeros)
{
    int64_t amount;
    if (!geo_ranges_constant_signed(inst->operands[1], &amount) || amount < 0 ||
        amount >= (int64_t)inst->value.type->width) {
        return 0;
    }
    return inst->op == SpvOpShiftLeftLogical ? zeros_added(inst, zeros, (uint32_t)amount)
           : zeros > amount                  ? (uint8_t)(zeros - amount)
                                             : 0;
}

/* The rules that opcodes.def names in STRIDE(stride, zeros, block): the zeros of a result whose
 * first two operands have `a` and `b` of them. */
#define ZEROS_RULE(name, count)                                                                    \
    static uint8_t zeros_##name(const struct shape_state *state, const struct geo_ir_inst *inst,   \
                                uint8_t a, uint8_t b)                                              \
    {                                                                                              \
        (void)state, (void)inst, (void)a, (void)b;                                                 \
        return count;                                                                              \
    }
ZEROS_RULE(none, 0)
ZEROS_RULE(least, smaller(a, b))
ZEROS_RULE(most, larger(a, b))
ZEROS_RULE(sum, zeros_added(inst, a, b))
ZEROS_RULE(same, zeros_added(inst, a, 0))
ZEROS_RULE(shift, zeros_shifted(inst, a))
ZEROS_RULE(choice, smaller(b, geo_shape_block_zeros(state, inst->operands[2])))

uint8_t geo_shape_block_zeros_made(const struct shape_state *state, const struct geo_ir_inst *inst)
{
    static uint8_t (*const rules[GEO_ROW_COUNT])(
        const struct shape_state *state, const struct geo_ir_inst *inst, uint8_t a, uint8_t b) = {
#define SHAPE_STRIDE(stride, zeros, block) zeros_##zeros
#define ROW(op, types, shape, ...)         [GEO_ROW_##op] = SHAPE_##shape,
#include "compiler/ir/opcodes.def"
#undef SHAPE_STRIDE
    };
    if (inst->op == (SpvOp)GEO_OP_BUILTIN) {
        return state->options->group ? 0 : builtin_zeros(state, inst);
    }
    if (inst->value.type->kind != GEO_TYPE_INT || inst->operand_count == 0 ||
        !rules[geo_op_row(inst->op)]) {
        return 0;
    }
    uint8_t a = geo_shape_block_zeros(state, inst->operands[0]);
    uint8_t b =
        inst->operand_count > 1 ? geo_shape_block_zeros(state, inst->operands[1]) : ALL_ZEROS;
    return rules[geo_op_row(inst->op)](state, inst, a, b);
}

/* ---- rows of lanes ---- */

/* A strided operand whose lanes lie in one block of 2^bits, and the other operand. */
struct row {
    const struct shape_state *state;
    int64_t stride;
    uint32_t bits, width; /* size of the block; width of the operand */
    bool negative;        /* may be negative as a signed number */
    const struct geo_ir_value *other;
    bool constant; /* `other` is the constant `number` */
    int64_t number;
};

static bool row_find(const struct shape_state *state, const struct geo_ir_inst *inst,
                     uint32_t operand, struct row *row)
{
    const struct geo_ir_value *value = inst->operands[operand];
    struct fact fact = geo_shape_fact(state, value);
    uint64_t reach;
    if (fact.kind != FACT_STRIDED || fact.stride < 0 ||
        __builtin_mul_overflow((uint64_t)fact.stride, state->options->lanes - 1, &reach)) {
        return false;
    }
    *row = (struct row){.state = state, .stride = fact.stride, .width = value->type->width};
    row->bits = 64 - (uint32_t)__builtin_clzll(reach | 1);
    GEO_ASSERT(row->bits >= 1 && reach >> (row->bits - 1) >> 1 == 0);
    row->negative = geo_range_of(state->ranges, value).low < 0;
    row->other = inst->operands[1 - operand];
    row->constant = geo_ranges_constant_signed(row->other, &row->number);
    return row->bits < row->width && row->bits <= geo_shape_block_zeros(state, value) &&
           geo_shape_fact(state, row->other).kind == FACT_UNIFORM;
}

/* Finds a row that is operand 0 of a signed division and is not negative. */
static bool positive_row_find(const struct shape_state *state, const struct geo_ir_inst *inst,
                              struct row *row)
{
    return row_find(state, inst, 0, row) && !row->negative;
}

/* Makes the fact of a row. Lanes stay in a block, so they do not wrap, neither signed nor
 * unsigned. */
static bool row_strided(int64_t stride, struct fact *out)
{
    *out = geo_strided_fact(stride);
    out->live_signed = out->live_unsigned = out->kind == FACT_STRIDED;
    return true;
}

static bool row_shifted(const struct row *row, struct fact *out)
{
    if (!row->constant || row->number < 0 || row->number >= (int64_t)row->width) {
        return false;
    }
    if (row->number >= row->bits) {
        return row_strided(0, out);
    }
    int64_t part = row->stride & (((int64_t)1 << row->number) - 1);
    return part == 0 && row_strided(row->stride >> row->number, out);
}

/* Divides a row by a positive number. The row is unsigned or not negative. */
static bool row_divided(const struct row *row, bool remainder, struct fact *out)
{
    struct geo_range divisor = geo_range_of(row->state->ranges, row->other);
    if (divisor.low <= 0) {
        return false;
    }
    if (geo_shape_block_zeros(row->state, row->other) >= row->bits) {
        return row_strided(remainder ? row->stride : 0, out);
    }
    if (!row->constant || row->stride % row->number != 0) {
        return false;
    }
    return row_strided(remainder ? 0 : row->stride / row->number, out);
}

/* Masks a row. Its low bits are combined with all ones, all zeros, or a mixture; a mixture is not
 * handled. */
static bool row_masked(const struct row *row, SpvOp op, struct fact *out)
{
    int64_t low = ((int64_t)1 << row->bits) - 1;
    bool zeros = row->constant ? (row->number & low) == 0
                               : geo_shape_block_zeros(row->state, row->other) >= row->bits;
    bool ones = row->constant && (row->number & low) == low;
    if (!zeros && !ones) {
        return false;
    }
    switch (op) {
    case SpvOpBitwiseAnd:
        return row_strided(ones ? row->stride : 0, out);
    case SpvOpBitwiseOr:
        return row_strided(ones ? 0 : row->stride, out);
    default:
        return row_strided(ones ? -row->stride : row->stride, out);
    }
}

/* The rules that opcodes.def names in STRIDE(stride, zeros, block). Each makes a fact of a row that
 * is one of the operands. */
#define BLOCK_RULE(name, made)                                                                     \
    static bool block_##name(const struct shape_state *state, const struct geo_ir_inst *inst,      \
                             struct fact *out)                                                     \
    {                                                                                              \
        struct row row;                                                                            \
        (void)state, (void)inst, (void)out, (void)row;                                             \
        return made;                                                                               \
    }
BLOCK_RULE(none, false)
BLOCK_RULE(shift, row_find(state, inst, 0, &row) && row_shifted(&row, out))
BLOCK_RULE(quotient, row_find(state, inst, 0, &row) && row_divided(&row, false, out))
BLOCK_RULE(rest, row_find(state, inst, 0, &row) && row_divided(&row, true, out))
BLOCK_RULE(quotient_signed, positive_row_find(state, inst, &row) && row_divided(&row, false, out))
BLOCK_RULE(rest_signed, positive_row_find(state, inst, &row) && row_divided(&row, true, out))
BLOCK_RULE(mask, (row_find(state, inst, 0, &row) || row_find(state, inst, 1, &row)) &&
                     row_masked(&row, inst->op, out))

bool geo_shape_block_rule(const struct shape_state *state, const struct geo_ir_inst *inst,
                          struct fact *out)
{
    static bool (*const rules[GEO_ROW_COUNT])(const struct shape_state *state,
                                              const struct geo_ir_inst *inst, struct fact *out) = {
#define SHAPE_STRIDE(stride, zeros, block) block_##block
#define ROW(op, types, shape, ...)         [GEO_ROW_##op] = SHAPE_##shape,
#include "compiler/ir/opcodes.def"
#undef SHAPE_STRIDE
    };
    if (inst->value.type->kind != GEO_TYPE_INT || inst->operand_count != 2) {
        return false;
    }
    return rules[geo_op_row(inst->op)] && rules[geo_op_row(inst->op)](state, inst, out);
}
