/* Faults of devices: what belongs to one and is used on another, queue groups, sub-devices. Most
 * programs ask for two devices, or for devices with parts, by GEOID_DEVICES. */
#include "objects.h"

#include <stdlib.h>

/* The world as another device has it. */
static struct faulty_world world_of(const struct faulty_world *world, ze_device_handle_t device)
{
    struct faulty_world other = *world;
    other.device = device;
    return other;
}

static struct faulty_world second_device(const struct faulty_world *world)
{
    ze_device_handle_t devices[2];
    uint32_t count = 2;
    MUST(zeDeviceGet(world->driver, &count, devices));
    if (count < 2)
        exit(4);
    return world_of(world, devices[1]);
}

static struct faulty_world part(const struct faulty_world *world, uint32_t index)
{
    ze_device_handle_t parts[2];
    uint32_t count = 2;
    MUST(zeDeviceGetSubDevices(world->device, &count, parts));
    if (count < 2)
        exit(4);
    return world_of(world, parts[index]);
}

/* A list for a queue group that only copies. */
static ze_command_list_handle_t copy_list(const struct faulty_world *world, uint32_t *ordinal)
{
    ze_command_queue_group_properties_t groups[8] = {0};
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list;
    uint32_t count = 8;
    for (int i = 0; i < 8; i++)
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    MUST(zeDeviceGetCommandQueueGroupProperties(world->device, &count, groups));
    for (*ordinal = 0; *ordinal < count; (*ordinal)++) {
        if (groups[*ordinal].flags == ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY) {
            desc.commandQueueGroupOrdinal = *ordinal;
            MUST(zeCommandListCreate(world->context, world->device, &desc, &list));
            return list;
        }
    }
    exit(4);
}

static ze_kernel_handle_t numbers_kernel(ze_module_handle_t module, void *memory)
{
    ze_kernel_handle_t kernel = faulty_kernel(module, "ids");
    set_pointer(kernel, 0, memory);
    return kernel;
}

static void list_on_a_queue_of_another_group(struct faulty_world *world)
{
    /* CMQ-8: a list only executes on a queue of the same ordinal. */
    uint32_t ordinal;
    ze_command_list_handle_t list = copy_list(world, &ordinal);
    close_and_run(world, list);
    MUST(zeCommandListDestroy(list));
}

static void list_of_another_group_in_an_immediate_list(struct faulty_world *world)
{
    /* CMQ-8, CMQ-20: an immediate list is a list and its queue, which has an ordinal. */
    uint32_t ordinal;
    ze_command_list_handle_t list = copy_list(world, &ordinal);
    ze_command_list_handle_t immediate = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    MUST(zeCommandListClose(list));
    zeCommandListImmediateAppendCommandListsExp(immediate, 1, &list, NULL, 0, NULL);
    MUST(zeCommandListHostSynchronize(immediate, UINT64_MAX));
    MUST(zeCommandListDestroy(immediate));
    MUST(zeCommandListDestroy(list));
}

static void kernel_on_a_group_that_copies(struct faulty_world *world)
{
    /* KRN-6: only on a compute-capable ordinal. */
    uint32_t ordinal;
    ze_command_list_handle_t list = copy_list(world, &ordinal);
    void *memory = faulty_memory(world, 4096);
    ze_module_handle_t module = faulty_module(world);
    ze_kernel_handle_t kernel = numbers_kernel(module, memory);
    launch(list, kernel);
    MUST(zeCommandListDestroy(list));
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
    MUST(zeMemFree(world->context, memory));
}

static void kernel_of_another_device(struct faulty_world *world)
{
    /* MOD-2: usable only on the device it was made for. */
    struct faulty_world second = second_device(world);
    ze_command_list_handle_t list = faulty_list(&second, 0);
    void *memory = shared_memory(world, 4096);
    ze_module_handle_t module = faulty_module(world);
    ze_kernel_handle_t kernel = numbers_kernel(module, memory);
    launch(list, kernel);
    MUST(zeCommandListDestroy(list));
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
    MUST(zeMemFree(world->context, memory));
}

static void event_of_a_pool_for_another_device(struct faulty_world *world)
{
    /* SYN-10: a pool is visible to the listed devices. */
    struct faulty_world second = second_device(world);
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_event_pool_handle_t pool;
    MUST(zeEventPoolCreate(world->context, &desc, 1, &world->device, &pool));
    ze_event_handle_t event = faulty_event(pool, 0);
    ze_command_list_handle_t list = faulty_list(&second, 0);
    zeCommandListAppendBarrier(list, event, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(event));
    MUST(zeEventPoolDestroy(pool));
}

static void list_on_a_queue_of_another_device(struct faulty_world *world)
{
    /* CMQ-12: lists are built per device. */
    struct faulty_world second = second_device(world);
    ze_command_list_handle_t list = faulty_list(&second, 0);
    close_and_run(world, list);
    MUST(zeCommandListDestroy(list));
}

static void sampler_of_another_device(struct faulty_world *world)
{
    /* IMG-14: a sampler works only on its device. */
    struct faulty_world second = second_device(world);
    ze_module_handle_t module = native_module(world, "native_image");
    ze_kernel_handle_t kernel = faulty_kernel(module, "look");
    ze_sampler_handle_t sampler = sampler_create(&second);
    zeKernelSetArgumentValue(kernel, 2, sizeof(sampler), &sampler);
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
    MUST(zeSamplerDestroy(sampler));
}

static void modules_of_two_devices_linked(struct faulty_world *world)
{
    /* zeModuleDynamicLink: "All modules belong to one device and context". */
    struct faulty_world second = second_device(world);
    ze_module_handle_t modules[2] = {faulty_module(world), faulty_module(&second)};
    zeModuleDynamicLink(2, modules, NULL);
    MUST(zeModuleDestroy(modules[0]));
    MUST(zeModuleDestroy(modules[1]));
}

static void device_that_its_context_lacks(struct faulty_world *world)
{
    /* zeContextCreateEx: "Creates a context for some devices of a driver; only they can be used
     * with it." */
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    struct faulty_world second = second_device(world);
    ze_command_list_handle_t list;
    MUST(zeContextCreateEx(world->driver, &desc, 1, &world->device, &second.context));
    if (zeCommandListCreate(second.context, second.device, &list_desc, &list) == ZE_RESULT_SUCCESS)
        MUST(zeCommandListDestroy(list));
    other_end(&second);
}

/* --- no fault --- */

static void memory_of_a_device_on_its_parts(struct faulty_world *world)
{
    /* DEV-5, DEV-7: memory of a parent is visible to its sub-devices. */
    void *memory = faulty_memory(world, 4096);
    for (uint32_t i = 0; i < 2; i++) {
        struct faulty_world mine = part(world, i);
        ze_command_list_handle_t list = faulty_list(&mine, 0);
        fill(list, memory, 1, 4096);
        MUST(close_and_run(&mine, list));
        MUST(zeCommandListDestroy(list));
    }
    MUST(zeMemFree(world->context, memory));
}

static void copy_between_parts(struct faulty_world *world)
{
    /* DEV-17, DEV-20: siblings reach each other; peer copies use the ordinary append. */
    struct faulty_world one = part(world, 0), other = part(world, 1);
    ze_bool_t reaches = 0;
    MUST(zeDeviceCanAccessPeer(one.device, other.device, &reaches));
    if (!reaches)
        exit(4);
    void *from = faulty_memory(&other, 4096), *to = faulty_memory(&one, 4096);
    ze_command_list_handle_t list = faulty_list(&one, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    fill(list, from, 1, 4096);
    copy(list, to, from, 4096);
    MUST(close_and_run(&one, list));
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, from));
    MUST(zeMemFree(world->context, to));
}

static void event_of_two_devices(struct faulty_world *world)
{
    /* SYN-5, SYN-10: a pool without a list of devices is for all; device to another device. */
    struct faulty_world second = second_device(world);
    ze_device_handle_t both[2] = {world->device, second.device};
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    for (uint32_t i = 0; i < 2; i++) {
        ze_event_pool_handle_t pool;
        MUST(zeEventPoolCreate(world->context, &desc, 2 * i, i ? both : NULL, &pool));
        ze_event_handle_t event = faulty_event(pool, 0);
        ze_command_list_handle_t waits = faulty_immediate(&second, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        ze_command_list_handle_t signals = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        MUST(zeCommandListAppendWaitOnEvents(waits, 1, &event));
        MUST(zeCommandListAppendSignalEvent(signals, event));
        MUST(zeCommandListHostSynchronize(waits, UINT64_MAX));
        MUST(zeCommandListHostSynchronize(signals, UINT64_MAX));
        MUST(zeCommandListDestroy(waits));
        MUST(zeCommandListDestroy(signals));
        MUST(zeEventDestroy(event));
        MUST(zeEventPoolDestroy(pool));
    }
}

static void image_copied_to_another_device(struct faulty_world *world)
{
    /* IMG-9: an image is visible only to its own device; image copies bring it to others. */
    struct faulty_world second = second_device(world);
    ze_image_handle_t from = image_create(world, 8, 8), to = image_create(&second, 8, 8);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendImageCopy(list, to, from, NULL, 0, NULL));
    MUST(close_and_run(world, list));
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(from));
    MUST(zeImageDestroy(to));
}

static void context_of_one_device(struct faulty_world *world)
{
    /* zeContextCreateEx; the default context is the driver's and never destroyed. */
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    struct faulty_world alone = *world, ready = *world;
    MUST(zeContextCreateEx(world->driver, &desc, 1, &world->device, &alone.context));
    ready.context = zeDriverGetDefaultContext(world->driver);
    struct faulty_world *worlds[2] = {&alone, &ready};
    for (int i = 0; i < 2; i++) {
        void *memory = faulty_memory(worlds[i], 4096);
        ze_command_list_handle_t list = faulty_list(worlds[i], 0);
        fill(list, memory, 1, 4096);
        MUST(close_and_run(worlds[i], list));
        MUST(zeCommandListDestroy(list));
        MUST(zeMemFree(worlds[i]->context, memory));
    }
    other_end(&alone);
}

static void list_on_one_queue_after_another(struct faulty_world *world)
{
    /* CMQ-8, CMQ-16: any number of queues of its ordinal, one after the other. */
    uint32_t ordinal;
    ze_command_list_handle_t list = copy_list(world, &ordinal);
    void *memory = faulty_memory(world, 4096);
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = ordinal,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    fill(list, memory, 1, 4096);
    MUST(zeCommandListClose(list));
    for (int i = 0; i < 4; i++) {
        ze_command_queue_handle_t queue;
        MUST(zeCommandQueueCreate(world->context, world->device, &desc, &queue));
        MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
        MUST(zeCommandQueueDestroy(queue));
    }
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
}

static void module_of_another_devices_binary(struct faulty_world *world)
{
    /* MOD-2: other devices of the driver get a module from the native binary. */
    struct faulty_world second = second_device(world);
    ze_module_handle_t module = faulty_module(world), there;
    size_t size = 0;
    MUST(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *binary = malloc(size);
    MUST(zeModuleGetNativeBinary(module, &size, binary));
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = size,
                                   .pInputModule = binary};
    MUST(zeModuleCreate(world->context, second.device, &desc, &there, NULL));
    void *memory = shared_memory(&second, 4096);
    ze_kernel_handle_t kernel = numbers_kernel(there, memory);
    ze_command_list_handle_t list = faulty_list(&second, 0);
    MUST(launch(list, kernel));
    MUST(close_and_run(&second, list));
    MUST(zeCommandListDestroy(list));
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
    MUST(zeModuleDestroy(there));
    MUST(zeMemFree(world->context, memory));
    free(binary);
}

const struct faulty faulty_programs[] = {
    {"list_on_a_queue_of_another_group", list_on_a_queue_of_another_group, "other-ordinal",
     "phCommandLists", NULL},
    {"list_of_another_group_in_an_immediate_list", list_of_another_group_in_an_immediate_list,
     "other-ordinal", "phCommandLists", NULL},
    {"kernel_on_a_group_that_copies", kernel_on_a_group_that_copies, "other-ordinal",
     "zeCommandListAppendLaunchKernel", NULL},
    {"kernel_of_another_device", kernel_of_another_device, "other-device",
     "zeCommandListAppendLaunchKernel", "GEOID_DEVICES=2"},
    {"event_of_a_pool_for_another_device", event_of_a_pool_for_another_device, "other-device",
     "hSignalEvent", "GEOID_DEVICES=2"},
    {"list_on_a_queue_of_another_device", list_on_a_queue_of_another_device, "other-device",
     "phCommandLists", "GEOID_DEVICES=2"},
    {"sampler_of_another_device", sampler_of_another_device, "other-device",
     "zeKernelSetArgumentValue", "GEOID_DEVICES=2"},
    {"modules_of_two_devices_linked", modules_of_two_devices_linked, "other-device",
     "zeModuleDynamicLink", "GEOID_DEVICES=2"},
    {"device_that_its_context_lacks", device_that_its_context_lacks, "other-device",
     "zeCommandListCreate", "GEOID_DEVICES=2"},
    {"memory_of_a_device_on_its_parts", memory_of_a_device_on_its_parts, "", NULL,
     "GEOID_DEVICES=2x2"},
    {"copy_between_parts", copy_between_parts, "", NULL, "GEOID_DEVICES=2x2"},
    {"event_of_two_devices", event_of_two_devices, "", NULL, "GEOID_DEVICES=2"},
    {"image_copied_to_another_device", image_copied_to_another_device, "", NULL, "GEOID_DEVICES=2"},
    {"context_of_one_device", context_of_one_device, "", NULL, NULL},
    {"list_on_one_queue_after_another", list_on_one_queue_after_another, "", NULL, NULL},
    {"module_of_another_devices_binary", module_of_another_devices_binary, "", NULL,
     "GEOID_DEVICES=2"},
    {0}};
