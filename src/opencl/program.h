/* Programs: a source, SPIR-V or binaries, and what was built of it for each device. */
#ifndef GEO_OPENCL_PROGRAM_H
#define GEO_OPENCL_PROGRAM_H

#include "opencl/binary.h"
#include "opencl/context.h"
#include "opencl/spirv.h"

#include "base/strbuf.h"

/* The results of a build for one device. */
struct geo_ocl_build {
    cl_build_status status;
    cl_program_binary_type type;
    char *options;                  /* owned; NULL: none */
    char *log;                      /* owned; NULL: none */
    char *flags;                    /* of zeModuleCreate; owned; NULL: none */
    struct geo_ocl_modules modules; /* SPIR-V: of an object, a library, or an executable */
    ze_module_handle_t module;      /* of an executable */
    uint8_t *binary;                /* owned; made when it is asked for, or given */
    size_t binary_bytes;
    struct geo_ocl_functions functions; /* the kernels of an executable */
};

/* A specialisation constant. */
struct geo_ocl_constant {
    uint32_t id;
    uint64_t value;
};

struct _cl_program {
    struct geo_ocl_object base;
    cl_context context; /* held */
    cl_device_id *devices;
    struct geo_ocl_build *builds; /* of the devices */
    cl_uint device_count;
    char *source; /* owned; NULL: none */
    uint8_t *il;  /* owned; NULL: none */
    size_t il_bytes;
    bool has_binaries;             /* it was created with binaries */
    _Atomic uint32_t kernel_count; /* kernels that exist */
    pthread_mutex_t lock;          /* protects binaries of builds, constants, callbacks */
    struct {
        struct geo_ocl_constant *items;
        size_t count, capacity;
    } constants;
};

bool geo_ocl_program_is(cl_program program);
/* Creates a program without content for devices of a context. Returns NULL if memory ran out. */
cl_program geo_ocl_program_create(cl_context context, cl_uint count, const cl_device_id *devices);
/* Returns the build for a device, or NULL if the program is not for it. */
struct geo_ocl_build *geo_ocl_program_build(cl_program program, cl_device_id device);
/* Frees what a build has. The binary that the application gave is kept with `keeps_binary`. */
void geo_ocl_program_build_reset(struct geo_ocl_build *build, bool keeps_binary);
/* Returns the first build that is an executable, or NULL. */
struct geo_ocl_build *geo_ocl_program_executable(cl_program program);

#endif
