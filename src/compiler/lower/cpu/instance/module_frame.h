/* The CPU's data about the module that is being lowered: the code that calls have requested so
 * far. */
#ifndef GEO_COMPILER_LOWER_CPU_INSTANCE_MODULE_FRAME_H
#define GEO_COMPILER_LOWER_CPU_INSTANCE_MODULE_FRAME_H

#include "compiler/lower/state/code.h"
#include "native/abi.h"

struct geo_lower_callees;
struct geo_lower_descriptor;
struct geo_lower_instance;

/* The descriptor and the instances of one function that were requested so far. */
struct geo_lower_requests {
    struct geo_lower_descriptor *descriptor; /* NULL: its address was not requested */
    struct geo_lower_instance *instances;    /* list kept by instance.c */
};

/* The CPU's data about one module, in the arena of struct geo_lower. */
struct geo_lower_module_frame {
    struct geo_lower_requests *requests; /* by geo_lower_code.index */
    /* cpu/module.c: instances that each kernel of the result calls, `callees_count` lists */
    struct geo_lower_callees *callees;
    size_t callees_count;
    /* descriptor.c */
    struct geo_lower_descriptor *descriptors;
    LLVMValueRef object; /* a symbol whose address identifies this binary */
    /* instance.c */
    struct geo_lower_instance *queue; /* instances whose bodies are not yet emitted */
    struct geo_lower_instance *instances;
    /* cpu/call/indirect.c: [linear][log2 of lanes], kinds of chunk that call through pointers */
    bool indirect_shapes[2][GEO_FUNCTION_WIDTHS];
};

/* Returns the requests of one function. */
static inline struct geo_lower_requests *geo_instance_requests(const struct geo_lower *lower,
                                                               const struct geo_lower_code *code)
{
    return &lower->frame->requests[code->index];
}

#endif
