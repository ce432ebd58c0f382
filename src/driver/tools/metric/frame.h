/* Frames around raw data. Each read of a streamer, tracer or query returns one frame. Programs may
 * store several of them one after the other.
 *
 *     0        magic number      "GEOM", and the version of the format
 *     8        identity          16 bytes, of the group (of the first group of a tracer)
 *     24       bytes             u64, of the whole frame
 *     32       parts             u32, and 4 reserved bytes
 *     40       sizes of parts    u64 each
 *     ...      parts             the reports of one device each
 *
 * Numbers have the byte order of the machine, as the reports have. Data that comes back is
 * untrusted, and may have any alignment. */
#ifndef GEO_DRIVER_TOOLS_METRIC_FRAME_H
#define GEO_DRIVER_TOOLS_METRIC_FRAME_H

#include "driver/core/object.h"

#define GEO_METRIC_PARTS_MAX 4096u

/* A frame in memory that was checked. */
struct geo_metric_frame {
    uint8_t identity[16];
    uint32_t part_count; /* at least 1 */
    size_t bytes;        /* of the whole frame */
    const uint8_t *sizes, *data;
};

/* The position in a sequence of frames. */
struct geo_metric_frames {
    const uint8_t *at;
    size_t left;
};

/* Returns the size of a frame without its reports. */
size_t geo_metric_frame_overhead(uint32_t part_count);

/* Writes the head of a frame whose parts lie behind it already. */
void geo_metric_frame_write(uint8_t *out, const uint8_t identity[16], uint32_t part_count,
                            const size_t *sizes);

/* Takes the next frame. Returns NOT_READY at the end, INVALID_SIZE if the data ends within a frame,
 * INVALID_ARGUMENT for other data. */
GEO_MUST_CHECK ze_result_t geo_metric_frame_next(struct geo_metric_frames *frames,
                                                 struct geo_metric_frame *frame);

/* Returns the reports of a part. */
const uint8_t *geo_metric_frame_part(const struct geo_metric_frame *frame, uint32_t part,
                                     size_t *bytes);

#endif
