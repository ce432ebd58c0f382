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
    uint32_t *mark, *loop_mark; /* [block], [loop]: scratch of bundles of edges */
    uint32_t epoch;             /* marks below it are of before */
};

bool loop_analyse(struct loop_pass *p);

/* lcssa.c: values leaving a loop go through phis in its exits. The graph is not changed. */
bool loop_close_values(struct loop_pass *p);

#endif
