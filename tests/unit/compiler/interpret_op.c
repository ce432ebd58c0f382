/* Operations without control flow or effects, and the evaluation of operands. See interpret.h. */
#include "interpret_internal.h"

#include "compiler/ir/grammar.h"

#include <string.h>

static uint64_t *cache_alloc(struct item *item, uint32_t leaves)
{
    uint64_t *memory = geo_arena_new_array(&item->interp->arena, uint64_t, leaves);
    if (!memory) {
        interp_fail(item, "out of memory");
    }
    return memory;
}

static bool constant_leaves(struct item *item, struct geo_ir_constant *constant, uint64_t *leaves)
{
    if (constant->op != SpvOpNop) {
        const struct interp_expression e = {
            constant->op,
            constant->value.type,
            constant->operands,
            constant->operand_count,
            constant->literals,
            constant->literal_count,
            0,
        };
        return interp_pure(item, &e, leaves);
    }
    if (!constant->members) {
        leaves[0] = constant->bits;
        return true;
    }
    for (uint64_t i = 0; i < constant->value.type->count; i++) {
        const uint64_t *member = interp_operand(item, constant->members[i]);
        uint32_t count = interp_leaf_count(constant->members[i]->type);
        if (!member) {
            return false;
        }
        memcpy(leaves, member, count * sizeof(*leaves));
        leaves += count;
    }
    return true;
}

/* The leaves of the 0xAA pattern that undefined values read as. */
static void undef_leaves(const struct geo_ir_type *type, uint64_t *leaves, uint32_t count)
{
    (void)type;
    memset(leaves, 0xAA, count * sizeof(*leaves));
}

static void mask_leaves(const struct geo_ir_type *type, uint64_t **leaves)
{
    if (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY) {
        for (uint64_t i = 0; i < type->count; i++) {
            mask_leaves(type->element, leaves);
        }
    } else if (type->kind == GEO_TYPE_STRUCT) {
        for (uint64_t i = 0; i < type->count; i++) {
            mask_leaves(type->members[i], leaves);
        }
    } else {
        uint32_t bytes = interp_scalar_bytes(type);
        **leaves &= type->kind == GEO_TYPE_BOOL ? 0
                    : bytes == 8                ? UINT64_MAX
                                                : ((uint64_t)1 << 8 * bytes) - 1;
        ++*leaves;
    }
}

const uint64_t *interp_operand(struct item *item, struct geo_ir_value *value)
{
    if (value->kind == GEO_VALUE_INST || value->kind == GEO_VALUE_PARAMETER) {
        const struct frame *frame = &item->frames.items[item->frames.count - 1];
        return frame->values + frame->slot[value->index];
    }
    uint64_t **cached = &item->cache[value->index];
    if (*cached) {
        return *cached;
    }
    uint32_t count = interp_leaf_count(value->type);
    uint64_t *leaves = cache_alloc(item, count ? count : 1), *end = leaves;
    if (!leaves) {
        return NULL;
    }
    switch (value->kind) {
    case GEO_VALUE_VARIABLE:
        leaves[0] = interp_variable_address(item, (struct geo_ir_variable *)value);
        break;
    case GEO_VALUE_FUNCTION:
        leaves[0] = interp_function_address(item, (struct geo_ir_function *)value);
        break;
    case GEO_VALUE_CONSTANT:
        if (!((struct geo_ir_constant *)value)->is_null &&
            !constant_leaves(item, (struct geo_ir_constant *)value, leaves)) {
            interp_fail(item, "constant of unknown kind");
            return NULL;
        }
        break;
    default:
        undef_leaves(value->type, leaves, count);
        mask_leaves(value->type, &end);
        break;
    }
    *cached = leaves;
    return leaves;
}

static int64_t signed_operand(struct item *item, struct geo_ir_value *value)
{
    const uint64_t *bits = interp_operand(item, value);
    uint32_t width = value->type->kind == GEO_TYPE_INT ? value->type->width : 64;
    return bits ? (int64_t)(*bits << (64 - width)) >> (64 - width) : 0;
}

/* `elements`: the first index steps over whole pointees. */
static bool access_chain(struct item *item, const struct interp_expression *e, uint64_t *result,
                         bool elements)
{
    const uint64_t *base = interp_operand(item, e->operands[0]);
    const struct geo_ir_type *type = e->operands[0]->type->element;
    uint32_t first = 1;
    if (!base) {
        return true;
    }
    *result = *base;
    if (elements) {
        *result += (uint64_t)signed_operand(item, e->operands[first++]) * type->size;
    }
    for (uint32_t i = first; i < e->operand_count; i++) {
        int64_t index = signed_operand(item, e->operands[i]);
        if (type->kind == GEO_TYPE_STRUCT && index >= 0 && (uint64_t)index < type->count) {
            *result += type->offsets[index];
            type = type->members[index];
        } else if (type->kind == GEO_TYPE_ARRAY || type->kind == GEO_TYPE_VECTOR) {
            type = type->element;
            *result += (uint64_t)index * type->size;
        } else {
            interp_fail(item, "access chain into a type without member %lld", (long long)index);
            return true;
        }
    }
    return true;
}

/* Bytes of a scalar or vector value and back: bitcasts between different element counts. */
static bool bitcast(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const struct geo_ir_type *from = e->operands[0]->type, *to = e->type;
    const uint64_t *source = interp_operand(item, e->operands[0]);
    uint8_t bytes[16 * 8] = {0};
    if (!source || interp_leaf_count(from) > 16 || interp_leaf_count(to) > 16) {
        return source == NULL;
    }
    uint32_t step = interp_scalar_bytes(interp_scalar_of(from));
    for (uint32_t i = 0; i < interp_leaf_count(from); i++) {
        memcpy(bytes + i * step, &source[i], step);
    }
    step = interp_scalar_bytes(interp_scalar_of(to));
    for (uint32_t i = 0; i < interp_leaf_count(to); i++) {
        result[i] = 0;
        memcpy(&result[i], bytes + i * step, step);
    }
    return true;
}

static bool construct(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    uint32_t leaf = 0;
    for (uint32_t i = 0; i < e->operand_count; i++) {
        const uint64_t *part = interp_operand(item, e->operands[i]);
        for (uint32_t l = 0; part && l < interp_leaf_count(e->operands[i]->type); l++) {
            result[leaf++] = part[l];
        }
    }
    return true;
}

/* Follows the literals into a type. Adds the number of leaves that lie before the member. */
static const struct geo_ir_type *member_find(const struct interp_expression *e,
                                             const struct geo_ir_type *type, uint32_t *leaf)
{
    for (uint32_t i = 0; type && i < e->literal_count; i++) {
        type = interp_member(type, e->literals[i], leaf);
    }
    return type;
}

static bool extract(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    uint32_t leaf = 0;
    const uint64_t *from = interp_operand(item, e->operands[0]);
    const struct geo_ir_type *type = member_find(e, e->operands[0]->type, &leaf);
    if (type && from) {
        memcpy(result, from + leaf, interp_leaf_count(e->type) * sizeof(*result));
    }
    return type != NULL;
}

static bool insert(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    uint32_t leaf = 0;
    const uint64_t *member = interp_operand(item, e->operands[0]);
    const uint64_t *from = interp_operand(item, e->operands[1]);
    const struct geo_ir_type *type = member_find(e, e->type, &leaf);
    if (type && member && from) {
        memmove(result, from, interp_leaf_count(e->type) * sizeof(*result));
        memcpy(result + leaf, member, interp_leaf_count(type) * sizeof(*result));
    }
    return type != NULL;
}

static bool shuffle(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *first = interp_operand(item, e->operands[0]);
    const uint64_t *second = interp_operand(item, e->operands[1]);
    for (uint32_t i = 0; first && second && i < e->literal_count; i++) {
        uint32_t from = e->literals[i], left = (uint32_t)e->operands[0]->type->count;
        result[i] = from == UINT32_MAX ? 0 : from < left ? first[from] : second[from - left];
    }
    return true;
}

static bool extract_dynamic(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *from = interp_operand(item, e->operands[0]);
    const uint64_t *index = interp_operand(item, e->operands[1]);
    if (from && index) {
        result[0] = from[*index % e->operands[0]->type->count];
    }
    return true;
}

static bool insert_dynamic(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *from = interp_operand(item, e->operands[0]);
    const uint64_t *component = interp_operand(item, e->operands[1]);
    const uint64_t *index = interp_operand(item, e->operands[2]);
    if (from && component && index) {
        memmove(result, from, interp_leaf_count(e->type) * sizeof(*result));
        result[*index % e->type->count] = *component;
    }
    return true;
}

/* The number whose low and high parts are the members of the result. u, v: operands of w bits as
 * unsigned numbers; i, j: as signed ones. */
typedef unsigned __int128 (*wide_compute)(uint32_t w, uint64_t u, uint64_t v, int64_t i, int64_t j);

/* Two-member results: {low, high} of products, {sum, carry}. */
static bool wide_arithmetic(struct item *item, const struct interp_expression *e,
                            wide_compute compute, uint64_t *result)
{
    if (e->type->kind != GEO_TYPE_STRUCT || e->operand_count != 2 ||
        interp_scalar_of(e->operands[0]->type)->kind != GEO_TYPE_INT) {
        return false;
    }
    uint32_t count = interp_leaf_count(e->operands[0]->type);
    uint32_t w = interp_scalar_of(e->operands[0]->type)->width;
    uint64_t mask = w == 64 ? UINT64_MAX : ((uint64_t)1 << w) - 1;
    const uint64_t *a = interp_operand(item, e->operands[0]);
    const uint64_t *b = interp_operand(item, e->operands[1]);
    for (uint32_t i = 0; a && b && i < count; i++) {
        unsigned __int128 wide = compute(w, a[i], b[i], (int64_t)(a[i] << (64 - w)) >> (64 - w),
                                         (int64_t)(b[i] << (64 - w)) >> (64 - w));
        result[i] = (uint64_t)wide & mask;
        result[count + i] = (uint64_t)(wide >> w) & mask;
    }
    return true;
}

/* Bools that are all set, or of which one is. */
static bool any_all(struct item *item, const struct interp_expression *e, bool all,
                    uint64_t *result)
{
    const uint64_t *first = interp_operand(item, e->operands[0]);
    uint32_t count = first ? interp_leaf_count(e->operands[0]->type) : 0;
    *result = all;
    for (uint32_t i = 0; i < count; i++) {
        *result = all ? *result & first[i] : *result | first[i];
    }
    return true;
}

static bool dot(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *a = interp_operand(item, e->operands[0]);
    const uint64_t *b = interp_operand(item, e->operands[1]);
    double sum = 0;
    for (uint32_t i = 0; a && b && i < interp_leaf_count(e->operands[0]->type); i++) {
        sum += interp_to_double(e->type, a[i]) * interp_to_double(e->type, b[i]);
    }
    *result = interp_from_double(e->type, sum);
    return true;
}

/* Bits [at, at + width) of a number, widened to 64 with or without sign. */
static int64_t piece(uint64_t bits, uint32_t at, uint32_t width, bool is_signed)
{
    bits <<= 64 - at - width;
    return is_signed ? (int64_t)bits >> (64 - width) : (int64_t)(bits >> (64 - width));
}

/* Products of integers, which may be the four bytes of an operand, and their sum. */
static bool integer_dot(struct item *item, const struct interp_expression *e, bool a_signed,
                        bool b_signed, uint64_t *result)
{
    const struct geo_ir_type *type = e->operands[0]->type;
    const uint64_t *a = interp_operand(item, e->operands[0]);
    const uint64_t *b = interp_operand(item, e->operands[1]);
    bool packed = type->kind == GEO_TYPE_INT;
    uint32_t width = packed ? 8 : interp_scalar_of(type)->width;
    uint64_t sum = 0;
    for (uint32_t i = 0; a && b && i < (packed ? 4 : interp_leaf_count(type)); i++) {
        uint32_t leaf = packed ? 0 : i, at = packed ? 8 * i : 0;
        sum += (uint64_t)piece(a[leaf], at, width, a_signed) *
               (uint64_t)piece(b[leaf], at, width, b_signed);
    }
    *result = e->type->width == 64 ? sum : sum & (((uint64_t)1 << e->type->width) - 1);
    return true;
}

/* Applies the scalar operation `op` to each leaf. */
static bool elementwise(struct item *item, const struct interp_expression *e, SpvOp op,
                        uint64_t *result)
{
    const struct geo_ir_type *to = interp_scalar_of(e->type);
    const struct geo_ir_type *from = e->operand_count ? interp_scalar_of(e->operands[0]->type) : to;
    uint32_t count = interp_leaf_count(e->type);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t parts[3] = {0};
        for (uint32_t o = 0; o < e->operand_count && o < 3; o++) {
            const uint64_t *leaves = interp_operand(item, e->operands[o]);
            if (!leaves) {
                return true;
            }
            parts[o] = leaves[interp_leaf_count(e->operands[o]->type) == 1 ? 0 : i];
        }
        bool known = op == SpvOpExtInst ? interp_ext(e->literals[1], to, parts, &result[i])
                                        : interp_scalar(op, to, from, e->flags, parts, &result[i]);
        if (!known) {
            return false;
        }
        if (op == SpvOpPtrDiff) {
            result[i] = (uint64_t)((int64_t)result[i] / (int64_t)from->element->size);
        }
    }
    return true;
}

static bool copy(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *first = interp_operand(item, e->operands[0]);
    if (first) {
        memmove(result, first, interp_leaf_count(e->type) * sizeof(*result));
    }
    return true;
}

static bool choice(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    if (e->type->kind != GEO_TYPE_STRUCT && e->type->kind != GEO_TYPE_ARRAY) {
        return elementwise(item, e, SpvOpSelect, result);
    }
    const uint64_t *condition = interp_operand(item, e->operands[0]);
    const uint64_t *picked =
        condition ? interp_operand(item, e->operands[*condition ? 1 : 2]) : NULL;
    if (picked) {
        memmove(result, picked, interp_leaf_count(e->type) * sizeof(*result));
    }
    return true;
}

static bool undef(const struct interp_expression *e, uint64_t *result)
{
    undef_leaves(e->type, result, interp_leaf_count(e->type));
    mask_leaves(e->type, &(uint64_t *){result});
    return true;
}

static bool pointer_sum(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *base = interp_operand(item, e->operands[0]);
    *result = base ? *base + (uint64_t)signed_operand(item, e->operands[1]) : 0;
    return true;
}

/* The operation may be false at any time, so some of its results are. */
static bool all_lanes(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *condition = interp_operand(item, e->operands[0]);
    *result = condition && *condition && item->interp->steps * UINT64_C(0x9e3779b97f4a7c15) >> 61;
    return true;
}

/* Another item may be the first one, so some results are not the operand. */
static bool first_lane(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *value = interp_operand(item, e->operands[0]);
    uint64_t other = item->interp->steps * UINT64_C(0x9e3779b97f4a7c15);
    if (!value) {
        return false;
    }
    *result = other >> 62 ? *value : other >> (64 - e->type->width);
    return true;
}

static bool builtin(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    if (e->literals[0] >= INTERP_BUILTINS || e->literals[1] >= 3) {
        return false;
    }
    *result = item->builtins[e->literals[0]][e->literals[1]];
    if (e->type->width < 64) {
        *result &= ((uint64_t)1 << e->type->width) - 1;
    }
    return true;
}

/* ---- rows ---- */

/* The meaning of each row of opcodes.def that is PURE. */
#define MEAN_PURE(op, computed)                                                                    \
    static bool meaning_##op(struct item *item, const struct interp_expression *e,                 \
                             uint64_t *result)                                                     \
    {                                                                                              \
        (void)item;                                                                                \
        return computed;                                                                           \
    }
#define MEAN_WIDE(op, number)                                                                      \
    static unsigned __int128 wide_##op(uint32_t w, uint64_t u, uint64_t v, int64_t i, int64_t j)   \
    {                                                                                              \
        (void)w, (void)u, (void)v, (void)i, (void)j;                                               \
        return (unsigned __int128)(number);                                                        \
    }                                                                                              \
    MEAN_PURE(op, wide_arithmetic(item, e, wide_##op, result))

MEAN_WIDE(SpvOpIAddCarry, (unsigned __int128)u + v)
MEAN_WIDE(SpvOpISubBorrow, (unsigned __int128)(u < v) << w |
                               ((u - v) & (w == 64 ? UINT64_MAX : ((uint64_t)1 << w) - 1)))
MEAN_WIDE(SpvOpUMulExtended, (unsigned __int128)u *v)
MEAN_WIDE(SpvOpSMulExtended, (__int128)i *j)
MEAN_PURE(SpvOpAny, any_all(item, e, false, result))
MEAN_PURE(SpvOpAll, any_all(item, e, true, result))
MEAN_PURE(SpvOpDot, dot(item, e, result))
MEAN_PURE(SpvOpSDot, integer_dot(item, e, true, true, result))
MEAN_PURE(SpvOpUDot, integer_dot(item, e, false, false, result))
MEAN_PURE(SpvOpSUDot, integer_dot(item, e, true, false, result))
MEAN_PURE(SpvOpVectorTimesScalar, elementwise(item, e, SpvOpFMul, result))
MEAN_PURE(SpvOpSelect, choice(item, e, result))
MEAN_PURE(SpvOpBitcast, bitcast(item, e, result))
MEAN_PURE(SpvOpUndef, undef(e, result))
MEAN_PURE(SpvOpCopyObject, copy(item, e, result))
MEAN_PURE(SpvOpCopyLogical, copy(item, e, result))
MEAN_PURE(SpvOpExpectKHR, copy(item, e, result))
MEAN_PURE(SpvOpGenericCastToPtrExplicit, copy(item, e, result))
MEAN_PURE(SpvOpVectorExtractDynamic, extract_dynamic(item, e, result))
MEAN_PURE(SpvOpVectorInsertDynamic, insert_dynamic(item, e, result))
MEAN_PURE(SpvOpVectorShuffle, shuffle(item, e, result))
MEAN_PURE(SpvOpCompositeConstruct, construct(item, e, result))
MEAN_PURE(SpvOpCompositeExtract, extract(item, e, result))
MEAN_PURE(SpvOpCompositeInsert, insert(item, e, result))
MEAN_PURE(SpvOpAccessChain, access_chain(item, e, result, false))
MEAN_PURE(SpvOpInBoundsAccessChain, access_chain(item, e, result, false))
MEAN_PURE(SpvOpPtrAccessChain, access_chain(item, e, result, true))
MEAN_PURE(SpvOpInBoundsPtrAccessChain, access_chain(item, e, result, true))
MEAN_PURE(GEO_OP_PTR_ADD, pointer_sum(item, e, result))
MEAN_PURE(GEO_OP_BUILTIN, builtin(item, e, result))
MEAN_PURE(GEO_OP_ALL_LANES, all_lanes(item, e, result))
MEAN_PURE(GEO_OP_FIRST_LANE, first_lane(item, e, result))

bool interp_pure(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    static bool (*const meanings[GEO_ROW_COUNT])(
        struct item *item, const struct interp_expression *e, uint64_t *result) = {
#define MEANING_INTEGER(op)    NULL
#define MEANING_FLOAT(op)      NULL
#define MEANING_COMPARISON(op) NULL
#define MEANING_CLASS(op)      NULL
#define MEANING_CONVERSION(op) NULL
#define MEANING_PURE(op)       meaning_##op
#define MEANING_EFFECT(op)     NULL
#define MEANING_EXTENDED(op)   NULL
#define MEANING_CONTROL(op)    NULL
#define MEANING_UNSEEN(op)     NULL
#define ROW(op, types, shape, folding, lowering, meaning, ...)                                     \
    [GEO_ROW_##op] = MEANING_##meaning(op),
#include "compiler/ir/opcodes.def"
    };
    enum geo_row row = geo_op_row(e->op);
    return meanings[row] ? meanings[row](item, e, result) : elementwise(item, e, e->op, result);
}
