/* Lowering of whole functions: one work-group of a kernel that is cut into regions. */
#ifndef GEO_COMPILER_LOWER_FUNCTION_REGIONS_H
#define GEO_COMPILER_LOWER_FUNCTION_REGIONS_H

#include "compiler/lower/function/groups.h"

/* Runs the regions of the group at hand one after the other. */
void geo_lower_regions_run(struct geo_lower_groups *k);

#endif
