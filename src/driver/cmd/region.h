/* Boxes of bytes in memory: the conversion from the API's regions and pitches, and records that
 * copy them. */
#ifndef GEO_DRIVER_CMD_REGION_H
#define GEO_DRIVER_CMD_REGION_H

#include "driver/cmd/append.h"

/* A box of bytes in memory. */
struct geo_region {
    uintptr_t start;               /* first byte */
    uint64_t width, height, depth; /* bytes, rows, slices; depth at least 1 */
    uint64_t pitch, slice_pitch;
};

/* Converts a region. A pitch of 0 means no gaps between rows (slices), a depth of 0 one slice.
 * Returns INVALID_SIZE for pitches smaller than a row (slice), INVALID_ARGUMENT if the end is
 * beyond the address space. */
GEO_MUST_CHECK ze_result_t geo_region_init(struct geo_region *region, const void *base,
                                           const ze_copy_region_t *box, uint32_t pitch,
                                           uint32_t slice_pitch);

/* Makes a region at an address with the extents of another one; pitches of 0 mean no gaps. With
 * pitches smaller than rows (slices) it overlaps itself. Returns INVALID_ARGUMENT if the end is
 * beyond the address space. */
GEO_MUST_CHECK ze_result_t geo_region_like(struct geo_region *region, const void *base,
                                           const struct geo_region *other, uint32_t pitch,
                                           uint32_t slice_pitch);

/* Returns INVALID_SIZE for different extents, OVERLAPPING_REGIONS if the regions share a byte. */
GEO_MUST_CHECK ze_result_t geo_region_check(const struct geo_region *to,
                                            const struct geo_region *from);

/* Begins and fills the record of a copy between regions of the same extents. */
GEO_MUST_CHECK ze_result_t geo_region_append(struct geo_command_list *list,
                                             const struct geo_region *to,
                                             const struct geo_region *from,
                                             const struct geo_append_events *events,
                                             struct geo_append *append);

#endif
