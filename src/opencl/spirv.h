/* Reads kernels and their arguments from SPIR-V. Level Zero does not tell the types of a kernel's
 * arguments, and OpenCL needs them: clSetKernelArg takes memory objects and samplers by handle. */
#ifndef GEO_OPENCL_SPIRV_H
#define GEO_OPENCL_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum geo_ocl_argument_kind {
    GEO_OCL_VALUE,  /* `bytes` bytes; 0: any number */
    GEO_OCL_GLOBAL, /* pointers */
    GEO_OCL_CONSTANT,
    GEO_OCL_LOCAL,
    GEO_OCL_IMAGE,
    GEO_OCL_SAMPLED, /* a sampler */
};

/* Qualifiers of an image. */
enum geo_ocl_access {
    GEO_OCL_READ_ONLY,
    GEO_OCL_WRITE_ONLY,
    GEO_OCL_READ_WRITE,
    GEO_OCL_NO_ACCESS, /* not an image */
};

struct geo_ocl_argument {
    enum geo_ocl_argument_kind kind;
    enum geo_ocl_access access;
    size_t bytes;
    bool is_const, is_restrict, is_volatile;
    char *name, *type_name; /* owned; NULL: the module does not tell */
};

struct geo_ocl_function {
    char *name; /* owned */
    struct geo_ocl_argument *arguments;
    uint32_t argument_count;
    uint32_t id;                           /* in the module */
    uint32_t local_size[3], local_hint[3]; /* 0: none */
    uint32_t vector_hint;                  /* as SPIR-V codes it; 0: none */
    uint32_t subgroup_size;                /* required; 0: none */
};

/* The kernels of one or several modules. */
struct geo_ocl_functions {
    struct geo_ocl_function *items;
    size_t count, capacity;
};

/* Appends the kernels of a module. Returns false if it is not SPIR-V in this machine's byte order,
 * is malformed, or memory ran out. */
bool geo_ocl_spirv_read(const void *bytes, size_t count, struct geo_ocl_functions *functions);
void geo_ocl_spirv_finish(struct geo_ocl_functions *functions);
/* Returns the bits of a specialisation constant, or 0 if the module does not have it. */
uint32_t geo_ocl_spirv_constant(const void *bytes, size_t count, uint32_t id);

#endif
