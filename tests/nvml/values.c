/* Prints what sysman tells of every device that is on a PCI bus, one value a line, for compare.py:
 *
 *     <device> <value> <text>
 *
 * A call that fails has its result for a text, "error 0x...". Nothing is set. */
#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };

static unsigned number; /* of the device */
static zes_driver_handle_t driver;

#define PRINT(name, ...)                                                                           \
    do {                                                                                           \
        printf("%u %s ", number, name);                                                            \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
    } while (0)

/* False, and printed, where the call failed. */
static int good(const char *name, ze_result_t result)
{
    const char *text = "";
    if (result == ZE_RESULT_SUCCESS) {
        return 1;
    }
    (void)zeDriverGetLastErrorDescription((ze_driver_handle_t)driver, &text);
    PRINT(name, "error 0x%x %s", (unsigned)result, text ? text : "");
    return 0;
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static const char *key(const char *format, unsigned index)
{
    static char texts[8][64];
    static unsigned next;
    char *text = texts[next++ % 8];
    snprintf(text, sizeof(texts[0]), format, index);
    return text;
}

/* ---- the device ---- */

static void identity_print(zes_device_handle_t device)
{
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    zes_device_ext_properties_t extension = {.stype = ZES_STRUCTURE_TYPE_DEVICE_EXT_PROPERTIES};
    char uuid[40] = "";
    properties.pNext = &extension;
    if (!good("properties", zesDeviceGetProperties(device, &properties))) {
        return;
    }
    for (int i = 0; i < 16; i++) {
        static const int dashes = 1 << 4 | 1 << 6 | 1 << 8 | 1 << 10;
        sprintf(uuid + strlen(uuid), "%s%02x", dashes >> i & 1 ? "-" : "", extension.uuid.id[i]);
    }
    PRINT("uuid", "GPU-%s", uuid);
    PRINT("core.name", "%s", properties.core.name);
    PRINT("core.device_id", "0x%x", properties.core.deviceId);
    PRINT("core.clock", "%u", properties.core.coreClockRate);
    PRINT("core.cores", "%u",
          properties.core.physicalEUSimdWidth * properties.core.numEUsPerSubslice);
    PRINT("model", "%s", properties.modelName);
    PRINT("serial", "%s", properties.serialNumber);
    PRINT("board", "%s", properties.boardNumber);
    PRINT("brand", "%s", properties.brandName);
    PRINT("vendor", "%s", properties.vendorName);
    PRINT("driver", "%s", properties.driverVersion);
    PRINT("subdevices", "%u", properties.numSubdevices);
    PRINT("flags", "0x%x", extension.flags);
}

static void pci_print(zes_device_handle_t device)
{
    zes_pci_properties_t pci = {.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES};
    zes_pci_state_t state = {.stype = ZES_STRUCTURE_TYPE_PCI_STATE};
    zes_pci_bar_properties_t bars[MOST];
    zes_pci_stats_t stats;
    uint32_t count = MOST;
    if (good("pci", zesDevicePciGetProperties(device, &pci))) {
        PRINT("pci.address", "%08X:%02X:%02X.%X", pci.address.domain, pci.address.bus,
              pci.address.device, pci.address.function);
        PRINT("pci.max_gen", "%d", pci.maxSpeed.gen);
        PRINT("pci.max_width", "%d", pci.maxSpeed.width);
        PRINT("pci.max_bandwidth", "%lld", (long long)pci.maxSpeed.maxBandwidth);
        PRINT("pci.counters", "bandwidth %u packets %u replays %u", pci.haveBandwidthCounters,
              pci.havePacketCounters, pci.haveReplayCounters);
    }
    if (good("pci.state", zesDevicePciGetState(device, &state))) {
        PRINT("pci.gen", "%d", state.speed.gen);
        PRINT("pci.width", "%d", state.speed.width);
        PRINT("pci.status", "%d issues 0x%x", (int)state.status, state.qualityIssues);
    }
    if (good("pci.stats", zesDevicePciGetStats(device, &stats))) {
        PRINT("pci.replays", "%llu", (unsigned long long)stats.replayCounter);
        PRINT("pci.rx", "%llu", (unsigned long long)stats.rxCounter);
        PRINT("pci.tx", "%llu", (unsigned long long)stats.txCounter);
    }
    memset(bars, 0, sizeof(bars));
    for (uint32_t i = 0; i < MOST; i++) {
        bars[i].stype = ZES_STRUCTURE_TYPE_PCI_BAR_PROPERTIES;
    }
    if (good("pci.bars", zesDevicePciGetBars(device, &count, bars))) {
        for (uint32_t i = 0; i < count; i++) {
            PRINT(key("pci.bar%u", bars[i].index), "type %d base 0x%llx size %llu",
                  (int)bars[i].type, (unsigned long long)bars[i].base,
                  (unsigned long long)bars[i].size);
        }
    }
}

static void state_print(zes_device_handle_t device)
{
    zes_device_state_t state = {.stype = ZES_STRUCTURE_TYPE_DEVICE_STATE};
    zes_device_ecc_properties_t ecc = {.stype = ZES_STRUCTURE_TYPE_DEVICE_ECC_PROPERTIES};
    ze_bool_t available = 0, configurable = 0;
    if (good("state", zesDeviceGetState(device, &state))) {
        PRINT("state", "reset 0x%x repaired %d", state.reset, (int)state.repaired);
    }
    if (good("ecc.available", zesDeviceEccAvailable(device, &available)) &&
        good("ecc.configurable", zesDeviceEccConfigurable(device, &configurable))) {
        PRINT("ecc", "available %u configurable %u", available, configurable);
    }
    if (good("ecc.state", zesDeviceGetEccState(device, &ecc))) {
        PRINT("ecc.current", "%d", (int)ecc.currentState);
        PRINT("ecc.pending", "%d", (int)ecc.pendingState);
    }
}

static void processes_print(zes_device_handle_t device)
{
    uint32_t count = 0;
    if (!good("processes", zesDeviceProcessesGetState(device, &count, NULL))) {
        return;
    }
    PRINT("processes", "%u", count);
    zes_process_state_t *processes = calloc(count + 1u, sizeof(*processes));
    if (processes && count &&
        good("processes", zesDeviceProcessesGetState(device, &count, processes))) {
        for (uint32_t i = 0; i < count; i++) {
            PRINT(key("process.%u", processes[i].processId), "%llu engines 0x%x",
                  (unsigned long long)processes[i].memSize, processes[i].engines);
        }
    }
    free(processes);
}

/* ---- components ---- */

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

/* ---- beside values ---- */

/* Nobody listens for long. */
static void events_print(zes_device_handle_t device)
{
    zes_event_type_flags_t events[1] = {0};
    uint32_t fired = 0;
    const double before = now_us();
    if (good("events", zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED |
                                                          ZES_EVENT_TYPE_FLAG_MEM_HEALTH)) &&
        good("events", zesDriverEventListen(driver, 500, 1, &device, &fired, events))) {
        PRINT("events", "%u 0x%x after %.0f ms", fired, events[0], (now_us() - before) / 1e3);
    }
    (void)zesDeviceEventRegister(device, 0);
}

static void cost_print(zes_device_handle_t device)
{
    zes_temp_handle_t handle;
    zes_pwr_handle_t power;
    uint32_t count = 1;
    double celsius, before;
    zes_power_energy_counter_t counter;
    if (zesDeviceEnumTemperatureSensors(device, &count, &handle) == ZE_RESULT_SUCCESS && count) {
        before = now_us();
        for (int i = 0; i < 100; i++) {
            (void)zesTemperatureGetState(handle, &celsius);
        }
        PRINT("cost.temperature_us", "%.2f", (now_us() - before) / 100);
    }
    count = 1;
    if (zesDeviceEnumPowerDomains(device, &count, &power) == ZE_RESULT_SUCCESS && count) {
        before = now_us();
        for (int i = 0; i < 100; i++) {
            (void)zesPowerGetEnergyCounter(power, &counter);
        }
        PRINT("cost.energy_us", "%.2f", (now_us() - before) / 100);
    }
}

/* A child of this process asks too. */
static void fork_print(zes_device_handle_t device)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        zes_temp_handle_t handle;
        uint32_t count = 1;
        double celsius = 0;
        alarm(20);
        int works = good("fork", zesDeviceEnumTemperatureSensors(device, &count, &handle)) &&
                    good("fork", zesTemperatureGetState(handle, &celsius));
        fflush(stdout);
        _exit(works && celsius > 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status == 0) {
        PRINT("fork", "works");
    } else {
        PRINT("fork.status", "0x%x", (unsigned)status);
    }
}

static void device_print(zes_device_handle_t device)
{
    identity_print(device);
    pci_print(device);
    state_print(device);
    processes_print(device);
    power_print(device);
    frequency_print(device);
    memory_print(device);
    temperature_print(device);
    fans_print(device);
    errors_print(device);
    ports_print(device);
    firmware_print(device);
    engines_print(device);
    events_print(device);
    cost_print(device);
    fork_print(device);
}

static unsigned threads_count(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/task");
    while (folder && readdir(folder)) {
        count++;
    }
    if (folder) {
        closedir(folder);
    }
    return count > 2 ? count - 2 : 0;
}

int main(void)
{
    zes_driver_handle_t drivers[MOST];
    uint32_t count = MOST;
    const double start = now_us();
    ze_result_t result = zesInit(0);
    const double ready = now_us();
    if (result != ZE_RESULT_SUCCESS || zesDriverGet(&count, drivers) != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "sysman did not start: 0x%x\n", (unsigned)result);
        return 1;
    }
    printf("- zesInit %.2f ms\n- drivers %u\n- threads %u\n", (ready - start) / 1e3, count,
           threads_count());
    for (uint32_t i = 0; i < count; i++) {
        zes_device_handle_t devices[MOST];
        uint32_t device_count = MOST;
        driver = drivers[i];
        if (zesDeviceGet(driver, &device_count, devices) != ZE_RESULT_SUCCESS) {
            return 1;
        }
        for (uint32_t k = 0; k < device_count; k++) {
            zes_pci_properties_t pci = {.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES};
            if (zesDevicePciGetProperties(devices[k], &pci) == ZE_RESULT_SUCCESS) {
                device_print(devices[k]);
                number++;
            }
        }
    }
    printf("- threads at the end %u\n", threads_count());
    return 0;
}
