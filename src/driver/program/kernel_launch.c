/* Converts the state of a kernel to the launch record of a command list. See kernel.h. */
#include "driver/program/kernel.h"

#include "driver/program/module_complete.h"
#include "driver/program/module_counted.h"

ze_result_t geo_kernel_launch_check(const struct geo_kernel *kernel, const uint32_t groups[3])
{
    const struct geo_device_info *info = kernel->module->device->info;
    for (int i = 0; i < 3; i++) {
        if (groups[i] > info->max_group_count[i]) {
            return geo_fail(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "the launch has %u groups in dimension %d: the device allows at most %u", groups[i],
                i, info->max_group_count[i]);
        }
    }
    uint64_t plane = (uint64_t)groups[0] * groups[1], total;
    if (__builtin_mul_overflow(plane, (uint64_t)groups[2], &total)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION,
                        "the launch has %ux%ux%u groups: the total must be below 2^64", groups[0],
                        groups[1], groups[2]);
    }
    if (kernel->group_local_bytes > info->max_local_bytes) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                        "the launch needs %llu bytes of local memory: the device has %u",
                        (unsigned long long)kernel->group_local_bytes, info->max_local_bytes);
    }
    return ZE_RESULT_SUCCESS;
}

/* Encodes a launch of the code with counters, if an active metric group needs it. Returns false if
 * the ordinary code runs. */
static bool counted_encode(const struct geo_kernel *kernel, struct geo_command_launch *launch,
                           void *block)
{
    const struct geo_backend_kernel *code =
        geo_module_counted_kernel(kernel->module, kernel->index);
    GEO_ASSERT(!code || kernel->ops->argument_bytes(code) == kernel->record_bytes);
    return code && kernel->ops->encode(code, kernel->block, kernel->local_bytes, launch, block);
}

/* Encodes a launch that the restricted code cannot run, or may not be able to run. */
static ze_result_t complete_encode(const struct geo_kernel *kernel,
                                   struct geo_command_launch *launch, void *block)
{
    const struct geo_backend_kernel *complete;
    GEO_ASSERT(kernel->restricted);
    GEO_CHECK(geo_module_complete_kernel(kernel->module, kernel->index, &complete));
    GEO_ASSERT(kernel->ops->argument_bytes(complete) == kernel->record_bytes);
    bool encoded = kernel->ops->encode(complete, kernel->block, kernel->local_bytes, launch, block);
    GEO_ASSERT(encoded);
    (void)encoded;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_kernel_launch_encode(const struct geo_kernel *kernel,
                                     const ze_group_count_t *groups,
                                     struct geo_command_launch *launch, void *block)
{
    uint32_t counts[3] = {0, 0, 0};
    if (groups) {
        counts[0] = groups->groupCountX;
        counts[1] = groups->groupCountY;
        counts[2] = groups->groupCountZ;
    }
    GEO_CHECK(geo_kernel_launch_check(kernel, counts));
    GEO_ASSERT(kernel->group_size[0] && kernel->group_size[1] && kernel->group_size[2]);
    GEO_ASSERT((uintptr_t)block % GEO_COMMAND_ALIGN == 0);
    for (int i = 0; i < 3; i++) {
        launch->group_count[i] = counts[i];
        launch->local_size[i] = kernel->group_size[i];
        launch->global_offset[i] = kernel->global_offset[i];
    }
    launch->indirect_counts = NULL;
    if (__builtin_expect(
            atomic_load_explicit(&kernel->module->device->counted, memory_order_relaxed), 0) &&
        counted_encode(kernel, launch, block)) {
        return ZE_RESULT_SUCCESS;
    }
    bool counted = groups || !kernel->restricted;
    if (__builtin_expect(counted && kernel->ops->encode(kernel->backend, kernel->block,
                                                        kernel->local_bytes, launch, block),
                         1)) {
        return ZE_RESULT_SUCCESS;
    }
    return complete_encode(kernel, launch, block);
}

uint32_t geo_kernel_launch_max_groups(const struct geo_kernel *kernel,
                                      const struct geo_device *device)
{
    return kernel->ops->cooperative_groups(device->backend_device, kernel->backend,
                                           kernel->group_size, kernel->local_bytes);
}

ze_result_t geo_kernel_launch_check_cooperation(const struct geo_kernel *kernel,
                                                const struct geo_device *device, bool cooperative,
                                                const uint32_t groups[3])
{
    if (!cooperative) {
        if (kernel->native->flags & GEO_KERNEL_DEVICE_BARRIER) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "the kernel uses device barriers: it can only be launched with "
                            "zeCommandListAppendLaunchCooperativeKernel");
        }
        return ZE_RESULT_SUCCESS;
    }
    uint64_t most = geo_kernel_launch_max_groups(kernel, device);
    uint64_t plane = (uint64_t)groups[0] * groups[1];
    if (plane > most || plane * groups[2] > most) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "a cooperative launch of this kernel can have at most %llu groups "
                        "(zeKernelSuggestMaxCooperativeGroupCount)",
                        (unsigned long long)most);
    }
    return ZE_RESULT_SUCCESS;
}
