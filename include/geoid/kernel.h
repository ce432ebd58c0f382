/* An extension of Geoid's driver: describes the arguments of a kernel. */
#ifndef GEOID_KERNEL_H
#define GEOID_KERNEL_H

#include "../level_zero/ze_api.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum geoid_kernel_argument_kind {
    GEOID_KERNEL_ARGUMENT_VALUE = 1, /* `size` bytes are copied */
    GEOID_KERNEL_ARGUMENT_POINTER,   /* an address in global or constant memory */
    GEOID_KERNEL_ARGUMENT_LOCAL,     /* local memory: a size without a value */
    GEOID_KERNEL_ARGUMENT_IMAGE,     /* a ze_image_handle_t */
    GEOID_KERNEL_ARGUMENT_SAMPLER,   /* a ze_sampler_handle_t */
};

struct geoid_kernel_argument {
    uint32_t kind; /* enum geoid_kernel_argument_kind */
    uint32_t size; /* bytes of the value that zeKernelSetArgumentValue takes; 0 for local memory */
    uint32_t read_only;  /* 1: the kernel never writes through it */
    uint32_t write_only; /* 1: the kernel never reads it; set for images only */
};

/* Describes an argument of a kernel. Returns ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX when the
 * kernel has fewer arguments. Get the function from zeDriverGetExtensionFunctionAddress under the
 * name "geoidKernelGetArgument". */
typedef ze_result_t(ZE_APICALL *geoid_pfnKernelGetArgument_t)(ze_kernel_handle_t kernel,
                                                              uint32_t index,
                                                              struct geoid_kernel_argument *out);

#if defined(__cplusplus)
}
#endif

#endif
