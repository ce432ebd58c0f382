/* Boxes of bytes in memory: from the API's region and pitches to what a record holds, and to the
 * record. */
#ifndef GEO_DRIVER_CMD_REGION_H
#define GEO_DRIVER_CMD_REGION_H

#include "driver/cmd/append.h"

struct geo_region {
    uintptr_t start;               /* first byte */
    uint64_t width, height, depth; /* bytes, rows, slices; depth at least 1 */
    uint64_t pitch, slice_pitch;
};

/* A pitch of 0 means rows (slices) without gaps; a depth of 0 one slice. INVALID_SIZE for pitches
 * smaller than what they separate, INVALID_ARGUMENT when the end is beyond the address space. */
GEO_MUST_CHECK ze_result_t geo_region_init(struct geo_region *region, const void *base,
                                           const ze_copy_region_t *box, uint32_t pitch,
                                           uint32_t slice_pitch);

/* Rows and slices behind an address, laid out as the other region's; pitches of 0 mean no gaps.
 * Pitches smaller than what they separate let it overlap. INVALID_ARGUMENT when the end is beyond
 * the address space. */
GEO_MUST_CHECK ze_result_t geo_region_like(struct geo_region *region, const void *base,
                                           const struct geo_region *other, uint32_t pitch,
                                           uint32_t slice_pitch);

/* INVALID_SIZE for different extents, OVERLAPPING_REGIONS when they share a byte. */
GEO_MUST_CHECK ze_result_t geo_region_check(const struct geo_region *to,
                                            const struct geo_region *from);

/* Begins the record of a copy between regions of the same extents and fills it. */
GEO_MUST_CHECK ze_result_t geo_region_append(struct geo_command_list *list,
                                             const struct geo_region *to,
                                             const struct geo_region *from,
                                             const struct geo_append_events *events,
                                             struct geo_append *append);

#endif
