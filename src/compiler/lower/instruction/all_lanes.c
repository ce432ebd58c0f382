/* Lowers GEO_OP_ALL_LANES; see all_lanes.h.
 *
 * Most conditions compare an index that moves evenly from lane to lane with a number that is the
 * same in all lanes. Then the lane that is nearest to the bound decides for all W lanes, if the
 * index does not wrap between lanes. Both are one comparison of scalars with a bound that does not
 * change in a loop:
 *
 *     i < n in lanes 0 to W - 1, i growing by d    <=>    i of lane 0 < n - (W - 1) * d
 *
 * The subtraction saturates: then no index is below the bound. Lanes that are off count as well. So
 * the result may be false although the condition holds in all active lanes, which is allowed.
 *
 * An index may be extended before it is compared, with numbers added: (long)i + 1 < n. It moves
 * evenly if i does not wrap between lanes, which one more comparison of scalars tells. */
#include "compiler/lower/instruction/all_lanes.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

/* The relation of a comparison. */
struct relation {
    bool is_signed, less, equal; /* less: <, otherwise >; equal: also true for equal numbers */
    bool differs;                /* != */
    bool same;                   /* == */
};

/* An index and the bound that it is compared with. */
struct comparison {
    struct relation is;
    LLVMValueRef index, bound; /* of lane 0, and of all lanes */
    bool grows;                /* the index is larger in higher lanes */
    bool both;                 /* the bound is of lane 0, too, and moves like the index */
    LLVMValueRef even;         /* i1: the index moves evenly in all lanes; NULL: it always does */
    uint64_t span;             /* the distance of the indexes of the first and the last lane */
};

static bool relation_of(SpvOp op, struct relation *out)
{
    switch ((uint32_t)op) {
    case SpvOpINotEqual:
        *out = (struct relation){.differs = true};
        return true;
    case SpvOpIEqual:
        *out = (struct relation){.same = true};
        return true;
    case SpvOpULessThan:
        *out = (struct relation){.less = true};
        return true;
    case SpvOpULessThanEqual:
        *out = (struct relation){.less = true, .equal = true};
        return true;
    case SpvOpUGreaterThan:
        *out = (struct relation){.less = false};
        return true;
    case SpvOpUGreaterThanEqual:
        *out = (struct relation){.equal = true};
        return true;
    case SpvOpSLessThan:
        *out = (struct relation){.is_signed = true, .less = true};
        return true;
    case SpvOpSLessThanEqual:
        *out = (struct relation){.is_signed = true, .less = true, .equal = true};
        return true;
    case SpvOpSGreaterThan:
        *out = (struct relation){.is_signed = true};
        return true;
    case SpvOpSGreaterThanEqual:
        *out = (struct relation){.is_signed = true, .equal = true};
        return true;
    default:
        return false;
    }
}

static LLVMIntPredicate predicate_of(const struct relation *is, bool equal)
{
    return is->less ? (is->is_signed ? (equal ? LLVMIntSLE : LLVMIntSLT)
                                     : (equal ? LLVMIntULE : LLVMIntULT))
                    : (is->is_signed ? (equal ? LLVMIntSGE : LLVMIntSGT)
                                     : (equal ? LLVMIntUGE : LLVMIntUGT));
}

/* ---- indexes ---- */

#define ADDITIONS 4u /* to an index behind its extension */

/* An index that is extended, and what is added to it then. */
struct extended {
    const struct geo_ir_inst *added[ADDITIONS]; /* from the last to the first */
    uint32_t count;
    const struct geo_ir_inst *extension;
};

/* Takes an index apart whose steps are in the block. */
static bool extended_find(struct geo_lower_function *f, const struct geo_ir_value *value,
                          const struct geo_ir_block *block, struct extended *out)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst((struct geo_ir_value *)value);
    out->count = 0;
    while (inst && inst->block == block && (inst->op == SpvOpIAdd || inst->op == SpvOpISub) &&
           out->count < ADDITIONS && geo_value_is_uniform(f, inst->operands[1])) {
        out->added[out->count++] = inst;
        inst = geo_ir_as_inst(inst->operands[0]);
    }
    out->extension = inst;
    return inst && inst->block == block &&
           (inst->op == SpvOpSConvert || inst->op == SpvOpUConvert) &&
           inst->value.type->kind == GEO_TYPE_INT &&
           inst->operands[0]->type->width < inst->value.type->width;
}

/* Returns whether no lane of a number wraps that moves by `span` from the first lane to the last. */
static LLVMValueRef stays(struct geo_lower_function *f, LLVMValueRef moving, bool is_signed,
                          bool grows, uint64_t span)
{
    uint32_t width = LLVMGetIntTypeWidth(LLVMTypeOf(moving));
    uint64_t all = UINT64_MAX >> (64 - width), half = all >> 1;
    uint64_t low = is_signed ? half + 1 : 0, high = is_signed ? half : all;
    struct relation inside = {.is_signed = is_signed, .less = grows};
    LLVMValueRef limit = geo_emit_const_like(moving, (grows ? high - span : low + span) & all);
    return geo_emit_icmp(f, predicate_of(&inside, true), moving, limit);
}

/* Notes how an index moves, of which `moving` is the part that lanes differ in. Returns false if it
 * moves too far. */
static bool comparison_moves(struct geo_lower_function *f, const struct geo_ir_value *moving,
                             struct comparison *out)
{
    int64_t stride = geo_value_shape(f, moving).stride;
    uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    uint64_t largest = UINT64_MAX >> 1 >> (64 - moving->type->width);
    out->grows = stride > 0;
    out->span = step * (f->lanes - 1);
    return step <= largest / (f->lanes - 1);
}

/* Computes lane 0 of an index that is extended, and whether it moves evenly. */
static bool extended_compute(struct geo_lower_function *f, const struct extended *index,
                             struct comparison *out)
{
    const struct geo_ir_inst *extension = index->extension;
    struct geo_ir_value *moving = extension->operands[0];
    bool is_signed = extension->op == SpvOpSConvert;
    if (geo_value_shape(f, moving).kind != GEO_SHAPE_STRIDED || !comparison_moves(f, moving, out)) {
        return false;
    }
    LLVMValueRef first = geo_value_scalar(f, moving, 0);
    out->even = stays(f, first, is_signed, out->grows, out->span);
    first = is_signed ? geo_emit_sext(f, first, extension->value.type->width)
                      : geo_emit_zext(f, first, extension->value.type->width);
    for (uint32_t i = index->count; i-- > 0;) {
        LLVMValueRef number = geo_value_scalar(f, index->added[i]->operands[1], 0);
        first = index->added[i]->op == SpvOpIAdd ? LLVMBuildAdd(f->llvm.builder, first, number, "")
                                                 : LLVMBuildSub(f->llvm.builder, first, number, "");
    }
    out->index = first;
    return true;
}

/* Takes the index of a comparison of the block, if it moves evenly, perhaps after an extension. */
static bool index_find(struct geo_lower_function *f, struct geo_ir_value *value,
                       const struct geo_ir_block *block, struct comparison *out)
{
    struct extended extended;
    enum geo_shape_kind kind = geo_value_shape(f, value).kind;
    if (kind == GEO_SHAPE_VARYING) {
        return extended_find(f, value, block, &extended) && extended_compute(f, &extended, out);
    }
    if (kind != GEO_SHAPE_STRIDED || !comparison_moves(f, value, out)) {
        return false;
    }
    out->even = NULL;
    out->index = geo_value_scalar(f, value, 0);
    return true;
}

/* Takes a comparison of the block apart, if one operand is an index that moves evenly and the other
 * one is uniform, or moves by the same distance. */
static bool comparison_find(struct geo_lower_function *f, const struct geo_ir_inst *compared,
                            const struct geo_ir_block *block, struct comparison *out)
{
    if (!compared || compared->block != block || !relation_of(compared->op, &out->is) ||
        compared->operands[0]->type->kind != GEO_TYPE_INT) {
        return false;
    }
    struct geo_shape a = geo_value_shape(f, compared->operands[0]);
    struct geo_shape b = geo_value_shape(f, compared->operands[1]);
    uint32_t index = a.kind != GEO_SHAPE_UNIFORM ? 0 : 1;
    out->both = a.kind == GEO_SHAPE_STRIDED && b.kind == GEO_SHAPE_STRIDED && a.stride == b.stride;
    if ((!out->both && a.kind != GEO_SHAPE_UNIFORM && b.kind != GEO_SHAPE_UNIFORM) ||
        !index_find(f, compared->operands[index], block, out)) {
        return false;
    }
    out->bound = geo_value_scalar(f, compared->operands[1 - index], 0);
    out->is.less ^= index == 1; /* b > i is i < b */
    return true;
}

/* Returns whether all indexes differ from the bound: it is not between the first and the last. */
static LLVMValueRef all_differ(struct geo_lower_function *f, const struct comparison *c)
{
    LLVMValueRef distance = c->grows ? LLVMBuildSub(f->llvm.builder, c->bound, c->index, "")
                                     : LLVMBuildSub(f->llvm.builder, c->index, c->bound, "");
    return geo_emit_icmp(f, LLVMIntUGT, distance, geo_emit_const_like(distance, c->span));
}

/* Returns whether the last lane fulfils the comparison, without wrapping on the way. */
static LLVMValueRef last_decides(struct geo_lower_function *f, const struct comparison *c)
{
    static const char *const names[2][2] = {{"llvm.uadd.sat", "llvm.usub.sat"},
                                            {"llvm.sadd.sat", "llvm.ssub.sat"}};
    uint64_t span = c->span - c->is.equal; /* i + s <= n is i < n - (s - 1) */
    LLVMValueRef args[2] = {c->bound, geo_emit_const_like(c->bound, span)};
    LLVMValueRef bound = geo_emit_intrinsic(f, names[c->is.is_signed][c->is.less], args, 2);
    return geo_emit_icmp(f, predicate_of(&c->is, false), c->index, bound);
}

/* Returns whether lane 0 fulfils the comparison, and no other lane wraps. */
static LLVMValueRef first_decides(struct geo_lower_function *f, const struct comparison *c)
{
    LLVMValueRef fulfils = geo_emit_icmp(f, predicate_of(&c->is, c->is.equal), c->index, c->bound);
    LLVMValueRef index = stays(f, c->index, c->is.is_signed, c->grows, c->span);
    LLVMValueRef result = LLVMBuildAnd(f->llvm.builder, fulfils, index, "");
    return c->both ? LLVMBuildAnd(f->llvm.builder, result,
                                  stays(f, c->bound, c->is.is_signed, c->grows, c->span), "")
                   : result;
}

/* Returns whether an index and a bound that moves by the same distance are equal, or differ, which
 * is the same in all lanes. */
static LLVMValueRef both_equal(struct geo_lower_function *f, const struct comparison *c)
{
    return geo_emit_icmp(f, c->is.same ? LLVMIntEQ : LLVMIntNE, c->index, c->bound);
}

/* Returns whether the comparison holds in all lanes of an index that moves evenly. */
static LLVMValueRef even_holds(struct geo_lower_function *f, const struct comparison *c)
{
    return c->both && (c->is.same || c->is.differs) ? both_equal(f, c)
           : c->both                                ? first_decides(f, c)
           : c->is.same             ? geo_emit_const(geo_type_i1(f), 0) /* the index moves */
           : c->is.differs          ? all_differ(f, c)
           : c->grows == c->is.less ? last_decides(f, c)
                                    : first_decides(f, c);
}

/* Returns whether the comparison holds in all lanes. */
static LLVMValueRef comparison_holds(struct geo_lower_function *f, const struct comparison *c)
{
    LLVMValueRef holds = even_holds(f, c);
    return c->even ? LLVMBuildAnd(f->llvm.builder, holds, c->even, "") : holds;
}

bool geo_instruction_all_lanes(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct comparison c;
    LLVMValueRef result;
    if (f->lanes == 1) {
        /* what a pass has prepared for all lanes together is of no use here */
        result = geo_emit_const(geo_type_i1(f), 0);
    } else if (geo_value_is_uniform(f, inst->operands[0])) {
        result = geo_value_scalar(f, inst->operands[0], 0);
    } else if (comparison_find(f, geo_ir_as_inst(inst->operands[0]), inst->block, &c)) {
        result = comparison_holds(f, &c);
    } else {
        LLVMValueRef no =
            LLVMBuildNot(f->llvm.builder, geo_value_vector(f, inst->operands[0], 0), "");
        result = LLVMBuildNot(f->llvm.builder,
                              geo_emit_mask_any(f, geo_emit_mask_and(f, f->body.mask, no)), "");
    }
    geo_value_set_wide(f, inst, 0, result);
    return true;
}

/* ---- decisions ---- */

#define DECISION_DEPTH 8u

static struct geo_all_lanes lanes_swapped(struct geo_all_lanes of)
{
    return (struct geo_all_lanes){.all = of.none, .none = of.all};
}

static struct geo_all_lanes lanes_joined(struct geo_lower_function *f, struct geo_all_lanes a,
                                         struct geo_all_lanes b)
{
    return (struct geo_all_lanes){.all = LLVMBuildAnd(f->llvm.builder, a.all, b.all, ""),
                                  .none = LLVMBuildOr(f->llvm.builder, a.none, b.none, "")};
}

/* Asks a comparison and its inverse. */
static struct geo_all_lanes lanes_compared(struct geo_lower_function *f, struct comparison *c)
{
    struct geo_all_lanes result = {.all = comparison_holds(f, c)};
    bool ordered = !c->is.same && !c->is.differs;
    c->is.same ^= !ordered;
    c->is.differs ^= !ordered;
    c->is.less ^= ordered;
    c->is.equal ^= ordered;
    result.none = comparison_holds(f, c);
    return result;
}

static struct geo_all_lanes lanes_counted(struct geo_lower_function *f, LLVMValueRef mask)
{
    LLVMValueRef bits = geo_emit_mask_bits(f, mask);
    LLVMValueRef every = LLVMConstAllOnes(LLVMTypeOf(bits));
    return (struct geo_all_lanes){.all = geo_emit_icmp(f, LLVMIntEQ, bits, every),
                                  .none =
                                      geo_emit_icmp(f, LLVMIntEQ, bits, geo_emit_zero_like(bits))};
}

static bool is_constant(const struct geo_ir_value *value, uint64_t bits)
{
    uint64_t found;
    return geo_ir_constant_bits(value, &found) && found == bits;
}

/* Stores the operands of a conjunction or disjunction, which may be written as a selection. */
static bool operands_joined(const struct geo_ir_inst *inst, bool *both, struct geo_ir_value **a,
                            struct geo_ir_value **b)
{
    bool selects = inst->op == SpvOpSelect, on = selects && is_constant(inst->operands[1], 1);
    bool off = selects && is_constant(inst->operands[2], 0);
    *both = inst->op == SpvOpLogicalAnd || off;
    *a = inst->operands[0];
    *b = inst->operands[on ? 2 : 1];
    return *both || on || inst->op == SpvOpLogicalOr;
}

static struct geo_all_lanes lanes_of(struct geo_lower_function *f, struct geo_ir_value *value,
                                     const struct geo_ir_block *block, uint32_t depth)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    struct geo_ir_value *a, *b;
    struct comparison c;
    bool both;
    if (geo_value_is_uniform(f, value)) {
        LLVMValueRef all = geo_value_scalar(f, value, 0);
        return (struct geo_all_lanes){.all = all, .none = LLVMBuildNot(f->llvm.builder, all, "")};
    }
    if (comparison_find(f, inst, block, &c)) {
        return lanes_compared(f, &c);
    }
    bool known = inst && inst->block == block && depth > 0;
    if (known && inst->op == SpvOpLogicalNot) {
        return lanes_swapped(lanes_of(f, inst->operands[0], block, depth - 1));
    }
    if (known && inst->operand_count > 1 && operands_joined(inst, &both, &a, &b)) {
        struct geo_all_lanes x = lanes_of(f, a, block, depth - 1);
        struct geo_all_lanes y = lanes_of(f, b, block, depth - 1);
        return both ? lanes_joined(f, x, y)
                    : lanes_swapped(lanes_joined(f, lanes_swapped(x), lanes_swapped(y)));
    }
    return lanes_counted(f, geo_value_vector(f, value, 0));
}

struct geo_all_lanes geo_instruction_all_lanes_decide(struct geo_lower_function *f,
                                                      const struct geo_ir_inst *branch)
{
    GEO_ASSERT(f->lanes > 1 && branch->op == SpvOpBranchConditional);
    return lanes_of(f, branch->operands[0], branch->block, DECISION_DEPTH);
}

bool geo_instruction_all_lanes_first(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_ir_value *value = inst->operands[0];
    LLVMValueRef first;
    if (geo_value_as_scalar(f, value)) {
        first = geo_value_scalar(f, value, 0);
    } else {
        /* an inactive lane may hold poison, and code branches on what is made of the number */
        first = geo_emit_lane(f, geo_value_vector(f, value, 0), 0);
        first = LLVMBuildFreeze(f->llvm.builder, first, "");
    }
    geo_value_set_wide(f, inst, 0, first);
    return true;
}
