/* Emits integer and float arithmetic. */
#ifndef GEO_COMPILER_LOWER_ARITH_ARITH_H
#define GEO_COMPILER_LOWER_ARITH_ARITH_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_arith_emit(struct geo_emit *e);
/* Returns the upper half of a product. */
LLVMValueRef geo_arith_mul_high(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                                bool is_signed);

#endif
