/* Lowers calls of functions that were not inlined. */
#ifndef GEO_COMPILER_LOWER_CPU_CALL_CALL_H
#define GEO_COMPILER_LOWER_CPU_CALL_CALL_H

#include "compiler/lower/state/function.h"

/* Lowers OpFunctionCall. */
bool geo_call_lower(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
