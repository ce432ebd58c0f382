/* Finds the vectors of the model that pay when they are held densely: one vector of W * n elements,
 * in which each lane's n components are neighbours, as in memory. Otherwise a value is held as n
 * vectors of W elements (lower/value/value.h).
 *
 * For 8 and 16 bits, and bools that are computed of them, a register has places for more elements
 * than there are lanes. Loads and stores of neighbouring items need no transposition, and an
 * operation on all components is one operation on full registers. Vectors of 32 and 64 bits are
 * dense where the transpositions of loads and stores cost more than shuffles (dense_gain.h). */
#ifndef GEO_COMPILER_ANALYSIS_DENSE_H
#define GEO_COMPILER_ANALYSIS_DENSE_H

#include "compiler/analysis/shape.h"
#include "compiler/analysis/uses.h"

/* The values of a function that may be held densely, in the arena that was given to
 * geo_dense_find. */
struct geo_dense {
    const struct geo_ir_function *function;
    struct geo_uses uses; /* only if there are marks */
    bool by_block;        /* values that other blocks or phis use are not dense */
    bool large;           /* some elements have more than 16 bits */
    bool *marks;          /* by value index; NULL: none */
};

/* Finds the values that may be dense. The function must be numbered. `by_block`: only values that
 * no other block uses, for functions with barriers, whose records hold parts. Returns false when
 * the arena or the budget is exhausted. */
bool geo_dense_find(const struct geo_ir_function *function, struct geo_arena *arena, bool by_block,
                    struct geo_dense *out);
/* Sets *out to an array by value index that says which values are held densely if they differ
 * between lanes; NULL: none. Leaves out those with large elements that do not pay with these
 * shapes. Returns false when the arena or the budget is exhausted. */
bool geo_dense_choose(const struct geo_dense *dense, const struct geo_loops *loops,
                      const struct geo_shapes *shapes, struct geo_arena *arena, const bool **out);

#endif
