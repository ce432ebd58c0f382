/* Scalar operations of lowering: what processors have to begin a division, root or exponential
 * with. */
#ifndef GEO_COMPILER_LOWER_ARITH_GUESS_H
#define GEO_COMPILER_LOWER_ARITH_GUESS_H

#include "compiler/lower/arith/operation.h"

/* GEO_OP_GUESS_INVERSE, GEO_OP_GUESS_INVERSE_ROOT: the processor's approximation. Its bits are the
 * same in every lane of every vector, but may be others on another processor. */
LLVMValueRef geo_emit_guess(struct geo_emit *e);
/* GEO_OP_SCALE: the same bits everywhere. */
LLVMValueRef geo_emit_scale(struct geo_emit *e);

#endif
