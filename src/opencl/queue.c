/* The API of command queues. */
#include "opencl/queue.h"

#include "opencl/info.h"
#include "opencl/result.h"

#include <stdlib.h>

static void queue_destroy(void *object)
{
    cl_command_queue queue = object;
    if (!geo_ocl_schedule_finish(queue)) {
        return; /* the queue's own thread destroys it */
    }
    if (queue->list) {
        zeCommandListDestroy(queue->list);
    }
    geo_ocl_object_drop(queue->last);
    geo_ocl_object_drop(queue->context);
    free(queue);
}

/* Creates a queue without a command list. */
static cl_command_queue queue_allocate(cl_context context, cl_device_id device,
                                       cl_command_queue_properties flags)
{
    cl_command_queue queue = calloc(1, sizeof(*queue));
    if (queue) {
        geo_ocl_object_init(queue, GEO_OCL_QUEUE, queue_destroy);
        geo_ocl_schedule_init(queue);
        queue->context = geo_ocl_object_hold(context);
        queue->device = device;
        queue->flags = flags;
    }
    return queue;
}

cl_int geo_ocl_queue_create_recorder(cl_context context, cl_device_id device, cl_command_queue *out)
{
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .commandQueueGroupOrdinal = device->queue_ordinal};
    cl_command_queue queue = queue_allocate(context, device, 0);
    if (!queue) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    queue->records = true;
    cl_int result =
        geo_ocl_result(zeCommandListCreate(context->handle, device->handle, &desc, &queue->list));
    if (result != CL_SUCCESS) {
        queue_destroy(queue);
        return result;
    }
    *out = queue;
    return CL_SUCCESS;
}

static cl_int queue_create(cl_context context, cl_device_id device,
                           cl_command_queue_properties flags, ze_command_queue_priority_t priority,
                           cl_command_queue *out)
{
    const ze_command_queue_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
        .ordinal = device->queue_ordinal,
        .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
        .priority = priority,
    };
    cl_command_queue queue = queue_allocate(context, device, flags);
    if (!queue) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    cl_int result = geo_ocl_result(
        zeCommandListCreateImmediate(context->handle, device->handle, &desc, &queue->list));
    if (result != CL_SUCCESS) {
        queue_destroy(queue);
        return result;
    }
    *out = queue;
    return CL_SUCCESS;
}

static cl_int queue_check(cl_context context, cl_device_id device,
                          cl_command_queue_properties flags)
{
    const cl_command_queue_properties host =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    const cl_command_queue_properties known =
        host | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    if (!geo_ocl_device_is(device) || !geo_ocl_context_has(context, device)) {
        return CL_INVALID_DEVICE;
    }
    if (flags & ~known) {
        return CL_INVALID_VALUE;
    }
    return flags & ~host ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context,
                                                               cl_device_id device,
                                                               cl_command_queue_properties flags,
                                                               cl_int *error)
{
    cl_command_queue queue = NULL;
    cl_int result = queue_check(context, device, flags);
    if (result == CL_SUCCESS) {
        result = queue_create(context, device, flags, ZE_COMMAND_QUEUE_PRIORITY_NORMAL, &queue);
    }
    geo_ocl_object_error(error, result);
    return queue;
}

/* Takes the hints of cl_khr_priority_hints and cl_khr_throttle_hints. Level Zero has no throttling.
 * Returns false if it is another property or value. */
static bool hint_take(const cl_queue_properties *property, ze_command_queue_priority_t *priority)
{
    if (property[0] == CL_QUEUE_THROTTLE_KHR) {
        return property[1] == CL_QUEUE_THROTTLE_HIGH_KHR ||
               property[1] == CL_QUEUE_THROTTLE_MED_KHR || property[1] == CL_QUEUE_THROTTLE_LOW_KHR;
    }
    switch (property[0] == CL_QUEUE_PRIORITY_KHR ? property[1] : 0) {
    case CL_QUEUE_PRIORITY_HIGH_KHR:
        *priority = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH;
        return true;
    case CL_QUEUE_PRIORITY_MED_KHR:
        *priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
        return true;
    case CL_QUEUE_PRIORITY_LOW_KHR:
        *priority = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW;
        return true;
    default:
        return false;
    }
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *error)
{
    cl_command_queue queue = NULL;
    cl_command_queue_properties flags = 0;
    ze_command_queue_priority_t priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
    size_t count = 0;
    cl_int result = queue_check(context, device, 0);
    for (; result == CL_SUCCESS && properties && properties[count]; count += 2) {
        if (count + 2 >= sizeof(queue->properties) / sizeof(queue->properties[0])) {
            result = CL_INVALID_VALUE;
        } else if (properties[count] == CL_QUEUE_PROPERTIES) {
            flags = properties[count + 1];
        } else if (properties[count] == CL_QUEUE_SIZE) {
            result = CL_INVALID_QUEUE_PROPERTIES; /* only queues on the device have a size */
        } else if (!hint_take(&properties[count], &priority)) {
            result = CL_INVALID_VALUE;
        }
    }
    if (result == CL_SUCCESS) {
        result = queue_check(context, device, flags);
    }
    if (result == CL_SUCCESS) {
        result = queue_create(context, device, flags, priority, &queue);
    }
    if (result == CL_SUCCESS && properties) {
        for (queue->property_count = 0; queue->property_count <= count; queue->property_count++) {
            queue->properties[queue->property_count] = properties[queue->property_count];
        }
    }
    geo_ocl_object_error(error, result);
    return queue;
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
                                      const cl_queue_properties_khr *properties, cl_int *error)
{
    return clCreateCommandQueueWithProperties(context, device, properties, error);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue)
{
    return geo_ocl_object_retain(queue, GEO_OCL_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
    return geo_ocl_object_release(queue, GEO_OCL_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue,
                                                      cl_command_queue_info name, size_t size,
                                                      void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_schedule_is_queue(queue)) {
        return CL_INVALID_COMMAND_QUEUE;
    }
    switch (name) {
    case CL_QUEUE_CONTEXT:
        return geo_ocl_info_value(&info, cl_context, queue->context);
    case CL_QUEUE_DEVICE:
        return geo_ocl_info_value(&info, cl_device_id, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return geo_ocl_info_value(&info, cl_uint, geo_ocl_object_references(queue));
    case CL_QUEUE_PROPERTIES:
        return geo_ocl_info_value(&info, cl_command_queue_properties, queue->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return geo_ocl_info_bytes(&info, queue->properties,
                                  queue->property_count * sizeof(queue->properties[0]));
    case CL_QUEUE_DEVICE_DEFAULT:
        return geo_ocl_info_value(&info, cl_command_queue, NULL);
    case CL_QUEUE_SIZE:
        return CL_INVALID_COMMAND_QUEUE; /* only queues on the device have a size */
    default:
        return CL_INVALID_VALUE;
    }
}

/* Deprecated since OpenCL 1.1: the properties of a queue cannot be changed. */
CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue,
                                                          cl_command_queue_properties properties,
                                                          cl_bool enable,
                                                          cl_command_queue_properties *before)
{
    (void)properties;
    (void)enable;
    (void)before;
    return geo_ocl_schedule_is_queue(queue) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

/* Commands start by themselves. */
CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    return geo_ocl_schedule_is_queue(queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    if (!geo_ocl_schedule_is_queue(queue)) {
        return CL_INVALID_COMMAND_QUEUE;
    }
    geo_ocl_object_hold(queue);
    geo_ocl_schedule_wait_all(queue);
    geo_ocl_object_drop(queue);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events)
{
    cl_int result = CL_SUCCESS;
    if (count == 0 || !events) {
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < count; i++) {
        if (!geo_ocl_event_is(events[i])) {
            return CL_INVALID_EVENT;
        }
        if (events[i]->context != events[0]->context) {
            return CL_INVALID_CONTEXT;
        }
    }
    for (cl_uint i = 0; i < count; i++) {
        if (geo_ocl_schedule_wait(events[i]) < 0) {
            result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        }
    }
    return result;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name,
                                                        size_t size, void *value, size_t *size_ret)
{
    static const struct {
        cl_profiling_info name;
        cl_int state;
    } rows[] = {
        {CL_PROFILING_COMMAND_QUEUED, CL_QUEUED},     {CL_PROFILING_COMMAND_SUBMIT, CL_SUBMITTED},
        {CL_PROFILING_COMMAND_START, CL_RUNNING},     {CL_PROFILING_COMMAND_END, CL_COMPLETE},
        {CL_PROFILING_COMMAND_COMPLETE, CL_COMPLETE},
    };
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_event_is(event)) {
        return CL_INVALID_EVENT;
    }
    if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE) ||
        atomic_load(&event->status) != CL_COMPLETE) {
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].name == name) {
            return geo_ocl_info_value(&info, cl_ulong, event->times[rows[i].state]);
        }
    }
    return CL_INVALID_VALUE;
}
