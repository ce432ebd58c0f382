/* Which files to try as drivers, in which order, and why. No library is opened here.
 *
 * ZE_ENABLE_ALT_DRIVERS (a comma list of names or paths) replaces the usual list. The usual list is
 * the established names of other vendors' drivers, found as the dynamic linker finds libraries,
 * what manifests name (drop_in.h), and our own driver beside the loader. ZE_ENABLE_NULL_DRIVER adds
 * the null driver in front. */
#ifndef GEO_LOADER_DISCOVERY_H
#define GEO_LOADER_DISCOVERY_H

#include "loader/candidate.h"

/* Lists the candidates for the environment as it is now; geo_candidates_finish ends the list.
 * False, and no list, when memory ran out. */
bool geo_discovery_list(struct geo_candidates *candidates);

/* The folder that holds the loader itself: index 0 as it was loaded, 1 with links resolved. NULL
 * when unknown or when there is no such index. */
const char *geo_discovery_home(size_t index);

/* A switch such as ZE_ENABLE_NULL_DRIVER: set, and neither empty nor 0, false, no or off. */
bool geo_discovery_switch(const char *name);

/* Of one that is on by itself, such as ZE_ENABLE_LOADER_DRIVER_DDI_PATH: set to one of these
 * words. */
bool geo_discovery_switched_off(const char *name);

#endif
