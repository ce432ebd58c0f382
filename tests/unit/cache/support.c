/* Folders for cases, values that follow from numbers. See support.h. */
#include "support.h"

#include "cache/entry.h"
#include "cache/evict.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_OF "the log of %u"

char folder[256];
char cache[300];

int folder_set_up(void **state)
{
    (void)state;
    const char *under = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/geoid-cache-XXXXXX", under ? under : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(cache, sizeof(cache), "%s/cache", folder);
    assert_int_equal(mkdir(cache, 0700), 0);
    setenv("GEOID_CACHE_DIR", cache, 1);
    setenv("GEOID_CACHE_SIZE", "1000", 1);
    return 0;
}

static int file_remove(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

int folder_tear_down(void **state)
{
    (void)state;
    return nftw(folder, file_remove, 8, FTW_DEPTH | FTW_PHYS);
}

struct geo_cache_bytes key_of(const char *text)
{
    return (struct geo_cache_bytes){text, strlen(text)};
}

const char *entry_path(const char *key)
{
    static char path[400];
    snprintf(path, sizeof(path), "%s/" GEO_CACHE_ENTRY_FORM, cache,
             (unsigned long long)geo_cache_entry_name(key_of(key)));
    return path;
}

static uint8_t byte_of(unsigned number, size_t place)
{
    return (uint8_t)(number * 31 + place * 7);
}

void number_store(unsigned number, size_t bytes)
{
    uint8_t *content = malloc(bytes);
    char key[32], text[64];
    assert_non_null(content);
    for (size_t i = 0; i < bytes; i++) {
        content[i] = byte_of(number, i);
    }
    snprintf(key, sizeof(key), "number %u", number);
    snprintf(text, sizeof(text), TEXT_OF, number);
    const struct geo_cache_value value = {.bytes = content, .count = bytes, .text = text};
    geo_cache_store(key_of(key), &value);
    free(content);
}

int number_find(unsigned number)
{
    struct geo_cache_value value;
    char key[32], text[64];
    snprintf(key, sizeof(key), "number %u", number);
    snprintf(text, sizeof(text), TEXT_OF, number);
    if (!geo_cache_find(key_of(key), &value)) {
        return 0;
    }
    bool right = value.text && strcmp(value.text, text) == 0 && value.count > 0;
    for (size_t i = 0; i < value.count && right; i++) {
        right = ((const uint8_t *)value.bytes)[i] == byte_of(number, i);
    }
    geo_cache_release(&value);
    if (!right) {
        fprintf(stderr, "number %u is not what was stored\n", number);
        _exit(9);
    }
    return 1;
}

struct census census_take(void)
{
    struct census census = {0};
    DIR *stream = opendir(cache);
    assert_non_null(stream);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        struct stat status;
        const char *dot = strrchr(entry->d_name, '.');
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        bool whole = dot && strcmp(dot, ".geoid") == 0, part = dot && strcmp(dot, ".tmp") == 0;
        census.entries += whole;
        census.parts += part;
        census.others += !whole && !part;
        census.bytes += whole || part ? geo_cache_file_bytes((uint64_t)status.st_size) : 0;
    }
    closedir(stream);
    return census;
}
