/* The functions of the model, analysed once for all their widths. Nothing here emits code or
 * changes the model. */
#ifndef GEO_COMPILER_LOWER_STATE_CODE_H
#define GEO_COMPILER_LOWER_STATE_CODE_H

#include "compiler/analysis/barriers.h"
#include "compiler/analysis/linear.h"
#include "compiler/lower/state/module.h"

struct geo_lower_code {
    struct geo_ir_function *function;
    uint32_t index; /* in geo_lower.codes */
    struct geo_cfg cfg;
    struct geo_dominators dominators;
    struct geo_loops loops;
    struct geo_barriers barriers;
    struct geo_liveness liveness; /* with barriers only */
    bool *crosses;                /* [value index]: used outside of its own block */
    bool canonical;               /* control flow may diverge */
    bool subgroups;               /* uses sub-group operations or built-ins */
    uint64_t service_slots;       /* the most values that a call of the host takes; 0: none */
    bool calls;                   /* of functions that are not inlined */
    bool indirect;                /* calls through pointers */
    struct geo_lower_descriptor *descriptor; /* NULL: nobody asked for its address */
    struct geo_ir_inst **variables;          /* private variables */
    uint32_t variable_count;
    struct geo_lower_instance *instances; /* of instance/instance.c */
};

/* Analyses all functions that have a body. False when memory ran out. */
bool geo_lower_codes_make(struct geo_lower *lower);
/* NULL: the function has no body. */
struct geo_lower_code *geo_lower_code_find(struct geo_lower *lower,
                                           const struct geo_ir_function *function);

/* How many values a call of the host hands over; 0: the instruction is none. */
uint64_t geo_lower_service_slots(const struct geo_ir_inst *inst);

#endif
