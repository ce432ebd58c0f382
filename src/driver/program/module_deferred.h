/* Kernels of a module that are built when they are created.
 *
 *     module ---- part          variables, names, sources: the binary that the module was built as
 *        |
 *        '------- deferred --- kernels[i] --- part of its own: one kernel, whose code uses the
 *                                             variables in the module's part
 *
 * Each kernel is built once, by the first thread that needs it; others wait for it. Different
 * kernels are built at the same time. Kernels that call functions which are not inlined are built
 * in groups, because each build compiles these functions again. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_DEFERRED_H
#define GEO_DRIVER_PROGRAM_MODULE_DEFERRED_H

#include "driver/program/module.h"

/* Prepares the kernels of a module that is about to get its part. Its code comes from this binary,
 * which defers the kernels: the module's own, or the result of linking it. Returns
 * OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_module_deferred_create(struct geo_module *module,
                                                      const struct geo_module_binary *binary);
/* Unloads the kernels. Called before the module's part is released. */
void geo_module_deferred_destroy(struct geo_module *module);

/* Finds the loaded code of a linked module's kernel, and its number there. Builds it at the first
 * call. Returns MODULE_BUILD_FAILURE, DEPENDENCY_UNAVAILABLE without a compiler, or
 * OUT_OF_*_MEMORY. A kernel that does not build fails again without another build. */
GEO_MUST_CHECK ze_result_t geo_module_deferred_load(struct geo_module *module, uint32_t kernel,
                                                    struct geo_module_part **part,
                                                    uint32_t *number);
/* Finds a kernel that was neither built nor returned before, for builds ahead: first those behind
 * the kernel that a program created last. Returns false if none is left. Calls for one module do
 * not overlap. */
bool geo_module_deferred_next(struct geo_module *module, uint32_t *kernel);
/* Builds a kernel unless another thread does or did. Errors, and what the build logs, wait until a
 * program creates the kernel. */
void geo_module_deferred_build_ahead(struct geo_module *module, uint32_t kernel);
/* Builds all kernels of a module that no program has yet, on as many threads as its device has
 * cores. The log gets what the builds log, in the order of kernels. Returns MODULE_BUILD_FAILURE if
 * a kernel does not build, or the other errors of geo_module_deferred_load. */
GEO_MUST_CHECK ze_result_t geo_module_deferred_build_all(struct geo_module *module,
                                                         struct geo_strbuf *log);
/* Returns the record of a kernel that was created before, and the binary that has it. */
const struct geo_native_kernel *geo_module_deferred_find(const struct geo_module *module,
                                                         uint32_t kernel,
                                                         const struct geo_module_binary **binary);

#endif
