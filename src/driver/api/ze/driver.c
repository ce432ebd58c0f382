/* API functions of drivers: versions, properties, extensions, functions by name, the last error,
 * the default context. */
#include "ddi/geo_api.h"
#include "driver/api/vendor.h"
#include "driver/core/check.h"
#include "driver/core/context.h"
#include "driver/core/extension.h"

#include <string.h>

ze_result_t geo_zeDriverGetApiVersion(ze_driver_handle_t hDriver, ze_api_version_t *version)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    *version = ZE_API_VERSION_CURRENT;
    return ZE_RESULT_SUCCESS;
}

static void driver_properties_extend(const void *next)
{
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if (GEO_LINK_IS(ze_driver_properties_t, ze_driver_ddi_handles_ext_properties_t, walk)) {
            ((ze_driver_ddi_handles_ext_properties_t *)walk.link)->flags =
                ZE_DRIVER_DDI_HANDLE_EXT_FLAG_DDI_HANDLE_EXT_SUPPORTED;
        } else if (GEO_LINK_IS(ze_driver_properties_t, ze_driver_memory_free_ext_properties_t,
                               walk)) {
            ((ze_driver_memory_free_ext_properties_t *)walk.link)->freePolicies =
                ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE |
                ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
        }
    }
}

ze_result_t geo_zeDriverGetProperties(ze_driver_handle_t hDriver,
                                      ze_driver_properties_t *pDriverProperties)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    memcpy(pDriverProperties->uuid.id, driver->ops->driver_uuid, ZE_MAX_DRIVER_UUID_SIZE);
    pDriverProperties->driverVersion = driver->ops->driver_version;
    driver_properties_extend(GEO_CHAIN_OF(ze_driver_properties_t, pDriverProperties));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDriverGetIpcProperties(ze_driver_handle_t hDriver,
                                         ze_driver_ipc_properties_t *pIpcProperties)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK(geo_inventory_check_runs(driver));
    pIpcProperties->flags = ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL;
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zeDriverGetExtensionProperties(ze_driver_handle_t hDriver, uint32_t *pCount,
                                   ze_driver_extension_properties_t *pExtensionProperties)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    uint32_t available;
    const struct geo_extension *extensions = geo_extension_table(&available);
    available = driver->ops->stream ? available : 0;
    uint32_t count = geo_count_protocol(pCount, available, pExtensionProperties);
    for (uint32_t i = 0; i < count; i++) {
        memset(&pExtensionProperties[i], 0, sizeof(pExtensionProperties[i]));
        strncpy(pExtensionProperties[i].name, extensions[i].name, ZE_MAX_EXTENSION_NAME - 1);
        pExtensionProperties[i].version = extensions[i].version;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDriverGetExtensionFunctionAddress(ze_driver_handle_t hDriver, const char *name,
                                                    void **ppFunctionAddress)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    geo_api_fn function = geo_vendor_function_by_name(name);
    if (!function) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "the driver has no extension function \"%.100s\"", name);
    }
    *ppFunctionAddress = (void *)function;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeDriverGetLastErrorDescription(ze_driver_handle_t hDriver, const char **ppString)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    *ppString = geo_error_text();
    return ZE_RESULT_SUCCESS;
}

ze_context_handle_t geo_zeDriverGetDefaultContext(ze_driver_handle_t hDriver)
{
    struct geo_driver *driver;
    if (geo_driver_from(hDriver, &driver) != ZE_RESULT_SUCCESS) {
        return NULL;
    }
    struct geo_context *context = geo_context_default(driver);
    return context ? geo_context_handle(context) : NULL;
}
