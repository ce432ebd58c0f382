/* The state of one LLVM function, kernel or instance, from its creation to its end. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_BEGIN_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_BEGIN_H

#include "compiler/lower/state/code.h"
#include "compiler/lower/state/function.h"

struct geo_lower_callees;

/* Initialises `f` for one function at one width. Called instances are added to `callees`. Returns
 * false after a failure. geo_function_finish must be called in both cases. */
bool geo_function_init(struct geo_lower_function *f, struct geo_lower *lower,
                       struct geo_lower_code *code, uint32_t lanes,
                       struct geo_lower_callees *callees, struct geo_arena *arena);
void geo_function_finish(struct geo_lower_function *f);
/* Starts the LLVM function. The builder is then behind the block of allocas. */
void geo_function_begin(struct geo_lower_function *f, LLVMValueRef llvm_function);
/* Switches to other shapes of the same function, with a new plan and layout. Returns false after a
 * failure. */
bool geo_function_shapes(struct geo_lower_function *f, const struct geo_shapes *shapes);

#endif
