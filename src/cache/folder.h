/* The folder of the cache: which one it is, and whether it may be used. */
#ifndef GEO_CACHE_FOLDER_H
#define GEO_CACHE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Bytes that the folder may have; 0: there is no cache. */
uint64_t geo_cache_limit(void);

/* A descriptor of the folder, which is made where it is not there and `make` asks for it; -1 when
 * it is not to be used: the log says why. */
int geo_cache_folder_open(bool make);

/* Ours alone to write: of this user, not open to the writing of others. */
bool geo_cache_is_private(const struct stat *status);

#endif
