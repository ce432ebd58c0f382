/* Lowers calls of host services (printf, assert). */
#ifndef GEO_COMPILER_LOWER_EXT_SERVICE_H
#define GEO_COMPILER_LOWER_EXT_SERVICE_H

#include "compiler/lower/state/function.h"

bool geo_ext_print(struct geo_lower_function *f, const struct geo_ir_inst *inst);
bool geo_ext_assert_fail(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
