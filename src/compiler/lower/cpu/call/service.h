/* Lowers calls of host services: rows of the CPU's table (machine.h). */
#ifndef GEO_COMPILER_LOWER_CPU_CALL_SERVICE_H
#define GEO_COMPILER_LOWER_CPU_CALL_SERVICE_H

#include "compiler/lower/state/function.h"

/* Lowers printf of OpenCL.std. */
bool geo_call_service_print(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Lowers GEO_OP_ASSERT_FAIL. */
bool geo_call_service_assert_fail(struct geo_lower_function *f, const struct geo_ir_inst *inst);

#endif
