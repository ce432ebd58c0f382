/* Instances: a function that was not inlined, at one width and kind of chunk (f.wN). A call, or a
 * descriptor, asks for the declaration; module.c has the bodies emitted (function/instance.c). */
#ifndef GEO_COMPILER_LOWER_INSTANCE_INSTANCE_H
#define GEO_COMPILER_LOWER_INSTANCE_INSTANCE_H

#include "compiler/lower/state/code.h"
#include "compiler/lower/state/function.h"

struct geo_lower_callees {
    struct geo_lower_instance **items;
    size_t count, capacity;
};

struct geo_lower_instance {
    struct geo_lower_code *code;
    uint32_t lanes;
    bool linear;
    LLVMValueRef function;
    LLVMTypeRef type;
    uint64_t frame_bytes; /* its own private variables */
    uint64_t total_bytes; /* with those of what it calls; known when `measured` */
    bool measured;
    struct geo_lower_callees callees;
    struct geo_lower_instance *next_of_code, *next_queued, *next;
};

/* The instance of `code` for a width and kind of chunk; NULL: nobody asked for it. */
struct geo_lower_instance *geo_lower_instance_find(const struct geo_lower_code *code,
                                                   uint32_t lanes, bool linear);
/* The same, made and queued when it is first asked for. NULL after a failure. */
struct geo_lower_instance *geo_lower_instance_get(struct geo_lower_function *f,
                                                  struct geo_lower_code *code, uint32_t lanes,
                                                  bool linear);
/* Private bytes of an instance with all it calls. False when memory ran out. */
bool geo_lower_instance_measure(struct geo_lower_instance *root);
/* Frees what the instances hold. */
void geo_lower_instances_finish(struct geo_lower *lower);

#endif
