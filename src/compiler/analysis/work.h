/* The work of a block: how many operations a work-item executes in it, and how many bytes of memory
 * it accesses, by kind (enum geo_counted).
 *
 *     floats     additions, subtractions, products, quotients, remainders and square roots count 1
 *                for each component, fused ones 2. Products of matrices count 2 for each product of
 *                two elements. Comparisons, conversions, minima, signs and rounding do not count.
 *     integers   arithmetic, shifts and bit operations; addresses do not count
 *     bytes      of loads and stores, as the type has them in memory. Generic pointers count as
 *                global memory, and so does constant memory. Atomics are counted, not their bytes.
 *
 * Functions of the library (sin, pow, images) are code like any other. */
#ifndef GEO_COMPILER_ANALYSIS_WORK_H
#define GEO_COMPILER_ANALYSIS_WORK_H

#include "compiler/analysis/shape.h"
#include "native/kernel.h"

/* Adds the work of a block to `work`. `shapes` decides the classes of accesses. */
void geo_work_of_block(const struct geo_ir_block *block, const struct geo_shapes *shapes,
                       uint64_t work[GEO_COUNTED_COUNT]);

#endif
