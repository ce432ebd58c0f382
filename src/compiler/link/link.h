/* Linking on the model: several modules become one, imports meet their definitions
 * (ZE_experimental_module_program, MOD-5). */
#ifndef GEO_COMPILER_LINK_LINK_H
#define GEO_COMPILER_LINK_LINK_H

#include "base/strbuf.h"
#include "compiler/ir/ir.h"

#include <level_zero/ze_api.h>

/* Gives every import that the module itself defines its definition: calls, addresses, initialisers.
 * Pointers to different types are cast. Two strong definitions of a name, two kernels of a name or
 * types that do not fit are MODULE_LINK_FAILURE with a log. What nobody defines stays an import. */
ze_result_t geo_link_module(struct geo_ir_module *module, struct geo_strbuf *log);

/* Whether an import of this type may be given a definition of that: equal but for what pointers
 * lead to; a variable may also be declared smaller than it is. */
bool geo_link_signatures_fit(const struct geo_ir_type *import,
                             const struct geo_ir_type *definition);
bool geo_link_variables_fit(const struct geo_ir_type *import, const struct geo_ir_type *definition);

/* After `forward` of imports was set: replaces them everywhere and casts the pointers of their
 * calls. OUT_OF_HOST_MEMORY only. */
ze_result_t geo_link_apply(struct geo_ir_module *module);

#endif
