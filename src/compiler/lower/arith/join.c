/* The operations that reductions and scans of groups repeat. */
#include "compiler/lower/arith/join.h"

#include "base/assert.h"
#include "compiler/lower/arith/compare.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"

LLVMValueRef geo_arith_join_identity(enum geo_group_join join, LLVMTypeRef type, bool is_float,
                                     bool zero)
{
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef element = is_vector ? LLVMGetElementType(type) : type;
    GEO_ASSERT(is_float == (LLVMGetTypeKind(element) != LLVMIntegerTypeKind));
    uint32_t width = is_float ? 0 : LLVMGetIntTypeWidth(element);
    uint64_t sign = width ? UINT64_C(1) << (width - 1) : 0;
    switch (join) {
    case GEO_JOIN_ADD:
        return is_float && !zero ? geo_emit_real(type, -0.0) : LLVMConstNull(type);
    case GEO_JOIN_MUL:
        return is_float ? geo_emit_real(type, 1.0) : geo_emit_const(type, 1);
    case GEO_JOIN_FMIN:
        return geo_emit_real(type, __builtin_inf());
    case GEO_JOIN_FMAX:
        return geo_emit_real(type, -__builtin_inf());
    case GEO_JOIN_SMIN:
        return geo_emit_const(type, sign - 1);
    case GEO_JOIN_SMAX:
        return geo_emit_const(type, sign);
    case GEO_JOIN_UMIN:
    case GEO_JOIN_AND:
        return LLVMConstAllOnes(type);
    default:
        return LLVMConstNull(type);
    }
}

LLVMValueRef geo_arith_join_two(struct geo_lower_function *f, enum geo_group_join join,
                                LLVMValueRef a, LLVMValueRef b, bool is_float)
{
    switch (join) {
    case GEO_JOIN_ADD:
        return is_float ? LLVMBuildFAdd(f->llvm.builder, a, b, "")
                        : LLVMBuildAdd(f->llvm.builder, a, b, "");
    case GEO_JOIN_MUL:
        return is_float ? LLVMBuildFMul(f->llvm.builder, a, b, "")
                        : LLVMBuildMul(f->llvm.builder, a, b, "");
    case GEO_JOIN_SMIN:
        return geo_emit_minmax(f, "llvm.smin", a, b);
    case GEO_JOIN_UMIN:
        return geo_emit_minmax(f, "llvm.umin", a, b);
    case GEO_JOIN_SMAX:
        return geo_emit_minmax(f, "llvm.smax", a, b);
    case GEO_JOIN_UMAX:
        return geo_emit_minmax(f, "llvm.umax", a, b);
    case GEO_JOIN_FMIN:
    case GEO_JOIN_FMAX:
        return geo_arith_fminmax(f, a, b, join == GEO_JOIN_FMIN);
    case GEO_JOIN_AND:
        return LLVMBuildAnd(f->llvm.builder, a, b, "");
    case GEO_JOIN_OR:
        return LLVMBuildOr(f->llvm.builder, a, b, "");
    default:
        return LLVMBuildXor(f->llvm.builder, a, b, "");
    }
}
