/* Instances: the code of a function that was not inlined, for one width and kind of chunk (f.wN). A
 * call or a descriptor requests the declaration; later cpu/module.c has the body emitted
 * (cpu/function/instance.c). */
#ifndef GEO_COMPILER_LOWER_CPU_INSTANCE_INSTANCE_H
#define GEO_COMPILER_LOWER_CPU_INSTANCE_INSTANCE_H

#include "compiler/lower/cpu/instance/module_frame.h"
#include "compiler/lower/state/function.h"

/* A list of instances that a function calls, each once or more. */
struct geo_lower_callees {
    struct geo_lower_instance **items;
    size_t count, capacity;
};

/* One instance. It lives in the arena of struct geo_lower. */
struct geo_lower_instance {
    struct geo_lower_code *code;
    uint32_t lanes;
    bool linear;
    LLVMValueRef function;
    LLVMTypeRef type;
    uint64_t frame_bytes; /* size of its own private variables */
    /* the same with those of its deepest chain of calls; valid if `measured` */
    uint64_t total_bytes;
    bool measured;
    struct geo_lower_callees callees;
    struct geo_lower_instance *next_of_code, *next_queued, *next;
};

/* Returns the instance of `code` for a width and kind of chunk, or NULL if it was not requested
 * yet. */
struct geo_lower_instance *geo_instance_find(const struct geo_lower *lower,
                                             const struct geo_lower_code *code, uint32_t lanes,
                                             bool linear);
/* Returns that instance, and creates and queues it on the first request. Returns NULL after a
 * failure. */
struct geo_lower_instance *geo_instance_get(struct geo_lower_function *f,
                                            struct geo_lower_code *code, uint32_t lanes,
                                            bool linear);
/* Computes total_bytes, the private memory in bytes that a call needs, of an instance and of all
 * instances it calls. Returns false when memory runs out. */
bool geo_instance_measure(struct geo_lower_instance *root);
/* Frees the lists of callees. */
void geo_instances_finish(struct geo_lower *lower);

#endif
