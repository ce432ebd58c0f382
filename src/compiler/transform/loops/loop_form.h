/* Shared by the files of the loop form pass. */
#ifndef GEO_COMPILER_TRANSFORM_LOOPS_LOOP_FORM_H
#define GEO_COMPILER_TRANSFORM_LOOPS_LOOP_FORM_H

#include "compiler/transform/pass/pass.h"

/* A function with the analyses of its graph, which are recomputed after each change. */
struct loop_pass {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    uint32_t *mark, *loop_mark; /* by block and by loop: scratch for bundles of edges */
    uint32_t epoch;             /* smaller marks are from earlier rounds */
};

/* Numbers the function and computes its analyses again. Returns false when memory runs out. */
bool loop_analyse(struct loop_pass *p);

/* Brings a function into loop form (loops.c). */
bool loop_form_make(struct geo_pass *pass, struct geo_ir_function *function);

/* Routes values that leave a loop through phis in its exits (lcssa.c). The graph is unchanged. */
bool loop_close_values(struct loop_pass *p);

#endif
