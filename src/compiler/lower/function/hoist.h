/* Lowering of whole functions: what the group computes before a region's chunks. */
#ifndef GEO_COMPILER_LOWER_FUNCTION_HOIST_H
#define GEO_COMPILER_LOWER_FUNCTION_HOIST_H

#include "compiler/lower/frame/cut.h"

/* Emits what is hoisted in the region (frame/cut.h), from then on above its chunks. `keep`: also to
 * where other regions read it. */
void geo_lower_hoist(struct geo_lower_function *f, const struct geo_lower_region *region,
                     bool keep);

#endif
