/* The driver's inventory: ZE_AFFINITY_MASK, which devices of a driver the core API lists
 * (ENV-6..14). */
#ifndef GEO_DRIVER_CORE_AFFINITY_H
#define GEO_DRIVER_CORE_AFFINITY_H

#include <stdbool.h>
#include <stdint.h>

/* Marks in selected[count] the devices that the mask names. NULL and "" name all. Entries that
 * cannot be read, that are out of range or that name a sub-device (our devices have none) are
 * logged and select nothing; order and repetition do not matter. Returns how many are selected. */
uint32_t geo_affinity_select(const char *mask, uint32_t count, bool *selected);

#endif
