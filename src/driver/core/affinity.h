/* ZE_AFFINITY_MASK: a text that selects devices and parts of devices (ENV-6..14). */
#ifndef GEO_DRIVER_CORE_AFFINITY_H
#define GEO_DRIVER_CORE_AFFINITY_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* The devices that the numbers of a mask refer to, as the hierarchy lists them. */
struct geo_affinity_shape {
    uint32_t count;
    /* [count] sub-devices of each device; 0: the device is itself a leaf. NULL: all 0 */
    const uint32_t *parts;
};

/* Marks in `selected` the leaves that the mask names: the parts of each device in turn, or the
 * device itself if it has none. "d" names a device with all its parts, "d.s" one part. NULL and ""
 * name all. An entry that cannot be read, is out of range, or names a part of a device without
 * parts selects nothing. It is logged, and a text that says why is added to `unnamed`. Order and
 * repetition do not matter. Returns how many leaves are selected. */
uint32_t geo_affinity_select(const char *mask, const struct geo_affinity_shape *shape,
                             bool *selected, struct geo_strbuf *unnamed);

#endif
