/* Faults of arguments. */
#include "faulty.h"

/* VAL-2 */
static void null_handle(struct faulty_world *world)
{
    (void)world;
    zeEventQueryStatus(NULL);
}

static void null_handle_in_an_array(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t events[] = {faulty_event(pool, 0), NULL};
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendBarrier(list, NULL, 2, events);
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(events[0]));
    MUST(zeEventPoolDestroy(pool));
}

/* VAL-2 */
static void null_descriptor(struct faulty_world *world)
{
    ze_command_list_handle_t list;
    zeCommandListCreate(world->context, world->device, NULL, &list);
}

static void null_array_with_a_count(struct faulty_world *world)
{
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendBarrier(list, NULL, 1, NULL);
    MUST(zeCommandListDestroy(list));
}

static void null_in_a_descriptor(struct faulty_world *world)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .inputSize = 1};
    ze_module_handle_t module;
    zeModuleCreate(world->context, world->device, &desc, &module, NULL);
}

/* VAL-2 */
static void enumerator_that_does_not_exist(struct faulty_world *world)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = (ze_command_queue_mode_t)77};
    ze_command_queue_handle_t queue;
    zeCommandQueueCreate(world->context, world->device, &desc, &queue);
}

/* VAL-2 */
static void flag_that_does_not_exist(struct faulty_world *world)
{
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .flags = 1u << 30};
    ze_command_list_handle_t list;
    zeCommandListCreate(world->context, world->device, &desc, &list);
}

static void flag_in_a_chain(struct faulty_world *world)
{
    ze_external_memory_export_desc_t link = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
                                             .flags = 1u << 30};
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                             .pNext = &link};
    void *memory;
    zeMemAllocDevice(world->context, &desc, 64, 64, world->device, &memory);
}

static void size_of_zero(struct faulty_world *world)
{
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory;
    zeMemAllocHost(world->context, &desc, 0, 64, &memory);
}

static void alignment_of_three(struct faulty_world *world)
{
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory;
    zeMemAllocHost(world->context, &desc, 64, 3, &memory);
}

static void no_lists(struct faulty_world *world)
{
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandQueueExecuteCommandLists(queue, 0, &list, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandQueueDestroy(queue));
}

/* Every other check lets a null pointer pass to the driver, which refuses it. */
static void null_list_of_lists(struct faulty_world *world)
{
    ze_command_queue_handle_t queue = faulty_queue(world);
    zeCommandQueueExecuteCommandLists(queue, 1, NULL, NULL);
    MUST(zeCommandQueueDestroy(queue));
}

/* VAL-2 */
static void descriptor_never_initialised(struct faulty_world *world)
{
    const ze_command_list_desc_t desc = {.flags = 0};
    ze_command_list_handle_t list;
    MUST(zeCommandListCreate(world->context, world->device, &desc, &list));
    MUST(zeCommandListDestroy(list));
}

static void properties_of_another_type(struct faulty_world *world)
{
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    MUST(zeDeviceGetProperties(world->device, &properties));
}

static void sysman_structure_without_type(struct faulty_world *world)
{
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FAN_CONFIG};
    zesDeviceGetProperties((zes_device_handle_t)world->device, &properties);
}

static void extension_in_the_wrong_chain(struct faulty_world *world)
{
    ze_relaxed_allocation_limits_exp_desc_t link = {
        .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .pNext = &link};
    ze_command_list_handle_t list;
    MUST(zeCommandListCreate(world->context, world->device, &desc, &list));
    MUST(zeCommandListDestroy(list));
}

/* No fault: the specification's text puts a sampler behind a bindless image, pitches behind linear
 * memory, and how a graph is dumped into the call's own chain. */
static void extensions_of_extensions(struct faulty_world *world)
{
    const ze_sampler_desc_t sampler = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                                       .addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                       .isNormalized = 1};
    const ze_image_bindless_exp_desc_t bindless = {
        .stype = ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC,
        .pNext = &sampler,
        .flags = ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS | ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE};
    const ze_custom_pitch_exp_desc_t pitch = {
        .stype = ZE_STRUCTURE_TYPE_CUSTOM_PITCH_EXP_DESC, .pNext = &bindless, .rowPitch = 256};
    const ze_image_pitched_exp_desc_t linear = {.stype = ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC,
                                                .pNext = &pitch,
                                                .ptr = faulty_memory(world, 64 * 256)};
    const ze_image_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .pNext = &linear,
        .type = ZE_IMAGE_TYPE_2D,
        .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_32, .type = ZE_IMAGE_FORMAT_TYPE_FLOAT},
        .width = 64,
        .height = 64,
        .depth = 1};
    const ze_record_replay_graph_ext_dump_desc_t dump = {
        .stype = ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_DUMP_DESC};
    const ze_event_sync_mode_desc_t mode = {.stype = ZE_STRUCTURE_TYPE_EVENT_SYNC_MODE_DESC,
                                            .syncModeFlags =
                                                ZE_EVENT_SYNC_MODE_FLAG_LOW_POWER_WAIT};
    const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .pNext = &mode};
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t event;
    ze_image_handle_t image;
    ze_graph_handle_t graph;
    MUST(zeImageCreate(world->context, world->device, &desc, &image));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, linear.ptr));
    MUST(zeGraphCreateExt(world->context, NULL, &graph));
    zeGraphDumpContentsExt(graph, "/dev/null", &dump);
    MUST(zeGraphDestroyExt(graph));
    MUST(zeEventCreate(pool, &event_desc, &event));
    MUST(zeEventDestroy(event));
    MUST(zeEventPoolDestroy(pool));
}

static void extension_that_nobody_knows(struct faulty_world *world)
{
    ze_base_desc_t link = {.stype = (ze_structure_type_t)0x7777777};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .pNext = &link};
    ze_command_list_handle_t list;
    MUST(zeCommandListCreate(world->context, world->device, &desc, &list));
    MUST(zeCommandListDestroy(list));
}

static void chain_that_bites_its_tail(struct faulty_world *world)
{
    ze_relaxed_allocation_limits_exp_desc_t link = {
        .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC, .pNext = &link};
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                             .pNext = &link};
    void *memory;
    MUST(zeMemAllocDevice(world->context, &desc, 64, 64, world->device, &memory));
    MUST(zeMemFree(world->context, memory));
}

static void unknown_flag_of_the_runtime_api(struct faulty_world *world)
{
    (void)world;
    zeDriverGetLastErrorDescription(NULL, NULL);
}

const struct faulty faulty_programs[] = {
    {"null_handle", null_handle, "null-handle", "zeEventQueryStatus: hEvent is null", NULL},
    {"null_handle_in_an_array", null_handle_in_an_array, "null-handle", "phWaitEvents[1]", NULL},
    {"null_descriptor", null_descriptor, "null-pointer", "zeCommandListCreate: desc is null", NULL},
    {"null_array_with_a_count", null_array_with_a_count, "null-pointer",
     "phWaitEvents is null but numWaitEvents is not 0", NULL},
    {"null_in_a_descriptor", null_in_a_descriptor, "null-pointer", "desc->pInputModule", NULL},
    {"enumerator_that_does_not_exist", enumerator_that_does_not_exist, "unknown-enumerator",
     "desc->mode has the unknown value 0x4d", NULL},
    {"flag_that_does_not_exist", flag_that_does_not_exist, "unknown-flags", "desc->flags", NULL},
    {"flag_in_a_chain", flag_in_a_chain, "unknown-flags", "ze_external_memory_export_desc_t::flags",
     NULL},
    {"size_of_zero", size_of_zero, "wrong-size", "size is 0", NULL},
    {"alignment_of_three", alignment_of_three, "wrong-size", "alignment, 3, is not a power of two",
     NULL},
    {"no_lists", no_lists, "wrong-size", "numCommandLists is 0", NULL},
    {"null_list_of_lists", null_list_of_lists, "null-pointer", "phCommandLists", NULL},
    {"null_list_of_lists_unchecked", null_list_of_lists, "", NULL,
     "GEOID_VALIDATION=lifetime,threads,memory,commands,events,performance,certification"},
    {"descriptor_never_initialised", descriptor_never_initialised, "wrong-stype",
     "not one of ze_command_list_desc_t", NULL},
    {"properties_of_another_type", properties_of_another_type, "wrong-stype",
     "not one of ze_device_properties_t", NULL},
    {"sysman_structure_without_type", sysman_structure_without_type, "wrong-stype",
     "zesDeviceGetProperties", NULL},
    {"extension_in_the_wrong_chain", extension_in_the_wrong_chain, "misplaced-extension",
     "does not extend ze_command_list_desc_t", NULL},
    {"extensions_of_extensions", extensions_of_extensions, "", NULL, NULL},
    {"extension_that_nobody_knows", extension_that_nobody_knows, "unknown-extension", "0x7777777",
     NULL},
    {"chain_that_bites_its_tail", chain_that_bites_its_tail, "endless-chain", "does not end", NULL},
    {"last_error_of_no_driver", unknown_flag_of_the_runtime_api, "null-handle", "hDriver", NULL},
    {0}};
