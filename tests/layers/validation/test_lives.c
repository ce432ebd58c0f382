/* Faults of freeing by a policy, of residency, of arrays and of system management. */
#include "objects.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 4096 };

static ze_result_t free_by(const struct faulty_world *world, void *memory,
                           ze_driver_memory_free_policy_ext_flags_t policy)
{
    const ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
                                            .freePolicy = policy};
    return zeMemFreeExt(world->context, &desc, memory);
}

static void used_after_a_deferred_free(struct faulty_world *world)
{
    /* DEFER_FREE: "later, when commands that use the memory are done"; no command begins then. */
    struct gate gate = gate_begin(world);
    const uint8_t pattern = 1;
    void *memory = faulty_memory(world, BYTES);
    fill(gate.list, memory, 1, BYTES);
    MUST(free_by(world, memory, ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE));
    zeCommandListAppendMemoryFill(gate.list, memory, &pattern, 1, BYTES, NULL, 0, NULL);
    gate_end(&gate);
}

static void freed_again_after_a_deferred_free(struct faulty_world *world)
{
    /* MEM-19, VAL-4: an allocation is freed once. */
    void *memory = faulty_memory(world, BYTES);
    MUST(free_by(world, memory, ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE));
    zeMemFree(world->context, memory);
}

static void question_about_memory_of_another_context(struct faulty_world *world)
{
    /* CTX-4: handing a pointer of context B to a query on context A is illegal. */
    struct faulty_world other = other_begin(world);
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    void *memory = faulty_memory(&other, BYTES);
    zeMemGetAllocProperties(world->context, memory, &properties, NULL);
    MUST(zeMemFree(other.context, memory));
    other_end(&other);
}

static void resident_beyond_the_end(struct faulty_world *world)
{
    /* RES-4, MEM-11: a range of the allocation; going past the requested size is undefined. */
    void *memory = faulty_memory(world, BYTES);
    zeContextMakeMemoryResident(world->context, world->device, memory, 16 * BYTES);
    MUST(zeMemFree(world->context, memory));
}

static void array_with_an_element_not_initialised(struct faulty_world *world)
{
    /* VAL-2: uninitialised structures; each element of the array has its stype. */
    ze_command_queue_group_properties_t groups[2] = {
        {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES}};
    uint32_t count = 2;
    zeDeviceGetCommandQueueGroupProperties(world->device, &count, groups);
}

/* --- system management --- */

static zes_device_handle_t managed_device(zes_driver_handle_t *driver)
{
    zes_device_handle_t device;
    uint32_t one = 1;
    MUST(zesInit(0));
    MUST(zesDriverGet(&one, driver));
    one = 1;
    MUST(zesDeviceGet(*driver, &one, &device));
    return device;
}

static void engine_asked_as_memory(struct faulty_world *world)
{
    /* SYS-3: each class of components has its own handle type. */
    zes_driver_handle_t driver;
    zes_engine_handle_t engine;
    zes_mem_state_t state = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};
    uint32_t one = 1;
    (void)world;
    MUST(zesDeviceEnumEngineGroups(managed_device(&driver), &one, &engine));
    zesMemoryGetState((zes_mem_handle_t)(void *)engine, &state);
}

static void event_that_no_device_has(struct faulty_world *world)
{
    /* VAL-2: flag bits that the type does not have. */
    zes_driver_handle_t driver;
    (void)world;
    zesDeviceEventRegister(managed_device(&driver), 1u << 30);
}

static void listening_without_room_for_events(struct faulty_world *world)
{
    /* SYC-27, VAL-2: the events of each device are written to an array that has to be there. */
    zes_driver_handle_t driver;
    zes_device_handle_t device = managed_device(&driver);
    uint32_t count = 0;
    (void)world;
    zesDriverEventListen(driver, 0, 1, &device, &count, NULL);
}

/* --- no fault --- */

static void *open_gate_later(void *event)
{
    usleep(50000);
    MUST(zeEventHostSignal(event));
    return NULL;
}

static void blocking_free_in_flight(struct faulty_world *world)
{
    /* BLOCKING_FREE: "when commands that use the memory are done; the call waits". */
    struct gate gate = gate_begin(world);
    pthread_t thread;
    void *memory = faulty_memory(world, BYTES);
    fill(gate.list, memory, 1, BYTES);
    pthread_create(&thread, NULL, open_gate_later, gate.event);
    MUST(free_by(world, memory, ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE));
    pthread_join(thread, NULL);
    MUST(zeEventHostReset(gate.event));
    gate_end(&gate);
}

static void deferred_free_in_flight(struct faulty_world *world)
{
    /* DEFER_FREE: "when commands that use the memory are done; the call returns at once". */
    struct gate gate = gate_begin(world);
    void *memory = faulty_memory(world, BYTES);
    fill(gate.list, memory, 1, BYTES);
    MUST(free_by(world, memory, ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE));
    gate_end(&gate);
}

static void child_that_ends_by_itself(struct faulty_world *world)
{
    /* VAL-3: a leak is an object that its owner leaves; the parent destroys everything later. */
    struct signal signal = signal_begin(world, 0);
    void *memory = faulty_memory(world, BYTES);
    int status;
    const pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, &status, 0);
    if (status != 0)
        exit(4);
    MUST(zeMemFree(world->context, memory));
    signal_end(&signal);
}

static void questions_about_other_memory(struct faulty_world *world)
{
    /* MEM-17: unknown pointers report type UNKNOWN; a freed one is unknown, too. */
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    void *pointers[2] = {malloc(64), faulty_memory(world, BYTES)};
    MUST(zeMemFree(world->context, pointers[1]));
    for (int i = 0; i < 2; i++) {
        MUST(zeMemGetAllocProperties(world->context, pointers[i], &properties, NULL));
        if (properties.type != ZE_MEMORY_TYPE_UNKNOWN)
            exit(4);
    }
    free(pointers[0]);
}

static void resident_memory_freed(struct faulty_world *world)
{
    /* RES-5, MEM-19: freeing evicts implicitly; a part may be resident. */
    char *memory = faulty_memory(world, 4 * BYTES);
    MUST(zeContextMakeMemoryResident(world->context, world->device, memory, 4 * BYTES));
    MUST(zeContextEvictMemory(world->context, world->device, memory, 4 * BYTES));
    MUST(zeContextMakeMemoryResident(world->context, world->device, memory + BYTES, BYTES));
    MUST(zeMemFree(world->context, memory));
}

static void chain_of_three_in_any_order(struct faulty_world *world)
{
    /* EXN-7: chains may be in any order. */
    for (int i = 0; i < 2; i++) {
        ze_external_memory_export_desc_t export = {
            .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
            .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
        ze_memory_compression_hints_ext_desc_t hint = {
            .stype = ZE_STRUCTURE_TYPE_MEMORY_COMPRESSION_HINTS_EXT_DESC,
            .flags = ZE_MEMORY_COMPRESSION_HINTS_EXT_FLAG_COMPRESSED};
        ze_relaxed_allocation_limits_exp_desc_t relaxed = {
            .stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
            .flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
        ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                           .pNext = i ? (void *)&export : (void *)&relaxed};
        void *memory;
        export.pNext = &hint;
        hint.pNext = i ? (void *)&relaxed : NULL;
        relaxed.pNext = i ? NULL : (void *)&export;
        MUST(zeMemAllocDevice(world->context, &desc, BYTES, 0, world->device, &memory));
        MUST(zeMemFree(world->context, memory));
    }
}

static void count_function(void *data)
{
    atomic_fetch_add((atomic_uint *)data, 1);
}

static void host_functions_in_a_list(struct faulty_world *world)
{
    /* zeCommandListAppendHostFunction: pUserData may be null or anything; it calls no API. */
    atomic_uint calls = 0;
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    for (int i = 0; i < 3; i++)
        MUST(zeCommandListAppendHostFunction(list, count_function, &calls, NULL, NULL, 0, NULL));
    MUST(close_and_run(world, list));
    MUST(run_list(world, list));
    if (calls != 6)
        exit(4);
    MUST(zeCommandListDestroy(list));
}

static void managed_components_without_events(struct faulty_world *world)
{
    /* SYS-1, SYS-3, SYC-26: handles are enumerated, not owned; registering 0 drops all. */
    zes_driver_handle_t driver;
    zes_device_handle_t device = managed_device(&driver);
    zes_engine_handle_t engines[64];
    zes_engine_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES};
    uint32_t count = 64;
    (void)world;
    for (int i = 0; i < 2; i++) {
        MUST(zesDeviceEnumEngineGroups(device, &count, engines));
        for (uint32_t k = 0; k < count; k++)
            MUST(zesEngineGetProperties(engines[k], &properties));
    }
    MUST(zesDeviceEventRegister(device, 0));
}

const struct faulty faulty_programs[] = {
    {"used_after_a_deferred_free", used_after_a_deferred_free, "freed-memory",
     "zeCommandListAppendMemoryFill", NULL},
    {"freed_again_after_a_deferred_free", freed_again_after_a_deferred_free, "freed-twice",
     "zeMemFree", NULL},
    {"question_about_memory_of_another_context", question_about_memory_of_another_context,
     "other-context-memory", "zeMemGetAllocProperties", NULL},
    {"resident_beyond_the_end", resident_beyond_the_end, "out-of-range",
     "zeContextMakeMemoryResident", NULL},
    {"array_with_an_element_not_initialised", array_with_an_element_not_initialised, "wrong-stype",
     "[1]", NULL},
    {"engine_asked_as_memory", engine_asked_as_memory, "wrong-type", "zesMemoryGetState", NULL},
    {"event_that_no_device_has", event_that_no_device_has, "unknown-flags",
     "zesDeviceEventRegister", NULL},
    {"listening_without_room_for_events", listening_without_room_for_events, "null-pointer",
     "zesDriverEventListen", NULL},
    {"blocking_free_in_flight", blocking_free_in_flight, "", NULL, NULL},
    {"deferred_free_in_flight", deferred_free_in_flight, "", NULL, NULL},
    {"child_that_ends_by_itself", child_that_ends_by_itself, "", NULL, NULL},
    {"questions_about_other_memory", questions_about_other_memory, "", NULL, NULL},
    {"resident_memory_freed", resident_memory_freed, "", NULL, NULL},
    {"chain_of_three_in_any_order", chain_of_three_in_any_order, "", NULL, NULL},
    {"host_functions_in_a_list", host_functions_in_a_list, "", NULL, NULL},
    {"managed_components_without_events", managed_components_without_events, "", NULL, NULL},
    {0}};
