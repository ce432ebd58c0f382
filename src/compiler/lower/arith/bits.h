/* Emits shifts, bitwise logic, bit fields and bit counts. */
#ifndef GEO_COMPILER_LOWER_ARITH_BITS_H
#define GEO_COMPILER_LOWER_ARITH_BITS_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_arith_bit_op(struct geo_emit *e);

#endif
