/* Emits fma, correctly rounded even on machines without FMA instructions. */
#ifndef GEO_COMPILER_LOWER_ARITH_FMA_H
#define GEO_COMPILER_LOWER_ARITH_FMA_H

#include "compiler/lower/arith/operation.h"

/* Emits fma of OpenCL.std, including halves. */
LLVMValueRef geo_arith_fma(struct geo_emit *e);

#endif
