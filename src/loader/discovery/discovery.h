/* Determines which files to try as drivers, in which order, and why. Opens no library.
 *
 * ZE_ENABLE_ALT_DRIVERS (a comma-separated list of names or paths) replaces the usual list. The
 * usual list has the known names of other vendors' drivers, which the dynamic linker searches, then
 * the libraries that manifests name (drop_in.h), then our own driver beside the loader.
 * ZE_ENABLE_NULL_DRIVER adds the null driver at the front. */
#ifndef GEO_LOADER_DISCOVERY_H
#define GEO_LOADER_DISCOVERY_H

#include "loader/discovery/candidate.h"

/* Lists the candidates for the current environment. The caller frees the list with
 * geo_candidates_finish. Returns false, without a list, when memory ran out. */
bool geo_discovery_list(struct geo_candidates *candidates);

/* Returns the folder of the loader: index 0 as it was loaded, index 1 with links resolved. Returns
 * NULL when it is unknown or the index is out of range. */
const char *geo_discovery_home(size_t index);

/* Returns whether a switch such as ZE_ENABLE_NULL_DRIVER is on: it is set, and is not empty, 0,
 * false, no or off. */
bool geo_discovery_switch(const char *name);

/* Returns whether a switch that is on by default, such as ZE_ENABLE_LOADER_DRIVER_DDI_PATH, is set
 * to 0, false, no or off. */
bool geo_discovery_switched_off(const char *name);

#endif
