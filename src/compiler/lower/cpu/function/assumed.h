/* Emits copies of the chunks of a region under assumptions about a value of the group. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_ASSUMED_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_ASSUMED_H

#include "compiler/lower/cpu/function/groups.h"

/* Returns whether such copies pay for the current region: it is small, and a value of the group
 * decides between gathers and vectors. Keeps the value and the assumptions in k->assumed. */
bool geo_function_assumed_pays(struct geo_lower_groups *k);
/* Runs all chunks of the current region. The value of the group selects the copy. */
void geo_function_assumed_run(struct geo_lower_groups *k);

#endif
