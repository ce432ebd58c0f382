/* Emits comparisons, classification of floats, logic on bools, selections, and minimum and maximum
 * of floats. */
#include "compiler/lower/arith/compare.h"

#include "base/assert.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"

static int int_predicate(uint32_t op)
{
    switch (op) {
    case SpvOpIEqual:
        return LLVMIntEQ;
    case SpvOpINotEqual:
        return LLVMIntNE;
    case SpvOpUGreaterThan:
        return LLVMIntUGT;
    case SpvOpSGreaterThan:
        return LLVMIntSGT;
    case SpvOpUGreaterThanEqual:
        return LLVMIntUGE;
    case SpvOpSGreaterThanEqual:
        return LLVMIntSGE;
    case SpvOpULessThan:
        return LLVMIntULT;
    case SpvOpSLessThan:
        return LLVMIntSLT;
    case SpvOpULessThanEqual:
        return LLVMIntULE;
    case SpvOpSLessThanEqual:
        return LLVMIntSLE;
    default:
        return -1;
    }
}

static int real_predicate(uint32_t op)
{
    switch (op) {
    case SpvOpFOrdEqual:
        return LLVMRealOEQ;
    case SpvOpFUnordEqual:
        return LLVMRealUEQ;
    case SpvOpFOrdNotEqual:
    case SpvOpLessOrGreater:
        return LLVMRealONE;
    case SpvOpFUnordNotEqual:
        return LLVMRealUNE;
    case SpvOpFOrdLessThan:
        return LLVMRealOLT;
    case SpvOpFUnordLessThan:
        return LLVMRealULT;
    case SpvOpFOrdGreaterThan:
        return LLVMRealOGT;
    case SpvOpFUnordGreaterThan:
        return LLVMRealUGT;
    case SpvOpFOrdLessThanEqual:
        return LLVMRealOLE;
    case SpvOpFUnordLessThanEqual:
        return LLVMRealULE;
    case SpvOpFOrdGreaterThanEqual:
        return LLVMRealOGE;
    case SpvOpFUnordGreaterThanEqual:
        return LLVMRealUGE;
    case SpvOpOrdered:
        return LLVMRealORD;
    case SpvOpUnordered:
        return LLVMRealUNO;
    default:
        return -1;
    }
}

LLVMValueRef geo_arith_compare(struct geo_emit *e)
{
    int predicate = int_predicate(e->op);
    if (predicate >= 0) {
        return e->from->kind == GEO_TYPE_FLOAT
                   ? NULL
                   : geo_emit_icmp(e->f, (LLVMIntPredicate)predicate, e->v[0], e->v[1]);
    }
    predicate = real_predicate(e->op);
    return predicate < 0 || e->from->kind != GEO_TYPE_FLOAT
               ? NULL
               : geo_emit_fcmp(e->f, (LLVMRealPredicate)predicate, e->v[0], e->v[1]);
}

LLVMValueRef geo_arith_compare_equal(struct geo_lower_function *f, const struct geo_ir_type *type,
                                     LLVMValueRef a, LLVMValueRef b)
{
    if (geo_type_is_half(type)) {
        a = geo_arith_half_to_float(f, a);
        b = geo_arith_half_to_float(f, b);
    }
    return type->kind == GEO_TYPE_FLOAT ? geo_emit_fcmp(f, LLVMRealOEQ, a, b)
                                        : geo_emit_icmp(f, LLVMIntEQ, a, b);
}

/* Classifies floats by their bits, which is exact for every input, including signalling NaNs and
 * flushed denormals. */
LLVMValueRef geo_arith_classify(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    if (e->from->kind != GEO_TYPE_FLOAT) {
        return NULL;
    }
    uint32_t width = e->from->width;
    uint32_t mantissa = width == 16 ? 10 : width == 32 ? 23 : 52;
    GEO_ASSERT(geo_type_bits(e->v[0]) == width);
    uint64_t sign = 1ull << (width - 1);
    uint64_t infinity = (sign - 1) & ~((1ull << mantissa) - 1);
    LLVMValueRef bits = geo_emit_to_bits(f, e->v[0]);
    LLVMValueRef magnitude =
        LLVMBuildAnd(f->llvm.builder, bits, geo_emit_const_like(bits, sign - 1), "");
    LLVMValueRef limit = geo_emit_const_like(bits, infinity);
    switch (e->op) {
    case SpvOpIsNan:
        return geo_emit_icmp(f, LLVMIntUGT, magnitude, limit);
    case SpvOpIsInf:
        return geo_emit_icmp(f, LLVMIntEQ, magnitude, limit);
    case SpvOpIsFinite:
        return geo_emit_icmp(f, LLVMIntULT, magnitude, limit);
    case SpvOpIsNormal: {
        LLVMValueRef least = geo_emit_const_like(bits, 1ull << mantissa);
        return geo_emit_icmp(f, LLVMIntULT, LLVMBuildSub(f->llvm.builder, magnitude, least, ""),
                             geo_emit_const_like(bits, infinity - (1ull << mantissa)));
    }
    default:
        return geo_emit_icmp(f, LLVMIntSLT, bits, geo_emit_zero_like(bits));
    }
}

LLVMValueRef geo_arith_logic(struct geo_emit *e)
{
    LLVMBuilderRef b = e->f->llvm.builder;
    if (e->from->kind != GEO_TYPE_BOOL) {
        return NULL;
    }
    switch (e->op) {
    case SpvOpLogicalEqual:
        return geo_emit_icmp(e->f, LLVMIntEQ, e->v[0], e->v[1]);
    case SpvOpLogicalNotEqual:
        return LLVMBuildXor(b, e->v[0], e->v[1], "");
    case SpvOpLogicalOr:
        return LLVMBuildOr(b, e->v[0], e->v[1], "");
    case SpvOpLogicalAnd:
        return LLVMBuildAnd(b, e->v[0], e->v[1], "");
    default:
        return LLVMBuildNot(b, e->v[0], "");
    }
}

LLVMValueRef geo_arith_select_part(struct geo_emit *e)
{
    if (e->from->kind != GEO_TYPE_BOOL) {
        return NULL;
    }
    return geo_emit_select(e->f, e->v[0], e->v[1], e->v[2]);
}

LLVMValueRef geo_arith_freeze(struct geo_emit *e)
{
    return LLVMBuildFreeze(e->f->llvm.builder, e->v[0], "");
}

LLVMValueRef geo_arith_fminmax(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                               bool is_min)
{
    LLVMValueRef wins = geo_emit_fcmp(f, is_min ? LLVMRealOLT : LLVMRealOGT, b, a);
    LLVMValueRef best = geo_emit_select(f, wins, b, a);
    return geo_emit_select(f, geo_emit_fcmp(f, LLVMRealUNO, a, a), b, best);
}
