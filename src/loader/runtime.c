/* The runtime API: functions without a driver in their arguments. They belong to the default
 * driver, which is the first of the list. */
#include "loader/loader.h"

#include "ddi/geo_loader_own.h"

/* NULL when the core has not been initialised, or is gone. */
static const struct geo_driver_entry *default_driver(void)
{
    const struct geo_driver_list *list = atomic_load(&geo_loader_state.core_list);
    bool usable = list && list->count && atomic_load(&geo_loader_state.core_requested) &&
                  !atomic_load(&geo_loader_state.torn_down);
    return usable ? &list->entries[0] : NULL;
}

ze_result_t ZE_APICALL geo_own_zerGetLastErrorDescription(const char **ppString)
{
    const struct geo_driver_entry *driver = default_driver();
    return driver ? driver->library->tables->zer.Global.pfnGetLastErrorDescription(ppString)
                  : ZE_RESULT_ERROR_UNINITIALIZED;
}

/* Identifiers are the driver's own small numbers, so only the default driver's devices have one.
 * What is wrong with no device the driver says itself, with its description of the error. */
uint32_t ZE_APICALL geo_own_zerTranslateDeviceHandleToIdentifier(ze_device_handle_t hDevice)
{
    const struct geo_driver_entry *driver = default_driver();
    if (!driver) {
        return UINT32_MAX;
    }
    if (hDevice && driver->library->ddi_handles) {
        const ze_handle_t *device = (const ze_handle_t *)hDevice;
        const ze_handle_t *owner = (const ze_handle_t *)driver->handle;
        if (device->pCore != owner->pCore) {
            return UINT32_MAX;
        }
    }
    return driver->library->tables->zer.Global.pfnTranslateDeviceHandleToIdentifier(hDevice);
}

ze_device_handle_t ZE_APICALL geo_own_zerTranslateIdentifierToDeviceHandle(uint32_t identifier)
{
    const struct geo_driver_entry *driver = default_driver();
    return driver ? driver->library->tables->zer.Global.pfnTranslateIdentifierToDeviceHandle(
                        identifier)
                  : NULL;
}

ze_context_handle_t ZE_APICALL geo_own_zerGetDefaultContext(void)
{
    const struct geo_driver_entry *driver = default_driver();
    return driver ? driver->library->tables->zer.Global.pfnGetDefaultContext() : NULL;
}
