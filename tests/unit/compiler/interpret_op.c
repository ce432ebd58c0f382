/* Operations without control flow or effects, and the evaluation of operands. See interpret.h. */
#include "interpret_internal.h"

#include <spirv/unified1/OpenCL.std.h>
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

static bool access_chain(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *base = interp_operand(item, e->operands[0]);
    const struct geo_ir_type *type = e->operands[0]->type->element;
    uint32_t first = 1;
    if (!base) {
        return true;
    }
    *result = *base;
    if (e->op == SpvOpPtrAccessChain || e->op == SpvOpInBoundsPtrAccessChain) {
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

static bool composite(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    uint32_t total = interp_leaf_count(e->type), leaf = 0;
    const uint64_t *first = e->operand_count ? interp_operand(item, e->operands[0]) : NULL;
    const uint64_t *second = e->operand_count > 1 ? interp_operand(item, e->operands[1]) : NULL;
    const struct geo_ir_type *type = NULL;
    switch (e->op) {
    case SpvOpCompositeConstruct:
        for (uint32_t i = 0; i < e->operand_count; i++) {
            const uint64_t *part = interp_operand(item, e->operands[i]);
            for (uint32_t l = 0; part && l < interp_leaf_count(e->operands[i]->type); l++) {
                result[leaf++] = part[l];
            }
        }
        return true;
    case SpvOpCompositeExtract:
        type = e->operands[0]->type;
        for (uint32_t i = 0; type && i < e->literal_count; i++) {
            type = interp_member(type, e->literals[i], &leaf);
        }
        if (type && first) {
            memcpy(result, first + leaf, total * sizeof(*result));
        }
        return type != NULL;
    case SpvOpCompositeInsert:
        type = e->type;
        for (uint32_t i = 0; type && i < e->literal_count; i++) {
            type = interp_member(type, e->literals[i], &leaf);
        }
        if (type && first && second) {
            memmove(result, second, total * sizeof(*result));
            memcpy(result + leaf, first, interp_leaf_count(type) * sizeof(*result));
        }
        return type != NULL;
    case SpvOpVectorShuffle:
        for (uint32_t i = 0; first && second && i < e->literal_count; i++) {
            uint32_t from = e->literals[i], left = (uint32_t)e->operands[0]->type->count;
            result[i] = from == UINT32_MAX ? 0 : from < left ? first[from] : second[from - left];
        }
        return true;
    case SpvOpVectorExtractDynamic:
        if (first && second) {
            result[0] = first[*second % e->operands[0]->type->count];
        }
        return true;
    case SpvOpVectorInsertDynamic: {
        const uint64_t *index = interp_operand(item, e->operands[2]);
        if (first && second && index) {
            memmove(result, first, total * sizeof(*result));
            result[*index % e->type->count] = *second;
        }
        return true;
    }
    default:
        return false;
    }
}

/* Two-member results: {low, high} of products, {sum, carry}. */
static bool wide_arithmetic(struct item *item, const struct interp_expression *e, uint64_t *result)
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
        unsigned __int128 wide;
        __int128 sa = (int64_t)(a[i] << (64 - w)) >> (64 - w);
        __int128 sb = (int64_t)(b[i] << (64 - w)) >> (64 - w);
        switch (e->op) {
        case SpvOpIAddCarry:
            wide = (unsigned __int128)a[i] + b[i];
            break;
        case SpvOpISubBorrow:
            wide = (unsigned __int128)(a[i] < b[i]) << w | ((a[i] - b[i]) & mask);
            break;
        case SpvOpUMulExtended:
            wide = (unsigned __int128)a[i] * b[i];
            break;
        case SpvOpSMulExtended:
            wide = (unsigned __int128)(sa * sb);
            break;
        default:
            return false;
        }
        result[i] = (uint64_t)wide & mask;
        result[count + i] = (uint64_t)(wide >> w) & mask;
    }
    return true;
}

static bool reduce(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *first = e->operand_count ? interp_operand(item, e->operands[0]) : NULL;
    const uint64_t *second = e->operand_count > 1 ? interp_operand(item, e->operands[1]) : NULL;
    uint32_t count = first ? interp_leaf_count(e->operands[0]->type) : 0;
    switch (e->op) {
    case SpvOpAny:
    case SpvOpAll:
        *result = e->op == SpvOpAll;
        for (uint32_t i = 0; i < count; i++) {
            *result = e->op == SpvOpAll ? *result & first[i] : *result | first[i];
        }
        return true;
    case SpvOpDot: {
        double sum = 0;
        for (uint32_t i = 0; second && i < count; i++) {
            sum += interp_to_double(e->type, first[i]) * interp_to_double(e->type, second[i]);
        }
        *result = interp_from_double(e->type, sum);
        return true;
    }
    default:
        return false;
    }
}

static bool elementwise(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const struct geo_ir_type *to = interp_scalar_of(e->type);
    const struct geo_ir_type *from = e->operand_count ? interp_scalar_of(e->operands[0]->type) : to;
    uint32_t count = interp_leaf_count(e->type);
    SpvOp op = e->op == SpvOpVectorTimesScalar ? SpvOpFMul : e->op;
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

static bool is_composite_select(const struct interp_expression *e)
{
    return e->type->kind == GEO_TYPE_STRUCT || e->type->kind == GEO_TYPE_ARRAY;
}

bool interp_pure(struct item *item, const struct interp_expression *e, uint64_t *result)
{
    const uint64_t *first = e->operand_count ? interp_operand(item, e->operands[0]) : NULL;
    switch ((unsigned)e->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return access_chain(item, e, result);
    case GEO_OP_PTR_ADD:
        *result = first ? *first + (uint64_t)signed_operand(item, e->operands[1]) : 0;
        return true;
    case GEO_OP_BUILTIN:
        if (e->literals[0] >= INTERP_BUILTINS || e->literals[1] >= 3) {
            return false;
        }
        *result = item->builtins[e->literals[0]][e->literals[1]];
        if (e->type->width < 64) {
            *result &= ((uint64_t)1 << e->type->width) - 1;
        }
        return true;
    case SpvOpBitcast:
        return bitcast(item, e, result);
    case SpvOpUndef:
        undef_leaves(e->type, result, interp_leaf_count(e->type));
        mask_leaves(e->type, &(uint64_t *){result});
        return true;
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpExpectKHR:
    case SpvOpGenericCastToPtrExplicit:
        if (first) {
            memmove(result, first, interp_leaf_count(e->type) * sizeof(*result));
        }
        return true;
    case SpvOpSelect:
        if (is_composite_select(e)) {
            const uint64_t *picked =
                first ? interp_operand(item, e->operands[*first ? 1 : 2]) : NULL;
            if (picked) {
                memmove(result, picked, interp_leaf_count(e->type) * sizeof(*result));
            }
            return true;
        }
        return elementwise(item, e, result);
    default:
        return composite(item, e, result) || wide_arithmetic(item, e, result) ||
               reduce(item, e, result) || elementwise(item, e, result);
    }
}
