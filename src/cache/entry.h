/* The form of an entry: key and value as the bytes of a file.
 *
 *     struct geo_cache_header, key, value's bytes, value's text; each padded to 8 */
#ifndef GEO_CACHE_ENTRY_H
#define GEO_CACHE_ENTRY_H

#include "cache/cache.h"

#define GEO_CACHE_MAGIC 0x31454843434f4547ull /* "GEOCCHE1" */
#define GEO_CACHE_ALIGN 8u

struct geo_cache_header {
    uint64_t magic;
    uint64_t checksum; /* of what follows it, all of the file */
    uint64_t key_count, value_count;
    uint64_t text_count; /* with its end; 0: none */
};

/* What an entry is called by: keys of the same name throw each other out. */
uint64_t geo_cache_name(struct geo_cache_bytes key);

/* The file's bytes (malloc) and how many; NULL: no memory. */
void *geo_cache_entry_make(struct geo_cache_bytes key, const struct geo_cache_value *value,
                           size_t *count);

/* What the bytes (aligned to 8, from anywhere) say for the key; points into them. False: they are
 * damaged, or of another key. */
bool geo_cache_entry_read(const void *bytes, size_t count, struct geo_cache_bytes key,
                          struct geo_cache_value *value);

#endif
