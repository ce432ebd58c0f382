/* A driver without dispatch tables in its handles, made of one that has them: so that all that the
 * other can do is done through translated handles. It opens the library PROXY_LIBRARY (or what
 * the variable of that name says), gives out its tables, and says that handles have none.
 *
 * The tables at the start of the other's handles are marked invalid, so that a handle which the
 * loader gave out as it is works nowhere; the other driver refuses handles that are not its own.
 *
 * PROXY_VERSION in the environment, a minor version, makes it a driver of 1.x: tables of that
 * length, and none of a later version. */
#include <ddi/geo_ddi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef ze_result_t (*table_getter)(ze_api_version_t version, void *table);

static struct geo_ddi_table_set other; /* what it has */

static void *library(void)
{
    const char *name = getenv("PROXY_LIBRARY");
    void *object = dlopen(name ? name : PROXY_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!object) {
        fprintf(stderr, "proxy driver: %s\n", dlerror());
        _exit(96);
    }
    return object;
}

static ze_api_version_t proxy_version = ZE_API_VERSION_CURRENT;

__attribute__((constructor)) static void driver_begin(void)
{
    const char *minor = getenv("PROXY_VERSION");
    if (minor) {
        proxy_version = (ze_api_version_t)ZE_MAKE_VERSION(1, atoi(minor));
    }
}

/* Nobody may call through these tables any more. */
static void table_invalidate(void *table)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *first = (void *)((uintptr_t)table & ~(page - 1));
    ze_dditable_driver_t *block = table; /* all begin alike */
    if (!block->isValidFlag) {
        return;
    }
    if (mprotect(first, 2 * page, PROT_READ | PROT_WRITE) != 0) {
        _exit(95);
    }
    block->isValidFlag = 0;
}

static void handle_invalidate(const void *driver)
{
    const ze_handle_t *block = driver;
    table_invalidate(block->pCore);
    table_invalidate(block->pSysman);
    table_invalidate(block->pTools);
    table_invalidate(block->pRuntime);
}

static ze_result_t given(ze_result_t result, const uint32_t *count, void *drivers)
{
    if (result == ZE_RESULT_SUCCESS && drivers && *count) {
        handle_invalidate(*(void **)drivers);
    }
    return result;
}

static ze_result_t ZE_APICALL init_drivers(uint32_t *count, ze_driver_handle_t *drivers,
                                           ze_init_driver_type_desc_t *desc)
{
    return given(other.ze.Global.pfnInitDrivers(count, drivers, desc), count, drivers);
}

static ze_result_t ZE_APICALL driver_get(uint32_t *count, ze_driver_handle_t *drivers)
{
    return given(other.ze.Driver.pfnGet(count, drivers), count, drivers);
}

static ze_result_t ZE_APICALL sysman_driver_get(uint32_t *count, zes_driver_handle_t *drivers)
{
    return given(other.zes.Driver.pfnGet(count, drivers), count, drivers);
}

static ze_result_t ZE_APICALL api_version(ze_driver_handle_t driver, ze_api_version_t *version)
{
    ze_result_t result = other.ze.Driver.pfnGetApiVersion(driver, version);
    if (result == ZE_RESULT_SUCCESS) {
        *version = proxy_version;
    }
    return result;
}

static ze_result_t ZE_APICALL driver_properties(ze_driver_handle_t driver,
                                                ze_driver_properties_t *properties)
{
    ze_result_t result = other.ze.Driver.pfnGetProperties(driver, properties);
    ze_base_properties_t *next = result == ZE_RESULT_SUCCESS ? properties->pNext : NULL;
    for (int i = 0; next && i < 256; i++, next = next->pNext) { /* it may be a circle */
        if (next->stype == ZE_STRUCTURE_TYPE_DRIVER_DDI_HANDLES_EXT_PROPERTIES) {
            ((ze_driver_ddi_handles_ext_properties_t *)(void *)next)->flags = 0;
        }
    }
    return result;
}

/* The other's table, with our functions in the place of some. */
static void table_fill(enum geo_ddi_table_id id, const char *getter)
{
    table_getter get = (table_getter)dlsym(library(), getter);
    if (get) {
        get(ZE_API_VERSION_CURRENT, geo_ddi_table_of(&other, id));
    }
}

static void table_change(struct geo_ddi_table_set *set)
{
    set->ze.Global.pfnInitDrivers = init_drivers;
    set->ze.Driver.pfnGet = driver_get;
    set->ze.Driver.pfnGetApiVersion = api_version;
    set->ze.Driver.pfnGetProperties = driver_properties;
    set->zes.Driver.pfnGet = sysman_driver_get;
}

static ze_result_t table_give(enum geo_ddi_table_id id, const char *getter,
                              ze_api_version_t version, void *out)
{
    if (version > proxy_version) {
        return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    }
    table_fill(id, getter);
    struct geo_ddi_table_set set = other;
    table_change(&set);
    return geo_ddi_table_copy(id, proxy_version, geo_ddi_table_of(&set, id), out);
}

#define GETTER(function, type, id)                                                                 \
    EXPORT ze_result_t ZE_APICALL function(ze_api_version_t version, type *out)                    \
    {                                                                                              \
        return table_give(id, #function, version, out);                                            \
    }

#include <tests/getters.inc>
