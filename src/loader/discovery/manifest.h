/* One manifest: a small JSON file that names a driver library. docs/user/loader.md describes it.
 *
 *     {"file_format_version": "1.0", "library": "lib/libze_x.so.1", "api_version": "1.17",
 *      "name": "X"} */
#ifndef GEO_LOADER_MANIFEST_H
#define GEO_LOADER_MANIFEST_H

#include "loader/discovery/candidate.h"

#include <sys/stat.h>

#define GEO_MANIFEST_BYTES 65536 /* a larger file is refused */

/* Returns an error text when anybody may write to the file or folder, because anybody could then
 * choose the code to load. Returns NULL otherwise. */
const char *geo_manifest_distrust(const struct stat *status);

/* Reads the file into a candidate. An invalid manifest gives a candidate with a refusal. Returns
 * false when memory ran out. */
bool geo_manifest_read(const char *path, struct geo_candidate *candidate);

/* Creates a candidate for a path that is refused. Returns false when memory ran out. */
bool geo_manifest_refuse(const char *path, const char *reason, struct geo_candidate *candidate);

#endif
