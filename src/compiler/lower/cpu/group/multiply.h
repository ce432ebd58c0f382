/* Lowers OpSubgroupMatrixMultiplyAccumulateINTEL. */
#ifndef GEO_COMPILER_LOWER_CPU_GROUP_MULTIPLY_H
#define GEO_COMPILER_LOWER_CPU_GROUP_MULTIPLY_H

#include "compiler/lower/state/function.h"

bool geo_group_multiply(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
