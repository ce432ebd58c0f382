/* API test of what events and fences make visible, to the host and to commands elsewhere: a kernel
 * is held while it runs, so that what is told too early is told before there is anything to see.
 * Run with GEOID_DEVICES. */
#include "harness.h"

#include <sched.h>

#define DEVICES  16u
#define GROUPS   8u
#define WORDS    (GROUPS * 64u)
#define BYTES    (WORDS * sizeof(uint32_t))
#define WHILE_NS UINT64_C(10000000) /* for which what is held back is looked at */

/* The root devices, each followed by its parts. */
static uint32_t devices_find(struct api *api, ze_device_handle_t *devices)
{
    ze_device_handle_t roots[DEVICES];
    uint32_t count = DEVICES, found = 0;
    assert_success(zeDeviceGet(api->driver, &count, roots));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(found < DEVICES);
        devices[found++] = roots[i];
        uint32_t subs = DEVICES - found;
        assert_success(zeDeviceGetSubDevices(roots[i], &subs, &devices[found]));
        found += subs;
    }
    return found;
}

/* ---- what is held, and who looks ---- */

struct side {
    struct api_list list;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
};

static struct side side_open(struct api *api, ze_device_handle_t device, const char *name)
{
    struct api on = *api;
    struct side side;
    on.device = device;
    side.list = api_list_create(&on);
    side.module = api_spirv_module(&on, "api_scopes");
    side.kernel = api_kernel(side.module, name);
    assert_success(zeKernelSetGroupSize(side.kernel, 64, 1, 1));
    return side;
}

static void side_close(struct side *side)
{
    assert_success(zeKernelDestroy(side->kernel));
    assert_success(zeModuleDestroy(side->module));
    api_list_destroy(&side->list);
}

static void side_start(struct side *side, ze_fence_handle_t fence, ze_event_handle_t signal,
                       uint32_t wait_count, ze_event_handle_t *waits)
{
    const ze_group_count_t groups = {GROUPS, 1, 1};
    assert_success(zeCommandListAppendLaunchKernel(side->list.list, side->kernel, &groups, signal,
                                                   wait_count, waits));
    if (side->list.queue) {
        assert_success(zeCommandListClose(side->list.list));
        assert_success(
            zeCommandQueueExecuteCommandLists(side->list.queue, 1, &side->list.list, fence));
    }
}

/* The list is open again afterwards. */
static void side_finish(struct side *side)
{
    if (side->list.queue) {
        assert_success(zeCommandQueueSynchronize(side->list.queue, UINT64_MAX));
        assert_success(zeCommandListReset(side->list.list));
    } else {
        assert_success(zeCommandListHostSynchronize(side->list.list, UINT64_MAX));
    }
}

struct held {
    struct side side;
    uint32_t *go, *started, *data;
};

static struct held held_open(struct api *api, ze_device_handle_t device)
{
    struct held held = {.side = side_open(api, device, "hold_and_write"),
                        .go = api_alloc_shared(api, GROUPS * sizeof(uint32_t)),
                        .started = api_alloc_shared(api, sizeof(uint32_t)),
                        .data = api_alloc_shared(api, BYTES)};
    ze_kernel_handle_t kernel = held.side.kernel;
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(held.go), &held.go));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(held.started), &held.started));
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(held.data), &held.data));
    return held;
}

static void held_close(struct api *api, struct held *held)
{
    side_close(&held->side);
    api_free(api, held->go);
    api_free(api, held->started);
    api_free(api, held->data);
}

/* Starts the kernel, which runs afterwards: all of its groups but the last are let go. */
static void held_start(struct held *held, uint32_t first, ze_fence_handle_t fence,
                       ze_event_handle_t signal)
{
    memset(held->go, 0, GROUPS * sizeof(*held->go));
    memset(held->data, 0, BYTES);
    *held->started = 0;
    assert_success(zeKernelSetArgumentValue(held->side.kernel, 3, sizeof(first), &first));
    side_start(&held->side, fence, signal, 0, NULL);
    while (__atomic_load_n(held->started, __ATOMIC_ACQUIRE) == 0) {
        sched_yield();
    }
    for (uint32_t i = 0; i < GROUPS - 1; i++) {
        __atomic_store_n(&held->go[i], 1, __ATOMIC_RELEASE);
    }
}

static void held_let_go(struct held *held)
{
    __atomic_store_n(&held->go[GROUPS - 1], 1, __ATOMIC_RELEASE);
}

static void data_check(const uint32_t *data, uint32_t first)
{
    for (uint32_t w = 0; w < WORDS; w++) {
        assert_int_equal(data[w], first + w);
    }
}

/* ---- events ---- */

struct flags {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event[2];
};

static struct flags flags_open(struct api *api, ze_event_scope_flags_t signal,
                               ze_event_scope_flags_t wait)
{
    struct flags flags;
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = 2};
    assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &flags.pool));
    for (uint32_t i = 0; i < 2; i++) {
        const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                       .index = i,
                                       .signal = i == 0 ? signal : ZE_EVENT_SCOPE_FLAG_HOST,
                                       .wait = wait};
        assert_success(zeEventCreate(flags.pool, &event, &flags.event[i]));
    }
    return flags;
}

static void flags_close(struct flags *flags)
{
    assert_success(zeEventDestroy(flags->event[0]));
    assert_success(zeEventDestroy(flags->event[1]));
    assert_success(zeEventPoolDestroy(flags->pool));
}

static void event_await(ze_event_handle_t event)
{
    ze_result_t result;
    while ((result = zeEventQueryStatus(event)) == ZE_RESULT_NOT_READY) {
        sched_yield();
    }
    assert_success(result);
}

/* SYN-11: signalled for the host: who sees the event sees all that its command wrote */
static void the_host_sees_the_work_of_an_event_that_it_sees(void **state)
{
    struct api *api = *state;
    struct held held = held_open(api, api->device);
    struct flags flags = flags_open(api, ZE_EVENT_SCOPE_FLAG_HOST, 0);
    for (uint32_t round = 1; round <= 4; round++) {
        held_start(&held, round * WORDS, NULL, flags.event[0]);
        assert_result(zeEventHostSynchronize(flags.event[0], WHILE_NS), ZE_RESULT_NOT_READY);
        assert_result(zeEventQueryStatus(flags.event[0]), ZE_RESULT_NOT_READY);
        held_let_go(&held);
        event_await(flags.event[0]);
        data_check(held.data, round * WORDS);
        side_finish(&held.side);
        assert_success(zeEventHostReset(flags.event[0]));
    }
    flags_close(&flags);
    held_close(api, &held);
}

/* SYN-11, SYN-13: on any device that the scopes reach; the narrowest is that of one part. Nothing
 * else orders the two commands. */
static void commands_see_the_work_of_the_events_that_they_wait_for(void **state)
{
    struct api *api = *state;
    const ze_event_scope_flags_t scopes[] = {ZE_EVENT_SCOPE_FLAG_SUBDEVICE,
                                             ZE_EVENT_SCOPE_FLAG_DEVICE, ZE_EVENT_SCOPE_FLAG_HOST};
    ze_device_handle_t devices[DEVICES];
    const uint32_t count = devices_find(api, devices);
    struct held held = held_open(api, devices[count - 1]);
    uint32_t *seen = api_alloc_shared(api, BYTES);
    for (uint32_t i = 0; i < count; i++) {
        struct side looker = side_open(api, devices[i], "look");
        assert_success(zeKernelSetArgumentValue(looker.kernel, 0, sizeof(held.data), &held.data));
        assert_success(zeKernelSetArgumentValue(looker.kernel, 1, sizeof(seen), &seen));
        for (uint32_t s = i == count - 1 ? 0 : 1; s < 3; s++) {
            struct flags flags = flags_open(api, scopes[s], scopes[s]);
            memset(seen, 0xff, BYTES);
            held_start(&held, (i * 3 + s) * WORDS, NULL, flags.event[0]);
            side_start(&looker, NULL, flags.event[1], 1, flags.event);
            assert_result(zeEventHostSynchronize(flags.event[1], WHILE_NS), ZE_RESULT_NOT_READY);
            held_let_go(&held);
            assert_success(zeEventHostSynchronize(flags.event[1], UINT64_MAX));
            data_check(seen, (i * 3 + s) * WORDS);
            side_finish(&looker);
            side_finish(&held.side);
            flags_close(&flags);
        }
        side_close(&looker);
    }
    api_free(api, seen);
    held_close(api, &held);
}

/* SYN-11: what the host wrote before it signals is there for the command that waits */
static void commands_see_what_the_host_wrote_before_its_signal(void **state)
{
    struct api *api = *state;
    struct side looker = side_open(api, api->device, "look");
    struct flags flags = flags_open(api, ZE_EVENT_SCOPE_FLAG_HOST, ZE_EVENT_SCOPE_FLAG_DEVICE);
    uint32_t *data = api_alloc_shared(api, BYTES), *seen = api_alloc_shared(api, BYTES);
    assert_success(zeKernelSetArgumentValue(looker.kernel, 0, sizeof(data), &data));
    assert_success(zeKernelSetArgumentValue(looker.kernel, 1, sizeof(seen), &seen));
    memset(data, 0, BYTES);
    for (uint32_t round = 1; round <= 4; round++) {
        side_start(&looker, NULL, flags.event[1], 1, flags.event);
        assert_result(zeEventHostSynchronize(flags.event[1], WHILE_NS), ZE_RESULT_NOT_READY);
        for (uint32_t w = 0; w < WORDS; w++) {
            data[w] = round * WORDS + w;
        }
        assert_success(zeEventHostSignal(flags.event[0]));
        event_await(flags.event[1]);
        data_check(seen, round * WORDS);
        side_finish(&looker);
        assert_success(zeEventHostReset(flags.event[0]));
        assert_success(zeEventHostReset(flags.event[1]));
    }
    api_free(api, data);
    api_free(api, seen);
    flags_close(&flags);
    side_close(&looker);
}

/* ---- fences ---- */

/* SYN-2, SYN-13: what is submitted after the fence was seen, on any device, sees all before it */
static void work_after_a_fence_sees_the_work_before_it(void **state)
{
    struct api *api = *state;
    ze_device_handle_t devices[DEVICES];
    struct api regular = *api;
    regular.immediate = false; /* immediate lists have no fences */
    const uint32_t count = devices_find(api, devices);
    struct held held = held_open(&regular, devices[0]);
    uint32_t *seen = api_alloc_shared(api, BYTES);
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence = NULL;
    assert_success(zeFenceCreate(held.side.list.queue, &desc, &fence));
    for (uint32_t i = 0; i < count; i++) {
        struct side looker = side_open(api, devices[i], "look");
        assert_success(zeKernelSetArgumentValue(looker.kernel, 0, sizeof(held.data), &held.data));
        assert_success(zeKernelSetArgumentValue(looker.kernel, 1, sizeof(seen), &seen));
        memset(seen, 0xff, BYTES);
        held_start(&held, i * WORDS, fence, NULL);
        assert_result(zeFenceHostSynchronize(fence, WHILE_NS), ZE_RESULT_NOT_READY);
        held_let_go(&held);
        assert_success(zeFenceHostSynchronize(fence, UINT64_MAX));
        side_start(&looker, NULL, NULL, 0, NULL);
        side_finish(&looker);
        data_check(seen, i * WORDS);
        side_finish(&held.side);
        assert_success(zeFenceReset(fence));
        side_close(&looker);
    }
    assert_success(zeFenceDestroy(fence));
    api_free(api, seen);
    held_close(&regular, &held);
}

static const struct api_case cases[] = {
    API_RUN_CASE(the_host_sees_the_work_of_an_event_that_it_sees),
    API_RUN_CASE(commands_see_the_work_of_the_events_that_they_wait_for),
    API_RUN_CASE(commands_see_what_the_host_wrote_before_its_signal),
    API_RUN_CASE(work_after_a_fence_sees_the_work_before_it),
};
API_MAIN("spirv_scopes", cases)
