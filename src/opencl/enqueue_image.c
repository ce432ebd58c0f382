/* Commands that read, write, copy, fill and map images. */
#include "opencl/image.h"
#include "opencl/image_format.h"
#include "opencl/transfer.h"

#include <stdlib.h>
#include <string.h>

#define ELEMENT_MAX 16u

struct box_work {
    struct geo_ocl_box to, from;
    size_t region[3];
};

struct fill_work {
    struct geo_ocl_box to;
    size_t region[3], element_bytes;
    unsigned char element[ELEMENT_MAX];
};

static cl_int box_run(struct geo_ocl_command *command, void *work)
{
    const struct box_work *box = work;
    return geo_ocl_transfer_box(command->queue, &box->to, &box->from, box->region);
}

/* Fills the first row with the element, and copies it to the others. */
static cl_int fill_run(struct geo_ocl_command *command, void *work)
{
    const struct fill_work *fill = work;
    const size_t bytes = fill->region[0];
    cl_int result = geo_ocl_transfer_fill(command->queue, fill->to.pointer, fill->element,
                                          fill->element_bytes, bytes);
    for (size_t z = 0; z < fill->region[2]; z++) {
        for (size_t y = z == 0; y < fill->region[1] && result == CL_SUCCESS; y++) {
            result = geo_ocl_transfer_copy(command->queue,
                                           fill->to.pointer + z * fill->to.slice + y * fill->to.row,
                                           fill->to.pointer, bytes);
        }
    }
    return result;
}

/* Checks an image and a region of it. */
static cl_int image_check(cl_command_queue queue, cl_mem image, const size_t *origin,
                          const size_t *region)
{
    if (!geo_ocl_image_is(image)) {
        return CL_INVALID_MEM_OBJECT;
    }
    if (image->context != queue->context) {
        return CL_INVALID_CONTEXT;
    }
    return geo_ocl_image_contains(image, origin, region) ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* Describes memory of the host with the pitches of clEnqueueReadImage. */
static cl_int host_box(const struct _cl_mem *image, void *pointer, const size_t *region, size_t row,
                       size_t slice, struct geo_ocl_box *box)
{
    size_t bytes = region[0] * image->element_bytes;
    bool is_row_array = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t least = row ? row : bytes;
    if (!pointer || (row && row < bytes) ||
        (slice && slice < least * (is_row_array ? 1 : region[1]))) {
        return CL_INVALID_VALUE;
    }
    row = least;
    slice = slice ? slice : row * (is_row_array ? 1 : region[1]);
    *box = (struct geo_ocl_box){pointer, is_row_array ? slice : row,
                                is_row_array ? slice * region[1] : slice};
    return CL_SUCCESS;
}

static cl_int box_submit(cl_command_queue queue, cl_command_type type, cl_mem first, cl_mem second,
                         const struct geo_ocl_box *to, const struct geo_ocl_box *from,
                         size_t element_bytes, const size_t *region, bool blocking, cl_uint count,
                         const cl_event *events, cl_event *event)
{
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, type, sizeof(struct box_work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    *(struct box_work *)(void *)command->work =
        (struct box_work){*to, *from, {region[0] * element_bytes, region[1], region[2]}};
    command->run = box_run;
    command->held[0] = geo_ocl_object_hold(first);
    command->held[1] = geo_ocl_object_hold(second);
    return geo_ocl_schedule_submit(command, count, events, event, blocking);
}

/* Reads or writes an image. */
static cl_int host_enqueue(cl_command_queue queue, cl_mem image, bool reads, bool blocking,
                           const size_t *origin, const size_t *region, size_t row, size_t slice,
                           void *pointer, cl_uint count, const cl_event *events, cl_event *event)
{
    const cl_mem_flags refused =
        CL_MEM_HOST_NO_ACCESS | (reads ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
    struct geo_ocl_box host;
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    result = result == CL_SUCCESS ? image_check(queue, image, origin, region) : result;
    result = result == CL_SUCCESS ? host_box(image, pointer, region, row, slice, &host) : result;
    if (result == CL_SUCCESS && (image->flags & refused)) {
        result = CL_INVALID_OPERATION;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    const struct geo_ocl_box own = geo_ocl_image_box(image, origin);
    return box_submit(queue, reads ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, image, NULL,
                      reads ? &host : &own, reads ? &own : &host, image->element_bytes, region,
                      blocking, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image,
                                                   cl_bool blocking, const size_t *origin,
                                                   const size_t *region, size_t row, size_t slice,
                                                   void *pointer, cl_uint count,
                                                   const cl_event *events, cl_event *event)
{
    return host_enqueue(queue, image, true, blocking, origin, region, row, slice, pointer, count,
                        events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image,
                                                    cl_bool blocking, const size_t *origin,
                                                    const size_t *region, size_t row, size_t slice,
                                                    const void *pointer, cl_uint count,
                                                    const cl_event *events, cl_event *event)
{
    return host_enqueue(queue, image, false, blocking, origin, region, row, slice,
                        (void *)(uintptr_t)pointer, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image,
                                                   const void *color, const size_t *origin,
                                                   const size_t *region, cl_uint count,
                                                   const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    result = result == CL_SUCCESS ? image_check(queue, image, origin, region) : result;
    if (result == CL_SUCCESS && !color) {
        result = CL_INVALID_VALUE;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, CL_COMMAND_FILL_IMAGE, sizeof(struct fill_work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct fill_work *work = (void *)command->work;
    *work = (struct fill_work){.to = geo_ocl_image_box(image, origin),
                               .region = {region[0] * image->element_bytes, region[1], region[2]},
                               .element_bytes = image->element_bytes};
    geo_ocl_image_format_pack(&image->format, color, work->element);
    command->run = fill_run;
    command->held[0] = geo_ocl_object_hold(image);
    return geo_ocl_schedule_submit(command, count, events, event, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   const size_t *from_origin,
                                                   const size_t *to_origin, const size_t *region,
                                                   cl_uint count, const cl_event *events,
                                                   cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    result = result == CL_SUCCESS ? image_check(queue, from, from_origin, region) : result;
    result = result == CL_SUCCESS ? image_check(queue, to, to_origin, region) : result;
    if (result == CL_SUCCESS &&
        (from->format.image_channel_order != to->format.image_channel_order ||
         from->format.image_channel_data_type != to->format.image_channel_data_type)) {
        result = CL_IMAGE_FORMAT_MISMATCH;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    bool overlap = from == to;
    for (int i = 0; i < 3; i++) {
        overlap = overlap && from_origin[i] < to_origin[i] + region[i] &&
                  to_origin[i] < from_origin[i] + region[i];
    }
    if (overlap) {
        return CL_MEM_COPY_OVERLAP;
    }
    const struct geo_ocl_box source = geo_ocl_image_box(from, from_origin);
    const struct geo_ocl_box target = geo_ocl_image_box(to, to_origin);
    return box_submit(queue, CL_COMMAND_COPY_IMAGE, from, to, &target, &source, from->element_bytes,
                      region, false, count, events, event);
}

/* Copies between an image and the packed elements of a buffer. */
static cl_int buffer_enqueue(cl_command_queue queue, cl_mem image, cl_mem buffer, bool to_buffer,
                             const size_t *origin, const size_t *region, size_t offset,
                             cl_uint count, const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result == CL_SUCCESS && !geo_ocl_memory_is_buffer(buffer)) {
        result = CL_INVALID_MEM_OBJECT;
    }
    if (result == CL_SUCCESS && buffer->context != queue->context) {
        result = CL_INVALID_CONTEXT;
    }
    result = result == CL_SUCCESS ? image_check(queue, image, origin, region) : result;
    if (result != CL_SUCCESS) {
        return result;
    }
    size_t row = region[0] * image->element_bytes, slice = row * region[1];
    if (offset > buffer->bytes || slice * region[2] > buffer->bytes - offset) {
        return CL_INVALID_VALUE;
    }
    const struct geo_ocl_box packed = {buffer->pointer + offset, row, slice};
    const struct geo_ocl_box own = geo_ocl_image_box(image, origin);
    return box_submit(queue,
                      to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                      image, buffer, to_buffer ? &packed : &own, to_buffer ? &own : &packed,
                      image->element_bytes, region, false, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from,
                                                           cl_mem to, const size_t *origin,
                                                           const size_t *region, size_t offset,
                                                           cl_uint count, const cl_event *events,
                                                           cl_event *event)
{
    return buffer_enqueue(queue, from, to, true, origin, region, offset, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from,
                                                           cl_mem to, size_t offset,
                                                           const size_t *origin,
                                                           const size_t *region, cl_uint count,
                                                           const cl_event *events, cl_event *event)
{
    return buffer_enqueue(queue, to, from, false, origin, region, offset, count, events, event);
}

/* ---- mapping ---- */

/* Copies what the host is to see if it sees another place than devices. */
static cl_int map_run(struct geo_ocl_command *command, void *work)
{
    const struct box_work *box = work;
    return box->to.pointer == box->from.pointer ? CL_SUCCESS : box_run(command, work);
}

static cl_int map_check(cl_command_queue queue, cl_mem image, cl_map_flags flags,
                        const size_t *origin, const size_t *region, const size_t *row,
                        const size_t *slice, cl_uint count, const cl_event *events)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    result = result == CL_SUCCESS ? image_check(queue, image, origin, region) : result;
    if (result != CL_SUCCESS) {
        return result;
    }
    if (!row || (!slice && image->host_slice)) {
        return CL_INVALID_VALUE;
    }
    return geo_ocl_memory_map_check(image, flags);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image,
                                                 cl_bool blocking, cl_map_flags flags,
                                                 const size_t *origin, const size_t *region,
                                                 size_t *row, size_t *slice, cl_uint count,
                                                 const cl_event *events, cl_event *event,
                                                 cl_int *error)
{
    struct geo_ocl_command *command = NULL;
    struct geo_ocl_mapping *mapping = NULL;
    cl_int result = map_check(queue, image, flags, origin, region, row, slice, count, events);
    if (result == CL_SUCCESS) {
        command = geo_ocl_schedule_command(queue, CL_COMMAND_MAP_IMAGE, sizeof(struct box_work));
        mapping = calloc(1, sizeof(*mapping));
        result = command && mapping ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (result != CL_SUCCESS) {
        geo_ocl_schedule_drop(command);
        free(mapping);
        geo_ocl_object_error(error, result);
        return NULL;
    }
    const struct geo_ocl_box to = geo_ocl_image_host_box(image, origin);
    const struct geo_ocl_box from = geo_ocl_image_box(image, origin);
    *mapping = (struct geo_ocl_mapping){.pointer = to.pointer, .flags = flags};
    memcpy(mapping->origin, origin, sizeof(mapping->origin));
    memcpy(mapping->region, region, sizeof(mapping->region));
    *(struct box_work *)(void *)command->work =
        (struct box_work){to, from, {region[0] * image->element_bytes, region[1], region[2]}};
    command->run = map_run;
    command->held[0] = geo_ocl_object_hold(image);
    *row = image->host_row;
    if (slice) {
        *slice = image->host_slice;
    }
    void *pointer = to.pointer;
    geo_ocl_memory_map(image, mapping);
    result = geo_ocl_schedule_submit(command, count, events, event, blocking);
    if (result != CL_SUCCESS) {
        free(geo_ocl_memory_unmap(image, pointer));
        pointer = NULL;
    }
    geo_ocl_object_error(error, result);
    return pointer;
}
