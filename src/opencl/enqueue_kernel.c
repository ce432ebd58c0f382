/* Commands that run kernels. The values of arguments are copied when a command is enqueued. */
#include "opencl/kernel.h"
#include "opencl/result.h"
#include "opencl/transfer.h"

#include <stdlib.h>
#include <string.h>

/* The value of an argument in a command. */
struct launch_value {
    size_t bytes, offset; /* in launch_work.bytes */
    bool is_local;
};

struct launch_work {
    cl_kernel kernel; /* held by the command */
    int device;       /* of the program */
    uint32_t offset[3], local[3];
    ze_group_count_t groups;
    uint32_t count;
    struct launch_value *values; /* owned */
    unsigned char *bytes;        /* owned: their bytes */
    void **held;                 /* owned: memory objects and samplers */
    uint32_t held_count;
};

static void launch_finish(void *work)
{
    struct launch_work *launch = work;
    for (uint32_t i = 0; i < launch->held_count; i++) {
        geo_ocl_object_drop(launch->held[i]);
    }
    free(launch->values);
    free(launch->bytes);
    free(launch->held);
}

/* Sets what the launch needs. The kernel's lock is held. */
static ze_result_t launch_prepare_locked(const struct launch_work *launch)
{
    cl_kernel kernel = launch->kernel;
    ze_kernel_handle_t handle = kernel->handles[launch->device];
    bool has_offset = launch->offset[0] || launch->offset[1] || launch->offset[2];
    ze_result_t result =
        zeKernelSetGroupSize(handle, launch->local[0], launch->local[1], launch->local[2]);
    if (result == ZE_RESULT_SUCCESS && (has_offset || kernel->has_offset[launch->device])) {
        result = zeKernelSetGlobalOffsetExp(handle, launch->offset[0], launch->offset[1],
                                            launch->offset[2]);
        kernel->has_offset[launch->device] = has_offset;
    }
    for (uint32_t i = 0; i < launch->count && result == ZE_RESULT_SUCCESS; i++) {
        const struct launch_value *value = &launch->values[i];
        result = zeKernelSetArgumentValue(handle, i, value->bytes,
                                          value->is_local ? NULL : launch->bytes + value->offset);
    }
    return result;
}

static cl_int launch_run(struct geo_ocl_command *command, void *work)
{
    const struct launch_work *launch = work;
    cl_kernel kernel = launch->kernel;
    if (launch->groups.groupCountX == 0) {
        return CL_SUCCESS; /* no work-items */
    }
    pthread_mutex_lock(&kernel->lock);
    ze_result_t result = launch_prepare_locked(launch);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeCommandListAppendLaunchKernel(
            command->queue->list, kernel->handles[launch->device], &launch->groups, NULL, 0, NULL);
    }
    pthread_mutex_unlock(&kernel->lock);
    return geo_ocl_transfer_wait(command->queue, result);
}

/* ---- sizes ---- */

/* Returns the largest divisor of `size` that is at most `most`. */
static size_t divisor_at_most(size_t size, size_t most)
{
    size_t best = 1;
    for (size_t i = 1; i <= most && i <= size; i++) {
        best = size % i == 0 ? i : best;
    }
    return best;
}

/* Chooses a work-group: what the driver suggests, made to divide the range. */
static void local_choose(const struct launch_work *launch, const size_t *global, size_t *local)
{
    uint32_t sizes[3] = {1, 1, 1};
    const uint32_t most = UINT32_MAX;
    ze_kernel_handle_t handle = launch->kernel->handles[launch->device];
    if (global[0] <= most && global[1] <= most && global[2] <= most) {
        zeKernelSuggestGroupSize(handle, (uint32_t)global[0], (uint32_t)global[1],
                                 (uint32_t)global[2], &sizes[0], &sizes[1], &sizes[2]);
    }
    for (int i = 0; i < 3; i++) {
        local[i] = divisor_at_most(global[i], sizes[i] ? sizes[i] : 1);
    }
}

/* Finds the work-groups of a range. */
static cl_int groups_find(struct launch_work *launch, const struct _cl_device_id *device,
                          cl_uint dimensions, const size_t *offsets, const size_t *globals,
                          const size_t *locals)
{
    const uint32_t *required = launch->kernel->function->local_size;
    size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
    const size_t most[3] = {device->compute.maxGroupSizeX, device->compute.maxGroupSizeY,
                            device->compute.maxGroupSizeZ};
    uint32_t counts[3];
    for (cl_uint i = 0; i < dimensions; i++) {
        global[i] = globals ? globals[i] : 0;
        if (offsets && (offsets[i] > UINT32_MAX || global[i] > SIZE_MAX - offsets[i])) {
            return CL_INVALID_GLOBAL_OFFSET;
        }
        launch->offset[i] = offsets ? (uint32_t)offsets[i] : 0;
        if (locals && locals[i] == 0) {
            return CL_INVALID_WORK_GROUP_SIZE;
        }
        if (locals && locals[i] > most[i]) {
            return CL_INVALID_WORK_ITEM_SIZE;
        }
        local[i] = locals ? locals[i] : 1;
    }
    if (!locals && required[0]) {
        local[0] = required[0];
        local[1] = required[1];
        local[2] = required[2];
    }
    if (global[0] == 0 || global[1] == 0 || global[2] == 0) {
        return CL_SUCCESS; /* groups stay 0 */
    }
    if (!locals && !required[0]) {
        local_choose(launch, global, local);
    }
    if (local[0] * local[1] * local[2] > device->compute.maxTotalGroupSize) {
        return CL_INVALID_WORK_GROUP_SIZE;
    }
    for (int i = 0; i < 3; i++) {
        if (global[i] % local[i] || (required[0] && local[i] != required[i])) {
            return CL_INVALID_WORK_GROUP_SIZE;
        }
        if (global[i] / local[i] > UINT32_MAX) {
            return CL_INVALID_GLOBAL_WORK_SIZE;
        }
        counts[i] = (uint32_t)(global[i] / local[i]);
        launch->local[i] = (uint32_t)local[i];
    }
    launch->groups = (ze_group_count_t){counts[0], counts[1], counts[2]};
    return CL_SUCCESS;
}

/* ---- arguments ---- */

/* Copies the values of the kernel's arguments. */
static cl_int values_copy(struct launch_work *launch, cl_device_id device)
{
    cl_kernel kernel = launch->kernel;
    uint32_t count = kernel->function->argument_count;
    size_t bytes = 0, local_bytes = kernel->properties[launch->device].localMemSize;
    for (uint32_t i = 0; i < count; i++) {
        if (!kernel->values[i].is_set) {
            return CL_INVALID_KERNEL_ARGS;
        }
        bytes += (kernel->values[i].bytes + 15) & ~(size_t)15;
    }
    launch->values = calloc(count + 1u, sizeof(*launch->values));
    launch->held = calloc(count + 1u, sizeof(*launch->held));
    launch->bytes = malloc(bytes + 1);
    if (!launch->values || !launch->held || !launch->bytes) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ocl_value *from = &kernel->values[i];
        const void *content = geo_ocl_kernel_value(from);
        struct launch_value *to = &launch->values[launch->count++];
        *to = (struct launch_value){.bytes = from->bytes, .offset = bytes};
        to->is_local = from->is_local;
        if (to->is_local) {
            local_bytes += from->bytes;
            continue;
        }
        if (from->sampler) {
            content =
                &from->sampler->handles[geo_ocl_context_index(from->sampler->context, device)];
        }
        memcpy(launch->bytes + bytes, content, from->bytes);
        bytes += (from->bytes + 15) & ~(size_t)15;
        if (from->memory || from->sampler) {
            launch->held[launch->held_count++] =
                geo_ocl_object_hold(from->memory ? (void *)from->memory : (void *)from->sampler);
        }
    }
    return local_bytes <= device->compute.maxSharedLocalMemory ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

/* Checks what a launch names. Writes the index of the queue's device in the program. */
static cl_int launch_check(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                           int *device)
{
    if (!geo_ocl_schedule_is_queue(queue)) {
        return CL_INVALID_COMMAND_QUEUE;
    }
    if (!geo_ocl_kernel_is(kernel)) {
        return CL_INVALID_KERNEL;
    }
    if (kernel->program->context != queue->context) {
        return CL_INVALID_CONTEXT;
    }
    *device = geo_ocl_kernel_index(kernel, queue->device);
    if (*device < 0) {
        return CL_INVALID_PROGRAM_EXECUTABLE;
    }
    return dimensions >= 1 && dimensions <= 3 ? CL_SUCCESS : CL_INVALID_WORK_DIMENSION;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                       cl_uint dimensions, const size_t *offsets,
                                                       const size_t *globals, const size_t *locals,
                                                       cl_uint count, const cl_event *events,
                                                       cl_event *event)
{
    int device;
    cl_int result = launch_check(queue, kernel, dimensions, &device);
    if (result == CL_SUCCESS) {
        result = geo_ocl_schedule_check(queue, count, events);
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    struct geo_ocl_command *command =
        geo_ocl_schedule_command(queue, CL_COMMAND_NDRANGE_KERNEL, sizeof(struct launch_work));
    if (!command) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct launch_work *work = (void *)command->work;
    work->kernel = kernel;
    work->device = device;
    command->run = launch_run;
    command->finish = launch_finish;
    command->held[0] = geo_ocl_object_hold(kernel);
    result = values_copy(work, queue->device);
    if (result == CL_SUCCESS) {
        result = groups_find(work, queue->device, dimensions, offsets, globals, locals);
    }
    if (result == CL_SUCCESS && !queue->device->has_global_offset &&
        (work->offset[0] || work->offset[1] || work->offset[2])) {
        result = CL_INVALID_GLOBAL_OFFSET;
    }
    if (result != CL_SUCCESS) {
        geo_ocl_schedule_drop(command);
        return result;
    }
    return geo_ocl_schedule_submit(command, count, events, event, false);
}

/* The size is the one that a launch without a size uses. */
CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(
    cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offsets,
    const size_t *globals, size_t *suggested)
{
    struct launch_work work = {.kernel = kernel};
    cl_int result = launch_check(queue, kernel, dimensions, &work.device);
    if (result == CL_SUCCESS) {
        result = values_copy(&work, queue->device);
    }
    if (result == CL_SUCCESS && (!globals || !suggested)) {
        result = globals ? CL_INVALID_VALUE : CL_INVALID_GLOBAL_WORK_SIZE;
    }
    if (result == CL_SUCCESS) {
        result = groups_find(&work, queue->device, dimensions, offsets, globals, NULL);
    }
    if (result == CL_SUCCESS && work.groups.groupCountX == 0) {
        result = CL_INVALID_GLOBAL_WORK_SIZE;
    }
    for (cl_uint i = 0; i < dimensions && result == CL_SUCCESS; i++) {
        suggested[i] = work.local[i];
    }
    launch_finish(&work);
    return result;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel,
                                              cl_uint count, const cl_event *events,
                                              cl_event *event)
{
    const size_t one = 1;
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, count, events, event);
}
