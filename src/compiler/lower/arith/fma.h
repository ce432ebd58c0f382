/* Lowering of scalar operations: fma, correctly rounded also without FMA instructions. */
#ifndef GEO_COMPILER_LOWER_ARITH_FMA_H
#define GEO_COMPILER_LOWER_ARITH_FMA_H

#include "compiler/lower/arith/operation.h"

/* OpenCL.std's, of half too. */
LLVMValueRef geo_emit_ext_fma(struct geo_emit *e);

#endif
