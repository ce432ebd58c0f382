/* Images. Devices report no image support yet, so these functions return the error that OpenCL
 * specifies for such devices. */
#include "opencl/context.h"
#include "opencl/memory.h"
#include "opencl/schedule.h"

static cl_mem refuse(cl_context context, cl_int *error)
{
    geo_ocl_object_error(error,
                         geo_ocl_context_is(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
    return NULL;
}

static cl_int refuse_command(cl_command_queue queue)
{
    return geo_ocl_schedule_is_queue(queue) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags,
                                              const cl_image_format *format,
                                              const cl_image_desc *desc, void *host_pointer,
                                              cl_int *error)
{
    (void)flags, (void)format, (void)desc, (void)host_pointer;
    return refuse(context, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(
    cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *desc, void *host_pointer, cl_int *error)
{
    (void)properties, (void)flags, (void)format, (void)desc, (void)host_pointer;
    return refuse(context, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *format, size_t width,
                                                size_t height, size_t row, void *host_pointer,
                                                cl_int *error)
{
    (void)flags, (void)format, (void)width, (void)height, (void)row, (void)host_pointer;
    return refuse(context, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *format, size_t width,
                                                size_t height, size_t depth, size_t row,
                                                size_t slice, void *host_pointer, cl_int *error)
{
    (void)flags, (void)format, (void)width, (void)height, (void)depth;
    (void)row, (void)slice, (void)host_pointer;
    return refuse(context, error);
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type type, cl_uint count,
                                                           cl_image_format *formats,
                                                           cl_uint *count_ret)
{
    (void)flags, (void)type;
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    if (formats && count == 0) {
        return CL_INVALID_VALUE;
    }
    if (count_ret) {
        *count_ret = 0;
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info name, size_t size,
                                               void *value, size_t *size_ret)
{
    (void)image, (void)name, (void)size, (void)value, (void)size_ret;
    return CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image,
                                                   cl_bool blocking, const size_t *origin,
                                                   const size_t *region, size_t row, size_t slice,
                                                   void *pointer, cl_uint count,
                                                   const cl_event *events, cl_event *event)
{
    (void)image, (void)blocking, (void)origin, (void)region, (void)row, (void)slice;
    (void)pointer, (void)count, (void)events, (void)event;
    return refuse_command(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image,
                                                    cl_bool blocking, const size_t *origin,
                                                    const size_t *region, size_t row, size_t slice,
                                                    const void *pointer, cl_uint count,
                                                    const cl_event *events, cl_event *event)
{
    (void)image, (void)blocking, (void)origin, (void)region, (void)row, (void)slice;
    (void)pointer, (void)count, (void)events, (void)event;
    return refuse_command(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image,
                                                   const void *color, const size_t *origin,
                                                   const size_t *region, cl_uint count,
                                                   const cl_event *events, cl_event *event)
{
    (void)image, (void)color, (void)origin, (void)region, (void)count, (void)events, (void)event;
    return refuse_command(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   const size_t *from_origin,
                                                   const size_t *to_origin, const size_t *region,
                                                   cl_uint count, const cl_event *events,
                                                   cl_event *event)
{
    (void)from, (void)to, (void)from_origin, (void)to_origin, (void)region;
    (void)count, (void)events, (void)event;
    return refuse_command(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from,
                                                           cl_mem to, const size_t *origin,
                                                           const size_t *region, size_t offset,
                                                           cl_uint count, const cl_event *events,
                                                           cl_event *event)
{
    (void)from, (void)to, (void)origin, (void)region, (void)offset;
    (void)count, (void)events, (void)event;
    return refuse_command(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from,
                                                           cl_mem to, size_t offset,
                                                           const size_t *origin,
                                                           const size_t *region, cl_uint count,
                                                           const cl_event *events, cl_event *event)
{
    (void)from, (void)to, (void)origin, (void)region, (void)offset;
    (void)count, (void)events, (void)event;
    return refuse_command(queue);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image,
                                                 cl_bool blocking, cl_map_flags flags,
                                                 const size_t *origin, const size_t *region,
                                                 size_t *row, size_t *slice, cl_uint count,
                                                 const cl_event *events, cl_event *event,
                                                 cl_int *error)
{
    (void)image, (void)blocking, (void)flags, (void)origin, (void)region, (void)row, (void)slice;
    (void)count, (void)events, (void)event;
    geo_ocl_object_error(error, refuse_command(queue));
    return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint size,
                                             cl_uint packets, const cl_pipe_properties *properties,
                                             cl_int *error)
{
    (void)flags, (void)size, (void)packets, (void)properties;
    return refuse(context, error);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info name, size_t size,
                                              void *value, size_t *size_ret)
{
    (void)pipe, (void)name, (void)size, (void)value, (void)size_ret;
    return CL_INVALID_MEM_OBJECT;
}
