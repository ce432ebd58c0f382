/* Lowering's LLVM words: moving values between the lanes of vectors by numbers that are known. */
#ifndef GEO_COMPILER_LOWER_EMIT_LANES_H
#define GEO_COMPILER_LOWER_EMIT_LANES_H

#include "compiler/lower/emit/type.h"

/* Broadcast of a scalar; first + lane * stride (integers, pointers in bytes); lane l of a vector:
 * all at width W. */
LLVMValueRef geo_emit_splat(struct geo_lower_function *f, LLVMValueRef scalar);
LLVMValueRef geo_emit_ramp(struct geo_lower_function *f, LLVMValueRef first, int64_t stride);
LLVMValueRef geo_emit_lane(struct geo_lower_function *f, LLVMValueRef vector, uint32_t lane);

/* Lanes [start, start + count) of a vector; two vectors one after the other, the second not longer
 * than the first. */
LLVMValueRef geo_emit_slice(struct geo_lower_function *f, LLVMValueRef vector, uint32_t start,
                            uint32_t count);
LLVMValueRef geo_emit_concat(struct geo_lower_function *f, LLVMValueRef low, LLVMValueRef high);
/* Lanes start, start + step ... (`count` of them) of a vector. */
LLVMValueRef geo_emit_stride(struct geo_lower_function *f, LLVMValueRef vector, int32_t start,
                             int32_t step, uint32_t count);

#endif
