/* Finds manifests: lists their names, hides duplicates, then reads them. See drop_in.h. */
#include "loader/discovery/drop_in.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/option.h"
#include "base/path.h"
#include "loader/discovery/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER "level_zero/drivers.d"

struct found {
    char *path;
    size_t base;            /* offset of its file name; 0: named directly, never hidden */
    const char *hidden_by;  /* path of an earlier manifest with the same name */
    const char *unreadable; /* error text of a folder that cannot be read; else NULL */
};

struct search {
    struct found *items;
    size_t count, capacity;
};

static const char *name_of(const struct found *found)
{
    return found->path + found->base;
}

static void search_finish(struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        free(search->items[i].path);
    }
    geo_array_finish(search);
}

/* Adds a path and takes ownership of it, even on failure. Returns false when memory ran out. */
static bool found_take(struct search *search, char *path, size_t base, const char *unreadable)
{
    if (!path || !geo_array_reserve(search, 1)) {
        free(path);
        return false;
    }
    search->items[search->count++] =
        (struct found){.path = path, .base = base, .unreadable = unreadable};
    return true;
}

/* ---- one folder ---- */

static bool is_manifest_name(const char *name)
{
    static const char ending[] = ".json";
    size_t length = strlen(name), ending_length = sizeof(ending) - 1;
    return name[0] != '.' && length > ending_length &&
           strcmp(name + length - ending_length, ending) == 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->path, ((const struct found *)b)->path);
}

/* Adds the manifests of an open folder. Sets *error to the error number if reading stopped early,
 * else to 0. Returns false when memory ran out. */
static bool names_read(struct search *search, const char *folder, DIR *stream, int *error)
{
    const struct dirent *entry;
    while ((errno = 0, entry = readdir(stream))) {
        if (is_manifest_name(entry->d_name) &&
            !found_take(search, geo_candidate_text("%s/%s", folder, entry->d_name),
                        strlen(folder) + 1, NULL)) {
            return false;
        }
    }
    *error = errno;
    return true;
}

static bool folder_search(struct search *search, const char *folder, bool is_named)
{
    struct stat status;
    int error = 0;
    DIR *stream = opendir(folder);
    if (!stream && errno == ENOMEM) {
        return false;
    }
    if (!stream) {
        bool is_absent = errno == ENOENT || errno == ENOTDIR;
        return (is_absent && !is_named) ||
               found_take(search, strdup(folder), 0, strerrordesc_np(errno));
    }
    const char *distrust = fstat(dirfd(stream), &status) == 0 ? geo_manifest_distrust(&status)
                                                              : strerrordesc_np(errno);
    size_t first = search->count;
    bool complete = distrust || names_read(search, folder, stream, &error);
    closedir(stream);
    if (complete && (distrust || error)) {
        const char *problem = distrust ? distrust : strerrordesc_np(error);
        complete = found_take(search, strdup(folder), 0, problem);
    }
    if (complete && search->count > first) {
        qsort(search->items + first, search->count - first, sizeof(*search->items), compare_paths);
    }
    return complete;
}

/* ---- all folders ---- */

/* Searches a name from GEOID_DRIVER_PATH, which is a folder or a manifest. */
static bool named_search(struct search *search, struct geo_discovery_part name)
{
    struct stat status;
    char *path = geo_path_copy(name.text, name.length);
    if (path && stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
        return found_take(search, path, 0, NULL);
    }
    bool complete = path && folder_search(search, path, true);
    free(path);
    return complete;
}

static bool list_search(struct search *search, const char *list)
{
    struct geo_discovery_part rest = {list, strlen(list)};
    bool complete = true;
    while (complete && rest.length) {
        struct geo_discovery_part name = geo_candidate_cut(&rest, ':');
        complete = name.length == 0 || named_search(search, name);
    }
    return complete;
}

static bool user_search(struct search *search)
{
    const char *config = geo_option_environment("XDG_CONFIG_HOME"),
               *home = geo_option_environment("HOME");
    bool by_config = config && config[0] == '/';
    if (!by_config && !(home && home[0] == '/')) {
        return true;
    }
    char *folder =
        geo_candidate_text("%s%s/" FOLDER, by_config ? config : home, by_config ? "" : "/.config");
    bool complete = folder && folder_search(search, folder, false);
    free(folder);
    return complete;
}

/* Orders by file name, and equal names by their place in the search. */
static int compare_names(const void *a, const void *b)
{
    const struct found *one = *(struct found *const *)a, *other = *(struct found *const *)b;
    int order = strcmp(name_of(one), name_of(other));
    return order ? order : (one > other) - (one < other);
}

static bool names_hide(struct search *search)
{
    struct found **sorted = calloc(search->count + 1, sizeof(struct found *));
    size_t count = 0;
    if (!sorted) {
        return false;
    }
    for (size_t i = 0; i < search->count; i++) {
        GEO_ASSERT(search->items[i].path && !search->items[i].hidden_by);
        if (search->items[i].base) {
            sorted[count++] = &search->items[i];
        }
    }
    qsort(sorted, count, sizeof(*sorted), compare_names);
    for (size_t first = 0, i = 1; i < count; i++) {
        if (strcmp(name_of(sorted[first]), name_of(sorted[i])) != 0) {
            first = i;
        } else {
            sorted[i]->hidden_by = sorted[first]->path;
        }
    }
    free(sorted);
    return true;
}

static bool found_read(const struct found *found, struct geo_candidates *candidates)
{
    struct geo_candidate candidate;
    bool complete;
    GEO_ASSERT(!found->hidden_by || (found->base && !found->unreadable));
    if (found->hidden_by) {
        char *reason = geo_candidate_text("hidden by %s", found->hidden_by);
        complete = reason && geo_manifest_refuse(found->path, reason, &candidate);
        free(reason);
    } else if (found->unreadable) {
        complete = geo_manifest_refuse(found->path, found->unreadable, &candidate);
    } else {
        complete = geo_manifest_read(found->path, &candidate);
    }
    return complete && geo_candidates_take(candidates, &candidate);
}

bool geo_drop_in_add(struct geo_candidates *candidates)
{
    struct search search = {0};
    const char *list = geo_option_string("GEOID_DRIVER_PATH");
    bool complete = list && *list ? list_search(&search, list)
                                  : user_search(&search) &&
                                        folder_search(&search, GEOID_SYSCONFDIR "/" FOLDER, false);
    complete = complete && names_hide(&search);
    for (size_t i = 0; complete && i < search.count; i++) {
        complete = found_read(&search.items[i], candidates);
    }
    search_finish(&search);
    return complete;
}
