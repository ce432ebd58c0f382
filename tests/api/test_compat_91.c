/* API test of level_zero/compat/ze_api_0_9.h with text 0.91: programs of that time run. */
#include "harness.h"

#include "compat_use_91.h"

static struct use use_open(struct api *api)
{
    size_t size;
    uint8_t *binary = api_read_file("tests/fixtures/native_module.o", &size);
    struct use use = {.hDriver = api->driver, .hDevice = api->device};
    assert_success(use_queue(&use));
    assert_success(use_kernel(&use, binary, size, "ids"));
    assert_success(use_memory(&use, 64));
    free(binary);
    return use;
}

static void a_program_of_091_runs(void **state)
{
    struct api *api = *state;
    struct use use = use_open(api);
    memset(use.values, 0xff, 64 * sizeof(*use.values));
    assert_success(use_launch(&use, 6, 8));
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(use.values[i], i < 48 && api->executes ? i : UINT32_MAX);
    }
    assert_success(use_residency(&use, 64 * sizeof(*use.values)));
    assert_success(use_close(&use));
}

static void attributes_of_a_kernel_are_kept(void **state)
{
    struct use use = use_open(*state);
    int indirect = 0;
    ze_bool_t on = 1;
    uint32_t size = 0;
    assert_success(use_attributes(use.hKernel, &indirect));
    assert_int_equal(indirect, 2); /* device memory alone */
    assert_result(
        zeKernelSetAttribute(use.hKernel, ZE_KERNEL_ATTR_SOURCE_ATTRIBUTE, sizeof(on), &on),
        ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    assert_result(zeKernelSetAttribute(use.hKernel, ZE_KERNEL_ATTR_INDIRECT_HOST_ACCESS, 0, &on),
                  ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE);
    assert_success(
        zeKernelGetAttribute(use.hKernel, ZE_KERNEL_ATTR_INDIRECT_HOST_ACCESS, &size, NULL));
    assert_int_equal(size, sizeof(ze_bool_t));
    size = 0;
    assert_success(zeKernelGetAttribute(use.hKernel, ZE_KERNEL_ATTR_SOURCE_ATTRIBUTE, &size, NULL));
    assert_true(size >= 1);
    assert_success(zeEventPoolCreate(
        use.hDriver,
        &(ze_event_pool_desc_t){ZE_EVENT_POOL_DESC_VERSION_CURRENT, ZE_EVENT_POOL_FLAG_DEFAULT, 1},
        0, NULL, &use.hEventPool));
    assert_success(use_close(&use));
}

static void properties_say_what_todays_say(void **state)
{
    struct api *api = *state;
    ze_device_properties_t device = {.version = ZE_DEVICE_PROPERTIES_VERSION_CURRENT};
    ze_device_compute_properties_t compute = {.version =
                                                  ZE_DEVICE_COMPUTE_PROPERTIES_VERSION_CURRENT};
    ze_device_kernel_properties_t kernel = {.version = ZE_DEVICE_KERNEL_PROPERTIES_VERSION_CURRENT};
    ze_device_memory_properties_t memory[8] = {
        {.version = ZE_DEVICE_MEMORY_PROPERTIES_VERSION_CURRENT}};
    ze_device_cache_properties_t cache = {.version = ZE_DEVICE_CACHE_PROPERTIES_VERSION_CURRENT};
    ze_driver_properties_t driver = {.version = ZE_DRIVER_PROPERTIES_VERSION_CURRENT};
    ze_driver_ipc_properties_t ipc = {.version = ZE_DRIVER_IPC_PROPERTIES_VERSION_CURRENT};
    uint32_t count = 0;
    assert_success(zeDeviceGetProperties(api->device, &device));
    assert_int_equal(device.type, api->properties.type);
    assert_int_equal(device.vendorId, api->properties.vendorId);
    assert_int_equal(device.numSlices, api->properties.numSlices);
    assert_int_equal(device.timerResolution, api->properties.timerResolution);
    assert_string_equal(device.name, api->properties.name);
    assert_memory_equal(&device.uuid, &api->properties.uuid, sizeof(device.uuid));
    assert_int_equal(device.unifiedMemorySupported,
                     (api->properties.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED) != 0);
    assert_true(device.numAsyncComputeEngines >= 1);
    assert_success(zeDeviceGetComputeProperties(api->device, &compute));
    assert_true(compute.maxTotalGroupSize >= compute.maxGroupSizeX && compute.maxGroupSizeX > 0);
    assert_success(zeDeviceGetKernelProperties(api->device, &kernel));
    assert_true(kernel.maxArgumentsSize > 0);
    assert_success(zeDeviceGetMemoryProperties(api->device, &count, NULL));
    assert_true(count >= 1 && count <= 8);
    assert_success(zeDeviceGetMemoryProperties(api->device, &count, memory));
    assert_true(memory[0].totalSize > 0);
    assert_success(zeDeviceGetCacheProperties(api->device, &cache));
    assert_success(zeDriverGetProperties(api->driver, &driver));
    assert_true(driver.driverVersion != 0);
    assert_success(zeDriverGetIPCProperties(api->driver, &ipc));
    assert_result(zeDeviceGetProperties(api->device, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeDeviceGetProperties(NULL, &device), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static void copies_signal_and_do_not_wait(void **state)
{
    struct api *api = *state;
    struct use use = use_open(api);
    uint32_t source[64], pattern = 7;
    ze_event_pool_desc_t poolDesc = {ZE_EVENT_POOL_DESC_VERSION_CURRENT,
                                     ZE_EVENT_POOL_FLAG_TIMESTAMP, 1};
    ze_event_desc_t eventDesc = {ZE_EVENT_DESC_VERSION_CURRENT, 0, ZE_EVENT_SCOPE_FLAG_NONE,
                                 ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event;
    uint64_t start = UINT64_MAX, end = 0;
    memset(source, 5, sizeof(source));
    assert_success(zeEventPoolCreate(use.hDriver, &poolDesc, 1, &use.hDevice, &use.hEventPool));
    assert_success(zeEventCreate(use.hEventPool, &eventDesc, &event));
    assert_success(zeCommandListAppendMemoryFill(use.hCommandList, use.values, &pattern,
                                                 sizeof(pattern), sizeof(source), NULL));
    assert_success(zeCommandListAppendBarrier(use.hCommandList, NULL, 0, NULL));
    assert_success(zeCommandListAppendMemoryCopy(use.hCommandList, use.values, source, 4, event));
    assert_success(zeCommandListAppendMemAdvise(use.hCommandList, use.hDevice, use.values,
                                                sizeof(source), ZE_MEMORY_ADVICE_SET_ACCESSED_BY));
    assert_success(zeCommandListClose(use.hCommandList));
    assert_success(
        zeCommandQueueExecuteCommandLists(use.hCommandQueue, 1, &use.hCommandList, NULL));
    assert_success(zeCommandQueueSynchronize(use.hCommandQueue, UINT32_MAX));
    if (api->executes) {
        assert_int_equal(use.values[0], 0x05050505);
        assert_int_equal(use.values[63], 7);
    }
    assert_success(zeEventGetTimestamp(event, ZE_EVENT_TIMESTAMP_GLOBAL_START, &start));
    assert_success(zeEventGetTimestamp(event, ZE_EVENT_TIMESTAMP_GLOBAL_END, &end));
    assert_true(start <= end);
    assert_success(zeEventDestroy(event));
    assert_success(use_close(&use));
}

static void the_last_levels_configuration_is_unsupported(void **state)
{
    struct api *api = *state;
    assert_result(zeDeviceSetLastLevelCacheConfig(api->device, ZE_CACHE_CONFIG_LARGE_SLM),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_result(zeDeviceSetLastLevelCacheConfig(NULL, ZE_CACHE_CONFIG_DEFAULT),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static void a_single_slice_is_refused(void **state)
{
    struct api *api = *state;
    ze_command_queue_desc_t desc = {
        ZE_COMMAND_QUEUE_DESC_VERSION_CURRENT, ZE_COMMAND_QUEUE_FLAG_SINGLE_SLICE_ONLY,
        ZE_COMMAND_QUEUE_MODE_DEFAULT, ZE_COMMAND_QUEUE_PRIORITY_NORMAL, 0};
    ze_command_queue_handle_t queue = NULL;
    assert_result(zeCommandQueueCreate(api->device, &desc, &queue),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

static const struct api_case cases[] = {
    API_CASE(a_program_of_091_runs),
    API_CASE(attributes_of_a_kernel_are_kept),
    API_CASE(properties_say_what_todays_say),
    API_CASE(copies_signal_and_do_not_wait),
    API_CASE(the_last_levels_configuration_is_unsupported),
    API_CASE(a_single_slice_is_refused),
};
API_MAIN("compat_91", cases)
