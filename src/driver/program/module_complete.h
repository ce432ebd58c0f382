/* The complete native binary of a module, and its complete kernels. They are built when a program
 * needs more than the first build of the module made.
 *
 *     module ---- part          the first build: kernels may be deferred (module_deferred.h) or
 *        |                      restricted (GEO_KERNEL_RESTRICTED)
 *        |
 *        '------- complete --- kernels[i] --- a part of its own: one kernel with code for every
 *                    |                        launch, which uses the variables in the module's part
 *                    '-------- whole          the native binary that programs get
 *
 * Each is built once, by the first thread that needs it; others wait for it. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_COMPLETE_H
#define GEO_DRIVER_PROGRAM_MODULE_COMPLETE_H

#include "driver/program/build_log.h"
#include "driver/program/module.h"

/* Prepares a module whose binary was just made and has deferred or restricted kernels. Returns
 * OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_module_complete_create(struct geo_module *module);
/* Unloads the kernels. Called before the module's part is released. */
void geo_module_complete_destroy(struct geo_module *module);

/* Adds the application's log, to which later builds write, too. */
void geo_module_complete_set_log(struct geo_module *module, struct geo_build_log *log);
/* Adds what a later build wrote, with a line that says what was built. */
void geo_module_complete_add_log(const struct geo_module *module, const char *what,
                                 const char *name, const char *text);

/* Finds the complete code of a kernel by its number in the module. Builds it at the first call. The
 * code lives as long as the module. Returns MODULE_BUILD_FAILURE, DEPENDENCY_UNAVAILABLE without a
 * compiler, or OUT_OF_*_MEMORY. A kernel that does not build fails again without another build. */
GEO_MUST_CHECK ze_result_t geo_module_complete_kernel(struct geo_module *module, uint32_t kernel,
                                                      const struct geo_backend_kernel **out);

/* Finds the complete native binary of the module. Builds all kernels if some are deferred or
 * restricted, at the first call. A module with imports has the binary from which it is linked,
 * without code. Returns errors as geo_module_complete_kernel does. */
GEO_MUST_CHECK ze_result_t geo_module_complete_binary(struct geo_module *module,
                                                      const struct geo_module_binary **binary);

#endif
