/* Checks the model's invariants after the reader and after each transform: operands dominate their
 * uses, phis match predecessors, types fit, every block ends in one terminator. A failure is our
 * bug (or the reader's), reported with pass and value. */
#ifndef GEO_COMPILER_VALIDATE_VALIDATE_H
#define GEO_COMPILER_VALIDATE_VALIDATE_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* MODULE_BUILD_FAILURE when an invariant is broken; the first one is described in `log` ("after
 * <pass>: ..."). OUT_OF_HOST_MEMORY. */
ze_result_t geo_validate(struct geo_ir_module *module, const char *pass, struct geo_strbuf *log);

#endif
