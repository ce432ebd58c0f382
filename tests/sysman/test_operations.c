/* Every operation of the backend as it fails: its code and its reason reach the caller, nothing is
 * written; one that is not there is UNSUPPORTED_FEATURE. A row is an operation and a right call
 * that needs it. */
#include "sysman.h"

#include <stdio.h>

/* Where the calls write to; full of FILL before each. */
static union {
    uint64_t words[256];
    double number;
    uint32_t count;
} out;
enum { FILL = 0xa5 };

/* The head of a structure at the start of `out`. */
static void *structure(zes_structure_type_t type)
{
    zes_base_properties_t *base = (void *)&out;
    base->stype = type;
    base->pNext = NULL;
    return base;
}

/* An array of one behind its count, which is at the end of `out`. */
static uint32_t *one(void)
{
    uint32_t *count = (uint32_t *)&out.words[255];
    *count = 1;
    return count;
}

/* ---- the calls ---- */

static ze_bool_t yes;
static zes_pending_action_t action;
static const zes_freq_range_t range = {400, 800};
static const zes_power_sustained_limit_t sustained = {1, 200000, 28};
static const zes_fan_speed_t fan_speed = {1000, ZES_FAN_SPEED_UNITS_RPM};
static const zes_led_color_t colour = {0.5, 0.5, 0.5};
static const zes_fabric_port_config_t port_config = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_CONFIG,
                                                     .enabled = 1};
static const zes_temp_config_t temp_config = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG,
                                              .enableCritical = 1};
static const zes_ras_config_t ras_config = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG,
                                            .totalThreshold = 3};
static const zes_ras_config_exp_t ras_config_exp = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG_EXP,
                                                    .category =
                                                        ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS,
                                                    .threshold = 3};
static const zes_ras_error_category_exp_t category = ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS;
static zes_sched_timeout_properties_t timeout = {
    .stype = ZES_STRUCTURE_TYPE_SCHED_TIMEOUT_PROPERTIES, .watchdogTimeout = 1};
static zes_sched_timeslice_properties_t timeslice = {
    .stype = ZES_STRUCTURE_TYPE_SCHED_TIMESLICE_PROPERTIES, .interval = 1};
static zes_reset_properties_t reset_properties = {.stype = ZES_STRUCTURE_TYPE_RESET_PROPERTIES};
static const zes_device_ecc_desc_t ecc_on = {.stype = ZES_STRUCTURE_TYPE_DEVICE_ECC_DESC,
                                             .state = ZES_DEVICE_ECC_STATE_ENABLED};
static char image[4] = "abc";

static ze_result_t ports_read(void)
{
    zes_fabric_port_handle_t ports[] = {get_port(0)};
    zes_fabric_port_throughput_t *to[] = {(void *)&out};
    return zesFabricPortGetMultiPortThroughput(device, 1, ports, to);
}

static ze_result_t overclock_state_read(void)
{
    return zesDeviceReadOverclockState(device, (void *)&out.words[0], (void *)&out.words[1],
                                       (void *)&out.words[2], (void *)&out.words[3],
                                       (void *)&out.words[4]);
}

static ze_result_t memory_state_read(void)
{
    zes_mem_page_offline_state_exp_t pages = {.stype =
                                                  ZES_STRUCTURE_TYPE_MEMORY_PAGE_OFFLINE_STATE_EXP};
    zes_mem_state_t *memory = structure(ZES_STRUCTURE_TYPE_MEM_STATE);
    memory->pNext = &pages;
    return zesMemoryGetState(get_memory(0), memory);
}

enum kind {
    GETS,     /* something is written to `out` */
    SETS,     /* nothing is */
    OPTIONAL, /* also without the operation it works */
    CHAINED,  /* for a chained structure: also without a value it works */
};

struct row {
    enum described_operation operation;
    enum kind kind;
    const char *text;
    ze_result_t (*call)(void);
};

/* Row number, operation, kind, call. */
#define ROWS(X)                                                                                    \
    X(1, power_energy, GETS, zesPowerGetEnergyCounter(get_power(0), (void *)&out))                 \
    X(2, power_limits, GETS,                                                                       \
      zesPowerGetLimitsExt(get_power(0), one(),                                                    \
                           structure(ZES_STRUCTURE_TYPE_POWER_LIMIT_EXT_DESC)))                    \
    X(3, power_limits, GETS, zesPowerGetLimits(get_power(0), (void *)&out, NULL, NULL))            \
    X(4, power_limits, GETS, zesPowerGetLimitsExt2(get_power(0), &out.count))                      \
    X(5, power_limits, SETS, zesPowerSetLimitsExt2(get_power(0), 200000))                          \
    X(6, power_set_limits, SETS, zesPowerSetLimitsExt2(get_power(0), 200000))                      \
    X(7, power_set_limits, SETS, zesPowerSetLimits(get_power(0), &sustained, NULL, NULL))          \
    X(8, power_usage, OPTIONAL,                                                                    \
      zesPowerGetUsage(get_power(0), (void *)&out.words[0], (void *)&out.words[1]))                \
    X(9, power_set_energy_threshold, OPTIONAL, zesPowerSetEnergyThreshold(get_power(0), 2))        \
    X(10, frequency_range, GETS, zesFrequencyGetRange(get_frequency(0), (void *)&out))             \
    X(11, frequency_set_range, SETS, zesFrequencySetRange(get_frequency(0), &range))               \
    X(12, frequency_state, GETS,                                                                   \
      zesFrequencyGetState(get_frequency(0), structure(ZES_STRUCTURE_TYPE_FREQ_STATE)))            \
    X(13, frequency_throttle_time, GETS,                                                           \
      zesFrequencyGetThrottleTime(get_frequency(0), (void *)&out))                                 \
    X(14, frequency_oc_capabilities, OPTIONAL,                                                     \
      zesFrequencyOcGetCapabilities(get_frequency(0),                                              \
                                    structure(ZES_STRUCTURE_TYPE_OC_CAPABILITIES)))                \
    X(15, frequency_oc_capabilities, GETS,                                                         \
      zesFrequencyOcGetFrequencyTarget(get_frequency(0), &out.number))                             \
    X(16, frequency_oc, GETS, zesFrequencyOcGetFrequencyTarget(get_frequency(0), &out.number))     \
    X(17, frequency_oc, GETS,                                                                      \
      zesFrequencyOcGetVoltageTarget(get_frequency(0), &out.number, (void *)&out.words[1]))        \
    X(18, frequency_oc, GETS, zesFrequencyOcGetMode(get_frequency(0), (void *)&out))               \
    X(19, frequency_oc, GETS, zesFrequencyOcGetIccMax(get_frequency(0), &out.number))              \
    X(20, frequency_oc, GETS, zesFrequencyOcGetTjMax(get_frequency(0), &out.number))               \
    X(21, frequency_oc_capabilities, SETS, zesFrequencyOcSetFrequencyTarget(get_frequency(0), 1))  \
    X(22, frequency_set_oc, SETS, zesFrequencyOcSetFrequencyTarget(get_frequency(0), 1))           \
    X(23, frequency_set_oc, SETS, zesFrequencyOcSetVoltageTarget(get_frequency(0), 1, 0))          \
    X(24, frequency_set_oc, SETS, zesFrequencyOcSetMode(get_frequency(0), ZES_OC_MODE_OVERRIDE))   \
    X(25, frequency_set_oc, SETS, zesFrequencyOcSetIccMax(get_frequency(0), 1))                    \
    X(26, frequency_set_oc, SETS, zesFrequencyOcSetTjMax(get_frequency(0), 1))                     \
    X(27, engine_activity, GETS, zesEngineGetActivity(get_engine(0), (void *)&out))                \
    X(28, engine_activity, GETS, zesEngineGetActivityExt(get_engine(0), one(), (void *)&out))      \
    X(29, scheduler_mode, GETS, zesSchedulerGetCurrentMode(get_scheduler(0), (void *)&out))        \
    X(30, scheduler_mode, GETS,                                                                    \
      zesSchedulerGetTimeoutModeProperties(                                                        \
          get_scheduler(0), 0, structure(ZES_STRUCTURE_TYPE_SCHED_TIMEOUT_PROPERTIES)))            \
    X(31, scheduler_mode, GETS,                                                                    \
      zesSchedulerGetTimesliceModeProperties(                                                      \
          get_scheduler(0), 0, structure(ZES_STRUCTURE_TYPE_SCHED_TIMESLICE_PROPERTIES)))          \
    X(32, scheduler_set_mode, SETS, zesSchedulerSetTimeoutMode(get_scheduler(0), &timeout, &yes))  \
    X(33, scheduler_set_mode, SETS,                                                                \
      zesSchedulerSetTimesliceMode(get_scheduler(0), &timeslice, &yes))                            \
    X(34, scheduler_set_mode, SETS, zesSchedulerSetExclusiveMode(get_scheduler(0), &yes))          \
    X(35, firmware_flash, SETS, zesFirmwareFlash(get_firmware(0), image, 3))                       \
    X(36, firmware_flash_progress, GETS, zesFirmwareGetFlashProgress(get_firmware(0), &out.count)) \
    X(37, firmware_console_log, GETS,                                                              \
      zesFirmwareGetConsoleLogs(get_firmware(0), (void *)&out, NULL))                              \
    X(38, firmware_security_version, GETS,                                                         \
      zesFirmwareGetSecurityVersionExp(get_firmware(0), (void *)&out))                             \
    X(39, firmware_fix_security_version, SETS, zesFirmwareSetSecurityVersionExp(get_firmware(0)))  \
    X(40, memory_state, GETS,                                                                      \
      zesMemoryGetState(get_memory(0), structure(ZES_STRUCTURE_TYPE_MEM_STATE)))                   \
    X(41, memory_bandwidth, GETS, zesMemoryGetBandwidth(get_memory(0), (void *)&out))              \
    X(42, memory_pages_offline, CHAINED, memory_state_read())                                      \
    X(43, fabric_port_config, GETS,                                                                \
      zesFabricPortGetConfig(get_port(0), structure(ZES_STRUCTURE_TYPE_FABRIC_PORT_CONFIG)))       \
    X(44, fabric_port_set_config, SETS, zesFabricPortSetConfig(get_port(0), &port_config))         \
    X(45, fabric_port_state, GETS,                                                                 \
      zesFabricPortGetState(get_port(0), structure(ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE)))         \
    X(46, fabric_port_throughput, GETS, zesFabricPortGetThroughput(get_port(0), (void *)&out))     \
    X(47, fabric_port_throughput, GETS, ports_read())                                              \
    X(48, fabric_port_errors, GETS,                                                                \
      zesFabricPortGetFabricErrorCounters(                                                         \
          get_port(0), structure(ZES_STRUCTURE_TYPE_FABRIC_PORT_ERROR_COUNTERS)))                  \
    X(49, temperature_state, GETS, zesTemperatureGetState(get_temperature(0), &out.number))        \
    X(50, temperature_set_thresholds, OPTIONAL,                                                    \
      zesTemperatureSetConfig(get_temperature(0), &temp_config))                                   \
    X(51, psu_state, GETS, zesPsuGetState(get_psu(0), structure(ZES_STRUCTURE_TYPE_PSU_STATE)))    \
    X(52, fan_config, GETS, zesFanGetConfig(get_fan(0), structure(ZES_STRUCTURE_TYPE_FAN_CONFIG))) \
    X(53, fan_set_config, SETS, zesFanSetDefaultMode(get_fan(0)))                                  \
    X(54, fan_set_config, SETS, zesFanSetFixedSpeedMode(get_fan(0), &fan_speed))                   \
    X(55, fan_speed, GETS, zesFanGetState(get_fan(0), ZES_FAN_SPEED_UNITS_RPM, (void *)&out))      \
    X(56, led_state, GETS, zesLedGetState(get_led(0), structure(ZES_STRUCTURE_TYPE_LED_STATE)))    \
    X(57, led_set_state, SETS, zesLedSetState(get_led(0), 1))                                      \
    X(58, led_set_state, SETS, zesLedSetColor(get_led(0), &colour))                                \
    X(59, ras_counters, GETS,                                                                      \
      zesRasGetState(get_ras(0), 0, structure(ZES_STRUCTURE_TYPE_RAS_STATE)))                      \
    X(60, ras_counters, GETS, zesRasGetStateExp(get_ras(0), one(), (void *)&out))                  \
    X(61, ras_counters, GETS,                                                                      \
      zesRasGetStateExp2(get_ras(0), 1, &category, structure(ZES_STRUCTURE_TYPE_RAS_STATE_EXP2)))  \
    X(62, ras_clear, GETS, zesRasGetState(get_ras(0), 1, structure(ZES_STRUCTURE_TYPE_RAS_STATE))) \
    X(63, ras_clear, SETS, zesRasClearStateExp(get_ras(0), category))                              \
    X(64, ras_set_thresholds, OPTIONAL, zesRasSetConfig(get_ras(0), &ras_config))                  \
    X(65, ras_set_thresholds, OPTIONAL, zesRasSetConfigExp(get_ras(0), 1, &ras_config_exp))        \
    X(66, diagnostics_run, GETS,                                                                   \
      zesDiagnosticsRunTests(get_suite(0), ZES_DIAG_FIRST_TEST_INDEX, ZES_DIAG_LAST_TEST_INDEX,    \
                             (void *)&out))                                                        \
    X(67, standby_mode, GETS, zesStandbyGetMode(get_standby(0), (void *)&out))                     \
    X(68, standby_set_mode, SETS, zesStandbySetMode(get_standby(0), ZES_STANDBY_PROMO_MODE_NEVER)) \
    X(69, performance_factor, GETS,                                                                \
      zesPerformanceFactorGetConfig(get_performance(0), &out.number))                              \
    X(70, performance_set_factor, SETS, zesPerformanceFactorSetConfig(get_performance(0), 60))     \
    X(71, overclock_control, GETS,                                                                 \
      zesOverclockGetControlCurrentValue(get_overclock(0), ZES_OVERCLOCK_CONTROL_FREQ_OFFSET,      \
                                         &out.number))                                             \
    X(72, overclock_control, GETS,                                                                 \
      zesOverclockGetControlPendingValue(get_overclock(0), ZES_OVERCLOCK_CONTROL_FREQ_OFFSET,      \
                                         &out.number))                                             \
    X(73, overclock_control, GETS,                                                                 \
      zesOverclockGetControlState(get_overclock(0), ZES_OVERCLOCK_CONTROL_FREQ_OFFSET,             \
                                  (void *)&out.words[0], (void *)&out.words[1]))                   \
    X(74, overclock_set_control, SETS,                                                             \
      zesOverclockSetControlUserValue(get_overclock(0), ZES_OVERCLOCK_CONTROL_FREQ_OFFSET, 50,     \
                                      &action))                                                    \
    X(75, overclock_point, GETS,                                                                   \
      zesOverclockGetVFPointValues(get_overclock(0), ZES_VF_TYPE_FREQ,                             \
                                   ZES_VF_ARRAY_TYPE_LIVE_VF_ARRAY, 1, &out.count))                \
    X(76, overclock_set_point, SETS,                                                               \
      zesOverclockSetVFPointValues(get_overclock(0), ZES_VF_TYPE_FREQ, 1, 900))                    \
    X(77, virtual_function_memory, GETS,                                                           \
      zesVFManagementGetVFMemoryUtilizationExp2(get_function(0), one(),                            \
                                                structure(ZES_STRUCTURE_TYPE_VF_UTIL_MEM_EXP2)))   \
    X(78, virtual_function_memory, GETS,                                                           \
      zesVFManagementGetVFMemoryUtilizationExp(get_function(0), one(),                             \
                                               structure(ZES_STRUCTURE_TYPE_VF_UTIL_MEM_EXP)))     \
    X(79, virtual_function_engines, GETS,                                                          \
      zesVFManagementGetVFEngineUtilizationExp2(                                                   \
          get_function(0), one(), structure(ZES_STRUCTURE_TYPE_VF_UTIL_ENGINE_EXP2)))              \
    X(80, virtual_function_engines, GETS,                                                          \
      zesVFManagementGetVFEngineUtilizationExp(get_function(0), one(),                             \
                                               structure(ZES_STRUCTURE_TYPE_VF_UTIL_ENGINE_EXP)))  \
    X(81, virtual_function_set_telemetry, SETS,                                                    \
      zesVFManagementSetVFTelemetryModeExp(get_function(0), ZES_VF_INFO_UTIL_EXP_FLAG_INFO_ENGINE, \
                                           1))                                                     \
    X(82, device_state, GETS,                                                                      \
      zesDeviceGetState(device, structure(ZES_STRUCTURE_TYPE_DEVICE_STATE)))                       \
    X(83, device_reset, SETS, zesDeviceReset(device, 0))                                           \
    X(84, device_reset, SETS, zesDeviceResetExt(device, &reset_properties))                        \
    X(85, device_processes, GETS, zesDeviceProcessesGetState(device, &out.count, NULL))            \
    X(86, device_pci_state, GETS,                                                                  \
      zesDevicePciGetState(device, structure(ZES_STRUCTURE_TYPE_PCI_STATE)))                       \
    X(87, device_pci_stats, GETS, zesDevicePciGetStats(device, (void *)&out))                      \
    X(88, device_pci_set_downgrade, GETS, zesDevicePciLinkSpeedUpdateExt(device, 1, (void *)&out)) \
    X(89, device_ecc_state, GETS,                                                                  \
      zesDeviceGetEccState(device, structure(ZES_STRUCTURE_TYPE_DEVICE_ECC_PROPERTIES)))           \
    X(90, device_ecc_set, GETS,                                                                    \
      zesDeviceSetEccState(device, &ecc_on, structure(ZES_STRUCTURE_TYPE_DEVICE_ECC_PROPERTIES)))  \
    X(91, device_overclock_waive, SETS, zesDeviceSetOverclockWaiver(device))                       \
    X(92, device_overclock_reset, SETS, zesDeviceResetOverclockSettings(device, 1))                \
    X(93, device_overclock_state, GETS, overclock_state_read())                                    \
    X(94, device_watch, OPTIONAL, zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_MEM_HEALTH))

#define CALL(number, operation, kind, ...)                                                         \
    static ze_result_t call_##number(void)                                                         \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }
ROWS(CALL)
#define ROW(number, operation, kind, ...)                                                          \
    {DESCRIBED_##operation, kind, #__VA_ARGS__, call_##number},
static const struct row rows[] = {ROWS(ROW)};
enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* What all of the calls need. */
static void write_state(void)
{
    state->limit_count = 1;
    state->limits[0] = (zes_power_limit_ext_desc_t){.level = ZES_POWER_LEVEL_SUSTAINED,
                                                    .source = ZES_POWER_SOURCE_ANY,
                                                    .limitUnit = ZES_LIMIT_UNIT_POWER,
                                                    .enabled = 1,
                                                    .interval = 28,
                                                    .limit = 250000};
    state->energy_step = (zes_power_energy_counter_t){1000, 100};
    state->oc = (zes_oc_capabilities_t){.isOcSupported = 1,
                                        .maxOcFrequency = 2000,
                                        .maxOcVoltage = 1.2,
                                        .maxOcVoltageOffset = 0.1,
                                        .isTjMaxSupported = 1,
                                        .isIccMaxSupported = 1};
    state->process_count = 1;
}

/* ---- what comes of them ---- */

static void a_failure_is_handed_on(void **unused)
{
    static const ze_result_t results[] = {ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS,
                                          ZE_RESULT_ERROR_DEVICE_LOST,
                                          ZE_RESULT_ERROR_NOT_AVAILABLE};
    (void)unused;
    write_state();
    for (size_t i = 0; i < ROW_COUNT; i++) {
        for (size_t k = 0; k < 3; k++) {
            char reason[64];
            snprintf(reason, sizeof(reason), "the test says no %d", (int)rows[i].operation);
            set_operation(rows[i].operation, (int)results[k]);
            if (rows[i].kind == CHAINED && results[k] == ZE_RESULT_ERROR_NOT_AVAILABLE) {
                assert_success(rows[i].call());
                continue;
            }
            if (rows[i].call() != results[k] || !strstr(sysman_error(), reason)) {
                fail_msg("%s: %s", rows[i].text, sysman_error());
            }
        }
        set_operation(rows[i].operation, ZE_RESULT_SUCCESS);
    }
}

static void what_is_absent_is_unsupported(void **unused)
{
    (void)unused;
    write_state();
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const ze_result_t expected = rows[i].kind == OPTIONAL || rows[i].kind == CHAINED
                                         ? ZE_RESULT_SUCCESS
                                         : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        set_operation(rows[i].operation, DESCRIBED_ABSENT);
        ze_result_t result = rows[i].call();
        if (result != expected) {
            fail_msg("%s: 0x%x", rows[i].text, (unsigned)result);
        }
        set_operation(rows[i].operation, ZE_RESULT_SUCCESS);
    }
    assert_success(zesDeviceEventRegister(device, 0));
}

static void a_failure_writes_nothing(void **unused)
{
    (void)unused;
    write_state();
    for (size_t i = 0; i < ROW_COUNT; i++) {
        unsigned char before[sizeof(out)];
        if (rows[i].kind == OPTIONAL || rows[i].kind == CHAINED) {
            continue;
        }
        memset(&out, FILL, sizeof(out));
        set_operation(rows[i].operation, DESCRIBED_ABSENT);
        (void)rows[i].call(); /* writes heads and counts, which are the call's own */
        memcpy(before, out.words, sizeof(out));
        set_operation(rows[i].operation, (int)ZE_RESULT_ERROR_DEVICE_LOST);
        assert_result(rows[i].call(), ZE_RESULT_ERROR_DEVICE_LOST);
        if (memcmp(before, out.words, sizeof(out)) != 0) {
            fail_msg("%s wrote something", rows[i].text);
        }
        set_operation(rows[i].operation, ZE_RESULT_SUCCESS);
    }
}

static void all_work_and_getters_write(void **unused)
{
    (void)unused;
    write_state();
    for (size_t i = 0; i < ROW_COUNT; i++) {
        unsigned char before[sizeof(out)];
        memset(&out, FILL, sizeof(out));
        set_operation(rows[i].operation, (int)ZE_RESULT_ERROR_DEVICE_LOST);
        (void)rows[i].call();
        memcpy(before, out.words, sizeof(out));
        set_operation(rows[i].operation, ZE_RESULT_SUCCESS);
        const uint32_t calls = state->calls[rows[i].operation];
        const ze_result_t result = rows[i].call();
        const bool wrote = memcmp(before, out.words, sizeof(out)) != 0;
        if ((result != ZE_RESULT_SUCCESS && result != ZE_RESULT_WARNING_ACTION_REQUIRED) ||
            (rows[i].kind == GETS && !wrote) || state->calls[rows[i].operation] == calls) {
            fail_msg("%s: 0x%x %s", rows[i].text, (unsigned)result, sysman_error());
        }
    }
    assert_success(zesDeviceEventRegister(device, 0));
}

static void every_operation_has_a_row(void **unused)
{
    bool has[DESCRIBED_COUNT] = {false};
    (void)unused;
    has[DESCRIBED_firmware_version] = true; /* "unknown" in place of a failure: test_health.c */
    for (size_t i = 0; i < ROW_COUNT; i++) {
        has[rows[i].operation] = true;
    }
    for (int i = 0; i < DESCRIBED_COUNT; i++) {
        if (!has[i]) {
            fail_msg("operation %d", i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        SYSMAN_CASE(a_failure_is_handed_on),    SYSMAN_CASE(what_is_absent_is_unsupported),
        SYSMAN_CASE(a_failure_writes_nothing),  SYSMAN_CASE(all_work_and_getters_write),
        SYSMAN_CASE(every_operation_has_a_row),
    };
    return cmocka_run_group_tests_name("sysman operations", cases, sysman_setup, NULL);
}
