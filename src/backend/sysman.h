/* The interface of sysman: what a backend tells the driver about the machine around its devices.
 * See docs/decisions/interfaces.md, "Sysman, metrics and debugging use the API's value
 * structures".
 *
 * A device has an array of components for each class of the specification. A component has a
 * description (what never changes) and a small ops table (what is queried or set at a moment). The
 * driver (driver/sysman, called by driver/api/zes) turns descriptions into handles, checks
 * arguments, and handles structures and chains. It stores per-process state (thresholds,
 * registrations) and implements the rules that are the same for all backends. A backend reads and
 * writes one value at a time. The fifteen classes, overclocking and virtual functions work this
 * way. Everything that a device has once (state, reset, processes, PCI, ECC, events) is in the
 * device's own ops table.
 *
 * How the backends implement it:
 *   CPU        reads sysfs, procfs, hwmon, powercap, cpufreq and EDAC below a root folder that
 *              `open` is given; a recorded machine is a folder, so tests need no hardware
 *   NVIDIA     NVML, opened at run time
 *   simulated  descriptions from a file, and ops that evaluate its scripts at the time of the call;
 *              `simulated` is set, and the driver marks the device's model with it
 *   null       no sysman: the pointer in struct geo_backend_ops is NULL, and every call returns
 *              UNSUPPORTED_FEATURE
 *
 * Rules for all operations:
 *   - Any threads may call them on one object. If two set a value at once, the last one wins.
 *   - For a NULL operation the driver returns UNSUPPORTED_FEATURE (thresholds: see below). A value
 *     that the system does not provide is an error or the specification's "unknown" (-1, 0, an
 *     enumerator). It is never invented.
 *   - INSUFFICIENT_PERMISSIONS: no permission. DEVICE_LOST: the object no longer exists.
 *     NOT_AVAILABLE: set elsewhere or locked. On failure `why` gets a line for the last-error text,
 *     such as the file that could not be read; otherwise it is not touched.
 *   - Structures of the API are plain values here. The driver sets stype, pNext, onSubdevice and
 *     subdeviceId, and has cleared the rest. Values of chained structures are in the descriptions;
 *     see the end of the table.
 *   - For arrays of variable length, `count` is the array size on entry and the number of existing
 *     elements on return, even if that is larger. The driver derives the specification's result.
 *   - Counters include the time of the reading in microseconds, and wrap as the source does.
 *   - A read costs the system's read and at most a few microseconds more. No operation starts a
 *     thread.
 *
 * Thresholds (energy, temperature, numbers of errors) belong to a process and cause events. If the
 * operation of a threshold is NULL, the driver stores the threshold and compares it with values
 * that it reads in the listening thread. A backend with hardware that compares implements the
 * operation.
 *
 * Functions and their implementation ("description": a field of the component or device; "driver":
 * no operation):
 *
 *   zesInit                                           driver              opens no device
 *   zesDriverGet                                      driver              core's inventory
 *   zesDriverGetExtensionProperties                   driver              one table
 *   zesDriverGetExtensionFunctionAddress              driver              one table
 *   zesDeviceGet                                      driver              root devices only
 *   zesDriverGetDeviceByUuidExp                       driver              geo_device_info
 *   zesDeviceGetSubDevicePropertiesExp                driver              whose parent it is
 *   zesDeviceGetProperties                            description         core: geo_device_info
 *   zesDeviceGetState                                 device.state
 *   zesDeviceReset                                    device.reset        default type
 *   zesDeviceResetExt                                 device.reset
 *   zesDeviceProcessesGetState                        device.processes
 *   zesDevicePciGetProperties                         description         none: UNSUPPORTED_FEATURE
 *   zesDevicePciGetState                              device.pci_state
 *   zesDevicePciGetBars                               description         device.bars
 *   zesDevicePciGetStats                              device.pci_stats
 *   zesDevicePciLinkSpeedUpdateExt                    device.pci_set_downgrade
 *   zesDeviceEccAvailable                             description         device.ecc_available
 *   zesDeviceEccConfigurable                          description         device.ecc_configurable
 *   zesDeviceGetEccState                              device.ecc_state
 *   zesDeviceSetEccState                              device.ecc_set
 *   zesDeviceEventRegister                            driver              of the process
 *   zesDriverEventListen     device.watch, device.take_events, device.next_event, device.unwatch
 *   zesDriverEventListenEx   device.watch, device.take_events, device.next_event, device.unwatch
 *
 *   zesDeviceEnumPowerDomains                         sysman.components
 *   zesDeviceGetCardPowerDomain                       sysman.components   the first of domain CARD
 *   zesPowerGetProperties                             description
 *   zesPowerGetEnergyCounter                          power.energy
 *   zesPowerGetLimits                                 power.limits        by level
 *   zesPowerSetLimits                                 power.set_limits
 *   zesPowerGetLimitsExt                              power.limits
 *   zesPowerSetLimitsExt                              power.set_limits    not what is locked
 *   zesPowerGetLimitsExt2                             power.limits        sustained, in mW
 *   zesPowerSetLimitsExt2                             power.set_limits
 *   zesPowerGetEnergyThreshold                        driver
 *   zesPowerSetEnergyThreshold                        power.set_energy_threshold
 *   zesPowerGetUsage                                  power.usage         NULL: by power.energy
 *
 *   zesDeviceEnumFrequencyDomains                     sysman.components
 *   zesFrequencyGetProperties                         description
 *   zesFrequencyGetAvailableClocks                    description         clocks; none: its bounds
 *   zesFrequencyGetRange                              frequency.range
 *   zesFrequencySetRange                              frequency.set_range
 *   zesFrequencyGetState                              frequency.state
 *   zesFrequencyGetThrottleTime                       frequency.throttle_time
 *   zesFrequencyOcGetCapabilities                     frequency.oc_capabilities  NULL: none
 *   zesFrequencyOcGetFrequencyTarget                  frequency.oc
 *   zesFrequencyOcSetFrequencyTarget                  frequency.set_oc
 *   zesFrequencyOcGetVoltageTarget                    frequency.oc
 *   zesFrequencyOcSetVoltageTarget                    frequency.set_oc
 *   zesFrequencyOcGetMode                             frequency.oc
 *   zesFrequencyOcSetMode                             frequency.set_oc
 *   zesFrequencyOcGetIccMax                           frequency.oc
 *   zesFrequencyOcSetIccMax                           frequency.set_oc
 *   zesFrequencyOcGetTjMax                            frequency.oc
 *   zesFrequencyOcSetTjMax                            frequency.set_oc
 *
 *   zesDeviceEnumEngineGroups                         sysman.components
 *   zesEngineGetProperties                            description
 *   zesEngineGetActivity                              engine.activity     the first
 *   zesEngineGetActivityExt                           engine.activity     and by virtual function
 *
 *   zesDeviceEnumSchedulers                           sysman.components
 *   zesSchedulerGetProperties                         description
 *   zesSchedulerGetCurrentMode                        scheduler.mode
 *   zesSchedulerGetTimeoutModeProperties              scheduler.mode      defaults: description
 *   zesSchedulerGetTimesliceModeProperties            scheduler.mode      defaults: description
 *   zesSchedulerSetTimeoutMode                        scheduler.set_mode
 *   zesSchedulerSetTimesliceMode                      scheduler.set_mode
 *   zesSchedulerSetExclusiveMode                      scheduler.set_mode
 *   zesSchedulerSetComputeUnitDebugMode               scheduler.set_mode
 *
 *   zesDeviceEnumFirmwares                            sysman.components
 *   zesFirmwareGetProperties                          firmware.version    the rest: description
 *   zesFirmwareFlash                                  firmware.flash
 *   zesFirmwareGetFlashProgress                       firmware.flash_progress
 *   zesFirmwareGetConsoleLogs                         firmware.console_log
 *   zesFirmwareGetSecurityVersionExp                  firmware.security_version
 *   zesFirmwareSetSecurityVersionExp                  firmware.fix_security_version
 *
 *   zesDeviceEnumMemoryModules                        sysman.components
 *   zesMemoryGetProperties                            description
 *   zesMemoryGetState                                 memory.state
 *   zesMemoryGetBandwidth                             memory.bandwidth
 *
 *   zesDeviceEnumFabricPorts                          sysman.components
 *   zesFabricPortGetProperties                        description
 *   zesFabricPortGetLinkType                          description
 *   zesFabricPortGetConfig                            fabric_port.config
 *   zesFabricPortSetConfig                            fabric_port.set_config
 *   zesFabricPortGetState                             fabric_port.state
 *   zesFabricPortGetThroughput                        fabric_port.throughput
 *   zesFabricPortGetMultiPortThroughput               fabric_port.throughput port by port
 *   zesFabricPortGetFabricErrorCounters               fabric_port.errors
 *
 *   zesDeviceEnumTemperatureSensors                   sysman.components
 *   zesTemperatureGetProperties                       description
 *   zesTemperatureGetConfig                           driver
 *   zesTemperatureSetConfig                           temperature.set_thresholds
 *   zesTemperatureGetState                            temperature.state
 *
 *   zesDeviceEnumPsus                                 sysman.components
 *   zesPsuGetProperties                               description
 *   zesPsuGetState                                    psu.state
 *
 *   zesDeviceEnumFans                                 sysman.components
 *   zesFanGetProperties                               description
 *   zesFanGetConfig                                   fan.config
 *   zesFanSetDefaultMode                              fan.set_config
 *   zesFanSetFixedSpeedMode                           fan.set_config
 *   zesFanSetSpeedTableMode                           fan.set_config
 *   zesFanGetState                                    fan.speed
 *
 *   zesDeviceEnumLeds                                 sysman.components
 *   zesLedGetProperties                               description
 *   zesLedGetState                                    led.state
 *   zesLedSetState                                    led.set_state       the colour stays
 *   zesLedSetColor                                    led.set_state
 *
 *   zesDeviceEnumRasErrorSets                         sysman.components
 *   zesRasGetProperties                               description
 *   zesRasGetSupportedCategoriesExp                   description         categories
 *   zesRasGetConfig                                   driver
 *   zesRasSetConfig                                   ras.set_thresholds
 *   zesRasGetState                                    ras.counters, ras.clear
 *   zesRasGetStateExp                                 ras.counters
 *   zesRasGetStateExp2                                ras.counters
 *   zesRasClearStateExp                               ras.clear
 *   zesRasGetConfigExp                                driver
 *   zesRasSetConfigExp                                ras.set_thresholds
 *
 *   zesDeviceEnumDiagnosticTestSuites                 sysman.components
 *   zesDiagnosticsGetProperties                       description
 *   zesDiagnosticsGetTests                            description         tests, by index
 *   zesDiagnosticsRunTests                            diagnostics.run
 *
 *   zesDeviceEnumStandbyDomains                       sysman.components
 *   zesStandbyGetProperties                           description
 *   zesStandbyGetMode                                 standby.mode
 *   zesStandbySetMode                                 standby.set_mode
 *
 *   zesDeviceEnumPerformanceFactorDomains             sysman.components
 *   zesPerformanceFactorGetProperties                 description
 *   zesPerformanceFactorGetConfig                     performance.factor
 *   zesPerformanceFactorSetConfig                     performance.set_factor
 *
 *   zesDeviceSetOverclockWaiver                       device.overclock_waive
 *   zesDeviceGetOverclockDomains                      sysman.components   bits of their domains
 *   zesDeviceGetOverclockControls                     description         controls of the domain
 *   zesDeviceResetOverclockSettings                   device.overclock_reset
 *   zesDeviceReadOverclockState                       device.overclock_state
 *   zesDeviceEnumOverclockDomains                     sysman.components
 *   zesOverclockGetDomainProperties                   description
 *   zesOverclockGetDomainVFProperties                 description
 *   zesOverclockGetDomainControlProperties            description
 *   zesOverclockGetControlCurrentValue                overclock.control
 *   zesOverclockGetControlPendingValue                overclock.control
 *   zesOverclockGetControlState                       overclock.control
 *   zesOverclockSetControlUserValue                   overclock.set_control
 *   zesOverclockGetVFPointValues                      overclock.point
 *   zesOverclockSetVFPointValues                      overclock.set_point
 *
 *   zesDeviceEnumEnabledVFExp                         sysman.components
 *   zesDeviceEnumActiveVFExp                          sysman.components
 *   zesVFManagementGetVFPropertiesExp                 description
 *   zesVFManagementGetVFCapabilitiesExp               description
 *   zesVFManagementGetVFCapabilitiesExp2              description
 *   zesVFManagementGetVFMemoryUtilizationExp          virtual_function.memory
 *   zesVFManagementGetVFMemoryUtilizationExp2         virtual_function.memory
 *   zesVFManagementGetVFEngineUtilizationExp          virtual_function.engines
 *   zesVFManagementGetVFEngineUtilizationExp2         virtual_function.engines
 *   zesVFManagementSetVFTelemetryModeExp              virtual_function.set_telemetry
 *   zesVFManagementSetVFTelemetrySamplingIntervalExp  virtual_function.set_telemetry
 *
 * Chained structures:
 *
 *   zes_device_ext_properties_t                       driver              geo_device_info
 *   zes_oem_serial_id_ext_properties_t                description         device.oem_serial
 *   zes_device_ext_state_t                            device.state
 *   zes_device_ecc_default_properties_ext_t           description         device.ecc_default
 *   zes_pci_link_speed_downgrade_ext_state_t          device.pci_state
 *   zes_pci_bar_properties_1_2_t                      description         device.bars
 *   zes_pci_link_speed_downgrade_ext_properties_t     description         device.pci_downgrade
 *   zes_power_ext_properties_t                        description         domain, default_limit
 *   zes_power_domain_exp_properties_t                 description         domain
 *   zes_engine_ext_properties_t                       description         virtual_functions
 *   zes_mem_page_offline_state_exp_t                  memory.pages_offline
 *   zes_mem_bandwidth_counter_bits_exp_properties_t   description         counter_bits
 */
#ifndef GEO_BACKEND_SYSMAN_H
#define GEO_BACKEND_SYSMAN_H

#include "base/strbuf.h"

#include <level_zero/zes_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_backend_device;
struct geo_sysman; /* sysman of one root device */

/* ---- components ---- */

enum geo_sysman_class {
    GEO_SYSMAN_POWER,
    GEO_SYSMAN_FREQUENCY,
    GEO_SYSMAN_ENGINE,
    GEO_SYSMAN_SCHEDULER,
    GEO_SYSMAN_FIRMWARE,
    GEO_SYSMAN_MEMORY,
    GEO_SYSMAN_FABRIC_PORT,
    GEO_SYSMAN_TEMPERATURE,
    GEO_SYSMAN_PSU,
    GEO_SYSMAN_FAN,
    GEO_SYSMAN_LED,
    GEO_SYSMAN_RAS,
    GEO_SYSMAN_DIAGNOSTICS,
    GEO_SYSMAN_STANDBY,
    GEO_SYSMAN_PERFORMANCE,
    GEO_SYSMAN_OVERCLOCK,
    GEO_SYSMAN_VIRTUAL_FUNCTION,
    GEO_SYSMAN_CLASS_COUNT,
};

/* The common start of every component. The class determines the struct that contains it. */
struct geo_sysman_component {
    enum geo_sysman_class kind;
    int32_t subdevice;         /* -1: the whole device */
    const char *name;          /* for messages: "package-0", a path; never NULL */
    struct geo_sysman *sysman; /* the sysman object that owns it */
    void *opaque;              /* private to the backend */
};

struct geo_sysman_power;
struct geo_sysman_power_ops {
    ze_result_t (*energy)(const struct geo_sysman_power *power, zes_power_energy_counter_t *counter,
                          struct geo_strbuf *why);
    ze_result_t (*limits)(const struct geo_sysman_power *power, uint32_t *count,
                          zes_power_limit_ext_desc_t *limits, struct geo_strbuf *why);
    ze_result_t (*set_limits)(const struct geo_sysman_power *power, uint32_t count,
                              const zes_power_limit_ext_desc_t *limits, struct geo_strbuf *why);
    /* Returns the current and the average power, in milliwatts. */
    ze_result_t (*usage)(const struct geo_sysman_power *power, uint32_t *now, uint32_t *average,
                         struct geo_strbuf *why);
    /* Sets a threshold: energy used from now on, in joules; 0 removes it. */
    ze_result_t (*set_energy_threshold)(const struct geo_sysman_power *power, double joules,
                                        struct geo_strbuf *why);
};
struct geo_sysman_power {
    struct geo_sysman_component base;
    zes_power_properties_t properties;
    zes_power_domain_t domain;
    zes_power_limit_ext_desc_t default_limit;
    const struct geo_sysman_power_ops *ops;
};

/* The older overclocking of a frequency domain. `fields` of set_oc selects the values to set. */
enum geo_sysman_oc_fields {
    GEO_SYSMAN_OC_FREQUENCY = 1u << 0,
    GEO_SYSMAN_OC_VOLTAGE = 1u << 1, /* target and offset */
    GEO_SYSMAN_OC_MODE = 1u << 2,
    GEO_SYSMAN_OC_ICC_MAX = 1u << 3, /* 0: the default */
    GEO_SYSMAN_OC_TJ_MAX = 1u << 4,  /* 0: the default */
};
struct geo_sysman_oc {
    double frequency, voltage, voltage_offset, icc_max, tj_max; /* MHz, V, V, A, degrees Celsius */
    zes_oc_mode_t mode;
};

struct geo_sysman_frequency;
struct geo_sysman_frequency_ops {
    ze_result_t (*range)(const struct geo_sysman_frequency *frequency, zes_freq_range_t *range,
                         struct geo_strbuf *why);
    /* min <= max, within the limits of the properties. -1 stands for the hardware's limit. */
    ze_result_t (*set_range)(const struct geo_sysman_frequency *frequency,
                             const zes_freq_range_t *range, struct geo_strbuf *why);
    ze_result_t (*state)(const struct geo_sysman_frequency *frequency, zes_freq_state_t *state,
                         struct geo_strbuf *why);
    ze_result_t (*throttle_time)(const struct geo_sysman_frequency *frequency,
                                 zes_freq_throttle_time_t *time, struct geo_strbuf *why);
    ze_result_t (*oc_capabilities)(const struct geo_sysman_frequency *frequency,
                                   zes_oc_capabilities_t *capabilities, struct geo_strbuf *why);
    ze_result_t (*oc)(const struct geo_sysman_frequency *frequency, struct geo_sysman_oc *oc,
                      struct geo_strbuf *why);
    ze_result_t (*set_oc)(const struct geo_sysman_frequency *frequency, uint32_t fields,
                          const struct geo_sysman_oc *oc, struct geo_strbuf *why);
};
struct geo_sysman_frequency {
    struct geo_sysman_component base;
    zes_freq_properties_t properties;
    const double *clocks; /* MHz, ascending */
    uint32_t clock_count;
    const struct geo_sysman_frequency_ops *ops;
};

struct geo_sysman_engine;
struct geo_sysman_engine_ops {
    /* stats[0] is the whole engine, stats[1 + i] virtual function i. count <= 1 +
     * virtual_functions. */
    ze_result_t (*activity)(const struct geo_sysman_engine *engine, uint32_t count,
                            zes_engine_stats_t *stats, struct geo_strbuf *why);
};
struct geo_sysman_engine {
    struct geo_sysman_component base;
    zes_engine_properties_t properties;
    uint32_t virtual_functions;
    const struct geo_sysman_engine_ops *ops;
};

struct geo_sysman_schedule {
    zes_sched_mode_t mode;
    uint64_t watchdog_us;               /* for TIMEOUT; ZES_SCHED_WATCHDOG_DISABLE: none */
    uint64_t interval_us, yield_out_us; /* for TIMESLICE */
};
struct geo_sysman_scheduler;
struct geo_sysman_scheduler_ops {
    /* Returns the current mode, and the settings that the other modes would have. */
    ze_result_t (*mode)(const struct geo_sysman_scheduler *scheduler,
                        struct geo_sysman_schedule *schedule, struct geo_strbuf *why);
    ze_result_t (*set_mode)(const struct geo_sysman_scheduler *scheduler,
                            const struct geo_sysman_schedule *schedule, bool *needs_reload,
                            struct geo_strbuf *why);
};
struct geo_sysman_scheduler {
    struct geo_sysman_component base;
    zes_sched_properties_t properties;
    struct geo_sysman_schedule defaults;
    const struct geo_sysman_scheduler_ops *ops;
};

struct geo_sysman_firmware;
struct geo_sysman_firmware_ops {
    ze_result_t (*version)(const struct geo_sysman_firmware *firmware,
                           char version[ZES_STRING_PROPERTY_SIZE], struct geo_strbuf *why);
    /* Returns when the image is written. The image is owned by the caller and untrusted. */
    ze_result_t (*flash)(const struct geo_sysman_firmware *firmware, const void *image,
                         size_t bytes, struct geo_strbuf *why);
    ze_result_t (*flash_progress)(const struct geo_sysman_firmware *firmware, uint32_t *percent,
                                  struct geo_strbuf *why);
    ze_result_t (*console_log)(const struct geo_sysman_firmware *firmware, struct geo_strbuf *log,
                               struct geo_strbuf *why);
    ze_result_t (*security_version)(const struct geo_sysman_firmware *firmware,
                                    char version[ZES_STRING_PROPERTY_SIZE], struct geo_strbuf *why);
    ze_result_t (*fix_security_version)(const struct geo_sysman_firmware *firmware,
                                        struct geo_strbuf *why);
};
struct geo_sysman_firmware {
    struct geo_sysman_component base;
    zes_firmware_properties_t properties; /* without the version */
    const struct geo_sysman_firmware_ops *ops;
};

struct geo_sysman_memory;
struct geo_sysman_memory_ops {
    ze_result_t (*state)(const struct geo_sysman_memory *memory, zes_mem_state_t *state,
                         struct geo_strbuf *why);
    ze_result_t (*bandwidth)(const struct geo_sysman_memory *memory, zes_mem_bandwidth_t *bandwidth,
                             struct geo_strbuf *why);
    /* Returns the number of retired pages, and the maximum. */
    ze_result_t (*pages_offline)(const struct geo_sysman_memory *memory, uint32_t *pages,
                                 uint32_t *max_pages, struct geo_strbuf *why);
};
struct geo_sysman_memory {
    struct geo_sysman_component base;
    zes_mem_properties_t properties;
    uint32_t counter_bits; /* width of the bandwidth counters */
    const struct geo_sysman_memory_ops *ops;
};

struct geo_sysman_fabric_port;
struct geo_sysman_fabric_port_ops {
    ze_result_t (*config)(const struct geo_sysman_fabric_port *port,
                          zes_fabric_port_config_t *config, struct geo_strbuf *why);
    ze_result_t (*set_config)(const struct geo_sysman_fabric_port *port,
                              const zes_fabric_port_config_t *config, struct geo_strbuf *why);
    ze_result_t (*state)(const struct geo_sysman_fabric_port *port, zes_fabric_port_state_t *state,
                         struct geo_strbuf *why);
    ze_result_t (*throughput)(const struct geo_sysman_fabric_port *port,
                              zes_fabric_port_throughput_t *throughput, struct geo_strbuf *why);
    ze_result_t (*errors)(const struct geo_sysman_fabric_port *port,
                          zes_fabric_port_error_counters_t *errors, struct geo_strbuf *why);
};
struct geo_sysman_fabric_port {
    struct geo_sysman_component base;
    zes_fabric_port_properties_t properties;
    zes_fabric_link_type_t link_type;
    const struct geo_sysman_fabric_port_ops *ops;
};

struct geo_sysman_temperature;
struct geo_sysman_temperature_ops {
    ze_result_t (*state)(const struct geo_sysman_temperature *temperature, double *celsius,
                         struct geo_strbuf *why);
    /* Sets thresholds. */
    ze_result_t (*set_thresholds)(const struct geo_sysman_temperature *temperature,
                                  const zes_temp_config_t *config, struct geo_strbuf *why);
};
struct geo_sysman_temperature {
    struct geo_sysman_component base;
    zes_temp_properties_t properties;
    const struct geo_sysman_temperature_ops *ops;
};

struct geo_sysman_psu;
struct geo_sysman_psu_ops {
    ze_result_t (*state)(const struct geo_sysman_psu *psu, zes_psu_state_t *state,
                         struct geo_strbuf *why);
};
struct geo_sysman_psu {
    struct geo_sysman_component base;
    zes_psu_properties_t properties;
    const struct geo_sysman_psu_ops *ops;
};

struct geo_sysman_fan;
struct geo_sysman_fan_ops {
    ze_result_t (*config)(const struct geo_sysman_fan *fan, zes_fan_config_t *config,
                          struct geo_strbuf *why);
    ze_result_t (*set_config)(const struct geo_sysman_fan *fan, const zes_fan_config_t *config,
                              struct geo_strbuf *why);
    ze_result_t (*speed)(const struct geo_sysman_fan *fan, zes_fan_speed_units_t units,
                         int32_t *speed, struct geo_strbuf *why);
};
struct geo_sysman_fan {
    struct geo_sysman_component base;
    zes_fan_properties_t properties;
    const struct geo_sysman_fan_ops *ops;
};

struct geo_sysman_led;
struct geo_sysman_led_ops {
    ze_result_t (*state)(const struct geo_sysman_led *led, zes_led_state_t *state,
                         struct geo_strbuf *why);
    ze_result_t (*set_state)(const struct geo_sysman_led *led, const zes_led_state_t *state,
                             struct geo_strbuf *why);
};
struct geo_sysman_led {
    struct geo_sysman_component base;
    zes_led_properties_t properties;
    const struct geo_sysman_led_ops *ops;
};

struct geo_sysman_ras;
struct geo_sysman_ras_ops {
    /* Returns one counter for each category, in their order. */
    ze_result_t (*counters)(const struct geo_sysman_ras *ras, uint64_t *counters,
                            struct geo_strbuf *why);
    /* Sets the counter of categories[index] to 0, for all processes. */
    ze_result_t (*clear)(const struct geo_sysman_ras *ras, uint32_t index, struct geo_strbuf *why);
    /* Sets a threshold for each category, and one for their sum; 0: off. */
    ze_result_t (*set_thresholds)(const struct geo_sysman_ras *ras, const uint64_t *thresholds,
                                  uint64_t total, struct geo_strbuf *why);
};
struct geo_sysman_ras {
    struct geo_sysman_component base;
    zes_ras_properties_t properties;
    /* The older seven categories are derived from these. */
    const zes_ras_error_category_exp_t *categories;
    uint32_t category_count;
    const struct geo_sysman_ras_ops *ops;
};

struct geo_sysman_diagnostics;
struct geo_sysman_diagnostics_ops {
    /* Runs tests and blocks until they end. first and last are test indices, inclusive. */
    ze_result_t (*run)(const struct geo_sysman_diagnostics *suite, uint32_t first, uint32_t last,
                       zes_diag_result_t *result, struct geo_strbuf *why);
};
struct geo_sysman_diagnostics {
    struct geo_sysman_component base;
    zes_diag_properties_t properties;
    const zes_diag_test_t *tests;
    uint32_t test_count;
    const struct geo_sysman_diagnostics_ops *ops;
};

struct geo_sysman_standby;
struct geo_sysman_standby_ops {
    ze_result_t (*mode)(const struct geo_sysman_standby *standby, zes_standby_promo_mode_t *mode,
                        struct geo_strbuf *why);
    ze_result_t (*set_mode)(const struct geo_sysman_standby *standby, zes_standby_promo_mode_t mode,
                            struct geo_strbuf *why);
};
struct geo_sysman_standby {
    struct geo_sysman_component base;
    zes_standby_properties_t properties;
    const struct geo_sysman_standby_ops *ops;
};

struct geo_sysman_performance;
struct geo_sysman_performance_ops {
    /* Returns the factor, from 0 (memory bound) to 100 (compute bound). */
    ze_result_t (*factor)(const struct geo_sysman_performance *performance, double *factor,
                          struct geo_strbuf *why);
    ze_result_t (*set_factor)(const struct geo_sysman_performance *performance, double factor,
                              struct geo_strbuf *why);
};
struct geo_sysman_performance {
    struct geo_sysman_component base;
    zes_perf_properties_t properties;
    const struct geo_sysman_performance_ops *ops;
};

struct geo_sysman_control {
    zes_overclock_control_t control;
    zes_control_property_t property;
};
struct geo_sysman_control_value {
    double current, pending;
    zes_control_state_t state;
    zes_pending_action_t action;
};
struct geo_sysman_overclock;
struct geo_sysman_overclock_ops {
    ze_result_t (*control)(const struct geo_sysman_overclock *domain,
                           zes_overclock_control_t control, struct geo_sysman_control_value *value,
                           struct geo_strbuf *why);
    ze_result_t (*set_control)(const struct geo_sysman_overclock *domain,
                               zes_overclock_control_t control, double value,
                               zes_pending_action_t *action, struct geo_strbuf *why);
    ze_result_t (*point)(const struct geo_sysman_overclock *domain, zes_vf_type_t type,
                         zes_vf_array_type_t curve, uint32_t index, uint32_t *value,
                         struct geo_strbuf *why);
    ze_result_t (*set_point)(const struct geo_sysman_overclock *domain, zes_vf_type_t type,
                             uint32_t index, uint32_t value, struct geo_strbuf *why);
};
struct geo_sysman_overclock {
    struct geo_sysman_component base;
    zes_overclock_properties_t properties;
    zes_vf_property_t curve;
    const struct geo_sysman_control *controls;
    uint32_t control_count;
    const struct geo_sysman_overclock_ops *ops;
};

struct geo_sysman_virtual_function;
struct geo_sysman_virtual_function_ops {
    ze_result_t (*memory)(const struct geo_sysman_virtual_function *function, uint32_t *count,
                          zes_vf_util_mem_exp2_t *memory, struct geo_strbuf *why);
    ze_result_t (*engines)(const struct geo_sysman_virtual_function *function, uint32_t *count,
                           zes_vf_util_engine_exp2_t *engines, struct geo_strbuf *why);
    /* Sets the interval in microseconds between measurements of the values that the flags select; 0
     * stops them. */
    ze_result_t (*set_telemetry)(const struct geo_sysman_virtual_function *function,
                                 zes_vf_info_util_exp_flags_t flags, uint64_t interval_us,
                                 struct geo_strbuf *why);
};
struct geo_sysman_virtual_function {
    struct geo_sysman_component base;
    zes_vf_exp2_capabilities_t capabilities;
    zes_uuid_t uuid;
    zes_vf_info_util_exp_flags_t telemetry; /* values that can be measured */
    const struct geo_sysman_virtual_function_ops *ops;
};

/* ---- the device ---- */

struct geo_sysman_device_state {
    zes_reset_reason_flags_t reset;
    zes_repair_status_t repaired;
    zes_device_state_ext_flags_t flags; /* also a result of zesDeviceGetProperties */
};

struct geo_sysman_pci_state {
    zes_pci_state_t link;
    bool downgraded;
};

struct geo_sysman_overclock_state {
    zes_overclock_mode_t mode;
    bool waived, overclocked, needs_reset;
    zes_pending_action_t action;
};

/* How the driver learns of events without a thread: a descriptor that becomes readable, a polling
 * period, or both. Neither is needed if the backend knows the time of the next event (next_event),
 * or if events are caused by calls of this process: then the backend calls `wake`. */
struct geo_sysman_watch {
    int fd;             /* owned by the backend; -1: none */
    uint64_t period_ns; /* polling period; 0: the descriptor suffices */
    /* Set by the driver; tells it that there are events to take. May be called from any thread that
     * holds no lock, even when nothing is watched any more. */
    void (*wake)(void *context);
    void *context;
};

struct geo_sysman_device_ops {
    ze_result_t (*state)(struct geo_sysman *sysman, struct geo_sysman_device_state *state,
                         struct geo_strbuf *why);
    /* Resets the device. Returns HANDLE_OBJECT_IN_USE while a process uses it, unless `force` is
     * set. type NULL: the default type. */
    ze_result_t (*reset)(struct geo_sysman *sysman, bool force, const zes_reset_type_t *type,
                         struct geo_strbuf *why);
    ze_result_t (*processes)(struct geo_sysman *sysman, uint32_t *count,
                             zes_process_state_t *processes, struct geo_strbuf *why);
    ze_result_t (*pci_state)(struct geo_sysman *sysman, struct geo_sysman_pci_state *state,
                             struct geo_strbuf *why);
    ze_result_t (*pci_stats)(struct geo_sysman *sysman, zes_pci_stats_t *stats,
                             struct geo_strbuf *why);
    ze_result_t (*pci_set_downgrade)(struct geo_sysman *sysman, bool downgrade,
                                     zes_device_action_t *action, struct geo_strbuf *why);
    ze_result_t (*ecc_state)(struct geo_sysman *sysman, zes_device_ecc_properties_t *state,
                             struct geo_strbuf *why);
    ze_result_t (*ecc_set)(struct geo_sysman *sysman, zes_device_ecc_state_t wanted,
                           zes_device_ecc_properties_t *state, struct geo_strbuf *why);
    ze_result_t (*overclock_waive)(struct geo_sysman *sysman, struct geo_strbuf *why);
    ze_result_t (*overclock_reset)(struct geo_sysman *sysman, bool to_shipped,
                                   struct geo_strbuf *why);
    ze_result_t (*overclock_state)(struct geo_sysman *sysman,
                                   struct geo_sysman_overclock_state *state,
                                   struct geo_strbuf *why);
    /* Starts watching these events, in place of earlier ones. Events that the backend cannot detect
     * are ignored. `watch` is valid until the next watch or unwatch. A child of fork watches
     * nothing at first: open resources belong to the parent, and the first watch does not touch
     * them. */
    ze_result_t (*watch)(struct geo_sysman *sysman, zes_event_type_flags_t events,
                         struct geo_sysman_watch *watch, struct geo_strbuf *why);
    /* Returns the events since the last call, and empties the descriptor. It may return more events
     * than are watched. */
    zes_event_type_flags_t (*take_events)(struct geo_sysman *sysman);
    /* Returns the time of the next event if it is known in advance, in nanoseconds of
     * CLOCK_MONOTONIC, else UINT64_MAX. May be NULL. */
    uint64_t (*next_event)(struct geo_sysman *sysman);
    void (*unwatch)(struct geo_sysman *sysman);
};

/* The description of a device. Strings are never NULL: "unknown" if the system does not provide
 * them. */
struct geo_sysman_device {
    const char *serial, *board, *brand, *model, *vendor, *driver_version;
    const char *oem_serial; /* NULL: none */
    bool simulated;
    bool ecc_available, ecc_configurable;
    zes_device_ecc_state_t ecc_default;
    zes_event_type_flags_t events;   /* events that can occur, except thresholds */
    const zes_pci_properties_t *pci; /* NULL: not a PCI device */
    const zes_pci_bar_properties_1_2_t *bars;
    uint32_t bar_count;
    bool pci_downgrade;
    int32_t pci_max_generation;
    const struct geo_sysman_device_ops *ops;
};

/* ---- sysman ---- */

struct geo_sysman_ops {
    /* Opens sysman for a root device; called once. root: the folder that stands for "/" when files
     * are read; NULL: "/". Cheap, because components are searched at the first query. */
    ze_result_t (*open)(struct geo_backend_device *device, const char *root,
                        struct geo_sysman **out);
    void (*close)(struct geo_sysman *sysman);
    /* Returns the description, valid until close. */
    const struct geo_sysman_device *(*device)(struct geo_sysman *sysman);
    /* Returns the components of a class, including those of sub-devices. Pointers and descriptions
     * are valid until close and keep their order, because handles refer to them. Virtual functions
     * and ports may be added later. No component is removed: one that no longer exists returns
     * DEVICE_LOST. */
    const struct geo_sysman_component *const *(*components)(struct geo_sysman *sysman,
                                                            enum geo_sysman_class kind,
                                                            uint32_t *count);
};

#endif
