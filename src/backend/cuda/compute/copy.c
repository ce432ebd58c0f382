/* Queues copies. See copy.h. */
#include "backend/cuda/compute/copy.h"

#include "backend/cuda/compute/host_work.h"
#include "backend/cuda/compute/reach.h"

/* Copies between rows that CUDA can describe are one call; others one call per row. */
#define PITCH_MAX ((UINT64_C(1) << 31) - 1)

static int device_copy(struct geo_compute_queue *queue, void *to, const void *from, uint64_t bytes)
{
    return GEO_QUEUE(queue, MemcpyAsync, geo_compute_queue_address(to),
                     geo_compute_queue_address(from), bytes, queue->stream);
}

static int staging_make(struct geo_compute_queue *queue)
{
    return queue->staging ? GEO_CUDA_SUCCESS
                          : GEO_QUEUE(queue, MemHostAlloc, &queue->staging,
                                      GEO_COMPUTE_STAGING_BYTES, GEO_CUDA_HOST_PORTABLE);
}

/* Copies from or to memory that GPUs do not reach, in pieces. The stream's order keeps a piece from
 * overwriting the one before it. */
static int staged_copy(struct geo_compute_queue *queue, void *to, const void *from, uint64_t bytes,
                       bool to_device)
{
    int code = staging_make(queue);
    for (uint64_t at = 0; at < bytes && code == GEO_CUDA_SUCCESS; at += GEO_COMPUTE_STAGING_BYTES) {
        const uint64_t left = bytes - at;
        const uint64_t piece = left < GEO_COMPUTE_STAGING_BYTES ? left : GEO_COMPUTE_STAGING_BYTES;
        uint8_t *piece_to = (uint8_t *)to + at;
        const uint8_t *piece_from = (const uint8_t *)from + at;
        if (to_device) {
            code = geo_compute_host_work_copy(queue, queue->staging, piece_from, piece);
            code = code ? code : device_copy(queue, piece_to, queue->staging, piece);
        } else {
            code = device_copy(queue, queue->staging, piece_from, piece);
            code = code ? code : geo_compute_host_work_copy(queue, piece_to, queue->staging, piece);
        }
    }
    return code;
}

int geo_compute_copy(struct geo_compute_queue *queue, void *to, const void *from, uint64_t bytes)
{
    if (bytes == 0) {
        return GEO_CUDA_SUCCESS;
    }
    const bool reaches_to = geo_compute_reach_has(to, bytes);
    const bool reaches_from = geo_compute_reach_has(from, bytes);
    return reaches_to && reaches_from   ? device_copy(queue, to, from, bytes)
           : reaches_to || reaches_from ? staged_copy(queue, to, from, bytes, reaches_to)
                                        : geo_compute_host_work_copy(queue, to, from, bytes);
}

/* ---- regions ---- */

/* Returns the bytes from the first byte of a region to behind its last one. */
static uint64_t region_span(const struct geo_command_copy_region *region, uint64_t pitch,
                            uint64_t slice_pitch)
{
    return (region->depth - 1) * slice_pitch + (region->height - 1) * pitch + region->width;
}

/* Returns whether one call can describe the rows of one side. */
static bool side_is_regular(const struct geo_command_copy_region *region, uint64_t pitch,
                            uint64_t slice_pitch)
{
    const bool rows = region->height == 1 || (pitch >= region->width && pitch <= PITCH_MAX);
    return rows && (region->depth == 1 ||
                    (pitch >= region->width && pitch <= PITCH_MAX && slice_pitch % pitch == 0 &&
                     slice_pitch / pitch >= region->height));
}

static geo_cuda_copy_end end_make(const struct geo_command_copy_region *region, const void *base,
                                  uint64_t pitch, uint64_t slice_pitch)
{
    const bool flat = region->height == 1 && region->depth == 1;
    return (geo_cuda_copy_end){
        .kind = GEO_CUDA_MEMORY_UNIFIED,
        .base = geo_compute_queue_address(base),
        .pitch_bytes = flat ? region->width : pitch,
        .rows = region->depth == 1 ? region->height : slice_pitch / pitch,
    };
}

static int rows_copy(struct geo_compute_queue *queue, const struct geo_command_copy_region *region)
{
    int code = GEO_CUDA_SUCCESS;
    for (uint64_t z = 0; z < region->depth; z++) {
        for (uint64_t y = 0; y < region->height && code == GEO_CUDA_SUCCESS; y++) {
            code = geo_compute_copy(queue,
                                    region->destination + z * region->destination_slice_pitch +
                                        y * region->destination_pitch,
                                    region->source + z * region->source_slice_pitch +
                                        y * region->source_pitch,
                                    region->width);
        }
    }
    return code;
}

int geo_compute_copy_region(struct geo_compute_queue *queue,
                            const struct geo_command_copy_region *region)
{
    const uint64_t to_pitch = region->destination_pitch, from_pitch = region->source_pitch;
    const uint64_t to_slice = region->destination_slice_pitch;
    const uint64_t from_slice = region->source_slice_pitch;
    if (!side_is_regular(region, to_pitch, to_slice) ||
        !side_is_regular(region, from_pitch, from_slice) ||
        !geo_compute_reach_has(region->destination, region_span(region, to_pitch, to_slice)) ||
        !geo_compute_reach_has(region->source, region_span(region, from_pitch, from_slice))) {
        return rows_copy(queue, region);
    }
    const geo_cuda_copy_box box = {
        .destination = end_make(region, region->destination, to_pitch, to_slice),
        .source = end_make(region, region->source, from_pitch, from_slice),
        .width_bytes = region->width,
        .height = region->height,
        .depth = region->depth,
    };
    return GEO_QUEUE(queue, Memcpy3DAsync, &box, queue->stream);
}
