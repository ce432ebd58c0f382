/* Eviction: one pass over the folder, sorted by the time of last use. See evict.h.
 *
 * The time of last use is the file's modification time, which a cache hit updates. Access times are
 * not used, because many file systems do not maintain them. Several processes may evict at the same
 * time: they choose the same files. */
#include "cache/evict.h"

#include "base/array.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK        4096u /* files occupy whole blocks */
#define LOOKS        64u   /* scans while as many bytes are written as the limit allows */
#define PART_SECONDS 600   /* older temporary files belong to killed writers */
#define DIGITS       16u

struct file {
    struct timespec used;
    uint64_t bytes;
    char name[GEO_CACHE_NAME_BYTES];
};

struct files {
    struct file *items;
    size_t count, capacity;
    uint64_t bytes; /* total size, including temporary files */
};

uint64_t geo_cache_file_bytes(uint64_t size)
{
    return (size + BLOCK - 1) & ~(uint64_t)(BLOCK - 1);
}

bool geo_cache_evict_is_due(uint64_t bytes, uint64_t limit, uint64_t chance)
{
    uint64_t between = limit / LOOKS;
    return bytes >= between || chance % between < bytes;
}

/* Returns whether `name` is `before`, 16 hexadecimal digits and `after`. */
static bool name_is(const char *name, const char *before, const char *after)
{
    size_t start = strlen(before);
    if (strncmp(name, before, start) != 0 || strlen(name) != start + DIGITS + strlen(after) ||
        strcmp(name + start + DIGITS, after) != 0) {
        return false;
    }
    for (size_t i = 0; i < DIGITS; i++) {
        if (!isxdigit((unsigned char)name[start + i])) {
            return false;
        }
    }
    return true;
}

static bool part_is_left(const struct stat *status)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (int64_t)now.tv_sec - (int64_t)status->st_mtim.tv_sec;
    return age > PART_SECONDS || age < -PART_SECONDS;
}

static void file_note(int folder, const char *name, struct files *files)
{
    struct stat status;
    bool entry = name_is(name, "", ".geoid"), part = name_is(name, ".", ".tmp");
    if ((!entry && !part) || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode)) {
        return;
    }
    if (part && part_is_left(&status)) {
        (void)unlinkat(folder, name, 0);
        return;
    }
    files->bytes += geo_cache_file_bytes((uint64_t)status.st_size);
    if (entry && geo_array_reserve(files, 1)) {
        struct file *file = &files->items[files->count++];
        file->used = status.st_mtim;
        file->bytes = geo_cache_file_bytes((uint64_t)status.st_size);
        memcpy(file->name, name, strlen(name) + 1);
    }
}

static bool files_find(int folder, struct files *files)
{
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = own >= 0 ? fdopendir(own) : NULL;
    if (!stream) {
        if (own >= 0) {
            close(own);
        }
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        file_note(folder, entry->d_name, files);
    }
    closedir(stream);
    return true;
}

static int file_compare(const void *left, const void *right)
{
    const struct file *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec) {
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    }
    if (a->used.tv_nsec != b->used.tv_nsec) {
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

uint64_t geo_cache_evict(int folder, uint64_t limit)
{
    struct files files = {0};
    uint64_t evicted = 0;
    if (files_find(folder, &files) && files.bytes > limit) {
        qsort(files.items, files.count, sizeof(*files.items), file_compare);
        for (size_t i = 0; i < files.count && files.bytes > limit - limit / 8; i++) {
            evicted += unlinkat(folder, files.items[i].name, 0) == 0;
            files.bytes -= files.items[i].bytes;
        }
    }
    geo_array_finish(&files);
    return evicted;
}

uint64_t geo_cache_folder_bytes(int folder)
{
    struct files files = {0};
    (void)files_find(folder, &files);
    geo_array_finish(&files);
    return files.bytes;
}
