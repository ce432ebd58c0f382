/* Rounds floats to integral values, and doubles to floats. */
#ifndef GEO_COMPILER_LOWER_ARITH_ROUND_H
#define GEO_COMPILER_LOWER_ARITH_ROUND_H

#include "compiler/lower/emit/type.h"

/* Emits "llvm.floor", "llvm.ceil", "llvm.trunc" or "llvm.roundeven", without a library call on any
 * target. */
LLVMValueRef geo_arith_round(struct geo_lower_function *f, const char *name, LLVMValueRef x);
/* Converts double to float in a rounding mode. */
LLVMValueRef geo_arith_round_to_float(struct geo_lower_function *f, LLVMValueRef value,
                                      SpvFPRoundingMode mode);

#endif
