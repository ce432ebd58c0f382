/* Commands that read, write, copy and fill buffers. */
#include "opencl/memory.h"
#include "opencl/transfer.h"

#include <string.h>

#define HOST_CANNOT_READ  (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
#define HOST_CANNOT_WRITE (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define PATTERN_MAX       128u

struct copy_work {
    void *to;
    const void *from;
    size_t bytes;
};

struct box_work {
    struct geo_ocl_box to, from;
    size_t region[3];
};

struct fill_work {
    void *to;
    size_t bytes, pattern_bytes;
    unsigned char pattern[PATTERN_MAX];
};

static cl_int copy_run(struct geo_ocl_command *command, void *work)
{
    const struct copy_work *copy = work;
    return geo_ocl_transfer_copy(command->queue, copy->to, copy->from, copy->bytes);
}

static cl_int box_run(struct geo_ocl_command *command, void *work)
{
    const struct box_work *box = work;
    return geo_ocl_transfer_box(command->queue, &box->to, &box->from, box->region);
}

static cl_int fill_run(struct geo_ocl_command *command, void *work)
{
    const struct fill_work *fill = work;
    return geo_ocl_transfer_fill(command->queue, fill->to, fill->pattern, fill->pattern_bytes,
                                 fill->bytes);
}

/* Checks a buffer and its context. */
static cl_int buffer_check(cl_command_queue queue, cl_mem buffer)
{
    if (!geo_ocl_memory_is_buffer(buffer)) {
        return CL_INVALID_MEM_OBJECT;
    }
    return buffer->context == queue->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static bool fits(const struct _cl_mem *buffer, size_t offset, size_t bytes)
{
    return offset <= buffer->bytes && bytes <= buffer->bytes - offset;
}

/* Submits a copy between two places. `second` is NULL for a place of the host. */
static cl_int copy_submit(cl_command_queue queue, cl_command_type type, cl_mem first, cl_mem second,
                          const struct copy_work *work, bool blocking, cl_uint count,
                          const cl_event *events, cl_event *event)
{
    struct geo_ocl_command *command = geo_ocl_schedule_command(queue, type, sizeof(*work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(command->work, work, sizeof(*work));
    command->run = copy_run;
    command->held[0] = geo_ocl_object_hold(first);
    command->held[1] = geo_ocl_object_hold(second);
    return geo_ocl_schedule_submit(command, count, events, event, blocking);
}

/* Checks a transfer between a buffer and memory of the host. `forbidden`: flags of buffers that do
 * not allow it. */
static cl_int transfer_check(cl_command_queue queue, cl_mem buffer, cl_mem_flags forbidden,
                             size_t offset, size_t bytes, const void *pointer)
{
    cl_int result = buffer_check(queue, buffer);
    if (result != CL_SUCCESS) {
        return result;
    }
    if (!pointer || !fits(buffer, offset, bytes)) {
        return CL_INVALID_VALUE;
    }
    return buffer->flags & forbidden ? CL_INVALID_OPERATION : CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
                                                    cl_bool blocking, size_t offset, size_t bytes,
                                                    void *pointer, cl_uint count,
                                                    const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result == CL_SUCCESS) {
        result = transfer_check(queue, buffer, HOST_CANNOT_READ, offset, bytes, pointer);
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    const struct copy_work work = {pointer, buffer->pointer + offset, bytes};
    return copy_submit(queue, CL_COMMAND_READ_BUFFER, buffer, NULL, &work, blocking, count, events,
                       event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer,
                                                     cl_bool blocking, size_t offset, size_t bytes,
                                                     const void *pointer, cl_uint count,
                                                     const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result == CL_SUCCESS) {
        result = transfer_check(queue, buffer, HOST_CANNOT_WRITE, offset, bytes, pointer);
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    const struct copy_work work = {buffer->pointer + offset, pointer, bytes};
    return copy_submit(queue, CL_COMMAND_WRITE_BUFFER, buffer, NULL, &work, blocking, count, events,
                       event);
}

static bool ranges_overlap(const char *one, const char *other, size_t bytes)
{
    return one < other + bytes && other < one + bytes;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                    size_t from_offset, size_t to_offset,
                                                    size_t bytes, cl_uint count,
                                                    const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    result = result == CL_SUCCESS ? buffer_check(queue, from) : result;
    result = result == CL_SUCCESS ? buffer_check(queue, to) : result;
    if (result == CL_SUCCESS && (!fits(from, from_offset, bytes) || !fits(to, to_offset, bytes))) {
        result = CL_INVALID_VALUE;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    const struct copy_work work = {to->pointer + to_offset, from->pointer + from_offset, bytes};
    if (ranges_overlap(work.to, work.from, bytes)) {
        return CL_MEM_COPY_OVERLAP;
    }
    return copy_submit(queue, CL_COMMAND_COPY_BUFFER, from, to, &work, false, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                                    const void *pattern, size_t pattern_bytes,
                                                    size_t offset, size_t bytes, cl_uint count,
                                                    const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    result = result == CL_SUCCESS ? buffer_check(queue, buffer) : result;
    if (result == CL_SUCCESS && (!pattern || pattern_bytes == 0 || pattern_bytes > PATTERN_MAX ||
                                 (pattern_bytes & (pattern_bytes - 1)) || offset % pattern_bytes ||
                                 bytes % pattern_bytes || !fits(buffer, offset, bytes))) {
        result = CL_INVALID_VALUE;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, CL_COMMAND_FILL_BUFFER, sizeof(struct fill_work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct fill_work *work = (void *)command->work;
    *work = (struct fill_work){
        .to = buffer->pointer + offset, .bytes = bytes, .pattern_bytes = pattern_bytes};
    memcpy(work->pattern, pattern, pattern_bytes);
    command->run = fill_run;
    command->held[0] = geo_ocl_object_hold(buffer);
    return geo_ocl_schedule_submit(command, count, events, event, false);
}

/* ---- boxes ---- */

/* A box as the application describes it. */
struct place {
    char *pointer;
    const size_t *origin;
    size_t row, slice;
    size_t bytes; /* of the memory; SIZE_MAX: unknown */
};

/* Checks a box and completes its pitches. Returns CL_INVALID_VALUE if it is not inside. */
static cl_int box_find(struct place *place, const size_t *region, struct geo_ocl_box *box)
{
    size_t last, first, part;
    place->row = place->row ? place->row : region[0];
    if (__builtin_mul_overflow(place->row, region[1], &part)) {
        return CL_INVALID_VALUE;
    }
    place->slice = place->slice ? place->slice : part;
    if (place->row < region[0] || place->slice < part || place->slice % place->row) {
        return CL_INVALID_VALUE;
    }
    if (__builtin_mul_overflow(place->origin[2], place->slice, &first) ||
        __builtin_mul_overflow(place->origin[1], place->row, &part) ||
        __builtin_add_overflow(first, part, &first) ||
        __builtin_add_overflow(first, place->origin[0], &first) ||
        __builtin_mul_overflow(region[2] - 1, place->slice, &last) ||
        __builtin_mul_overflow(region[1] - 1, place->row, &part) ||
        __builtin_add_overflow(last, part, &last) ||
        __builtin_add_overflow(last, region[0], &last) ||
        __builtin_add_overflow(last, first, &last) || last > place->bytes) {
        return CL_INVALID_VALUE;
    }
    *box = (struct geo_ocl_box){place->pointer + first, place->row, place->slice};
    return CL_SUCCESS;
}

static cl_int box_submit(cl_command_queue queue, cl_command_type type, cl_mem first, cl_mem second,
                         struct place *to, struct place *from, const size_t *region, bool blocking,
                         cl_uint count, const cl_event *events, cl_event *event)
{
    struct box_work work;
    if (!to->origin || !from->origin || !region || !region[0] || !region[1] || !region[2]) {
        return CL_INVALID_VALUE;
    }
    memcpy(work.region, region, sizeof(work.region));
    if (box_find(to, region, &work.to) != CL_SUCCESS ||
        box_find(from, region, &work.from) != CL_SUCCESS) {
        return CL_INVALID_VALUE;
    }
    if (first == second) {
        /* The application cannot describe two boxes of one buffer with different pitches. */
        if (to->row != from->row || to->slice != from->slice) {
            return CL_INVALID_VALUE;
        }
        bool overlap = true;
        for (int i = 0; i < 3; i++) {
            overlap = overlap && to->origin[i] < from->origin[i] + region[i] &&
                      from->origin[i] < to->origin[i] + region[i];
        }
        if (overlap) {
            return CL_MEM_COPY_OVERLAP;
        }
    }
    struct geo_ocl_command *command = geo_ocl_schedule_command(queue, type, sizeof(work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(command->work, &work, sizeof(work));
    command->run = box_run;
    command->held[0] = geo_ocl_object_hold(first);
    command->held[1] = geo_ocl_object_hold(second);
    return geo_ocl_schedule_submit(command, count, events, event, blocking);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
    const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
    size_t host_row, size_t host_slice, void *pointer, cl_uint count, const cl_event *events,
    cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    result = result == CL_SUCCESS ? buffer_check(queue, buffer) : result;
    if (result == CL_SUCCESS && !pointer) {
        result = CL_INVALID_VALUE;
    }
    if (result == CL_SUCCESS && (buffer->flags & HOST_CANNOT_READ)) {
        result = CL_INVALID_OPERATION;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct place from = {buffer->pointer, buffer_origin, buffer_row, buffer_slice, buffer->bytes};
    struct place to = {pointer, host_origin, host_row, host_slice, SIZE_MAX};
    return box_submit(queue, CL_COMMAND_READ_BUFFER_RECT, buffer, NULL, &to, &from, region,
                      blocking, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
    const size_t *host_origin, const size_t *region, size_t buffer_row, size_t buffer_slice,
    size_t host_row, size_t host_slice, const void *pointer, cl_uint count, const cl_event *events,
    cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    result = result == CL_SUCCESS ? buffer_check(queue, buffer) : result;
    if (result == CL_SUCCESS && !pointer) {
        result = CL_INVALID_VALUE;
    }
    if (result == CL_SUCCESS && (buffer->flags & HOST_CANNOT_WRITE)) {
        result = CL_INVALID_OPERATION;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct place to = {buffer->pointer, buffer_origin, buffer_row, buffer_slice, buffer->bytes};
    struct place from = {(char *)(uintptr_t)pointer, host_origin, host_row, host_slice, SIZE_MAX};
    return box_submit(queue, CL_COMMAND_WRITE_BUFFER_RECT, buffer, NULL, &to, &from, region,
                      blocking, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(
    cl_command_queue queue, cl_mem from_buffer, cl_mem to_buffer, const size_t *from_origin,
    const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
    size_t to_row, size_t to_slice, cl_uint count, const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    result = result == CL_SUCCESS ? buffer_check(queue, from_buffer) : result;
    result = result == CL_SUCCESS ? buffer_check(queue, to_buffer) : result;
    if (result != CL_SUCCESS) {
        return result;
    }
    struct place from = {from_buffer->pointer, from_origin, from_row, from_slice,
                         from_buffer->bytes};
    struct place to = {to_buffer->pointer, to_origin, to_row, to_slice, to_buffer->bytes};
    return box_submit(queue, CL_COMMAND_COPY_BUFFER_RECT, from_buffer, to_buffer, &to, &from,
                      region, false, count, events, event);
}
