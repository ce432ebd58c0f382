/* What was made once, kept on disk for other processes: values by key, an entry a file.
 *
 *     $GEOID_CACHE_DIR, $XDG_CACHE_HOME/geoid or ~/.cache/geoid
 *         0123456789abcdef.geoid     an entry; the name is a hash of the key, the key is in it
 *         .0123456789abcdef.tmp      one that is being written
 *
 * Any number of threads and processes use a folder without a lock: an entry is written under a name
 * of its own and renamed when it is whole, so that there is nothing that a killed process leaves
 * but a file, which goes later. Who reads an entry believes nothing of it but the folder: whoever
 * may write there may have code executed. Therefore folder and files have to belong to this user,
 * be closed to others' writing and be no symbolic links; a program with privileges has no cache.
 *
 * Nothing here fails: what does not work is a miss, and the log says why. */
#ifndef GEO_CACHE_CACHE_H
#define GEO_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_cache_bytes {
    const void *at;
    size_t count;
};

/* What a key gives: two blocks of bytes, of which the second is a text. */
struct geo_cache_value {
    const void *bytes; /* aligned to 8 */
    size_t count;
    const char *text; /* terminated; NULL: none */
    void *memory;     /* what is given back; of found values */
};

/* In this process, since it was loaded. */
struct geo_cache_counts {
    uint64_t hits, misses, stores, evictions;
    uint64_t refused; /* misses for an entry that is there: damaged, or another key's */
};

/* False when GEOID_CACHE_SIZE switches it off. Others may be used all the same, they do nothing. */
bool geo_cache_is_on(void);

/* True with the value, which is released later. */
bool geo_cache_find(struct geo_cache_bytes key, struct geo_cache_value *value);
void geo_cache_release(struct geo_cache_value *value);

/* Keeps the value, and when the folder has become too large throws out what was used the longest
 * ago. */
void geo_cache_store(struct geo_cache_bytes key, const struct geo_cache_value *value);

struct geo_cache_counts geo_cache_counts(void);

#endif
