/* Converts half (16-bit float), which is held as its bits, to float and back. */
#ifndef GEO_COMPILER_LOWER_ARITH_HALF_H
#define GEO_COMPILER_LOWER_ARITH_HALF_H

#include "compiler/lower/emit/type.h"

/* Convert the bits of halves (i16, wide) to floats, and floats or doubles to the bits of halves. */
LLVMValueRef geo_arith_half_to_float(struct geo_lower_function *f, LLVMValueRef half);
LLVMValueRef geo_arith_float_to_half(struct geo_lower_function *f, LLVMValueRef value,
                                     SpvFPRoundingMode mode);

#endif
