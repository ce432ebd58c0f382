/* Emits counts of zeros, differences, saturating sums, averages and products with 16 bits. See
 * function2.h. */
#include "compiler/lower/arith/function2.h"

#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"

static LLVMValueRef zeros(struct geo_lower_function *f, const char *name, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef arguments[] = {value, LLVMConstNull(geo_type_i1(f))}; /* 0 has a result too */
    return geo_emit_intrinsic_of(f, name, &type, 1, arguments, 2);
}

static LLVMValueRef difference(struct geo_lower_function *f, const char *max, const char *min,
                               LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSub(f->llvm.builder, geo_emit_minmax(f, max, a, b),
                        geo_emit_minmax(f, min, a, b), "");
}

/* Returns half the sum of two numbers, rounded down or up. Common bits are added whole, others by
 * half. */
static LLVMValueRef average(struct geo_lower_function *f, bool is_signed, bool up, LLVMValueRef x,
                            LLVMValueRef y)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef one = geo_emit_const_like(x, 1), differing = LLVMBuildXor(b, x, y, "");
    LLVMValueRef half =
        is_signed ? LLVMBuildAShr(b, differing, one, "") : LLVMBuildLShr(b, differing, one, "");
    return up ? LLVMBuildSub(b, LLVMBuildOr(b, x, y, ""), half, "")
              : LLVMBuildAdd(b, LLVMBuildAnd(b, x, y, ""), half, "");
}

LLVMValueRef geo_arith_function2(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMValueRef x = e->v[0], y = e->v[1], low;
    switch (e->op) {
    case SpvOpUCountLeadingZerosINTEL:
        return zeros(f, "llvm.ctlz", x);
    case SpvOpUCountTrailingZerosINTEL:
        return zeros(f, "llvm.cttz", x);
    case SpvOpAbsISubINTEL:
        return difference(f, "llvm.smax", "llvm.smin", x, y);
    case SpvOpAbsUSubINTEL:
        return difference(f, "llvm.umax", "llvm.umin", x, y);
    case SpvOpIAddSatINTEL:
        return geo_emit_intrinsic(f, "llvm.sadd.sat", e->v, 2);
    case SpvOpUAddSatINTEL:
        return geo_emit_intrinsic(f, "llvm.uadd.sat", e->v, 2);
    case SpvOpISubSatINTEL:
        return geo_emit_intrinsic(f, "llvm.ssub.sat", e->v, 2);
    case SpvOpUSubSatINTEL:
        return geo_emit_intrinsic(f, "llvm.usub.sat", e->v, 2);
    case SpvOpIAverageINTEL:
    case SpvOpUAverageINTEL:
        return average(f, e->op == SpvOpIAverageINTEL, false, x, y);
    case SpvOpIAverageRoundedINTEL:
    case SpvOpUAverageRoundedINTEL:
        return average(f, e->op == SpvOpIAverageRoundedINTEL, true, x, y);
    default: /* OpIMul32x16INTEL, OpUMul32x16INTEL: the upper bits of y are not a part of it */
        low = geo_emit_zext(f, y, 16);
        low = e->op == SpvOpIMul32x16INTEL ? geo_emit_sext(f, low, 32) : geo_emit_zext(f, low, 32);
        return LLVMBuildMul(f->llvm.builder, x, low, "");
    }
}
