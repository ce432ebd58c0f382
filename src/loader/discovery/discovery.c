/* The loader's list of candidates for drivers. See discovery.h. */
#include "loader/discovery/discovery.h"

#include "base/assert.h"
#include "base/option.h"
#include "base/path.h"
#include "loader/discovery/drop_in.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Library names of other vendors' drivers, in the order in which the reference loader searches for
 * them. */
static const char *const known_names[] = {
    "libze_intel_gpu.so.1",
    "libze_intel_gpu_legacy1.so.1",
    "libze_intel_vpu.so.1",
    "libze_intel_npu.so.1",
};

/* The folders of the loader: as the dynamic linker knows it, and without symbolic links where that
 * differs. Empty: unknown. They are arrays, because a failed allocation could not be repeated. */
static struct {
    pthread_once_t once;
    char folders[2][GEO_PATH_BYTES];
} home = {.once = PTHREAD_ONCE_INIT};

/* Turns a path into that of its folder. A path without a folder becomes empty. */
static void path_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash && slash == path) {
        slash++;
    }
    *(slash ? slash : path) = '\0';
}

/* Finds the folders. A relative path is resolved against the working folder at load time, which the
 * program may have left. */
static void home_find(void)
{
    char *const file = home.folders[0], *const resolved = home.folders[1];
    Dl_info info;
    if (!dladdr(&home, &info) || !info.dli_fname || !strchr(info.dli_fname, '/') ||
        !geo_path_absolute(info.dli_fname, file, GEO_PATH_BYTES)) {
        file[0] = '\0';
        return;
    }
    if (!realpath(file, resolved)) {
        resolved[0] = '\0';
    }
    path_to_folder(file);
    path_to_folder(resolved);
    if (strcmp(file, resolved) == 0) {
        resolved[0] = '\0';
    }
}

const char *geo_discovery_home(size_t index)
{
    pthread_once(&home.once, home_find);
    return index < 2 && home.folders[index][0] ? home.folders[index] : NULL;
}

static bool is_off(const char *value)
{
    static const char *const off[] = {"0", "false", "no", "off"};
    for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
        if (strcasecmp(value, off[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool geo_discovery_switch(const char *name)
{
    const char *value = geo_option_environment(name);
    return value && *value && !is_off(value);
}

bool geo_discovery_switched_off(const char *name)
{
    const char *value = geo_option_environment(name);
    return value && is_off(value);
}

/* Adds an item of ZE_ENABLE_ALT_DRIVERS. A name with a slash is a path; other names are searched by
 * the dynamic linker. */
static bool alternative_add(struct geo_candidates *candidates, struct geo_discovery_part name)
{
    if (!memchr(name.text, '/', name.length)) {
        return geo_candidates_add(candidates, GEO_FROM_ALT_DRIVERS, name.text, name.length);
    }
    struct geo_candidate candidate = {.name = geo_path_copy(name.text, name.length),
                                      .from = GEO_FROM_ALT_DRIVERS};
    return candidate.name && geo_candidates_take(candidates, &candidate);
}

static bool alternatives_add(struct geo_candidates *candidates, const char *text)
{
    struct geo_discovery_part rest = {text, strlen(text)};
    bool fine = true;
    while (fine && rest.length) {
        struct geo_discovery_part name = geo_candidate_cut(&rest, ',');
        fine = name.length == 0 || alternative_add(candidates, name);
    }
    return fine;
}

static bool usual_add(struct geo_candidates *candidates)
{
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof(known_names) / sizeof(known_names[0]); i++) {
        fine = geo_candidates_add(candidates, GEO_FROM_KNOWN_NAME, known_names[i],
                                  strlen(known_names[i]));
    }
    static const char own[] = "libze_geoid.so.1";
    return fine && geo_drop_in_add(candidates) &&
           geo_candidates_add(candidates, GEO_FROM_HOME, own, sizeof(own) - 1);
}

/* Orders candidates by key, and equal keys by their place in the list. */
static int compare_candidates(const void *a, const void *b)
{
    const struct geo_candidate *one = *(struct geo_candidate *const *)a;
    const struct geo_candidate *other = *(struct geo_candidate *const *)b;
    int order = strcmp(geo_candidate_key(one), geo_candidate_key(other));
    return order ? order : (one > other) - (one < other);
}

/* Removes all but the first of equal candidates. Returns false when memory ran out. */
static bool duplicates_drop(struct geo_candidates *candidates)
{
    struct geo_candidate **sorted = calloc(candidates->count + 1, sizeof(struct geo_candidate *));
    if (!sorted) {
        return false;
    }
    for (size_t i = 0; i < candidates->count; i++) {
        sorted[i] = &candidates->items[i];
    }
    qsort(sorted, candidates->count, sizeof(*sorted), compare_candidates);
    for (size_t first = 0, i = 1; i < candidates->count; i++) {
        if (strcmp(geo_candidate_key(sorted[first]), geo_candidate_key(sorted[i])) == 0) {
            geo_candidate_finish(sorted[i]);
        } else {
            first = i;
        }
    }
    free(sorted);
    size_t kept = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        if (candidates->items[i].name) {
            candidates->items[kept++] = candidates->items[i];
        }
    }
    GEO_ASSERT(kept <= candidates->count && (kept || candidates->count == 0));
    candidates->count = kept;
    return true;
}

bool geo_discovery_list(struct geo_candidates *candidates)
{
    static const char null_driver[] = "libze_null.so.1";
    *candidates = (struct geo_candidates){0};
    bool fine = true;
    if (geo_discovery_switch("ZE_ENABLE_NULL_DRIVER")) {
        fine = geo_candidates_add(candidates, GEO_FROM_NULL_DRIVER, null_driver,
                                  sizeof(null_driver) - 1);
    }
    const char *alternatives = geo_option_environment("ZE_ENABLE_ALT_DRIVERS");
    if (fine && alternatives && *alternatives) {
        fine = alternatives_add(candidates, alternatives);
    } else {
        fine = fine && usual_add(candidates);
    }
    fine = fine && duplicates_drop(candidates);
    if (!fine) {
        geo_candidates_finish(candidates);
    }
    return fine;
}
