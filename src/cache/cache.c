/* Looks up and stores entries. See cache.h.
 *
 * Entries are read, not mapped, because another process of this user may truncate a file at any
 * time. */
#include "cache/cache.h"

#include "base/file_limit.h"
#include "base/log.h"
#include "base/option.h"
#include "cache/entry.h"
#include "cache/evict.h"
#include "cache/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t hits, misses, stores, evictions, refusals;

struct geo_cache_counts geo_cache_counts(void)
{
    return (struct geo_cache_counts){
        .hits = atomic_load(&hits),
        .misses = atomic_load(&misses),
        .stores = atomic_load(&stores),
        .evictions = atomic_load(&evictions),
        .refused = atomic_load(&refusals),
    };
}

/* Prints the statistics for GEOID_DEBUG=cache when the process ends, unless the cache was not
 * used. */
__attribute__((destructor)) static void counts_print(void)
{
    const struct geo_cache_counts counts = geo_cache_counts();
    const char *debug = geo_option_environment("GEOID_DEBUG");
    if (!debug || strcmp(debug, "cache") != 0 || counts.hits + counts.misses == 0) {
        return;
    }
    struct geo_file_limit limit;
    geo_file_limit_hold(&limit);
    dprintf(STDERR_FILENO,
            "geoid: cache: %llu hits, %llu misses (%llu refused), %llu stored, %llu evicted\n",
            (unsigned long long)counts.hits, (unsigned long long)counts.misses,
            (unsigned long long)counts.refused, (unsigned long long)counts.stores,
            (unsigned long long)counts.evictions);
    geo_file_limit_release(&limit);
}

bool geo_cache_is_on(void)
{
    return geo_cache_folder_limit() != 0;
}

/* ---- finding ---- */

static bool bytes_read(int fd, uint8_t *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t part = read(fd, bytes + done, count - done);
        if (part == 0 || (part < 0 && errno != EINTR)) {
            return false;
        }
        done += part > 0 ? (size_t)part : 0;
    }
    return true;
}

/* Opens and reads an entry's file, if it is private to this user and not too large. Returns its
 * bytes, which the caller frees, or NULL. The caller closes *fd unless it is -1. */
static void *file_read(int folder, const char *name, size_t *count, int *fd)
{
    struct stat status;
    *fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0) {
        return NULL;
    }
    if (fstat(*fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        !geo_cache_folder_is_private(&status) ||
        (uint64_t)status.st_size > geo_cache_folder_limit()) {
        return NULL;
    }
    *count = (size_t)status.st_size;
    uint8_t *bytes = malloc(*count + 1);
    if (bytes && !bytes_read(*fd, bytes, *count)) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

/* Looks up an entry in the folder. A hit updates the file's modification time, the time of last
 * use. */
static bool entry_find(int folder, const char *name, struct geo_cache_bytes key,
                       struct geo_cache_value *value)
{
    size_t count = 0;
    int fd;
    void *bytes = file_read(folder, name, &count, &fd);
    bool found = bytes && geo_cache_entry_read(bytes, count, key, value);
    if (found) {
        value->memory = bytes;
        (void)futimens(fd, NULL);
    } else {
        free(bytes);
        refusals += fd >= 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    return found;
}

bool geo_cache_find(struct geo_cache_bytes key, struct geo_cache_value *value)
{
    char name[GEO_CACHE_NAME_BYTES];
    *value = (struct geo_cache_value){0};
    if (!geo_cache_is_on()) {
        return false;
    }
    snprintf(name, sizeof(name), GEO_CACHE_ENTRY_FORM,
             (unsigned long long)geo_cache_entry_name(key));
    int folder = geo_cache_folder_open(false);
    bool found = folder >= 0 && entry_find(folder, name, key, value);
    if (folder >= 0) {
        close(folder);
    }
    atomic_fetch_add(found ? &hits : &misses, 1);
    geo_log("cache", GEO_LOG_INFO, "%s of %s", found ? "hit" : "miss", name);
    return found;
}

void geo_cache_release(struct geo_cache_value *value)
{
    free(value->memory);
    *value = (struct geo_cache_value){0};
}

/* ---- storing ---- */

/* Returns a number that differs between threads, processes and calls. It names the temporary file
 * and selects stores that evict. */
static uint64_t chance_make(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t words[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(),
                              atomic_load(&stores), (uintptr_t)&errno};
    return geo_cache_entry_name((struct geo_cache_bytes){words, sizeof(words)});
}

static bool bytes_write(int fd, const uint8_t *bytes, size_t count)
{
    struct geo_file_limit limit;
    size_t done = 0;
    bool good = true;
    geo_file_limit_hold(&limit);
    while (done < count && good) {
        ssize_t part = write(fd, bytes + done, count - done);
        good = part > 0 || (part < 0 && errno == EINTR);
        done += part > 0 ? (size_t)part : 0;
    }
    geo_file_limit_release(&limit);
    return good;
}

/* Writes the file under a temporary name and renames it when it is complete. */
static bool file_write(int folder, const char *name, uint64_t chance, const void *bytes,
                       size_t count)
{
    char part[GEO_CACHE_NAME_BYTES];
    snprintf(part, sizeof(part), GEO_CACHE_PART_FORM, (unsigned long long)chance);
    int fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return false;
    }
    bool written = bytes_write(fd, bytes, count);
    written = close(fd) == 0 && written && renameat(folder, part, folder, name) == 0;
    if (!written) {
        int reason = errno;
        (void)unlinkat(folder, part, 0);
        errno = reason;
    }
    return written;
}

static bool status_fail(struct geo_cache_status *status, const char *reason)
{
    status->state = GEO_CACHE_FAILED;
    snprintf(status->reason, sizeof(status->reason), "%s", reason);
    return false;
}

/* Stores a small file under a temporary name and removes it. Returns false with the reason in
 * `status`. */
static bool folder_try(int folder, struct geo_cache_status *status)
{
    static const char text[] = "geoid";
    char name[GEO_CACHE_NAME_BYTES];
    const uint64_t chance = chance_make();
    snprintf(name, sizeof(name), GEO_CACHE_PART_FORM, (unsigned long long)~chance);
    if (!file_write(folder, name, chance, text, sizeof(text))) {
        return status_fail(status, strerror(errno));
    }
    return unlinkat(folder, name, 0) == 0 || status_fail(status, strerror(errno));
}

void geo_cache_status(struct geo_cache_status *status)
{
    const char *reason = NULL;
    *status = (struct geo_cache_status){.state = GEO_CACHE_USABLE};
    status->limit = geo_cache_folder_limit();
    if (status->limit == 0) {
        status->state = GEO_CACHE_OFF;
        snprintf(status->reason, sizeof(status->reason), "%s",
                 geo_cache_folder_is_permitted() ? "GEOID_CACHE_SIZE switches it off"
                                                 : "this program has privileges of its own");
        return;
    }
    int folder = geo_cache_folder_try(true, status->path, &reason);
    if (folder < 0) {
        status_fail(status, reason);
        return;
    }
    if (folder_try(folder, status)) {
        status->bytes = geo_cache_folder_bytes(folder);
    }
    close(folder);
}

static void entry_store(int folder, uint64_t limit, uint64_t hash, const void *bytes, size_t count)
{
    char name[GEO_CACHE_NAME_BYTES];
    uint64_t chance = chance_make();
    snprintf(name, sizeof(name), GEO_CACHE_ENTRY_FORM, (unsigned long long)hash);
    if (!file_write(folder, name, chance, bytes, count)) {
        geo_log("cache", GEO_LOG_DEBUG, "%s is not stored: %s", name, strerror(errno));
        return;
    }
    atomic_fetch_add(&stores, 1);
    uint64_t taken = geo_cache_file_bytes(count);
    if (geo_cache_evict_is_due(taken, limit, chance)) {
        uint64_t evicted = geo_cache_evict(folder, limit);
        atomic_fetch_add(&evictions, evicted);
        geo_log("cache", GEO_LOG_INFO, "%llu entries evicted", (unsigned long long)evicted);
    }
}

void geo_cache_store(struct geo_cache_bytes key, const struct geo_cache_value *value)
{
    uint64_t limit = geo_cache_folder_limit();
    size_t count = 0;
    if (limit == 0) {
        return;
    }
    void *bytes = geo_cache_entry_make(key, value, &count);
    int folder = bytes && count <= limit / 2 ? geo_cache_folder_open(true) : -1;
    if (folder >= 0) {
        entry_store(folder, limit, geo_cache_entry_name(key), bytes, count);
        close(folder);
    }
    free(bytes);
}
