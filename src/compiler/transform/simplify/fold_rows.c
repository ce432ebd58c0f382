/* Folds the address of an element of a row that quotient and remainder choose; see simplify.h.
 *
 *     rows[i / n][i % n]      -->      elements[i]      for rows of n elements
 *
 * Kernels fill a table of rows so, with one loop over all elements. In neighbouring items the
 * elements are consecutive, which quotient and remainder hide.
 *
 * Both chains compute base + q * n * size + r * size with indexes that are extended to 64 bits. The
 * extensions must agree with the division, so that q * n + r is the extended i. */
#include "compiler/ir/grammar.h"
#include "compiler/transform/simplify/simplify.h"

/* An index without the extension around it. */
struct index {
    struct geo_ir_value *value;
    SpvOp extension; /* SpvOpNop: none */
};

static struct index index_of(struct geo_ir_value *value)
{
    struct geo_ir_inst *inst = geo_ir_as_inst(value);
    bool extends = inst && (inst->op == SpvOpSConvert || inst->op == SpvOpUConvert) &&
                   inst->value.type->width > inst->operands[0]->type->width;
    return extends ? (struct index){inst->operands[0], inst->op} : (struct index){value, SpvOpNop};
}

static bool is_constant(const struct geo_ir_value *value, uint64_t wanted)
{
    uint64_t bits,
        mask = value->type->width < 64 ? (UINT64_C(1) << value->type->width) - 1 : UINT64_MAX;
    return geo_ir_constant_bits(value, &bits) && bits == (wanted & mask);
}

/* Returns whether `value` is a * factor. */
static bool is_product(struct geo_ir_value *value, const struct geo_ir_value *a, uint64_t factor)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    return inst && inst->op == SpvOpIMul && inst->operands[0] == a &&
           is_constant(inst->operands[1], factor);
}

/* Returns whether `rest` is i % n, which is often written as i - (i / n) * n. */
static bool is_remainder(struct geo_ir_value *rest, const struct geo_ir_inst *quotient, uint64_t n)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(rest);
    const struct geo_ir_value *i = quotient->operands[0];
    if (!inst || inst->value.type != quotient->value.type || inst->operand_count != 2) {
        return false;
    }
    switch (inst->op) {
    case SpvOpSRem:
        return quotient->op == SpvOpSDiv && inst->operands[0] == i &&
               is_constant(inst->operands[1], n);
    case SpvOpUMod:
        return quotient->op == SpvOpUDiv && inst->operands[0] == i &&
               is_constant(inst->operands[1], n);
    case SpvOpISub:
        return inst->operands[0] == i && is_product(inst->operands[1], &quotient->value, n);
    case SpvOpIAdd:
        return (inst->operands[0] == i && is_product(inst->operands[1], &quotient->value, -n)) ||
               (inst->operands[1] == i && is_product(inst->operands[0], &quotient->value, -n));
    default:
        return false;
    }
}

/* Returns whether the indexes are i / n and i % n, and sets *i to i with their extension. */
static bool rows_divide(struct index q, struct index r, uint64_t n, struct index *i)
{
    struct geo_ir_inst *quotient = geo_ir_as_inst(q.value);
    if (!quotient || (quotient->op != SpvOpSDiv && quotient->op != SpvOpUDiv) ||
        !is_constant(quotient->operands[1], n) || !is_remainder(r.value, quotient, n)) {
        return false;
    }
    SpvOp extension = quotient->op == SpvOpSDiv ? SpvOpSConvert : SpvOpUConvert;
    *i = (struct index){quotient->operands[0], q.extension};
    return q.extension == r.extension && (q.extension == SpvOpNop || q.extension == extension);
}

/* Returns whether the indexes are i >> k and i & (n - 1), where n is 1 << k, and sets *i to i with
 * the extension of the first. The second one is never negative, so both extensions agree. */
static bool rows_shift(struct index q, struct index r, uint64_t n, struct index *i)
{
    struct geo_ir_inst *shift = geo_ir_as_inst(q.value), *rest = geo_ir_as_inst(r.value);
    bool is_signed = shift && shift->op == SpvOpShiftRightArithmetic;
    if (!shift || !rest || (n & (n - 1)) || (!is_signed && shift->op != SpvOpShiftRightLogical) ||
        rest->op != SpvOpBitwiseAnd || shift->value.type != rest->value.type ||
        !is_constant(shift->operands[1], (uint64_t)__builtin_ctzll(n)) ||
        rest->operands[0] != shift->operands[0] || !is_constant(rest->operands[1], n - 1)) {
        return false;
    }
    *i = (struct index){shift->operands[0], q.extension};
    return q.extension == SpvOpNop ? r.extension == SpvOpNop
                                   : q.extension == (is_signed ? SpvOpSConvert : SpvOpUConvert);
}

/* Returns whether an instruction moves a pointer by one index. */
static bool is_step(const struct geo_ir_inst *inst)
{
    return inst && inst->operand_count == 2 && geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN) &&
           inst->operands[1]->type->kind == GEO_TYPE_INT;
}

/* Returns the instruction behind casts between pointers. */
static const struct geo_ir_inst *behind_casts(struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    while (inst && inst->op == SpvOpBitcast && inst->operands[0]->type->kind == GEO_TYPE_POINTER) {
        inst = geo_ir_as_inst(inst->operands[0]);
    }
    return inst;
}

struct geo_ir_value *geo_transform_fold_rows(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *row = is_step(inst) ? behind_casts(inst->operands[0]) : NULL;
    const struct geo_ir_type *pointer = inst->operands[0]->type;
    struct index i;
    if (!is_step(row) || row->operands[0]->type->storage != pointer->storage) {
        return NULL;
    }
    uint64_t bytes = pointer->element->size, row_bytes = row->operands[0]->type->element->size;
    uint64_t n = bytes && row_bytes % bytes == 0 ? row_bytes / bytes : 0;
    struct index q = index_of(row->operands[1]), r = index_of(inst->operands[1]);
    if (n < 2 || (!rows_divide(q, r, n, &i) && !rows_shift(q, r, n, &i))) {
        return NULL;
    }
    SpvOp op = row->op == inst->op ? inst->op : SpvOpPtrAccessChain;
    struct geo_ir_value *at =
        i.extension == SpvOpNop
            ? i.value
            : geo_make_unary(pass, inst, i.extension, inst->operands[1]->type, i.value);
    struct geo_ir_value *elements =
        geo_make_unary(pass, inst, SpvOpBitcast, pointer, row->operands[0]);
    return geo_make_binary(pass, inst, op, inst->value.type, elements, at);
}
