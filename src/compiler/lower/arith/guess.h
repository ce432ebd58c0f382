/* Emits the processor's estimates, from which divisions, roots and exponentials start. */
#ifndef GEO_COMPILER_LOWER_ARITH_GUESS_H
#define GEO_COMPILER_LOWER_ARITH_GUESS_H

#include "compiler/lower/arith/operation.h"

/* Emits GEO_OP_GUESS_INVERSE or GEO_OP_GUESS_INVERSE_ROOT, the processor's estimate of 1 / x or 1 /
 * sqrt(x). The result is the same in every lane of every vector, but may differ between
 * processors. */
LLVMValueRef geo_arith_guess(struct geo_emit *e);
/* Emits GEO_OP_SCALE, x * 2^n. The result is the same on all processors. */
LLVMValueRef geo_arith_guess_scale(struct geo_emit *e);

#endif
