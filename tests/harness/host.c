/* Small programs that run kernels. See host.h. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_BYTES (1u << 20)

void host_check(ze_result_t result, const char *call)
{
    if (result != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "%s: 0x%x\n", call, (unsigned)result);
        exit(result == ZE_RESULT_ERROR_DEVICE_LOST ? HOST_LOST : 1);
    }
}

void host_open(struct host *host)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_handle_t driver = NULL;
    uint32_t one = 1;
    HOST_CHECK(zeInit(0));
    HOST_CHECK(zeDriverGet(&one, &driver));
    HOST_CHECK(zeDeviceGet(driver, &one, &host->device));
    HOST_CHECK(zeContextCreate(driver, &desc, &host->context));
}

void host_close(struct host *host)
{
    HOST_CHECK(zeContextDestroy(host->context));
}

void *host_alloc(const struct host *host, size_t bytes)
{
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    HOST_CHECK(
        zeMemAllocShared(host->context, &on_device, &on_host, bytes, 64, host->device, &memory));
    memset(memory, 0, bytes);
    return memory;
}

ze_module_handle_t host_module(const struct host *host, ze_module_format_t format, const char *path,
                               const char *flags)
{
    static uint8_t bytes[MODULE_BYTES];
    ze_module_handle_t module = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = format,
                             .inputSize = fread(bytes, 1, sizeof(bytes), file),
                             .pInputModule = bytes,
                             .pBuildFlags = flags};
    fclose(file);
    HOST_CHECK(zeModuleCreate(host->context, host->device, &desc, &module, NULL));
    return module;
}

ze_kernel_handle_t host_kernel(ze_module_handle_t module, const char *name)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    HOST_CHECK(zeKernelCreate(module, &desc, &kernel));
    return kernel;
}

void host_pointer_set(ze_kernel_handle_t kernel, uint32_t index, const void *pointer)
{
    HOST_CHECK(zeKernelSetArgumentValue(kernel, index, sizeof(pointer), &pointer));
}

static ze_command_list_handle_t kernel_start(const struct host *host, ze_kernel_handle_t kernel,
                                             uint32_t items, uint32_t group,
                                             ze_command_queue_mode_t mode)
{
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = mode};
    ze_group_count_t groups = {items / group, 1, 1};
    ze_command_list_handle_t list = NULL;
    HOST_CHECK(zeKernelSetGroupSize(kernel, group, 1, 1));
    HOST_CHECK(zeCommandListCreateImmediate(host->context, host->device, &queue, &list));
    HOST_CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    return list;
}

ze_command_list_handle_t host_start(const struct host *host, ze_kernel_handle_t kernel,
                                    uint32_t items, uint32_t group)
{
    return kernel_start(host, kernel, items, group, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
}

void host_finish(ze_command_list_handle_t list, ze_kernel_handle_t kernel)
{
    HOST_CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    HOST_CHECK(zeCommandListDestroy(list));
    HOST_CHECK(zeKernelDestroy(kernel));
}

void host_run(const struct host *host, ze_kernel_handle_t kernel, uint32_t items, uint32_t group)
{
    host_finish(kernel_start(host, kernel, items, group, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS),
                kernel);
}
