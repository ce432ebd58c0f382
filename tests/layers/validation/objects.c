/* Makes the objects of objects.h. */
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>

struct signal signal_begin(const struct faulty_world *world, ze_event_pool_flags_t flags)
{
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | flags,
                                       .count = 1};
    const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                   .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                   .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    struct signal signal;
    MUST(zeEventPoolCreate(world->context, &desc, 0, NULL, &signal.pool));
    MUST(zeEventCreate(signal.pool, &event, &signal.event));
    return signal;
}

void signal_end(const struct signal *signal)
{
    MUST(zeEventDestroy(signal->event));
    MUST(zeEventPoolDestroy(signal->pool));
}

struct gate gate_begin(const struct faulty_world *world)
{
    struct gate gate = {.pool = faulty_pool(world, 1),
                        .list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER)};
    gate.event = faulty_event(gate.pool, 0);
    MUST(zeCommandListAppendWaitOnEvents(gate.list, 1, &gate.event));
    return gate;
}

void gate_end(const struct gate *gate)
{
    MUST(zeEventHostSignal(gate->event));
    MUST(zeCommandListHostSynchronize(gate->list, UINT64_MAX));
    MUST(zeCommandListDestroy(gate->list));
    MUST(zeEventDestroy(gate->event));
    MUST(zeEventPoolDestroy(gate->pool));
}

struct faulty_world other_begin(const struct faulty_world *world)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    struct faulty_world other = *world;
    MUST(zeContextCreate(world->driver, &desc, &other.context));
    return other;
}

void other_end(const struct faulty_world *other)
{
    MUST(zeContextDestroy(other->context));
}

ze_result_t run_list(const struct faulty_world *world, ze_command_list_handle_t list)
{
    ze_command_queue_handle_t queue = faulty_queue(world);
    const ze_result_t result = zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL);
    MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    MUST(zeCommandQueueDestroy(queue));
    return result;
}

ze_result_t close_and_run(const struct faulty_world *world, ze_command_list_handle_t list)
{
    MUST(zeCommandListClose(list));
    return run_list(world, list);
}

void *shared_memory(const struct faulty_world *world, size_t size)
{
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory;
    MUST(zeMemAllocShared(world->context, &device, &host, size, 64, world->device, &memory));
    return memory;
}

void fill(ze_command_list_handle_t list, void *memory, uint8_t value, size_t size)
{
    MUST(zeCommandListAppendMemoryFill(list, memory, &value, 1, size, NULL, 0, NULL));
}

void copy(ze_command_list_handle_t list, void *to, const void *from, size_t size)
{
    MUST(zeCommandListAppendMemoryCopy(list, to, from, size, NULL, 0, NULL));
}

ze_image_desc_t image_desc(uint32_t width, uint32_t height)
{
    return (ze_image_desc_t){.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                             .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
                             .type = ZE_IMAGE_TYPE_2D,
                             .format = {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT,
                                        ZE_IMAGE_FORMAT_SWIZZLE_R, ZE_IMAGE_FORMAT_SWIZZLE_G,
                                        ZE_IMAGE_FORMAT_SWIZZLE_B, ZE_IMAGE_FORMAT_SWIZZLE_A},
                             .width = width,
                             .height = height,
                             .depth = 1};
}

ze_image_handle_t image_create(const struct faulty_world *world, uint32_t width, uint32_t height)
{
    const ze_image_desc_t desc = image_desc(width, height);
    ze_image_handle_t image;
    MUST(zeImageCreate(world->context, world->device, &desc, &image));
    return image;
}

ze_sampler_handle_t sampler_create(const struct faulty_world *world)
{
    const ze_sampler_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                                    .addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                    .filterMode = ZE_SAMPLER_FILTER_MODE_NEAREST};
    ze_sampler_handle_t sampler;
    MUST(zeSamplerCreate(world->context, world->device, &desc, &sampler));
    return sampler;
}

ze_module_handle_t native_module(const struct faulty_world *world, const char *name)
{
    static uint8_t bytes[1 << 20];
    char path[4096];
    snprintf(path, sizeof(path), "%s/tests/fixtures/%s.o", getenv("GEOID_BUILD_DIR"), name);
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
    MUST(zeModuleCreate(world->context, world->device, &desc, &module, NULL));
    return module;
}

ze_result_t launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel)
{
    const ze_group_count_t groups = {1, 1, 1};
    return zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL);
}

void set_pointer(ze_kernel_handle_t kernel, uint32_t index, void *pointer)
{
    MUST(zeKernelSetArgumentValue(kernel, index, sizeof(pointer), &pointer));
}

size_t page_size(const struct faulty_world *world)
{
    size_t size;
    MUST(zeVirtualMemQueryPageSize(world->context, world->device, 1, &size));
    return size;
}

char *reserve(const struct faulty_world *world, size_t size)
{
    void *at;
    MUST(zeVirtualMemReserve(world->context, NULL, size, &at));
    return at;
}

ze_physical_mem_handle_t physical_create(const struct faulty_world *world, size_t size)
{
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = size};
    ze_physical_mem_handle_t memory;
    MUST(zePhysicalMemCreate(world->context, world->device, &desc, &memory));
    return memory;
}

void map(const struct faulty_world *world, void *at, size_t size, ze_physical_mem_handle_t memory,
         size_t offset)
{
    MUST(zeVirtualMemMap(world->context, at, size, memory, offset,
                         ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
}
