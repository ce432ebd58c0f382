/* Copies and fills as a queue's immediate command list runs them. */
#include "opencl/transfer.h"

#include "opencl/result.h"

#include <string.h>

/* A fill whose pattern the device does not take is written once and then copied, in steps that
 * double. */
#define STEP_BYTES_MAX ((size_t)1 << 20)

cl_int geo_ocl_transfer_wait(cl_command_queue queue, ze_result_t result)
{
    if (result == ZE_RESULT_SUCCESS && queue->records) {
        result = zeCommandListAppendBarrier(queue->list, NULL, 0, NULL);
    } else if (result == ZE_RESULT_SUCCESS) {
        result = zeCommandListHostSynchronize(queue->list, UINT64_MAX);
    }
    return geo_ocl_result(result);
}

cl_int geo_ocl_transfer_copy(cl_command_queue queue, void *to, const void *from, size_t bytes)
{
    if (bytes == 0 || to == from) {
        return CL_SUCCESS;
    }
    return geo_ocl_transfer_wait(
        queue, zeCommandListAppendMemoryCopy(queue->list, to, from, bytes, NULL, 0, NULL));
}

cl_int geo_ocl_transfer_fill(cl_command_queue queue, void *to, const void *pattern,
                             size_t pattern_bytes, size_t bytes)
{
    if (bytes == 0) {
        return CL_SUCCESS;
    }
    if (pattern_bytes <= queue->device->fill_pattern_bytes &&
        (pattern_bytes & (pattern_bytes - 1)) == 0) {
        return geo_ocl_transfer_wait(queue, zeCommandListAppendMemoryFill(queue->list, to, pattern,
                                                                          pattern_bytes, bytes,
                                                                          NULL, 0, NULL));
    }
    char *start = to;
    cl_int result = geo_ocl_transfer_copy(queue, start, pattern, pattern_bytes);
    for (size_t done = pattern_bytes; done < bytes && result == CL_SUCCESS;) {
        size_t step = done < STEP_BYTES_MAX ? done : STEP_BYTES_MAX / pattern_bytes * pattern_bytes;
        step = step < bytes - done ? step : bytes - done;
        result = geo_ocl_transfer_copy(queue, start + done, start, step);
        done += step;
    }
    return result;
}

cl_int geo_ocl_transfer_box(cl_command_queue queue, const struct geo_ocl_box *to,
                            const struct geo_ocl_box *from, const size_t region[3])
{
    const size_t most = UINT32_MAX;
    if (to->row <= most && to->slice <= most && from->row <= most && from->slice <= most &&
        region[0] <= most && region[1] <= most && region[2] <= most) {
        const ze_copy_region_t box = {
            0, 0, 0, (uint32_t)region[0], (uint32_t)region[1], (uint32_t)region[2]};
        return geo_ocl_transfer_wait(
            queue, zeCommandListAppendMemoryCopyRegion(queue->list, to->pointer, &box,
                                                       (uint32_t)to->row, (uint32_t)to->slice,
                                                       from->pointer, &box, (uint32_t)from->row,
                                                       (uint32_t)from->slice, NULL, 0, NULL));
    }
    /* Level Zero's regions have 32 bits. */
    cl_int result = CL_SUCCESS;
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1] && result == CL_SUCCESS; y++) {
            result =
                geo_ocl_transfer_copy(queue, to->pointer + z * to->slice + y * to->row,
                                      from->pointer + z * from->slice + y * from->row, region[0]);
        }
    }
    return result;
}
