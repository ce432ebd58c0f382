/* Linking of modules that were created separately (MOD-6 to MOD-9).
 *
 * A module with imports has no code. Linking it means to build it again from the SPIR-V in its
 * binary, together with the functions it imports (compiler/ir/units.h), and to load the result so
 * that it uses the variables of the modules those functions come from. */
#ifndef GEO_DRIVER_CORE_MODULE_LINK_H
#define GEO_DRIVER_CORE_MODULE_LINK_H

#include "driver/core/module.h"

/* Links all or none; modules that are linked already define, and stay as they are. The log names
 * every import that nobody defines, or that several define, and who asks for it.
 * MODULE_LINK_FAILURE, DEPENDENCY_UNAVAILABLE without a compiler, OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_module_link(uint32_t count, struct geo_module *const *modules,
                                           struct geo_strbuf *log);

/* For the fork handlers; before all locks of modules and compiler. */
void geo_module_link_lock(void);
void geo_module_link_unlock(void);

#endif
