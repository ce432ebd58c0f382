/* Chooses which devices the core API shows. ZE_FLAT_DEVICE_HIERARCHY says whether devices with
 * parts (tiles) or the tiles themselves are listed, and ZE_AFFINITY_MASK selects among those.
 *
 *                  zeDeviceGet      zeDeviceGetSubDevices   zeDeviceGetRootDevice
 *     COMPOSITE    roots            the tiles of a root     the root of a tile
 *     FLAT         tiles            none                    none
 *     COMBINED     tiles            the tiles of a root     the root of a tile
 *
 * A root device without tiles is listed in every mode. If the mask leaves only one tile of a root
 * device, the tile becomes a device without a root, because a root device never has exactly one
 * tile. If the mask leaves several, the root device consists of only those. */
#ifndef GEO_DRIVER_CORE_HIERARCHY_H
#define GEO_DRIVER_CORE_HIERARCHY_H

#include "driver/core/driver.h"

/* The values of ZE_FLAT_DEVICE_HIERARCHY. */
enum geo_hierarchy {
    GEO_HIERARCHY_COMPOSITE, /* the default: programs unaware of tiles use all of them */
    GEO_HIERARCHY_FLAT,
    GEO_HIERARCHY_COMBINED,
};

/* Converts the text of the variable. NULL gives the default; so does an unknown text, which is
 * logged. */
enum geo_hierarchy geo_hierarchy_parse(const char *text);

/* Fills in the shown devices of a driver whose devices exist. Returns false if memory is short; the
 * caller then frees what was made. */
bool geo_hierarchy_apply(struct geo_driver *driver, enum geo_hierarchy mode, const char *mask);

#endif
