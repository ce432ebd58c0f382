/* What is legal and could be better, functions of later versions, counts of what was used. */
#include "faulty.h"

static void synchronous_immediate_list(struct faulty_world *world)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER |
                                                   ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT,
                                          .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    MUST(zeCommandListCreateImmediate(world->context, world->device, &desc, &list));
    MUST(zeCommandListDestroy(list));
}

static void unordered_immediate_list(struct faulty_world *world)
{
    MUST(zeCommandListDestroy(faulty_immediate(world, 0)));
}

static void list_without_copy_offload(struct faulty_world *world)
{
    MUST(zeCommandListDestroy(faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER)));
}

static void module_built_again(struct faulty_world *world)
{
    MUST(zeModuleDestroy(faulty_module(world)));
    MUST(zeModuleDestroy(faulty_module(world)));
}

static void best_lists(struct faulty_world *world)
{
    MUST(zeCommandListDestroy(faulty_immediate(
        world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER | ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT)));
    MUST(zeCommandListDestroy(faulty_list(world, 0)));
    MUST(zeModuleDestroy(faulty_module(world)));
}

static void function_of_a_later_version(struct faulty_world *world)
{
    const ze_event_counter_based_desc_t desc = {.stype =
                                                    ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC};
    ze_event_handle_t event;
    zeEventCounterBasedCreate(world->context, world->device, &desc, &event); /* 1.15 */
}

static void resources_of_a_list(struct faulty_world *world)
{
    MUST(zeCommandListDestroy(faulty_list(world, 0)));
    MUST(zeMemFree(world->context, faulty_memory(world, 64)));
}

const struct faulty faulty_programs[] = {
    {"synchronous_immediate_list", synchronous_immediate_list, "synchronous-immediate-list",
     "altdesc->mode", "GEOID_VALIDATION=performance"},
    {"unordered_immediate_list", unordered_immediate_list, "unordered-immediate-list",
     "altdesc->flags", "GEOID_VALIDATION=performance"},
    {"list_without_copy_offload", list_without_copy_offload, "no-copy-offload", "desc->flags",
     "GEOID_VALIDATION=performance"},
    {"module_built_again", module_built_again, "module-built-again", "pInputModule",
     "GEOID_VALIDATION=performance"},
    {"best_lists", best_lists, "", NULL, "GEOID_VALIDATION=performance"},
    {"function_of_a_later_version", function_of_a_later_version, "newer-function",
     "came with version 1.15, 1.10 is certified", "ZEL_CERTIFICATION_CHECKER_VERSION=1.10"},
    {"resources_of_a_list", resources_of_a_list, "resources-used",
     "ze_command_list_handle_t: 1 in all, at most 1 at once, 0 left", "GEOID_VALIDATION=resources"},
    {0}};
