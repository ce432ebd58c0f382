/* Kernels: a function of a program and the values of its arguments. */
#ifndef GEO_OPENCL_KERNEL_H
#define GEO_OPENCL_KERNEL_H

#include "opencl/memory.h"
#include "opencl/program.h"
#include "opencl/sampler.h"

#define GEO_OCL_INLINE_BYTES 16u

/* The value of an argument. Kernels do not hold memory objects and samplers, as the specification
 * says of clSetKernelArg; commands that launch kernels do. */
struct geo_ocl_value {
    bool is_set;
    bool is_local; /* only a size */
    size_t bytes;
    unsigned char small[GEO_OCL_INLINE_BYTES];
    void *large; /* owned: a value that is larger */
    cl_mem memory;
    cl_sampler sampler;
};

struct _cl_kernel {
    struct geo_ocl_object base;
    cl_program program;                      /* held */
    const struct geo_ocl_function *function; /* the program's */
    struct geo_ocl_value *values;            /* of its arguments */
    pthread_mutex_t lock;                    /* protects the state of the handles */
    ze_kernel_handle_t *handles;             /* by device of the program; NULL: not built for it */
    ze_kernel_properties_t *properties;
    bool *has_offset; /* the handle's global offset is not 0 */
};

bool geo_ocl_kernel_is(cl_kernel kernel);
/* Returns the index of a device that the kernel was built for, or -1. */
int geo_ocl_kernel_index(const struct _cl_kernel *kernel, cl_device_id device);
/* Returns the bytes of a value, or NULL for local memory. */
const void *geo_ocl_kernel_value(const struct geo_ocl_value *value);

#endif
