/* The analysis of each function of the model, made once and shared by all widths at which the
 * function is lowered. This file neither emits code nor changes the model. */
#ifndef GEO_COMPILER_LOWER_STATE_CODE_H
#define GEO_COMPILER_LOWER_STATE_CODE_H

#include "compiler/analysis/barriers.h"
#include "compiler/analysis/contended.h"
#include "compiler/analysis/dense.h"
#include "compiler/analysis/linear.h"
#include "compiler/analysis/pending.h"
#include "compiler/lower/state/module.h"

/* One function with a body and its analyses. It lives in the arena of struct geo_lower. */
struct geo_lower_code {
    struct geo_ir_function *function;
    uint32_t index; /* position in geo_lower.codes */
    struct geo_cfg cfg;
    struct geo_dominators dominators;
    struct geo_loops loops;
    struct geo_barriers barriers;
    struct geo_liveness liveness; /* only if the function has barriers */
    bool *crosses;                /* by value index: the value is used outside its block */
    struct geo_pending pending;   /* only in kernels */
    /* by value index: the phi whose home a phi shares (analysis/coalesce.h), with one lane and
       without barriers; NULL: none */
    const struct geo_ir_inst **coalesced;
    struct geo_dense dense;
    bool contended; /* only in kernels: groups may contend for memory (analysis/contended.h) */
    bool canonical; /* control flow has the form that divergence needs (linear.h) */
    bool subgroups; /* uses sub-group operations or built-ins, itself or through calls */
    /* largest number of values that one host call passes; 0: no host calls */
    uint64_t service_slots;
    bool calls;                     /* calls functions that are not inlined */
    bool indirect;                  /* calls through pointers */
    struct geo_ir_inst **variables; /* instructions that declare private variables */
    uint32_t variable_count;
};

/* Analyses all functions that have a body and fills lower->codes. Returns false when memory runs
 * out. */
bool geo_state_codes_make(struct geo_lower *lower);
/* Returns the analysis of a function, or NULL if the function has no body. */
struct geo_lower_code *geo_state_code_find(struct geo_lower *lower,
                                           const struct geo_ir_function *function);

/* Returns the number of values that a host call (printf, failed assertion) passes, at least 1.
 * Returns 0 if the instruction is something else. */
uint64_t geo_state_code_service_slots(const struct geo_ir_inst *inst);

#endif
