/* Builds numeric constants as wide values. */
#ifndef GEO_COMPILER_LOWER_EMIT_NUMBER_H
#define GEO_COMPILER_LOWER_EMIT_NUMBER_H

#include "compiler/lower/emit/type.h"

static inline LLVMValueRef geo_emit_const_i32(const struct geo_lower_function *f, uint64_t bits)
{
    return LLVMConstInt(geo_type_i32(f), bits, 0);
}
static inline LLVMValueRef geo_emit_const_i64(const struct geo_lower_function *f, uint64_t bits)
{
    return LLVMConstInt(geo_type_i64(f), bits, 0);
}

/* Build a constant of a wide type, equal in all lanes. */
LLVMValueRef geo_emit_const(LLVMTypeRef type, uint64_t bits);
LLVMValueRef geo_emit_real(LLVMTypeRef type, double value);
/* Build a constant of the type of `like`, equal in all lanes. */
LLVMValueRef geo_emit_const_like(LLVMValueRef like, uint64_t bits);
LLVMValueRef geo_emit_real_like(LLVMValueRef like, double value);
LLVMValueRef geo_emit_zero_like(LLVMValueRef like);
/* Returns the constant vector 0, step, 2 * step ... as <lanes x i`bits`>. */
LLVMValueRef geo_emit_lane_steps(struct geo_lower_function *f, uint32_t bits, uint32_t lanes,
                                 int64_t step);

#endif
