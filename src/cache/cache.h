/* The cache of build results on disk, shared by all processes of a user. Each entry is a file that
 * maps a key to a value.
 *
 *     $GEOID_CACHE_DIR, $XDG_CACHE_HOME/geoid or ~/.cache/geoid
 *         0123456789abcdef.geoid      an entry; its name is a hash of the key that it contains
 *         .0123456789abcdef.tmp       an entry that is being written
 *
 * Any number of threads and processes may use the folder without a lock. An entry is written to a
 * temporary file and renamed when it is complete. A killed process leaves only a temporary file,
 * which a later eviction removes.
 *
 * A user who can write to the folder can have code executed. Therefore the folder and its files
 * must belong to this user, must not be writable by others and must not be symbolic links.
 * Set-user-id programs have no cache.
 *
 * No function here reports an error. A failure counts as a miss, and the log has the reason;
 * geo_cache_status tells it, too. */
#ifndef GEO_CACHE_CACHE_H
#define GEO_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_cache_bytes {
    const void *at;
    size_t count;
};

/* The value of a key: two blocks of bytes. The second is a text, the build log. */
struct geo_cache_value {
    const void *bytes; /* aligned to 8 */
    size_t count;
    const char *text; /* terminated; NULL: none */
    void *memory;     /* owned memory of a found value, freed by geo_cache_release */
};

/* Statistics of this process since the library was loaded. */
struct geo_cache_counts {
    uint64_t hits, misses, stores, evictions;
    uint64_t refused; /* misses because the entry was damaged or belongs to another key */
};

/* Returns false when GEOID_CACHE_SIZE switches the cache off. The other functions then do
 * nothing. */
bool geo_cache_is_on(void);

/* Looks up a key. Returns true and the value when it is found. The caller frees the value with
 * geo_cache_release. */
bool geo_cache_find(struct geo_cache_bytes key, struct geo_cache_value *value);
void geo_cache_release(struct geo_cache_value *value);

/* Stores the value. When the folder exceeds its limit, the least recently used entries are
 * removed. */
void geo_cache_store(struct geo_cache_bytes key, const struct geo_cache_value *value);

struct geo_cache_counts geo_cache_counts(void);

enum geo_cache_state {
    GEO_CACHE_OFF,    /* `reason` says what switches it off */
    GEO_CACHE_USABLE, /* entries can be stored */
    GEO_CACHE_FAILED, /* it is on, but `reason` keeps entries from being stored */
};

struct geo_cache_status {
    enum geo_cache_state state;
    uint64_t bytes, limit; /* of a usable cache */
    char path[1024];       /* "" if it is off */
    char reason[256];
};

/* Finds out whether entries can be stored. Creates the folder if it is missing, and a file in it,
 * which is removed. The structure is too large for small stacks. */
void geo_cache_status(struct geo_cache_status *status);

#endif
