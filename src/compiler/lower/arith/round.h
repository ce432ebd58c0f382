/* Lowering of scalar operations: rounding of floats to integral values. */
#ifndef GEO_COMPILER_LOWER_ARITH_ROUND_H
#define GEO_COMPILER_LOWER_ARITH_ROUND_H

#include "compiler/lower/emit/type.h"

/* "llvm.floor", "llvm.ceil", "llvm.trunc", "llvm.roundeven", never a library call. */
LLVMValueRef geo_emit_round(struct geo_lower_function *f, const char *name, LLVMValueRef x);
/* double to float with a rounding mode. */
LLVMValueRef geo_emit_double_to_float(struct geo_lower_function *f, LLVMValueRef value,
                                      SpvFPRoundingMode mode);

#endif
