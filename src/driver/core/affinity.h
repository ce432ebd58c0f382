/* The driver's inventory: ZE_AFFINITY_MASK, text that names devices and their parts (ENV-6..14). */
#ifndef GEO_DRIVER_CORE_AFFINITY_H
#define GEO_DRIVER_CORE_AFFINITY_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* What a mask's ordinals count: devices as the hierarchy lists them. */
struct geo_affinity_shape {
    uint32_t count;
    const uint32_t *parts; /* [count] of each; 0: none, it is one leaf itself. NULL: of all 0 */
};

/* Marks in `selected` the leaves that the mask names: the parts of each device in turn, or the
 * device when it has none. "d" names a device with all its parts, "d.s" one of them. NULL and ""
 * name all. Entries that cannot be read, are out of range or name a part of a device without any
 * select nothing: they are logged, and `unnamed` gets a text that says why for each of them. Order
 * and repetition do not matter. Returns how many leaves are selected. */
uint32_t geo_affinity_select(const char *mask, const struct geo_affinity_shape *shape,
                             bool *selected, struct geo_strbuf *unnamed);

#endif
