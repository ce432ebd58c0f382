/* API functions of the runtime interface (zer): default driver and context, devices by number. The
 * number combines the driver's index in this library and the device's index in zeDeviceGet. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/core/context.h"
#include "driver/core/inventory.h"

ze_result_t geo_zerGetLastErrorDescription(const char **ppString)
{
    if (!geo_inventory_ready()) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    *ppString = geo_error_text();
    return ZE_RESULT_SUCCESS;
}

uint32_t geo_zerTranslateDeviceHandleToIdentifier(ze_device_handle_t hDevice)
{
    struct geo_device *device;
    if (geo_inventory_running_device(hDevice, &device) != ZE_RESULT_SUCCESS) {
        return UINT32_MAX;
    }
    const struct geo_driver *driver = device->base.driver;
    for (uint32_t i = 0; i < driver->visible_count; i++) {
        if (driver->visible[i] == device) {
            return ((uint32_t)(driver - geo_inventory_driver(0)) << 16) | i;
        }
    }
    (void)geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                   "the device is not among those that zeDeviceGet lists");
    return UINT32_MAX;
}

ze_device_handle_t geo_zerTranslateIdentifierToDeviceHandle(uint32_t identifier)
{
    uint32_t driver = identifier >> 16, device = identifier & 0xffff;
    if (driver >= geo_inventory_listed_count() ||
        device >= geo_inventory_driver(driver)->visible_count) {
        (void)geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                       "no device has the identifier 0x%x: use one that "
                       "zerTranslateDeviceHandleToIdentifier returned",
                       identifier);
        return NULL;
    }
    return geo_device_handle(geo_inventory_driver(driver)->visible[device]);
}

ze_context_handle_t geo_zerGetDefaultContext(void)
{
    if (geo_inventory_open() != ZE_RESULT_SUCCESS) {
        return NULL;
    }
    struct geo_context *context = geo_context_default(geo_inventory_driver(0));
    return context ? geo_context_handle(context) : NULL;
}
