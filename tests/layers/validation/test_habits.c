/* Habits of real programs that are legal although a simple book-keeper loses sight: knowledge that
 * goes through several lists, functions that are asked for by name, destruction at exit, commands
 * that end exactly at an end. Their counterparts go one step too far. */
#include "objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096 };

/* Two immediate lists: the first fills memory and signals, the second waits for that and signals
 * as well, and is then held up by a gate. */
struct relay {
    ze_command_list_handle_t first, second;
    struct signal handed, arrived, gate;
    void *memory, *later;
};

static struct relay relay_begin(const struct faulty_world *world)
{
    struct relay relay = {.first = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER),
                          .second = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER),
                          .handed = signal_begin(world, 0),
                          .arrived = signal_begin(world, 0),
                          .gate = signal_begin(world, 0),
                          .memory = faulty_memory(world, BYTES),
                          .later = faulty_memory(world, BYTES)};
    const uint8_t pattern = 1;
    MUST(zeCommandListAppendMemoryFill(relay.first, relay.memory, &pattern, 1, BYTES,
                                       relay.handed.event, 0, NULL));
    MUST(zeCommandListAppendWaitOnEvents(relay.first, 1, &relay.gate.event));
    fill(relay.first, relay.later, 1, BYTES);
    MUST(zeCommandListAppendBarrier(relay.second, relay.arrived.event, 1, &relay.handed.event));
    MUST(zeEventHostSynchronize(relay.arrived.event, UINT64_MAX));
    return relay;
}

static void relay_end(const struct faulty_world *world, const struct relay *relay)
{
    MUST(zeEventHostSignal(relay->gate.event));
    MUST(zeCommandListHostSynchronize(relay->first, UINT64_MAX));
    MUST(zeCommandListHostSynchronize(relay->second, UINT64_MAX));
    MUST(zeCommandListDestroy(relay->first));
    MUST(zeCommandListDestroy(relay->second));
    signal_end(&relay->handed);
    signal_end(&relay->arrived);
    signal_end(&relay->gate);
    if (relay->memory)
        MUST(zeMemFree(world->context, relay->memory));
    if (relay->later)
        MUST(zeMemFree(world->context, relay->later));
}

static void memory_beyond_the_relay_freed(struct faulty_world *world)
{
    /* MEM-19: the events tell of the first fill; the second one has not begun. */
    struct relay relay = relay_begin(world);
    if (zeMemFree(world->context, relay.later) == ZE_RESULT_SUCCESS)
        relay.later = NULL;
    relay_end(world, &relay);
}

static void fill_one_byte_too_long(struct faulty_world *world)
{
    /* MEM-11: going past the requested size is undefined. */
    const uint8_t pattern = 1;
    char *memory = faulty_memory(world, 1000);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryFill(list, memory + 999, &pattern, 1, 2, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void copies_one_byte_apart_too_few(struct faulty_world *world)
{
    /* zeCommandListAppendMemoryCopy: "Source and destination must not overlap." */
    char *memory = faulty_memory(world, BYTES);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryCopy(list, memory + 99, memory, 100, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void image_read_through_its_view_without_order(struct faulty_world *world)
{
    /* zeImageViewCreateExt: "a second image over the memory of an image"; SYN-12. */
    const ze_image_desc_t desc = image_desc(8, 8);
    ze_image_handle_t image = image_create(world, 8, 8), view;
    ze_command_list_handle_t list = faulty_list(world, 0);
    char *memory = faulty_memory(world, 512);
    MUST(zeImageViewCreateExt(world->context, world->device, &desc, image, &view));
    MUST(zeCommandListAppendImageCopyFromMemory(list, image, memory, NULL, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyToMemory(list, memory + 256, view, NULL, NULL, 0, NULL));
    close_and_run(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(view));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

/* --- no fault --- */

static void memory_freed_at_the_end_of_a_relay(struct faulty_world *world)
{
    /* SYN-5, MEM-19: the second list's event cannot be signalled before the first fill is done. */
    struct relay relay = relay_begin(world);
    MUST(zeMemFree(world->context, relay.memory));
    relay.memory = NULL;
    relay_end(world, &relay);
}

static void fence_of_a_later_submission(struct faulty_world *world)
{
    /* SYN-2: a fence's signal implies all earlier work of the queue done. */
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t lists[2] = {faulty_list(world, 0), faulty_list(world, 0)};
    void *memory = faulty_memory(world, BYTES);
    ze_fence_handle_t fence;
    MUST(zeFenceCreate(queue, &desc, &fence));
    fill(lists[0], memory, 1, BYTES);
    for (int i = 0; i < 2; i++) {
        MUST(zeCommandListClose(lists[i]));
        MUST(zeCommandQueueExecuteCommandLists(queue, 1, &lists[i], i ? fence : NULL));
    }
    MUST(zeFenceHostSynchronize(fence, UINT64_MAX));
    MUST(zeMemFree(world->context, memory));
    for (int i = 0; i < 2; i++)
        MUST(zeCommandListDestroy(lists[i]));
    MUST(zeFenceDestroy(fence));
    MUST(zeCommandQueueDestroy(queue));
}

static void list_submitted_again_to_its_queue(struct faulty_world *world)
{
    /* CMQ-16: many times, but never on two queues at once; this is one queue. */
    struct signal gate = signal_begin(world, 0);
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    void *memory = faulty_memory(world, BYTES);
    MUST(zeCommandListAppendWaitOnEvents(list, 1, &gate.event));
    fill(list, memory, 1, BYTES);
    MUST(zeCommandListClose(list));
    for (int i = 0; i < 4; i++)
        MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    MUST(zeEventHostSignal(gate.event));
    MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
    MUST(zeCommandQueueDestroy(queue));
    signal_end(&gate);
}

static void commands_that_end_at_the_end(struct faulty_world *world)
{
    /* MEM-11: up to the requested size. CPY-3: the last row needs no pitch after it. */
    const ze_copy_region_t region = {.width = 10, .height = 3, .depth = 2};
    const size_t tight = 100 + 2 * 20 + 10; /* one slice pitch, two row pitches, one row */
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    char *memory = shared_memory(world, 1000), *boxes = shared_memory(world, 2 * tight);
    fill(list, memory + 999, 1, 1);
    copy(list, memory + 500, memory, 500);
    copy(list, memory, memory + 500, 500);
    MUST(zeCommandListAppendMemoryCopyRegion(list, boxes + tight, &region, 20, 100, boxes, &region,
                                             20, 100, NULL, 0, NULL));
    MUST(zeCommandListAppendWriteGlobalTimestamp(list, (uint64_t *)(void *)(memory + 992), NULL, 0,
                                                 NULL));
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeMemFree(world->context, memory));
    MUST(zeMemFree(world->context, boxes));
    MUST(zeCommandListDestroy(list));
}

static void functions_asked_for_by_name(struct faulty_world *world)
{
    /* INI-9, EXN-2: extension functions may be got by name and called through the pointer. */
    ze_result_t (*free_ext)(ze_context_handle_t, const ze_memory_free_ext_desc_t *, void *) = NULL;
    const ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC};
    void *address = NULL, *memory = faulty_memory(world, BYTES);
    if (zeDriverGetExtensionFunctionAddress(world->driver, "zeMemFreeExt", &address) !=
        ZE_RESULT_SUCCESS) {
        MUST(zeMemFree(world->context, memory));
        return;
    }
    memcpy(&free_ext, &address, sizeof(free_ext));
    MUST(free_ext(world->context, &desc, memory));
}

static struct {
    ze_context_handle_t context;
    void *memory;
} at_end;

static void destroy_at_exit(void)
{
    if (at_end.context) {
        MUST(zeMemFree(at_end.context, at_end.memory));
        MUST(zeContextDestroy(at_end.context));
    }
}

/* As a destructor of a static object: it is registered before anything else. */
__attribute__((constructor)) static void register_first(void)
{
    atexit(destroy_at_exit);
}

static void objects_destroyed_at_exit(struct faulty_world *world)
{
    /* GEN-15: the application owns lifetime, up to its last function. */
    at_end.memory = faulty_memory(world, BYTES);
    at_end.context = world->context;
    exit(0);
}

static void *create_and_leave(void *world)
{
    return faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
}

static void list_of_a_thread_that_ended(struct faulty_world *world)
{
    /* CMQ-13, GEN-27: no list belongs to a thread. */
    pthread_t thread;
    void *memory = faulty_memory(world, BYTES);
    for (int i = 0; i < 4; i++) {
        void *list;
        pthread_create(&thread, NULL, create_and_leave, world);
        pthread_join(thread, &list);
        fill(list, memory, 1, BYTES);
        MUST(close_and_run(world, list));
        MUST(zeCommandListDestroy(list));
    }
    MUST(zeMemFree(world->context, memory));
}

static void event_of_many_waiters(struct faulty_world *world)
{
    /* SYN-6: an event may sit in several lists at once; GEN-25: no waits with an array. */
    struct signal gate = signal_begin(world, 0);
    ze_command_list_handle_t lists[4];
    void *memory = faulty_memory(world, 4 * BYTES);
    const uint8_t pattern = 1;
    for (size_t i = 0; i < 4; i++) {
        lists[i] = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        MUST(zeCommandListAppendBarrier(lists[i], NULL, 0, &gate.event));
        MUST(zeCommandListAppendMemoryFill(lists[i], (char *)memory + i * BYTES, &pattern, 1, BYTES,
                                           NULL, 1, &gate.event));
    }
    MUST(zeEventHostSignal(gate.event));
    for (int i = 0; i < 4; i++) {
        MUST(zeCommandListHostSynchronize(lists[i], UINT64_MAX));
        MUST(zeCommandListDestroy(lists[i]));
    }
    signal_end(&gate);
    MUST(zeMemFree(world->context, memory));
}

static void view_and_image_side_by_side(struct faulty_world *world)
{
    /* SYN-12: an image and its view are used at once, in columns that do not meet. */
    const ze_image_desc_t desc = image_desc(8, 8);
    const ze_image_region_t left = {0, 0, 0, 4, 8, 1}, right = {4, 0, 0, 4, 8, 1};
    ze_image_handle_t image = image_create(world, 8, 8), view;
    ze_command_list_handle_t list = faulty_list(world, 0);
    char *memory = faulty_memory(world, 256);
    MUST(zeImageViewCreateExt(world->context, world->device, &desc, image, &view));
    MUST(zeCommandListAppendImageCopyFromMemory(list, image, memory, &left, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyToMemory(list, memory + 128, view, &right, NULL, 0, NULL));
    MUST(close_and_run(world, list));
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(view));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

static void initialised_by_several_libraries(struct faulty_world *world)
{
    /* INI-7, INI-3: zeInit may be called again, handles stay the same. */
    for (int i = 0; i < 3; i++) {
        ze_driver_handle_t driver;
        ze_device_handle_t device;
        uint32_t one = 1;
        MUST(zeInit(0));
        MUST(zeDriverGet(&one, &driver));
        one = 1;
        MUST(zeDeviceGet(driver, &one, &device));
        if (driver != world->driver || device != world->device)
            exit(4);
    }
}

const struct faulty faulty_programs[] = {
    {"memory_beyond_the_relay_freed", memory_beyond_the_relay_freed, "destroyed-in-use",
     "zeMemFree", NULL},
    {"fill_one_byte_too_long", fill_one_byte_too_long, "out-of-range", "ptr", NULL},
    {"copies_one_byte_apart_too_few", copies_one_byte_apart_too_few, "overlapping-copy", NULL,
     NULL},
    {"image_read_through_its_view_without_order", image_read_through_its_view_without_order,
     "missing-dependency", "zeCommandListAppendImageCopyToMemory", NULL},
    {"memory_freed_at_the_end_of_a_relay", memory_freed_at_the_end_of_a_relay, "", NULL, NULL},
    {"fence_of_a_later_submission", fence_of_a_later_submission, "", NULL, NULL},
    {"list_submitted_again_to_its_queue", list_submitted_again_to_its_queue, "", NULL, NULL},
    {"commands_that_end_at_the_end", commands_that_end_at_the_end, "", NULL, NULL},
    {"functions_asked_for_by_name", functions_asked_for_by_name, "", NULL, NULL},
    {"objects_destroyed_at_exit", objects_destroyed_at_exit, "", NULL, NULL},
    {"list_of_a_thread_that_ended", list_of_a_thread_that_ended, "", NULL, NULL},
    {"event_of_many_waiters", event_of_many_waiters, "", NULL, NULL},
    {"view_and_image_side_by_side", view_and_image_side_by_side, "", NULL, NULL},
    {"initialised_by_several_libraries", initialised_by_several_libraries, "", NULL, NULL},
    {0}};
