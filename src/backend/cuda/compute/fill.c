/* Queues fills. See fill.h. */
#include "backend/cuda/compute/fill.h"

#include "backend/cuda/compute/host_work.h"
#include "backend/cuda/compute/reach.h"

#include <string.h>

/* Returns the smallest size of 1, 2 or 4 bytes whose repetition makes the pattern, or 0. */
static uint32_t value_bytes(const uint8_t *pattern, uint32_t bytes)
{
    for (uint32_t size = 1; size <= 4; size *= 2) {
        if (bytes % size == 0 && memcmp(pattern, pattern + size, bytes - size) == 0) {
            return size;
        }
    }
    return 0;
}

static int values_fill(struct geo_compute_queue *queue, uint8_t *to, const uint8_t *value,
                       uint32_t size, uint64_t count)
{
    const geo_cuda_address address = geo_compute_queue_address(to);
    uint16_t half;
    uint32_t word;
    if (size == 1) {
        return GEO_QUEUE(queue, MemsetD8Async, address, *value, count, queue->stream);
    }
    if (size == 2) {
        memcpy(&half, value, sizeof(half));
        return GEO_QUEUE(queue, MemsetD16Async, address, half, count, queue->stream);
    }
    memcpy(&word, value, sizeof(word));
    return GEO_QUEUE(queue, MemsetD32Async, address, word, count, queue->stream);
}

/* Writes `bytes` of the pattern once, in the largest values that the address allows. */
static int pattern_write(struct geo_compute_queue *queue, uint8_t *to, const uint8_t *pattern,
                         uint64_t bytes)
{
    int code = GEO_CUDA_SUCCESS;
    for (uint64_t at = 0; at < bytes && code == GEO_CUDA_SUCCESS;) {
        const uint32_t size = (uintptr_t)(to + at) % 4 == 0 && bytes - at >= 4 ? 4 : 1;
        code = values_fill(queue, to + at, pattern + at, size, 1);
        at += size;
    }
    return code;
}

static int pattern_double(struct geo_compute_queue *queue, uint8_t *to, uint64_t done,
                          uint64_t bytes)
{
    int code = GEO_CUDA_SUCCESS;
    while (done < bytes && code == GEO_CUDA_SUCCESS) {
        const uint64_t more = done < bytes - done ? done : bytes - done;
        code = GEO_QUEUE(queue, MemcpyAsync, geo_compute_queue_address(to + done),
                         geo_compute_queue_address(to), more, queue->stream);
        done += more;
    }
    return code;
}

int geo_compute_fill(struct geo_compute_queue *queue, const struct geo_command_fill *fill)
{
    const uint8_t *pattern = (const uint8_t *)fill + fill->pattern_offset;
    uint8_t *to = fill->destination;
    if (fill->bytes == 0) {
        return GEO_CUDA_SUCCESS;
    }
    if (!geo_compute_reach_has(to, fill->bytes)) {
        return geo_compute_host_work_fill(queue, fill, pattern);
    }
    const uint32_t size = value_bytes(pattern, fill->pattern_bytes);
    if (size && fill->bytes % size == 0 && (uintptr_t)to % size == 0) {
        return values_fill(queue, to, pattern, size, fill->bytes / size);
    }
    const uint64_t first = fill->pattern_bytes < fill->bytes ? fill->pattern_bytes : fill->bytes;
    int code = pattern_write(queue, to, pattern, first);
    return code ? code : pattern_double(queue, to, first, fill->bytes);
}
