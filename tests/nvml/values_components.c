/* What sysman tells of a device's components. See values.h. */
#include "values.h"

#include <string.h>
#include <time.h>

static void power_print(zes_device_handle_t device)
{
    zes_pwr_handle_t handles[MOST];
    uint32_t count = MOST;
    if (!good("power", zesDeviceEnumPowerDomains(device, &count, handles))) {
        return;
    }
    PRINT("power", "%u", count);
    for (uint32_t i = 0; i < count; i++) {
        zes_power_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES};
        zes_power_energy_counter_t first, second;
        zes_power_limit_ext_desc_t limits[4] = {{.stype = ZES_STRUCTURE_TYPE_POWER_LIMIT_EXT_DESC}};
        uint32_t limit_count = 1;
        const struct timespec pause = {.tv_nsec = 500000000};
        if (good("power.properties", zesPowerGetProperties(handles[i], &properties))) {
            PRINT("power.limit_default", "%d", properties.defaultLimit);
            PRINT("power.limit_min", "%d", properties.minLimit);
            PRINT("power.limit_max", "%d", properties.maxLimit);
            PRINT("power.control", "%u", properties.canControl);
        }
        if (good("power.limit", zesPowerGetLimitsExt(handles[i], &limit_count, limits))) {
            PRINT("power.limit", "%d", limits[0].limit);
        }
        if (good("power.energy", zesPowerGetEnergyCounter(handles[i], &first))) {
            PRINT("power.energy_uj", "%llu", (unsigned long long)first.energy);
            nanosleep(&pause, NULL);
            if (good("power.energy", zesPowerGetEnergyCounter(handles[i], &second)) &&
                second.timestamp > first.timestamp) {
                PRINT("power.mw_by_energy", "%.0f",
                      1e3 * (double)(second.energy - first.energy) /
                          (double)(second.timestamp - first.timestamp));
            }
        }
        uint32_t instant = 0, average = 0;
        if (good("power.usage", zesPowerGetUsage(handles[i], &instant, &average))) {
            PRINT("power.mw", "%u", instant);
            PRINT("power.mw_average", "%u", average);
        }
    }
}

static void frequency_print(zes_device_handle_t device)
{
    static const char *const names[] = {"graphics", "memory", "video"};
    zes_freq_handle_t handles[MOST];
    uint32_t count = MOST;
    if (!good("frequency", zesDeviceEnumFrequencyDomains(device, &count, handles))) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        zes_freq_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FREQ_PROPERTIES};
        zes_freq_state_t state = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};
        zes_freq_throttle_time_t time;
        zes_freq_range_t range;
        char name[64];
        double clocks[4096];
        uint32_t clock_count = 4096;
        if (!good("frequency.properties", zesFrequencyGetProperties(handles[i], &properties))) {
            continue;
        }
#define NAME(what)                                                                                 \
    (snprintf(name, sizeof(name), "clock.%s." what, names[properties.type % 3]), name)
        PRINT(NAME("min"), "%g", properties.min);
        PRINT(NAME("max"), "%g", properties.max);
        PRINT(NAME("control"), "%u", properties.canControl);
        if (good(NAME("supported"),
                 zesFrequencyGetAvailableClocks(handles[i], &clock_count, clocks))) {
            PRINT(NAME("supported"), "%u", clock_count);
            if (clock_count) {
                PRINT(NAME("lowest"), "%g", clocks[0]);
                PRINT(NAME("highest"), "%g", clocks[clock_count - 1]);
            }
        }
        if (good(NAME("state"), zesFrequencyGetState(handles[i], &state))) {
            PRINT(NAME("actual"), "%g", state.actual);
            PRINT(NAME("request"), "%g", state.request);
            PRINT(NAME("throttle"), "0x%x", state.throttleReasons);
        }
        if (good(NAME("throttle_time"), zesFrequencyGetThrottleTime(handles[i], &time))) {
            PRINT(NAME("throttle_us"), "%llu", (unsigned long long)time.throttleTime);
        }
        if (good(NAME("range"), zesFrequencyGetRange(handles[i], &range))) {
            PRINT(NAME("range"), "%g %g", range.min, range.max);
        }
#undef NAME
    }
}

static void engines_print(zes_device_handle_t device)
{
    zes_engine_handle_t handles[MOST];
    zes_engine_stats_t first[MOST], second[MOST];
    uint32_t count = MOST;
    const struct timespec pause = {.tv_sec = 3};
    if (!good("engine", zesDeviceEnumEngineGroups(device, &count, handles))) {
        return;
    }
    PRINT("engine", "%u", count);
    for (uint32_t i = 0; i < count; i++) {
        (void)zesEngineGetActivity(handles[i], &first[i]);
    }
    nanosleep(&pause, NULL);
    for (uint32_t i = 0; i < count; i++) {
        zes_engine_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES};
        (void)zesEngineGetProperties(handles[i], &properties);
        if (good(key("engine.%u", (unsigned)properties.type),
                 zesEngineGetActivity(handles[i], &second[i]))) {
            const double span = (double)(second[i].timestamp - first[i].timestamp);
            PRINT(key("engine.%u.seen_us", (unsigned)properties.type), "%.0f", span);
            PRINT(key("engine.%u.percent", (unsigned)properties.type), "%.1f",
                  span > 0 ? 100.0 * (double)(second[i].activeTime - first[i].activeTime) / span
                           : -1.0);
        }
    }
}

static void memory_print(zes_device_handle_t device)
{
    zes_mem_handle_t handles[MOST];
    uint32_t count = MOST;
    if (!good("memory", zesDeviceEnumMemoryModules(device, &count, handles))) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        zes_mem_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES};
        zes_mem_state_t state = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};
        zes_mem_bandwidth_t bandwidth;
        if (good("memory.properties", zesMemoryGetProperties(handles[i], &properties))) {
            PRINT(key("memory%u.type", i), "%d", (int)properties.type);
            PRINT(key("memory%u.size", i), "%llu", (unsigned long long)properties.physicalSize);
            PRINT(key("memory%u.bus", i), "%d", properties.busWidth);
            PRINT(key("memory%u.part", i), "%u %u", properties.onSubdevice, properties.subdeviceId);
        }
        if (good("memory.state", zesMemoryGetState(handles[i], &state))) {
            PRINT(key("memory%u.free", i), "%llu", (unsigned long long)state.free);
            PRINT(key("memory%u.health", i), "%d", (int)state.health);
        }
        if (good(key("memory%u.bandwidth", i), zesMemoryGetBandwidth(handles[i], &bandwidth))) {
            PRINT(key("memory%u.bandwidth", i), "%llu", (unsigned long long)bandwidth.maxBandwidth);
        }
    }
}

static void temperature_print(zes_device_handle_t device)
{
    zes_temp_handle_t handles[MOST];
    uint32_t count = MOST;
    if (!good("temperature", zesDeviceEnumTemperatureSensors(device, &count, handles))) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        zes_temp_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_TEMP_PROPERTIES};
        double celsius;
        if (good("temperature.properties", zesTemperatureGetProperties(handles[i], &properties))) {
            PRINT(key("temperature%u.max", (unsigned)properties.type), "%g",
                  properties.maxTemperature);
        }
        if (good("temperature.state", zesTemperatureGetState(handles[i], &celsius))) {
            PRINT(key("temperature%u", (unsigned)properties.type), "%g", celsius);
        }
    }
}

static void fans_print(zes_device_handle_t device)
{
    zes_fan_handle_t handles[MOST];
    uint32_t count = MOST;
    if (!good("fan", zesDeviceEnumFans(device, &count, handles))) {
        return;
    }
    PRINT("fan", "%u", count);
    for (uint32_t i = 0; i < count; i++) {
        int32_t speed;
        if (good(key("fan%u", i),
                 zesFanGetState(handles[i], ZES_FAN_SPEED_UNITS_PERCENT, &speed))) {
            PRINT(key("fan%u", i), "%d", speed);
        }
    }
}

static void errors_print(zes_device_handle_t device)
{
    zes_ras_handle_t handles[MOST];
    uint32_t count = MOST;
    if (!good("ras", zesDeviceEnumRasErrorSets(device, &count, handles))) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        zes_ras_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_RAS_PROPERTIES};
        zes_ras_state_exp_t states[MOST];
        uint32_t states_count = MOST;
        (void)zesRasGetProperties(handles[i], &properties);
        if (good("ras.state", zesRasGetStateExp(handles[i], &states_count, states))) {
            for (uint32_t k = 0; k < states_count; k++) {
                PRINT(key(properties.type == ZES_RAS_ERROR_TYPE_CORRECTABLE ? "ras.corrected.%u"
                                                                            : "ras.uncorrected.%u",
                          (unsigned)states[k].category),
                      "%llu", (unsigned long long)states[k].errorCounter);
            }
        }
    }
}

static void ports_print(zes_device_handle_t device)
{
    zes_fabric_port_handle_t handles[MOST];
    uint32_t count = MOST;
    if (!good("port", zesDeviceEnumFabricPorts(device, &count, handles))) {
        return;
    }
    PRINT("port", "%u", count);
    for (uint32_t i = 0; i < count; i++) {
        zes_fabric_port_properties_t properties = {.stype =
                                                       ZES_STRUCTURE_TYPE_FABRIC_PORT_PROPERTIES};
        zes_fabric_port_state_t state = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE};
        zes_fabric_port_error_counters_t errors = {
            .stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_ERROR_COUNTERS};
        zes_fabric_port_throughput_t throughput;
        (void)zesFabricPortGetProperties(handles[i], &properties);
        if (good(key("port%u", i), zesFabricPortGetState(handles[i], &state))) {
            PRINT(key("port%u.speed", properties.portId.portNumber), "%lld",
                  state.rxSpeed.width > 0 ? (long long)state.rxSpeed.bitRate * state.rxSpeed.width
                                          : -1);
            PRINT(key("port%u.max_speed", properties.portId.portNumber), "%lld",
                  (long long)properties.maxRxSpeed.bitRate * properties.maxRxSpeed.width);
            PRINT(key("port%u.state", properties.portId.portNumber), "status %d remote 0x%x:%u",
                  (int)state.status, state.remotePortId.fabricId, state.remotePortId.portNumber);
        }
        if (good(key("port%u.throughput", i),
                 zesFabricPortGetThroughput(handles[i], &throughput))) {
            PRINT(key("port%u.rx", properties.portId.portNumber), "%llu",
                  (unsigned long long)throughput.rxCounter);
            PRINT(key("port%u.tx", properties.portId.portNumber), "%llu",
                  (unsigned long long)throughput.txCounter);
        }
        if (good(key("port%u.errors", i),
                 zesFabricPortGetFabricErrorCounters(handles[i], &errors))) {
            PRINT(key("port%u.recoveries", properties.portId.portNumber), "%llu",
                  (unsigned long long)errors.linkFailureCount);
        }
    }
}

static void firmware_print(zes_device_handle_t device)
{
    zes_firmware_handle_t handles[MOST];
    uint32_t count = MOST;
    if (!good("firmware", zesDeviceEnumFirmwares(device, &count, handles))) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        zes_firmware_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FIRMWARE_PROPERTIES};
        if (good("firmware.properties", zesFirmwareGetProperties(handles[i], &properties))) {
            char name[ZES_STRING_PROPERTY_SIZE + 16];
            snprintf(name, sizeof(name), "firmware.%s", properties.name);
            for (char *at = name; (at = strchr(at, ' '));) {
                *at = '_';
            }
            PRINT(name, "%s", properties.version);
        }
    }
}

void values_components_print(zes_device_handle_t device)
{
    power_print(device);
    frequency_print(device);
    memory_print(device);
    temperature_print(device);
    fans_print(device);
    errors_print(device);
    ports_print(device);
    firmware_print(device);
    engines_print(device);
}
