/* Emits integer division and remainder, and float remainder. */
#ifndef GEO_COMPILER_LOWER_ARITH_DIVIDE_H
#define GEO_COMPILER_LOWER_ARITH_DIVIDE_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_arith_divide(struct geo_emit *e);
LLVMValueRef geo_arith_divide_frem_part(struct geo_emit *e);

#endif
