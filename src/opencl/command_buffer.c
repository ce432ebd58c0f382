/* Command buffers as objects, and the command that runs them. See command_buffer.h. */
#include "opencl/command_buffer.h"

#include "opencl/info.h"
#include "opencl/result.h"

#include <stdlib.h>

bool geo_ocl_command_buffer_is(const struct _cl_command_buffer_khr *buffer)
{
    return geo_ocl_object_is(buffer, GEO_OCL_COMMAND_BUFFER);
}

static void buffer_destroy(void *object)
{
    struct _cl_command_buffer_khr *buffer = object;
    if (buffer->executor) {
        zeCommandQueueDestroy(buffer->executor);
    }
    if (buffer->recorder) {
        geo_ocl_schedule_forget(buffer->recorder);
        geo_ocl_object_drop(buffer->recorder);
    }
    pthread_mutex_destroy(&buffer->record_lock);
    pthread_mutex_destroy(&buffer->run_lock);
    geo_ocl_object_drop(buffer->queue);
    free(buffer);
}

/* Checks the properties of a new command buffer. Writes how many values they are. */
static cl_int properties_check(const cl_properties *properties, size_t *count)
{
    const cl_properties optional =
        GEO_OCL_COMMAND_BUFFER_MUTABLE | GEO_OCL_COMMAND_BUFFER_DEVICE_SIDE_SYNC;
    *count = 0;
    if (!properties) {
        return CL_SUCCESS;
    }
    if (properties[0] == 0) {
        *count = 1;
        return CL_SUCCESS;
    }
    if (properties[0] != GEO_OCL_COMMAND_BUFFER_FLAGS || properties[2] != 0 ||
        (properties[1] & ~(optional | GEO_OCL_COMMAND_BUFFER_SIMULTANEOUS_USE))) {
        return CL_INVALID_VALUE;
    }
    *count = 3;
    return properties[1] & optional ? CL_INVALID_PROPERTY : CL_SUCCESS;
}

static cl_int buffer_create(cl_command_queue queue, struct _cl_command_buffer_khr **out)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = queue->device->queue_ordinal,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    struct _cl_command_buffer_khr *buffer = calloc(1, sizeof(*buffer));
    if (!buffer) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    geo_ocl_object_init(buffer, GEO_OCL_COMMAND_BUFFER, buffer_destroy);
    pthread_mutex_init(&buffer->record_lock, NULL);
    pthread_mutex_init(&buffer->run_lock, NULL);
    buffer->queue = geo_ocl_object_hold(queue);
    cl_int result = geo_ocl_queue_create_recorder(queue->context, queue->device, &buffer->recorder);
    if (result == CL_SUCCESS) {
        result = geo_ocl_result(zeCommandQueueCreate(queue->context->handle, queue->device->handle,
                                                     &desc, &buffer->executor));
    }
    if (result != CL_SUCCESS) {
        geo_ocl_object_drop(buffer);
        return result;
    }
    *out = buffer;
    return CL_SUCCESS;
}

struct _cl_command_buffer_khr *CL_API_CALL geo_ocl_command_buffer_create(
    cl_uint count, const cl_command_queue *queues, const cl_properties *properties, cl_int *error)
{
    struct _cl_command_buffer_khr *buffer = NULL;
    size_t property_count = 0;
    cl_int result = CL_SUCCESS;
    if (count != 1 || !queues) {
        result = CL_INVALID_VALUE; /* several queues are another extension */
    } else if (!geo_ocl_schedule_is_queue(queues[0])) {
        result = CL_INVALID_COMMAND_QUEUE;
    } else {
        result = properties_check(properties, &property_count);
    }
    if (result == CL_SUCCESS) {
        result = buffer_create(queues[0], &buffer);
    }
    for (size_t i = 0; i < property_count && buffer; i++) {
        buffer->properties[buffer->property_count++] = properties[i];
    }
    geo_ocl_object_error(error, result);
    return buffer;
}

cl_int CL_API_CALL geo_ocl_command_buffer_finalize(struct _cl_command_buffer_khr *buffer)
{
    if (!geo_ocl_command_buffer_is(buffer)) {
        return GEO_OCL_INVALID_COMMAND_BUFFER;
    }
    cl_int result = CL_INVALID_OPERATION;
    pthread_mutex_lock(&buffer->record_lock);
    if (!buffer->is_final) {
        result = geo_ocl_result(zeCommandListClose(buffer->recorder->list));
        buffer->is_final = result == CL_SUCCESS;
    }
    pthread_mutex_unlock(&buffer->record_lock);
    return result;
}

cl_int CL_API_CALL geo_ocl_command_buffer_retain(struct _cl_command_buffer_khr *buffer)
{
    return geo_ocl_object_retain(buffer, GEO_OCL_COMMAND_BUFFER, GEO_OCL_INVALID_COMMAND_BUFFER);
}

cl_int CL_API_CALL geo_ocl_command_buffer_release(struct _cl_command_buffer_khr *buffer)
{
    return geo_ocl_object_release(buffer, GEO_OCL_COMMAND_BUFFER, GEO_OCL_INVALID_COMMAND_BUFFER);
}

/* ---- running ---- */

static cl_int buffer_run(struct geo_ocl_command *command, void *work)
{
    struct _cl_command_buffer_khr *buffer = command->held[0];
    (void)work;
    pthread_mutex_lock(&buffer->run_lock);
    ze_result_t result =
        zeCommandQueueExecuteCommandLists(buffer->executor, 1, &buffer->recorder->list, NULL);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeCommandQueueSynchronize(buffer->executor, UINT64_MAX);
    }
    pthread_mutex_unlock(&buffer->run_lock);
    return geo_ocl_result(result);
}

/* Checks the queue that replaces the one a command buffer was created for. */
static cl_int queue_check(const struct _cl_command_buffer_khr *buffer, cl_command_queue queue)
{
    if (!geo_ocl_schedule_is_queue(queue)) {
        return CL_INVALID_COMMAND_QUEUE;
    }
    if (queue->context != buffer->queue->context) {
        return CL_INVALID_CONTEXT;
    }
    return queue->device == buffer->queue->device ? CL_SUCCESS : GEO_OCL_INCOMPATIBLE_COMMAND_QUEUE;
}

cl_int CL_API_CALL geo_ocl_command_buffer_enqueue(cl_uint queue_count, cl_command_queue *queues,
                                                  struct _cl_command_buffer_khr *buffer,
                                                  cl_uint count, const cl_event *events,
                                                  cl_event *event)
{
    if (!geo_ocl_command_buffer_is(buffer)) {
        return GEO_OCL_INVALID_COMMAND_BUFFER;
    }
    if (queue_count > 1 || (queue_count != 0) != (queues != NULL)) {
        return CL_INVALID_VALUE;
    }
    cl_command_queue queue = queues ? queues[0] : buffer->queue;
    cl_int result = queue_check(buffer, queue);
    if (result == CL_SUCCESS) {
        result = geo_ocl_schedule_check(queue, count, events);
    }
    pthread_mutex_lock(&buffer->record_lock);
    if (result == CL_SUCCESS && !buffer->is_final) {
        result = CL_INVALID_OPERATION;
    }
    pthread_mutex_unlock(&buffer->record_lock);
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, GEO_OCL_COMMAND_COMMAND_BUFFER, 0);
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    command->run = buffer_run;
    command->held[0] = geo_ocl_object_hold(buffer);
    return geo_ocl_schedule_submit(command, count, events, event, false);
}

cl_int CL_API_CALL geo_ocl_command_buffer_info(struct _cl_command_buffer_khr *buffer, cl_uint name,
                                               size_t size, void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_command_buffer_is(buffer)) {
        return GEO_OCL_INVALID_COMMAND_BUFFER;
    }
    switch (name) {
    case GEO_OCL_COMMAND_BUFFER_QUEUES:
        return geo_ocl_info_value(&info, cl_command_queue, buffer->queue);
    case GEO_OCL_COMMAND_BUFFER_NUM_QUEUES:
        return geo_ocl_info_value(&info, cl_uint, 1);
    case GEO_OCL_COMMAND_BUFFER_REFERENCE_COUNT:
        return geo_ocl_info_value(&info, cl_uint, geo_ocl_object_references(buffer));
    case GEO_OCL_COMMAND_BUFFER_STATE: { /* 0: recording, 1: executable */
        pthread_mutex_lock(&buffer->record_lock);
        cl_uint state = buffer->is_final;
        pthread_mutex_unlock(&buffer->record_lock);
        return geo_ocl_info_value(&info, cl_uint, state);
    }
    case GEO_OCL_COMMAND_BUFFER_PROPERTIES_ARRAY:
        return geo_ocl_info_bytes(&info, buffer->properties,
                                  buffer->property_count * sizeof(buffer->properties[0]));
    case GEO_OCL_COMMAND_BUFFER_CONTEXT:
        return geo_ocl_info_value(&info, cl_context, buffer->queue->context);
    default:
        return CL_INVALID_VALUE;
    }
}
