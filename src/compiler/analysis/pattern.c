/* Finds patterns of lanes, backwards from the requested value, each value once. See pattern.h.
 *
 * The analysis follows low bits. Suppose the base has n low zero bits and all offsets are below
 * 2^n: the lanes lie in one aligned block. Then an offset is the low n bits of the value. Bitwise
 * operations act on base and offset separately. */
#include "compiler/analysis/pattern.h"

#include "base/assert.h"
#include "compiler/analysis/address.h"
#include "compiler/analysis/ranges.h"
#include "compiler/ir/grammar.h"

#include <spirv/unified1/OpenCL.std.h>

/* Number of zeros of a base that is 0: the offsets are the value itself. */
#define ALL_ZEROS 64u
/* Bound on the instructions between an address and the ids. */
#define DEPTH_LIMIT 32u
/* Largest stride of an index that is supposed to be aligned. */
#define ALIGNED_STRIDE 8

/* The pattern of an integer, as kept by the search. `busy`: it is being computed. */
struct geo_pattern_form {
    bool known, busy, flagged;
    uint8_t zeros, aligned_zeros;
    const struct geo_ir_value *aligned;  /* see struct geo_pattern */
    uint64_t offsets[GEO_PATTERN_LANES]; /* in the width of the value; higher bits are undefined */
};

typedef struct geo_pattern_form form;

static bool form_make(struct geo_patterns *p, const struct geo_ir_value *value, bool inside,
                      uint32_t depth, form *out);

static uint64_t low_bits(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static uint32_t width_of(const struct geo_ir_value *value)
{
    return value->type->kind == GEO_TYPE_INT ? value->type->width : 64;
}

static bool is_even(const struct geo_patterns *p, const form *a)
{
    for (uint32_t lane = 1; lane < p->shapes->lanes; lane++) {
        if (a->offsets[lane] != a->offsets[0]) {
            return false;
        }
    }
    return true;
}

/* Returns whether the value is a known number, the same in all lanes. */
static bool is_number(const struct geo_patterns *p, const form *a, uint32_t width, uint64_t *number)
{
    *number = a->offsets[0] & low_bits(width);
    return a->zeros == ALL_ZEROS && is_even(p, a);
}

static void form_even(const struct geo_patterns *p, uint64_t number, uint32_t zeros, form *out)
{
    *out = (form){.zeros = (uint8_t)zeros};
    for (uint32_t lane = 0; lane < p->shapes->lanes; lane++) {
        out->offsets[lane] = number;
    }
}

/* ---- aligned blocks ---- */

/* Extracts the low n bits of the value in each lane. Returns false if lanes may differ in other
 * bits. */
static bool block_split(const struct geo_patterns *p, const form *a, uint32_t n, uint32_t width,
                        uint64_t *low)
{
    GEO_ASSERT(n <= width && width <= 64);
    uint64_t bits = low_bits(n), all = low_bits(width);
    if (n > a->zeros) {
        return false;
    }
    for (uint32_t lane = 0; lane < p->shapes->lanes; lane++) {
        low[lane] = a->offsets[lane] & bits;
        if (((a->offsets[lane] ^ a->offsets[0]) & all & ~bits) != 0) {
            return false;
        }
    }
    return true;
}

/* Finds the widest aligned block that contains all lanes, as its number of bits n. The sign bit is
 * outside of it. */
static bool block_find(const struct geo_patterns *p, const form *a, uint32_t width, uint32_t *n,
                       uint64_t *low)
{
    *n = a->zeros < width ? a->zeros : width - 1;
    return block_split(p, a, *n, width, low);
}

/* ---- arithmetic ---- */

static void form_add(const struct geo_patterns *p, const form *a, const form *b, uint64_t factor,
                     form *out)
{
    *out = *a;
    out->flagged = a->flagged || b->flagged;
    out->zeros = a->zeros < b->zeros ? a->zeros : b->zeros;
    for (uint32_t lane = 0; lane < p->shapes->lanes; lane++) {
        out->offsets[lane] = a->offsets[lane] + factor * b->offsets[lane];
    }
}

static void form_scale(const struct geo_patterns *p, const form *a, uint64_t factor, form *out)
{
    uint32_t zeros = factor ? a->zeros + (uint32_t)__builtin_ctzll(factor) : ALL_ZEROS;
    bool all = a->zeros == ALL_ZEROS || !factor;
    *out = *a;
    out->zeros = (uint8_t)(all ? ALL_ZEROS : zeros < ALL_ZEROS ? zeros : ALL_ZEROS - 1);
    for (uint32_t lane = 0; lane < p->shapes->lanes; lane++) {
        out->offsets[lane] = a->offsets[lane] * factor;
    }
}

static bool form_multiply(const struct geo_patterns *p, const form *a, const form *b,
                          uint32_t width, form *out)
{
    uint64_t factor;
    if (is_number(p, b, width, &factor)) {
        form_scale(p, a, factor, out);
    } else if (is_number(p, a, width, &factor)) {
        form_scale(p, b, factor, out);
    } else {
        return false;
    }
    out->flagged = a->flagged || b->flagged;
    return true;
}

/* ---- bits ---- */

static uint64_t bits_of(SpvOp op, uint64_t a, uint64_t b)
{
    return op == SpvOpBitwiseAnd ? a & b : op == SpvOpBitwiseOr ? a | b : a ^ b;
}

/* Folds a bitwise operation. The bits above the block are combined with the other operand's base,
 * and the result is again the same in all lanes. */
static bool form_bits(const struct geo_patterns *p, SpvOp op, const form *a, const form *b,
                      uint32_t width, form *out)
{
    uint32_t n = a->zeros < b->zeros ? a->zeros : b->zeros;
    uint64_t x[GEO_PATTERN_LANES], y[GEO_PATTERN_LANES];
    n = n < width ? n : width;
    if (!block_split(p, a, n, width, x) || !block_split(p, b, n, width, y)) {
        return false;
    }
    *out = (form){.flagged = a->flagged || b->flagged, .zeros = (uint8_t)n};
    for (uint32_t lane = 0; lane < p->shapes->lanes; lane++) {
        out->offsets[lane] = bits_of(op, x[lane], y[lane]);
    }
    uint64_t above = low_bits(width) & ~low_bits(n);
    bool none = op == SpvOpBitwiseAnd && ((a->zeros == ALL_ZEROS && (a->offsets[0] & above) == 0) ||
                                          (b->zeros == ALL_ZEROS && (b->offsets[0] & above) == 0));
    if (n == width || none) {
        out->zeros = ALL_ZEROS;
    }
    return true;
}

static uint64_t bits_extended(uint64_t bits, uint32_t width, bool is_signed)
{
    uint32_t above = 64 - width;
    return is_signed ? (uint64_t)((int64_t)(bits << above) >> above) : bits & low_bits(width);
}

static bool form_shift_right(const struct geo_patterns *p, const form *a, uint64_t amount,
                             uint32_t width, bool is_signed, form *out)
{
    uint32_t n = 0;
    uint64_t low[GEO_PATTERN_LANES];
    bool all = a->zeros == ALL_ZEROS;
    if (amount >= width || (!all && !block_find(p, a, width, &n, low))) {
        return false;
    }
    *out = (form){.flagged = a->flagged};
    out->zeros = (uint8_t)(all ? ALL_ZEROS : n > amount ? n - amount : 0);
    for (uint32_t lane = 0; lane < p->shapes->lanes; lane++) {
        uint64_t bits = all ? bits_extended(a->offsets[lane], width, is_signed) : low[lane];
        out->offsets[lane] = is_signed ? (uint64_t)((int64_t)bits >> amount) : bits >> amount;
    }
    return true;
}

/* Folds a division or remainder by a power of two. */
static bool form_divide(const struct geo_patterns *p, const form *a, const form *b, bool remainder,
                        uint32_t width, form *out)
{
    uint64_t number;
    form mask;
    if (!is_number(p, b, width, &number) || !number || (number & (number - 1))) {
        return false;
    }
    if (!remainder) {
        return form_shift_right(p, a, (uint64_t)__builtin_ctzll(number), width, false, out);
    }
    form_even(p, number - 1, ALL_ZEROS, &mask);
    return form_bits(p, SpvOpBitwiseAnd, a, &mask, width, out);
}

/* ---- conversions of width ---- */

static bool form_widen(const struct geo_patterns *p, const form *a, uint32_t width, bool is_signed,
                       form *out)
{
    uint32_t n = 0;
    uint64_t low[GEO_PATTERN_LANES];
    bool all = a->zeros == ALL_ZEROS;
    if (!all && !block_find(p, a, width, &n, low)) {
        return false;
    }
    *out = *a;
    out->zeros = (uint8_t)(all ? ALL_ZEROS : n);
    for (uint32_t lane = 0; lane < p->shapes->lanes; lane++) {
        out->offsets[lane] = all ? bits_extended(a->offsets[lane], width, is_signed) : low[lane];
    }
    return true;
}

static bool form_convert(const struct geo_patterns *p, const struct geo_ir_inst *inst,
                         const form *a, form *out)
{
    uint32_t from = width_of(inst->operands[0]), to = width_of(&inst->value);
    if (to > from) {
        return form_widen(p, a, from, inst->op == SpvOpSConvert, out);
    }
    *out = *a;
    out->zeros = a->zeros >= to ? ALL_ZEROS : a->zeros;
    return true;
}

/* ---- pointers ---- */

/* Adds scale * index to the base, as far as the index is known. */
static bool form_index(const struct geo_patterns *p, const struct geo_ir_value *operand,
                       const form *index, uint64_t scale, form *out)
{
    form wide = *index, scaled, before = *out;
    uint32_t width = width_of(operand);
    bool even = is_even(p, index);
    if (!scale || (width < 64 && !form_widen(p, index, width, true, &wide))) {
        out->zeros = 0;
        out->flagged |= index->flagged;
        return even;
    }
    form_scale(p, &wide, scale, &scaled);
    form_add(p, &before, &scaled, 1, out);
    return true;
}

/* Finds the pattern of a chain. Zeros and offsets are those of the sum of all indices, relative to
 * the base pointer. */
static bool form_chain(struct geo_patterns *p, const struct geo_ir_inst *inst, bool inside,
                       uint32_t depth, form *out)
{
    form index;
    if (inst->value.flags & GEO_VALUE_INTERLEAVED ||
        !form_make(p, inst->operands[0], inside, depth, out)) {
        return false;
    }
    if (is_even(p, out)) {
        form_even(p, 0, ALL_ZEROS, out);
    }
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        const struct geo_ir_value *operand = inst->operands[i];
        if (operand->type->kind != GEO_TYPE_INT || !form_make(p, operand, inside, depth, &index) ||
            !form_index(p, operand, &index, geo_address_scale(inst, i), out)) {
            return false;
        }
    }
    return true;
}

/* ---- rules by opcode ---- */

static bool is_scalar(const struct geo_ir_value *value)
{
    return value->type &&
           (value->type->kind == GEO_TYPE_INT || value->type->kind == GEO_TYPE_POINTER);
}

/* Folds a bitwise operation, division or shift of two known forms. */
static bool rule_blocks(struct geo_patterns *p, const struct geo_ir_inst *inst, const form *a,
                        const form *b, form *out)
{
    uint64_t number;
    uint32_t width = width_of(&inst->value);
    switch ((uint32_t)inst->op) {
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
        return form_bits(p, inst->op, a, b, width, out);
    case SpvOpUDiv:
    case SpvOpUMod:
        return form_divide(p, a, b, inst->op == SpvOpUMod, width, out);
    default:
        break;
    }
    if (!is_number(p, b, width_of(inst->operands[1]), &number) || number >= width) {
        return false;
    }
    if (inst->op == SpvOpShiftLeftLogical) {
        form_scale(p, a, (uint64_t)1 << number, out);
        return true;
    }
    return (inst->op == SpvOpShiftRightArithmetic || inst->op == SpvOpShiftRightLogical) &&
           form_shift_right(p, a, number, width, inst->op == SpvOpShiftRightArithmetic, out);
}

/* Sets *out to the form of a strided integer whose lanes start at a multiple of their span, or of a
 * power of two that divides it. */
static bool form_aligned(const struct geo_patterns *p, const struct geo_ir_value *value, form *out)
{
    struct geo_shape shape = geo_shape_of(p->shapes, value);
    uint64_t span = (uint64_t)shape.stride * p->shapes->lanes;
    if (!p->aligns || shape.kind != GEO_SHAPE_STRIDED || shape.anchored || shape.stride <= 0 ||
        shape.stride > ALIGNED_STRIDE || value->type->kind != GEO_TYPE_INT ||
        value->type->width < 32) {
        return false;
    }
    form_even(p, 0, (uint32_t)__builtin_ctzll(span), out);
    for (uint32_t lane = 0; lane < p->shapes->lanes; lane++) {
        out->offsets[lane] = lane * (uint64_t)shape.stride;
    }
    out->aligned = value;
    out->aligned_zeros = out->zeros;
    return true;
}

/* Folds a bitwise operation, division or shift of an index whose chunks are supposed to be aligned.
 * It is not negative then, so divisions of signed numbers are those of unsigned ones. */
static bool rule_aligned(struct geo_patterns *p, const struct geo_ir_inst *inst, const form *b,
                         form *out)
{
    form a;
    uint32_t width = width_of(&inst->value);
    if (!form_aligned(p, inst->operands[0], &a)) {
        return false;
    }
    bool remainder = inst->op == SpvOpSRem || inst->op == SpvOpSMod;
    bool divides = remainder || inst->op == SpvOpSDiv;
    if (divides ? !form_divide(p, &a, b, remainder, width, out)
                : !rule_blocks(p, inst, &a, b, out)) {
        return false;
    }
    out->aligned = a.aligned;
    out->aligned_zeros = a.aligned_zeros;
    return true;
}

static bool rule_binary(struct geo_patterns *p, const struct geo_ir_inst *inst, bool inside,
                        uint32_t depth, form *out)
{
    form a, b;
    uint32_t width = width_of(&inst->value);
    if (!form_make(p, inst->operands[0], inside, depth, &a) ||
        !form_make(p, inst->operands[1], inside, depth, &b)) {
        return false;
    }
    switch ((uint32_t)inst->op) {
    case SpvOpIAdd:
        form_add(p, &a, &b, 1, out);
        return true;
    case SpvOpISub:
        form_add(p, &a, &b, UINT64_MAX, out);
        return true;
    case SpvOpIMul:
        return form_multiply(p, &a, &b, width, out);
    default:
        return rule_blocks(p, inst, &a, &b, out) || rule_aligned(p, inst, &b, out);
    }
}

/* Counts the trailing zeros of a known number. */
static bool rule_zeros(struct geo_patterns *p, const struct geo_ir_inst *inst, bool inside,
                       uint32_t depth, form *out)
{
    form a;
    uint64_t number;
    uint32_t width = width_of(&inst->value);
    if (inst->literals[1] != OpenCLstd_Ctz || !form_make(p, inst->operands[0], inside, depth, &a) ||
        !is_number(p, &a, width, &number)) {
        return false;
    }
    form_even(p, number ? (uint64_t)__builtin_ctzll(number) : width, ALL_ZEROS, out);
    return true;
}

static bool rule(struct geo_patterns *p, const struct geo_ir_inst *inst, bool inside,
                 uint32_t depth, form *out)
{
    form a;
    switch ((uint32_t)inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpUDiv:
    case SpvOpUMod:
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return rule_binary(p, inst, inside, depth, out);
    case SpvOpUConvert:
    case SpvOpSConvert:
        return form_make(p, inst->operands[0], inside, depth, &a) && form_convert(p, inst, &a, out);
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
        return is_scalar(inst->operands[0]) &&
               width_of(inst->operands[0]) == width_of(&inst->value) &&
               form_make(p, inst->operands[0], inside, depth, out);
    case SpvOpExtInst:
        return rule_zeros(p, inst, inside, depth, out);
    case GEO_OP_PTR_ADD:
        return form_chain(p, inst, inside, depth, out);
    default:
        return geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN) && form_chain(p, inst, inside, depth, out);
    }
}

/* Takes the pattern from the shape. Anchored strides are left out: they hold only among active
 * lanes. */
static bool form_of_shape(const struct geo_patterns *p, const struct geo_ir_value *value, form *out)
{
    struct geo_shape shape = geo_shape_of(p->shapes, value);
    if (shape.kind == GEO_SHAPE_VARYING || shape.anchored) {
        return false;
    }
    uint64_t stride = shape.kind == GEO_SHAPE_STRIDED ? (uint64_t)shape.stride : 0;
    form_even(p, 0, shape.zeros < ALL_ZEROS ? shape.zeros : ALL_ZEROS, out);
    for (uint32_t lane = 0; lane < p->shapes->lanes; lane++) {
        out->offsets[lane] = lane * stride;
    }
    return true;
}

/* Adds what the forms of the operands suppose to that of the result. Returns false if they suppose
 * two things. */
static bool form_supposes(const struct geo_patterns *p, const struct geo_ir_inst *inst, form *out)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_value *operand = inst->operands[i];
        const form *of = operand->kind == GEO_VALUE_INST ? p->forms[operand->index] : NULL;
        if (!of || !of->aligned) {
            continue;
        }
        if (out->aligned &&
            (out->aligned != of->aligned || out->aligned_zeros != of->aligned_zeros)) {
            return false;
        }
        out->aligned = of->aligned;
        out->aligned_zeros = of->aligned_zeros;
    }
    return true;
}

static void form_find(struct geo_patterns *p, const struct geo_ir_inst *inst, uint32_t depth,
                      form *out)
{
    const struct geo_assumption *assumption = &p->assumption;
    bool inside = assumption->value && assumption->inside[inst->block->index];
    out->busy = true;
    form found = {0};
    bool known = depth < DEPTH_LIMIT && is_scalar(&inst->value) &&
                 rule(p, inst, inside, depth + 1, &found) && form_supposes(p, inst, &found);
    if (!known) {
        known = is_scalar(&inst->value) && form_of_shape(p, &inst->value, &found);
    }
    found.flagged |= inst->value.flags & (GEO_VALUE_NO_SIGNED_WRAP | GEO_VALUE_NO_UNSIGNED_WRAP) &&
                     geo_shape_of(p->shapes, &inst->value).kind == GEO_SHAPE_VARYING;
    *out = found;
    GEO_ASSERT(found.zeros <= ALL_ZEROS);
    out->known = known;
}

/* Finds the pattern of a value as seen from inside or outside the blocks of the assumption. */
static bool form_make(struct geo_patterns *p, const struct geo_ir_value *value, bool inside,
                      uint32_t depth, form *out)
{
    int64_t number;
    if (inside && value == p->assumption.value) {
        uint32_t zeros = p->assumption.zeros;
        form_even(p, zeros ? 0 : p->assumption.number, zeros ? zeros : ALL_ZEROS, out);
        return true;
    }
    if (value->kind != GEO_VALUE_INST) {
        bool constant =
            value->kind == GEO_VALUE_CONSTANT && geo_ranges_constant_signed(value, &number);
        if (!constant) {
            return value->kind != GEO_VALUE_UNDEF && form_of_shape(p, value, out);
        }
        form_even(p, (uint64_t)number, ALL_ZEROS, out);
        return true;
    }
    form **slot = &p->forms[value->index];
    if (!*slot) {
        *slot = geo_arena_new(p->arena, form);
        if (!*slot) {
            p->no_memory = true;
            return false;
        }
        form_find(p, (const struct geo_ir_inst *)value, depth, *slot);
    }
    *out = **slot;
    return out->known && !(*slot)->busy;
}

/* ---- interface ---- */

bool geo_patterns_init(struct geo_patterns *patterns, const struct geo_ir_function *function,
                       const struct geo_shapes *shapes, const struct geo_assumption *assumption,
                       struct geo_arena *arena)
{
    *patterns = (struct geo_patterns){.shapes = shapes, .arena = arena};
    if (assumption) {
        GEO_ASSERT(!assumption->value || (assumption->inside && assumption->zeros < 64));
        patterns->assumption = *assumption;
    }
    patterns->forms = geo_arena_array(arena, function->value_count + 1, sizeof(form *));
    return patterns->forms != NULL;
}

bool geo_pattern_find(struct geo_patterns *patterns, const struct geo_ir_value *value,
                      struct geo_pattern *out)
{
    form found;
    uint32_t lanes = patterns->shapes->lanes;
    if (lanes < 2 || lanes > GEO_PATTERN_LANES || value->kind != GEO_VALUE_INST ||
        !form_make(patterns, value, false, 0, &found)) {
        return false;
    }
    uint32_t width = width_of(value);
    out->flagged = found.flagged;
    out->aligned = found.aligned;
    out->aligned_zeros = found.aligned_zeros;
    out->zeros = found.zeros;
    out->first = found.offsets[0] & low_bits(found.zeros);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint64_t offset = found.offsets[lane] - found.offsets[0];
        out->offsets[lane] = (int64_t)(offset << (64 - width)) >> (64 - width);
    }
    GEO_ASSERT(out->offsets[0] == 0);
    return true;
}

bool geo_pattern_is_stride(const struct geo_pattern *pattern, uint32_t lanes, int64_t *stride)
{
    GEO_ASSERT(lanes > 1 && lanes <= GEO_PATTERN_LANES && pattern->offsets[0] == 0);
    *stride = pattern->offsets[1];
    for (uint32_t lane = 2; lane < lanes; lane++) {
        if (pattern->offsets[lane] != *stride * (int64_t)lane) {
            return false;
        }
    }
    return true;
}
