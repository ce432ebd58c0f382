/* Scalar operations of lowering: half (16-bit float), held as its bits, to float and back. */
#ifndef GEO_COMPILER_LOWER_ARITH_HALF_H
#define GEO_COMPILER_LOWER_ARITH_HALF_H

#include "compiler/lower/emit/type.h"

/* Bits of half (i16, wide) to float, and float or double to the bits of half. */
LLVMValueRef geo_emit_half_to_float(struct geo_lower_function *f, LLVMValueRef half);
LLVMValueRef geo_emit_float_to_half(struct geo_lower_function *f, LLVMValueRef value,
                                    SpvFPRoundingMode mode);

#endif
