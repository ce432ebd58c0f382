/* Attaches metadata to loads and loops. */
#ifndef GEO_COMPILER_LOWER_EMIT_MARK_H
#define GEO_COMPILER_LOWER_EMIT_MARK_H

#include "compiler/lower/state/function.h"

/* Declares that the loaded memory does not change while the kernel runs. */
void geo_emit_mark_invariant(struct geo_lower_function *f, LLVMValueRef load);
/* Declares that at least `bytes` bytes behind the loaded pointer are readable. */
void geo_emit_mark_readable(struct geo_lower_function *f, LLVMValueRef load, uint64_t bytes);
/* Forbids LLVM to unroll a loop. `branch` is the branch back to the loop's head. */
void geo_emit_mark_rolled(struct geo_lower_function *f, LLVMValueRef branch);

#endif
