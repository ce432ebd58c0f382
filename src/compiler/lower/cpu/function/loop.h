/* Emits counted loops. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_LOOP_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_LOOP_H

#include "compiler/lower/state/function.h"

/* A loop for (counter = 0; ...; counter += step) whose counter is in an alloca. */
struct geo_lower_loop {
    LLVMValueRef slot, value;
    LLVMBasicBlockRef head, exit;
    bool counted; /* its end is a constant */
};

/* Starts a loop. The builder is then in the loop's head, and loop->value is the counter. */
void geo_function_loop_begin(struct geo_lower_function *f, struct geo_lower_loop *loop,
                             const char *name);
/* Leaves the loop unless the condition holds, and moves the builder to the body. The condition is a
 * comparison with the end, computed in the head. */
void geo_function_loop_while(struct geo_lower_function *f, struct geo_lower_loop *loop,
                             LLVMValueRef condition);
/* Ends the body: adds `step` to the counter, branches back, and moves the builder behind the
 * loop. */
void geo_function_loop_end(struct geo_lower_function *f, struct geo_lower_loop *loop,
                           uint64_t step);

/* Returns an i1: a < b, unsigned. */
LLVMValueRef geo_function_loop_below(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b);

#endif
