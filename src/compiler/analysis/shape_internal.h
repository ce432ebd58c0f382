/* Between the files of the shape analysis: shape.c (the fixpoint), shape_rules.c (what one
 * instruction makes of its operands' shapes), divergence.c (what a divergent branch does to
 * blocks).
 */
#ifndef GEO_COMPILER_ANALYSIS_SHAPE_INTERNAL_H
#define GEO_COMPILER_ANALYSIS_SHAPE_INTERNAL_H

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
    int64_t stride;
};

struct shape_state {
    const struct geo_loops *loops;
    const struct geo_cfg *cfg;
    const struct geo_shape_options *options;
    struct geo_arena *arena;
    const struct geo_range *ranges;
    struct fact *facts;    /* by value index */
    const bool *addressed; /* by value index: some access in its own block goes to an address in
                              bounds that this value adds to */
    struct geo_shapes *result;
    uint32_t *label, *pending; /* of divergence.c */
    uint64_t work;             /* blocks walked by divergence.c so far */
    bool gave_up;              /* the work limit was hit: everything diverges */
};

/* ---- shape_rules.c ---- */

struct fact geo_shape_fact(const struct shape_state *state, const struct geo_ir_value *value);
/* Of anything but phis; needs no operand to be evaluated. */
struct fact geo_shape_rule(const struct shape_state *state, const struct geo_ir_inst *inst);
/* The join of two facts about one value: what holds whichever is true. */
struct fact geo_shape_join(struct fact a, struct fact b);
/* See `addressed`; by value index. NULL when the arena ran out. */
bool *geo_shape_addressed(const struct geo_cfg *cfg, struct geo_arena *arena);

/* ---- divergence.c ---- */

/* The terminator of `branch` splits the lanes: sets divergent_block, divergent_join and
 * divergent_loop of the result. Calls `changed` for every block whose phis must be evaluated again.
 * False when the arena ran out. */
bool geo_divergence_spread(struct shape_state *state, const struct geo_ir_block *branch,
                           void (*changed)(void *data, struct geo_ir_block *block), void *data);

#endif
