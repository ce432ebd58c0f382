/* What the shape analysis knows while it runs, below its fixpoint (shape.c), the rules of
 * instructions (shape_rules.c) and of divergent branches (divergence.c). */
#ifndef GEO_COMPILER_ANALYSIS_SHAPE_FACT_H
#define GEO_COMPILER_ANALYSIS_SHAPE_FACT_H

#include "compiler/analysis/ranges.h"
#include "compiler/analysis/shape.h"

/* Facts only ever move down this list while the fixpoint runs. */
enum fact_kind {
    FACT_NONE, /* not evaluated yet */
    FACT_UNIFORM,
    FACT_STRIDED,
    FACT_VARYING,
};

struct fact {
    uint8_t kind;     /* enum fact_kind */
    bool live_signed; /* STRIDED: does not wrap among the lanes that are on, read as signed */
    bool live_unsigned;
    bool anchored;
    bool leans;    /* STRIDED because accesses stay inside of their objects (index.h) */
    uint8_t zeros; /* not VARYING: low bits that are zero in lane 0 (shape_block.h) */
    int64_t stride;
};

struct shape_state {
    const struct geo_loops *loops;
    const struct geo_cfg *cfg;
    const struct geo_shape_options *options;
    struct geo_arena *arena;
    const struct geo_range *ranges;
    struct fact *facts; /* by value index */
    bool *trusted;      /* by value index: may lean on accesses in its own block (index.h) */
    struct geo_shapes *result;
    uint32_t *label, *pending, *reached; /* of divergence.c */
    uint64_t work;                       /* blocks and edges walked by divergence.c so far */
    bool gave_up;                        /* the work limit was hit: everything diverges */
};

extern const struct fact geo_uniform_fact, geo_varying_fact;

/* Strided, or uniform for a stride of 0; claims nothing. */
struct fact geo_strided_fact(int64_t stride);
struct fact geo_shape_fact(const struct shape_state *state, const struct geo_ir_value *value);
/* The join of two facts about one value: what holds whichever is true. */
struct fact geo_shape_join(struct fact a, struct fact b);

#endif
