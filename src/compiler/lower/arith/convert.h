/* Lowering of scalar operations: conversions between integers and floats of all widths. */
#ifndef GEO_COMPILER_LOWER_ARITH_CONVERT_H
#define GEO_COMPILER_LOWER_ARITH_CONVERT_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_emit_convert(struct geo_emit *e);
/* bfloat16 in 16-bit integers, to float and back. */
LLVMValueRef geo_emit_bfloat(struct geo_emit *e);
/* A float to one with the ten bits of fraction that TF32 has, to nearest even. */
LLVMValueRef geo_emit_tf32(struct geo_emit *e);

#endif
