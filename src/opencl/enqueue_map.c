/* Commands that map buffers for the host, and unmap any memory object. */
#include "opencl/image.h"
#include "opencl/memory.h"
#include "opencl/transfer.h"

#include <stdlib.h>
#include <string.h>

struct map_work {
    cl_mem memory;
    struct geo_ocl_mapping mapping;
    bool unmaps;
};

/* Copies what the host has written to an image. */
static cl_int image_unmap(cl_command_queue queue, cl_mem image,
                          const struct geo_ocl_mapping *mapping)
{
    const struct geo_ocl_box to = geo_ocl_image_box(image, mapping->origin);
    const struct geo_ocl_box from = geo_ocl_image_host_box(image, mapping->origin);
    const size_t region[3] = {mapping->region[0] * image->element_bytes, mapping->region[1],
                              mapping->region[2]};
    return to.pointer == from.pointer || !(mapping->flags & ~(cl_map_flags)CL_MAP_READ)
               ? CL_SUCCESS
               : geo_ocl_transfer_box(queue, &to, &from, region);
}

/* Copies what the host is to see, or has written, if it sees another place than devices. */
static cl_int map_run(struct geo_ocl_command *command, void *work)
{
    const struct map_work *map = work;
    cl_mem memory = map->memory;
    const struct geo_ocl_mapping *mapping = &map->mapping;
    if (geo_ocl_image_is(memory)) {
        return image_unmap(command->queue, memory, mapping);
    }
    char *host = memory->host + mapping->offset, *device = memory->pointer + mapping->offset;
    if (host == device) {
        return CL_SUCCESS;
    }
    if (!map->unmaps) {
        return mapping->flags & CL_MAP_WRITE_INVALIDATE_REGION
                   ? CL_SUCCESS
                   : geo_ocl_transfer_copy(command->queue, host, device, mapping->bytes);
    }
    return mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)
               ? geo_ocl_transfer_copy(command->queue, device, host, mapping->bytes)
               : CL_SUCCESS;
}

static cl_int map_check(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t offset,
                        size_t bytes, cl_uint count, const cl_event *events)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result != CL_SUCCESS) {
        return result;
    }
    if (!geo_ocl_memory_is_buffer(buffer)) {
        return CL_INVALID_MEM_OBJECT;
    }
    if (buffer->context != queue->context) {
        return CL_INVALID_CONTEXT;
    }
    if (bytes == 0 || offset > buffer->bytes || bytes > buffer->bytes - offset) {
        return CL_INVALID_VALUE;
    }
    return geo_ocl_memory_map_check(buffer, flags);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                  cl_bool blocking, cl_map_flags flags,
                                                  size_t offset, size_t bytes, cl_uint count,
                                                  const cl_event *events, cl_event *event,
                                                  cl_int *error)
{
    struct geo_ocl_command *command = NULL;
    struct geo_ocl_mapping *mapping = NULL;
    cl_int result = map_check(queue, buffer, flags, offset, bytes, count, events);
    if (result == CL_SUCCESS) {
        command = geo_ocl_schedule_command(queue, CL_COMMAND_MAP_BUFFER, sizeof(struct map_work));
        mapping = calloc(1, sizeof(*mapping));
        result = command && mapping ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (result != CL_SUCCESS) {
        geo_ocl_schedule_drop(command);
        free(mapping);
        geo_ocl_object_error(error, result);
        return NULL;
    }
    void *pointer = buffer->host + offset;
    *mapping = (struct geo_ocl_mapping){
        .pointer = pointer, .flags = flags, .offset = offset, .bytes = bytes};
    struct map_work *work = (void *)command->work;
    *work = (struct map_work){.memory = buffer, .mapping = *mapping};
    command->run = map_run;
    command->held[0] = geo_ocl_object_hold(buffer);
    geo_ocl_memory_map(buffer, mapping);
    result = geo_ocl_schedule_submit(command, count, events, event, blocking);
    if (result != CL_SUCCESS) {
        free(geo_ocl_memory_unmap(buffer, pointer));
        pointer = NULL;
    }
    geo_ocl_object_error(error, result);
    return pointer;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory,
                                                        void *pointer, cl_uint count,
                                                        const cl_event *events, cl_event *event)
{
    cl_int result = geo_ocl_schedule_check(queue, count, events);
    if (result != CL_SUCCESS) {
        return result;
    }
    if (!geo_ocl_memory_is(memory)) {
        return CL_INVALID_MEM_OBJECT;
    }
    if (memory->context != queue->context) {
        return CL_INVALID_CONTEXT;
    }
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, sizeof(struct map_work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct geo_ocl_mapping *mapping = geo_ocl_memory_unmap(memory, pointer);
    if (!mapping) {
        geo_ocl_schedule_drop(command);
        return CL_INVALID_VALUE;
    }
    struct map_work *work = (void *)command->work;
    *work = (struct map_work){.memory = memory, .mapping = *mapping, .unmaps = true};
    free(mapping);
    command->run = map_run;
    command->held[0] = geo_ocl_object_hold(memory);
    return geo_ocl_schedule_submit(command, count, events, event, false);
}
