/* The harness of the tests of simulated devices. See simulated.h. */
#include "simulated.h"

#include <stdlib.h>

zes_driver_handle_t driver;
zes_device_handle_t device;
geoid_pfnSimulatedSetTime_t set_time;

zes_driver_handle_t simulated_driver(void)
{
    zes_driver_handle_t drivers[8];
    uint32_t count = 8;
    void *found = NULL;
    assert_success(zesDriverGet(&count, drivers));
    for (uint32_t i = 0; i < count; i++) {
        if (zesDriverGetExtensionFunctionAddress(drivers[i], "geoidSimulatedSetTime", &found) ==
            ZE_RESULT_SUCCESS) {
            memcpy(&set_time, &found, sizeof(set_time));
            return drivers[i];
        }
    }
    return NULL;
}

zes_device_handle_t *devices_of(zes_driver_handle_t of, uint32_t *count)
{
    *count = 0;
    assert_success(zesDeviceGet(of, count, NULL));
    zes_device_handle_t *devices = calloc(*count, sizeof(*devices));
    assert_non_null(devices);
    assert_success(zesDeviceGet(of, count, devices));
    return devices;
}

int simulated_setup(void **unused)
{
    uint32_t count;
    (void)unused;
    assert_success(zesInit(0));
    driver = simulated_driver();
    assert_non_null(driver);
    zes_device_handle_t *devices = devices_of(driver, &count);
    device = devices[0];
    free(devices);
    return 0;
}

void at(double seconds)
{
    assert_success(set_time((uint64_t)(seconds * 1e9)));
}

const char *last_error(void)
{
    const char *text = NULL;
    const ze_result_t result = zeDriverGetLastErrorDescription((ze_driver_handle_t)driver, &text);
    return result == ZE_RESULT_SUCCESS && text ? text : "";
}

void assert_result_at(ze_result_t actual, ze_result_t expected, const char *call, const char *file,
                      int line)
{
    if (actual != expected) {
        print_error("%s:%d: %s: 0x%x instead of 0x%x (%s)\n", file, line, call, (unsigned)actual,
                    (unsigned)expected, driver ? last_error() : "");
        fail();
    }
}
