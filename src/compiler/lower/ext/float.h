/* Emits OpenCL.std instructions on floats, and those that select bits. */
#ifndef GEO_COMPILER_LOWER_EXT_FLOAT_H
#define GEO_COMPILER_LOWER_EXT_FLOAT_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_ext_float(struct geo_emit *e);
LLVMValueRef geo_ext_bits(struct geo_emit *e);

#endif
