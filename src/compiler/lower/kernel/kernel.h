/* A kernel while it is emitted (kernel.c). */
#ifndef GEO_COMPILER_LOWER_KERNEL_H
#define GEO_COMPILER_LOWER_KERNEL_H

#include "compiler/lower/frame/frame.h"

struct geo_lower_kernel_state {
    struct geo_lower_function f;
    struct geo_lower_kernel *kernel;
    struct geo_shapes shapes_fit, shapes_any; /* ids below 2^31; any ids */
    bool versions;                            /* the two differ: both are emitted */
    bool masked_only;                         /* this version has no copy for full chunks */
    LLVMValueRef group_slots[3];              /* allocas of i64: the group whose turn it is */
    LLVMValueRef records, record_offset;      /* chunk records; alloca of i64: the next chunk's */
    LLVMValueRef resume; /* i32: barrier to continue behind + 1; NULL without barriers */
};

#endif
