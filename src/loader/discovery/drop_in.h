/* The drop-in folders: where manifests are, in which order they are used, and which are hidden.
 *
 *     GEOID_DRIVER_PATH                      a colon-separated list of folders and manifests
 *     otherwise:
 *     $XDG_CONFIG_HOME/level_zero/drivers.d  or ~/.config/level_zero/drivers.d
 *     /etc/level_zero/drivers.d              /etc is GEOID_SYSCONFDIR of the build
 *
 * Set-user-id programs use only the last folder. The manifests of a folder are its files *.json
 * whose names do not start with a dot, in byte order of their names. A manifest hides manifests
 * with the same name in later folders. A missing default folder is ignored; a missing folder of
 * GEOID_DRIVER_PATH is reported. */
#ifndef GEO_LOADER_DROP_IN_H
#define GEO_LOADER_DROP_IN_H

#include "loader/discovery/candidate.h"

/* Adds the libraries that manifests name. A manifest that names none is added with the reason.
 * Returns false when memory ran out. */
bool geo_drop_in_add(struct geo_candidates *candidates);

#endif
