/* Kernels of loaded programs, and their arguments. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_KERNEL_H
#define GEO_BACKEND_CUDA_COMPUTE_KERNEL_H

#include "backend/backend.h"
#include "backend/cuda/driver/library.h"
#include "backend/host/arguments.h"

struct geo_backend_kernel {
    geo_cuda_function function;
    struct geo_host_arguments arguments;
    uint32_t block_bytes; /* of the block that CUDA copies: the arguments, padded */
};

/* Describes the arguments of a kernel of the view, which may be freed afterwards. Returns false
 * when memory ran out. */
bool geo_compute_kernel_init(struct geo_backend_kernel *kernel, const struct geo_native_view *view,
                             const struct geo_native_kernel *record);
/* Accepts a zeroed kernel. */
void geo_compute_kernel_finish(struct geo_backend_kernel *kernel);

/* Operations of the backend: see struct geo_program_ops. */
uint32_t geo_compute_kernel_argument_bytes(const struct geo_backend_kernel *kernel);
uint64_t geo_compute_kernel_local_bytes(const struct geo_backend_kernel *kernel,
                                        const uint64_t *sizes);
bool geo_compute_kernel_encode(const struct geo_backend_kernel *kernel, const void *arguments,
                               const uint64_t *local_bytes, struct geo_command_launch *launch,
                               void *block);

#endif
