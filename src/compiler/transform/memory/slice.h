/* A slice is the part of a value that clamps make varying, and the same part without clamps.
 * transform/memory/clamps.c gives loads at such addresses a second case. For loops with such bounds
 * transform/loops/windows.c does the same.
 *
 * Clamps are the functions min, max and clamp, and selections by a comparison. Below, "clamp" also
 * means an instruction that wraps an index around (periods.h). "Inside" means that all lanes are
 * inside all bounds, so that no clamp changes anything. */
#ifndef GEO_COMPILER_TRANSFORM_MEMORY_SLICE_H
#define GEO_COMPILER_TRANSFORM_MEMORY_SLICE_H

#include "compiler/analysis/shape.h"
#include "compiler/transform/memory/periods.h"

#define GEO_SLICE_LIMIT   16u /* instructions between clamps and a value */
#define GEO_SLICE_BOUNDS  6u  /* comparisons for one slice */
#define GEO_SLICE_PERIODS 16u /* instructions of one function that wrap an index around */

/* A comparison that holds where a clamp changes nothing. */
struct geo_slice_bound {
    SpvOp op;
    const struct geo_ir_inst *clamp; /* for the place in the source */
    struct geo_ir_value *index, *limit;
};

/* The periods of one function. */
struct geo_slice_periods {
    struct geo_period items[GEO_SLICE_PERIODS];
    uint32_t count;
};

/* The part of one value, or several ones, that clamps make varying. */
struct geo_slice {
    struct geo_pass *pass;
    const struct geo_shapes *shapes;
    struct geo_slice_periods *periods;          /* NULL: clamps do not wrap around */
    struct geo_ir_inst *insts[GEO_SLICE_LIMIT]; /* operands first */
    /* what each instruction is without clamps: its copy, or the index that is clamped */
    struct geo_ir_value *inside[GEO_SLICE_LIMIT];
    bool clamps[GEO_SLICE_LIMIT];
    bool uniform[GEO_SLICE_LIMIT]; /* it is uniform without clamps */
    uint32_t count;
    struct geo_slice_bound bounds[GEO_SLICE_BOUNDS];
    uint32_t bound_count;
};

/* Returns whether an instruction may clamp: min, max or clamp. */
bool geo_slice_is_clamp(const struct geo_ir_inst *inst);
/* Adds a varying value and what it is computed from. Returns false if it varies for another reason
 * than clamps; the slice is then as before. */
bool geo_slice_add(struct geo_slice *s, struct geo_ir_value *value);
/* Returns the value of an instruction of the slice without clamps, or the value itself. */
struct geo_ir_value *geo_slice_inside(const struct geo_slice *s, struct geo_ir_value *value);
/* Creates the copy of instruction `number`, which is not a clamp, in front of `before`. The copies
 * of those with smaller numbers exist already. Returns false when memory runs out. */
bool geo_slice_copy(struct geo_slice *s, uint32_t number, struct geo_ir_inst *before);
/* Creates the question whether all lanes are inside all bounds, in front of `before`. The slice has
 * bounds. Returns NULL when memory runs out. */
struct geo_ir_value *geo_slice_ask(const struct geo_slice *s, struct geo_ir_inst *before);

#endif
