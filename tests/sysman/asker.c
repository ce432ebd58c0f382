/* Asks the first device's sysman for what rights decide about, and prints a line an answer: what,
 * the result, and the last error's text or the value. test_rights.py starts it as somebody, over
 * some /sys.
 *
 *     sysman_asker [--set]    --set: sets as well; for a /sys that is a test's own */
#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

static zes_driver_handle_t driver;
static zes_device_handle_t device;

/* "power[0].energy 0x0 231884013972", "... 0x70010000 /sys/...: Permission denied" */
static void tell(const char *kind, uint32_t index, const char *what, ze_result_t result,
                 double value)
{
    const char *text = "";
    printf("%s[%u].%s 0x%x ", kind, index, what, (unsigned)result);
    if (result == ZE_RESULT_SUCCESS) {
        printf("%.0f\n", value);
        return;
    }
    zeDriverGetLastErrorDescription((ze_driver_handle_t)driver, &text);
    printf("%s\n", text ? text : "");
}

static void power_ask(bool set)
{
    zes_pwr_handle_t handles[MOST];
    uint32_t count = MOST;
    zesDeviceEnumPowerDomains(device, &count, handles);
    for (uint32_t i = 0; i < count; i++) {
        zes_power_energy_counter_t energy = {0};
        zes_power_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES};
        ze_result_t result = zesPowerGetProperties(handles[i], &properties);
        tell("power", i, "control", result, properties.canControl);
        result = zesPowerGetEnergyCounter(handles[i], &energy);
        tell("power", i, "energy", result, (double)energy.energy);
        zes_power_limit_ext_desc_t limit = {.stype = ZES_STRUCTURE_TYPE_POWER_LIMIT_EXT_DESC};
        uint32_t limits = 1;
        result = zesPowerGetLimitsExt(handles[i], &limits, &limit);
        tell("power", i, "limit", result, limits ? limit.limit : -1);
        if (set && limits) {
            limit.limit += 1000;
            tell("power", i, "set", zesPowerSetLimitsExt(handles[i], &limits, &limit), 0);
        }
    }
}

static void frequency_ask(bool set)
{
    zes_freq_handle_t handles[MOST];
    uint32_t count = MOST;
    zesDeviceEnumFrequencyDomains(device, &count, handles);
    for (uint32_t i = 0; i < count; i++) {
        zes_freq_state_t now = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};
        zes_freq_range_t range = {0};
        ze_result_t result = zesFrequencyGetState(handles[i], &now);
        tell("frequency", i, "state", result, now.actual);
        result = zesFrequencyGetRange(handles[i], &range);
        tell("frequency", i, "range", result, range.max);
        if (set && result == ZE_RESULT_SUCCESS) {
            range.max -= 100;
            tell("frequency", i, "set", zesFrequencySetRange(handles[i], &range), 0);
        }
    }
}

static void sensors_ask(bool set)
{
    zes_temp_handle_t temperatures[MOST];
    zes_fan_handle_t fans[MOST];
    uint32_t count = MOST;
    zesDeviceEnumTemperatureSensors(device, &count, temperatures);
    for (uint32_t i = 0; i < count; i++) {
        double celsius = 0;
        ze_result_t result = zesTemperatureGetState(temperatures[i], &celsius);
        tell("temperature", i, "state", result, celsius);
    }
    count = MOST;
    zesDeviceEnumFans(device, &count, fans);
    for (uint32_t i = 0; i < count; i++) {
        int32_t rpm = 0;
        ze_result_t result = zesFanGetState(fans[i], ZES_FAN_SPEED_UNITS_RPM, &rpm);
        tell("fan", i, "state", result, rpm);
        if (set) {
            tell("fan", i, "set", zesFanSetDefaultMode(fans[i]), 0);
        }
    }
}

static void memory_ask(bool set)
{
    zes_mem_handle_t modules[MOST];
    zes_ras_handle_t errors[MOST];
    uint32_t count = MOST;
    zesDeviceEnumMemoryModules(device, &count, modules);
    for (uint32_t i = 0; i < count; i++) {
        zes_mem_state_t now = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};
        zes_mem_bandwidth_t traffic;
        ze_result_t result = zesMemoryGetState(modules[i], &now);
        tell("memory", i, "state", result, (double)now.size);
        tell("memory", i, "bandwidth", zesMemoryGetBandwidth(modules[i], &traffic), 0);
    }
    count = MOST;
    zesDeviceEnumRasErrorSets(device, &count, errors);
    for (uint32_t i = 0; i < count; i++) {
        zes_ras_state_t now = {.stype = ZES_STRUCTURE_TYPE_RAS_STATE};
        tell("ras", i, "state", zesRasGetState(errors[i], false, &now), 0);
        if (set) {
            tell("ras", i, "set", zesRasGetState(errors[i], true, &now), 0);
        }
    }
}

static void device_ask(void)
{
    zes_engine_handle_t engines[MOST];
    uint32_t count = MOST;
    zes_device_ecc_properties_t ecc = {.stype = ZES_STRUCTURE_TYPE_DEVICE_ECC_PROPERTIES};
    tell("device", 0, "ecc", zesDeviceGetEccState(device, &ecc), ecc.currentState);
    zesDeviceEnumEngineGroups(device, &count, engines);
    for (uint32_t i = 0; i < count; i++) {
        zes_engine_stats_t stats = {0};
        ze_result_t result = zesEngineGetActivity(engines[i], &stats);
        tell("engine", i, "activity", result, (double)stats.activeTime);
    }
}

int main(int argc, char **argv)
{
    const bool set = argc > 1 && strcmp(argv[1], "--set") == 0;
    uint32_t count = 1;
    if (zesInit(0) != ZE_RESULT_SUCCESS || zesDriverGet(&count, &driver) != ZE_RESULT_SUCCESS ||
        count == 0) {
        fprintf(stderr, "no driver\n");
        return 1;
    }
    count = 1;
    if (zesDeviceGet(driver, &count, &device) != ZE_RESULT_SUCCESS || count == 0) {
        fprintf(stderr, "no device\n");
        return 1;
    }
    device_ask();
    power_ask(set);
    frequency_ask(set);
    sensors_ask(set);
    memory_ask(set);
    return 0;
}
