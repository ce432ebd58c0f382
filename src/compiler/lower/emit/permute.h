/* Permutes lanes by indices that are computed at run time. LLVM's shuffles accept constant indices
 * only. */
#ifndef GEO_COMPILER_LOWER_EMIT_PERMUTE_H
#define GEO_COMPILER_LOWER_EMIT_PERMUTE_H

#include "compiler/lower/emit/type.h"

/* Returns the vector whose lane i is lane numbers[i] of `vector`. The indices are <W x i32>, below
 * W, and W is a power of two. Elements may be numbers, pointers or i1. */
LLVMValueRef geo_emit_permute(struct geo_lower_function *f, LLVMValueRef vector,
                              LLVMValueRef numbers);

#endif
