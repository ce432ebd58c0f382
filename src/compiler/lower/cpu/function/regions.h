/* Emits one work-group of a kernel that is divided into regions. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_REGIONS_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_REGIONS_H

#include "compiler/lower/cpu/function/groups.h"

/* Emits all regions of the current group and the control flow between them. */
void geo_function_regions_run(struct geo_lower_groups *k);
/* The variant of a region without copies: runs its chunks once. */
void geo_function_regions_plain_run(struct geo_lower_groups *k);

#endif
