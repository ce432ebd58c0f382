/* Frames around raw data. See frame.h. */
#include "driver/tools/metric/frame.h"

#include <string.h>

static const uint8_t magic[8] = {'G', 'E', 'O', 'M', 1, 0, 0, 0};

enum { IDENTITY_AT = 8, BYTES_AT = 24, PARTS_AT = 32, SIZES_AT = 40 };

size_t geo_metric_frame_overhead(uint32_t part_count)
{
    return SIZES_AT + part_count * sizeof(uint64_t);
}

void geo_metric_frame_write(uint8_t *out, const uint8_t identity[16], uint32_t part_count,
                            const size_t *sizes)
{
    uint64_t bytes = geo_metric_frame_overhead(part_count);
    memset(out, 0, SIZES_AT);
    for (uint32_t i = 0; i < part_count; i++) {
        const uint64_t size = sizes[i];
        memcpy(out + SIZES_AT + i * sizeof(size), &size, sizeof(size));
        bytes += size;
    }
    memcpy(out, magic, sizeof(magic));
    memcpy(out + IDENTITY_AT, identity, 16);
    memcpy(out + BYTES_AT, &bytes, sizeof(bytes));
    memcpy(out + PARTS_AT, &part_count, sizeof(part_count));
}

static ze_result_t cut(size_t left)
{
    return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                    "the raw data ends in the middle: its last %zu bytes are not a whole frame",
                    left);
}

/* Returns whether the sizes of the parts add up to the size of the frame. */
static bool sizes_fit(const struct geo_metric_frame *frame)
{
    size_t left = frame->bytes - geo_metric_frame_overhead(frame->part_count);
    for (uint32_t i = 0; i < frame->part_count; i++) {
        uint64_t size;
        memcpy(&size, frame->sizes + i * sizeof(size), sizeof(size));
        if (size > left) {
            return false;
        }
        left -= (size_t)size;
    }
    return left == 0;
}

ze_result_t geo_metric_frame_next(struct geo_metric_frames *frames, struct geo_metric_frame *frame)
{
    const uint8_t *at = frames->at;
    uint64_t bytes;
    if (frames->left == 0) {
        return ZE_RESULT_NOT_READY;
    }
    if (memcmp(at, magic, frames->left < sizeof(magic) ? frames->left : sizeof(magic)) != 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the raw data does not come from a metric streamer, tracer or query of "
                        "this driver");
    }
    if (frames->left < SIZES_AT) {
        return cut(frames->left);
    }
    memcpy(frame->identity, at + IDENTITY_AT, sizeof(frame->identity));
    memcpy(&bytes, at + BYTES_AT, sizeof(bytes));
    memcpy(&frame->part_count, at + PARTS_AT, sizeof(frame->part_count));
    if (frame->part_count == 0 || frame->part_count > GEO_METRIC_PARTS_MAX ||
        bytes < geo_metric_frame_overhead(frame->part_count)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the raw data is damaged");
    }
    if (bytes > frames->left) {
        return cut(frames->left);
    }
    frame->bytes = (size_t)bytes;
    frame->sizes = at + SIZES_AT;
    frame->data = at + geo_metric_frame_overhead(frame->part_count);
    if (!sizes_fit(frame)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the raw data is damaged: its parts are not as large as the whole");
    }
    frames->at += frame->bytes;
    frames->left -= frame->bytes;
    return ZE_RESULT_SUCCESS;
}

const uint8_t *geo_metric_frame_part(const struct geo_metric_frame *frame, uint32_t part,
                                     size_t *bytes)
{
    const uint8_t *data = frame->data;
    uint64_t size = 0;
    GEO_ASSERT(part < frame->part_count);
    for (uint32_t i = 0; i <= part; i++) {
        data += size;
        memcpy(&size, frame->sizes + i * sizeof(size), sizeof(size));
    }
    *bytes = (size_t)size;
    return data;
}
