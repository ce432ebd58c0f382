/* Opens a driver library. See library.h. Its symbols and tables are in library_tables.c, its
 * drivers in library_init.c. */
#include "loader/library/library.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/path.h"
#include "base/room.h"
#include "loader/library/elf_check.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool string_copy(char **copy, const char *text)
{
    *copy = text ? strdup(text) : NULL;
    return !text || *copy;
}

bool geo_library_renew(struct geo_library *library, const struct geo_candidate *candidate)
{
    char *name, *manifest, *label, *refusal;
    GEO_ASSERT(candidate->name);
    if (library->open) {
        return true;
    }
    bool copied = string_copy(&name, candidate->name);
    copied &= string_copy(&manifest, candidate->manifest);
    copied &= string_copy(&label, candidate->label);
    copied &= string_copy(&refusal, candidate->refusal);
    char **const kept[] = {&library->name, &library->manifest, &library->label, &library->refusal};
    char *const copies[] = {name, manifest, label, refusal};
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        free(copied ? *kept[i] : copies[i]);
        *kept[i] = copied ? copies[i] : *kept[i];
    }
    library->from = copied ? candidate->from : library->from;
    library->declared = copied ? candidate->declared : library->declared;
    return copied;
}

struct geo_library *geo_library_create(const struct geo_candidate *candidate)
{
    struct geo_library *library = calloc(1, sizeof(*library));
    if (!library) {
        return NULL;
    }
    library->core.result = ZE_RESULT_NOT_READY;
    library->sysman.result = ZE_RESULT_NOT_READY;
    if (!geo_library_renew(library, candidate)) {
        geo_library_destroy(library);
        return NULL;
    }
    GEO_ASSERT(geo_library_is_valid(library));
    return library;
}

static bool drivers_are_valid(const struct geo_drivers *drivers)
{
    return drivers->count <= drivers->capacity && (drivers->listed || !drivers->count) &&
           (drivers->result == ZE_RESULT_SUCCESS || !(drivers->count || drivers->initialized));
}

bool geo_library_is_valid(const struct geo_library *library)
{
    const bool is_driver = library->open && library->from != GEO_FROM_LAYER;
    return library->name && library->filled_slots <= library->slots &&
           (!library->open || (library->object && library->path)) &&
           (is_driver ? library->tables && library->direct && !library->refusal
                      : !library->tables && !library->direct && !library->refused &&
                            !library->given && !library->translation) &&
           drivers_are_valid(&library->core) && drivers_are_valid(&library->sysman);
}

void geo_library_destroy(struct geo_library *library)
{
    if (!library) {
        return;
    }
    free(library->name);
    free(library->manifest);
    free(library->label);
    free(library->refusal);
    free(library->path);
    free(library->reason);
    free(library->tables);
    free(library->direct);
    free(library->core.items);
    free(library->sysman.items);
    free(library);
}

void geo_library_explain(struct geo_library *library, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    free(library->reason);
    library->reason = strdup(text);
    geo_log("loader", GEO_LOG_DEBUG, "%s: %s", library->path ? library->path : library->name, text);
}

/* Appends one failed attempt to the reason, because a candidate may be tried in several places. */
__attribute__((format(printf, 2, 3))) static void attempt_failed(struct geo_library *library,
                                                                 const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) {
        text = NULL;
    }
    va_end(args);
    char *before = library->reason;
    library->reason = NULL;
    geo_library_explain(library, "%s%s%s", before ? before : "", before ? "; " : "",
                        text ? text : "out of memory");
    free(before);
    free(text);
}

/* Returns the length of the missing file's name when dlerror's text says that a file was not found,
 * else 0. The name is that of the library itself or of one that it needs. The text starts with
 * it. */
static int absent_length(const char *error)
{
    static const char absent[] = ": cannot open shared object file: No such file or directory";
    const char *found = strstr(error, absent);
    return found ? (int)(found - error) : 0;
}

static void *object_open(struct geo_library *library, const char *name)
{
    errno = 0;
    void *object = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (object) {
        return object;
    }
    library->lacked_memory |= errno == ENOMEM; /* the error text does not always mention it */
    const char *error = dlerror();
    error = error ? error : "dlopen failed";
    int needed = absent_length(error);
    if (needed > 0 && strlen(name) == (size_t)needed && strncmp(error, name, (size_t)needed) == 0) {
        attempt_failed(library, "not found in the dynamic linker's search path");
    } else if (needed > 0) {
        attempt_failed(library, "%s: it needs %.*s, which is not found", name, needed, error);
    } else {
        attempt_failed(library, "%s", error);
    }
    return NULL;
}

/* Opens a file given by its path. Checks the file first, because the dynamic linker's messages are
 * terse and because opening a file that is not regular may block forever. */
static void *path_open(struct geo_library *library, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        attempt_failed(library, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        attempt_failed(library, "%s: not a regular file", path);
    } else {
        const char *mismatch = geo_elf_check(path);
        if (!mismatch) {
            return object_open(library, path);
        }
        attempt_failed(library, "%s: %s", path, mismatch);
    }
    return NULL;
}

static void *home_open(struct geo_library *library)
{
    void *object = NULL;
    const char *folder;
    for (size_t i = 0; !object && (folder = geo_discovery_home(i)); i++) {
        GEO_ROOM_TEXT(path, geo_path_format("%s/%s", folder, library->name));
        library->lacked_memory |= !path;
        if (path) {
            object = path_open(library, path);
        }
    }
    return object;
}

/* Tries the places of a candidate in order. A path is opened as it is. Our own libraries are
 * searched beside the loader first, other libraries by the dynamic linker first. */
static void *candidate_open(struct geo_library *library)
{
    if (strchr(library->name, '/')) {
        return path_open(library, library->name);
    }
    bool ours = library->from == GEO_FROM_HOME || library->from == GEO_FROM_NULL_DRIVER ||
                library->from == GEO_FROM_LAYER;
    void *object = ours ? home_open(library) : object_open(library, library->name);
    if (!object && ours) {
        return object_open(library, library->name);
    }
    if (!object && library->from == GEO_FROM_ALT_DRIVERS) {
        return home_open(library);
    }
    return object;
}

/* Records path and file identity of the opened library. Returns false when memory ran out. */
static bool object_identify(struct geo_library *library)
{
    struct link_map *map = NULL;
    struct stat status;
    bool found = dlinfo(library->object, RTLD_DI_LINKMAP, &map) == 0 && map;
    char *path = strdup(found ? map->l_name : library->name);
    if (!path) {
        return false;
    }
    free(library->path);
    library->path = path;
    if (stat(path, &status) == 0) {
        library->device = status.st_dev;
        library->inode = status.st_ino;
    }
    return true;
}

static const struct geo_library *same_file(const struct geo_library *library,
                                           struct geo_library *const *known, size_t known_count)
{
    for (size_t i = 0; i < known_count; i++) {
        const struct geo_library *other = known[i];
        if (other != library && other->open &&
            (other->object == library->object ||
             (library->inode && other->inode == library->inode &&
              other->device == library->device))) {
            return other;
        }
    }
    return NULL;
}

/* Checks that an opened library is a driver. On failure sets `reason`. */
static bool object_is_driver(struct geo_library *library, struct geo_library *const *known,
                             size_t known_count)
{
    static const char *const required[] = {"zeGetGlobalProcAddrTable", "zeGetDriverProcAddrTable",
                                           "zeGetDeviceProcAddrTable"};
    const struct geo_library *other = same_file(library, known, known_count);
    if (other) {
        geo_library_explain(library, "the same file as %s, which is already loaded", other->name);
        return false;
    }
    if (geo_library_tables_symbol(library, "zeLoaderInit")) {
        geo_library_explain(library, "a Level Zero loader, not a driver");
        return false;
    }
    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++) {
        if (!geo_library_tables_symbol(library, required[i])) {
            geo_library_explain(library, "not a Level Zero driver: it has no %s", required[i]);
            return false;
        }
    }
    ze_result_t result = geo_library_tables_agree(library, required[0]);
    if (result != ZE_RESULT_SUCCESS) {
        geo_library_explain(library, "%s refuses every version up to %u.%u (result 0x%x)",
                            required[0], ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT),
                            ZE_MINOR_VERSION(ZE_API_VERSION_CURRENT), (unsigned)result);
        return false;
    }
    return true;
}

static bool library_reserve(struct geo_library *library)
{
    GEO_ASSERT(!library->tables && !library->direct);
    library->tables = calloc(1, sizeof(*library->tables));
    library->direct = calloc(1, sizeof(*library->direct));
    return library->tables && library->direct;
}

/* Closes a library that was just opened and turned out not to be a driver. */
static void library_close(struct geo_library *library)
{
    GEO_ASSERT(library->object && !library->open);
    free(library->tables);
    free(library->direct);
    library->tables = library->direct = NULL;
    dlclose(library->object);
    library->object = NULL;
}

bool geo_library_open_layer(struct geo_library *library)
{
    GEO_ASSERT(library->from == GEO_FROM_LAYER && !library->object);
    library->object = candidate_open(library);
    if (!library->object) {
        return false;
    }
    if (!object_identify(library)) {
        geo_library_explain(library, "out of memory");
        library_close(library);
        return false;
    }
    return true;
}

bool geo_library_open(struct geo_library *library, struct geo_library *const *known,
                      size_t known_count)
{
    GEO_ASSERT(geo_library_is_valid(library) && library->from != GEO_FROM_LAYER);
    if (library->open) {
        return true;
    }
    free(library->reason);
    library->reason = NULL;
    library->lacked_memory = false;
    if (library->refusal) {
        geo_library_explain(library, "%s", library->refusal);
        return false;
    }
    library->object = candidate_open(library);
    if (!library->object) {
        return false;
    }
    bool complete = object_identify(library) && library_reserve(library);
    if (!complete) {
        library->lacked_memory = true;
        geo_library_explain(library, "out of memory");
    }
    if (!complete || !object_is_driver(library, known, known_count)) {
        library_close(library);
        return false;
    }
    geo_library_tables_fetch(library);
    free(library->reason);
    library->reason = NULL;
    library->open = true;
    library->lacked_memory = false;
    GEO_ASSERT(geo_library_is_valid(library));
    geo_log("loader", GEO_LOG_DEBUG,
            "%s: opened, tables of version %u.%u with %u of their %u functions", library->path,
            ZE_MAJOR_VERSION(library->table_version), ZE_MINOR_VERSION(library->table_version),
            library->filled_slots, library->slots);
    return true;
}
