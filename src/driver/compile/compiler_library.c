/* Finds and loads the compiler library at the first module build. See compiler_library.h. */
#include "driver/compile/compiler_library.h"

#include "base/assert.h"
#include "base/build_id.h"
#include "base/fork.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/option.h"
#include "base/path.h"
#include "base/room.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t library_mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct geo_compiler_ops *library_ops;

static void library_lock(void)
{
    pthread_mutex_lock(&library_mutex);
}

static void library_unlock(void)
{
    pthread_mutex_unlock(&library_mutex);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_COMPILER,
    .prepare = library_lock,
    .parent = library_unlock,
    .child = library_unlock,
};
GEO_FORK_AT_LOAD(fork_handler)

/* Returns GEOID_COMPILER, or else the file beside this library, or else a name for the dynamic
 * linker's search path. A relative path is resolved as of the time when this library was loaded.
 * The caller frees it. NULL if memory is short. */
static char *library_path(void)
{
    const char *wanted = geo_option_string("GEOID_COMPILER");
    if (wanted) {
        return strchr(wanted, '/') ? geo_path_copy(wanted, strlen(wanted)) : strdup(wanted);
    }
    char *path = geo_path_beside((const void *)library_path, GEO_COMPILER_LIBRARY);
    return path ? path : strdup(GEO_COMPILER_LIBRARY);
}

static const struct geo_compiler_ops *library_load(struct geo_strbuf *log)
{
    GEO_ASSERT(geo_mutex_held(&library_mutex) && !library_ops);
    GEO_ROOM_TEXT(path, library_path());
    if (!path) {
        geo_strbuf_printf(log, "error: no memory for the path of the compiler library\n");
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        geo_strbuf_printf(log, "error: the compiler library did not load: %s\n", dlerror());
        if (geo_path_root_changed()) {
            geo_strbuf_printf(log,
                              "note: this process has another root folder (chroot) than when "
                              "the driver was loaded; build a module before it changes, with "
                              "GEOID_CACHE_SIZE=off, so that the compiler is loaded by then\n");
        }
        return NULL;
    }
    geo_compiler_open_fn open = (geo_compiler_open_fn)dlsym(library, "geo_compiler_open");
    const struct geo_compiler_ops *ops = open ? open(GEO_COMPILER_INTERFACE) : NULL;
    if (!ops) {
        geo_strbuf_printf(
            log,
            "error: %s does not support compiler interface %u: it is of another version of Geoid\n",
            path, GEO_COMPILER_INTERFACE);
        dlclose(library);
        return NULL;
    }
    ops->set_folder(geo_path_folder());
    geo_log("driver", GEO_LOG_INFO, "compiler %s from %s", ops->identity, path);
    return ops;
}

const struct geo_compiler_ops *geo_compiler_library_open(struct geo_strbuf *log)
{
    library_lock();
    if (!library_ops) {
        library_ops = library_load(log);
    }
    const struct geo_compiler_ops *ops = library_ops;
    library_unlock();
    return ops;
}

/* If LLVM is a separate library, the compiler's file alone does not identify the build. */
#ifdef GEOID_LLVM_SHARED
static bool file_identity(char identity[GEO_COMPILER_BUILD_ID])
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    const struct geo_compiler_ops *ops = geo_compiler_library_open(&log);
    geo_strbuf_finish(&log);
    snprintf(identity, GEO_COMPILER_BUILD_ID, "%s", ops ? ops->build_id : "");
    return identity[0] != '\0';
}
#else
static bool file_identity(char identity[GEO_COMPILER_BUILD_ID])
{
    GEO_ROOM_TEXT(path, library_path());
    return path && strchr(path, '/') && geo_build_id_of_file(path, identity);
}
#endif

bool geo_compiler_library_identity(char identity[GEO_COMPILER_BUILD_ID])
{
    library_lock();
    bool loaded = library_ops != NULL;
    if (loaded) {
        snprintf(identity, GEO_COMPILER_BUILD_ID, "%s", library_ops->build_id);
    }
    library_unlock();
    return loaded ? identity[0] != '\0' : file_identity(identity);
}
