/* API functions that are the same for all classes of components: their lists, and the properties of
 * classes that have only those of the description. */
#include "ddi/geo_api.h"
#include "driver/sysman/value.h"

#define ENUMERATE(function, KIND, handle_type)                                                     \
    ze_result_t geo_##function(zes_device_handle_t hDevice, uint32_t *pCount,                      \
                               handle_type *phComponents)                                          \
    {                                                                                              \
        return geo_components_list(hDevice, GEO_SYSMAN_##KIND, pCount, (void **)phComponents);     \
    }

ENUMERATE(zesDeviceEnumPowerDomains, POWER, zes_pwr_handle_t)
ENUMERATE(zesDeviceEnumFrequencyDomains, FREQUENCY, zes_freq_handle_t)
ENUMERATE(zesDeviceEnumEngineGroups, ENGINE, zes_engine_handle_t)
ENUMERATE(zesDeviceEnumSchedulers, SCHEDULER, zes_sched_handle_t)
ENUMERATE(zesDeviceEnumFirmwares, FIRMWARE, zes_firmware_handle_t)
ENUMERATE(zesDeviceEnumMemoryModules, MEMORY, zes_mem_handle_t)
ENUMERATE(zesDeviceEnumFabricPorts, FABRIC_PORT, zes_fabric_port_handle_t)
ENUMERATE(zesDeviceEnumTemperatureSensors, TEMPERATURE, zes_temp_handle_t)
ENUMERATE(zesDeviceEnumPsus, PSU, zes_psu_handle_t)
ENUMERATE(zesDeviceEnumFans, FAN, zes_fan_handle_t)
ENUMERATE(zesDeviceEnumLeds, LED, zes_led_handle_t)
ENUMERATE(zesDeviceEnumRasErrorSets, RAS, zes_ras_handle_t)
ENUMERATE(zesDeviceEnumDiagnosticTestSuites, DIAGNOSTICS, zes_diag_handle_t)
ENUMERATE(zesDeviceEnumStandbyDomains, STANDBY, zes_standby_handle_t)
ENUMERATE(zesDeviceEnumPerformanceFactorDomains, PERFORMANCE, zes_perf_handle_t)
ENUMERATE(zesDeviceEnumOverclockDomains, OVERCLOCK, zes_overclock_handle_t)
ENUMERATE(zesDeviceEnumEnabledVFExp, VIRTUAL_FUNCTION, zes_vf_handle_t)
ENUMERATE(zesDeviceEnumActiveVFExp, VIRTUAL_FUNCTION, zes_vf_handle_t)

#define PROPERTIES(function, name, handle_type, properties_type)                                   \
    ze_result_t geo_##function(handle_type hComponent, properties_type *pProperties)               \
    {                                                                                              \
        const struct geo_sysman_##name *part;                                                      \
        GEO_CHECK(geo_##name##_from(hComponent, &part));                                           \
        GEO_PROPERTIES_WRITE(pProperties, part);                                                   \
        return ZE_RESULT_SUCCESS;                                                                  \
    }

PROPERTIES(zesFrequencyGetProperties, frequency, zes_freq_handle_t, zes_freq_properties_t)
PROPERTIES(zesSchedulerGetProperties, scheduler, zes_sched_handle_t, zes_sched_properties_t)
PROPERTIES(zesTemperatureGetProperties, temperature, zes_temp_handle_t, zes_temp_properties_t)
PROPERTIES(zesPsuGetProperties, psu, zes_psu_handle_t, zes_psu_properties_t)
PROPERTIES(zesFanGetProperties, fan, zes_fan_handle_t, zes_fan_properties_t)
PROPERTIES(zesLedGetProperties, led, zes_led_handle_t, zes_led_properties_t)
PROPERTIES(zesRasGetProperties, ras, zes_ras_handle_t, zes_ras_properties_t)
PROPERTIES(zesStandbyGetProperties, standby, zes_standby_handle_t, zes_standby_properties_t)
PROPERTIES(zesPerformanceFactorGetProperties, performance, zes_perf_handle_t, zes_perf_properties_t)
