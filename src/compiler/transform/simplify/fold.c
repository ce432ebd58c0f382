/* Folds one instruction: constants, identities, casts that cancel, selects and phis with a single
 * result. See simplify.h. */
#include "compiler/fold/scalar.h"
#include "compiler/transform/simplify/simplify.h"

/* ---- matching ---- */

#define ZEROS_DEPTH 6u /* instructions that are looked at for zero bits */

static struct geo_ir_inst *as_op(struct geo_ir_value *value, SpvOp op)
{
    struct geo_ir_inst *inst = geo_ir_as_inst(value);
    return inst && inst->op == op ? inst : NULL;
}

/* Returns whether a value is a constant scalar with these bits, or a vector of such scalars. */
static bool is_splat(const struct geo_ir_value *value, uint64_t wanted)
{
    const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
    uint64_t bits;
    if (geo_ir_constant_bits(value, &bits)) {
        return bits == wanted;
    }
    if (value->kind != GEO_VALUE_CONSTANT || value->type->kind != GEO_TYPE_VECTOR ||
        constant->op != SpvOpNop) {
        return false;
    }
    if (constant->is_null) {
        return wanted == 0;
    }
    for (uint64_t i = 0; constant->members && i < value->type->count; i++) {
        if (!geo_ir_constant_bits(constant->members[i], &bits) || bits != wanted) {
            return false;
        }
    }
    return constant->members != NULL;
}

static uint64_t all_ones(const struct geo_ir_type *type)
{
    const struct geo_ir_type *scalar = geo_ir_scalar_of(type);
    if (scalar->kind == GEO_TYPE_BOOL) {
        return 1;
    }
    return scalar->width >= 64 ? UINT64_MAX : ((uint64_t)1 << scalar->width) - 1;
}

/* ---- constants ---- */

/* Folds a scalar operation if the result is exact. Undefined results stay unfolded: folded in a
 * dead lane, they would look defined. Results that depend on rounding or denormal modes stay,
 * too. */
static bool scalar_fold(const struct geo_ir_inst *inst, const uint64_t operands[3],
                        uint64_t *result)
{
    return geo_fold_scalar(inst->op, inst->value.type, inst->operands[0]->type, operands, result) ==
           GEO_FOLD_EXACT;
}

static struct geo_ir_value *fold_constants(struct geo_pass *pass, const struct geo_ir_inst *inst)
{
    uint64_t operands[3] = {0}, result;
    const struct geo_ir_type *type = inst->value.type;
    if (inst->operand_count == 0 || inst->operand_count > 2 || inst->literal_count > 0 ||
        (type->kind != GEO_TYPE_BOOL && type->kind != GEO_TYPE_INT &&
         type->kind != GEO_TYPE_FLOAT)) {
        return NULL;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (!geo_ir_constant_bits(inst->operands[i], &operands[i])) {
            return NULL;
        }
    }
    if (inst->value.flags & (7u << GEO_VALUE_ROUND_SHIFT | GEO_VALUE_SATURATED |
                             GEO_VALUE_FLUSH_OPERANDS | GEO_VALUE_FLUSH_RESULT) ||
        !scalar_fold(inst, operands, &result)) {
        return NULL;
    }
    return geo_pass_int(pass, type, result);
}

/* ---- identities ---- */

/* Folds x op c if c leaves x unchanged or determines the result. */
static struct geo_ir_value *fold_right(const struct geo_ir_inst *inst)
{
    struct geo_ir_value *x = inst->operands[0], *c = inst->operands[1];
    const struct geo_ir_type *type = inst->value.type;
    switch (inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpBitwiseXor:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpLogicalNotEqual:
        return is_splat(c, 0) ? x : NULL;
    case SpvOpIMul:
        return is_splat(c, 1) ? x : is_splat(c, 0) ? c : NULL;
    case SpvOpUDiv:
    case SpvOpSDiv:
        return is_splat(c, 1) ? x : NULL;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        return is_splat(c, all_ones(type)) ? x : is_splat(c, 0) ? c : x == c ? x : NULL;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        return is_splat(c, 0) ? x : is_splat(c, all_ones(type)) ? c : x == c ? x : NULL;
    case SpvOpLogicalEqual:
        return is_splat(c, 1) ? x : NULL;
    default:
        return NULL;
    }
}

static bool is_commutative(SpvOp op)
{
    switch (op) {
    case SpvOpIAdd:
    case SpvOpIMul:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
    case SpvOpIEqual:
    case SpvOpINotEqual:
        return true;
    default:
        return false;
    }
}

/* Folds x op x. */
static struct geo_ir_value *fold_same(struct geo_pass *pass, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    if (inst->operands[0] != inst->operands[1] ||
        (type->kind != GEO_TYPE_INT && type->kind != GEO_TYPE_BOOL) ||
        inst->operands[0]->kind == GEO_VALUE_UNDEF) {
        return NULL;
    }
    switch (inst->op) {
    case SpvOpISub:
    case SpvOpBitwiseXor:
    case SpvOpLogicalNotEqual:
    case SpvOpINotEqual:
    case SpvOpULessThan:
    case SpvOpSLessThan:
    case SpvOpUGreaterThan:
    case SpvOpSGreaterThan:
        return geo_pass_int(pass, type, 0);
    case SpvOpLogicalEqual:
    case SpvOpIEqual:
    case SpvOpULessThanEqual:
    case SpvOpSLessThanEqual:
    case SpvOpUGreaterThanEqual:
    case SpvOpSGreaterThanEqual:
        return geo_pass_int(pass, type, 1);
    default:
        return NULL;
    }
}

/* Returns the no-wrap flags for x + (a + b), given the flags that hold for both additions. They
 * still hold unless a + b itself wraps. */
static uint32_t sum_flags(const struct geo_ir_type *type, uint32_t both, uint64_t a, uint64_t b)
{
    uint32_t shift = 64 - type->width, flags = both;
    int64_t ignored;
    if (__builtin_add_overflow((int64_t)(a << shift), (int64_t)(b << shift), &ignored)) {
        flags &= ~(uint32_t)GEO_VALUE_NO_SIGNED_WRAP;
    }
    if ((a << shift) > UINT64_MAX - (b << shift)) {
        flags &= ~(uint32_t)GEO_VALUE_NO_UNSIGNED_WRAP;
    }
    return flags & (GEO_VALUE_NO_SIGNED_WRAP | GEO_VALUE_NO_UNSIGNED_WRAP);
}

/* Folds (x + c1) + c2. */
static void fold_add_chain(struct geo_pass *pass, struct geo_ir_inst *inst, bool *changed)
{
    const struct geo_ir_inst *inner = as_op(inst->operands[0], SpvOpIAdd);
    const struct geo_ir_type *type = inst->value.type;
    uint64_t outer_bits, inner_bits;
    if (inst->op != SpvOpIAdd || !inner || type->kind != GEO_TYPE_INT ||
        !geo_ir_constant_bits(inst->operands[1], &outer_bits) ||
        !geo_ir_constant_bits(inner->operands[1], &inner_bits)) {
        return;
    }
    struct geo_ir_value *sum = geo_pass_int(pass, type, outer_bits + inner_bits);
    if (sum) {
        inst->operands[0] = inner->operands[0];
        inst->operands[1] = sum;
        inst->value.flags =
            sum_flags(type, inst->value.flags & inner->value.flags, outer_bits, inner_bits);
        *changed = true;
    }
}

/* Returns a number of low bits that are zero in an integer. */
static uint32_t low_zeros(const struct geo_ir_value *value, uint32_t depth)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    uint32_t width = value->type->width, a, b;
    uint64_t bits;
    if (value->type->kind != GEO_TYPE_INT) {
        return 0;
    }
    if (geo_ir_constant_bits(value, &bits)) {
        return bits ? (uint32_t)__builtin_ctzll(bits) : width;
    }
    if (value->kind != GEO_VALUE_INST || depth == 0) {
        return 0;
    }
    switch ((uint32_t)inst->op) {
    case SpvOpShiftLeftLogical:
        a = low_zeros(inst->operands[0], depth - 1);
        b = geo_ir_constant_bits(inst->operands[1], &bits) && bits < width ? (uint32_t)bits : 0;
        return a + b < width ? a + b : width;
    case SpvOpIMul:
        a = low_zeros(inst->operands[0], depth - 1);
        b = low_zeros(inst->operands[1], depth - 1);
        return a + b < width ? a + b : width;
    case SpvOpSConvert:
    case SpvOpUConvert:
        a = low_zeros(inst->operands[0], depth - 1);
        return a < width ? a : width;
    case SpvOpIAdd:
    case SpvOpBitwiseOr:
        a = low_zeros(inst->operands[0], depth - 1);
        b = low_zeros(inst->operands[1], depth - 1);
        return a < b ? a : b;
    default:
        return 0;
    }
}

/* Replaces x | c by x + c if x has only zeros where c has ones. Clang writes 2 * i + 1 as an "or".
 * Indexes are known as sums (analysis/address.h). */
static struct geo_ir_value *fold_disjoint_or(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    uint64_t bits;
    if (inst->op != SpvOpBitwiseOr || inst->value.type->kind != GEO_TYPE_INT ||
        !geo_ir_constant_bits(inst->operands[1], &bits) || bits == 0 ||
        64 - (uint32_t)__builtin_clzll(bits) > low_zeros(inst->operands[0], ZEROS_DEPTH)) {
        return NULL;
    }
    struct geo_ir_value *sum = geo_make_binary(pass, inst, SpvOpIAdd, inst->value.type,
                                               inst->operands[0], inst->operands[1]);
    if (sum) {
        sum->flags |= GEO_VALUE_NO_SIGNED_WRAP | GEO_VALUE_NO_UNSIGNED_WRAP;
    }
    return sum;
}

static struct geo_ir_value *fold_binary(struct geo_pass *pass, struct geo_ir_inst *inst,
                                        bool *changed)
{
    if (is_commutative(inst->op) && inst->operands[0]->kind == GEO_VALUE_CONSTANT &&
        inst->operands[1]->kind != GEO_VALUE_CONSTANT) {
        struct geo_ir_value *swapped = inst->operands[0];
        inst->operands[0] = inst->operands[1];
        inst->operands[1] = swapped;
        *changed = true;
    }
    struct geo_ir_value *value = fold_right(inst);
    if (!value) {
        value = fold_same(pass, inst);
    }
    if (!value) {
        value = fold_disjoint_or(pass, inst);
    }
    if (!value) {
        fold_add_chain(pass, inst, changed);
    }
    return value;
}

/* ---- comparisons and selects ---- */

/* Replaces the negation of a comparison by the inverse comparison. */
static struct geo_ir_value *fold_not(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *inner = geo_ir_as_inst(inst->operands[0]);
    if (!inner) {
        return NULL;
    }
    if (inner->op == SpvOpLogicalNot) {
        return inner->operands[0];
    }
    SpvOp inverse = geo_pass_compare_inverse(inner->op);
    if (inverse == SpvOpNop) {
        return NULL;
    }
    struct geo_ir_value *value = geo_make_binary(pass, inst, inverse, inst->value.type,
                                                 inner->operands[0], inner->operands[1]);
    if (value) {
        value->flags = inner->value.flags;
    }
    return value;
}

/* Moves an operation into a select of two constants. A bool result becomes the condition or its
 * inverse. */
static struct geo_ir_value *fold_through_select(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *select = as_op(inst->operands[0], SpvOpSelect);
    const struct geo_ir_type *type = inst->value.type;
    uint64_t operands[3] = {0}, outcome[2];
    if (!select || inst->operand_count > 2 || inst->literal_count > 0 ||
        select->operands[0]->type->kind != GEO_TYPE_BOOL ||
        (type->kind != GEO_TYPE_INT && type->kind != GEO_TYPE_BOOL) ||
        (inst->value.flags & (GEO_VALUE_SATURATED | 7u << GEO_VALUE_ROUND_SHIFT)) ||
        (inst->operand_count == 2 && !geo_ir_constant_bits(inst->operands[1], &operands[1]))) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        if (!geo_ir_constant_bits(select->operands[1 + i], &operands[0]) ||
            !scalar_fold(inst, operands, &outcome[i])) {
            return NULL;
        }
    }
    if (outcome[0] == outcome[1]) {
        return geo_pass_int(pass, type, outcome[0]);
    }
    if (type->kind == GEO_TYPE_BOOL) {
        return outcome[0] ? select->operands[0]
                          : geo_make_unary(pass, inst, SpvOpLogicalNot, type, select->operands[0]);
    }
    return geo_make_select(pass, inst, select->operands[0], geo_pass_int(pass, type, outcome[0]),
                           geo_pass_int(pass, type, outcome[1]));
}

static struct geo_ir_value *fold_select(struct geo_ir_inst *inst, bool *changed)
{
    struct geo_ir_value *condition = inst->operands[0];
    uint64_t bits;
    if (inst->operands[1] == inst->operands[2]) {
        return inst->operands[1];
    }
    if (geo_ir_constant_bits(condition, &bits)) {
        return inst->operands[bits ? 1 : 2];
    }
    if (is_splat(condition, 1)) {
        return inst->operands[1];
    }
    if (is_splat(condition, 0)) {
        return inst->operands[2];
    }
    if (inst->value.type->kind == GEO_TYPE_BOOL && is_splat(inst->operands[1], 1) &&
        is_splat(inst->operands[2], 0)) {
        return condition;
    }
    struct geo_ir_inst *inverted = as_op(condition, SpvOpLogicalNot);
    if (inverted) {
        struct geo_ir_value *swapped = inst->operands[1];
        inst->operands[0] = inverted->operands[0];
        inst->operands[1] = inst->operands[2];
        inst->operands[2] = swapped;
        *changed = true;
    }
    return NULL;
}

/* ---- casts ---- */

static bool is_pointer_cast(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpBitcast && inst->value.type->kind == GEO_TYPE_POINTER &&
           inst->operands[0]->type->kind == GEO_TYPE_POINTER;
}

static struct geo_ir_value *fold_bitcast(struct geo_ir_inst *inst, bool *changed)
{
    struct geo_ir_inst *inner = as_op(inst->operands[0], SpvOpBitcast);
    if (inst->value.type == inst->operands[0]->type) {
        return inst->operands[0];
    }
    if (!inner || is_pointer_cast(inst) != is_pointer_cast(inner)) {
        return NULL;
    }
    if (inner->operands[0]->type == inst->value.type) {
        return inner->operands[0];
    }
    inst->operands[0] = inner->operands[0];
    *changed = true;
    return NULL;
}

/* Folds a cast to generic and back. */
static struct geo_ir_value *fold_generic(const struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *inner = as_op(inst->operands[0], SpvOpPtrCastToGeneric);
    return inner && inner->operands[0]->type == inst->value.type ? inner->operands[0] : NULL;
}

static struct geo_ir_value *fold_pointer_integer(const struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *inner = geo_ir_as_inst(inst->operands[0]);
    SpvOp opposite = inst->op == SpvOpConvertPtrToU ? SpvOpConvertUToPtr : SpvOpConvertPtrToU;
    bool wide = inst->op == SpvOpConvertPtrToU || inst->operands[0]->type->width == 64;
    return inner && inner->op == opposite && wide && inner->operands[0]->type == inst->value.type
               ? inner->operands[0]
               : NULL;
}

/* Folds a chain that does not move the pointer, or the second of two for rows. */
static struct geo_ir_value *fold_chain(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    bool element = inst->op == SpvOpPtrAccessChain || inst->op == SpvOpInBoundsPtrAccessChain ||
                   inst->op == (SpvOp)GEO_OP_PTR_ADD;
    uint64_t bits;
    if (inst->value.type != inst->operands[0]->type) {
        return NULL;
    }
    if (inst->operand_count == 1) {
        return inst->operands[0];
    }
    return element && inst->operand_count == 2 && geo_ir_constant_bits(inst->operands[1], &bits) &&
                   bits == 0
               ? inst->operands[0]
               : geo_transform_fold_rows(pass, inst);
}

/* ---- dispatch ---- */

struct geo_ir_value *geo_transform_fold(struct geo_pass *pass, struct geo_ir_inst *inst,
                                        bool *changed)
{
    struct geo_ir_value *value = fold_constants(pass, inst);
    if (!value && inst->operand_count > 0) {
        value = fold_through_select(pass, inst);
    }
    if (value) {
        return value;
    }
    switch ((unsigned)inst->op) {
    case SpvOpPhi:
        return geo_transform_fold_phi(pass, inst);
    case SpvOpSelect:
        return fold_select(inst, changed);
    case SpvOpCopyObject:
    case SpvOpExpectKHR:
        return inst->operands[0];
    case SpvOpLogicalNot:
        return fold_not(pass, inst);
    case SpvOpUConvert:
    case SpvOpSConvert:
        return geo_transform_fold_convert(pass, inst, changed);
    case SpvOpBitcast:
        return fold_bitcast(inst, changed);
    case SpvOpGenericCastToPtr:
        return fold_generic(inst);
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        return fold_pointer_integer(inst);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case GEO_OP_PTR_ADD:
        return fold_chain(pass, inst);
    default:
        break;
    }
    if (inst->operand_count == 2 && inst->literal_count == 0 && inst->target_count == 0) {
        return fold_binary(pass, inst, changed);
    }
    return geo_transform_fold_composite(pass, inst, changed);
}
