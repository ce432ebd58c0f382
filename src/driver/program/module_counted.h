/* Kernels of a module that count what they do, for metrics. They are built beside the ordinary ones
 * when a launch is appended while an active metric group needs them, and use the variables in the
 * module's part. Without sources, as in a module from a native binary, no kernel can be built. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_COUNTED_H
#define GEO_DRIVER_PROGRAM_MODULE_COUNTED_H

#include "driver/program/module.h"

/* Unloads the kernels. Called before the module's part is released. */
void geo_module_counted_destroy(struct geo_module *module);

/* Returns the counting code of a kernel by its number in the module, which lives as long as the
 * module. Builds it at the first call. Returns NULL if it cannot be built: then the ordinary code
 * runs, and metrics count the launch as uncounted. A log entry says why. */
const struct geo_backend_kernel *geo_module_counted_kernel(struct geo_module *module,
                                                           uint32_t kernel);

#endif
