/* The body of a function: its blocks, for one chunk. Called by kernels and instances
 * (function/). */
#ifndef GEO_COMPILER_LOWER_CONTROL_BODY_H
#define GEO_COMPILER_LOWER_CONTROL_BODY_H

#include "compiler/lower/state/function.h"

/* Emits the function's code for one chunk at the builder's position, with frame.base_mask on, and
 * leaves the builder where the chunk is done. `resume` (i32) is the barrier to continue behind + 1;
 * NULL or 0: from the start. In a kernel that is cut: the code of the current region. */
void geo_lower_body(struct geo_lower_function *f, LLVMValueRef resume);
/* A kernel that is cut: before the first region. False after a failure. */
bool geo_lower_regions_begin(struct geo_lower_function *f);
/* Where a group starts: ambient values that are the same for all of it. */
void geo_lower_group_ambient(struct geo_lower_function *f);

#endif
