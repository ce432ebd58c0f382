/* What the tests of sysman begin with: the described backend (described.h), its first two devices,
 * handles of their components, and the null backend, which has no sysman. Each case starts with
 * everything reset, and must leave no registrations. */
#ifndef TESTS_SYSMAN_SYSMAN_H
#define TESTS_SYSMAN_SYSMAN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "described.h"

#include <level_zero/ze_api.h>

#include <string.h>

extern struct described *state;
extern zes_driver_handle_t driver, null_driver;
extern zes_device_handle_t device, other_device, null_device;

/* The library's functions. */
extern void (*set_operation)(enum described_operation operation, int result);
extern void (*happen)(uint32_t device, zes_event_type_flags_t events);

int sysman_setup(void **unused); /* of a group */
int sysman_reset(void **unused); /* of a case */

#define SYSMAN_CASE(function) cmocka_unit_test_setup(function, sysman_reset)

void sysman_assert_result(ze_result_t actual, ze_result_t expected, const char *call,
                          const char *file, int line);
#define assert_result(call, expected)                                                              \
    sysman_assert_result((call), (expected), #call, __FILE__, __LINE__)
#define assert_success(call)     assert_result(call, ZE_RESULT_SUCCESS)
#define assert_unsupported(call) assert_result(call, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
#define assert_invalid(call)     assert_result(call, ZE_RESULT_ERROR_INVALID_ARGUMENT)

/* The thread's last error text of the driver. */
const char *sysman_error(void);

/* Classes: name of the helper, type of the handle, function, how many the first device has. */
#define SYSMAN_CLASSES(X)                                                                          \
    X(power, zes_pwr_handle_t, zesDeviceEnumPowerDomains, 2)                                       \
    X(frequency, zes_freq_handle_t, zesDeviceEnumFrequencyDomains, 2)                              \
    X(engine, zes_engine_handle_t, zesDeviceEnumEngineGroups, 2)                                   \
    X(scheduler, zes_sched_handle_t, zesDeviceEnumSchedulers, 2)                                   \
    X(firmware, zes_firmware_handle_t, zesDeviceEnumFirmwares, 2)                                  \
    X(memory, zes_mem_handle_t, zesDeviceEnumMemoryModules, 2)                                     \
    X(port, zes_fabric_port_handle_t, zesDeviceEnumFabricPorts, 2)                                 \
    X(temperature, zes_temp_handle_t, zesDeviceEnumTemperatureSensors, 3)                          \
    X(psu, zes_psu_handle_t, zesDeviceEnumPsus, 1)                                                 \
    X(fan, zes_fan_handle_t, zesDeviceEnumFans, 3)                                                 \
    X(led, zes_led_handle_t, zesDeviceEnumLeds, 3)                                                 \
    X(ras, zes_ras_handle_t, zesDeviceEnumRasErrorSets, 2)                                         \
    X(suite, zes_diag_handle_t, zesDeviceEnumDiagnosticTestSuites, 2)                              \
    X(standby, zes_standby_handle_t, zesDeviceEnumStandbyDomains, 1)                               \
    X(performance, zes_perf_handle_t, zesDeviceEnumPerformanceFactorDomains, 1)                    \
    X(overclock, zes_overclock_handle_t, zesDeviceEnumOverclockDomains, 3)                         \
    X(function, zes_vf_handle_t, zesDeviceEnumEnabledVFExp, 1)

/* get_fan(0): the first fan of the first device. */
#define SYSMAN_GET(name, handle_type, function, number)                                            \
    static inline handle_type get_##name(uint32_t index)                                           \
    {                                                                                              \
        handle_type handles[8] = {NULL};                                                           \
        uint32_t count = 8;                                                                        \
        assert_success(function(device, &count, handles));                                         \
        assert_true(index < count);                                                                \
        return handles[index];                                                                     \
    }
SYSMAN_CLASSES(SYSMAN_GET)

#endif
