/* Emits OpenCL.std instructions on integers. */
#ifndef GEO_COMPILER_LOWER_EXT_INTEGER_H
#define GEO_COMPILER_LOWER_EXT_INTEGER_H

#include "compiler/lower/arith/operation.h"

LLVMValueRef geo_ext_integer(struct geo_emit *e);

#endif
