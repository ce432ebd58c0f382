/* The beginning of every OpenCL object: tag, references, holds. */
#include "opencl/object.h"

#include <stdlib.h>

const cl_icd_dispatch *geo_ocl_object_dispatch;

void geo_ocl_object_init(void *object, enum geo_ocl_tag tag, void (*destroy)(void *object))
{
    struct geo_ocl_object *base = object;
    base->dispatch = geo_ocl_object_dispatch;
    atomic_init(&base->tag, tag);
    atomic_init(&base->references, 1);
    atomic_init(&base->holds, 1);
    base->destroy = destroy;
}

bool geo_ocl_object_is(const void *object, enum geo_ocl_tag tag)
{
    const struct geo_ocl_object *base = object;
    return base && ((uintptr_t)base & 7u) == 0 &&
           atomic_load_explicit(&base->tag, memory_order_relaxed) == tag;
}

cl_int geo_ocl_object_retain(void *object, enum geo_ocl_tag tag, cl_int error)
{
    struct geo_ocl_object *base = object;
    if (!geo_ocl_object_is(object, tag)) {
        return error;
    }
    uint32_t count = atomic_load_explicit(&base->references, memory_order_relaxed);
    do {
        if (count == 0) {
            return error; /* released; only the driver still uses it */
        }
    } while (!atomic_compare_exchange_weak(&base->references, &count, count + 1));
    return CL_SUCCESS;
}

cl_int geo_ocl_object_release(void *object, enum geo_ocl_tag tag, cl_int error)
{
    struct geo_ocl_object *base = object;
    if (!geo_ocl_object_is(object, tag)) {
        return error;
    }
    uint32_t count = atomic_load_explicit(&base->references, memory_order_relaxed);
    do {
        if (count == 0) {
            return error;
        }
    } while (!atomic_compare_exchange_weak(&base->references, &count, count - 1));
    if (count == 1) {
        geo_ocl_object_drop(object);
    }
    return CL_SUCCESS;
}

void *geo_ocl_object_hold(void *object)
{
    struct geo_ocl_object *base = object;
    if (base) {
        atomic_fetch_add_explicit(&base->holds, 1, memory_order_relaxed);
    }
    return object;
}

void geo_ocl_object_drop(void *object)
{
    struct geo_ocl_object *base = object;
    if (base && atomic_fetch_sub_explicit(&base->holds, 1, memory_order_acq_rel) == 1) {
        atomic_store_explicit(&base->tag, 0, memory_order_relaxed);
        base->destroy(object);
    }
}

cl_uint geo_ocl_object_references(const void *object)
{
    const struct geo_ocl_object *base = object;
    return atomic_load_explicit(&base->references, memory_order_relaxed);
}
