/* Which functions work: those that a driver implements, and those of the tracing layer.
 *
 * Geoid's drivers answer a query, because every slot of their tables is filled. For other drivers
 * the tables of the library are read: an empty slot is a function that the driver lacks.
 *
 * Tracers belong to the tracing layer, whatever a driver has. So these functions are called, with
 * arguments that every implementation refuses. */
#include "describe.h"
#include "zeinfo.h"

#include <geoid/loader.h>
#include <level_zero/zet_api.h>

#include <dlfcn.h>
#include <string.h>

/* Larger than any table, also of later versions. */
#define TABLE_SLOTS 1024

enum status { MISSING, IMPLEMENTED, LAYER, UNKNOWN };

typedef ze_result_t (*table_getter)(ze_api_version_t version, void *table);

/* Fetches one table of the library; false when it has no such table. All getters are called as one
 * type: they differ only in the type behind their pointer. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static bool table_fetch(void *library, const char *getter, void **slots)
{
    memset(slots, 0, TABLE_SLOTS * sizeof(*slots));
    table_getter get = library ? (table_getter)dlsym(library, getter) : NULL;
    return get && get(ZE_API_VERSION_CURRENT, slots) == ZE_RESULT_SUCCESS;
}

static ze_result_t create_try(void)
{
    return zetTracerExpCreate(NULL, NULL, NULL);
}

static ze_result_t destroy_try(void)
{
    return zetTracerExpDestroy(NULL);
}

static ze_result_t prologues_try(void)
{
    return zetTracerExpSetPrologues(NULL, NULL);
}

static ze_result_t epilogues_try(void)
{
    return zetTracerExpSetEpilogues(NULL, NULL);
}

static ze_result_t enabled_try(void)
{
    return zetTracerExpSetEnabled(NULL, 0);
}

/* Returns whether a function is the tracing layer's, and works. Without the layer it returns that
 * it is unsupported. */
static bool layer_has(const char *name)
{
    static const struct {
        const char *name;
        ze_result_t (*attempt)(void);
    } functions[] = {
        {"zetTracerExpCreate", create_try},          {"zetTracerExpDestroy", destroy_try},
        {"zetTracerExpSetPrologues", prologues_try}, {"zetTracerExpSetEpilogues", epilogues_try},
        {"zetTracerExpSetEnabled", enabled_try},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return functions[i].attempt() == ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        }
    }
    return false;
}

static enum status driver_status(geoid_pfnDriverGetFunctionStatus_t ask, void *library,
                                 const struct describe_function *function, void *const *slots)
{
    uint32_t implemented = 0;
    if (ask) {
        return ask(function->name, &implemented) != ZE_RESULT_SUCCESS ? UNKNOWN
               : implemented                                          ? IMPLEMENTED
                                                                      : MISSING;
    }
    if (!library) {
        return UNKNOWN;
    }
    return function->slot < TABLE_SLOTS && slots[function->slot] ? IMPLEMENTED : MISSING;
}

static enum status status_of(geoid_pfnDriverGetFunctionStatus_t ask, void *library,
                             const struct describe_function *function, void *const *slots)
{
    const enum status status = driver_status(ask, library, function, slots);
    return status != IMPLEMENTED && layer_has(function->name) ? LAYER : status;
}

static void *library_open(ze_driver_handle_t driver)
{
    const char *path = why_driver_path(driver);
    return *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

static const char *word_of(enum status status)
{
    return status == IMPLEMENTED ? "implemented"
           : status == LAYER     ? "tracing layer"
           : status == MISSING   ? "-"
                                 : "unknown";
}

void functions_print(struct emit *emit, ze_driver_handle_t driver)
{
    static void *slots[TABLE_SLOTS];
    void *address = NULL;
    const char *getter = "";
    size_t count = 0;
    if (zeDriverGetExtensionFunctionAddress(driver, "geoidDriverGetFunctionStatus", &address) !=
        ZE_RESULT_SUCCESS) {
        address = NULL;
    }
    geoid_pfnDriverGetFunctionStatus_t ask = (geoid_pfnDriverGetFunctionStatus_t)address;
    void *library = ask ? NULL : library_open(driver);
    emit_begin(emit, "functions", EMIT_OBJECT);
    for (size_t i = 0; i < describe_function_count; i++) {
        const struct describe_function *function = &describe_functions[i];
        if (!ask && strcmp(getter, function->getter) != 0) {
            getter = function->getter;
            table_fetch(library, getter, slots);
        }
        enum status status = status_of(ask, library, function, slots);
        count += status == IMPLEMENTED || status == LAYER;
        emit_text(emit, function->name, word_of(status));
    }
    emit_end(emit);
    emit_number(emit, "implemented", count, EMIT_PLAIN);
    emit_number(emit, "described", describe_function_count, EMIT_PLAIN);
    if (library) {
        dlclose(library);
    }
}
