/* Faults of memory: how it is freed, what commands do with it, what is left. */
#include "faulty.h"

#include <stdlib.h>

/* VAL-4 */
static void pointer_inside_freed(struct faulty_world *world)
{
    char *memory = faulty_memory(world, 256);
    zeMemFree(world->context, memory + 64);
    MUST(zeMemFree(world->context, memory));
}

static void pointer_of_malloc_freed(struct faulty_world *world)
{
    void *memory = malloc(64);
    zeMemFree(world->context, memory);
    free(memory);
}

static void memory_freed_twice(struct faulty_world *world)
{
    void *memory = faulty_memory(world, 256);
    MUST(zeMemFree(world->context, memory));
    zeMemFree(world->context, memory);
}

static void memory_closed_instead_of_freed(struct faulty_world *world)
{
    void *memory = faulty_memory(world, 256);
    zeMemCloseIpcHandle(world->context, memory);
    MUST(zeMemFree(world->context, memory));
}

static void memory_freed_in_another_context(struct faulty_world *world)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t other;
    void *memory = faulty_memory(world, 256);
    MUST(zeContextCreate(world->driver, &desc, &other));
    zeMemFree(other, memory);
    MUST(zeMemFree(world->context, memory));
    MUST(zeContextDestroy(other));
}

static void copy_to_freed_memory(struct faulty_world *world)
{
    char *memory = faulty_memory(world, 256), *freed = faulty_memory(world, 256);
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeMemFree(world->context, freed));
    zeCommandListAppendMemoryCopy(list, freed, memory, 256, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void copy_beyond_the_end(struct faulty_world *world)
{
    char *one = faulty_memory(world, 256), *other = faulty_memory(world, 1024);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryCopy(list, other, one + 128, 256, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, one));
    MUST(zeMemFree(world->context, other));
}

static void fill_beyond_the_end(struct faulty_world *world)
{
    const uint32_t pattern = 0;
    char *memory = faulty_memory(world, 256);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryFill(list, memory, &pattern, sizeof(pattern), 260, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void region_beyond_the_end(struct faulty_world *world)
{
    const ze_copy_region_t region = {.width = 16, .height = 17};
    char *one = faulty_memory(world, 256), *other = faulty_memory(world, 1024);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryCopyRegion(list, other, &region, 16, 0, one, &region, 16, 0, NULL, 0,
                                        NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, one));
    MUST(zeMemFree(world->context, other));
}

static void copy_between_contexts(struct faulty_world *world)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    struct faulty_world other = *world;
    MUST(zeContextCreate(world->driver, &desc, &other.context));
    void *theirs = faulty_memory(&other, 256), *ours = faulty_memory(world, 256);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryCopy(list, ours, theirs, 256, NULL, 0, NULL);
    MUST(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    MUST(zeCommandListAppendMemoryCopyFromContext(list, ours, other.context, theirs, 256, NULL, 0,
                                                  NULL)); /* this is the way */
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, ours));
    MUST(zeMemFree(other.context, theirs));
    MUST(zeContextDestroy(other.context));
}

static void copy_onto_itself(struct faulty_world *world)
{
    char *memory = faulty_memory(world, 256);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryCopy(list, memory + 64, memory, 128, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

/* VAL-4: Runs on the CPU, which sees all memory, and not on most GPUs. */
static void copy_of_other_memory(struct faulty_world *world)
{
    char *memory = faulty_memory(world, 256), *host = malloc(256);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryCopy(list, host, memory, 256, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
    free(host);
}

static void resident_after_its_end(struct faulty_world *world)
{
    void *memory = faulty_memory(world, 4096);
    MUST(zeMemFree(world->context, memory));
    zeContextMakeMemoryResident(world->context, world->device, memory, 4096);
}

/* VAL-4 */
static void memory_left_behind(struct faulty_world *world)
{
    faulty_memory(world, 320);
}

/* No fault: whole allocations, memory that comes again, other memory on a device that sees it. */
static void legal_memory(struct faulty_world *world)
{
    const uint32_t pattern = 0;
    char *host = malloc(256);
    ze_command_list_handle_t list = faulty_list(world, 0);
    for (int i = 0; i < 100; i++) {
        char *one = faulty_memory(world, 256), *other = faulty_memory(world, 256);
        MUST(zeCommandListAppendMemoryFill(list, one, &pattern, 4, 256, NULL, 0, NULL));
        MUST(zeCommandListAppendBarrier(list, NULL, 0, NULL));
        MUST(zeCommandListAppendMemoryCopy(list, other, one, 256, NULL, 0, NULL));
        MUST(zeCommandListAppendBarrier(list, NULL, 0, NULL));
        MUST(zeCommandListAppendMemoryCopy(list, host, other + 128, 128, NULL, 0, NULL));
        MUST(zeCommandListReset(list));
        MUST(zeMemFree(world->context, one));
        MUST(zeMemFree(world->context, other));
    }
    MUST(zeCommandListDestroy(list));
    free(host);
}

const struct faulty faulty_programs[] = {
    {"pointer_inside_freed", pointer_inside_freed, "bad-free", "lies 64 bytes inside", NULL},
    {"pointer_of_malloc_freed", pointer_of_malloc_freed, "bad-free", "is not an allocation", NULL},
    {"memory_freed_twice", memory_freed_twice, "freed-twice", "destroyed by zeMemFree", NULL},
    {"memory_closed_instead_of_freed", memory_closed_instead_of_freed, "bad-free",
     "is given back by zeMemFree", NULL},
    {"memory_freed_in_another_context", memory_freed_in_another_context, "other-context-memory",
     "zeMemFree: ptr", NULL},
    {"copy_to_freed_memory", copy_to_freed_memory, "freed-memory", "dstptr", NULL},
    {"copy_beyond_the_end", copy_beyond_the_end, "out-of-range", "has 128 left of 256", NULL},
    {"fill_beyond_the_end", fill_beyond_the_end, "out-of-range", "has 256 left of 256", NULL},
    {"region_beyond_the_end", region_beyond_the_end, "out-of-range", "272 bytes", NULL},
    {"copy_between_contexts", copy_between_contexts, "other-context-memory", "srcptr", NULL},
    {"copy_onto_itself", copy_onto_itself, "overlapping-copy", "128 bytes each", NULL},
    {"copy_of_other_memory", copy_of_other_memory, "unknown-memory", "dstptr",
     "GEOID_VALIDATION_SYSTEM_MEMORY=0"},
    {"copy_of_memory_seen_by_the_device", copy_of_other_memory, "", NULL, NULL},
    {"resident_after_its_end", resident_after_its_end, "freed-memory",
     "zeContextMakeMemoryResident", NULL},
    {"memory_left_behind", memory_left_behind, "leak", "320 bytes", NULL},
    {"legal_memory", legal_memory, "", NULL, NULL},
    {0}};
