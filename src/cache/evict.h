/* The size of the cache: what was used the longest ago goes first. */
#ifndef GEO_CACHE_EVICT_H
#define GEO_CACHE_EVICT_H

#include <stdbool.h>
#include <stdint.h>

#define GEO_CACHE_ENTRY_FORM "%016llx.geoid"
#define GEO_CACHE_PART_FORM  ".%016llx.tmp"
#define GEO_CACHE_NAME_BYTES 32

/* What a file of so many bytes takes of the folder. */
uint64_t geo_cache_file_bytes(uint64_t size);

/* Whether to look at the whole folder after a file of `bytes` was added: so seldom that a look
 * costs little beside what fills the folder, so often that it grows by few hundredths more than it
 * may. By chance, because nobody knows what other processes do. */
bool geo_cache_evict_is_due(uint64_t bytes, uint64_t limit, uint64_t chance);

/* Looks at all files; when they are more than `limit` bytes removes the oldest until an eighth is
 * free, and remains of those who were killed while they wrote. How many entries went. Other files
 * in the folder are left alone. */
uint64_t geo_cache_evict(int folder, uint64_t limit);

#endif
