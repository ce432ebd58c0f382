/* What the tests of simulated devices begin with: the driver of the devices that GEOID_SIMULATED
 * describes, its first device, handles of components, and the clock.
 *
 * The clock only goes forward, so the cases of a program stand in the order of their times; each is
 * right by itself, too. */
#ifndef TESTS_SIMULATED_SIMULATED_H
#define TESTS_SIMULATED_SIMULATED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <geoid/simulated.h>
#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

#include <string.h>

extern zes_driver_handle_t driver; /* of simulated devices */
extern zes_device_handle_t device; /* the first */
extern geoid_pfnSimulatedSetTime_t set_time;

int simulated_setup(void **unused); /* of a group */

/* Sets the clock. */
void at(double seconds);

/* The thread's last error text of the driver. */
const char *last_error(void);

/* All devices of a driver; the caller frees them. */
zes_device_handle_t *devices_of(zes_driver_handle_t of, uint32_t *count);

/* The driver of simulated devices, or NULL. */
zes_driver_handle_t simulated_driver(void);

void assert_result_at(ze_result_t actual, ze_result_t expected, const char *call, const char *file,
                      int line);
#define assert_result(call, expected)                                                              \
    assert_result_at((call), (expected), #call, __FILE__, __LINE__)
#define assert_success(call)     assert_result(call, ZE_RESULT_SUCCESS)
#define assert_unsupported(call) assert_result(call, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)

#define SIMULATED_CLASSES(X)                                                                       \
    X(power, zes_pwr_handle_t, zesDeviceEnumPowerDomains)                                          \
    X(frequency, zes_freq_handle_t, zesDeviceEnumFrequencyDomains)                                 \
    X(engine, zes_engine_handle_t, zesDeviceEnumEngineGroups)                                      \
    X(scheduler, zes_sched_handle_t, zesDeviceEnumSchedulers)                                      \
    X(firmware, zes_firmware_handle_t, zesDeviceEnumFirmwares)                                     \
    X(memory, zes_mem_handle_t, zesDeviceEnumMemoryModules)                                        \
    X(port, zes_fabric_port_handle_t, zesDeviceEnumFabricPorts)                                    \
    X(temperature, zes_temp_handle_t, zesDeviceEnumTemperatureSensors)                             \
    X(psu, zes_psu_handle_t, zesDeviceEnumPsus)                                                    \
    X(fan, zes_fan_handle_t, zesDeviceEnumFans)                                                    \
    X(led, zes_led_handle_t, zesDeviceEnumLeds)                                                    \
    X(ras, zes_ras_handle_t, zesDeviceEnumRasErrorSets)                                            \
    X(suite, zes_diag_handle_t, zesDeviceEnumDiagnosticTestSuites)                                 \
    X(standby, zes_standby_handle_t, zesDeviceEnumStandbyDomains)                                  \
    X(performance, zes_perf_handle_t, zesDeviceEnumPerformanceFactorDomains)                       \
    X(overclock, zes_overclock_handle_t, zesDeviceEnumOverclockDomains)                            \
    X(function, zes_vf_handle_t, zesDeviceEnumEnabledVFExp)

/* get_fan(0): the first fan of the first device. */
#define SIMULATED_GET(name, handle_type, function)                                                 \
    static inline handle_type get_##name(uint32_t index)                                           \
    {                                                                                              \
        handle_type handles[8] = {NULL};                                                           \
        uint32_t count = 8;                                                                        \
        assert_success(function(device, &count, handles));                                         \
        assert_true(index < count);                                                                \
        return handles[index];                                                                     \
    }
SIMULATED_CLASSES(SIMULATED_GET)

#endif
