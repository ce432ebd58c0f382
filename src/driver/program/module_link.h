/* Linking of modules that were created separately (MOD-6 to MOD-9).
 *
 * A module with imports has no code. Linking it means to build it again from the SPIR-V in its
 * binary, together with the functions it imports (compiler/link/units.h), and to load the result so
 * that it uses the variables of the modules those functions come from. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_LINK_H
#define GEO_DRIVER_PROGRAM_MODULE_LINK_H

#include "driver/program/module.h"

/* Links all or none; modules that are linked already define, and stay as they are. The log names
 * every import that nobody defines, or that several define, and who asks for it.
 * MODULE_LINK_FAILURE, DEPENDENCY_UNAVAILABLE without a compiler, OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_module_link(uint32_t count, struct geo_module *const *modules,
                                           struct geo_strbuf *log);

/* The address of an exported function's descriptor, of a linked module. Code is built at the first
 * call for a function that the module has none for; all calls give the same.
 * INVALID_FUNCTION_NAME when it cannot be, and the last error says why. */
GEO_MUST_CHECK ze_result_t geo_module_function(struct geo_module *module, const char *name,
                                               void **address);

#endif
