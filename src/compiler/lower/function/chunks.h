/* Lowering of whole functions: counted loops, and the loops of a work-group over its chunks. */
#ifndef GEO_COMPILER_LOWER_FUNCTION_CHUNKS_H
#define GEO_COMPILER_LOWER_FUNCTION_CHUNKS_H

#include "compiler/lower/function/groups.h"

/* for (counter = 0; ...; counter += step), its counter in an alloca. */
struct geo_lower_loop {
    LLVMValueRef slot, value;
    LLVMBasicBlockRef head, exit;
    bool counted; /* its end is known */
};

void geo_lower_loop_begin(struct geo_lower_function *f, struct geo_lower_loop *loop,
                          const char *name);
/* Goes on while the condition, a comparison with the end made in the loop's head, holds. */
void geo_lower_loop_while(struct geo_lower_function *f, struct geo_lower_loop *loop,
                          LLVMValueRef condition);
void geo_lower_loop_end(struct geo_lower_function *f, struct geo_lower_loop *loop, uint64_t step);

/* Runs the body in all chunks of the group at hand, with k->resume. */
void geo_lower_chunks_run(struct geo_lower_groups *k);

#endif
