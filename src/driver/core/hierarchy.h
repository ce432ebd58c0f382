/* What the core API shows of a driver's devices: ZE_FLAT_DEVICE_HIERARCHY says whether devices with
 * parts (tiles) or the parts themselves are listed, ZE_AFFINITY_MASK which of what is listed.
 *
 *                  zeDeviceGet      zeDeviceGetSubDevices   zeDeviceGetRootDevice
 *     COMPOSITE    roots            the tiles of a root     the root of a tile
 *     FLAT         tiles            none                    none
 *     COMBINED     tiles            the tiles of a root     the root of a tile
 *
 * A root without tiles is itself listed in every mode. A tile that the mask leaves alone of its
 * root is a device without root, because a root never has exactly one. A root of which the mask
 * leaves several is no more than those. */
#ifndef GEO_DRIVER_CORE_HIERARCHY_H
#define GEO_DRIVER_CORE_HIERARCHY_H

#include "driver/core/driver.h"

enum geo_hierarchy {
    GEO_HIERARCHY_COMPOSITE, /* the default: programs that know nothing of tiles get all of them */
    GEO_HIERARCHY_FLAT,
    GEO_HIERARCHY_COMBINED,
};

/* NULL and what is none of the three (logged) give the default. */
enum geo_hierarchy geo_hierarchy_parse(const char *text);

/* Fills in what a driver shows, once its devices are there. False: memory ran out, and what was
 * made is the driver's to free. */
bool geo_hierarchy_apply(struct geo_driver *driver, enum geo_hierarchy mode, const char *mask);

#endif
