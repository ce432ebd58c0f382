/* Memory objects: buffers and sub-buffers, and what they share with images. */
#include "opencl/memory.h"

#include "opencl/info.h"
#include "opencl/result.h"

#include <stdlib.h>
#include <string.h>

#define HOST_ACCESS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define ACCESS      (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_PTR    (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

/* Memory is aligned for the largest type of OpenCL C. */
#define ALIGNMENT 128u

bool geo_ocl_memory_is(cl_mem memory)
{
    return geo_ocl_object_is(memory, GEO_OCL_MEMORY);
}

bool geo_ocl_memory_is_buffer(cl_mem memory)
{
    return geo_ocl_memory_is(memory) && memory->type == CL_MEM_OBJECT_BUFFER;
}

static void memory_destroy(void *object)
{
    cl_mem memory = object;
    while (memory->destructors) {
        struct geo_ocl_destructor *first = memory->destructors;
        memory->destructors = first->next;
        first->call.memory(memory, first->data);
        free(first);
    }
    if (memory->image) {
        zeImageDestroy(memory->image);
    }
    if (memory->owns_pointer) {
        zeMemFree(memory->context->handle, memory->pointer);
    }
    while (memory->mappings) {
        struct geo_ocl_mapping *first = memory->mappings;
        memory->mappings = first->next;
        free(first);
    }
    geo_ocl_object_drop(memory->parent);
    geo_ocl_object_drop(memory->context);
    pthread_mutex_destroy(&memory->lock);
    free(memory->properties);
    free(memory);
}

cl_mem geo_ocl_memory_create(cl_context context, cl_mem_object_type type, cl_mem_flags flags)
{
    cl_mem memory = calloc(1, sizeof(*memory));
    if (memory) {
        geo_ocl_object_init(memory, GEO_OCL_MEMORY, memory_destroy);
        pthread_mutex_init(&memory->lock, NULL);
        memory->context = geo_ocl_object_hold(context);
        memory->type = type;
        memory->flags = flags;
    }
    return memory;
}

static bool at_most_one(cl_mem_flags flags)
{
    return (flags & (flags - 1)) == 0;
}

cl_int geo_ocl_memory_map_check(const struct _cl_mem *memory, cl_map_flags flags)
{
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    const cl_mem_flags cannot_read = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
                       cannot_write = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    if ((flags & ~(writes | CL_MAP_READ)) ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)))) {
        return CL_INVALID_VALUE;
    }
    bool is_forbidden = ((memory->flags & cannot_read) && (flags & CL_MAP_READ)) ||
                        ((memory->flags & cannot_write) && (flags & writes));
    return is_forbidden ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int geo_ocl_memory_flags(cl_mem_flags *flags, const void *host_pointer,
                            const struct _cl_mem *parent)
{
    const cl_mem_flags known = ACCESS | HOST_PTR | HOST_ACCESS | CL_MEM_KERNEL_READ_AND_WRITE;
    if ((*flags & ~known) || !at_most_one(*flags & ACCESS) || !at_most_one(*flags & HOST_ACCESS) ||
        ((*flags & CL_MEM_USE_HOST_PTR) &&
         (*flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))) {
        return CL_INVALID_VALUE;
    }
    if (parent) {
        cl_mem_flags had = parent->flags;
        if ((*flags & HOST_PTR) ||
            ((had & CL_MEM_WRITE_ONLY) && (*flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
            ((had & CL_MEM_READ_ONLY) && (*flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) ||
            ((had & CL_MEM_HOST_WRITE_ONLY) && (*flags & CL_MEM_HOST_READ_ONLY)) ||
            ((had & CL_MEM_HOST_READ_ONLY) && (*flags & CL_MEM_HOST_WRITE_ONLY)) ||
            ((had & CL_MEM_HOST_NO_ACCESS) &&
             (*flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))) {
            return CL_INVALID_VALUE;
        }
        *flags |= *flags & ACCESS ? 0 : had & ACCESS;
        *flags |= *flags & HOST_ACCESS ? 0 : had & HOST_ACCESS;
        *flags |= had & HOST_PTR;
        return CL_SUCCESS;
    }
    *flags |= *flags & ACCESS ? 0 : CL_MEM_READ_WRITE;
    bool wants = *flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    return wants == (host_pointer != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

cl_int geo_ocl_memory_properties(cl_mem memory, const cl_mem_properties *properties)
{
    if (!properties) {
        return CL_SUCCESS;
    }
    if (properties[0]) {
        return CL_INVALID_PROPERTY; /* none are defined */
    }
    memory->properties = calloc(1, sizeof(*properties));
    memory->property_count = 1;
    return memory->properties ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int geo_ocl_memory_allocate(cl_mem memory, void *host_pointer)
{
    cl_context context = memory->context;
    bool uses_host = memory->flags & CL_MEM_USE_HOST_PTR;
    if (uses_host) {
        memory->host_pointer = host_pointer;
        if (context->uses_system_memory) {
            memory->pointer = memory->host = host_pointer;
            return CL_SUCCESS;
        }
    }
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    cl_int result = geo_ocl_result(zeMemAllocShared(
        context->handle, &device, &host, memory->bytes, ALIGNMENT,
        context->device_count == 1 ? context->devices[0]->handle : NULL, &pointer));
    if (result != CL_SUCCESS) {
        return result == CL_OUT_OF_HOST_MEMORY ? result : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    memory->pointer = pointer;
    memory->owns_pointer = true;
    memory->host = uses_host ? host_pointer : pointer;
    if (memory->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) {
        memcpy(memory->pointer, host_pointer, memory->bytes);
    }
    return CL_SUCCESS;
}

void geo_ocl_memory_map(cl_mem memory, struct geo_ocl_mapping *mapping)
{
    pthread_mutex_lock(&memory->lock);
    mapping->next = memory->mappings;
    memory->mappings = mapping;
    memory->map_count++;
    pthread_mutex_unlock(&memory->lock);
}

struct geo_ocl_mapping *geo_ocl_memory_unmap(cl_mem memory, const void *pointer)
{
    pthread_mutex_lock(&memory->lock);
    struct geo_ocl_mapping **at = &memory->mappings;
    while (*at && (*at)->pointer != pointer) {
        at = &(*at)->next;
    }
    struct geo_ocl_mapping *found = *at;
    if (found) {
        *at = found->next;
        memory->map_count--;
    }
    pthread_mutex_unlock(&memory->lock);
    return found;
}

/* ---- the API ---- */

/* Returns the largest buffer that all devices of a context can have. */
static cl_ulong most_bytes(const struct _cl_context *context)
{
    cl_ulong most = UINT64_MAX;
    for (cl_uint i = 0; i < context->device_count; i++) {
        cl_ulong bytes = context->devices[i]->properties.maxMemAllocSize;
        most = bytes < most ? bytes : most;
    }
    return most;
}

static cl_int buffer_create(cl_context context, const cl_mem_properties *properties,
                            cl_mem_flags flags, size_t bytes, void *host_pointer, cl_mem *out)
{
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    cl_int result = geo_ocl_memory_flags(&flags, host_pointer, NULL);
    if (result == CL_SUCCESS && (bytes == 0 || bytes > most_bytes(context))) {
        result = CL_INVALID_BUFFER_SIZE;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    cl_mem memory = geo_ocl_memory_create(context, CL_MEM_OBJECT_BUFFER, flags);
    if (!memory) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    memory->bytes = bytes;
    result = geo_ocl_memory_properties(memory, properties);
    if (result == CL_SUCCESS) {
        result = geo_ocl_memory_allocate(memory, host_pointer);
    }
    if (result != CL_SUCCESS) {
        geo_ocl_object_drop(memory);
        return result;
    }
    *out = memory;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context,
                                                             const cl_mem_properties *properties,
                                                             cl_mem_flags flags, size_t bytes,
                                                             void *host_pointer, cl_int *error)
{
    cl_mem memory = NULL;
    cl_int result = buffer_create(context, properties, flags, bytes, host_pointer, &memory);
    geo_ocl_object_error(error, result);
    return memory;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                               void *host_pointer, cl_int *error)
{
    return clCreateBufferWithProperties(context, NULL, flags, bytes, host_pointer, error);
}

static cl_int sub_buffer_create(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                const cl_buffer_region *region, cl_mem *out)
{
    if (!geo_ocl_memory_is_buffer(parent) || parent->parent) {
        return CL_INVALID_MEM_OBJECT;
    }
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region) {
        return CL_INVALID_VALUE;
    }
    cl_int result = geo_ocl_memory_flags(&flags, NULL, parent);
    if (result != CL_SUCCESS) {
        return result;
    }
    if (region->size == 0) {
        return CL_INVALID_BUFFER_SIZE;
    }
    if (region->origin > parent->bytes || region->size > parent->bytes - region->origin) {
        return CL_INVALID_VALUE;
    }
    if (region->origin % ALIGNMENT) {
        return CL_MISALIGNED_SUB_BUFFER_OFFSET;
    }
    cl_mem memory = geo_ocl_memory_create(parent->context, CL_MEM_OBJECT_BUFFER, flags);
    if (!memory) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    memory->parent = geo_ocl_object_hold(parent);
    memory->offset = region->origin;
    memory->bytes = region->size;
    memory->pointer = parent->pointer + region->origin;
    memory->host = parent->host + region->origin;
    memory->host_pointer =
        parent->host_pointer ? (char *)parent->host_pointer + region->origin : NULL;
    *out = memory;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent, cl_mem_flags flags,
                                                  cl_buffer_create_type type, const void *info,
                                                  cl_int *error)
{
    cl_mem memory = NULL;
    cl_int result = sub_buffer_create(parent, flags, type, info, &memory);
    geo_ocl_object_error(error, result);
    return memory;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainMemObject(cl_mem memory)
{
    return geo_ocl_object_retain(memory, GEO_OCL_MEMORY, CL_INVALID_MEM_OBJECT);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem memory)
{
    return geo_ocl_object_release(memory, GEO_OCL_MEMORY, CL_INVALID_MEM_OBJECT);
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t size,
                                                   void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_memory_is(memory)) {
        return CL_INVALID_MEM_OBJECT;
    }
    switch (name) {
    case CL_MEM_TYPE:
        return geo_ocl_info_value(&info, cl_mem_object_type, memory->type);
    case CL_MEM_FLAGS:
        return geo_ocl_info_value(&info, cl_mem_flags, memory->flags);
    case CL_MEM_SIZE:
        return geo_ocl_info_value(&info, size_t, memory->bytes);
    case CL_MEM_HOST_PTR:
        return geo_ocl_info_value(&info, void *, memory->host_pointer);
    case CL_MEM_MAP_COUNT:
        return geo_ocl_info_value(&info, cl_uint, memory->map_count);
    case CL_MEM_REFERENCE_COUNT:
        return geo_ocl_info_value(&info, cl_uint, geo_ocl_object_references(memory));
    case CL_MEM_CONTEXT:
        return geo_ocl_info_value(&info, cl_context, memory->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return geo_ocl_info_value(&info, cl_mem, memory->parent);
    case CL_MEM_OFFSET:
        return geo_ocl_info_value(&info, size_t, memory->offset);
    case CL_MEM_USES_SVM_POINTER: /* any memory of the host may be SVM where devices use it */
        return geo_ocl_info_value(
            &info, cl_bool,
            memory->host_pointer && memory->context->uses_system_memory ? CL_TRUE : CL_FALSE);
    case CL_MEM_PROPERTIES:
        return geo_ocl_info_bytes(&info, memory->properties,
                                  memory->property_count * sizeof(cl_mem_properties));
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetMemObjectDestructorCallback(
    cl_mem memory, void(CL_CALLBACK *function)(cl_mem, void *), void *data)
{
    if (!geo_ocl_memory_is(memory)) {
        return CL_INVALID_MEM_OBJECT;
    }
    if (!function) {
        return CL_INVALID_VALUE;
    }
    struct geo_ocl_destructor *first = calloc(1, sizeof(*first));
    if (!first) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    *first = (struct geo_ocl_destructor){.call.memory = function, .data = data};
    pthread_mutex_lock(&memory->lock);
    first->next = memory->destructors;
    memory->destructors = first;
    pthread_mutex_unlock(&memory->lock);
    return CL_SUCCESS;
}
