/* The body of a function: its blocks, for one chunk. Called by kernels and instances
 * (function/). */
#ifndef GEO_COMPILER_LOWER_CONTROL_BODY_H
#define GEO_COMPILER_LOWER_CONTROL_BODY_H

#include "compiler/lower/state/function.h"

/* Emits the function's code for one chunk at the builder's position, with frame.base_mask on, and
 * leaves the builder where the chunk is done. `resume` (i32) is the barrier to continue behind + 1;
 * NULL or 0: from the start. */
void geo_lower_body(struct geo_lower_function *f, LLVMValueRef resume);

#endif
