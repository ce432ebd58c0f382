/* API functions of sysman's events. */
#include "driver/sysman/event.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"

#include <stdlib.h>

ze_result_t geo_zesDeviceEventRegister(zes_device_handle_t hDevice, zes_event_type_flags_t events)
{
    struct geo_sysman_root *root;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    return geo_events_register(root, events);
}

static ze_result_t roots_find(const struct geo_driver *driver, uint32_t count,
                              zes_device_handle_t *handles, struct geo_sysman_root **out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct geo_device *card;
        GEO_CHECK(geo_sysman_card_from(handles[i], &card));
        if (card->base.driver != driver) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "device %u belongs to another driver",
                            i);
        }
        GEO_CHECK(geo_sysman_root_of(card, &out[i]));
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesDriverEventListenEx(ze_driver_handle_t hDriver, uint64_t timeout, uint32_t count,
                                       zes_device_handle_t *phDevices, uint32_t *pNumDeviceEvents,
                                       zes_event_type_flags_t *pEvents)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    struct geo_sysman_root **roots = calloc(count + UINT64_C(1), sizeof(*roots));
    if (!roots) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a listener");
    }
    ze_result_t result = roots_find(driver, count, phDevices, roots);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_events_listen(roots, count, timeout, pNumDeviceEvents, pEvents);
    }
    free(roots);
    return result;
}

ze_result_t geo_zesDriverEventListen(ze_driver_handle_t hDriver, uint32_t timeout, uint32_t count,
                                     zes_device_handle_t *phDevices, uint32_t *pNumDeviceEvents,
                                     zes_event_type_flags_t *pEvents)
{
    return geo_zesDriverEventListenEx(hDriver, timeout == UINT32_MAX ? UINT64_MAX : timeout, count,
                                      phDevices, pNumDeviceEvents, pEvents);
}
