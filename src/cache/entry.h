/* The file format of a cache entry:
 *
 *     struct geo_cache_header, key, value's bytes, value's text; each padded to 8 bytes
 */
#ifndef GEO_CACHE_ENTRY_H
#define GEO_CACHE_ENTRY_H

#include "cache/cache.h"

#define GEO_CACHE_MAGIC 0x31454843434f4547ull /* "GEOCCHE1" */
#define GEO_CACHE_ALIGN 8u

struct geo_cache_header {
    uint64_t magic;
    uint64_t checksum; /* XXH3 of the rest of the file after this field */
    uint64_t key_count, value_count;
    uint64_t text_count; /* including the terminating zero; 0: no text */
};

/* Returns the hash of a key, which names its file. An entry replaces entries of other keys with the
 * same hash. */
uint64_t geo_cache_entry_name(struct geo_cache_bytes key);

/* Builds the bytes of an entry's file, which the caller frees, and stores their number in `count`.
 * Returns NULL when memory ran out. */
void *geo_cache_entry_make(struct geo_cache_bytes key, const struct geo_cache_value *value,
                           size_t *count);

/* Decodes an entry from untrusted bytes that are aligned to 8. On success `value` points into them.
 * Returns false when the entry is damaged or belongs to another key. */
bool geo_cache_entry_read(const void *bytes, size_t count, struct geo_cache_bytes key,
                          struct geo_cache_value *value);

#endif
