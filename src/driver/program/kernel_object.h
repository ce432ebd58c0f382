/* The kernel object's inside, for kernel.c, kernel_launch.c and the API functions of kernels. */
#ifndef GEO_DRIVER_PROGRAM_KERNEL_OBJECT_H
#define GEO_DRIVER_PROGRAM_KERNEL_OBJECT_H

#include "driver/program/kernel.h"
#include "driver/program/module.h"

struct geo_kernel {
    struct geo_object base;
    struct geo_module *module; /* referenced */
    const struct geo_native_kernel *native;
    const struct geo_native_argument *arguments;
    const struct geo_backend_kernel *backend;
    uint32_t index; /* in the module */
    uint32_t group_size[3];
    uint32_t global_offset[3];
    ze_kernel_indirect_access_flags_t indirect_access;
    ze_cache_config_flags_t cache_config;
    ze_scheduling_hint_exp_flags_t scheduling_hint;
    uint64_t *local_bytes; /* [argument_count]: sizes of local arguments; owned */
    uint8_t *block;        /* current values, native->argument_bytes; owned */
};

_Static_assert(offsetof(struct geo_kernel, base) == 0, "a handle is its object's address");

/* The native binary that kernel->native is in. */
static inline const struct geo_module_binary *geo_kernel_binary(const struct geo_kernel *kernel)
{
    return geo_module_part(kernel->module)->native;
}

/* INVALID_KERNEL_NAME, INVALID_MODULE_UNLINKED, OUT_OF_HOST_MEMORY, UNSUPPORTED_FEATURE when the
 * device cannot ever run it. */
GEO_MUST_CHECK ze_result_t geo_kernel_create(struct geo_module *module, const char *name,
                                             struct geo_kernel **out);

/* Items of a work-group that the kernel can have on its device. */
uint32_t geo_kernel_max_items(const struct geo_kernel *kernel);

/* A group size that divides the global size, full vectors preferred. */
void geo_kernel_suggest_group_size(const struct geo_kernel *kernel, const uint32_t global[3],
                                   uint32_t group[3]);

/* What the current arguments point at: writes at most `count` entries, returns how many there are.
 */
uint32_t geo_kernel_list_allocations(const struct geo_kernel *kernel, uint32_t count,
                                     ze_kernel_allocation_exp_properties_t *out);

/* Space of all local arguments in scratch, each at its alignment. */
uint64_t geo_kernel_local_argument_bytes(const struct geo_kernel *kernel);

#endif
