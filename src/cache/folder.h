/* Finds the folder of the cache and checks whether it may be used. */
#ifndef GEO_CACHE_FOLDER_H
#define GEO_CACHE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Returns false in programs with privileges of their own. They have no cache. */
bool geo_cache_folder_is_permitted(void);

/* Returns the maximum size of the folder in bytes. 0: the cache is off. */
uint64_t geo_cache_folder_limit(void);

#define GEO_CACHE_PATH_BYTES 1024 /* small, because callers may have small stacks */

/* Opens the folder and returns a descriptor, and its path in any case. Creates a missing folder if
 * `make` is set. If the folder must not be used, returns -1 and the reason. The reason is valid
 * until the thread's next call. It is NULL for a folder that is missing and was not to be made. */
int geo_cache_folder_try(bool make, char path[GEO_CACHE_PATH_BYTES], const char **reason);

/* Opens the folder and returns a descriptor. Creates a missing folder if `make` is set. Returns -1
 * when the folder must not be used, and logs the reason. */
int geo_cache_folder_open(bool make);

/* Returns whether a file or folder belongs to this user and nobody else may write to it. */
bool geo_cache_folder_is_private(const struct stat *status);

#endif
