/* Finds out whether a kernel depends on the division of its items into work-groups. */
#ifndef GEO_COMPILER_ANALYSIS_GROUPING_H
#define GEO_COMPILER_ANALYSIS_GROUPING_H

#include "compiler/analysis/shape.h"

/* Returns whether the kernel's own instructions (not its callees) behave the same for any division
 * into work-groups. Then the launch may choose other group sizes than the program. */
bool geo_grouping_is_free(const struct geo_ir_function *kernel);

/* Returns whether a kernel works in rows of memory. Most of its accesses are then to consecutive
 * memory along x, with small gaps at most. None is to memory that is far apart along x, as in a
 * transpose. In loops, none is to a row that items along y share, as in a product of matrices. */
bool geo_grouping_is_in_rows(const struct geo_loops *loops, const struct geo_shapes *shapes);

#endif
