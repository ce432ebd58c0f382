/* The data of the SIMT machine about the function and the module that it emits. */
#ifndef GEO_COMPILER_LOWER_SIMT_FRAME_H
#define GEO_COMPILER_LOWER_SIMT_FRAME_H

#include "compiler/lower/state/code.h"
#include "compiler/lower/state/function.h"
#include "native/nvidia.h"

/* The function that is being emitted. */
struct geo_lower_frame {
    struct geo_lower_code *code;
    LLVMValueRef arguments; /* the block of arguments; NULL: not a kernel */
    /* The properties of the launch that no register of the machine has. They are the last
     * parameters of every kernel and function. */
    LLVMValueRef launch[GEO_NVIDIA_PARAMETERS];
    /* All items of a group reach each barrier together, or none does. */
    bool barriers_aligned;
    /* By block: some items of a sub-group may be elsewhere. NULL: the function has no operations of
     * sub-groups. */
    const bool *divergent;
    LLVMBasicBlockRef *starts, *ends; /* by position in the control flow graph's order */
};

/* The module that is being emitted. */
struct geo_lower_module_frame {
    LLVMValueRef local;            /* the shared memory of a group, whose size the launch chooses */
    LLVMValueRef values;           /* shared memory of collective.c; NULL: not used */
    LLVMValueRef *functions;       /* by geo_lower_code.index: declared functions; NULL: not yet */
    struct geo_lower_code **queue; /* declared functions, in the order of the requests */
    uint32_t queued, emitted;
    uint32_t names; /* the number of the next name of ours for a symbol */
};

#endif
