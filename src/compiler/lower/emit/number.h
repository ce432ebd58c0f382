/* LLVM's words for lowering: constant numbers as wide values. */
#ifndef GEO_COMPILER_LOWER_EMIT_NUMBER_H
#define GEO_COMPILER_LOWER_EMIT_NUMBER_H

#include "compiler/lower/emit/type.h"

static inline LLVMValueRef geo_emit_const_i32(const struct geo_lower_function *f, uint64_t bits)
{
    return LLVMConstInt(geo_emit_i32(f), bits, 0);
}
static inline LLVMValueRef geo_emit_const_i64(const struct geo_lower_function *f, uint64_t bits)
{
    return LLVMConstInt(geo_emit_i64(f), bits, 0);
}

/* Of a wide type, every lane the same. */
LLVMValueRef geo_emit_const(LLVMTypeRef type, uint64_t bits);
LLVMValueRef geo_emit_real(LLVMTypeRef type, double value);
/* The same, of the type of `like`. */
LLVMValueRef geo_emit_const_like(LLVMValueRef like, uint64_t bits);
LLVMValueRef geo_emit_real_like(LLVMValueRef like, double value);
LLVMValueRef geo_emit_zero_like(LLVMValueRef like);
/* 0, 1, 2 ... times `step` as <lanes x iN>. */
LLVMValueRef geo_emit_lane_steps(struct geo_lower_function *f, uint32_t bits, uint32_t lanes,
                                 int64_t step);

#endif
