/* Intermediate facts and state of the shape analysis. Shared by its fixpoint (shape.c), the rules
 * of instructions (shape_rules.c) and of divergent branches (divergence.c). */
#ifndef GEO_COMPILER_ANALYSIS_SHAPE_FACT_H
#define GEO_COMPILER_ANALYSIS_SHAPE_FACT_H

#include "compiler/analysis/ranges.h"
#include "compiler/analysis/shape.h"

/* Ordered: while the fixpoint runs, facts only move down this list. */
enum fact_kind {
    FACT_NONE, /* not evaluated yet */
    FACT_UNIFORM,
    FACT_STRIDED,
    FACT_VARYING,
};

/* The facts known about one value so far. */
struct fact {
    uint8_t kind;     /* enum fact_kind */
    bool live_signed; /* STRIDED: does not wrap among active lanes, as signed numbers */
    bool live_unsigned;
    bool anchored;
    bool leans;    /* STRIDED because an access would otherwise leave its object (index.h) */
    uint8_t zeros; /* not VARYING: low bits that are zero in lane 0 (shape_block.h) */
    int64_t stride;
};

/* One run of the analysis. It ends with geo_shapes_compute. */
struct shape_state {
    const struct geo_loops *loops;
    const struct geo_cfg *cfg;
    const struct geo_shape_options *options;
    struct geo_arena *arena;
    const struct geo_range *ranges;
    struct fact *facts; /* by value index */
    bool *trusted;      /* by value index: may rely on accesses in its own block (index.h) */
    struct geo_shapes *result;
    uint32_t *label, *pending, *reached; /* scratch of divergence.c */
    uint64_t work;                       /* blocks and edges visited by divergence.c so far */
    bool gave_up;                        /* the work limit was exceeded: everything is divergent */
};

extern const struct fact geo_uniform_fact, geo_varying_fact;

/* Returns a strided fact, or the uniform one for a stride of 0. It claims nothing about
 * wrapping. */
struct fact geo_strided_fact(int64_t stride);
/* Returns the current fact about any operand. */
struct fact geo_shape_fact(const struct shape_state *state, const struct geo_ir_value *value);
/* Returns the join of two facts about one value: the claims that hold in both cases. */
struct fact geo_shape_fact_join(struct fact a, struct fact b);

#endif
