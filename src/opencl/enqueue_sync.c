/* Markers, barriers, migrations, and functions of the host as commands. */
#include "opencl/memory.h"
#include "opencl/schedule.h"

#include <stdlib.h>
#include <string.h>

static cl_int nothing_enqueue(cl_command_queue queue, cl_command_type type, bool is_barrier,
                              cl_uint count, const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command = geo_ocl_schedule_command(queue, type, 0);
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    command->is_barrier = is_barrier;
    command->waits_for_all =
        count == 0 && (type == CL_COMMAND_MARKER || type == CL_COMMAND_BARRIER);
    return geo_ocl_schedule_submit(command, count, events, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                                            const cl_event *events, cl_event *event)
{
    return nothing_enqueue(queue, CL_COMMAND_MARKER, false, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count,
                                                             const cl_event *events,
                                                             cl_event *event)
{
    return nothing_enqueue(queue, CL_COMMAND_BARRIER, true, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    if (!geo_ocl_schedule_is_queue(queue)) {
        return CL_INVALID_COMMAND_QUEUE;
    }
    return event ? nothing_enqueue(queue, CL_COMMAND_MARKER, false, 0, NULL, event)
                 : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue)
{
    return nothing_enqueue(queue, CL_COMMAND_BARRIER, true, 0, NULL, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count,
                                                       const cl_event *events)
{
    if (!geo_ocl_schedule_is_queue(queue)) {
        return CL_INVALID_COMMAND_QUEUE;
    }
    if (count == 0 || !events) {
        return CL_INVALID_VALUE;
    }
    cl_int result = nothing_enqueue(queue, CL_COMMAND_BARRIER, true, count, events, NULL);
    return result == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : result;
}

/* Memory is shared, so there is nothing to move. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count,
                                                           const cl_mem *memories,
                                                           cl_mem_migration_flags flags,
                                                           cl_uint event_count,
                                                           const cl_event *events, cl_event *event)
{
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    cl_int result = geo_ocl_schedule_check(queue, event_count, events);
    if (result == CL_SUCCESS && (count == 0 || !memories || (flags & ~known))) {
        result = CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < count && result == CL_SUCCESS; i++) {
        if (!geo_ocl_memory_is(memories[i])) {
            result = CL_INVALID_MEM_OBJECT;
        } else if (memories[i]->context != queue->context) {
            result = CL_INVALID_CONTEXT;
        }
    }
    return result == CL_SUCCESS ? nothing_enqueue(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, false,
                                                  event_count, events, event)
                                : result;
}

/* ---- functions of the host ---- */

struct native_work {
    void(CL_CALLBACK *function)(void *);
    void *arguments;  /* owned copy */
    cl_mem *memories; /* owned, held */
    cl_uint memory_count;
};

static cl_int native_run(struct geo_ocl_command *command, void *work)
{
    const struct native_work *native = work;
    (void)command;
    native->function(native->arguments);
    return CL_SUCCESS;
}

static void native_finish(void *work)
{
    struct native_work *native = work;
    for (cl_uint i = 0; i < native->memory_count && native->memories; i++) {
        geo_ocl_object_drop(native->memories[i]);
    }
    free(native->memories);
    free(native->arguments);
}

static cl_int native_check(cl_command_queue queue, const void *function, const void *arguments,
                           size_t bytes, cl_uint count, const cl_mem *memories, const void **places)
{
    if (!function || (!arguments && (bytes || count)) || (arguments && bytes == 0) ||
        (count != 0) != (memories != NULL) || (count != 0) != (places != NULL)) {
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < count; i++) {
        uintptr_t at = (uintptr_t)places[i] - (uintptr_t)arguments;
        if (!geo_ocl_memory_is(memories[i])) {
            return CL_INVALID_MEM_OBJECT;
        }
        if (memories[i]->context != queue->context) {
            return CL_INVALID_CONTEXT;
        }
        if (bytes < sizeof(void *) || at > bytes - sizeof(void *)) {
            return CL_INVALID_VALUE;
        }
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue,
                                                      void(CL_CALLBACK *function)(void *),
                                                      void *arguments, size_t bytes, cl_uint count,
                                                      const cl_mem *memories, const void **places,
                                                      cl_uint event_count, const cl_event *events,
                                                      cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, event_count, events);
    if (result == CL_SUCCESS) {
        result = native_check(queue, (const void *)(uintptr_t)function, arguments, bytes, count,
                              memories, places);
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, CL_COMMAND_NATIVE_KERNEL, sizeof(struct native_work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct native_work *work = (void *)command->work;
    work->function = function;
    work->arguments = bytes ? malloc(bytes) : NULL;
    work->memories = count ? calloc(count, sizeof(cl_mem)) : NULL;
    command->run = native_run;
    command->finish = native_finish;
    if ((bytes && !work->arguments) || (count && !work->memories)) {
        geo_ocl_schedule_drop(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (bytes) {
        memcpy(work->arguments, arguments, bytes);
    }
    for (cl_uint i = 0; i < count; i++) {
        size_t at = (size_t)((const char *)places[i] - (const char *)arguments);
        memcpy((char *)work->arguments + at, &memories[i]->pointer, sizeof(void *));
        work->memories[work->memory_count++] = geo_ocl_object_hold(memories[i]);
    }
    return geo_ocl_schedule_submit(command, event_count, events, event, false);
}
