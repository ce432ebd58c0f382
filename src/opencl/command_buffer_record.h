/* The functions of cl_khr_command_buffer that record commands. dispatch.c gives them their names.
 *
 * Their arguments are
 *   - a command buffer, NULL for its queue, and NULL or no properties,
 *   - what the function takes that enqueues such a command,
 *   - sync points to wait for, the new sync point, and NULL for the handle of mutable commands.
 */
#ifndef GEO_OPENCL_COMMAND_BUFFER_RECORD_H
#define GEO_OPENCL_COMMAND_BUFFER_RECORD_H

#include "opencl/command_buffer.h"

cl_int CL_API_CALL geo_ocl_command_buffer_record_barrier(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_buffer(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes, cl_uint count,
    const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_buffer_rect(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
    const size_t *region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_buffer_to_image(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, size_t offset, const size_t *origin, const size_t *region,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_image(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
    const size_t *region, cl_uint count, const geo_ocl_sync_point *points,
    geo_ocl_sync_point *point, struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_copy_image_to_buffer(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem from, cl_mem to, const size_t *origin, const size_t *region, size_t offset,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_fill_buffer(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem memory, const void *pattern, size_t pattern_bytes, size_t offset, size_t bytes,
    cl_uint count, const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_fill_image(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_mem image, const void *colour, const size_t *origin, const size_t *region, cl_uint count,
    const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_svm_copy(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    void *to, const void *from, size_t bytes, cl_uint count, const geo_ocl_sync_point *points,
    geo_ocl_sync_point *point, struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_svm_fill(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    void *to, const void *pattern, size_t pattern_bytes, size_t bytes, cl_uint count,
    const geo_ocl_sync_point *points, geo_ocl_sync_point *point,
    struct _cl_mutable_command_khr **handle);
cl_int CL_API_CALL geo_ocl_command_buffer_record_kernel(
    struct _cl_command_buffer_khr *buffer, cl_command_queue queue, const cl_properties *properties,
    cl_kernel kernel, cl_uint dimensions, const size_t *offsets, const size_t *globals,
    const size_t *locals, cl_uint count, const geo_ocl_sync_point *points,
    geo_ocl_sync_point *point, struct _cl_mutable_command_khr **handle);

#endif
