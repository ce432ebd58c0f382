/* Arguments of kernels. See kernel.h. */
#include "backend/cuda/compute/kernel.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_ALIGN 16u
#define LOCAL_ALIGN 128u

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

bool geo_compute_kernel_init(struct geo_backend_kernel *kernel, const struct geo_native_view *view,
                             const struct geo_native_kernel *record)
{
    const struct geo_native_argument *arguments = &view->arguments[record->first_argument];
    const uint32_t block = (uint32_t)round_up(record->argument_bytes, BLOCK_ALIGN);
    *kernel = (struct geo_backend_kernel){
        .value_bytes = record->argument_bytes,
        .block_bytes = block ? block : BLOCK_ALIGN,
        .variable_bytes = round_up(record->local_bytes, LOCAL_ALIGN),
        .locals = calloc(record->argument_count + 1u, sizeof(*kernel->locals)),
    };
    for (uint32_t i = 0; i < record->argument_count && kernel->locals; i++) {
        if (arguments[i].kind == GEO_ARGUMENT_LOCAL) {
            kernel->locals[kernel->local_count++] =
                (struct geo_compute_local){.index = i, .offset = arguments[i].offset};
        }
    }
    return kernel->locals != NULL;
}

void geo_compute_kernel_finish(struct geo_backend_kernel *kernel)
{
    free(kernel->locals);
}

uint32_t geo_compute_kernel_argument_bytes(const struct geo_backend_kernel *kernel)
{
    return kernel->block_bytes;
}

uint64_t geo_compute_kernel_local_bytes(const struct geo_backend_kernel *kernel,
                                        const uint64_t *sizes)
{
    uint64_t total = kernel->variable_bytes; /* cannot overflow: the driver bounds each size */
    for (uint32_t i = 0; i < kernel->local_count; i++) {
        total += round_up(sizes[kernel->locals[i].index], LOCAL_ALIGN);
    }
    return total;
}

bool geo_compute_kernel_encode(const struct geo_backend_kernel *kernel, const void *arguments,
                               const uint64_t *local_bytes, struct geo_command_launch *launch,
                               void *block)
{
    uint64_t offset = kernel->variable_bytes;
    memset(block, 0, kernel->block_bytes);
    if (kernel->value_bytes) {
        memcpy(block, arguments, kernel->value_bytes);
    }
    for (uint32_t i = 0; i < kernel->local_count; i++) {
        memcpy((uint8_t *)block + kernel->locals[i].offset, &offset, sizeof(offset));
        offset += round_up(local_bytes[kernel->locals[i].index], LOCAL_ALIGN);
    }
    launch->kernel = kernel;
    launch->local_argument_bytes = offset - kernel->variable_bytes;
    return true;
}
