/* What the faulty programs are made of. See faulty.h. */
#include "faulty.h"

#include <stdio.h>
#include <stdlib.h>

void faulty_must(ze_result_t result, const char *call)
{
    if (result != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "%s: 0x%x\n", call, result);
        exit(3);
    }
}

ze_event_pool_handle_t faulty_pool(const struct faulty_world *world, uint32_t count)
{
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = count};
    ze_event_pool_handle_t pool;
    MUST(zeEventPoolCreate(world->context, &desc, 0, NULL, &pool));
    return pool;
}

ze_event_handle_t faulty_event(ze_event_pool_handle_t pool, uint32_t index)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index};
    ze_event_handle_t event;
    MUST(zeEventCreate(pool, &desc, &event));
    return event;
}

ze_command_list_handle_t faulty_list(const struct faulty_world *world,
                                     ze_command_list_flags_t flags)
{
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .flags = flags};
    ze_command_list_handle_t list;
    MUST(zeCommandListCreate(world->context, world->device, &desc, &list));
    return list;
}

ze_command_list_handle_t faulty_immediate(const struct faulty_world *world,
                                          ze_command_queue_flags_t flags)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .flags = flags,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    MUST(zeCommandListCreateImmediate(world->context, world->device, &desc, &list));
    return list;
}

ze_command_queue_handle_t faulty_queue(const struct faulty_world *world)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_queue_handle_t queue;
    MUST(zeCommandQueueCreate(world->context, world->device, &desc, &queue));
    return queue;
}

void *faulty_memory(const struct faulty_world *world, size_t size)
{
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *memory;
    MUST(zeMemAllocDevice(world->context, &desc, size, 64, world->device, &memory));
    return memory;
}

/* The tests' native module: no compiler is needed for it. */
static ze_module_handle_t module_build(const struct faulty_world *world,
                                       ze_module_build_log_handle_t *log)
{
    static uint8_t bytes[1 << 20];
    char path[4096];
    snprintf(path, sizeof(path), "%s/tests/fixtures/native_module.o", getenv("GEOID_BUILD_DIR"));
    FILE *file = fopen(path, "rb");
    if (!file)
        exit(3);
    const size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = size,
                                   .pInputModule = bytes};
    ze_module_handle_t module;
    MUST(zeModuleCreate(world->context, world->device, &desc, &module, log));
    return module;
}

ze_module_handle_t faulty_module(const struct faulty_world *world)
{
    return module_build(world, NULL);
}

ze_module_handle_t faulty_module_with_log(const struct faulty_world *world)
{
    ze_module_build_log_handle_t log;
    ze_module_handle_t module = module_build(world, &log);
    MUST(zeModuleBuildLogDestroy(log));
    return module;
}

ze_kernel_handle_t faulty_kernel(ze_module_handle_t module, const char *name)
{
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel;
    MUST(zeKernelCreate(module, &desc, &kernel));
    MUST(zeKernelSetGroupSize(kernel, 1, 1, 1));
    return kernel;
}
