/* Indexes that wrap around (i % n, i / n, i & mask), for lanes that are all in one period.
 *
 * An index i moves evenly from lane to lane. The first lane's remainder tells where its period
 * starts. While no lane leaves this period, the remainder moves as evenly as i, and the quotient is
 * the same in all lanes:
 *
 *     start = first(i) - first(i) % n      i % n = i - start,  i / n = first(i) / n
 *
 * The first lane is a number of the chunk, so this takes one division of scalars instead of one in
 * each lane. */
#ifndef GEO_COMPILER_TRANSFORM_MEMORY_PERIODS_H
#define GEO_COMPILER_TRANSFORM_MEMORY_PERIODS_H

#include "compiler/transform/pass/pass.h"

#define GEO_PERIOD_BOUNDS 3u

/* A comparison that holds in all lanes that are in the period of the first lane. */
struct geo_period_bound {
    SpvOp op; /* SpvOpNop: no comparison */
    struct geo_ir_value *index, *limit;
};

/* The result of an instruction while all lanes are in one period. */
struct geo_period {
    struct geo_ir_inst *inst;
    struct geo_ir_value *inside; /* the same result, if the bounds hold */
    bool uniform;               /* `inside` is uniform, otherwise it moves as evenly as the index */
    struct geo_ir_value *index; /* the place in the period, which moves evenly */
    struct geo_period_bound bounds[GEO_PERIOD_BOUNDS];
};

/* Returns whether an instruction wraps an index around: its operand 0, or for a mask perhaps
 * operand 1. */
bool geo_period_wraps(const struct geo_ir_inst *inst);
/* Returns the period's length if it is a constant, otherwise 0. */
uint64_t geo_period_length(const struct geo_ir_inst *inst, const struct geo_ir_value *limit);
/* Creates the instructions of a period in front of `inst`. `index` is even and `limit` uniform.
 * Returns false if `inst` has none for this limit, or memory runs out. */
bool geo_period_make(struct geo_pass *pass, struct geo_ir_inst *inst, struct geo_ir_value *index,
                     struct geo_ir_value *limit, struct geo_period *out);

#endif
