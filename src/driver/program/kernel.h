/* Kernels: one entry point of a module, its current argument values and group size.
 *
 * The argument values lie in one block laid out as the compiled code reads it (native/native.h);
 * appending a launch copies the block into the record, so later changes do not touch recorded
 * commands (KRN-5). A local argument's size is kept apart and becomes an offset into the worker's
 * scratch when the launch is encoded. */
#ifndef GEO_DRIVER_PROGRAM_KERNEL_H
#define GEO_DRIVER_PROGRAM_KERNEL_H

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
    uint64_t *local_bytes; /* [argument_count]: sizes of local arguments; owned */
    uint8_t *block;        /* current values, native->argument_bytes; owned */
    /* [argument_count]: images that are arguments, referenced; owned. NULL: it takes no image. */
    struct geo_object **images;
};

GEO_OBJECT_HANDLE(kernel, GEO_OBJECT_KERNEL, ze_kernel_handle_t)

/* INVALID_KERNEL_NAME, INVALID_MODULE_UNLINKED, OUT_OF_HOST_MEMORY, UNSUPPORTED_FEATURE when the
 * device cannot ever run it. */
GEO_MUST_CHECK ze_result_t geo_kernel_create(struct geo_module *module, const char *name,
                                             struct geo_kernel **out);

/* The native binary that kernel->native is in. */
static inline const struct geo_module_binary *geo_kernel_binary(const struct geo_kernel *kernel)
{
    return geo_module_part(kernel->module)->native;
}

/* The device it was built for; a list of another device refuses it. */
static inline struct geo_device *geo_kernel_device(const struct geo_kernel *kernel)
{
    return kernel->module->device;
}

/* What has to live as long as a record of this kernel, which may be destroyed before; so do its
 * `images`. */
static inline struct geo_object *geo_kernel_owner(const struct geo_kernel *kernel)
{
    return &kernel->module->base;
}

/* ---- group size ---- */

/* Items of a work-group that the kernel can have on its device. */
uint32_t geo_kernel_max_items(const struct geo_kernel *kernel);
ze_result_t geo_kernel_set_group_size(struct geo_kernel *kernel, uint32_t x, uint32_t y,
                                      uint32_t z);
bool geo_kernel_allows_group_size(const struct geo_kernel *kernel, const uint32_t size[3]);

/* A group size that divides the global size, full vectors preferred. */
void geo_kernel_suggest_group_size(const struct geo_kernel *kernel, const uint32_t global[3],
                                   uint32_t group[3]);

/* ---- arguments ---- */

/* The value of an image or sampler is its handle. */
ze_result_t geo_kernel_set_argument(struct geo_kernel *kernel, uint32_t index, size_t bytes,
                                    const void *value);
uint32_t geo_kernel_argument_count(const struct geo_kernel *kernel);
/* Bytes that the value of an argument has (for launches whose arguments come without sizes); 0 for
 * a local argument, whose value is a size_t giving its size. */
size_t geo_kernel_argument_size(const struct geo_kernel *kernel, uint32_t index);

/* What the current arguments point at: writes at most `count` entries; how many there are. */
uint32_t geo_kernel_list_allocations(const struct geo_kernel *kernel, uint32_t count,
                                     ze_kernel_allocation_exp_properties_t *out);

/* ---- launches ---- */

/* Bytes of the argument block in a record; constant for a kernel. */
static inline uint32_t geo_kernel_argument_bytes(const struct geo_kernel *kernel)
{
    return kernel->native->argument_bytes;
}

/* Space of all local arguments in scratch, each at its alignment. */
uint64_t geo_kernel_local_argument_bytes(const struct geo_kernel *kernel);

/* Fills a launch record from the kernel's current state: everything except header and
 * argument_offset, and the argument block itself (geo_kernel_argument_bytes, 16-byte aligned).
 * groups NULL: an indirect launch, counts are left 0. Without a group size set, the default one is
 * taken; arguments never set are zero. INVALID_ARGUMENT when the counts are beyond the device. */
ze_result_t geo_kernel_encode_launch(const struct geo_kernel *kernel,
                                     const ze_group_count_t *groups,
                                     struct geo_command_launch *launch, void *block);

/* What the device says to a launch of so many groups with the sizes as they are set:
 * INVALID_ARGUMENT, INVALID_GLOBAL_WIDTH_DIMENSION, OUT_OF_DEVICE_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_kernel_check_launch(const struct geo_kernel *kernel,
                                                   const uint32_t groups[3]);

/* Groups that can wait for each other on a device (that of the kernel, or a part of it), with the
 * group size and local arguments as they are set. */
uint32_t geo_kernel_max_cooperative_groups(const struct geo_kernel *kernel,
                                           const struct geo_device *device);
/* INVALID_ARGUMENT for a kernel that holds barriers of the device when it is not launched
 * cooperatively, and for more groups than can wait for each other. */
GEO_MUST_CHECK ze_result_t geo_kernel_check_cooperation(const struct geo_kernel *kernel,
                                                        const struct geo_device *device,
                                                        bool cooperative, const uint32_t groups[3]);

/* ---- copies (kernel_copy.c) ---- */

/* A kernel of its own with the same values; no handle of the application's. OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_kernel_copy(const struct geo_kernel *kernel,
                                           struct geo_kernel **out);
/* Gives a kernel the arguments and sizes that another one of the same entry point has. */
void geo_kernel_assign(struct geo_kernel *kernel, const struct geo_kernel *from);
/* As if no argument had been set. */
void geo_kernel_clear_arguments(struct geo_kernel *kernel);

#endif
