/* The drop-in folders: where manifests lie, in which order they count, and which are hidden.
 *
 *     GEOID_DRIVER_PATH                        a colon list of folders and manifests; or else
 *     $XDG_CONFIG_HOME/level_zero/drivers.d    or ~/.config/level_zero/drivers.d
 *     /etc/level_zero/drivers.d                GEOID_SYSCONFDIR when this was built
 *
 * Programs with privileges see the last one only. A folder's manifests are its files *.json that do
 * not begin with a dot, by the bytes of their names; one of the same name in an earlier folder
 * hides a later one. A folder that is not there has none; one that is named and not there is told
 * of. */
#ifndef GEO_LOADER_DROP_IN_H
#define GEO_LOADER_DROP_IN_H

#include "loader/candidate.h"

/* Adds what the manifests name, and those that name nothing with the reason. False when memory ran
 * out. */
bool geo_drop_in_add(struct geo_candidates *candidates);

#endif
