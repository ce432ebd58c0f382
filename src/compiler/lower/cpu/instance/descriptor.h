/* Descriptors of functions (struct geo_function, abi.h), which are the values of function pointers.
 * They are declared on request. cpu/instance/entries.c fills them when all instances are known. */
#ifndef GEO_COMPILER_LOWER_CPU_INSTANCE_DESCRIPTOR_H
#define GEO_COMPILER_LOWER_CPU_INSTANCE_DESCRIPTOR_H

#include "compiler/lower/state/function.h"

/* One descriptor, in the arena of struct geo_lower. */
struct geo_lower_descriptor {
    struct geo_lower_code *code;
    LLVMValueRef global;
    struct geo_lower_descriptor *next;
};

/* Returns the address of a function's descriptor, which is a constant. Reports an error if the
 * function cannot be called by pointer. */
LLVMValueRef geo_descriptor_address(struct geo_lower_function *f,
                                    const struct geo_ir_function *function);
/* Returns the mark for descriptors of this binary (geo_function.object, abi.h). It is an address in
 * the binary if functions of the module use local memory. Only the module's own kernels may call
 * these functions, because they alone lay out its local variables. Otherwise it is NULL, and any
 * kernel may call. */
LLVMValueRef geo_descriptor_object_mark(struct geo_lower *lower);

#endif
