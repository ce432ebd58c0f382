/* Converts the state of a kernel to the launch record of a command list. See kernel.h. */
#include "driver/program/kernel.h"

#include "native/abi.h"

#include <string.h>

static uint64_t scratch_round(uint64_t bytes)
{
    return (bytes + GEO_ABI_SCRATCH_ALIGN - 1) & ~(uint64_t)(GEO_ABI_SCRATCH_ALIGN - 1);
}

uint64_t geo_kernel_launch_local_bytes(const struct geo_kernel *kernel)
{
    uint64_t total = 0; /* cannot overflow: each is at most max_local_bytes */
    for (uint32_t i = 0; i < kernel->native->argument_count; i++) {
        GEO_ASSERT(kernel->local_bytes[i] <= kernel->module->device->info->max_local_bytes);
        total += scratch_round(kernel->local_bytes[i]);
    }
    return total;
}

/* Writes the argument block for the launch. Local arguments follow the static local memory in
 * scratch. */
static void block_write(const struct geo_kernel *kernel, uint8_t *block)
{
    GEO_ASSERT((uintptr_t)block % 16 == 0);
    memcpy(block, kernel->block, kernel->native->argument_bytes);
    uint64_t offset = kernel->native->local_bytes;
    for (uint32_t i = 0; i < kernel->native->argument_count; i++) {
        const struct geo_native_argument *argument = &kernel->arguments[i];
        if (argument->kind == GEO_ARGUMENT_LOCAL) {
            memcpy(block + argument->offset, &offset, sizeof(offset));
            offset += scratch_round(kernel->local_bytes[i]);
        }
    }
}

static ze_result_t limits_check(const struct geo_kernel *kernel, const uint32_t groups[3],
                                uint64_t local_argument_bytes)
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
    if (kernel->native->local_bytes + local_argument_bytes > info->max_local_bytes) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                        "the launch needs %llu bytes of local memory: the device has %u",
                        (unsigned long long)(kernel->native->local_bytes + local_argument_bytes),
                        info->max_local_bytes);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_kernel_launch_check(const struct geo_kernel *kernel, const uint32_t groups[3])
{
    return limits_check(kernel, groups, geo_kernel_launch_local_bytes(kernel));
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
    uint64_t local_argument_bytes = geo_kernel_launch_local_bytes(kernel);
    GEO_CHECK(limits_check(kernel, counts, local_argument_bytes));
    GEO_ASSERT(kernel->group_size[0] && kernel->group_size[1] && kernel->group_size[2]);
    launch->kernel = kernel->backend;
    for (int i = 0; i < 3; i++) {
        launch->group_count[i] = counts[i];
        launch->local_size[i] = kernel->group_size[i];
        launch->global_offset[i] = kernel->global_offset[i];
    }
    launch->indirect_counts = NULL;
    launch->local_argument_bytes = local_argument_bytes;
    block_write(kernel, block);
    return ZE_RESULT_SUCCESS;
}

/* Limits of scratch memory and groups for launches with device barriers, where each group has its
 * own scratch. */
#define MEETING_BYTES  (UINT64_C(1) << 30)
#define MEETING_GROUPS (UINT64_C(1) << 16)
/* Limit for groups that wait for each other in other ways: a job has at most as many participants
 * (exec/job/job.c). */
#define WAITING_GROUPS 256u

uint32_t geo_kernel_launch_max_groups(const struct geo_kernel *kernel,
                                      const struct geo_device *device)
{
    const struct geo_device_info *info = device->info;
    const struct geo_native_kernel *native = kernel->native;
    const struct geo_scratch_needs needs = {
        .lanes = native->lanes,
        .linear = native->flags & GEO_KERNEL_LINEAR,
        .local_bytes = native->local_bytes,
        .frame_bytes = native->frame_bytes,
        .chunk_bytes = native->chunk_bytes,
    };
    struct geo_scratch_layout layout;
    if ((native->flags & (GEO_KERNEL_DEVICE_BARRIER | GEO_KERNEL_WAITS)) !=
        GEO_KERNEL_DEVICE_BARRIER) {
        /* Groups that wait for each other outside of barriers need a worker each. */
        uint32_t workers = info->threads_per_eu * info->eus_per_subslice *
                           info->subslices_per_slice * info->slices;
        return workers < WAITING_GROUPS ? workers : WAITING_GROUPS;
    }
    if (!geo_abi_scratch(&needs, kernel->group_size, geo_kernel_launch_local_bytes(kernel),
                         &layout) ||
        layout.total_bytes > MEETING_BYTES) {
        return 1;
    }
    uint64_t most = MEETING_BYTES / (layout.total_bytes ? layout.total_bytes : 1);
    return (uint32_t)(most < MEETING_GROUPS ? most : MEETING_GROUPS);
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
