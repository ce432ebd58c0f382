/* A program of the time of text 0.91, in the part of C that C++ has too: test_compat_91.c runs it,
 * compat_use.cpp is compiled alone. Descriptors are written as that guide writes them, by position. */
#ifndef TESTS_API_COMPAT_USE_91_H
#define TESTS_API_COMPAT_USE_91_H

#define ZE_API_0_9 91
#include <level_zero/compat/ze_api_0_9.h>

struct use {
    ze_driver_handle_t hDriver;
    ze_device_handle_t hDevice;
    ze_command_queue_handle_t hCommandQueue;
    ze_command_list_handle_t hCommandList;
    ze_event_pool_handle_t hEventPool;
    ze_module_handle_t hModule;
    ze_kernel_handle_t hKernel;
    uint32_t *values; /* shared: one for each item */
};

/* Every step returns what its call gave: the first that fails ends the program. */
#define USE(call)                                                                                  \
    do {                                                                                           \
        ze_result_t use_result = (call);                                                           \
        if (use_result != ZE_RESULT_SUCCESS) {                                                     \
            return use_result;                                                                     \
        }                                                                                          \
    } while (0)

static inline ze_result_t use_queue(struct use *use)
{
    ze_command_queue_desc_t commandQueueDesc = {
        ZE_COMMAND_QUEUE_DESC_VERSION_CURRENT, ZE_COMMAND_QUEUE_FLAG_NONE,
        ZE_COMMAND_QUEUE_MODE_DEFAULT, ZE_COMMAND_QUEUE_PRIORITY_NORMAL, 0};
    ze_command_list_desc_t commandListDesc = {ZE_COMMAND_LIST_DESC_VERSION_CURRENT,
                                              ZE_COMMAND_LIST_FLAG_NONE};
    USE(zeCommandQueueCreate(use->hDevice, &commandQueueDesc, &use->hCommandQueue));
    return zeCommandListCreate(use->hDevice, &commandListDesc, &use->hCommandList);
}

static inline ze_result_t use_kernel(struct use *use, const uint8_t *binary, size_t size,
                                     const char *name)
{
    ze_module_desc_t moduleDesc = {
        ZE_MODULE_DESC_VERSION_CURRENT, ZE_MODULE_FORMAT_NATIVE, size, binary, NULL, NULL};
    ze_kernel_desc_t kernelDesc = {ZE_KERNEL_DESC_VERSION_CURRENT, ZE_KERNEL_FLAG_NONE, name};
    ze_module_build_log_handle_t buildlog;
    ze_result_t result = zeModuleCreate(use->hDevice, &moduleDesc, &use->hModule, &buildlog);
    USE(zeModuleBuildLogDestroy(buildlog));
    USE(result);
    return zeKernelCreate(use->hModule, &kernelDesc, &use->hKernel);
}

static inline ze_result_t use_memory(struct use *use, uint32_t count)
{
    ze_device_mem_alloc_desc_t device = {ZE_DEVICE_MEM_ALLOC_DESC_VERSION_CURRENT,
                                         ZE_DEVICE_MEM_ALLOC_FLAG_DEFAULT, 0};
    ze_host_mem_alloc_desc_t host = {ZE_HOST_MEM_ALLOC_DESC_VERSION_CURRENT,
                                     ZE_HOST_MEM_ALLOC_FLAG_DEFAULT};
    void *pointer = NULL;
    USE(zeDriverAllocSharedMem(use->hDriver, &device, &host, count * sizeof(uint32_t),
                               sizeof(uint32_t), use->hDevice, &pointer));
    use->values = (uint32_t *)pointer;
    return ZE_RESULT_SUCCESS;
}

/* The ids of `groups` groups of `size` items, twice over: signaled by an event, and with a fence. */
static inline ze_result_t use_launch(struct use *use, uint32_t groups, uint32_t size)
{
    ze_fence_desc_t fenceDesc = {ZE_FENCE_DESC_VERSION_CURRENT, ZE_FENCE_FLAG_NONE};
    ze_event_pool_desc_t eventPoolDesc = {ZE_EVENT_POOL_DESC_VERSION_CURRENT,
                                          ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
    ze_event_desc_t eventDesc = {ZE_EVENT_DESC_VERSION_CURRENT, 0, ZE_EVENT_SCOPE_FLAG_NONE,
                                 ZE_EVENT_SCOPE_FLAG_HOST};
    ze_group_count_t launchArgs = {groups, 1, 1};
    ze_event_handle_t hEvent;
    ze_fence_handle_t hFence;
    USE(zeEventPoolCreate(use->hDriver, &eventPoolDesc, 0, NULL, &use->hEventPool));
    USE(zeEventCreate(use->hEventPool, &eventDesc, &hEvent));
    USE(zeFenceCreate(use->hCommandQueue, &fenceDesc, &hFence));
    USE(zeKernelSetGroupSize(use->hKernel, size, 1, 1));
    USE(zeKernelSetArgumentValue(use->hKernel, 0, sizeof(use->values), &use->values));
    USE(zeCommandListAppendLaunchKernel(use->hCommandList, use->hKernel, &launchArgs, NULL, 0,
                                        NULL));
    USE(zeCommandListAppendBarrier(use->hCommandList, NULL, 0, NULL));
    USE(zeCommandListAppendLaunchKernel(use->hCommandList, use->hKernel, &launchArgs, hEvent, 0,
                                        NULL));
    USE(zeCommandListClose(use->hCommandList));
    USE(zeCommandQueueExecuteCommandLists(use->hCommandQueue, 1, &use->hCommandList, hFence));
    USE(zeFenceHostSynchronize(hFence, UINT32_MAX));
    USE(zeEventHostSynchronize(hEvent, UINT32_MAX));
    USE(zeCommandQueueSynchronize(use->hCommandQueue, UINT32_MAX));
    USE(zeFenceReset(hFence));
    USE(zeFenceDestroy(hFence));
    USE(zeEventDestroy(hEvent));
    return zeCommandListReset(use->hCommandList);
}

static inline ze_result_t use_attributes(ze_kernel_handle_t hKernel, int *indirect)
{
    bool isIndirect = true;
    uint32_t size = sizeof(isIndirect);
    USE(zeKernelSetAttribute(hKernel, ZE_KERNEL_ATTR_INDIRECT_DEVICE_ACCESS, sizeof(isIndirect),
                             &isIndirect));
    isIndirect = false;
    USE(zeKernelGetAttribute(hKernel, ZE_KERNEL_ATTR_INDIRECT_DEVICE_ACCESS, &size, &isIndirect));
    *indirect = isIndirect;
    USE(zeKernelGetAttribute(hKernel, ZE_KERNEL_ATTR_INDIRECT_HOST_ACCESS, &size, &isIndirect));
    *indirect = *indirect * 2 + isIndirect;
    return ZE_RESULT_SUCCESS;
}

static inline ze_result_t use_residency(const struct use *use, size_t size)
{
    USE(zeDeviceMakeMemoryResident(use->hDevice, use->values, size));
    USE(zeDeviceEvictMemory(use->hDevice, use->values, size));
    return zeDeviceSystemBarrier(use->hDevice);
}

static inline ze_result_t use_close(const struct use *use)
{
    USE(zeDriverFreeMem(use->hDriver, use->values));
    USE(zeEventPoolDestroy(use->hEventPool));
    USE(zeKernelDestroy(use->hKernel));
    USE(zeModuleDestroy(use->hModule));
    USE(zeCommandListDestroy(use->hCommandList));
    return zeCommandQueueDestroy(use->hCommandQueue);
}

#endif
