/* Emits the functions of integers of SPV_INTEL_shader_integer_functions2. */
#ifndef GEO_COMPILER_LOWER_ARITH_FUNCTION2_H
#define GEO_COMPILER_LOWER_ARITH_FUNCTION2_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_arith_function2(struct geo_emit *e);

#endif
