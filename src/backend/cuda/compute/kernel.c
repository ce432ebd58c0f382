/* Arguments of kernels. See kernel.h. */
#include "backend/cuda/compute/kernel.h"

#include "native/nvidia.h"

#include <string.h>

bool geo_compute_kernel_init(struct geo_backend_kernel *kernel, const struct geo_native_view *view,
                             const struct geo_native_kernel *record)
{
    const uint32_t align = GEO_NVIDIA_ARGUMENTS_ALIGN;
    const uint32_t bytes = (record->argument_bytes + align - 1) / align * align;
    *kernel = (struct geo_backend_kernel){.block_bytes = bytes ? bytes : align};
    return geo_host_arguments_init(&kernel->arguments, view, record, record->local_bytes);
}

void geo_compute_kernel_finish(struct geo_backend_kernel *kernel)
{
    geo_host_arguments_finish(&kernel->arguments);
}

uint32_t geo_compute_kernel_argument_bytes(const struct geo_backend_kernel *kernel)
{
    return kernel->block_bytes;
}

uint64_t geo_compute_kernel_local_bytes(const struct geo_backend_kernel *kernel,
                                        const uint64_t *sizes)
{
    return geo_host_arguments_local(&kernel->arguments, sizes);
}

bool geo_compute_kernel_encode(const struct geo_backend_kernel *kernel, const void *arguments,
                               const uint64_t *local_bytes, struct geo_command_launch *launch,
                               void *block)
{
    memset(block, 0, kernel->block_bytes);
    geo_host_arguments_encode(&kernel->arguments, arguments, local_bytes, launch, block);
    launch->kernel = kernel;
    return true;
}
