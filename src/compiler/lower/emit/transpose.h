/* Lowering's LLVM words: a matrix in registers, turned. */
#ifndef GEO_COMPILER_LOWER_EMIT_TRANSPOSE_H
#define GEO_COMPILER_LOWER_EMIT_TRANSPOSE_H

#include "compiler/lower/emit/type.h"

/* `count` vectors of n elements are the rows; gives its n columns, vectors of `count` elements.
 * Both are powers of two, at most GEO_LOWER_LANES_LIMIT. */
void geo_emit_transpose(struct geo_lower_function *f, const LLVMValueRef *rows, uint32_t count,
                        LLVMValueRef *columns);

#endif
