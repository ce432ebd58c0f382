/* The compiler's pass that gives loops their form: its parts. */
#ifndef GEO_COMPILER_TRANSFORM_LOOP_FORM_H
#define GEO_COMPILER_TRANSFORM_LOOP_FORM_H

#include "compiler/transform/internal.h"

/* A function with what is known about its graph; analysed anew after each change. */
struct loop_pass {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    uint32_t *mark; /* [block]: scratch of edges_gather */
    uint32_t epoch;
};

bool loop_analyse(struct loop_pass *p);

/* A new block through which the edges from -> to lead from now on, `count` of them. It stands
 * before `to` in the list. Phis of `to` are split. NULL after a failure. */
struct geo_ir_block *edges_gather(struct loop_pass *p, struct geo_ir_block *const *from,
                                  uint32_t count, struct geo_ir_block *to);

/* lcssa.c: values leaving a loop go through phis in its exits. The graph is not changed. */
bool loop_close_values(struct loop_pass *p);

#endif
