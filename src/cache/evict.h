/* Limits the size of the cache: the least recently used entries are removed first. */
#ifndef GEO_CACHE_EVICT_H
#define GEO_CACHE_EVICT_H

#include <stdbool.h>
#include <stdint.h>

#define GEO_CACHE_ENTRY_FORM "%016llx.geoid"
#define GEO_CACHE_PART_FORM  ".%016llx.tmp"
#define GEO_CACHE_NAME_BYTES 32

/* Returns the space that a file of `size` bytes occupies in the folder. */
uint64_t geo_cache_file_bytes(uint64_t size);

/* Decides by chance whether to scan the folder after a file of `bytes` was added. Scans are rare
 * enough to be cheap compared with the writes, and frequent enough that the folder exceeds its
 * limit by a few percent at most. Chance is used because processes do not share a counter. */
bool geo_cache_evict_is_due(uint64_t bytes, uint64_t limit, uint64_t chance);

/* Scans the folder. If its files exceed `limit` bytes, removes the oldest until an eighth of the
 * limit is free. Also removes temporary files of killed writers. Ignores other files. Returns the
 * number of removed entries. */
uint64_t geo_cache_evict(int folder, uint64_t limit);

/* Returns the space in bytes that the entries in the folder occupy. */
uint64_t geo_cache_folder_bytes(int folder);

#endif
