/* Estimates which vectors of large elements pay when they are held densely (dense.h).
 *
 * With 32 and 64 bits, parts and dense vectors fill as many registers. Loads and stores of dense
 * vectors need no transposition. But components that are taken out, and scalars that are used for
 * all components, cost shuffles. Values that are computed from each other have one form. */
#ifndef GEO_COMPILER_ANALYSIS_DENSE_GAIN_H
#define GEO_COMPILER_ANALYSIS_DENSE_GAIN_H

#include "compiler/analysis/dense.h"

/* Sets *out to an array by value index that says which marked values pay less than they cost,
 * together with the values that they are computed from and used for. Returns false when the arena
 * is exhausted. */
bool geo_dense_gain_find(const struct geo_dense *dense, const struct geo_loops *loops,
                         const struct geo_shapes *shapes, struct geo_arena *arena, bool **out);

#endif
