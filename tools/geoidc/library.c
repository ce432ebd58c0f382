/* Opens the compiler's library. See library.h. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the path of the library that is installed with this program: both are below one prefix.
 * If it is missing there, returns its name, for the dynamic linker's search. NULL when memory runs
 * out. */
static char *installed_path(void)
{
    char *own = realpath("/proc/self/exe", NULL), *path = NULL;
    for (int i = 0; i < 2 && own; i++) {
        char *slash = strrchr(own, '/');
        *(slash ? slash : own) = '\0';
    }
    if (own && asprintf(&path, "%s/%s", own, GEOID_COMPILER_BELOW_PREFIX) < 0) {
        path = NULL;
    }
    free(own);
    if (path && access(path, R_OK) == 0) {
        return path;
    }
    free(path);
    return strdup(GEO_COMPILER_LIBRARY);
}

const struct geo_compiler_ops *library_open(void)
{
    static const struct geo_compiler_ops *ops;
    const char *wanted = getenv("GEOID_COMPILER");
    if (ops) {
        return ops;
    }
    char *path = wanted && *wanted ? strdup(wanted) : installed_path();
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        geoidc_error("the compiler's library did not load: %s", path ? dlerror() : "no memory");
        free(path);
        return NULL;
    }
    geo_compiler_open_fn open = (geo_compiler_open_fn)dlsym(library, "geo_compiler_open");
    ops = open ? open(GEO_COMPILER_INTERFACE) : NULL;
    if (!ops) {
        geoidc_error("%s is of another version of Geoid: it lacks compiler interface %u", path,
                     GEO_COMPILER_INTERFACE);
        dlclose(library);
    }
    free(path);
    return ops;
}
