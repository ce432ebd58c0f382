/* Checks the model's invariants after the reader and after each transform. Operands dominate their
 * uses, phis match predecessors, types fit, every block ends in one terminator. A failure after a
 * transform is a bug in Geoid; the message names pass and value. */
#ifndef GEO_COMPILER_VALIDATE_VALIDATE_H
#define GEO_COMPILER_VALIDATE_VALIDATE_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Checks all functions of a module. Returns MODULE_BUILD_FAILURE if an invariant is broken; `log`
 * describes the first one ("after <pass>: ..."). Returns OUT_OF_HOST_MEMORY when memory or the
 * budget is exhausted. */
ze_result_t geo_validate(struct geo_ir_module *module, const char *pass, struct geo_strbuf *log);

#endif
