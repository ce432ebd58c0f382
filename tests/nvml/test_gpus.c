/* NVIDIA's GPUs through the public API: what zeInit and zesInit list, what the core API makes of a
 * handle of theirs, and sysman's functions. libnvidia-ml.so.1 is the test's (fake_nvml.h), found by
 * the search path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_nvml.h"

#include <level_zero/ze_api.h>
#include <level_zero/zer_api.h>
#include <level_zero/zes_api.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fake_nvml *fake;
static zes_driver_handle_t driver;
static zes_device_handle_t gpus[FAKE_GPUS];

static void check(ze_result_t actual, ze_result_t expected, const char *call, int line)
{
    if (actual != expected) {
        const char *text = "";
        (void)zeDriverGetLastErrorDescription((ze_driver_handle_t)driver, &text);
        print_error("%s:%d: %s: 0x%x instead of 0x%x (%s)\n", __FILE__, line, call,
                    (unsigned)actual, (unsigned)expected, text);
        fail();
    }
}
#define assert_result(call, expected) check((call), (expected), #call, __LINE__)
#define assert_success(call)          assert_result(call, ZE_RESULT_SUCCESS)
#define assert_unsupported(call)      assert_result(call, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)

static void *library_loaded(void)
{
    return dlopen(GEO_NVML_FILE, RTLD_NOW | RTLD_NOLOAD);
}

/* ---- the start ---- */

static void the_core_api_knows_nothing_of_them(void **state)
{
    (void)state;
    ze_driver_handle_t drivers[4];
    uint32_t count = 4;
    assert_success(zeInit(0));
    assert_success(zeDriverGet(&count, drivers));
    assert_int_equal(count, 1);
    assert_null(library_loaded());
}

/* Before every other case, whichever are run. */
static int sysman_start(void **state)
{
    zes_driver_handle_t drivers[4];
    uint32_t count = 4;
    struct fake_nvml *(*state_get)(void);
    (void)state;
    if (driver) {
        return 0;
    }
    assert_success(zesInit(0));
    assert_success(zesDriverGet(&count, drivers));
    assert_int_equal(count, 2);
    driver = drivers[1];
    count = FAKE_GPUS;
    assert_success(zesDeviceGet(driver, &count, gpus));
    void *library = library_loaded();
    assert_non_null(library);
    void *found = dlsym(library, "fake_nvml_state");
    memcpy(&state_get, &found, sizeof(found));
    fake = state_get();
    return 0;
}

/* SYS-1 */
static void sysman_lists_them_behind_the_others(void **state)
{
    (void)state;
    ze_driver_handle_t core[4];
    ze_init_driver_type_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = UINT32_MAX};
    uint32_t count = 0;
    assert_success(zesDeviceGet(driver, &count, NULL));
    assert_int_equal(count, FAKE_GPUS);
    assert_success(zesInit(0));
    assert_int_equal(fake->calls[FAKE_Init], 1);
    assert_success(zeInit(0));
    count = 4;
    assert_success(zeDriverGet(&count, core));
    assert_int_equal(count, 1);
    assert_true((void *)core[0] != (void *)driver);
    count = 4;
    assert_success(zeInitDrivers(&count, core, &desc));
    assert_int_equal(count, 1);
}

/* ---- the core API ---- */

static void what_would_run_is_refused(void **state)
{
    (void)state;
    const ze_driver_handle_t core = (ze_driver_handle_t)driver;
    const ze_device_handle_t device = (ze_device_handle_t)gpus[0];
    assert_success(zeInit(0));
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context = NULL;
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    ze_device_image_properties_t image = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    ze_device_memory_access_properties_t access = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    ze_device_external_memory_properties_t external = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    ze_driver_ipc_properties_t ipc = {.stype = ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES};
    ze_rtas_builder_exp_desc_t builder_desc = {.stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXP_DESC,
                                               .builderVersion =
                                                   ZE_RTAS_BUILDER_EXP_VERSION_CURRENT};
    ze_rtas_builder_exp_handle_t builder;
    uint64_t host, ticks;
    assert_unsupported(zeContextCreate(core, &desc, &context));
    assert_unsupported(zeContextCreateEx(core, &desc, 1, (ze_device_handle_t *)gpus, &context));
    assert_null(zeDriverGetDefaultContext(core));
    assert_unsupported(zeDeviceGetModuleProperties(device, &module));
    assert_unsupported(zeDeviceGetComputeProperties(device, &compute));
    assert_unsupported(zeDeviceGetImageProperties(device, &image));
    assert_unsupported(zeDeviceGetMemoryAccessProperties(device, &access));
    assert_unsupported(zeDeviceGetExternalMemoryProperties(device, &external));
    assert_unsupported(zeDeviceGetGlobalTimestamps(device, &host, &ticks));
    assert_unsupported(zeDeviceSynchronize(device));
    assert_unsupported(zeDriverGetIpcProperties(core, &ipc));
    assert_unsupported(zeRTASBuilderCreateExp(core, &builder_desc, &builder));
    assert_int_equal(zerTranslateDeviceHandleToIdentifier(device), UINT32_MAX);
    assert_null(zerTranslateIdentifierToDeviceHandle(1u << 16));
}

/* A context of another driver does not take the GPU. */
static void a_context_of_the_cpus_does_not_take_them(void **state)
{
    (void)state;
    ze_driver_handle_t cpu;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_device_mem_alloc_desc_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_queue_handle_t queue;
    ze_context_handle_t context;
    ze_bool_t reaches = 1;
    void *pointer;
    uint32_t count = 1;
    ze_device_handle_t device;
    assert_success(zeInit(0));
    assert_success(zeDriverGet(&count, &cpu));
    count = 1;
    assert_success(zeDeviceGet(cpu, &count, &device));
    assert_success(zeContextCreate(cpu, &desc, &context));
    assert_result(
        zeMemAllocDevice(context, &memory, 4096, 1, (ze_device_handle_t)gpus[0], &pointer),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandQueueCreate(context, (ze_device_handle_t)gpus[0], &queue_desc, &queue),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeDeviceCanAccessPeer(device, (ze_device_handle_t)gpus[0], &reaches));
    assert_false(reaches);
    assert_success(
        zeDeviceCanAccessPeer((ze_device_handle_t)gpus[0], (ze_device_handle_t)gpus[1], &reaches));
    assert_false(reaches);
    assert_success(zeContextDestroy(context));
}

static void who_they_are_is_told(void **state)
{
    (void)state;
    const ze_device_handle_t device = (ze_device_handle_t)gpus[1];
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_usablemem_size_ext_properties_t usable = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES};
    ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    ze_device_memory_properties_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    uint32_t count = 1;
    properties.pNext = &usable;
    assert_success(zeDeviceGetProperties(device, &properties));
    assert_int_equal(properties.type, ZE_DEVICE_TYPE_GPU);
    assert_int_equal(properties.vendorId, 0x10de);
    assert_int_equal(properties.uuid.id[15], 0xf1);
    assert_false(properties.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED);
    assert_int_equal(usable.currUsableMemSize, 80ull << 30);
    assert_success(zeDevicePciGetPropertiesExt(device, &pci));
    assert_int_equal(pci.address.domain, 1);
    assert_int_equal(pci.address.bus, 0x1c);
    assert_success(zeDeviceGetMemoryProperties(device, &count, &memory));
    assert_int_equal(memory.maxBusWidth, 5120);
    assert_success(zeDeviceGetStatus(device));
    count = 0;
    assert_success(zeDeviceGetCommandQueueGroupProperties(device, &count, NULL));
    assert_int_equal(count, 0);
    count = 0;
    assert_success(zeDriverGetExtensionProperties((ze_driver_handle_t)driver, &count, NULL));
    assert_int_equal(count, 0);
}

/* ---- sysman ---- */

static void properties_have_the_same_identity(void **state)
{
    (void)state;
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    zes_device_ext_properties_t extension = {.stype = ZES_STRUCTURE_TYPE_DEVICE_EXT_PROPERTIES};
    zes_uuid_t uuid;
    zes_device_handle_t found = NULL;
    ze_bool_t part = 1;
    uint32_t number = 7;
    properties.pNext = &extension;
    assert_success(zesDeviceGetProperties(gpus[0], &properties));
    assert_string_equal(properties.serialNumber, "1651223000000");
    assert_string_equal(properties.vendorName, "NVIDIA Corporation");
    assert_string_equal(properties.driverVersion, "550.54.15");
    assert_int_equal(properties.numSubdevices, 0);
    assert_int_equal(extension.type, ZES_DEVICE_TYPE_GPU);
    assert_int_equal(extension.flags, ZES_DEVICE_PROPERTY_FLAG_ECC); /* a card of its own */
    memcpy(uuid.id, extension.uuid.id, sizeof(uuid.id));
    assert_success(zesDriverGetDeviceByUuidExp(driver, uuid, &found, &part, &number));
    assert_ptr_equal(found, gpus[0]);
    assert_false(part);
}

/* SYS-3 */
static void mig_devices_are_sub_devices(void **state)
{
    (void)state;
    zes_subdevice_exp_properties_t parts[FAKE_MIGS] = {
        {.stype = ZES_STRUCTURE_TYPE_SUBDEVICE_EXP_PROPERTIES},
        {.stype = ZES_STRUCTURE_TYPE_SUBDEVICE_EXP_PROPERTIES}};
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    zes_mem_handle_t memories[1 + FAKE_MIGS];
    zes_mem_properties_t memory = {.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES};
    zes_device_handle_t found;
    ze_bool_t on_part = 0;
    uint32_t count = FAKE_MIGS, number = 7;
    assert_success(zesDeviceGetProperties(gpus[2], &properties));
    assert_int_equal(properties.numSubdevices, FAKE_MIGS);
    assert_success(zesDeviceGetSubDevicePropertiesExp(gpus[2], &count, parts));
    assert_int_equal(count, FAKE_MIGS);
    assert_success(zesDriverGetDeviceByUuidExp(driver, parts[1].uuid, &found, &on_part, &number));
    assert_ptr_equal(found, gpus[2]);
    assert_true(on_part);
    assert_int_equal(number, 1);
    count = 1 + FAKE_MIGS;
    assert_success(zesDeviceEnumMemoryModules(gpus[2], &count, memories));
    assert_int_equal(count, 1 + FAKE_MIGS);
    assert_success(zesMemoryGetProperties(memories[2], &memory));
    assert_true(memory.onSubdevice);
    assert_int_equal(memory.subdeviceId, 1);
    assert_int_equal(memory.physicalSize, 20ull << 30);
}

static void failures_say_what_nvml_said(void **state)
{
    (void)state;
    zes_temp_handle_t sensor;
    uint32_t count = 1;
    double celsius = 0;
    const char *text = "";
    assert_success(zesDeviceEnumTemperatureSensors(gpus[0], &count, &sensor));
    assert_success(zesTemperatureGetState(sensor, &celsius));
    assert_true(celsius == 31);
    fake->results[FAKE_DeviceGetTemperature] = GEO_NVML_NO_PERMISSION;
    assert_result(zesTemperatureGetState(sensor, &celsius),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_success(zeDriverGetLastErrorDescription((ze_driver_handle_t)driver, &text));
    assert_non_null(strstr(text, "nvmlDeviceGetTemperature: Insufficient Permissions"));
    fake->results[FAKE_DeviceGetTemperature] = 0;
    assert_unsupported(zesDeviceReset(gpus[0], 0));
}

/* SYC-1 */
static void power_limits_are_set_within_their_range(void **state)
{
    (void)state;
    zes_pwr_handle_t power;
    zes_power_limit_ext_desc_t limit = {.stype = ZES_STRUCTURE_TYPE_POWER_LIMIT_EXT_DESC};
    uint32_t count = 1;
    assert_success(zesDeviceGetCardPowerDomain(gpus[0], &power));
    assert_success(zesPowerGetLimitsExt(power, &count, &limit));
    limit.limit = 350000;
    assert_success(zesPowerSetLimitsExt(power, &count, &limit));
    assert_int_equal(fake->gpus[0].limit_mw, 350000);
    limit.limit = 100000;
    assert_result(zesPowerSetLimitsExt(power, &count, &limit), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fake->gpus[0].limit_mw, 350000);
}

/* When the driver has looked and found nothing. */
static void *gpu_detach(void *looks)
{
    while (fake->calls[FAKE_EventSetWait] < *(const unsigned *)looks) {
        sched_yield();
    }
    fake->gpus[1].events[0] = (geo_nvml_event){.type = GEO_NVML_EVENT_XID, .data = 79};
    atomic_thread_fence(memory_order_seq_cst);
    fake->gpus[1].event_count = 1;
    return NULL;
}

/* SYC-26 */
static void who_listens_is_woken_without_a_descriptor(void **state)
{
    (void)state;
    zes_event_type_flags_t events[2] = {0};
    uint32_t fired = 9;
    pthread_t thread;
    assert_success(zesDeviceEventRegister(gpus[0], ZES_EVENT_TYPE_FLAG_DEVICE_DETACH));
    assert_success(zesDeviceEventRegister(gpus[1], ZES_EVENT_TYPE_FLAG_DEVICE_DETACH));
    assert_success(zesDriverEventListen(driver, 0, 2, gpus, &fired, events));
    assert_int_equal(fired, 0);
    unsigned looks = fake->calls[FAKE_EventSetWait] + 4;
    assert_int_equal(pthread_create(&thread, NULL, gpu_detach, &looks), 0);
    assert_success(zesDriverEventListen(driver, 20000, 2, gpus, &fired, events));
    fake->calls[FAKE_EventSetWait] += 4; /* lets it end, whatever came */
    pthread_join(thread, NULL);
    assert_int_equal(fired, 1);
    assert_int_equal(events[0], 0);
    assert_int_equal(events[1], ZES_EVENT_TYPE_FLAG_DEVICE_DETACH);
    assert_success(zesDeviceEventRegister(gpus[0], 0));
    assert_success(zesDeviceEventRegister(gpus[1], 0));
    assert_int_equal(fake->sets, 0);
}

/* ---- children, threads ---- */

static void a_child_asks_with_its_parents_handles(void **state)
{
    (void)state;
    zes_temp_handle_t sensor;
    uint32_t count = 1;
    int status = -1;
    assert_success(zesDeviceEnumTemperatureSensors(gpus[1], &count, &sensor));
    pid_t child = fork();
    if (child == 0) {
        double celsius = 0;
        _exit(zesTemperatureGetState(sensor, &celsius) == ZE_RESULT_SUCCESS && celsius == 32 ? 0
                                                                                             : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void *everything_ask(void *data)
{
    zes_device_handle_t gpu = data;
    for (int i = 0; i < 200; i++) {
        zes_pwr_handle_t power;
        zes_engine_handle_t engine;
        zes_power_energy_counter_t energy;
        zes_engine_stats_t stats;
        uint32_t count = 1;
        if (zesDeviceGetCardPowerDomain(gpu, &power) != ZE_RESULT_SUCCESS ||
            zesPowerGetEnergyCounter(power, &energy) != ZE_RESULT_SUCCESS ||
            zesDeviceEnumEngineGroups(gpu, &count, &engine) != ZE_RESULT_SUCCESS ||
            zesEngineGetActivity(engine, &stats) != ZE_RESULT_SUCCESS) {
            return data;
        }
    }
    return NULL;
}

static void threads_ask_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, everything_ask, gpus[i % 2]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

#define CASE(function) cmocka_unit_test_setup(function, sysman_start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_core_api_knows_nothing_of_them),
        CASE(sysman_lists_them_behind_the_others),
        CASE(what_would_run_is_refused),
        CASE(a_context_of_the_cpus_does_not_take_them),
        CASE(who_they_are_is_told),
        CASE(properties_have_the_same_identity),
        CASE(mig_devices_are_sub_devices),
        CASE(failures_say_what_nvml_said),
        CASE(power_limits_are_set_within_their_range),
        CASE(who_listens_is_woken_without_a_descriptor),
        CASE(a_child_asks_with_its_parents_handles),
        CASE(threads_ask_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
