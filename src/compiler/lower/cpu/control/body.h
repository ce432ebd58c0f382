/* Emits the body of a function, block by block, for one chunk. Kernels and instances (function/)
 * call it. */
#ifndef GEO_COMPILER_LOWER_CPU_CONTROL_BODY_H
#define GEO_COMPILER_LOWER_CPU_CONTROL_BODY_H

#include "compiler/lower/state/function.h"

/* Emits the code for one chunk at the builder's position, for the lanes of frame.base_mask. The
 * builder ends where the chunk is finished. `resume` (i32) is 1 + the barrier behind which the
 * chunk continues; NULL or 0 means the start. In a kernel with regions, it emits the current
 * region. */
void geo_control_body(struct geo_lower_function *f, LLVMValueRef resume);
/* Allocates what the bodies of all regions share. Called before the first region. Returns false
 * after a failure. */
bool geo_control_body_regions_begin(struct geo_lower_function *f);
/* Emits the ambient values that are equal in the whole group, at the start of a group. */
void geo_control_body_group_ambient(struct geo_lower_function *f);

#endif
