/* A native binary with PTX for the trial of GPUs: what the compiler writes for kernels.cl, level
 * sm_80. */
#ifndef GEO_TESTS_CUDA_KERNELS_H
#define GEO_TESTS_CUDA_KERNELS_H

#include "native/native.h"
#include "native/nvidia.h"

enum { KERNEL_REVERSE, KERNEL_STORE, KERNEL_COUNT };

/* The argument block of the kernel `reverse`. */
struct reverse_arguments {
    const uint32_t *in;
    uint32_t *out;
    uint64_t line; /* a local argument */
    uint32_t bias;
};

/* Number of the local argument of `reverse` among its arguments, and their number. */
enum { REVERSE_LINE = 2, REVERSE_ARGUMENTS = 4 };

/* Returns a view of the binary, which is static. */
struct geo_native_view kernels_view(void);

#endif
