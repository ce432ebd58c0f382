/* Finds accesses that move along a column of a matrix whose rows are longer than a few cache lines.
 *
 * The lanes of a chunk access neighbouring elements, and the next turn of the loop accesses those
 * of the next row. So a turn uses one or two lines of a row, which no prefetch has loaded:
 *
 *     for (i = 0; i < rows; i++) sum += a[i * columns + id];
 */
#ifndef GEO_COMPILER_ANALYSIS_COLUMNS_H
#define GEO_COMPILER_ANALYSIS_COLUMNS_H

#include "compiler/analysis/shape.h"

/* Returns whether a load or store in a loop moves along a column. It is then consecutive over the
 * lanes. A turn moves it by a number of bytes that is large, or that only the launch determines. */
bool geo_column_is(const struct geo_loops *loops, const struct geo_shapes *shapes,
                   const struct geo_loop *loop, const struct geo_ir_inst *access);

#endif
