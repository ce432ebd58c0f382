/* Initialisation of sysman: zesInit, zesDriverGet, and properties of drivers. Sysman has drivers
 * and devices without zeInit; they are the same objects as in the core API. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/core/extension.h"
#include "driver/core/inventory.h"

#include <string.h>

static _Atomic bool sysman_initialised;

ze_result_t geo_zesInit(zes_init_flags_t flags)
{
    (void)flags; /* no flag has a meaning yet */
    GEO_CHECK(geo_inventory_open());
    atomic_store(&sysman_initialised, true);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDriverGet(uint32_t *pCount, zes_driver_handle_t *phDrivers)
{
    if (!atomic_load(&sysman_initialised) || !geo_inventory_ready()) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "zesInit was not called");
    }
    GEO_CHECK(geo_inventory_open_managed());
    return geo_inventory_list_all(pCount, phDrivers);
}

ze_result_t
geo_zesDriverGetExtensionProperties(zes_driver_handle_t hDriver, uint32_t *pCount,
                                    zes_driver_extension_properties_t *pExtensionProperties)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    uint32_t available;
    const struct geo_extension *extensions =
        geo_extension_sysman_table(driver->ops->sysman != NULL, &available);
    uint32_t count = geo_count_protocol(pCount, available, pExtensionProperties);
    for (uint32_t i = 0; i < count; i++) {
        memset(&pExtensionProperties[i], 0, sizeof(pExtensionProperties[i]));
        strncpy(pExtensionProperties[i].name, extensions[i].name, ZES_MAX_EXTENSION_NAME - 1);
        pExtensionProperties[i].version = extensions[i].version;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDriverGetExtensionFunctionAddress(zes_driver_handle_t hDriver, const char *name,
                                                     void **ppFunctionAddress)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from((ze_driver_handle_t)hDriver, &driver));
    void *function = driver->ops->function ? driver->ops->function(name) : NULL;
    if (function) {
        *ppFunctionAddress = function;
        return ZE_RESULT_SUCCESS;
    }
    return geo_zeDriverGetExtensionFunctionAddress((ze_driver_handle_t)hDriver, name,
                                                   ppFunctionAddress);
}
