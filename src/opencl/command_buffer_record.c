/* Records commands: enqueues them in the recorder of a command buffer. */
#include "opencl/command_buffer_record.h"

/* The arguments that all functions here share. */
struct request {
    struct _cl_command_buffer_khr *buffer;
    cl_command_queue queue;
    const cl_properties *properties;
    cl_uint count;
    const geo_ocl_sync_point *points;
    geo_ocl_sync_point *point;
    const void *handle;
};

/* Checks a request. Locks the command buffer if it returns CL_SUCCESS. */
static cl_int record_begin(const struct request *request)
{
    struct _cl_command_buffer_khr *buffer = request->buffer;
    if (!geo_ocl_command_buffer_is(buffer)) {
        return GEO_OCL_INVALID_COMMAND_BUFFER;
    }
    if (request->queue) { /* only with several queues */
        return CL_INVALID_COMMAND_QUEUE;
    }
    if (request->handle || (request->properties && request->properties[0])) {
        return CL_INVALID_VALUE; /* commands are not mutable */
    }
    if ((request->count != 0) != (request->points != NULL)) {
        return GEO_OCL_INVALID_SYNC_POINT_WAIT_LIST;
    }
    pthread_mutex_lock(&buffer->record_lock);
    cl_int result = buffer->is_final ? CL_INVALID_OPERATION : CL_SUCCESS;
    for (cl_uint i = 0; i < request->count && result == CL_SUCCESS; i++) {
        if (request->points[i] == 0 || request->points[i] > buffer->sync_points) {
            result = GEO_OCL_INVALID_SYNC_POINT_WAIT_LIST;
        }
    }
    if (result != CL_SUCCESS) {
        pthread_mutex_unlock(&buffer->record_lock);
    }
    return result;
}

/* Unlocks the command buffer. Gives a command that was recorded its sync point. */
static cl_int record_end(const struct request *request, cl_int result)
{
    struct _cl_command_buffer_khr *buffer = request->buffer;
    if (result == CL_SUCCESS) {
        buffer->sync_points++;
        if (request->point) {
            *request->point = buffer->sync_points;
        }
    }
    pthread_mutex_unlock(&buffer->record_lock);
    return result;
}

#define RECORD(call)                                                                               \
    const struct request request = {buffer, queue, properties, count, points, point, handle};      \
    cl_int result = record_begin(&request);                                                        \
    return result == CL_SUCCESS ? record_end(&request, call) : result

cl_int CL_API_CALL geo_ocl_command_buffer_record_barrier(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueBarrierWithWaitList(buffer->recorder, 0, NULL, NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_buffer(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes, cl_uint count,
    const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueCopyBuffer(buffer->recorder, from, to, from_offset, to_offset, bytes, 0, NULL,
                               NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_buffer_rect(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
    const size_t *region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueCopyBufferRect(buffer->recorder, from, to, from_origin, to_origin, region,
                                   from_row, from_slice, to_row, to_slice, 0, NULL, NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_buffer_to_image(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, size_t offset, const size_t *origin, const size_t *region,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueCopyBufferToImage(buffer->recorder, from, to, offset, origin, region, 0, NULL,
                                      NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_image(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
    const size_t *region, cl_uint count, const geo_ocl_sync_point *points,
    geo_ocl_sync_point *point, struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueCopyImage(buffer->recorder, from, to, from_origin, to_origin, region, 0, NULL,
                              NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_image_to_buffer(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, const size_t *origin, const size_t *region, size_t offset,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueCopyImageToBuffer(buffer->recorder, from, to, origin, region, offset, 0, NULL,
                                      NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_fill_buffer(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem memory, const void *pattern, size_t pattern_bytes, size_t offset, size_t bytes,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueFillBuffer(buffer->recorder, memory, pattern, pattern_bytes, offset, bytes, 0,
                               NULL, NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_fill_image(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem image, const void *colour, const size_t *origin, const size_t *region, cl_uint count,
    const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueFillImage(buffer->recorder, image, colour, origin, region, 0, NULL, NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_svm_copy(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    void *to, const void *from, size_t bytes, cl_uint count, const geo_ocl_sync_point *points,
    geo_ocl_sync_point *point, struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueSVMMemcpy(buffer->recorder, CL_FALSE, to, from, bytes, 0, NULL, NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_svm_fill(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    void *to, const void *pattern, size_t pattern_bytes, size_t bytes, cl_uint count,
    const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueSVMMemFill(buffer->recorder, to, pattern, pattern_bytes, bytes, 0, NULL, NULL));
}

cl_int CL_API_CALL geo_ocl_command_buffer_record_kernel(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_kernel kernel, cl_uint dimensions, const size_t *offsets, const size_t *globals,
    const size_t *locals, cl_uint count, const geo_ocl_sync_point *points,
    geo_ocl_sync_point *point, struct _cl_mutable_command_khr **handle)
{
    RECORD(clEnqueueNDRangeKernel(buffer->recorder, kernel, dimensions, offsets, globals, locals, 0,
                                  NULL, NULL));
}
