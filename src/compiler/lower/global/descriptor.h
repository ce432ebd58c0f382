/* The addresses of functions: their descriptors (struct geo_function, abi.h), declared when they
 * are first asked for. instance/entries.c fills them when all instances are known. */
#ifndef GEO_COMPILER_LOWER_GLOBAL_DESCRIPTOR_H
#define GEO_COMPILER_LOWER_GLOBAL_DESCRIPTOR_H

#include "compiler/lower/state/function.h"

struct geo_lower_descriptor {
    struct geo_lower_code *code;
    LLVMValueRef global;
    struct geo_lower_descriptor *next;
};

/* The address of a function's descriptor, a constant. */
LLVMValueRef geo_lower_function_address(struct geo_lower_function *f,
                                        const struct geo_ir_function *function);
/* What tells this object's functions from others: NULL when none of them uses local memory, whose
 * place only this module's kernels know. */
LLVMValueRef geo_lower_object_mark(struct geo_lower *lower);

#endif
