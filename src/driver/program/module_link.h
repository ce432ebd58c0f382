/* Links modules that were created separately (MOD-6 to MOD-9).
 *
 * A module with imports has no code. Linking builds it again from the SPIR-V in its binary,
 * together with the functions that it imports (compiler/link/units.h). The loaded result uses the
 * variables of the modules that define these functions. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_LINK_H
#define GEO_DRIVER_PROGRAM_MODULE_LINK_H

#include "driver/program/module.h"

/* Links all modules or none. Modules that are linked already provide definitions and are not
 * changed. The log names every import that no module, or several modules, define, and its user.
 * Returns MODULE_LINK_FAILURE, DEPENDENCY_UNAVAILABLE without a compiler, OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_module_link(uint32_t count, struct geo_module *const *modules,
                                           struct geo_strbuf *log);

/* Returns the address of the descriptor of an exported function of a linked module. If the module
 * has no code for it, the first call builds it; all calls return the same address. Returns
 * INVALID_FUNCTION_NAME if that fails, and the last error says why. */
GEO_MUST_CHECK ze_result_t geo_module_function(struct geo_module *module, const char *name,
                                               void **address);

#endif
