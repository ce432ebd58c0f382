/* Program binaries.
 *
 *     executables    native binary of Level Zero, then the trailer
 *     others         the trailer alone
 *     trailer        build flags, SPIR-V modules, footer
 *
 * zeModuleCreate takes the binary of an executable as it is, because the sections of a native
 * binary end before the trailer. The trailer has what OpenCL needs and Level Zero does not tell:
 * the kernels' arguments. If the native binary is for another machine, the program is built again
 * from the SPIR-V. */
#ifndef GEO_OPENCL_BINARY_H
#define GEO_OPENCL_BINARY_H

#include "opencl/object.h"

/* SPIR-V modules, which are linked together. */
struct geo_ocl_modules {
    struct geo_ocl_module {
        uint8_t *bytes; /* owned */
        size_t count;
    } *items;
    size_t count, capacity;
};

/* Appends a copy of a module. Returns false if memory ran out. */
bool geo_ocl_binary_module_add(struct geo_ocl_modules *modules, const void *bytes, size_t count);
void geo_ocl_binary_modules_finish(struct geo_ocl_modules *modules);

/* The parts of a binary. Pointers point into it. */
struct geo_ocl_binary {
    cl_program_binary_type type;
    const uint8_t *native;
    size_t native_bytes; /* 0: none */
    const char *flags;   /* terminated */
    uint32_t module_count;
    const uint8_t *modules; /* each: its size in 8 bytes, then its bytes, padded to 8 */
};

/* Divides a binary into its parts. Returns false if it is none of ours. */
bool geo_ocl_binary_parse(const uint8_t *bytes, size_t count, struct geo_ocl_binary *binary);
/* Appends the modules of a parsed binary to a list. Returns false if memory ran out. */
bool geo_ocl_binary_modules(const struct geo_ocl_binary *binary, struct geo_ocl_modules *modules);
/* Makes a binary, from malloc. Returns NULL if memory ran out. */
uint8_t *geo_ocl_binary_make(cl_program_binary_type type, const uint8_t *native,
                             size_t native_bytes, const char *flags,
                             const struct geo_ocl_modules *modules, size_t *count);

#endif
