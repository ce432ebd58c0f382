/* Lowering's LLVM words: moves between lanes by numbers that are not known while compiling, which
 * LLVM's shuffles cannot say. */
#ifndef GEO_COMPILER_LOWER_EMIT_PERMUTE_H
#define GEO_COMPILER_LOWER_EMIT_PERMUTE_H

#include "compiler/lower/emit/type.h"

/* <W x T>: lane i gets lane numbers[i] of the vector; numbers are <W x i32>, all below W, a power
 * of two. T: numbers, pointers, i1. */
LLVMValueRef geo_emit_permute(struct geo_lower_function *f, LLVMValueRef vector,
                              LLVMValueRef numbers);

#endif
