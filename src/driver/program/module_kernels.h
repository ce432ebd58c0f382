/* Kernels that are built apart from their module, after it. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_KERNELS_H
#define GEO_DRIVER_PROGRAM_MODULE_KERNELS_H

#include "driver/program/module.h"

/* The code of kernels that are built. */
enum geo_module_kernels_code {
    GEO_MODULE_KERNELS_COMPLETE,
    /* some may be GEO_KERNEL_RESTRICTED, if GEOID_BUILD_KERNELS permits it */
    GEO_MODULE_KERNELS_RESTRICTED,
    GEO_MODULE_KERNELS_COUNTED, /* complete, with counters for metrics */
};

/* Builds kernels of a linked module, loads them into a new set and binds them to the variables of
 * the module's units. Sets the set, which the caller releases, and the kernels' numbers in its
 * part. Returns the errors of geo_build_make, or OUT_OF_*_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_module_kernels_build(struct geo_module *module,
                                                    enum geo_module_kernels_code code,
                                                    uint32_t count, const char *const *names,
                                                    struct geo_module_code **set, uint32_t *numbers,
                                                    struct geo_strbuf *log);
/* Returns whether a build failed because of the module, so that another would fail, too. */
bool geo_module_kernels_is_final(ze_result_t result);

#endif
