/* Emits the values that the group computes before the chunks of a region. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_HOIST_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_HOIST_H

#include "compiler/lower/cpu/frame/cut.h"

/* Emits the hoisted values of a region (cpu/frame/cut.h), which are then available in its chunks.
 * `keep` stores them for other regions as well. */
void geo_function_hoist(struct geo_lower_function *f, const struct geo_lower_region *region,
                        bool keep);

#endif
