/* Lowering of scalar operations: shifts, logic on bits, bit fields, counts. */
#ifndef GEO_COMPILER_LOWER_ARITH_BITS_H
#define GEO_COMPILER_LOWER_ARITH_BITS_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_emit_bit_op(struct geo_emit *e);

#endif
