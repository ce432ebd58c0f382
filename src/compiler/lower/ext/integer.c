/* Emits OpenCL.std instructions on integers. */
#include "compiler/lower/ext/integer.h"

#include "compiler/lower/arith/arith.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/ext/rows.h"

static LLVMValueRef count_zeros(struct geo_lower_function *f, const char *name, LLVMValueRef x)
{
    LLVMValueRef args[2] = {x, LLVMConstInt(LLVMInt1TypeInContext(f->llvm.context), 0, false)};
    return geo_emit_intrinsic(f, name, args, 2);
}

/* Averages without overflow: (x & y) + ((x ^ y) >> 1), or rounded up (x | y) - ((x ^ y) >> 1). */
static LLVMValueRef average(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y,
                            bool is_signed, bool up)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef differs = LLVMBuildXor(b, x, y, ""), one = geo_emit_const_like(x, 1);
    LLVMValueRef half =
        is_signed ? LLVMBuildAShr(b, differs, one, "") : LLVMBuildLShr(b, differs, one, "");
    return up ? LLVMBuildSub(b, LLVMBuildOr(b, x, y, ""), half, "")
              : LLVMBuildAdd(b, LLVMBuildAnd(b, x, y, ""), half, "");
}

static LLVMValueRef abs_diff(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y,
                             bool is_signed)
{
    LLVMValueRef most = geo_emit_minmax(f, is_signed ? "llvm.smax" : "llvm.umax", x, y);
    LLVMValueRef least = geo_emit_minmax(f, is_signed ? "llvm.smin" : "llvm.umin", x, y);
    return LLVMBuildSub(f->llvm.builder, most, least, "");
}

/* Returns x * y + z, saturated. The sum is held in two words. */
static LLVMValueRef mad_sat(struct geo_lower_function *f, LLVMValueRef x, LLVMValueRef y,
                            LLVMValueRef z, bool is_signed)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef zero = geo_emit_zero_like(x), all = geo_emit_const_like(x, ~0ull);
    LLVMValueRef sign = geo_emit_const_like(x, geo_type_bits(x) - 1);
    LLVMValueRef low = LLVMBuildAdd(b, LLVMBuildMul(b, x, y, ""), z, "");
    LLVMValueRef carry = geo_emit_zext(f, geo_emit_icmp(f, LLVMIntULT, low, z), geo_type_bits(x));
    LLVMValueRef high = LLVMBuildAdd(b, geo_arith_mul_high(f, x, y, is_signed), carry, "");
    if (!is_signed) {
        return geo_emit_select(f, geo_emit_icmp(f, LLVMIntEQ, high, zero), low, all);
    }
    high = LLVMBuildAdd(b, high, LLVMBuildAShr(b, z, sign, ""), "");
    LLVMValueRef most = LLVMBuildLShr(b, all, geo_emit_const_like(x, 1), "");
    LLVMValueRef limit = LLVMBuildXor(b, LLVMBuildAShr(b, high, sign, ""), most, "");
    LLVMValueRef fits = geo_emit_icmp(f, LLVMIntEQ, high, LLVMBuildAShr(b, low, sign, ""));
    return geo_emit_select(f, fits, low, limit);
}

static LLVMValueRef upsample(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    uint32_t width = e->from->width;
    if (e->type->width != 2 * width) {
        return NULL;
    }
    LLVMValueRef high = geo_emit_zext(f, e->v[0], 2 * width);
    LLVMValueRef low = geo_emit_zext(f, e->v[1], 2 * width);
    high = LLVMBuildShl(f->llvm.builder, high, geo_emit_const_like(high, width), "");
    return LLVMBuildOr(f->llvm.builder, high, low, "");
}

static LLVMValueRef two(struct geo_emit *e, const char *name)
{
    return geo_emit_intrinsic(e->f, name, e->v, 2);
}

static LLVMValueRef clamp(struct geo_emit *e, const char *most, const char *least)
{
    LLVMValueRef raised = geo_emit_minmax(e->f, most, e->v[0], e->v[1]);
    return geo_emit_minmax(e->f, least, raised, e->v[2]);
}

LLVMValueRef geo_ext_integer(struct geo_emit *e)
{
    struct geo_lower_function *f = e->f;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef x = e->v[0], y = e->v[1], z = e->v[2];
    if (e->from->kind != GEO_TYPE_INT) {
        return NULL;
    }
    switch ((enum geo_ext_integer)e->op) {
    case INTEGER_SAbs:
        return geo_emit_abs(f, x);
    case INTEGER_UAbs:
        return x;
    case INTEGER_SAbs_diff:
        return abs_diff(f, x, y, true);
    case INTEGER_UAbs_diff:
        return abs_diff(f, x, y, false);
    case INTEGER_SAdd_sat:
        return two(e, "llvm.sadd.sat");
    case INTEGER_UAdd_sat:
        return two(e, "llvm.uadd.sat");
    case INTEGER_SSub_sat:
        return two(e, "llvm.ssub.sat");
    case INTEGER_USub_sat:
        return two(e, "llvm.usub.sat");
    case INTEGER_SHadd:
        return average(f, x, y, true, false);
    case INTEGER_UHadd:
        return average(f, x, y, false, false);
    case INTEGER_SRhadd:
        return average(f, x, y, true, true);
    case INTEGER_URhadd:
        return average(f, x, y, false, true);
    case INTEGER_SClamp:
        return clamp(e, "llvm.smax", "llvm.smin");
    case INTEGER_UClamp:
        return clamp(e, "llvm.umax", "llvm.umin");
    case INTEGER_Clz:
        return count_zeros(f, "llvm.ctlz", x);
    case INTEGER_Ctz:
        return count_zeros(f, "llvm.cttz", x);
    case INTEGER_Popcount:
        return geo_emit_intrinsic(f, "llvm.ctpop", &x, 1);
    case INTEGER_SMax:
        return two(e, "llvm.smax");
    case INTEGER_UMax:
        return two(e, "llvm.umax");
    case INTEGER_SMin:
        return two(e, "llvm.smin");
    case INTEGER_UMin:
        return two(e, "llvm.umin");
    case INTEGER_SMul_hi:
        return geo_arith_mul_high(f, x, y, true);
    case INTEGER_UMul_hi:
        return geo_arith_mul_high(f, x, y, false);
    case INTEGER_SMad_hi:
        return LLVMBuildAdd(b, geo_arith_mul_high(f, x, y, true), z, "");
    case INTEGER_UMad_hi:
        return LLVMBuildAdd(b, geo_arith_mul_high(f, x, y, false), z, "");
    case INTEGER_SMad_sat:
        return mad_sat(f, x, y, z, true);
    case INTEGER_UMad_sat:
        return mad_sat(f, x, y, z, false);
    case INTEGER_Rotate: {
        LLVMValueRef args[3] = {x, x, y};
        return geo_emit_intrinsic(f, "llvm.fshl", args, 3);
    }
    case INTEGER_U_Upsample:
    case INTEGER_S_Upsample:
        return upsample(e);
    case INTEGER_SMul24:
    case INTEGER_UMul24:
        return LLVMBuildMul(b, x, y, "");
    case INTEGER_SMad24:
    case INTEGER_UMad24:
        return LLVMBuildAdd(b, LLVMBuildMul(b, x, y, ""), z, "");
    }
    return NULL;
}
