/* API test of work on several devices and their sub-devices: queues, kernels, copies and events
 * between them. See test_devices.c. */
#include "devices_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* ---- work ---- */

/* Runs `ids` of a module on a device and checks what came. */
static void ids_run(struct api *api, ze_module_handle_t module, ze_device_handle_t device,
                    uint32_t *out)
{
    struct api on = api_of(api, device);
    struct api_list list = api_list_create(&on);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    const ze_group_count_t groups = {WORDS / 64, 1, 1};
    memset(out, 0xff, BYTES);
    assert_success(zeKernelSetGroupSize(kernel, 64, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(&on, &list);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(out[i], i);
    }
    assert_success(zeKernelDestroy(kernel));
    api_list_destroy(&list);
}

/* An empty list of a group, run on a queue of it. */
static ze_result_t queue_use(struct api *api, ze_device_handle_t device, uint32_t ordinal,
                             uint32_t index)
{
    const ze_command_queue_desc_t queue_desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal, .index = index};
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                              .commandQueueGroupOrdinal = ordinal};
    ze_command_queue_handle_t queue = NULL;
    ze_command_list_handle_t list = NULL;
    ze_result_t result = zeCommandQueueCreate(api->context, device, &queue_desc, &queue);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    assert_success(zeCommandListCreate(api->context, device, &list_desc, &list));
    assert_success(zeCommandListClose(list));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
    return ZE_RESULT_SUCCESS;
}

/* DEV-9: those that it tells of itself, and no others */
static void every_device_has_the_queues_that_it_tells_of(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        ze_command_queue_group_properties_t groups[8];
        uint32_t count = 8;
        for (uint32_t g = 0; g < count; g++) {
            groups[g] = (ze_command_queue_group_properties_t){
                .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
        }
        assert_success(zeDeviceGetCommandQueueGroupProperties(devices.all[i], &count, groups));
        assert_in_range(count, 1, 7);
        for (uint32_t g = 0; g < count; g++) {
            assert_true(groups[g].numQueues > 0);
            for (uint32_t index = 0; index < groups[g].numQueues; index++) {
                assert_success(queue_use(api, devices.all[i], g, index));
            }
            assert_result(queue_use(api, devices.all[i], g, groups[g].numQueues),
                          ZE_RESULT_ERROR_INVALID_ARGUMENT);
        }
        assert_result(queue_use(api, devices.all[i], count, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
}

/* DEV-5, DEV-7, DEV-21 */
static void every_device_runs_kernels_in_its_memory(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        ze_memory_allocation_properties_t p = {.stype =
                                                   ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        ze_device_handle_t owner = NULL;
        uint32_t *out = api_alloc_device(&on, BYTES);
        assert_success(zeMemGetAllocProperties(api->context, out, &p, &owner));
        assert_int_equal(p.type, ZE_MEMORY_TYPE_DEVICE);
        assert_ptr_equal(owner, devices.all[i]);
        ze_module_handle_t module = api_native_module(&on);
        ids_run(api, module, devices.all[i], out);
        assert_success(zeModuleDestroy(module));
        api_free(api, out);
    }
}

/* DEV-5, DEV-7, MOD-2: on its sub-devices and in its memory, and not on another device */
static void a_module_of_a_device_runs_on_its_sub_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    const ze_group_count_t groups = {1, 1, 1};
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        uint32_t *out = api_alloc_device(&on, BYTES);
        ze_module_handle_t module = api_native_module(&on);
        for (uint32_t k = 0; k < devices.count; k++) {
            if (k == i || devices.parent[k] == i) {
                ids_run(api, module, devices.all[k], out);
                continue;
            }
            struct api there = api_of(api, devices.all[k]);
            struct api_list list = api_list_create(&there);
            ze_kernel_handle_t kernel = api_kernel(module, "ids");
            assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
            assert_result(
                zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL),
                ZE_RESULT_ERROR_INVALID_ARGUMENT);
            assert_success(zeKernelDestroy(kernel));
            api_list_destroy(&list);
        }
        assert_success(zeModuleDestroy(module));
        api_free(api, out);
    }
}

/* KRN-11: the groups that wait for each other are those that their list's device can have, whatever
 * device the module was made for */
static void a_sub_device_has_cooperative_groups_of_its_own(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t k = 0; k < devices.count; k++) {
        struct api of = api_of(api, devices.all[devices.parent[k]]);
        struct api on = api_of(api, devices.all[k]);
        const uint32_t most = units_of(&devices.p[k]);
        const ze_group_count_t fits = {most, 1, 1}, too_many = {most + 1, 1, 1};
        uint32_t *out = api_alloc_device(&on, (most + 1) * sizeof(*out));
        struct api_list list = api_list_create(&on);
        ze_module_handle_t module = api_native_module(&of);
        ze_kernel_handle_t kernel = api_kernel(module, "ids");
        assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
        assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
        assert_result(
            zeCommandListAppendLaunchCooperativeKernel(list.list, kernel, &too_many, NULL, 0, NULL),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_success(
            zeCommandListAppendLaunchCooperativeKernel(list.list, kernel, &fits, NULL, 0, NULL));
        api_list_run(&on, &list);
        for (uint32_t i = 0; i < most; i++) {
            assert_int_equal(out[i], i);
        }
        assert_success(zeKernelDestroy(kernel));
        assert_success(zeModuleDestroy(module));
        api_list_destroy(&list);
        api_free(api, out);
    }
}

/* DEV-20, MEM-3: by the copy alone, in a list of either */
static void copies_go_between_all_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    uint32_t *host = api_alloc_host(api, BYTES);
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api from = api_of(api, devices.all[i]);
        uint32_t *source = api_alloc_device(&from, BYTES);
        for (uint32_t k = 0; k < devices.count; k++) {
            struct api to = api_of(api, devices.all[k]);
            uint32_t *target = api_alloc_device(&to, BYTES);
            struct api_list list = api_list_create(k % 2 ? &from : &to);
            for (uint32_t w = 0; w < WORDS; w++) {
                host[w] = (i * DEVICES + k) * WORDS + w;
            }
            const struct {
                uint32_t *out, *in;
            } steps[] = {{source, host}, {target, source}, {host, target}};
            for (uint32_t s = 0; s < 3; s++) {
                assert_success(zeCommandListAppendMemoryCopy(list.list, steps[s].out, steps[s].in,
                                                             BYTES, NULL, 0, NULL));
                api_list_run(&to, &list);
                if (s == 0) {
                    memset(host, 0, BYTES);
                }
            }
            for (uint32_t w = 0; w < WORDS; w++) {
                assert_int_equal(host[w], (i * DEVICES + k) * WORDS + w);
            }
            api_list_destroy(&list);
            api_free(api, target);
        }
        api_free(api, source);
    }
    api_free(api, host);
}

static ze_event_pool_handle_t pool_make(struct api *api, struct devices *devices, uint32_t count,
                                        ze_event_handle_t *events)
{
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = count};
    ze_event_pool_handle_t pool = NULL;
    assert_success(zeEventPoolCreate(api->context, &desc, devices->count, devices->all, &pool));
    for (uint32_t i = 0; i < count; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                 .index = i,
                                 .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                 .wait = ZE_EVENT_SCOPE_FLAG_DEVICE};
        assert_success(zeEventCreate(pool, &event, &events[i]));
    }
    return pool;
}

/* A chain through all devices, appended from its end: each waits for the one before.
 * DEV-5, SYN-5, SYN-6 */
static void events_and_fences_work_across_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    ze_event_handle_t events[DEVICES + 1];
    struct api_list lists[DEVICES];
    ze_fence_handle_t fences[DEVICES] = {NULL};
    devices_find(api, &devices);
    const uint32_t count = devices.count;
    ze_event_pool_handle_t pool = pool_make(api, &devices, count + 1, events);
    uint32_t *words = api_alloc_shared(api, (count + 1) * sizeof(*words));
    memset(words, 0, (count + 1) * sizeof(*words));
    words[0] = 4711;
    for (uint32_t i = count; i-- > 0;) {
        struct api on = api_of(api, devices.all[i]);
        const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
        lists[i] = api_list_create(&on);
        assert_success(zeCommandListAppendMemoryCopy(lists[i].list, &words[i + 1], &words[i],
                                                     sizeof(*words), events[i + 1], 1, &events[i]));
        if (lists[i].queue) {
            assert_success(zeFenceCreate(lists[i].queue, &desc, &fences[i]));
            assert_success(zeCommandListClose(lists[i].list));
            assert_success(
                zeCommandQueueExecuteCommandLists(lists[i].queue, 1, &lists[i].list, fences[i]));
            assert_result(zeFenceQueryStatus(fences[i]), ZE_RESULT_NOT_READY);
        }
    }
    assert_result(zeEventQueryStatus(events[count]), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(events[0]));
    assert_success(zeEventHostSynchronize(events[count], UINT64_MAX));
    for (uint32_t i = 0; i < count; i++) {
        assert_success(zeEventQueryStatus(events[i]));
        if (fences[i]) {
            assert_success(zeFenceHostSynchronize(fences[i], UINT64_MAX));
            assert_success(zeFenceDestroy(fences[i]));
        } else {
            assert_success(zeCommandListHostSynchronize(lists[i].list, UINT64_MAX));
        }
        assert_int_equal(words[i + 1], api->executes ? 4711 : 0);
        api_list_destroy(&lists[i]);
    }
    for (uint32_t i = 0; i <= count; i++) {
        assert_success(zeEventDestroy(events[i]));
    }
    assert_success(zeEventPoolDestroy(pool));
    api_free(api, words);
}

struct waiter {
    ze_device_handle_t device;
    ze_event_handle_t last;
    ze_result_t result, after;
    _Atomic int done;
};

static void *device_wait(void *argument)
{
    struct waiter *waiter = argument;
    waiter->result = zeDeviceSynchronize(waiter->device);
    waiter->after = zeEventQueryStatus(waiter->last);
    atomic_store(&waiter->done, 1);
    return NULL;
}

/* DEV-5: the time that passes only gives a call that does not wait the time to come back */
static void a_device_is_synchronised_with_its_sub_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    assert_success(zeDeviceSynchronize(devices.all[0])); /* which has nothing to do */
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        struct waiter waiter = {.device = devices.all[devices.parent[i]]};
        ze_event_handle_t events[2];
        ze_event_pool_handle_t pool = pool_make(api, &devices, 2, events);
        struct api_list list = api_list_create(&on);
        pthread_t thread;
        waiter.last = events[1];
        assert_success(zeCommandListAppendBarrier(list.list, events[1], 1, &events[0]));
        if (list.queue) {
            assert_success(zeCommandListClose(list.list));
            assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL));
        }
        assert_int_equal(pthread_create(&thread, NULL, device_wait, &waiter), 0);
        for (int k = 0; k < 20 && !atomic_load(&waiter.done); k++) {
            const struct timespec pause = {0, 1000000};
            nanosleep(&pause, NULL);
        }
        assert_success(zeEventHostSignal(events[0]));
        pthread_join(thread, NULL);
        assert_int_equal(waiter.result, ZE_RESULT_SUCCESS);
        assert_int_equal(waiter.after, ZE_RESULT_SUCCESS);
        api_list_destroy(&list);
        assert_success(zeEventDestroy(events[0]));
        assert_success(zeEventDestroy(events[1]));
        assert_success(zeEventPoolDestroy(pool));
    }
}

static const struct api_case cases[] = {
    API_CASE(every_device_has_the_queues_that_it_tells_of),
    API_RUN_CASE(every_device_runs_kernels_in_its_memory),
    API_RUN_CASE(a_module_of_a_device_runs_on_its_sub_devices),
    API_RUN_CASE(a_sub_device_has_cooperative_groups_of_its_own),
    API_RUN_CASE(copies_go_between_all_devices),
    API_LIST_CASE(events_and_fences_work_across_devices),
    API_LIST_CASE(a_device_is_synchronised_with_its_sub_devices),
};
API_MAIN("devices_work", cases)
