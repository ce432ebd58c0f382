/* Builds deferred kernels before programs create them, with GEOID_BUILD_KERNELS=ahead.
 *
 * The process has at most one thread for it. The thread has a low priority, starts a build only
 * while a core is idle, and ends when every module is complete. A kernel that a program creates
 * meanwhile is waited for (module_deferred.h), so nothing is built twice. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_AHEAD_H
#define GEO_DRIVER_PROGRAM_MODULE_AHEAD_H

#include "driver/program/module.h"

/* Begins to build the deferred kernels of a module that has its code, if the option says so and the
 * device has several cores. Without a thread, kernels are built when they are created. */
void geo_module_ahead_begin(struct geo_module *module);
/* Ends it, for a module whose handle is destroyed. Does not wait: a build that is in progress
 * continues and keeps the module until then. */
void geo_module_ahead_end(struct geo_module *module);
/* Returns the number of modules that have kernels left to build. For tests. */
uint32_t geo_module_ahead_count(void);

#endif
