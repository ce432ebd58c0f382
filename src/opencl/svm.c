/* Shared virtual memory: memory of Level Zero that host and devices share. Where devices may use
 * any memory of the host, the functions take such pointers too. */
#include "opencl/memory.h"
#include "opencl/result.h"
#include "opencl/transfer.h"

#include <stdlib.h>
#include <string.h>

#define PATTERN_MAX 128u

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes,
                                          cl_uint alignment)
{
    const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    if (!geo_ocl_context_is(context) || bytes == 0 || (flags & ~(access | fine)) ||
        (flags & access & ((flags & access) - 1)) || (alignment & (alignment - 1)) ||
        alignment > 128 || (flags & fine) == CL_MEM_SVM_ATOMICS) {
        return NULL;
    }
    for (cl_uint i = 0; i < context->device_count; i++) {
        if (bytes > context->devices[i]->properties.maxMemAllocSize) {
            return NULL;
        }
    }
    ze_result_t result =
        zeMemAllocShared(context->handle, &device, &host, bytes, alignment ? alignment : 128,
                         context->device_count == 1 ? context->devices[0]->handle : NULL, &pointer);
    return result == ZE_RESULT_SUCCESS ? pointer : NULL;
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    if (geo_ocl_context_is(context) && pointer) {
        zeMemFree(context->handle, pointer);
    }
}

/* ---- commands ---- */

struct free_work {
    void **pointers; /* owned */
    cl_uint count;
    void(CL_CALLBACK *function)(cl_command_queue, cl_uint, void **, void *);
    void *data;
};

static cl_int free_run(struct geo_ocl_command *command, void *work)
{
    const struct free_work *list = work;
    if (list->function) {
        list->function(command->queue, list->count, list->pointers, list->data);
    }
    for (cl_uint i = 0; i < list->count && !list->function; i++) {
        clSVMFree(command->queue->context, list->pointers[i]);
    }
    return CL_SUCCESS;
}

static void free_finish(void *work)
{
    struct free_work *list = work;
    free(list->pointers);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void **pointers,
                 void(CL_CALLBACK *function)(cl_command_queue, cl_uint, void **, void *),
                 void *data, cl_uint count, const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result == CL_SUCCESS && (pointer_count == 0) != (pointers == NULL)) {
        result = CL_INVALID_VALUE;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, CL_COMMAND_SVM_FREE, sizeof(struct free_work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct free_work *work = (void *)command->work;
    *work = (struct free_work){calloc(pointer_count + 1u, sizeof(void *)), pointer_count, function,
                               data};
    command->run = free_run;
    command->finish = free_finish;
    if (!work->pointers) {
        geo_ocl_schedule_drop(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (pointer_count) {
        memcpy(work->pointers, pointers, pointer_count * sizeof(void *));
    }
    return geo_ocl_schedule_submit(command, count, events, event, false);
}

struct copy_work {
    void *to;
    const void *from;
    size_t bytes;
};

static cl_int copy_run(struct geo_ocl_command *command, void *work)
{
    const struct copy_work *copy = work;
    return geo_ocl_transfer_copy(command->queue, copy->to, copy->from, copy->bytes);
}

static cl_int copy_enqueue(cl_command_queue queue, cl_command_type type, bool blocking, void *to,
                           const void *from, size_t bytes, cl_uint count, const cl_event *events,
                           cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result == CL_SUCCESS && (!to || !from)) {
        result = CL_INVALID_VALUE;
    }
    if (result == CL_SUCCESS && (const char *)to < (const char *)from + bytes &&
        (const char *)from < (const char *)to + bytes) {
        result = CL_MEM_COPY_OVERLAP;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, type, sizeof(struct copy_work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    *(struct copy_work *)(void *)command->work = (struct copy_work){to, from, bytes};
    command->run = copy_run;
    return geo_ocl_schedule_submit(command, count, events, event, blocking);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking,
                                                   void *to, const void *from, size_t bytes,
                                                   cl_uint count, const cl_event *events,
                                                   cl_event *event)
{
    return copy_enqueue(queue, CL_COMMAND_SVM_MEMCPY, blocking, to, from, bytes, count, events,
                        event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking,
                                                     void *to, const void *from, size_t bytes,
                                                     cl_uint count, const cl_event *events,
                                                     cl_event *event)
{
    return copy_enqueue(queue, CL_COMMAND_MEMCPY_INTEL, blocking, to, from, bytes, count, events,
                        event);
}

struct fill_work {
    void *to;
    size_t bytes, pattern_bytes;
    unsigned char pattern[PATTERN_MAX];
};

static cl_int fill_run(struct geo_ocl_command *command, void *work)
{
    const struct fill_work *fill = work;
    return geo_ocl_transfer_fill(command->queue, fill->to, fill->pattern, fill->pattern_bytes,
                                 fill->bytes);
}

static cl_int fill_enqueue(cl_command_queue queue, cl_command_type type, void *to,
                           const void *pattern, size_t pattern_bytes, size_t bytes, cl_uint count,
                           const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result == CL_SUCCESS &&
        (!to || !pattern || pattern_bytes == 0 || pattern_bytes > PATTERN_MAX ||
         (pattern_bytes & (pattern_bytes - 1)) || (uintptr_t)to % pattern_bytes ||
         bytes % pattern_bytes)) {
        result = CL_INVALID_VALUE;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, type, sizeof(struct fill_work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct fill_work *work = (void *)command->work;
    *work = (struct fill_work){.to = to, .bytes = bytes, .pattern_bytes = pattern_bytes};
    memcpy(work->pattern, pattern, pattern_bytes);
    command->run = fill_run;
    return geo_ocl_schedule_submit(command, count, events, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *to,
                                                    const void *pattern, size_t pattern_bytes,
                                                    size_t bytes, cl_uint count,
                                                    const cl_event *events, cl_event *event)
{
    return fill_enqueue(queue, CL_COMMAND_SVM_MEMFILL, to, pattern, pattern_bytes, bytes, count,
                        events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemFillINTEL(cl_command_queue queue, void *to,
                                                      const void *pattern, size_t pattern_bytes,
                                                      size_t bytes, cl_uint count,
                                                      const cl_event *events, cl_event *event)
{
    return fill_enqueue(queue, CL_COMMAND_MEMFILL_INTEL, to, pattern, pattern_bytes, bytes, count,
                        events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemsetINTEL(cl_command_queue queue, void *to, cl_int value,
                                                     size_t bytes, cl_uint count,
                                                     const cl_event *events, cl_event *event)
{
    const unsigned char byte = (unsigned char)value;
    return fill_enqueue(queue, CL_COMMAND_MEMFILL_INTEL, to, &byte, 1, bytes, count, events, event);
}

/* Memory is shared, so mapping, moving and hints have nothing to do. */
static cl_int nothing_enqueue(cl_command_queue queue, cl_command_type type, bool blocking,
                              bool is_valid, cl_uint count, const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result == CL_SUCCESS && !is_valid) {
        result = CL_INVALID_VALUE;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command = geo_ocl_schedule_command(queue, type, 0);
    return command ? geo_ocl_schedule_submit(command, count, events, event, blocking)
                   : CL_OUT_OF_HOST_MEMORY;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking,
                                                cl_map_flags flags, void *pointer, size_t bytes,
                                                cl_uint count, const cl_event *events,
                                                cl_event *event)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    return nothing_enqueue(queue, CL_COMMAND_SVM_MAP, blocking,
                           pointer && bytes && !(flags & ~known), count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *pointer,
                                                  cl_uint count, const cl_event *events,
                                                  cl_event *event)
{
    return nothing_enqueue(queue, CL_COMMAND_SVM_UNMAP, false, pointer != NULL, count, events,
                           event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue,
                                                       cl_uint pointer_count, const void **pointers,
                                                       const size_t *sizes,
                                                       cl_mem_migration_flags flags, cl_uint count,
                                                       const cl_event *events, cl_event *event)
{
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    (void)sizes;
    return nothing_enqueue(queue, CL_COMMAND_SVM_MIGRATE_MEM, false,
                           pointer_count && pointers && !(flags & ~known), count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemINTEL(cl_command_queue queue,
                                                         const void *pointer, size_t bytes,
                                                         cl_mem_migration_flags flags,
                                                         cl_uint count, const cl_event *events,
                                                         cl_event *event)
{
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    return nothing_enqueue(queue, CL_COMMAND_MIGRATEMEM_INTEL, false,
                           pointer && bytes && !(flags & ~known), count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemAdviseINTEL(cl_command_queue queue, const void *pointer,
                                                        size_t bytes, cl_mem_advice_intel advice,
                                                        cl_uint count, const cl_event *events,
                                                        cl_event *event)
{
    (void)advice;
    return nothing_enqueue(queue, CL_COMMAND_MEMADVISE_INTEL, false, pointer && bytes, count,
                           events, event);
}
