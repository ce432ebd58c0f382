/* Faults of handles: what they are of, and when. */
#include "faulty.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* VAL-3 */
static void handle_out_of_thin_air(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t event = faulty_event(pool, 0);
    zeEventQueryStatus((ze_event_handle_t)(uintptr_t)0x1230);
    MUST(zeEventDestroy(event));
    MUST(zeEventPoolDestroy(pool));
}

/* VAL-3 */
static void event_after_its_end(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t event = faulty_event(pool, 0);
    MUST(zeEventDestroy(event));
    zeEventHostReset(event);
    MUST(zeEventPoolDestroy(pool));
}

static void wait_for_an_event_that_is_gone(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 2);
    ze_event_handle_t events[] = {faulty_event(pool, 0), faulty_event(pool, 1)};
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeEventDestroy(events[1]));
    zeCommandListAppendWaitOnEvents(list, 2, events);
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(events[0]));
    MUST(zeEventPoolDestroy(pool));
}

/* VAL-3 */
static void list_destroyed_twice(struct faulty_world *world)
{
    ze_command_list_handle_t list = faulty_list(world, 0);
    MUST(zeCommandListDestroy(list));
    zeCommandListDestroy(list);
}

static void queue_for_a_list(struct faulty_world *world)
{
    ze_command_queue_handle_t queue = faulty_queue(world);
    zeCommandListClose((ze_command_list_handle_t)(void *)queue);
    MUST(zeCommandQueueDestroy(queue));
}

static void pool_before_its_events(struct faulty_world *world)
{
    ze_event_pool_handle_t pool = faulty_pool(world, 1);
    ze_event_handle_t event = faulty_event(pool, 0);
    zeEventPoolDestroy(pool);
    MUST(zeEventDestroy(event));
    MUST(zeEventPoolDestroy(pool));
}

/* VAL-3 */
static void module_before_its_kernel(struct faulty_world *world)
{
    ze_module_handle_t module = faulty_module(world);
    ze_kernel_handle_t kernel = faulty_kernel(module, "ids");
    zeModuleDestroy(module);
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
}

static void queue_before_its_fence(struct faulty_world *world)
{
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_fence_handle_t fence;
    MUST(zeFenceCreate(queue, &desc, &fence));
    zeCommandQueueDestroy(queue);
    MUST(zeFenceDestroy(fence));
    MUST(zeCommandQueueDestroy(queue));
}

static void context_before_its_list(struct faulty_world *world)
{
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeContextDestroy(world->context);
    MUST(zeCommandListDestroy(list));
}

static struct faulty_world other_world(const struct faulty_world *world)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    struct faulty_world other = *world;
    MUST(zeContextCreate(world->driver, &desc, &other.context));
    return other;
}

static void event_of_another_context(struct faulty_world *world)
{
    struct faulty_world other = other_world(world);
    ze_event_pool_handle_t pool = faulty_pool(&other, 1);
    ze_event_handle_t event = faulty_event(pool, 0);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendBarrier(list, event, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeEventDestroy(event));
    MUST(zeEventPoolDestroy(pool));
    MUST(zeContextDestroy(other.context));
}

/* VAL-3 */
static void list_left_behind(struct faulty_world *world)
{
    faulty_list(world, 0);
    exit(0); /* with the context, which it keeps */
}

/* No fault: what the parent destroys is no leak of a child that ends. */
static void child_of_fork_ends(struct faulty_world *world)
{
    int status;
    ze_command_list_handle_t list = faulty_list(world, 0);
    void *memory = faulty_memory(world, 256);
    const pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, &status, 0);
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
}

/* No fault: handles come again, logs are made by builds that fail, what is looked up is not owned. */
static void legal_lives(struct faulty_world *world)
{
    const uint8_t nothing[4] = {0};
    ze_module_handle_t whole = faulty_module_with_log(world);
    MUST(zeModuleDestroy(whole));
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = sizeof(nothing),
                                   .pInputModule = nothing};
    for (int i = 0; i < 3; i++) {
        ze_event_pool_handle_t pool = faulty_pool(world, 1), found;
        ze_event_handle_t event = faulty_event(pool, 0);
        ze_context_handle_t context;
        MUST(zeEventGetEventPool(event, &found));
        MUST(zeEventPoolGetContextHandle(found, &context));
        MUST(zeEventDestroy(event));
        MUST(zeEventPoolDestroy(pool));
        ze_module_handle_t module;
        ze_module_build_log_handle_t log = NULL;
        size_t size = 0;
        if (zeModuleCreate(world->context, world->device, &desc, &module, &log) !=
                ZE_RESULT_SUCCESS &&
            log) {
            MUST(zeModuleBuildLogGetString(log, &size, NULL));
            MUST(zeModuleBuildLogDestroy(log));
        }
    }
}

const struct faulty faulty_programs[] = {
    {"handle_out_of_thin_air", handle_out_of_thin_air, "unknown-handle", "hEvent", NULL},
    {"event_after_its_end", event_after_its_end, "destroyed-handle",
     "zeEventHostReset: hEvent: ", NULL},
    {"wait_for_an_event_that_is_gone", wait_for_an_event_that_is_gone, "destroyed-handle",
     "phEvents[1]", NULL},
    {"list_destroyed_twice", list_destroyed_twice, "destroyed-twice",
     "destroyed by zeCommandListDestroy", NULL},
    {"queue_for_a_list", queue_for_a_list, "wrong-type", "ze_command_queue_handle_t", NULL},
    {"pool_before_its_events", pool_before_its_events, "children-alive", "ze_event_handle_t", NULL},
    {"module_before_its_kernel", module_before_its_kernel, "children-alive", "zeKernelCreate",
     NULL},
    {"queue_before_its_fence", queue_before_its_fence, "children-alive", "ze_fence_handle_t", NULL},
    {"context_before_its_list", context_before_its_list, "children-alive", "zeContextDestroy",
     NULL},
    {"event_of_another_context", event_of_another_context, "other-context", "hSignalEvent", NULL},
    {"list_left_behind", list_left_behind, "leak", "made by zeCommandListCreate", NULL},
    {"child_of_fork_ends", child_of_fork_ends, "", NULL, NULL},
    {"legal_lives", legal_lives, "", NULL, NULL},
    {0}};
