/* Lowers reductions and scans of sub-groups. */
#ifndef GEO_COMPILER_LOWER_CPU_GROUP_REDUCE_H
#define GEO_COMPILER_LOWER_CPU_GROUP_REDUCE_H

#include "compiler/lower/state/function.h"

bool geo_group_reduce(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
