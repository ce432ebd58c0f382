/* Lowers calls through function pointers. */
#ifndef GEO_COMPILER_LOWER_CPU_CALL_INDIRECT_H
#define GEO_COMPILER_LOWER_CPU_CALL_INDIRECT_H

#include "compiler/lower/state/function.h"

/* Lowers OpFunctionPointerCallINTEL. */
bool geo_call_lower_indirect(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
