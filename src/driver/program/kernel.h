/* Kernels: an entry point of a module with its current argument values and group size.
 *
 * The argument values are in one block with the layout of the native binary (native/native.h). The
 * size of a local argument is stored separately. Appending a launch encodes both into the record
 * (backend.h, program.encode), so later changes do not affect recorded commands (KRN-5). */
#ifndef GEO_DRIVER_PROGRAM_KERNEL_H
#define GEO_DRIVER_PROGRAM_KERNEL_H

#include "driver/program/module.h"

/* A kernel of the application, or a private copy for a mutable command. References its module. */
struct geo_kernel {
    struct geo_object base;
    struct geo_module *module;          /* referenced */
    const struct geo_module_part *part; /* has the kernel's code; lives as long as the module */
    const struct geo_native_kernel *native;
    const struct geo_native_argument *arguments;
    const struct geo_program_ops *ops;
    const struct geo_backend_kernel *backend;
    bool restricted;       /* `backend` lacks code for some launches (module_complete.h) */
    uint32_t index;        /* number of the kernel in its module, which may differ in its part */
    uint32_t record_bytes; /* size of the argument block in launch records */
    uint32_t group_size[3];
    uint32_t global_offset[3];
    ze_kernel_indirect_access_flags_t indirect_access;
    uint64_t *local_bytes;      /* [argument_count] sizes of local arguments; owned */
    uint64_t group_local_bytes; /* local memory of a group with these arguments */
    uint8_t *block;             /* current values, native->argument_bytes; owned */
    /* [argument_count] images used as arguments, each referenced; owned. NULL if it has no image
     * arguments. */
    struct geo_object **images;
};

GEO_OBJECT_HANDLE(kernel, GEO_OBJECT_KERNEL, ze_kernel_handle_t)

/* Creates a kernel, and builds it if the module defers its kernels (module_deferred.h). Returns
 * INVALID_KERNEL_NAME, INVALID_MODULE_UNLINKED, OUT_OF_HOST_MEMORY, the errors of that build, or
 * UNSUPPORTED_FEATURE if the device can never run it. */
GEO_MUST_CHECK ze_result_t geo_kernel_create(struct geo_module *module, const char *name,
                                             struct geo_kernel **out);

/* Returns the native binary that contains kernel->native. */
static inline const struct geo_module_binary *geo_kernel_binary(const struct geo_kernel *kernel)
{
    return kernel->part->native;
}

/* Returns the device for which the kernel was built. Command lists of other devices reject it. */
static inline struct geo_device *geo_kernel_device(const struct geo_kernel *kernel)
{
    return kernel->module->device;
}

/* Returns the object that must live as long as a record of this kernel, which may be destroyed
 * before. The kernel's `images` must live as long, too. */
static inline struct geo_object *geo_kernel_owner(const struct geo_kernel *kernel)
{
    return &kernel->module->base;
}

/* ---- group size ---- */

/* Returns the largest number of items in a work-group of the kernel on its device. */
uint32_t geo_kernel_max_items(const struct geo_kernel *kernel);
ze_result_t geo_kernel_set_group_size(struct geo_kernel *kernel, uint32_t x, uint32_t y,
                                      uint32_t z);
bool geo_kernel_allows_group_size(const struct geo_kernel *kernel, const uint32_t size[3]);

/* Returns a group size that divides the global size and preferably fills whole vectors. */
void geo_kernel_suggest_group_size(const struct geo_kernel *kernel, const uint32_t global[3],
                                   uint32_t group[3]);

/* ---- arguments ---- */

/* Sets an argument. The value of an image or sampler is its handle. */
ze_result_t geo_kernel_set_argument(struct geo_kernel *kernel, uint32_t index, size_t bytes,
                                    const void *value);
uint32_t geo_kernel_argument_count(const struct geo_kernel *kernel);
/* Returns the size of an argument's value, for launches whose arguments come without sizes. Returns
 * 0 for a local argument, whose value is a size_t with its size. */
size_t geo_kernel_argument_size(const struct geo_kernel *kernel, uint32_t index);

/* Lists the allocations that the current arguments point at. Writes at most `count` entries and
 * returns how many there are. */
uint32_t geo_kernel_list_allocations(const struct geo_kernel *kernel, uint32_t count,
                                     ze_kernel_allocation_exp_properties_t *out);

/* ---- launches ---- */

/* Returns the size of the argument block in a record; it is constant for a kernel. */
static inline uint32_t geo_kernel_argument_bytes(const struct geo_kernel *kernel)
{
    return kernel->record_bytes;
}

/* Computes group_local_bytes after the sizes of local arguments have changed. */
static inline void geo_kernel_measure_local(struct geo_kernel *kernel)
{
    kernel->group_local_bytes = kernel->ops->local_bytes(kernel->backend, kernel->local_bytes);
}

/* Fills a launch record from the kernel's current state, except header and argument_offset, and
 * fills the argument block (geo_kernel_argument_bytes, 16-byte aligned). groups NULL: an indirect
 * launch, whose counts stay 0. Without a group size the default is used; arguments never set are
 * zero. Builds the complete kernel for the first launch that its restricted code cannot run.
 * Returns INVALID_ARGUMENT for counts beyond the device's limits, or errors as
 * geo_module_complete_kernel does. */
ze_result_t geo_kernel_launch_encode(const struct geo_kernel *kernel,
                                     const ze_group_count_t *groups,
                                     struct geo_command_launch *launch, void *block);

/* Checks a launch of this many groups with the current sizes against the device's limits. Returns
 * INVALID_ARGUMENT, INVALID_GLOBAL_WIDTH_DIMENSION, OUT_OF_DEVICE_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_kernel_launch_check(const struct geo_kernel *kernel,
                                                   const uint32_t groups[3]);

/* Returns how many groups can wait for each other on a device (the kernel's, or a part of it), with
 * the current group size and local arguments. */
uint32_t geo_kernel_launch_max_groups(const struct geo_kernel *kernel,
                                      const struct geo_device *device);
/* Returns INVALID_ARGUMENT for a kernel with device barriers in a launch that is not cooperative,
 * and for more groups than can wait for each other. */
GEO_MUST_CHECK ze_result_t geo_kernel_launch_check_cooperation(const struct geo_kernel *kernel,
                                                               const struct geo_device *device,
                                                               bool cooperative,
                                                               const uint32_t groups[3]);

/* ---- copies (kernel_copy.c) ---- */

/* Creates a separate kernel with the same values, without a handle of the application. Returns
 * OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_kernel_copy(const struct geo_kernel *kernel,
                                           struct geo_kernel **out);
/* Copies arguments and sizes from another kernel of the same entry point. */
void geo_kernel_copy_assign(struct geo_kernel *kernel, const struct geo_kernel *from);
/* Resets all arguments to unset. */
void geo_kernel_copy_clear(struct geo_kernel *kernel);

#endif
