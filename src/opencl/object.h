/* The beginning of every OpenCL object, and what all files of the driver share.
 *
 * An application owns references (clRetain..., clRelease...). Work in flight and other objects hold
 * an object without being counted by CL_..._REFERENCE_COUNT. The object is destroyed when neither
 * is left.
 *
 *     result.c converts results of Level Zero, object.c < info.c < spirv.c <
 *     device_extensions.c < device.c < platform.c < context.c < event.c < memory.c, sampler.c <
 *     schedule.c < transfer.c < image.c < queue.c < program.c < build.c < kernel*.c < enqueue_*.c <
 *     command_buffer.c < command_buffer_record.c < dispatch.c: each file may call functions of
 *     those before it.
 */
#ifndef GEO_OPENCL_OBJECT_H
#define GEO_OPENCL_OBJECT_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <level_zero/ze_api.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Marks the functions that ICD loaders find by name; opencl.map lists the same. */
#define GEO_OCL_EXPORT __attribute__((visibility("default")))

/* Tags of objects. A handle with another tag is not an object of that kind. */
enum geo_ocl_tag {
    GEO_OCL_PLATFORM = 0x4f434c01,
    GEO_OCL_DEVICE,
    GEO_OCL_CONTEXT,
    GEO_OCL_QUEUE,
    GEO_OCL_MEMORY,
    GEO_OCL_PROGRAM,
    GEO_OCL_KERNEL,
    GEO_OCL_EVENT,
    GEO_OCL_SAMPLER,
    GEO_OCL_COMMAND_BUFFER,
};

struct geo_ocl_object {
    const cl_icd_dispatch *dispatch; /* ICD loaders call through it, so it is the first member */
    _Atomic uint32_t tag;            /* enum geo_ocl_tag; 0: destroyed */
    _Atomic uint32_t references;     /* of the application */
    _Atomic uint32_t holds;          /* of work and other objects; the references count as one */
    void (*destroy)(void *object);   /* frees the object and all that it owns */
};

/* The table of functions that new objects get. dispatch.c sets it when the library is loaded. */
extern const cl_icd_dispatch *geo_ocl_object_dispatch;

/* Initialises an object with one reference. */
void geo_ocl_object_init(void *object, enum geo_ocl_tag tag, void (*destroy)(void *object));
/* Returns whether a handle is a living object of that kind. */
bool geo_ocl_object_is(const void *object, enum geo_ocl_tag tag);
/* Implement clRetain... and clRelease...: `error` is the result for a handle that is not valid. */
cl_int geo_ocl_object_retain(void *object, enum geo_ocl_tag tag, cl_int error);
cl_int geo_ocl_object_release(void *object, enum geo_ocl_tag tag, cl_int error);
/* Keep an object alive for the driver's own use. geo_ocl_object_drop accepts NULL. */
void *geo_ocl_object_hold(void *object);
void geo_ocl_object_drop(void *object);
cl_uint geo_ocl_object_references(const void *object);

/* Writes *error if the application wants it. */
static inline void geo_ocl_object_error(cl_int *error, cl_int code)
{
    if (error) {
        *error = code;
    }
}

#endif
