/* Emits conversions between integers and floats of all widths. */
#ifndef GEO_COMPILER_LOWER_ARITH_CONVERT_H
#define GEO_COMPILER_LOWER_ARITH_CONVERT_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_arith_convert(struct geo_emit *e);
/* Converts bfloat16, held in 16-bit integers, to float or back. */
LLVMValueRef geo_arith_convert_bfloat(struct geo_emit *e);
/* Rounds a float to the ten fraction bits of TF32, to nearest even. */
LLVMValueRef geo_arith_convert_tf32(struct geo_emit *e);

#endif
