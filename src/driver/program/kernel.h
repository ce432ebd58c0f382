/* Kernels: one entry point of a module, its current argument values and group size.
 *
 * The argument values lie in one block laid out as the compiled code reads it
 * (native/native.h); appending a launch copies the block into the record, so later changes do not
 * touch recorded commands (KRN-5). A local argument's size is kept apart and becomes an offset into
 * the worker's scratch when the launch is encoded. */
#ifndef GEO_DRIVER_PROGRAM_KERNEL_H
#define GEO_DRIVER_PROGRAM_KERNEL_H

#include "backend/command.h"
#include "driver/core/object.h"

struct geo_kernel;
struct geo_device;
struct geo_object *geo_kernel_base(struct geo_kernel *kernel);

ze_result_t geo_kernel_from(ze_kernel_handle_t handle, struct geo_kernel **out);

/* What has to live as long as a record of this kernel (its module): ref it, unref it at the list's
 * reset. The kernel object itself may be destroyed while recorded. */
struct geo_object *geo_kernel_owner(const struct geo_kernel *kernel);

/* The device the kernel was built for; a list of another device refuses it. */
struct geo_device *geo_kernel_device(const struct geo_kernel *kernel);

/* Bytes of the argument block in a record; constant for a kernel. */
uint32_t geo_kernel_argument_bytes(const struct geo_kernel *kernel);

/* Fills a launch record from the kernel's current state: everything except header and
 * argument_offset, and the argument block itself (geo_kernel_argument_bytes, 16-byte aligned).
 * groups NULL: an indirect launch, counts are left 0. Without a group size set, the default one is
 * taken; arguments never set are zero. INVALID_ARGUMENT when the counts are beyond the device. */
ze_result_t geo_kernel_encode_launch(const struct geo_kernel *kernel,
                                     const ze_group_count_t *groups,
                                     struct geo_command_launch *launch, void *block);

/* The setters behind the API functions, for launches that carry sizes and arguments. */
ze_result_t geo_kernel_set_group_size(struct geo_kernel *kernel, uint32_t x, uint32_t y,
                                      uint32_t z);
ze_result_t geo_kernel_set_argument(struct geo_kernel *kernel, uint32_t index, size_t bytes,
                                    const void *value);
uint32_t geo_kernel_argument_count(const struct geo_kernel *kernel);
/* Bytes that the value of an argument has (for launches whose arguments come without sizes); 0 for
 * a local argument, whose value is a size_t giving its size. */
size_t geo_kernel_argument_size(const struct geo_kernel *kernel, uint32_t index);

/* Groups that can run at once when they wait for each other. */
uint32_t geo_kernel_max_cooperative_groups(const struct geo_kernel *kernel);

#endif
