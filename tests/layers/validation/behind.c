/* A driver that is another driver behind a layer: works under every loader, whether it knows
 * layers or not. BEHIND_DRIVER and BEHIND_LAYER name the two libraries. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <level_zero/zet_api.h>

typedef ze_result_t (*getter_fn)(ze_api_version_t version, void *table);

static getter_fn find(const char *variable, const char *name)
{
    const char *path = getenv(variable);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    getter_fn getter = NULL;
    if (!library) {
        fprintf(stderr, "behind: %s: %s\n", variable, path ? dlerror() : "is not set");
        abort();
    }
    *(void **)&getter = dlsym(library, name);
    return getter;
}

static ze_result_t fill(const char *name, ze_api_version_t version, void *table)
{
    const getter_fn driver = find("BEHIND_DRIVER", name);
    const getter_fn layer = find("BEHIND_LAYER", name);
    const ze_result_t result =
        driver ? driver(version, table) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return result == ZE_RESULT_SUCCESS && layer ? layer(version, table) : result;
}

#define GETTER(name)                                                                               \
    __attribute__((visibility("default"))) ze_result_t name(ze_api_version_t version,              \
                                                            void *table);                          \
    ze_result_t name(ze_api_version_t version, void *table)                                        \
    {                                                                                              \
        return fill(#name, version, table);                                                        \
    }
#include "getters.inc"
