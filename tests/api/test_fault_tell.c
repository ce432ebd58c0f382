/* What is said of a fault, to whom, and what still works: texts of every operation, threads that
 * wait meanwhile, other contexts, the way back. */
#include "fault_support.h"

#include <pthread.h>

static void text_must_have(const struct api *api, const char *part)
{
    const char *text = "";
    MUST_WORK(zeDriverGetLastErrorDescription(api->driver, &text));
    if (!strstr(text, part)) {
        fprintf(stderr, "\"%s\" does not say \"%s\"\n", text, part);
        _exit(1);
    }
}

/* ---- every operation ---- */

static ze_result_t fill_fault(struct scene *scene)
{
    uint32_t pattern = 7;
    return zeCommandListAppendMemoryFill(scene->list, scene->wall, &pattern, sizeof(pattern), 64,
                                         NULL, 0, NULL);
}

static ze_result_t large_copy_fault(struct scene *scene)
{
    static uint8_t large[1 << 20];
    return zeCommandListAppendMemoryCopy(scene->list, large, scene->wall, sizeof(large), NULL, 0,
                                         NULL);
}

static ze_result_t region_fault(struct scene *scene)
{
    ze_copy_region_t box = {.width = 8, .height = 4, .depth = 1};
    return zeCommandListAppendMemoryCopyRegion(scene->list, scene->wall, &box, 16, 0, scene->memory,
                                               &box, 8, 0, NULL, 0, NULL);
}

static ze_result_t timestamp_fault(struct scene *scene)
{
    return zeCommandListAppendWriteGlobalTimestamp(scene->list, (uint64_t *)(void *)scene->wall,
                                                   NULL, 0, NULL);
}

static ze_result_t query_fault(struct scene *scene)
{
    return zeCommandListAppendQueryKernelTimestamps(scene->list, 1, &scene->event, scene->wall,
                                                    NULL, NULL, 0, NULL);
}

static ze_result_t counts_fault(struct scene *scene)
{
    return zeCommandListAppendLaunchKernelIndirect(
        scene->list, scene->kernel, (ze_group_count_t *)(void *)scene->wall, NULL, 0, NULL);
}

static const struct operation {
    ze_result_t (*fault)(struct scene *scene);
    const char *text;
    bool everywhere; /* also where kernels do not run */
} operations[] = {
    {scene_launch,
     "kernel `scale` faulted in work-group (3,0,0), global ids (3,0,0) to (3,0,0): ", false},
    {fill_fault, "a fill of 64 bytes at ", false},
    {large_copy_fault, "a copy of 1048576 bytes from ", false},
    {region_fault, "a copy of 32 bytes from ", false},
    {timestamp_fault, "a timestamp written to ", true},
    {query_fault, "timestamps of events written to ", true},
    {counts_fault, "the group counts of kernel `scale` could not be read: ", false},
};

static void operation_run(struct api *api, const void *argument)
{
    const struct operation *operation = argument;
    struct scene scene;
    char address[64];
    scene_open(&scene, api, 0);
    MUST_WORK(operation->fault(&scene));
    MUST_LOSE(zeCommandListHostSynchronize(scene.list, UINT64_MAX));
    text_must_have(api, operation->text);
    /* but for the last byte: what is read first is the compiler's choice */
    snprintf(address, sizeof(address), ": invalid memory access at 0x%llx",
             (unsigned long long)(uintptr_t)scene.wall >> 8);
    text_must_have(api, address);
}

/* CTX-5, GEN-24 */
static void the_text_names_operation_and_address(void **state)
{
    struct api *api = *state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if ((api->executes || operations[i].everywhere) &&
            !run_apart(api, operation_run, &operations[i])) {
            fail_msg("%s", operations[i].text);
        }
    }
}

/* ---- who waits meanwhile ---- */

struct waiter {
    pthread_t thread;
    struct scene *scene;
    ze_event_handle_t event;
    uint64_t timeout;
    _Atomic bool entered;
};

static void *waiter_main(void *argument)
{
    struct waiter *waiter = argument;
    waiter->entered = true;
    MUST_LOSE(zeEventHostSynchronize(waiter->event, waiter->timeout));
    text_must_have(waiter->scene->api, "a timestamp written to ");
    return NULL;
}

enum { WAITERS = 4 };

/* Threads in waits, for a list that is held by an event and for an event that nobody signals, while
 * a list of the context faults. What is held runs no more, the threads come back and can say why. */
static void waiters_run(struct api *api, const void *argument)
{
    struct scene scene;
    struct waiter waiters[WAITERS];
    (void)argument;
    scene_open(&scene, api, 0);
    MUST_WORK(zeCommandListAppendHostFunction(scene.other, scene_host, &scene.ran, NULL,
                                              scene.behind, 1, &scene.never));
    for (int i = 0; i < WAITERS; i++) {
        struct waiter *waiter = &waiters[i];
        *waiter = (struct waiter){.scene = &scene,
                                  .event = i & 1 ? scene.behind : scene.never,
                                  .timeout = i & 2 ? UINT64_MAX : API_PATIENCE_NS};
        MUST(pthread_create(&waiter->thread, NULL, waiter_main, waiter) == 0);
        while (!waiter->entered) {
            sched_yield();
        }
    }
    MUST_WORK(timestamp_fault(&scene));
    for (int i = 0; i < WAITERS; i++) {
        MUST(pthread_join(waiters[i].thread, NULL) == 0);
    }
    MUST_LOSE(zeCommandListHostSynchronize(scene.other, UINT64_MAX));
    MUST(scene.ran == 0);
    MUST_WORK(zeCommandListDestroy(scene.other)); /* idle: it is held no longer */
    MUST_WORK(zeCommandListDestroy(scene.list));
}

/* CTX-5, CMQ-10 */
static void threads_that_wait_meanwhile_come_back(void **state)
{
    assert_true(run_apart(*state, waiters_run, NULL));
}

/* ---- other contexts ---- */

static void contexts_run(struct api *api, const void *argument)
{
    struct api bystander = *api;
    struct scene scene, alive;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    (void)argument;
    MUST_WORK(zeContextCreate(api->driver, &desc, &bystander.context));
    scene_open(&scene, api, 0);
    scene_open(&alive, &bystander, 0);
    MUST_WORK(timestamp_fault(&scene));
    MUST_LOSE(zeCommandListHostSynchronize(scene.list, UINT64_MAX));
    MUST_WORK(zeContextGetStatus(bystander.context));
    MUST_WORK(zeCommandListAppendHostFunction(alive.list, scene_host, &alive.ran, NULL, alive.event,
                                              0, NULL));
    MUST_WORK(zeEventHostSynchronize(alive.event, UINT64_MAX));
    MUST(alive.ran == 1);
}

/* CTX-1, CTX-5 */
static void other_contexts_of_the_device_live_on(void **state)
{
    assert_true(run_apart(*state, contexts_run, NULL));
}

/* A list of one context signals an event of another, in which a list waits for it. */
static void heirs_run(struct api *api, const void *argument)
{
    struct api heir = *api;
    struct scene scene, late;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    bool asks = argument != NULL;
    MUST_WORK(zeContextCreate(api->driver, &desc, &heir.context));
    scene_open(&scene, api, 0);
    scene_open(&late, &heir, 0);
    if (!asks) {
        MUST_WORK(zeCommandListAppendHostFunction(late.list, scene_host, &late.ran, NULL,
                                                  late.behind, 1, &late.event));
    }
    MUST_WORK(zeCommandListAppendWriteGlobalTimestamp(scene.list, (uint64_t *)(void *)scene.wall,
                                                      late.event, 0, NULL));
    if (asks) {
        MUST_LOSE(zeEventHostSynchronize(late.event, UINT64_MAX));
        text_must_have(api, "lost in another context or process");
        MUST_WORK(zeContextGetStatus(heir.context)); /* it has lost nothing */
        MUST_WORK(zeEventHostReset(late.event));
        MUST_WORK(zeEventHostSignal(late.event));
        MUST_WORK(zeEventQueryStatus(late.event));
        return;
    }
    MUST_LOSE(zeEventHostSynchronize(late.behind, UINT64_MAX));
    text_must_have(api, "waited for work that was lost in another context or process");
    MUST_LOSE(zeCommandListHostSynchronize(late.list, UINT64_MAX));
    MUST_LOSE(zeContextGetStatus(heir.context));
    MUST(late.ran == 0);
}

/* CTX-5, SYN-5 */
static void who_asks_for_lost_work_of_another_context_hears_of_it(void **state)
{
    assert_true(run_apart(*state, heirs_run, "asks"));
}

/* CTX-5, SYN-5 */
static void who_waits_for_lost_work_of_another_context_is_lost(void **state)
{
    assert_true(run_apart(*state, heirs_run, NULL));
}

/* Another process sees the pool's memory, as this one does when it opens its own handle. */
static void pool_run(struct api *api, const void *argument)
{
    struct api peer = *api;
    struct scene scene;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags =
                                          ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool, opened;
    ze_event_handle_t event, seen;
    ze_ipc_event_pool_handle_t handle;
    (void)argument;
    MUST_WORK(zeContextCreate(api->driver, &desc, &peer.context));
    scene_open(&scene, api, 0);
    MUST_WORK(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    MUST_WORK(zeEventCreate(pool, &event_desc, &event));
    MUST_WORK(zeEventPoolGetIpcHandle(pool, &handle));
    MUST_WORK(zeEventPoolOpenIpcHandle(peer.context, handle, &opened));
    MUST_WORK(zeEventCreate(opened, &event_desc, &seen));
    MUST_WORK(zeCommandListAppendWriteGlobalTimestamp(scene.list, (uint64_t *)(void *)scene.wall,
                                                      event, 0, NULL));
    MUST_LOSE(zeEventHostSynchronize(seen, UINT64_MAX));
    text_must_have(api, "lost in another context or process");
    MUST_WORK(zeContextGetStatus(peer.context));
}

/* CTX-5, SYN-8 */
static void an_opened_pool_tells_of_lost_work(void **state)
{
    assert_true(run_apart(*state, pool_run, NULL));
}

/* ---- the way back ---- */

static void recovery_run(struct api *api, const void *argument)
{
    struct scene scene, again;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    (void)argument;
    scene_open(&scene, api, KIND_REGULAR);
    MUST_WORK(scene_launch(&scene));
    MUST_WORK(zeCommandListClose(scene.list));
    MUST_WORK(zeCommandQueueExecuteCommandLists(scene.queue, 1, &scene.list, scene.fence));
    MUST_LOSE(zeFenceHostSynchronize(scene.fence, UINT64_MAX));
    /* objects can still be given back */
    MUST_WORK(zeEventDestroy(scene.event));
    MUST_WORK(zeEventDestroy(scene.behind));
    MUST_WORK(zeKernelDestroy(scene.kernel));
    MUST_WORK(zeFenceDestroy(scene.fence));
    MUST_WORK(zeCommandListReset(scene.list));
    MUST_WORK(zeCommandListDestroy(scene.list));
    MUST_WORK(zeCommandListDestroy(scene.closed));
    MUST_WORK(zeCommandQueueDestroy(scene.queue));
    MUST_WORK(zeContextDestroy(api->context));
    MUST_LOSE(zeContextCreate(api->driver, &desc, &api->context));
    MUST_LOSE(zeDeviceSynchronize(api->device));
    (void)zeDeviceGetStatus(api->device);
    MUST_WORK(zeDeviceSynchronize(api->device));
    MUST_WORK(zeContextCreate(api->driver, &desc, &api->context));
    scene_open(&again, api, 0);
    again.wall = (uint8_t *)again.memory + 64;
    MUST_WORK(scene_launch(&again));
    MUST_WORK(zeEventHostSynchronize(again.event, UINT64_MAX));
}

/* CTX-6, CTX-7 */
static void a_new_context_works_once_the_device_was_asked(void **state)
{
    assert_true(run_apart(*state, recovery_run, NULL));
}

static const struct api_case cases[] = {
    API_CASE(the_text_names_operation_and_address),
    API_CASE(threads_that_wait_meanwhile_come_back),
    API_CASE(other_contexts_of_the_device_live_on),
    API_CASE(who_asks_for_lost_work_of_another_context_hears_of_it),
    API_CASE(who_waits_for_lost_work_of_another_context_is_lost),
    API_CASE(an_opened_pool_tells_of_lost_work),
    {"a_new_context_works_once_the_device_was_asked", a_new_context_works_once_the_device_was_asked,
     API_EXECUTES},
};

API_MAIN("fault_tell", cases)
