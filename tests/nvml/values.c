/* Prints what sysman tells of every device that is on a PCI bus, one value a line, for compare.py
 * (values.h says how). Components are in values_components.c. Nothing is set. */
#include "values.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

unsigned values_device;
static zes_driver_handle_t driver;

int good(const char *name, ze_result_t result)
{
    const char *text = "";
    if (result == ZE_RESULT_SUCCESS) {
        return 1;
    }
    (void)zeDriverGetLastErrorDescription((ze_driver_handle_t)driver, &text);
    PRINT(name, "error 0x%x %s", (unsigned)result, text ? text : "");
    return 0;
}

double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

const char *key(const char *format, unsigned index)
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
    values_components_print(device);
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
                values_device++;
            }
        }
    }
    printf("- threads at the end %u\n", threads_count());
    return 0;
}
