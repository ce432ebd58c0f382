/* Initialises the drivers of an open library: finds its handles, which devices they serve, and what
 * they support. See library.h.
 *
 * A library is always initialised for every device type. The caller's flags select among the found
 * drivers later. So the first caller's flags cannot hide drivers from the next caller. */
#include "loader/library/library.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "ddi/geo_ddi_chain.h"

#include <stdlib.h>
#include <string.h>

static const char sysman_name[] = "sysman initialisation";

/* A larger count means a broken library; it is rejected before memory is allocated. */
#define COUNT_LIMIT 4096

#define WHY_BYTES 512u /* size of the driver's own error text */

static void drivers_reset(struct geo_drivers *drivers)
{
    drivers->count = 0;
    drivers->dropped = 0;
    drivers->initialized = drivers->listed = false;
}

/* A query that fetches a list of handles by the two-call protocol of `get`. The caller frees the
 * list. */
struct handle_query {
    const struct geo_library *library;
    void *parent;
    ze_result_t (*get)(const struct handle_query *query, uint32_t *count, void **handles);
};

static ze_result_t handles_query(const struct handle_query *query, uint32_t *count, void ***handles)
{
    *count = 0;
    *handles = NULL;
    ze_result_t result = query->get(query, count, NULL);
    if (result != ZE_RESULT_SUCCESS || *count == 0) {
        return result;
    }
    if (*count > COUNT_LIMIT) {
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    uint32_t room = *count;
    *handles = calloc(room, sizeof(**handles));
    if (!*handles) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    result = query->get(query, count, *handles);
    if (result != ZE_RESULT_SUCCESS) {
        free(*handles);
        *handles = NULL;
        *count = 0;
    }
    *count = *count < room ? *count : room;
    return result;
}

static ze_result_t get_by_init_drivers(const struct handle_query *query, uint32_t *count,
                                       void **handles)
{
    ze_init_driver_type_desc_t desc = {.stype = GEO_STYPE(ze_init_driver_type_desc_t),
                                       .flags = UINT32_MAX};
    return query->library->tables->ze.Global.pfnInitDrivers(count, (ze_driver_handle_t *)handles,
                                                            &desc);
}

static ze_result_t get_core_drivers(const struct handle_query *query, uint32_t *count,
                                    void **handles)
{
    return query->library->tables->ze.Driver.pfnGet(count, (ze_driver_handle_t *)handles);
}

static ze_result_t get_core_devices(const struct handle_query *query, uint32_t *count,
                                    void **handles)
{
    return query->library->tables->ze.Device.pfnGet((ze_driver_handle_t)query->parent, count,
                                                    (ze_device_handle_t *)handles);
}

static ze_result_t get_sysman_drivers(const struct handle_query *query, uint32_t *count,
                                      void **handles)
{
    return query->library->tables->zes.Driver.pfnGet(count, (zes_driver_handle_t *)handles);
}

static ze_result_t get_sysman_devices(const struct handle_query *query, uint32_t *count,
                                      void **handles)
{
    return query->library->tables->zes.Device.pfnGet((zes_driver_handle_t)query->parent, count,
                                                     (zes_device_handle_t *)handles);
}

static uint32_t types_of(const ze_device_properties_t *device)
{
    switch (device->type) {
    case ZE_DEVICE_TYPE_GPU:
        return GEO_DRIVER_GPU |
               (device->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED ? GEO_DRIVER_INTEGRATED_GPU
                                                                   : GEO_DRIVER_DISCRETE_GPU);
    case ZE_DEVICE_TYPE_VPU:
        return GEO_DRIVER_NPU;
    default:
        return GEO_DRIVER_OTHER;
    }
}

/* Counts the driver's devices and collects their types. */
static ze_result_t driver_classify(const struct geo_library *library,
                                   struct geo_loader_driver *driver)
{
    struct handle_query query = {library, driver->handle, get_core_devices};
    void **devices = NULL;
    ze_result_t result = handles_query(&query, &driver->device_count, &devices);
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < driver->device_count; i++) {
        ze_device_properties_t properties = {.stype = GEO_STYPE(ze_device_properties_t)};
        ze_device_handle_t device = (ze_device_handle_t)devices[i];
        bool known =
            library->tables->ze.Device.pfnGetProperties(device, &properties) == ZE_RESULT_SUCCESS;
        driver->types |= known ? types_of(&properties) : (uint32_t)GEO_DRIVER_OTHER;
    }
    free(devices);
    return result;
}

/* Returns true when the driver's handles start with its dispatch tables: its properties say so, and
 * the driver handle has a valid block. A handle of any other driver may not even be an address, so
 * it is not read. ZE_ENABLE_LOADER_DRIVER_DDI_PATH=0 makes this false for every driver, for users
 * who do not trust a driver's tables: all handles are translated. */
static bool driver_has_ddi_handles(const struct geo_library *library,
                                   const struct geo_loader_driver *driver)
{
    ze_driver_ddi_handles_ext_properties_t ddi = {
        .stype = GEO_STYPE(ze_driver_ddi_handles_ext_properties_t)};
    ze_driver_properties_t properties = {.stype = GEO_STYPE(ze_driver_properties_t), .pNext = &ddi};
    ze_driver_handle_t handle = (ze_driver_handle_t)driver->handle;
    if (geo_discovery_switched_off("ZE_ENABLE_LOADER_DRIVER_DDI_PATH")) {
        return false;
    }
    ze_result_t result = library->tables->ze.Driver.pfnGetProperties(handle, &properties);
    if (result != ZE_RESULT_SUCCESS ||
        !(ddi.flags & ZE_DRIVER_DDI_HANDLE_EXT_FLAG_DDI_HANDLE_EXT_SUPPORTED)) {
        return false;
    }
    const ze_handle_t *block = (const ze_handle_t *)driver->handle;
    return block->pCore && block->pCore->isValidFlag &&
           block->pCore->version >= ZE_API_VERSION_1_13; /* older versions have another layout */
}

/* Returns whether the driver may be called until the process ends. That holds for our own drivers,
 * which export the function geoidDriverGetFunctionStatus. Static destructors of other drivers may
 * run while the program still calls. */
static bool driver_survives_exit(const struct geo_library *library,
                                 const struct geo_loader_driver *driver)
{
    void *address = NULL;
    ze_result_t result = library->tables->ze.Driver.pfnGetExtensionFunctionAddress(
        (ze_driver_handle_t)driver->handle, "geoidDriverGetFunctionStatus", &address);
    return result == ZE_RESULT_SUCCESS && address;
}

/* Copies the driver's description of why it lists no devices to `why`. Without a description `why`
 * is unchanged. The copy is needed because the next call may change the driver's text. */
static void silence_explain(const struct geo_library *library, void *handle, char *why, size_t size)
{
    const char *text = NULL;
    ze_result_t result =
        library->tables->ze.Driver.pfnGetLastErrorDescription((ze_driver_handle_t)handle, &text);
    if (result == ZE_RESULT_SUCCESS && text) {
        geo_strbuf_shown(why, size, text, strnlen(text, size));
    }
}

/* Adds a core driver handle, or drops it when it has no devices and stores the driver's reason in
 * `why`. Returns false when memory ran out. */
static bool core_driver_add(struct geo_library *library, void *handle, char *why, size_t size)
{
    struct geo_loader_driver driver = {.handle = handle};
    ze_result_t result = driver_classify(library, &driver);
    if (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) {
        return false;
    }
    if (result != ZE_RESULT_SUCCESS || driver.device_count == 0) {
        library->core.dropped++;
        silence_explain(library, handle, why, size);
        geo_log("loader", GEO_LOG_DEBUG, "%s: a driver without devices is left out (0x%x)%s%s",
                library->path, (unsigned)result, *why ? ": " : "", why);
        return true;
    }
    if (!geo_array_reserve(&library->core, 1)) {
        return false;
    }
    GEO_ASSERT(driver.device_count <= COUNT_LIMIT && driver.types);
    if (library->tables->ze.Driver.pfnGetApiVersion((ze_driver_handle_t)handle,
                                                    &driver.api_version) != ZE_RESULT_SUCCESS) {
        driver.api_version = ZE_API_VERSION_1_0;
    }
    library->ddi_handles &= driver_has_ddi_handles(library, &driver);
    library->survives_exit &= driver_survives_exit(library, &driver);
    library->core.items[library->core.count++] = driver;
    return true;
}

/* Adds a sysman driver handle, even without devices, because devices may appear later. Returns
 * false when memory ran out. */
static bool sysman_driver_add(struct geo_library *library, void *handle)
{
    struct geo_loader_driver driver = {.handle = handle, .types = GEO_DRIVER_ANY};
    struct handle_query query = {library, handle, get_sysman_devices};
    void **devices = NULL;
    ze_result_t result = handles_query(&query, &driver.device_count, &devices);
    free(devices);
    if (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) {
        return false;
    }
    if (result != ZE_RESULT_SUCCESS) {
        library->sysman.dropped++;
        return true;
    }
    if (!geo_array_reserve(&library->sysman, 1)) {
        return false;
    }
    library->sysman.items[library->sysman.count++] = driver;
    return true;
}

/* Ends an attempt: stores its result, and the reason if no driver was found. After a failure
 * halfway the list is emptied, because a partial list would be mistaken for a complete one. */
static void drivers_conclude(struct geo_library *library, struct geo_drivers *drivers,
                             const char *what, ze_result_t result, const char *why)
{
    drivers->result = result;
    drivers->count = result == ZE_RESULT_SUCCESS ? drivers->count : 0;
    drivers->initialized = result == ZE_RESULT_SUCCESS && (drivers->count > 0 || !drivers->listed);
    if (result != ZE_RESULT_SUCCESS) {
        geo_library_explain(library, "%s failed with %s", what, geo_ddi_result_name(result));
    } else if (!geo_library_serves(library)) {
        geo_library_explain(library, "%s found no devices%s%s", what, *why ? ": " : "", why);
    } else if (!library->refused) { /* remove the reason of an earlier attempt */
        free(library->reason);
        library->reason = NULL;
    }
}

/* Lists the core drivers with zeInitDrivers if the library has it, else with zeInit and
 * zeDriverGet. */
static ze_result_t core_handles(const struct geo_library *library, uint32_t *count, void ***handles)
{
    const ze_global_dditable_t *global = &library->tables->ze.Global;
    struct handle_query query = {library, NULL, get_by_init_drivers};
    if (global->pfnInitDrivers != geo_loader_stubs.ze.Global.pfnInitDrivers) {
        ze_result_t result = handles_query(&query, count, handles);
        if (result != ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
            return result;
        }
    }
    ze_result_t result = global->pfnInit(0);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    query.get = get_core_drivers;
    return handles_query(&query, count, handles);
}

void geo_library_init_core(struct geo_library *library)
{
    if (!library->open || library->core.initialized) {
        return;
    }
    uint32_t count = 0;
    void **handles = NULL;
    char why[WHY_BYTES] = "";
    drivers_reset(&library->core);
    library->ddi_handles = library->survives_exit = true;
    ze_result_t result = core_handles(library, &count, &handles);
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < count; i++) {
        if (!core_driver_add(library, handles[i], why, sizeof(why))) {
            result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    free(handles);
    library->core.listed = true;
    drivers_conclude(library, &library->core, "initialisation", result, why);
    if (!library->core.initialized) {
        library->ddi_handles = library->survives_exit = false;
    }
    GEO_ASSERT(geo_library_is_valid(library));
}

void geo_library_init_sysman(struct geo_library *library, zes_init_flags_t flags)
{
    if (!library->open || library->sysman.initialized) {
        return;
    }
    drivers_reset(&library->sysman);
    GEO_ASSERT(geo_library_is_valid(library));
    const zes_global_dditable_t *global = &library->tables->zes.Global;
    ze_result_t result = global->pfnInit == geo_loader_stubs.zes.Global.pfnInit
                             ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
                             : global->pfnInit(flags);
    drivers_conclude(library, &library->sysman, sysman_name, result, "");
}

void geo_library_init_list_sysman(struct geo_library *library)
{
    if (!library->open || !geo_library_is_unlisted(library)) {
        return;
    }
    uint32_t count = 0;
    void **handles = NULL;
    struct handle_query query = {library, NULL, get_sysman_drivers};
    ze_result_t result = handles_query(&query, &count, &handles);
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < count; i++) {
        if (!sysman_driver_add(library, handles[i])) {
            result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    free(handles);
    library->sysman.listed = true;
    drivers_conclude(library, &library->sysman, sysman_name, result, "");
    GEO_ASSERT(geo_library_is_valid(library) && !geo_library_is_unlisted(library));
}
