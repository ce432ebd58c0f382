/* Transposes matrices in vector registers. */
#ifndef GEO_COMPILER_LOWER_EMIT_TRANSPOSE_H
#define GEO_COMPILER_LOWER_EMIT_TRANSPOSE_H

#include "compiler/lower/emit/type.h"

/* Transposes a matrix of `count` rows, which are vectors of n elements. Stores its n columns,
 * vectors of `count` elements, in `columns`. Both numbers are powers of two, at most
 * GEO_LOWER_LANES_LIMIT. */
void geo_emit_transpose(struct geo_lower_function *f, const LLVMValueRef *rows, uint32_t count,
                        LLVMValueRef *columns);

#endif
