/* The state of one LLVM function that lowering emits, kernel or instance, from its making to its
 * end. */
#ifndef GEO_COMPILER_LOWER_FUNCTION_BEGIN_H
#define GEO_COMPILER_LOWER_FUNCTION_BEGIN_H

#include "compiler/lower/state/code.h"
#include "compiler/lower/state/function.h"

struct geo_lower_callees;

/* f for one function at one width, nothing emitted yet; what it calls is added to `callees`. Finish
 * it whatever came of it. */
bool geo_lower_function_init(struct geo_lower_function *f, struct geo_lower *lower,
                             struct geo_lower_code *code, uint32_t lanes,
                             struct geo_lower_callees *callees, struct geo_arena *arena);
void geo_lower_function_finish(struct geo_lower_function *f);
/* Starts the LLVM function; the builder stands behind the block of allocas. */
void geo_lower_function_begin(struct geo_lower_function *f, LLVMValueRef llvm_function);
/* Switches to other shapes of the same function: a new plan and layout. */
bool geo_lower_function_shapes(struct geo_lower_function *f, const struct geo_shapes *shapes);

#endif
