/* What LLVM is told of a load, or a loop. */
#ifndef GEO_COMPILER_LOWER_EMIT_MARK_H
#define GEO_COMPILER_LOWER_EMIT_MARK_H

#include "compiler/lower/state/function.h"

/* Nothing writes there while the kernel runs. */
void geo_emit_mark_invariant(struct geo_lower_function *f, LLVMValueRef load);
/* Of a pointer that is loaded: so many bytes behind it can be read. */
void geo_emit_mark_readable(struct geo_lower_function *f, LLVMValueRef load, uint64_t bytes);
/* Of a loop, by the branch back to its head: it is not copied. */
void geo_emit_mark_rolled(struct geo_lower_function *f, LLVMValueRef branch);

#endif
