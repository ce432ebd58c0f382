/* Finds the vectors of the model that pay when they are held densely: one vector of W * n elements,
 * in which each lane's n components are neighbours, as in memory. Otherwise a value is held as n
 * vectors of W elements (lower/value/value.h).
 *
 * Vectors of 8 and 16 bits are meant, and bools that are computed of them. A register has places
 * for more of their elements than there are lanes. Loads and stores of neighbouring items need no
 * transposition, and an operation on all components is one operation on full registers. */
#ifndef GEO_COMPILER_ANALYSIS_DENSE_H
#define GEO_COMPILER_ANALYSIS_DENSE_H

#include "compiler/ir/ir.h"

/* Sets *out to an array by value index that says which values are held densely if they differ
 * between lanes; NULL: none. The function must be numbered. `by_block`: only values that no other
 * block uses, for functions with barriers, whose records hold parts. Returns false when the arena
 * or the budget is exhausted. */
bool geo_dense_find(const struct geo_ir_function *function, struct geo_arena *arena, bool by_block,
                    bool **out);

#endif
