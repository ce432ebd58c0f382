/* API test of level_zero/compat/ze_api_0_9.h with text 0.95, the default: functions without a
 * context, booleans in properties. */
#include "harness.h"

#include <level_zero/compat/ze_api_0_9.h>

static void memory_belongs_to_the_driver(void **state)
{
    struct api *api = *state;
    ze_device_mem_alloc_desc_t device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, NULL,
                                         ZE_DEVICE_MEM_ALLOC_FLAG_DEFAULT, 0};
    ze_host_mem_alloc_desc_t host = {ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, NULL,
                                     ZE_HOST_MEM_ALLOC_FLAG_DEFAULT};
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t owner = NULL;
    ze_ipc_mem_handle_t ipc;
    void *pointers[3], *base = NULL, *opened = NULL;
    const ze_memory_type_t types[3] = {ZE_MEMORY_TYPE_SHARED, ZE_MEMORY_TYPE_DEVICE,
                                       ZE_MEMORY_TYPE_HOST};
    size_t size = 0;
    assert_success(
        zeDriverAllocSharedMem(api->driver, &device, &host, 256, 64, api->device, &pointers[0]));
    assert_success(
        zeDriverAllocDeviceMem(api->driver, &device, 256, 64, api->device, &pointers[1]));
    assert_success(zeDriverAllocHostMem(api->driver, &host, 256, 64, &pointers[2]));
    for (int i = 0; i < 3; i++) {
        assert_success(
            zeDriverGetMemAllocProperties(api->driver, pointers[i], &properties, &owner));
        assert_int_equal(properties.type, types[i]);
        assert_success(
            zeDriverGetMemAddressRange(api->driver, (char *)pointers[i] + 8, &base, &size));
        assert_ptr_equal(base, pointers[i]);
        assert_true(size >= 256);
    }
    assert_success(zeDriverGetMemIpcHandle(api->driver, pointers[1], &ipc));
    assert_success(
        zeDriverOpenMemIpcHandle(api->driver, api->device, ipc, ZE_IPC_MEMORY_FLAG_NONE, &opened));
    assert_success(zeDriverCloseMemIpcHandle(api->driver, opened));
    for (int i = 0; i < 3; i++) {
        assert_success(zeDriverFreeMem(api->driver, pointers[i]));
    }
    assert_result(zeDriverAllocHostMem(NULL, &host, 256, 64, &base),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static void properties_are_booleans(void **state)
{
    struct api *api = *state;
    ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    ze_command_queue_group_properties_t groups[8] = {
        {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES}};
    ze_device_p2p_properties_t peer = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
    ze_driver_ipc_properties_t ipc = {.stype = ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES};
    ze_device_cache_properties_t cache = {.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES};
    ze_device_image_properties_t image = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    uint32_t count = 8;
    assert_success(zeDeviceGetProperties(api->device, &device));
    assert_int_equal(device.isSubdevice,
                     (api->properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE) != 0);
    assert_int_equal(device.maxHardwareContexts, api->properties.maxHardwareContexts);
    assert_int_equal(device.kernelTimestampValidBits, api->properties.kernelTimestampValidBits);
    assert_string_equal(device.name, api->properties.name);
    assert_success(zeDeviceGetModuleProperties(api->device, &module));
    if (api->executes) {
        assert_true(module.fp64Supported && (module.fp64Capabilities & ZE_FP_CAPS_FMA));
    }
    memset(groups, 0xa5, sizeof(groups));
    assert_success(zeDeviceGetCommandQueueGroupProperties(api->device, &count, groups));
    assert_true(count >= 1 && count <= 8);
    assert_int_equal(groups[api->ordinal].computeSupported, 1);
    assert_int_equal(groups[api->ordinal].cooperativeKernelsSupported, 1);
    assert_true(groups[api->ordinal].numQueues >= 1 && !groups[api->ordinal].singleSliceSupported);
    assert_success(zeDeviceGetP2PProperties(api->device, api->device, &peer));
    assert_success(zeDriverGetIpcProperties(api->driver, &ipc));
    assert_true(ipc.memsSupported && ipc.eventsSupported);
    assert_success(zeDeviceGetCacheProperties(api->device, &cache));
    assert_success(zeDeviceGetImageProperties(api->device, &image));
    assert_int_equal(image.supported, image.maxImageDims2D != 0);
}

static void kernels_are_made_without_a_context(void **state)
{
    struct api *api = *state;
    size_t size;
    uint8_t *binary = api_read_file("tests/fixtures/native_module.o", &size);
    ze_module_desc_t module_desc = {
        ZE_STRUCTURE_TYPE_MODULE_DESC, NULL, ZE_MODULE_FORMAT_NATIVE, size, binary, NULL, NULL};
    ze_kernel_desc_t kernel_desc = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, ZE_KERNEL_FLAG_NONE,
                                    "ids"};
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    void *table = NULL;
    ze_bool_t on = 1;
    uint32_t bytes = sizeof(on);
    assert_success(zeModuleCreate(api->device, &module_desc, &module, NULL));
    assert_success(zeModuleGetGlobalPointer(module, "table", &table));
    assert_non_null(table);
    assert_success(zeKernelCreate(module, &kernel_desc, &kernel));
    assert_success(zeKernelGetProperties(kernel, &properties));
    assert_string_equal(properties.name, "ids");
    assert_int_equal(properties.numKernelArgs, 1);
    assert_success(
        zeKernelSetAttribute(kernel, ZE_KERNEL_ATTRIBUTE_INDIRECT_SHARED_ACCESS, sizeof(on), &on));
    on = 0;
    assert_success(
        zeKernelGetAttribute(kernel, ZE_KERNEL_ATTRIBUTE_INDIRECT_SHARED_ACCESS, &bytes, &on));
    assert_int_equal(on, 1);
    assert_success(zeKernelSetIntermediateCacheConfig(kernel, ZE_CACHE_CONFIG_LARGE_SLM));
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    free(binary);
}

static void a_queue_of_a_foreign_device_is_refused(void **state)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_queue_handle_t queue = NULL;
    (void)state;
    assert_result(zeCommandQueueCreate(api_foreign_handle(), &desc, &queue),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandQueueCreate(NULL, &desc, &queue), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_null(queue);
}

static const struct api_case cases[] = {
    API_CASE(memory_belongs_to_the_driver),
    API_CASE(properties_are_booleans),
    API_CASE(kernels_are_made_without_a_context),
    API_CASE(a_queue_of_a_foreign_device_is_refused),
};
API_MAIN("compat_95", cases)
