/* Moves values between lanes, for lane numbers known at build time. */
#ifndef GEO_COMPILER_LOWER_EMIT_LANES_H
#define GEO_COMPILER_LOWER_EMIT_LANES_H

#include "compiler/lower/emit/type.h"

/* Broadcasts a scalar to W lanes. */
LLVMValueRef geo_lanes_splat(struct geo_lower_function *f, LLVMValueRef scalar);
/* Returns first + lane * stride in W lanes; the stride of pointers is in bytes. */
LLVMValueRef geo_lanes_ramp(struct geo_lower_function *f, LLVMValueRef first, int64_t stride);
/* Returns one lane of a vector of W lanes. */
LLVMValueRef geo_emit_lane(struct geo_lower_function *f, LLVMValueRef vector, uint32_t lane);

/* Returns lanes [start, start + count) of a vector. */
LLVMValueRef geo_lanes_slice(struct geo_lower_function *f, LLVMValueRef vector, uint32_t start,
                             uint32_t count);
/* Concatenates two vectors. The second must not be longer than the first. */
LLVMValueRef geo_lanes_concat(struct geo_lower_function *f, LLVMValueRef low, LLVMValueRef high);
/* Returns `count` lanes of a vector: start, start + step, and so on. */
LLVMValueRef geo_lanes_stride(struct geo_lower_function *f, LLVMValueRef vector, int32_t start,
                              int32_t step, uint32_t count);

#endif
