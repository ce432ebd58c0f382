/* API test of sysman, over whatever the driver's device has: lists, places, what can be read and
 * what it may answer. Nothing is set. A driver without sysman says so everywhere. What each value
 * has to be is tested where it is known (tests/sysman, tests/unit/backend). */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* What a question may be answered with on a machine that nobody knows. */
static bool is_answer(ze_result_t result)
{
    return result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ||
           result == ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS ||
           result == ZE_RESULT_ERROR_NOT_AVAILABLE;
}

#define assert_answer(call)                                                                        \
    do {                                                                                           \
        ze_result_t answer_ = (call);                                                              \
        if (!is_answer(answer_)) {                                                                 \
            fail_msg("%s: 0x%x", #call, (unsigned)answer_);                                        \
        }                                                                                          \
    } while (0)

static zes_device_handle_t sysman_device(const struct api *api)
{
    return (zes_device_handle_t)api->device;
}

/* A driver has all of sysman, or nothing but who its devices are. */
static bool has_sysman(const struct api *api)
{
    ze_bool_t yes = 0;
    assert_success(zesInit(0));
    ze_result_t result = zesDeviceEccAvailable(sysman_device(api), &yes);
    assert_true(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    return result == ZE_RESULT_SUCCESS;
}

/* ---- components ---- */

/* What is asked of each component of a class. */
typedef void (*question)(void *handle, uint32_t parts);

static void place_check(ze_bool_t on_subdevice, uint32_t subdevice, uint32_t parts)
{
    assert_in_range(on_subdevice, 0, 1);
    assert_in_range(subdevice, 0, on_subdevice ? parts - 1 : 0);
    assert_true(!on_subdevice || parts > 0);
}

#define PROPERTIES(function, handle_type, type, tag)                                               \
    type properties;                                                                               \
    memset(&properties, 0xa5, sizeof(properties));                                                 \
    properties.stype = tag;                                                                        \
    properties.pNext = NULL;                                                                       \
    assert_success(function((handle_type)handle, &properties));                                    \
    assert_int_equal(properties.stype, tag);                                                       \
    place_check(properties.onSubdevice, properties.subdeviceId, parts)

static void power_ask(void *handle, uint32_t parts)
{
    zes_power_energy_counter_t first = {0}, second = {0};
    zes_power_limit_ext_desc_t limits[16];
    zes_energy_threshold_t threshold;
    uint32_t count = 16, now, average;
    PROPERTIES(zesPowerGetProperties, zes_pwr_handle_t, zes_power_properties_t,
               ZES_STRUCTURE_TYPE_POWER_PROPERTIES);
    memset(limits, 0, sizeof(limits));
    assert_answer(zesPowerGetLimitsExt((zes_pwr_handle_t)handle, &count, limits));
    assert_answer(zesPowerGetEnergyThreshold((zes_pwr_handle_t)handle, &threshold));
    assert_answer(zesPowerGetUsage((zes_pwr_handle_t)handle, &now, &average));
    if (zesPowerGetEnergyCounter((zes_pwr_handle_t)handle, &first) == ZE_RESULT_SUCCESS) {
        assert_success(zesPowerGetEnergyCounter((zes_pwr_handle_t)handle, &second));
        assert_true(second.energy >= first.energy && second.timestamp >= first.timestamp);
    }
}

static void frequency_ask(void *handle, uint32_t parts)
{
    zes_freq_range_t range;
    zes_freq_state_t now = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};
    zes_freq_throttle_time_t first = {0}, second = {0};
    double clocks[256];
    uint32_t count = 256;
    PROPERTIES(zesFrequencyGetProperties, zes_freq_handle_t, zes_freq_properties_t,
               ZES_STRUCTURE_TYPE_FREQ_PROPERTIES);
    assert_true(properties.min <= properties.max);
    assert_success(zesFrequencyGetAvailableClocks((zes_freq_handle_t)handle, &count, clocks));
    for (uint32_t i = 1; i < count; i++) {
        assert_true(clocks[i] > clocks[i - 1]);
    }
    assert_answer(zesFrequencyGetRange((zes_freq_handle_t)handle, &range));
    if (zesFrequencyGetState((zes_freq_handle_t)handle, &now) == ZE_RESULT_SUCCESS) {
        assert_true(now.actual == -1 || now.actual >= 0);
        assert_int_equal(now.throttleReasons & ~(uint32_t)0x3ff, 0);
    }
    if (zesFrequencyGetThrottleTime((zes_freq_handle_t)handle, &first) == ZE_RESULT_SUCCESS) {
        assert_success(zesFrequencyGetThrottleTime((zes_freq_handle_t)handle, &second));
        assert_true(second.throttleTime >= first.throttleTime);
        assert_true(second.timestamp >= first.timestamp);
    }
}

static void engine_ask(void *handle, uint32_t parts)
{
    zes_engine_stats_t first = {0}, second = {0};
    uint32_t count = 0;
    PROPERTIES(zesEngineGetProperties, zes_engine_handle_t, zes_engine_properties_t,
               ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES);
    assert_answer(zesEngineGetActivityExt((zes_engine_handle_t)handle, &count, NULL));
    if (zesEngineGetActivity((zes_engine_handle_t)handle, &first) == ZE_RESULT_SUCCESS) {
        assert_true(count >= 1);
        assert_success(zesEngineGetActivity((zes_engine_handle_t)handle, &second));
        assert_true(second.activeTime >= first.activeTime && second.timestamp >= first.timestamp);
    }
}

static void scheduler_ask(void *handle, uint32_t parts)
{
    zes_sched_mode_t mode;
    PROPERTIES(zesSchedulerGetProperties, zes_sched_handle_t, zes_sched_properties_t,
               ZES_STRUCTURE_TYPE_SCHED_PROPERTIES);
    assert_answer(zesSchedulerGetCurrentMode((zes_sched_handle_t)handle, &mode));
}

static void firmware_ask(void *handle, uint32_t parts)
{
    uint32_t percent;
    PROPERTIES(zesFirmwareGetProperties, zes_firmware_handle_t, zes_firmware_properties_t,
               ZES_STRUCTURE_TYPE_FIRMWARE_PROPERTIES);
    assert_in_range(strnlen(properties.name, ZES_STRING_PROPERTY_SIZE), 1,
                    ZES_STRING_PROPERTY_SIZE - 1);
    assert_in_range(strnlen(properties.version, ZES_STRING_PROPERTY_SIZE), 1,
                    ZES_STRING_PROPERTY_SIZE - 1);
    assert_answer(zesFirmwareGetFlashProgress((zes_firmware_handle_t)handle, &percent));
}

static void memory_ask(void *handle, uint32_t parts)
{
    zes_mem_state_t now = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};
    zes_mem_bandwidth_t first = {0}, second = {0};
    PROPERTIES(zesMemoryGetProperties, zes_mem_handle_t, zes_mem_properties_t,
               ZES_STRUCTURE_TYPE_MEM_PROPERTIES);
    if (zesMemoryGetState((zes_mem_handle_t)handle, &now) == ZE_RESULT_SUCCESS) {
        assert_true(now.free <= now.size);
        assert_in_range(now.health, ZES_MEM_HEALTH_UNKNOWN, ZES_MEM_HEALTH_REPLACE);
    }
    if (zesMemoryGetBandwidth((zes_mem_handle_t)handle, &first) == ZE_RESULT_SUCCESS) {
        assert_success(zesMemoryGetBandwidth((zes_mem_handle_t)handle, &second));
        assert_true(second.readCounter >= first.readCounter);
        assert_true(second.writeCounter >= first.writeCounter);
        assert_true(second.timestamp >= first.timestamp);
    }
}

static void port_ask(void *handle, uint32_t parts)
{
    zes_fabric_link_type_t link;
    zes_fabric_port_config_t config = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_CONFIG};
    zes_fabric_port_state_t now = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE};
    zes_fabric_port_throughput_t throughput;
    PROPERTIES(zesFabricPortGetProperties, zes_fabric_port_handle_t, zes_fabric_port_properties_t,
               ZES_STRUCTURE_TYPE_FABRIC_PORT_PROPERTIES);
    assert_success(zesFabricPortGetLinkType((zes_fabric_port_handle_t)handle, &link));
    assert_answer(zesFabricPortGetConfig((zes_fabric_port_handle_t)handle, &config));
    assert_answer(zesFabricPortGetState((zes_fabric_port_handle_t)handle, &now));
    assert_answer(zesFabricPortGetThroughput((zes_fabric_port_handle_t)handle, &throughput));
}

static void temperature_ask(void *handle, uint32_t parts)
{
    zes_temp_config_t config = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG};
    double celsius = NAN;
    PROPERTIES(zesTemperatureGetProperties, zes_temp_handle_t, zes_temp_properties_t,
               ZES_STRUCTURE_TYPE_TEMP_PROPERTIES);
    assert_answer(zesTemperatureGetConfig((zes_temp_handle_t)handle, &config));
    if (zesTemperatureGetState((zes_temp_handle_t)handle, &celsius) == ZE_RESULT_SUCCESS) {
        assert_true(celsius > -100 && celsius < 1000);
    }
}

static void psu_ask(void *handle, uint32_t parts)
{
    zes_psu_state_t now = {.stype = ZES_STRUCTURE_TYPE_PSU_STATE};
    PROPERTIES(zesPsuGetProperties, zes_psu_handle_t, zes_psu_properties_t,
               ZES_STRUCTURE_TYPE_PSU_PROPERTIES);
    assert_answer(zesPsuGetState((zes_psu_handle_t)handle, &now));
}

static void fan_ask(void *handle, uint32_t parts)
{
    zes_fan_config_t config = {.stype = ZES_STRUCTURE_TYPE_FAN_CONFIG};
    int32_t speed;
    PROPERTIES(zesFanGetProperties, zes_fan_handle_t, zes_fan_properties_t,
               ZES_STRUCTURE_TYPE_FAN_PROPERTIES);
    assert_answer(zesFanGetConfig((zes_fan_handle_t)handle, &config));
    assert_answer(zesFanGetState((zes_fan_handle_t)handle, ZES_FAN_SPEED_UNITS_RPM, &speed));
    assert_answer(zesFanGetState((zes_fan_handle_t)handle, ZES_FAN_SPEED_UNITS_PERCENT, &speed));
}

static void led_ask(void *handle, uint32_t parts)
{
    zes_led_state_t now = {.stype = ZES_STRUCTURE_TYPE_LED_STATE};
    PROPERTIES(zesLedGetProperties, zes_led_handle_t, zes_led_properties_t,
               ZES_STRUCTURE_TYPE_LED_PROPERTIES);
    assert_answer(zesLedGetState((zes_led_handle_t)handle, &now));
}

static void ras_ask(void *handle, uint32_t parts)
{
    zes_ras_state_t first = {.stype = ZES_STRUCTURE_TYPE_RAS_STATE}, second = first;
    zes_ras_config_t config = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG};
    uint32_t count = 0;
    PROPERTIES(zesRasGetProperties, zes_ras_handle_t, zes_ras_properties_t,
               ZES_STRUCTURE_TYPE_RAS_PROPERTIES);
    assert_success(zesRasGetSupportedCategoriesExp((zes_ras_handle_t)handle, &count, NULL));
    assert_true(count > 0);
    assert_success(zesRasGetConfig((zes_ras_handle_t)handle, &config));
    if (zesRasGetState((zes_ras_handle_t)handle, 0, &first) == ZE_RESULT_SUCCESS) {
        assert_success(zesRasGetState((zes_ras_handle_t)handle, 0, &second));
        for (int i = 0; i < ZES_MAX_RAS_ERROR_CATEGORY_COUNT; i++) {
            assert_true(second.category[i] >= first.category[i]);
        }
    }
}

static void diagnostics_ask(void *handle, uint32_t parts)
{
    zes_diag_test_t tests[64];
    uint32_t count = 64;
    PROPERTIES(zesDiagnosticsGetProperties, zes_diag_handle_t, zes_diag_properties_t,
               ZES_STRUCTURE_TYPE_DIAG_PROPERTIES);
    assert_success(zesDiagnosticsGetTests((zes_diag_handle_t)handle, &count, tests));
    assert_true(properties.haveTests || count == 0);
    for (uint32_t i = 1; i < count; i++) {
        assert_true(tests[i].index > tests[i - 1].index);
    }
}

static void standby_ask(void *handle, uint32_t parts)
{
    zes_standby_promo_mode_t mode;
    PROPERTIES(zesStandbyGetProperties, zes_standby_handle_t, zes_standby_properties_t,
               ZES_STRUCTURE_TYPE_STANDBY_PROPERTIES);
    assert_answer(zesStandbyGetMode((zes_standby_handle_t)handle, &mode));
}

static void performance_ask(void *handle, uint32_t parts)
{
    double factor = NAN;
    PROPERTIES(zesPerformanceFactorGetProperties, zes_perf_handle_t, zes_perf_properties_t,
               ZES_STRUCTURE_TYPE_PERF_PROPERTIES);
    if (zesPerformanceFactorGetConfig((zes_perf_handle_t)handle, &factor) == ZE_RESULT_SUCCESS) {
        assert_true(factor >= 0 && factor <= 100);
    }
}

#define CLASSES(X)                                                                                 \
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
    X(diagnostics, zes_diag_handle_t, zesDeviceEnumDiagnosticTestSuites)                           \
    X(standby, zes_standby_handle_t, zesDeviceEnumStandbyDomains)                                  \
    X(performance, zes_perf_handle_t, zesDeviceEnumPerformanceFactorDomains)

enum { COMPONENTS = 256 };

#define LIST(name, handle_type, function)                                                          \
    static ze_result_t name##_list(zes_device_handle_t device, uint32_t *count, void **out)        \
    {                                                                                              \
        handle_type handles[COMPONENTS] = {NULL};                                                  \
        ze_result_t result = function(device, count, out ? handles : NULL);                        \
        for (uint32_t i = 0; out && result == ZE_RESULT_SUCCESS && i < *count; i++) {              \
            out[i] = handles[i];                                                                   \
        }                                                                                          \
        return result;                                                                             \
    }
CLASSES(LIST)

#define ROW(name, handle_type, function) {#function, name##_list, name##_ask},
static const struct {
    const char *name;
    ze_result_t (*list)(zes_device_handle_t device, uint32_t *count, void **out);
    question ask;
} classes[] = {CLASSES(ROW)};
enum { CLASS_COUNT = sizeof(classes) / sizeof(classes[0]) };

static uint32_t parts_of(zes_device_handle_t device)
{
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_success(zesDeviceGetProperties(device, &properties));
    return properties.numSubdevices;
}

/* SYS-3 */
static void components_are_listed_once_for_all(void **state)
{
    const struct api *api = *state;
    const bool has = has_sysman(api);
    for (int i = 0; i < CLASS_COUNT; i++) {
        void *first[COMPONENTS] = {NULL}, *second[COMPONENTS] = {NULL};
        uint32_t count = 0, again = COMPONENTS, one = 1;
        if (!has) {
            assert_result(classes[i].list(sysman_device(api), &count, NULL),
                          ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
            continue;
        }
        assert_success(classes[i].list(sysman_device(api), &count, NULL));
        assert_true(count <= COMPONENTS);
        assert_success(classes[i].list(sysman_device(api), &again, first));
        assert_int_equal(again, count);
        assert_success(classes[i].list(sysman_device(api), &again, second));
        assert_memory_equal(first, second, sizeof(first));
        if (count > 0) {
            assert_success(classes[i].list(sysman_device(api), &one, second));
            assert_int_equal(one, 1);
        }
    }
}

/* SYS-4: where they are; and whatever there is answers as the specification lets it */
static void components_answer(void **state)
{
    const struct api *api = *state;
    if (!has_sysman(api)) {
        return;
    }
    const uint32_t parts = parts_of(sysman_device(api));
    for (int i = 0; i < CLASS_COUNT; i++) {
        void *handles[COMPONENTS] = {NULL};
        uint32_t count = COMPONENTS;
        assert_success(classes[i].list(sysman_device(api), &count, handles));
        for (uint32_t k = 0; k < count; k++) {
            classes[i].ask(handles[k], parts);
        }
    }
}

/* ---- the device ---- */

static void the_device_answers(void **state)
{
    const struct api *api = *state;
    const zes_device_handle_t device = sysman_device(api);
    zes_device_state_t now = {.stype = ZES_STRUCTURE_TYPE_DEVICE_STATE};
    zes_pci_properties_t pci = {.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES};
    zes_pci_state_t link = {.stype = ZES_STRUCTURE_TYPE_PCI_STATE};
    zes_pci_stats_t stats;
    zes_device_ecc_properties_t ecc = {.stype = ZES_STRUCTURE_TYPE_DEVICE_ECC_PROPERTIES};
    uint32_t count = 0;
    assert_success(zesInit(0));
    assert_answer(zesDeviceGetState(device, &now));
    assert_answer(zesDevicePciGetProperties(device, &pci));
    assert_answer(zesDevicePciGetState(device, &link));
    assert_answer(zesDevicePciGetStats(device, &stats));
    assert_answer(zesDeviceGetEccState(device, &ecc));
    assert_answer(zesDeviceProcessesGetState(device, &count, NULL));
    assert_answer(zesDeviceGetOverclockDomains(device, &count));
}

/* ---- memory of this process ---- */

/* False: the device does not tell of this process (no /dev/shm). */
static bool own_state(const struct api *api, zes_process_state_t *own)
{
    uint32_t count = 0;
    assert_success(zesDeviceProcessesGetState(sysman_device(api), &count, NULL));
    count += 64; /* others may come meanwhile */
    zes_process_state_t *all = calloc(count, sizeof(*all));
    assert_success(zesDeviceProcessesGetState(sysman_device(api), &count, all));
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        if (all[i].processId == (uint32_t)getpid()) {
            *own = all[i];
            found = true;
        }
    }
    free(all);
    return found;
}

#define PIECE ((size_t)8 << 20)

static ze_physical_mem_handle_t physical_make(struct api *api, int import)
{
    const ze_external_memory_import_fd_t from = {.stype =
                                                     ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                                 .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                                 .fd = import};
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .pNext = import >= 0 ? &from : NULL,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = PIECE};
    ze_physical_mem_handle_t physical = NULL;
    assert_success(zePhysicalMemCreate(api->context, api->device, &desc, &physical));
    return physical;
}

static ze_image_handle_t image_make(struct api *api)
{
    const ze_image_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .type = ZE_IMAGE_TYPE_2D,
        .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_32, .type = ZE_IMAGE_FORMAT_TYPE_UINT},
        .width = 1024,
        .height = 2048};
    ze_image_handle_t image = NULL;
    assert_success(zeImageCreate(api->context, api->device, &desc, &image));
    return image;
}

/* Whatever takes memory of the device counts for the process; what other processes allocated, by
 * IPC handle or descriptor, is told apart. */
static void all_memory_of_a_process_is_told(void **state)
{
    struct api *api = *state;
    zes_process_state_t before, now;
    if (!has_sysman(api)) {
        return;
    }
    char *memory = api_alloc_device(api, PIECE); /* from here on the process is known */
    if (!own_state(api, &before)) {
        print_message("this process is in no census: /dev/shm is missing or full\n");
        api_free(api, memory);
        return;
    }
    ze_physical_mem_handle_t physical = physical_make(api, -1);
    ze_image_handle_t image = image_make(api);
    assert_true(own_state(api, &now));
    assert_int_equal(now.memSize, before.memSize + 2 * PIECE);
    assert_int_equal(now.sharedSize, before.sharedSize);

    ze_ipc_mem_handle_t handle;
    void *opened = NULL;
    int fd = -1;
    assert_success(zeMemGetIpcHandle(api->context, memory, &handle));
    assert_success(zeMemOpenIpcHandle(api->context, api->device, handle, 0, &opened));
    uint64_t number = 0;
    assert_success(zeMemGetFileDescriptorFromIpcHandleExp(api->context, handle, &number));
    fd = (int)number;
    ze_physical_mem_handle_t imported = physical_make(api, fd);
    assert_true(own_state(api, &now));
    assert_int_equal(now.memSize, before.memSize + 2 * PIECE);
    assert_int_equal(now.sharedSize, before.sharedSize + 2 * PIECE);

    assert_success(zePhysicalMemDestroy(api->context, imported));
    assert_success(zeMemCloseIpcHandle(api->context, opened));
    assert_success(zeImageDestroy(image));
    assert_success(zePhysicalMemDestroy(api->context, physical));
    assert_true(own_state(api, &now));
    assert_int_equal(now.memSize, before.memSize);
    assert_int_equal(now.sharedSize, before.sharedSize);
    api_free(api, memory);
}

/* SYC-26 */
static void nobody_waits_for_nothing(void **state)
{
    const struct api *api = *state;
    zes_device_handle_t device = sysman_device(api);
    zes_event_type_flags_t events = ~0u;
    uint32_t fired = 9;
    if (!has_sysman(api)) {
        assert_result(zesDeviceEventRegister(device, 0), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        return;
    }
    assert_success(zesDriverEventListen(api->driver, UINT32_MAX, 1, &device, &fired, &events));
    assert_int_equal(fired, 0);
    assert_int_equal(events, 0);
    assert_success(zesDeviceEventRegister(device, 0x7fff));
    assert_success(zesDriverEventListen(api->driver, 20, 1, &device, &fired, &events));
    assert_int_equal(fired, events != 0);
    assert_success(zesDeviceEventRegister(device, 0));
}

int main(void)
{
    static const struct api_case cases[] = {
        API_CASE(components_are_listed_once_for_all),
        API_CASE(components_answer),
        API_CASE(the_device_answers),
        API_CASE(all_memory_of_a_process_is_told),
        API_CASE(nobody_waits_for_nothing),
    };
    return api_main("sysman", cases, sizeof(cases) / sizeof(cases[0]));
}
