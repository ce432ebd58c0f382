/* Contexts: a context of Level Zero and the devices that share its objects. */
#ifndef GEO_OPENCL_CONTEXT_H
#define GEO_OPENCL_CONTEXT_H

#include "opencl/platform.h"

#include <pthread.h>

/* A function to call when an object is destroyed; the last one that was added is called first. */
struct geo_ocl_destructor {
    struct geo_ocl_destructor *next;
    union {
        void(CL_CALLBACK *context)(cl_context, void *);
        void(CL_CALLBACK *memory)(cl_mem, void *);
    } call; /* the member for the kind of object */
    void *data;
};

struct _cl_context {
    struct geo_ocl_object base;
    ze_context_handle_t handle;
    cl_platform_id platform;
    cl_device_id *devices;
    cl_uint device_count;
    cl_context_properties *properties; /* as the application gave them, with the zero; or NULL */
    size_t property_count;
    pthread_mutex_t lock; /* protects `destructors` */
    struct geo_ocl_destructor *destructors;
    bool uses_system_memory; /* all devices do */
};

bool geo_ocl_context_is(cl_context context);
bool geo_ocl_context_has(const struct _cl_context *context, cl_device_id device);
/* Returns the index of a device among those of the context, which has it. */
cl_uint geo_ocl_context_index(const struct _cl_context *context, cl_device_id device);

#endif
