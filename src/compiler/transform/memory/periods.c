/* Creates the place in a period of an index that wraps around. See periods.h.
 *
 * The bounds prove the result for any number that GEO_OP_FIRST_LANE returns. With
 * start = first - first % n, a multiple of n, and place = i - start:
 *
 *     unsigned    i >= start, so that the subtraction does not wrap; place < n
 *     signed      n > 0; i >= 0; place < n unsigned, so that 0 <= start <= i
 *     mask        mask + 1 is a power of two; place <= mask, where wrapping does no harm */
#include "compiler/transform/memory/periods.h"

static bool is_signed(SpvOp op)
{
    return op == SpvOpSDiv || op == SpvOpSRem || op == SpvOpSMod;
}

static bool is_quotient(SpvOp op)
{
    return op == SpvOpSDiv || op == SpvOpUDiv;
}

bool geo_period_wraps(const struct geo_ir_inst *inst)
{
    return inst->value.type->kind == GEO_TYPE_INT &&
           (inst->op == SpvOpBitwiseAnd || inst->op == SpvOpUMod || is_quotient(inst->op) ||
            is_signed(inst->op));
}

uint64_t geo_period_length(const struct geo_ir_inst *inst, const struct geo_ir_value *limit)
{
    uint64_t bits;
    if (!geo_ir_constant_bits(limit, &bits)) {
        return 0;
    }
    return inst->op == SpvOpBitwiseAnd ? bits + 1 : bits;
}

/* Returns whether a constant cannot be a length: it must be positive, for a mask a power of two. */
static bool is_bad_length(const struct geo_ir_inst *inst, uint64_t bits)
{
    if (inst->op == SpvOpBitwiseAnd) {
        return bits & (bits + 1);
    }
    return bits == 0 || (is_signed(inst->op) && bits >> (inst->value.type->width - 1));
}

/* Returns the period's start for a masked index, and sets the comparison of the mask. */
static struct geo_ir_value *masked_start(struct geo_pass *pass, struct geo_ir_inst *inst,
                                         struct geo_ir_value *first, struct geo_ir_value *mask,
                                         struct geo_period_bound *bound)
{
    const struct geo_ir_type *type = inst->value.type;
    uint64_t bits;
    if (!geo_ir_constant_bits(mask, &bits)) {
        struct geo_ir_value *end =
            geo_make_binary(pass, inst, SpvOpIAdd, type, mask, geo_pass_int(pass, type, 1));
        bound->op = SpvOpIEqual;
        bound->index = geo_make_binary(pass, inst, SpvOpBitwiseAnd, type, mask, end);
        bound->limit = geo_pass_int(pass, type, 0);
    }
    struct geo_ir_value *rest = geo_make_binary(pass, inst, SpvOpBitwiseAnd, type, first, mask);
    return geo_make_binary(pass, inst, SpvOpISub, type, first, rest);
}

/* Returns the period's start for a divided index, and sets the comparisons of index and length.
 * `quotient` is that of the first lane. */
static struct geo_ir_value *divided_start(struct geo_pass *pass, struct geo_ir_inst *inst,
                                          struct geo_ir_value *quotient, struct geo_ir_value *index,
                                          struct geo_ir_value *length,
                                          struct geo_period_bound *bounds)
{
    const struct geo_ir_type *type = inst->value.type;
    struct geo_ir_value *zero = geo_pass_int(pass, type, 0);
    struct geo_ir_value *start = geo_make_binary(pass, inst, SpvOpIMul, type, quotient, length);
    uint64_t bits;
    if (!is_signed(inst->op)) {
        bounds[0] = (struct geo_period_bound){SpvOpUGreaterThanEqual, index, start};
        return start;
    }
    bounds[0] = (struct geo_period_bound){SpvOpSGreaterThanEqual, index, zero};
    if (!geo_ir_constant_bits(length, &bits)) {
        bounds[1] = (struct geo_period_bound){SpvOpSGreaterThan, length, zero};
    }
    return start;
}

bool geo_period_make(struct geo_pass *pass, struct geo_ir_inst *inst, struct geo_ir_value *index,
                     struct geo_ir_value *limit, struct geo_period *out)
{
    const struct geo_ir_type *type = inst->value.type;
    bool masked = inst->op == SpvOpBitwiseAnd;
    uint64_t bits;
    if (geo_ir_constant_bits(limit, &bits) && is_bad_length(inst, bits)) {
        return false;
    }
    *out = (struct geo_period){.inst = inst, .uniform = is_quotient(inst->op)};
    struct geo_ir_value *first = geo_make_unary(pass, inst, (SpvOp)GEO_OP_FIRST_LANE, type, index);
    struct geo_ir_value *quotient =
        masked ? NULL
               : geo_make_binary(pass, inst, is_signed(inst->op) ? SpvOpSDiv : SpvOpUDiv, type,
                                 first, limit);
    struct geo_ir_value *start =
        masked ? masked_start(pass, inst, first, limit, &out->bounds[0])
               : divided_start(pass, inst, quotient, index, limit, out->bounds);
    out->index = geo_make_binary(pass, inst, SpvOpISub, type, index, start);
    out->bounds[2] =
        (struct geo_period_bound){masked ? SpvOpULessThanEqual : SpvOpULessThan, out->index, limit};
    out->inside = out->uniform ? quotient : out->index;
    return out->index != NULL;
}
