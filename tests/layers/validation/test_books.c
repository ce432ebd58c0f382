/* What lists, graphs and kernels have kept: looked at when commands are appended, and again when
 * they are executed. Each program has one fault, or none where others would be accused. */
#include "faulty.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const ze_group_count_t one_group = {1, 1, 1};
static const uint8_t pattern = 1;

static void *shared(const struct faulty_world *world, size_t size)
{
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory;
    MUST(zeMemAllocShared(world->context, &device, &host, size, 64, world->device, &memory));
    return memory;
}

/* Executes a list that may be refused. */
static void run(const struct faulty_world *world, ze_command_list_handle_t list)
{
    ze_command_queue_handle_t queue = faulty_queue(world);
    if (zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL) == ZE_RESULT_SUCCESS)
        MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    MUST(zeCommandQueueDestroy(queue));
}

/* --- arguments --- */

struct launch {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    void *memory;
};

static struct launch launch_begin(const struct faulty_world *world)
{
    struct launch launch = {.module = faulty_module(world),
                            .list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER),
                            .memory = shared(world, 4096)};
    launch.kernel = faulty_kernel(launch.module, "ids");
    MUST(zeKernelSetArgumentValue(launch.kernel, 0, sizeof(void *), &launch.memory));
    return launch;
}

static void launch_append(const struct launch *launch)
{
    zeCommandListAppendLaunchKernel(launch->list, launch->kernel, &one_group, NULL, 0, NULL);
}

static void launch_end(const struct faulty_world *world, const struct launch *launch)
{
    MUST(zeCommandListDestroy(launch->list));
    MUST(zeKernelDestroy(launch->kernel));
    MUST(zeModuleDestroy(launch->module));
    if (launch->memory)
        MUST(zeMemFree(world->context, launch->memory));
}

static void freed_argument(struct faulty_world *world)
{
    struct launch launch = launch_begin(world);
    MUST(zeMemFree(world->context, launch.memory));
    launch.memory = NULL;
    launch_append(&launch);
    launch_end(world, &launch);
}

static void argument_from_another_context(struct faulty_world *world)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    struct faulty_world other = *world;
    struct launch launch = launch_begin(world);
    MUST(zeContextCreate(world->driver, &desc, &other.context));
    void *theirs = shared(&other, 4096);
    MUST(zeKernelSetArgumentValue(launch.kernel, 0, sizeof(void *), &theirs));
    launch_append(&launch);
    launch_end(world, &launch);
    MUST(zeMemFree(other.context, theirs));
    MUST(zeContextDestroy(other.context));
}

/* No fault: arguments that a launch brought along stay with the kernel (KRN-8). */
static void launch_after_one_with_arguments(struct faulty_world *world)
{
    ze_module_handle_t module = faulty_module(world);
    ze_kernel_handle_t kernel = faulty_kernel(module, "ids");
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    void *memory = shared(world, 4096), *arguments[] = {&memory};
    MUST(zeCommandListAppendLaunchKernelWithArguments(
        list, kernel, one_group, (ze_group_size_t){1, 1, 1}, arguments, NULL, NULL, 0, NULL));
    MUST(zeCommandListAppendLaunchKernel(list, kernel, &one_group, NULL, 0, NULL));
    MUST(zeCommandListClose(list));
    run(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
    MUST(zeMemFree(world->context, memory));
}

/* The second launch uses what the first one brought along. */
static void freed_argument_of_an_earlier_launch(struct faulty_world *world)
{
    struct launch launch = launch_begin(world);
    void *memory = shared(world, 4096), *arguments[] = {&memory};
    MUST(zeCommandListAppendLaunchKernelWithArguments(launch.list, launch.kernel, one_group,
                                                      (ze_group_size_t){1, 1, 1}, arguments, NULL,
                                                      NULL, 0, NULL));
    MUST(zeMemFree(world->context, memory));
    launch_append(&launch);
    launch_end(world, &launch);
}

static void sizes_of_arguments(const struct faulty_world *world, size_t size)
{
    struct launch launch = launch_begin(world);
    ze_kernel_handle_t scale = faulty_kernel(launch.module, "scale");
    const uint64_t value[2] = {0};
    zeKernelSetArgumentValue(scale, 2, size, value);
    zeKernelSetArgumentValue(scale, 2, 1, NULL); /* null: any size */
    MUST(zeKernelDestroy(scale));
    launch_end(world, &launch);
}

static void value_too_long(struct faulty_world *world)
{
    sizes_of_arguments(world, 8);
}

static void value_too_short(struct faulty_world *world)
{
    sizes_of_arguments(world, 2);
}

static void value_of_the_right_size(struct faulty_world *world)
{
    sizes_of_arguments(world, 4);
}

/* --- lists that run later --- */

static void list_run_after_a_free(struct faulty_world *world)
{
    void *memory = shared(world, 256);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 1, 256, NULL, 0, NULL));
    MUST(zeCommandListClose(list));
    run(world, list);
    MUST(zeMemFree(world->context, memory));
    run(world, list);
    MUST(zeCommandListDestroy(list));
}

static void list_run_within_after_a_free(struct faulty_world *world)
{
    void *memory = shared(world, 256);
    ze_command_list_handle_t list = faulty_list(world, 0), immediate = faulty_immediate(world, 0);
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 1, 256, NULL, 0, NULL));
    MUST(zeCommandListClose(list));
    MUST(zeMemFree(world->context, memory));
    zeCommandListImmediateAppendCommandListsExp(immediate, 1, &list, NULL, 0, NULL);
    MUST(zeCommandListHostSynchronize(immediate, UINT64_MAX));
    MUST(zeCommandListDestroy(immediate));
    MUST(zeCommandListDestroy(list));
}

static void argument_freed_after_the_append(struct faulty_world *world)
{
    struct launch launch = launch_begin(world);
    launch_append(&launch);
    MUST(zeCommandListClose(launch.list));
    MUST(zeMemFree(world->context, launch.memory));
    launch.memory = NULL;
    ze_command_queue_handle_t queue = faulty_queue(world); /* the kernel faults if it is let run */
    if (zeCommandQueueExecuteCommandLists(queue, 1, &launch.list, NULL) == ZE_RESULT_SUCCESS)
        zeCommandQueueSynchronize(queue, UINT64_MAX);
    MUST(zeCommandQueueDestroy(queue));
    launch_end(world, &launch);
}

static void clone_run_after_a_free(struct faulty_world *world)
{
    void *memory = shared(world, 256);
    ze_command_list_handle_t clone, list = faulty_list(world, ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE);
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 1, 256, NULL, 0, NULL));
    MUST(zeCommandListClose(list));
    MUST(zeCommandListCreateCloneExp(list, &clone));
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandListClose(clone));
    MUST(zeMemFree(world->context, memory));
    run(world, clone);
    MUST(zeCommandListDestroy(clone));
}

static void event_gone_before_its_list(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t event = faulty_event(pool, 0);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendSignalEvent(list, event));
    MUST(zeCommandListClose(list));
    MUST(zeEventDestroy(event));
    run(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeEventPoolDestroy(pool));
}

static void sampler_gone_before_the_launch(struct faulty_world *world)
{
    static uint8_t bytes[1 << 20];
    char path[4096];
    snprintf(path, sizeof(path), "%s/tests/fixtures/native_image.o", getenv("GEOID_BUILD_DIR"));
    FILE *file = fopen(path, "rb");
    if (!file)
        exit(3);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = fread(bytes, 1, sizeof(bytes), file),
                                   .pInputModule = bytes};
    fclose(file);
    const ze_sampler_desc_t sampler_desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                                            .isNormalized = 1};
    ze_module_handle_t module;
    ze_sampler_handle_t sampler;
    MUST(zeModuleCreate(world->context, world->device, &desc, &module, NULL));
    MUST(zeSamplerCreate(world->context, world->device, &sampler_desc, &sampler));
    ze_kernel_handle_t kernel = faulty_kernel(module, "look");
    MUST(zeKernelSetArgumentValue(kernel, 2, sizeof(sampler), &sampler));
    MUST(zeSamplerDestroy(sampler));
    ze_command_list_handle_t list = faulty_list(world, 0);
    const uint64_t nothing = 0;
    zeKernelSetArgumentValue(kernel, 3, sizeof(nothing), &nothing);
    zeCommandListAppendLaunchKernel(list, kernel, &one_group, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
}

/* --- graphs --- */

static ze_executable_graph_handle_t graph_of_a_fill(ze_command_list_handle_t list, void *memory)
{
    ze_graph_handle_t graph;
    ze_executable_graph_handle_t ready;
    MUST(zeCommandListBeginGraphCaptureExt(list, NULL));
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 1, 256, NULL, 0, NULL));
    MUST(zeCommandListEndGraphCaptureExt(list, NULL, &graph));
    MUST(zeGraphInstantiateExt(graph, NULL, &ready));
    MUST(zeGraphDestroyExt(graph));
    return ready;
}

static void graph_run_after_a_free(struct faulty_world *world)
{
    void *memory = shared(world, 256);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_executable_graph_handle_t graph = graph_of_a_fill(list, memory);
    MUST(zeCommandListAppendGraphExt(list, graph, NULL, NULL, 0, NULL));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeMemFree(world->context, memory));
    zeCommandListAppendGraphExt(list, graph, NULL, NULL, 0, NULL);
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeExecutableGraphDestroyExt(graph));
    MUST(zeCommandListDestroy(list));
}

/* Frees what a graph behind a gate uses, and destroys the graph. */
static void in_flight(struct faulty_world *world, int frees)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t gate = faulty_event(pool, 0);
    void *memory = shared(world, 256);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_executable_graph_handle_t graph = graph_of_a_fill(list, memory);
    MUST(zeCommandListAppendGraphExt(list, graph, NULL, NULL, 1, &gate));
    if (frees)
        zeMemFree(world->context, memory);
    else
        zeExecutableGraphDestroyExt(graph);
    MUST(zeEventHostSignal(gate));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeExecutableGraphDestroyExt(graph));
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(gate));
    MUST(zeEventPoolDestroy(pool));
}

static void graph_gone_in_flight(struct faulty_world *world)
{
    in_flight(world, 0);
}

static void memory_of_a_graph_freed_in_flight(struct faulty_world *world)
{
    in_flight(world, 1);
}

/* --- extents --- */

static void ranges_barrier(const struct faulty_world *world, const void *memory, size_t size)
{
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryRangesBarrier(list, 1, &size, &memory, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
}

static void barrier_over_freed_memory(struct faulty_world *world)
{
    void *memory = shared(world, 256);
    MUST(zeMemFree(world->context, memory));
    ranges_barrier(world, memory, 256);
}

static void barrier_beyond_the_end(struct faulty_world *world)
{
    void *memory = shared(world, 256);
    ranges_barrier(world, memory, 257);
    MUST(zeMemFree(world->context, memory));
}

static void timestamps_beyond_the_end(struct faulty_world *world)
{
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                                       .count = 2};
    ze_event_pool_handle_t pool;
    MUST(zeEventPoolCreate(world->context, &desc, 0, NULL, &pool));
    ze_event_handle_t events[] = {faulty_event(pool, 0), faulty_event(pool, 1)};
    void *memory = shared(world, sizeof(ze_kernel_timestamp_result_t));
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendQueryKernelTimestamps(list, 2, events, memory, NULL, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
    MUST(zeEventDestroy(events[0]));
    MUST(zeEventDestroy(events[1]));
    MUST(zeEventPoolDestroy(pool));
}

/* --- images --- */

static ze_image_desc_t image_desc(void)
{
    return (ze_image_desc_t){
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .type = ZE_IMAGE_TYPE_2D,
        .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, .type = ZE_IMAGE_FORMAT_TYPE_UINT},
        .width = 8,
        .height = 8,
        .depth = 1};
}

static ze_image_handle_t image(const struct faulty_world *world)
{
    const ze_image_desc_t desc = image_desc();
    ze_image_handle_t created;
    MUST(zeImageCreate(world->context, world->device, &desc, &created));
    return created;
}

static void image_copied_beyond_the_memory(struct faulty_world *world)
{
    void *memory = shared(world, 255);
    ze_image_handle_t from = image(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendImageCopyToMemory(list, memory, from, NULL, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(from));
    MUST(zeMemFree(world->context, memory));
}

/* No fault: the last row ends with its pixels, not with its pitch. */
static void image_copied_to_the_last_byte(struct faulty_world *world)
{
    const ze_image_region_t rows = {0, 0, 0, 8, 3, 1};
    void *memory = shared(world, 2 * 48 + 32), *whole = shared(world, 256);
    ze_image_handle_t from = image(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendImageCopyToMemoryExt(list, memory, from, &rows, 48, 0, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyToMemory(list, whole, from, NULL, NULL, 0, NULL));
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(from));
    MUST(zeMemFree(world->context, memory));
    MUST(zeMemFree(world->context, whole));
}

static void image_read_beside_its_write(struct faulty_world *world)
{
    void *memory = shared(world, 512);
    ze_image_handle_t both = image(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendImageCopyFromMemory(list, both, memory, NULL, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyToMemory(list, (char *)memory + 256, both, NULL, NULL, 0,
                                              NULL));
    MUST(zeCommandListClose(list));
    run(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(both));
    MUST(zeMemFree(world->context, memory));
}

static void image_gone_before_its_list(struct faulty_world *world)
{
    void *memory = shared(world, 256);
    ze_image_handle_t from = image(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendImageCopyToMemory(list, memory, from, NULL, NULL, 0, NULL));
    MUST(zeCommandListClose(list));
    MUST(zeImageDestroy(from));
    run(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void view_outlives_its_image(struct faulty_world *world)
{
    const ze_image_desc_t desc = image_desc();
    ze_image_handle_t whole = image(world), view;
    MUST(zeImageViewCreateExt(world->context, world->device, &desc, whole, &view));
    zeImageDestroy(whole);
    MUST(zeImageDestroy(view));
    MUST(zeImageDestroy(whole));
}

/* --- reserved addresses --- */

struct mapped {
    size_t page;
    void *at;
    ze_physical_mem_handle_t physical;
};

static struct mapped map_begin(const struct faulty_world *world)
{
    struct mapped mapped;
    MUST(zeVirtualMemQueryPageSize(world->context, world->device, 4096, &mapped.page));
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .size = mapped.page};
    MUST(zePhysicalMemCreate(world->context, world->device, &desc, &mapped.physical));
    MUST(zeVirtualMemReserve(world->context, NULL, 2 * mapped.page, &mapped.at));
    MUST(zeVirtualMemMap(world->context, mapped.at, mapped.page, mapped.physical, 0,
                         ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    return mapped;
}

static void mapping_outlives_its_memory(struct faulty_world *world)
{
    struct mapped mapped = map_begin(world);
    MUST(zePhysicalMemDestroy(world->context, mapped.physical));
    MUST(zeVirtualMemUnmap(world->context, mapped.at, mapped.page));
    MUST(zeVirtualMemFree(world->context, mapped.at, 2 * mapped.page));
}

static void reservation_goes_before_its_mapping(struct faulty_world *world)
{
    struct mapped mapped = map_begin(world);
    MUST(zeVirtualMemFree(world->context, mapped.at, 2 * mapped.page));
    MUST(zePhysicalMemDestroy(world->context, mapped.physical));
}

/* Executes a fill of addresses, after they were unmapped where that is asked for. */
static void fill_run(struct faulty_world *world, size_t pages, int unmaps)
{
    struct mapped mapped = map_begin(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendMemoryFill(list, mapped.at, &pattern, 1, pages * mapped.page, NULL, 0,
                                       NULL));
    MUST(zeCommandListClose(list));
    if (unmaps)
        MUST(zeVirtualMemUnmap(world->context, mapped.at, mapped.page));
    run(world, list);
    MUST(zeCommandListDestroy(list));
    if (!unmaps)
        MUST(zeVirtualMemUnmap(world->context, mapped.at, mapped.page));
    MUST(zePhysicalMemDestroy(world->context, mapped.physical));
    MUST(zeVirtualMemFree(world->context, mapped.at, 2 * mapped.page));
}

static void fill_of_unmapped_pages(struct faulty_world *world)
{
    fill_run(world, 1, 1);
}

static void fill_of_more_than_is_mapped(struct faulty_world *world)
{
    fill_run(world, 2, 0);
}

static void fill_of_what_is_mapped(struct faulty_world *world)
{
    fill_run(world, 1, 0);
}

/* --- changes --- */

/* Runs a list whose launch was changed from one memory to another, one of which is freed. */
static void changed_list(struct faulty_world *world, int frees_the_new)
{
    const ze_mutable_command_list_exp_desc_t mutable = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .pNext = &mutable};
    const ze_mutable_command_id_exp_desc_t id_desc = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC,
        .flags = ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS};
    struct launch launch = launch_begin(world);
    void *other = shared(world, 4096);
    ze_command_list_handle_t list;
    uint64_t id;
    MUST(zeCommandListCreate(world->context, world->device, &desc, &list));
    MUST(zeCommandListGetNextCommandIdExp(list, &id_desc, &id));
    MUST(zeCommandListAppendLaunchKernel(list, launch.kernel, &one_group, NULL, 0, NULL));
    MUST(zeCommandListClose(list));
    const ze_mutable_kernel_argument_exp_desc_t argument = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC,
        .commandId = id,
        .argSize = sizeof(void *),
        .pArgValue = &other};
    const ze_mutable_commands_exp_desc_t change = {
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, .pNext = &argument};
    MUST(zeCommandListUpdateMutableCommandsExp(list, &change));
    MUST(zeCommandListClose(list));
    MUST(zeMemFree(world->context, frees_the_new ? other : launch.memory));
    ze_command_queue_handle_t queue = faulty_queue(world);
    if (zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL) == ZE_RESULT_SUCCESS)
        zeCommandQueueSynchronize(queue, UINT64_MAX);
    MUST(zeCommandQueueDestroy(queue));
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, frees_the_new ? launch.memory : other));
    launch.memory = NULL;
    launch_end(world, &launch);
}

static void changed_argument_freed(struct faulty_world *world)
{
    changed_list(world, 1);
}

/* No fault: what is no argument any more may go. */
static void argument_freed_after_its_change(struct faulty_world *world)
{
    changed_list(world, 0);
}

/* --- devices --- */

static void event_for_another_device(struct faulty_world *world)
{
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_device_handle_t devices[2];
    uint32_t count = 2;
    struct faulty_world second = *world;
    ze_event_pool_handle_t pool;
    MUST(zeDeviceGet(world->driver, &count, devices));
    if (count < 2)
        exit(4);
    second.device = devices[1];
    MUST(zeEventPoolCreate(world->context, &desc, 1, devices, &pool));
    ze_event_handle_t event = faulty_event(pool, 0);
    ze_command_list_handle_t list = faulty_list(&second, 0);
    zeCommandListAppendSignalEvent(list, event);
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(event));
    MUST(zeEventPoolDestroy(pool));
}

/* --- no fault --- */

/* Returns memory of malloc that lies where an allocation was; ends the program where the system
 * gives none. */
static void *memory_where_one_was_freed(const struct faulty_world *world, size_t size)
{
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    for (int i = 0; i < 20; i++) {
        char *freed, *memory;
        MUST(zeMemAllocHost(world->context, &desc, size, 0, (void **)&freed));
        MUST(zeMemFree(world->context, freed));
        memory = malloc(size);
        if (memory >= freed && memory < freed + size)
            return memory;
        free(memory);
    }
    return NULL;
}

static void malloc_where_memory_was_freed(struct faulty_world *world)
{
    enum { BYTES = 64 << 20 };
    char *memory = memory_where_one_was_freed(world, BYTES), *to = shared(world, 64);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    if (memory) {
        memset(memory, 7, 64);
        MUST(zeCommandListAppendMemoryCopy(list, to, memory, 64, NULL, 0, NULL));
        MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
        if (to[63] != 7)
            exit(5);
    }
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, to));
    free(memory);
}

static void own_memory_after_its_free(struct faulty_world *world)
{
    enum { BYTES = 4096 };
    void *own = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), *as;
    const ze_external_memmap_sysmem_ext_desc_t memory = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMMAP_SYSMEM_EXT_DESC,
        .pSystemMemory = own,
        .size = BYTES};
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
                                           .pNext = &memory};
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    for (int i = 0; i < 2; i++) {
        MUST(zeMemAllocHost(world->context, &desc, i == 0 ? BYTES : 0, BYTES, &as));
        MUST(zeMemFree(world->context, as));
    }
    MUST(zeCommandListAppendMemoryFill(list, own, &pattern, 1, BYTES, NULL, 0, NULL));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeCommandListDestroy(list));
    munmap(own, BYTES);
}

static void copies_of_disjoint_columns(struct faulty_world *world)
{
    const ze_copy_region_t left = {0, 0, 0, 8, 10, 0}, right = {8, 0, 0, 8, 10, 0};
    char *memory = shared(world, 2048);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListAppendMemoryCopyRegion(list, memory, &left, 32, 0, memory + 1024, &left, 32,
                                             0, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryCopyRegion(list, memory, &right, 32, 0, memory + 1024, &right, 32,
                                             0, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryCopyRegion(list, memory + 512, &left, 32, 0, memory + 512, &right,
                                             32, 0, NULL, 0, NULL)); /* in one, too */
    MUST(zeCommandListClose(list));
    run(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void order_by_a_signal_and_by_the_device(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t event = faulty_event(pool, 0);
    void *memory = shared(world, 256);
    ze_command_list_handle_t list = faulty_list(world, 0), immediate = faulty_immediate(world, 0);
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 1, 256, NULL, 0, NULL));
    MUST(zeCommandListAppendSignalEvent(list, event));
    MUST(zeCommandListAppendMemoryFill(list, memory, &pattern, 1, 256, NULL, 1, &event));
    MUST(zeCommandListClose(list));
    run(world, list);
    for (int i = 0; i < 2; i++) {
        MUST(zeCommandListAppendMemoryFill(immediate, memory, &pattern, 1, 256, NULL, 0, NULL));
        MUST(zeDeviceSynchronize(world->device));
    }
    MUST(zeCommandListDestroy(immediate));
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
    MUST(zeEventDestroy(event));
    MUST(zeEventPoolDestroy(pool));
}

/* The host learns of a fill by an event that a second list signals after it. The first list stays
 * in flight, held by a gate. */
static void work_known_through_another_list(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 3);
    ze_event_handle_t filled = faulty_event(pool, 0), told = faulty_event(pool, 1),
                      gate = faulty_event(pool, 2);
    void *memory = shared(world, 256);
    ze_command_list_handle_t first = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER),
                             second = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    MUST(zeCommandListAppendMemoryFill(first, memory, &pattern, 1, 256, filled, 0, NULL));
    MUST(zeCommandListAppendWaitOnEvents(first, 1, &gate));
    MUST(zeCommandListAppendBarrier(second, told, 1, &filled));
    MUST(zeEventHostSynchronize(told, UINT64_MAX));
    MUST(zeMemFree(world->context, memory));
    MUST(zeEventHostSignal(gate));
    MUST(zeCommandListHostSynchronize(first, UINT64_MAX));
    MUST(zeCommandListDestroy(second));
    MUST(zeCommandListDestroy(first));
    MUST(zeEventDestroy(filled));
    MUST(zeEventDestroy(told));
    MUST(zeEventDestroy(gate));
    MUST(zeEventPoolDestroy(pool));
}

/* A later list on the queue says nothing of an earlier one, which a gate holds. */
static void memory_of_an_earlier_list_freed(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t gate = faulty_event(pool, 0);
    void *memory = shared(world, 256);
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t held = faulty_list(world, 0), later = faulty_list(world, 0);
    MUST(zeCommandListAppendMemoryFill(held, memory, &pattern, 1, 256, NULL, 1, &gate));
    MUST(zeCommandListClose(held));
    MUST(zeCommandListAppendBarrier(later, NULL, 0, NULL));
    MUST(zeCommandListClose(later));
    MUST(zeCommandQueueExecuteCommandLists(queue, 1, &held, NULL));
    MUST(zeCommandQueueExecuteCommandLists(queue, 1, &later, NULL));
    zeMemFree(world->context, memory);
    MUST(zeEventHostSignal(gate));
    MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(held));
    MUST(zeCommandListDestroy(later));
    MUST(zeCommandQueueDestroy(queue));
    MUST(zeEventDestroy(gate));
    MUST(zeEventPoolDestroy(pool));
}

static void image_written_beside_its_view(struct faulty_world *world)
{
    const ze_image_desc_t desc = image_desc();
    void *memory = shared(world, 512);
    ze_image_handle_t whole = image(world), view;
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeImageViewCreateExt(world->context, world->device, &desc, whole, &view));
    MUST(zeCommandListAppendImageCopyFromMemory(list, whole, memory, NULL, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyToMemory(list, (char *)memory + 256, view, NULL, NULL, 0,
                                              NULL));
    MUST(zeCommandListClose(list));
    run(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(view));
    MUST(zeImageDestroy(whole));
    MUST(zeMemFree(world->context, memory));
}

/* No fault: closing a pool that was opened may destroy its events. */
static void opened_pool_closed_with_its_event(struct faulty_world *world)
{
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags =
                                           ZE_EVENT_POOL_FLAG_IPC | ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = 1};
    ze_event_pool_handle_t pool, opened;
    ze_ipc_event_pool_handle_t ipc;
    MUST(zeEventPoolCreate(world->context, &desc, 0, NULL, &pool));
    MUST(zeEventPoolGetIpcHandle(pool, &ipc));
    MUST(zeEventPoolOpenIpcHandle(world->context, ipc, &opened));
    faulty_event(opened, 0);
    zeEventPoolCloseIpcHandle(opened);
    MUST(zeEventPoolDestroy(pool));
}

const struct faulty faulty_programs[] = {
    {"freed_argument", freed_argument, "freed-memory", "argument 0 of hKernel", NULL},
    {"argument_from_another_context", argument_from_another_context, "other-context-memory",
     "argument 0 of hKernel", NULL},
    {"launch_after_one_with_arguments", launch_after_one_with_arguments, "", NULL, NULL},
    {"freed_argument_of_an_earlier_launch", freed_argument_of_an_earlier_launch, "freed-memory",
     "argument 0 of hKernel", NULL},
    {"value_too_long", value_too_long, "argument-size", "has 4 bytes for argument 2", NULL},
    {"value_too_short", value_too_short, "argument-size", "the value given has 2", NULL},
    {"value_of_the_right_size", value_of_the_right_size, "", NULL, NULL},
    {"list_run_after_a_free", list_run_after_a_free, "freed-memory",
     "phCommandLists[0]: command 0 of list", NULL},
    {"list_run_within_after_a_free", list_run_within_after_a_free, "freed-memory",
     "zeCommandListImmediateAppendCommandListsExp", NULL},
    {"argument_freed_after_the_append", argument_freed_after_the_append, "freed-memory",
     "as argument 0 of hKernel", NULL},
    {"clone_run_after_a_free", clone_run_after_a_free, "freed-memory", "phCommandLists[0]", NULL},
    {"event_gone_before_its_list", event_gone_before_its_list, "destroyed-handle", "as hEvent",
     NULL},
    {"sampler_gone_before_the_launch", sampler_gone_before_the_launch,
     "argument-not-set,destroyed-handle", "argument 2 of hKernel", "GEOID_VALIDATION_REFUSE=0"},
    {"graph_run_after_a_free", graph_run_after_a_free, "freed-memory", "hGraph: command 0 of graph",
     NULL},
    {"graph_gone_in_flight", graph_gone_in_flight, "destroyed-in-use",
     "zeExecutableGraphDestroyExt", NULL},
    {"memory_of_a_graph_freed_in_flight", memory_of_a_graph_freed_in_flight, "destroyed-in-use",
     "zeMemFree", NULL},
    {"barrier_over_freed_memory", barrier_over_freed_memory, "freed-memory", "pRanges[0]", NULL},
    {"barrier_beyond_the_end", barrier_beyond_the_end, "out-of-range", "pRanges[0]", NULL},
    {"timestamps_beyond_the_end", timestamps_beyond_the_end, "out-of-range", "64 bytes", NULL},
    {"image_copied_beyond_the_memory", image_copied_beyond_the_memory, "out-of-range",
     "has 255 left", NULL},
    {"image_copied_to_the_last_byte", image_copied_to_the_last_byte, "", NULL, NULL},
    {"image_read_beside_its_write", image_read_beside_its_write, "missing-dependency", "image 0x",
     NULL},
    {"image_gone_before_its_list", image_gone_before_its_list, "destroyed-handle", "as hSrcImage",
     NULL},
    {"view_outlives_its_image", view_outlives_its_image, "children-alive", "zeImageViewCreateExt",
     NULL},
    {"mapping_outlives_its_memory", mapping_outlives_its_memory, "still-mapped",
     "zePhysicalMemDestroy", NULL},
    {"reservation_goes_before_its_mapping", reservation_goes_before_its_mapping, "still-mapped",
     "zeVirtualMemFree", NULL},
    {"fill_of_unmapped_pages", fill_of_unmapped_pages, "freed-memory", "no memory behind it", NULL},
    {"fill_of_more_than_is_mapped", fill_of_more_than_is_mapped, "out-of-range",
     "have memory behind them", NULL},
    {"fill_of_what_is_mapped", fill_of_what_is_mapped, "", NULL, NULL},
    {"changed_argument_freed", changed_argument_freed, "freed-memory", "as argument 0", NULL},
    {"argument_freed_after_its_change", argument_freed_after_its_change, "", NULL, NULL},
    {"event_for_another_device", event_for_another_device, "other-device", "hEvent",
     "GEOID_DEVICES=2"},
    {"memory_of_an_earlier_list_freed", memory_of_an_earlier_list_freed, "destroyed-in-use",
     "zeMemFree", NULL},
    {"image_written_beside_its_view", image_written_beside_its_view, "missing-dependency",
     "image 0x", NULL},
    {"work_known_through_another_list", work_known_through_another_list, "", NULL, NULL},
    {"opened_pool_closed_with_its_event", opened_pool_closed_with_its_event, "", NULL, NULL},
    {"malloc_where_memory_was_freed", malloc_where_memory_was_freed, "", NULL, NULL},
    {"own_memory_after_its_free", own_memory_after_its_free, "", NULL, NULL},
    {"copies_of_disjoint_columns", copies_of_disjoint_columns, "", NULL, NULL},
    {"order_by_a_signal_and_by_the_device", order_by_a_signal_and_by_the_device, "", NULL, NULL},
    {0}};
