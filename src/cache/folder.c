/* The folder of the cache. See folder.h.
 *
 * Nothing is remembered between look-ups. Finding the folder costs two system calls, and changes of
 * the environment or the folder take effect at once. */
#include "cache/folder.h"

#include "base/log.h"
#include "base/option.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define MIB_MAX    (UINT64_C(1) << 30)
#define PATH_BYTES GEO_CACHE_PATH_BYTES
#define FOLDER     "/geoid"

/* Returns whether the real, effective and saved ids of user and group are equal. A program that can
 * regain another user's rights must not execute code from a folder of the current user. */
static bool one_identity(void)
{
    static _Atomic bool told;
    uid_t user, effective_user, saved_user;
    gid_t group, effective_group, saved_group;
    bool one = getresuid(&user, &effective_user, &saved_user) == 0 &&
               getresgid(&group, &effective_group, &saved_group) == 0 && user == effective_user &&
               user == saved_user && group == effective_group && group == saved_group;
    if (!one && !atomic_exchange(&told, true)) {
        geo_log("cache", GEO_LOG_WARN,
                "the cache of built modules is off: the real, effective and saved user or group of "
                "this process differ");
    }
    return one;
}

bool geo_cache_folder_is_permitted(void)
{
    return getauxval(AT_SECURE) == 0 && one_identity();
}

uint64_t geo_cache_folder_limit(void)
{
    const char *text = geo_option_string("GEOID_CACHE_SIZE");
    if (!geo_cache_folder_is_permitted() || (text && strcmp(text, "off") == 0)) {
        return 0;
    }
    return geo_option_number("GEOID_CACHE_SIZE", 0, MIB_MAX) << 20;
}

bool geo_cache_folder_is_private(const struct stat *status)
{
    return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* Creates a folder only inside a folder of this user. `sudo` keeps HOME: a folder that root creates
 * there would be inaccessible to the user. */
static void own_make(char *path)
{
    struct stat above;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    bool own = stat(path, &above) == 0 && above.st_uid == geteuid();
    *slash = '/';
    if (own) {
        (void)mkdir(path, S_IRWXU);
    }
}

/* Builds the default path: `geoid` in the user's cache folder, which is created if it is missing.
 * Returns NULL, or the reason why the path is unknown. */
static const char *path_of_user(char path[PATH_BYTES], bool make)
{
    const char *cache = geo_option_environment("XDG_CACHE_HOME");
    const char *home = geo_option_environment("HOME");
    int length = -1;
    if (cache && cache[0] == '/') {
        length = snprintf(path, PATH_BYTES, "%s", cache);
    } else if (home && home[0] == '/') {
        length = snprintf(path, PATH_BYTES, "%s/.cache", home);
    }
    if (length < 0 || length + sizeof(FOLDER) > PATH_BYTES) {
        snprintf(path, PATH_BYTES, "the cache");
        return "neither HOME nor XDG_CACHE_HOME names a folder for it";
    }
    if (make) {
        own_make(path);
    }
    strcpy(path + length, FOLDER);
    if (make) {
        own_make(path);
    }
    return NULL;
}

/* Writes the path of the folder. Returns NULL, or the reason why it cannot be used. */
static const char *path_find(char path[PATH_BYTES], bool make)
{
    const char *wanted = geo_option_string("GEOID_CACHE_DIR");
    if (!wanted) {
        return path_of_user(path, make);
    }
    const bool fits = snprintf(path, PATH_BYTES, "%s", wanted) < PATH_BYTES;
    if (wanted[0] != '/' || !fits) {
        return "it is not an absolute path, or is too long";
    }
    if (make) {
        (void)mkdir(path, S_IRWXU);
    }
    return NULL;
}

int geo_cache_folder_try(bool make, char path[PATH_BYTES], const char **reason)
{
    struct stat status;
    *reason = path_find(path, make);
    if (*reason) {
        return -1;
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        *reason = make || errno != ENOENT ? strerror(errno) : NULL;
        return -1;
    }
    if (fstat(fd, &status) != 0 || !geo_cache_folder_is_private(&status)) {
        close(fd);
        *reason = "it is not this user's, or others may write to it";
        return -1;
    }
    return fd;
}

int geo_cache_folder_open(bool make)
{
    char path[PATH_BYTES];
    const char *reason;
    int fd = geo_cache_folder_try(make, path, &reason);
    if (reason) {
        geo_log("cache", GEO_LOG_DEBUG, "%s is not used: %s", path, reason);
    }
    return fd;
}
