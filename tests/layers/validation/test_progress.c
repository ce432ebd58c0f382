/* Lists of which a part is done: what that part used may be destroyed, what the rest uses may not.
 * Also arguments of every kind of memory. */
#include "objects.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 4096 };

/* An in-order immediate list: a fill whose event tells that it is done, then a wait for a gate that
 * is closed, then a second fill. */
struct half {
    ze_command_list_handle_t list;
    struct signal first, gate;
    void *done, *waiting;
};

static struct half half_begin(const struct faulty_world *world)
{
    const uint8_t pattern = 1;
    struct half half = {.list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER),
                        .first = signal_begin(world, 0),
                        .gate = signal_begin(world, 0),
                        .done = faulty_memory(world, BYTES),
                        .waiting = faulty_memory(world, BYTES)};
    MUST(zeCommandListAppendMemoryFill(half.list, half.done, &pattern, 1, BYTES, half.first.event,
                                       0, NULL));
    MUST(zeCommandListAppendWaitOnEvents(half.list, 1, &half.gate.event));
    fill(half.list, half.waiting, 1, BYTES);
    MUST(zeEventHostSynchronize(half.first.event, UINT64_MAX));
    return half;
}

static void half_end(const struct faulty_world *world, const struct half *half)
{
    MUST(zeEventHostSignal(half->gate.event));
    MUST(zeCommandListHostSynchronize(half->list, UINT64_MAX));
    MUST(zeCommandListDestroy(half->list));
    signal_end(&half->gate);
    if (half->first.event)
        signal_end(&half->first);
    if (half->done)
        MUST(zeMemFree(world->context, half->done));
    if (half->waiting)
        MUST(zeMemFree(world->context, half->waiting));
}

static void memory_of_the_second_half_freed(struct faulty_world *world)
{
    /* MEM-19: the event tells of the first command; the second has not begun. */
    struct half half = half_begin(world);
    const ze_result_t result = zeMemFree(world->context, half.waiting);
    if (result == ZE_RESULT_SUCCESS)
        half.waiting = NULL;
    half_end(world, &half);
}

static void queue_destroyed_after_half_of_its_lists(struct faulty_world *world)
{
    /* CMQ-11: queue idle first; the fence tells of the first submission only. */
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    struct signal gate = signal_begin(world, 0);
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t lists[2] = {faulty_list(world, 0), faulty_list(world, 0)};
    ze_fence_handle_t fence;
    MUST(zeFenceCreate(queue, &desc, &fence));
    MUST(zeCommandListAppendWaitOnEvents(lists[1], 1, &gate.event));
    for (int i = 0; i < 2; i++) {
        MUST(zeCommandListClose(lists[i]));
        MUST(zeCommandQueueExecuteCommandLists(queue, 1, &lists[i], i ? NULL : fence));
    }
    MUST(zeFenceHostSynchronize(fence, UINT64_MAX));
    MUST(zeFenceDestroy(fence));
    const ze_result_t result = zeCommandQueueDestroy(queue);
    MUST(zeEventHostSignal(gate.event));
    if (result != ZE_RESULT_SUCCESS) {
        MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
        MUST(zeCommandQueueDestroy(queue));
    }
    for (int i = 0; i < 2; i++)
        MUST(zeCommandListDestroy(lists[i]));
    signal_end(&gate);
}

static void page_of_a_command_in_flight_unmapped(struct faulty_world *world)
{
    /* GEN-10: the second page is idle, the first is not. */
    const size_t page = page_size(world);
    char *at = reserve(world, 2 * page);
    ze_physical_mem_handle_t memory = physical_create(world, 2 * page);
    map(world, at, page, memory, 0);
    map(world, at + page, page, memory, page);
    struct gate gate = gate_begin(world);
    fill(gate.list, at, 1, page);
    MUST(zeVirtualMemUnmap(world->context, at + page, page));
    const ze_result_t result = zeVirtualMemUnmap(world->context, at, page);
    if (result == ZE_RESULT_SUCCESS)
        map(world, at, page, memory, 0); /* for the command to end */
    gate_end(&gate);
    MUST(zeVirtualMemUnmap(world->context, at, page));
    MUST(zePhysicalMemDestroy(world->context, memory));
    MUST(zeVirtualMemFree(world->context, at, 2 * page));
}

/* Two lists on one queue, each behind the gate; the first fills memory. */
struct submissions {
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t lists[2];
    struct signal gate;
    void *memory;
};

static struct submissions submissions_begin(const struct faulty_world *world)
{
    struct submissions both = {.queue = faulty_queue(world),
                               .lists = {faulty_list(world, 0), faulty_list(world, 0)},
                               .gate = signal_begin(world, 0),
                               .memory = faulty_memory(world, BYTES)};
    for (int i = 0; i < 2; i++) {
        MUST(zeCommandListAppendWaitOnEvents(both.lists[i], 1, &both.gate.event));
        if (i == 0)
            fill(both.lists[i], both.memory, 1, BYTES);
        MUST(zeCommandListClose(both.lists[i]));
        MUST(zeCommandQueueExecuteCommandLists(both.queue, 1, &both.lists[i], NULL));
    }
    return both;
}

static void submissions_end(const struct faulty_world *world, const struct submissions *both)
{
    MUST(zeEventHostSignal(both->gate.event));
    MUST(zeCommandQueueSynchronize(both->queue, UINT64_MAX));
    for (int i = 0; i < 2; i++) {
        if (both->lists[i])
            MUST(zeCommandListDestroy(both->lists[i]));
    }
    if (both->memory)
        MUST(zeMemFree(world->context, both->memory));
    MUST(zeCommandQueueDestroy(both->queue));
    signal_end(&both->gate);
}

static void memory_of_an_earlier_submission_freed(struct faulty_world *world)
{
    /* MEM-19, CMQ-3: a later submission says nothing of an earlier one. */
    struct submissions both = submissions_begin(world);
    if (zeMemFree(world->context, both.memory) == ZE_RESULT_SUCCESS)
        both.memory = NULL;
    submissions_end(world, &both);
}

static void list_of_an_earlier_submission_destroyed(struct faulty_world *world)
{
    /* CMQ-18, CMQ-3: destroyed only when the device is done with it. */
    struct submissions both = submissions_begin(world);
    if (zeCommandListDestroy(both.lists[0]) == ZE_RESULT_SUCCESS)
        both.lists[0] = NULL;
    submissions_end(world, &both);
}

/* --- no fault --- */

static void memory_of_the_first_half_freed(struct faulty_world *world)
{
    /* MEM-19, SYN-5: the command's event tells the host that the device is finished with it. */
    struct half half = half_begin(world);
    MUST(zeMemFree(world->context, half.done));
    half.done = NULL;
    half_end(world, &half);
}

static void event_of_the_first_half_destroyed(struct faulty_world *world)
{
    /* GEN-15, SYN-5: the event is signalled, and nothing that is in flight waits for it. */
    struct half half = half_begin(world);
    signal_end(&half.first);
    half.first.event = NULL;
    half_end(world, &half);
}

static void list_of_a_fence_that_is_signalled(struct faulty_world *world)
{
    /* SYN-2: the fence says that the first list is done; the second one is in flight. */
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    struct signal gate = signal_begin(world, 0);
    ze_command_queue_handle_t queue = faulty_queue(world);
    ze_command_list_handle_t lists[2] = {faulty_list(world, 0), faulty_list(world, 0)};
    void *memory = faulty_memory(world, BYTES);
    ze_fence_handle_t fence;
    MUST(zeFenceCreate(queue, &desc, &fence));
    fill(lists[0], memory, 1, BYTES);
    MUST(zeCommandListAppendWaitOnEvents(lists[1], 1, &gate.event));
    for (int i = 0; i < 2; i++) {
        MUST(zeCommandListClose(lists[i]));
        MUST(zeCommandQueueExecuteCommandLists(queue, 1, &lists[i], i ? NULL : fence));
    }
    MUST(zeFenceHostSynchronize(fence, UINT64_MAX));
    MUST(zeCommandListReset(lists[0]));
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(lists[0]));
    MUST(zeFenceDestroy(fence));
    MUST(zeEventHostSignal(gate.event));
    MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
    MUST(zeCommandListDestroy(lists[1]));
    MUST(zeCommandQueueDestroy(queue));
    signal_end(&gate);
}

static void other_queue_in_flight(struct faulty_world *world)
{
    /* CMQ-11, CMQ-18: what one queue has finished is free, whatever another one does. */
    struct gate gate = gate_begin(world);
    for (int i = 0; i < 3; i++) {
        ze_command_list_handle_t list = faulty_list(world, 0);
        void *memory = faulty_memory(world, BYTES);
        fill(list, memory, 1, BYTES);
        MUST(close_and_run(world, list));
        MUST(zeMemFree(world->context, memory));
        MUST(zeCommandListDestroy(list));
    }
    gate_end(&gate);
}

static void other_page_unmapped(struct faulty_world *world)
{
    /* VMM-5: each page has a mapping of its own; only the first is in use. */
    const size_t page = page_size(world);
    char *at = reserve(world, 2 * page);
    ze_physical_mem_handle_t memories[2] = {physical_create(world, page),
                                            physical_create(world, page)};
    map(world, at, page, memories[0], 0);
    map(world, at + page, page, memories[1], 0);
    struct gate gate = gate_begin(world);
    fill(gate.list, at, 1, page);
    MUST(zeVirtualMemUnmap(world->context, at + page, page));
    MUST(zePhysicalMemDestroy(world->context, memories[1]));
    gate_end(&gate);
    MUST(zeVirtualMemUnmap(world->context, at, page));
    MUST(zePhysicalMemDestroy(world->context, memories[0]));
    MUST(zeVirtualMemFree(world->context, at, 2 * page));
}

static void kernel_changed_in_flight(struct faulty_world *world)
{
    /* KRN-3, KRN-5: sizes and values are copied at append and may change between appends. */
    struct gate gate = gate_begin(world);
    ze_module_handle_t module = faulty_module(world);
    ze_kernel_handle_t kernel = faulty_kernel(module, "ids");
    void *memory[4];
    for (uint32_t i = 0; i < 4; i++) {
        memory[i] = faulty_memory(world, BYTES);
        set_pointer(kernel, 0, memory[i]);
        MUST(zeKernelSetGroupSize(kernel, 1u << i, 1, 1));
        MUST(launch(gate.list, kernel));
    }
    gate_end(&gate);
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
    for (int i = 0; i < 4; i++)
        MUST(zeMemFree(world->context, memory[i]));
}

static void argument_set_and_replaced_before_any_launch(struct faulty_world *world)
{
    /* KRN-5: only what is copied at append counts; the first memory is in no list. */
    struct gate gate = gate_begin(world);
    ze_module_handle_t module = faulty_module(world);
    ze_kernel_handle_t kernel = faulty_kernel(module, "ids");
    void *first = faulty_memory(world, BYTES), *second = faulty_memory(world, BYTES);
    set_pointer(kernel, 0, first);
    set_pointer(kernel, 0, second);
    MUST(launch(gate.list, kernel));
    MUST(zeMemFree(world->context, first)); /* in flight is the second one */
    gate_end(&gate);
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
    MUST(zeMemFree(world->context, second));
}

static void arguments_of_every_kind_of_memory(struct faulty_world *world)
{
    /* MEM-1..6, IPC-2, VMM-5, MOD-12: one address space; a pointer value is what it is. */
    static uint32_t variable[64];
    const size_t page = page_size(world);
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_module_handle_t module = faulty_module(world);
    ze_kernel_handle_t kernel = faulty_kernel(module, "ids");
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_physical_mem_handle_t physical = physical_create(world, page);
    ze_ipc_mem_handle_t handle;
    void *pointers[8] = {faulty_memory(world, BYTES), shared_memory(world, BYTES)};
    MUST(zeMemAllocHost(world->context, &host, BYTES, 0, &pointers[2]));
    MUST(zeMemGetIpcHandle(world->context, pointers[0], &handle));
    MUST(zeMemOpenIpcHandle(world->context, world->device, handle, 0, &pointers[3]));
    pointers[4] = reserve(world, page);
    map(world, pointers[4], page, physical, 0);
    MUST(zeModuleGetGlobalPointer(module, "table", NULL, &pointers[5]));
    pointers[6] = malloc(BYTES);
    pointers[7] = variable;
    for (int i = 0; i < 8; i++) {
        set_pointer(kernel, 0, pointers[i]);
        MUST(launch(list, kernel));
    }
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeMemCloseIpcHandle(world->context, pointers[3]));
    MUST(zeMemPutIpcHandle(world->context, handle));
    for (int i = 0; i < 3; i++)
        MUST(zeMemFree(world->context, pointers[i]));
    MUST(zeVirtualMemUnmap(world->context, pointers[4], page));
    MUST(zePhysicalMemDestroy(world->context, physical));
    MUST(zeVirtualMemFree(world->context, pointers[4], page));
    free(pointers[6]);
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
    MUST(zeCommandListDestroy(list));
}

static void system_memory_at_freed_addresses(struct faulty_world *world)
{
    /* MEM-6: the program's own memory, also where allocations were before. */
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_module_handle_t module = faulty_module(world);
    ze_kernel_handle_t kernel = faulty_kernel(module, "ids");
    for (size_t size = 65536; size <= 64u << 20; size *= 4) {
        void *memory = shared_memory(world, size), *at = memory;
        MUST(zeMemFree(world->context, memory));
        memory = mmap(at, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (memory == MAP_FAILED)
            continue; /* the driver keeps these addresses */
        const void *range = memory;
        set_pointer(kernel, 0, memory);
        MUST(launch(list, kernel));
        fill(list, memory, 1, BYTES);
        MUST(zeCommandListAppendMemoryRangesBarrier(list, 1, &size, &range, NULL, 0, NULL));
        MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
        munmap(memory, size);
    }
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
    MUST(zeCommandListDestroy(list));
}

const struct faulty faulty_programs[] = {
    {"memory_of_the_second_half_freed", memory_of_the_second_half_freed, "destroyed-in-use",
     "zeMemFree", NULL},
    {"queue_destroyed_after_half_of_its_lists", queue_destroyed_after_half_of_its_lists,
     "destroyed-in-use", "zeCommandQueueDestroy", NULL},
    {"page_of_a_command_in_flight_unmapped", page_of_a_command_in_flight_unmapped,
     "destroyed-in-use", "zeVirtualMemUnmap", NULL},
    {"memory_of_an_earlier_submission_freed", memory_of_an_earlier_submission_freed,
     "destroyed-in-use", "zeMemFree", NULL},
    {"list_of_an_earlier_submission_destroyed", list_of_an_earlier_submission_destroyed,
     "destroyed-in-use", "zeCommandListDestroy", NULL},
    {"memory_of_the_first_half_freed", memory_of_the_first_half_freed, "", NULL, NULL},
    {"event_of_the_first_half_destroyed", event_of_the_first_half_destroyed, "", NULL, NULL},
    {"list_of_a_fence_that_is_signalled", list_of_a_fence_that_is_signalled, "", NULL, NULL},
    {"other_queue_in_flight", other_queue_in_flight, "", NULL, NULL},
    {"other_page_unmapped", other_page_unmapped, "", NULL, NULL},
    {"kernel_changed_in_flight", kernel_changed_in_flight, "", NULL, NULL},
    {"argument_set_and_replaced_before_any_launch", argument_set_and_replaced_before_any_launch, "",
     NULL, NULL},
    {"arguments_of_every_kind_of_memory", arguments_of_every_kind_of_memory, "", NULL, NULL},
    {"system_memory_at_freed_addresses", system_memory_at_freed_addresses, "", NULL, NULL},
    {0}};
