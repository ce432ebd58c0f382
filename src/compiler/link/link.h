/* Links modules on the model: several modules become one, and imports are resolved to their
 * definitions (ZE_experimental_module_program, MOD-5). */
#ifndef GEO_COMPILER_LINK_LINK_H
#define GEO_COMPILER_LINK_LINK_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Replaces every import that the module defines by its definition, in calls, addresses and
 * initialisers. Pointers of different types are cast. Imports without a definition stay. Returns
 * MODULE_BUILD_FAILURE with a log for two strong definitions, two kernels of one name, or types
 * that do not fit. */
ze_result_t geo_link_module(struct geo_ir_module *module, struct geo_strbuf *log);

/* Return whether an import of one type may be resolved to a definition of another. The types are
 * equal except for pointees; a variable may be declared smaller than it is defined. */
bool geo_link_signatures_fit(const struct geo_ir_type *import,
                             const struct geo_ir_type *definition);
bool geo_link_variables_fit(const struct geo_ir_type *import, const struct geo_ir_type *definition);

/* Replaces all imports whose `forward` is set, and casts the pointers of their calls. Fails with
 * OUT_OF_HOST_MEMORY only. */
ze_result_t geo_link_apply(struct geo_ir_module *module);

#endif
