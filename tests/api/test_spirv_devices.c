/* API test of kernels on several devices at once: atomics on one buffer, launches over all tiles of
 * a device. Run with GEOID_DEVICES. */
#include "harness.h"

#include <stdlib.h>

#define DEVICES 16u
#define GROUPS  256u
#define ITEMS   (GROUPS * 64u)

struct work {
    struct api_list list;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
};

static uint32_t leaves_find(struct api *api, ze_device_handle_t *leaves)
{
    ze_device_handle_t roots[DEVICES];
    uint32_t count = DEVICES, found = 0;
    assert_success(zeDeviceGet(api->driver, &count, roots));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t subs = DEVICES - found;
        assert_success(zeDeviceGetSubDevices(roots[i], &subs, &leaves[found]));
        if (subs == 0) {
            leaves[found++] = roots[i];
        }
        found += subs;
    }
    assert_true(found >= 2);
    return found;
}

static struct work work_open(struct api *api, ze_device_handle_t device, const char *name)
{
    struct api on = *api;
    struct work work;
    on.device = device;
    work.list = api_list_create(&on);
    work.module = api_spirv_module(&on, "api_devices");
    work.kernel = api_kernel(work.module, name);
    assert_success(zeKernelSetGroupSize(work.kernel, 64, 1, 1));
    return work;
}

static void work_close(struct work *work)
{
    assert_success(zeKernelDestroy(work->kernel));
    assert_success(zeModuleDestroy(work->module));
    api_list_destroy(&work->list);
}

static void work_start(struct work *work)
{
    if (work->list.queue) {
        assert_success(zeCommandListClose(work->list.list));
        assert_success(
            zeCommandQueueExecuteCommandLists(work->list.queue, 1, &work->list.list, NULL));
    }
}

static void work_wait(struct work *work)
{
    assert_success(work->list.queue ? zeCommandQueueSynchronize(work->list.queue, UINT64_MAX)
                                    : zeCommandListHostSynchronize(work->list.list, UINT64_MAX));
}

/* That they may be at one buffer at once. */
static void expect_concurrent(const ze_device_handle_t *devices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ze_device_memory_access_properties_t p = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
        assert_success(zeDeviceGetMemoryAccessProperties(devices[i], &p));
        assert_true(p.sharedCrossDeviceAllocCapabilities &
                    ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC);
        for (uint32_t k = 0; k < count; k++) {
            ze_bool_t reaches = false;
            assert_success(zeDeviceCanAccessPeer(devices[i], devices[k], &reaches));
            assert_true(reaches);
        }
    }
}

/* DEV-18, MEM-10, MEM-5, DEV-15: every item of every device takes a ticket of its own */
static void devices_count_on_one_counter(void **state)
{
    struct api *api = *state;
    ze_device_handle_t devices[DEVICES];
    struct work works[DEVICES];
    const ze_group_count_t groups = {GROUPS, 1, 1};
    const uint32_t count = leaves_find(api, devices);
    expect_concurrent(devices, count);
    uint32_t *counter = api_alloc_shared(api, sizeof(*counter));
    uint32_t *tickets = api_alloc_shared(api, count * ITEMS * sizeof(*tickets));
    *counter = 0;
    memset(tickets, 0, count * ITEMS * sizeof(*tickets));
    for (uint32_t i = 0; i < count; i++) {
        works[i] = work_open(api, devices[i], "count_all");
        assert_success(zeKernelSetArgumentValue(works[i].kernel, 0, sizeof(counter), &counter));
        assert_success(zeKernelSetArgumentValue(works[i].kernel, 1, sizeof(tickets), &tickets));
        assert_success(zeCommandListAppendLaunchKernel(works[i].list.list, works[i].kernel, &groups,
                                                       NULL, 0, NULL));
        work_start(&works[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        work_wait(&works[i]);
        work_close(&works[i]);
    }
    assert_int_equal(*counter, count * ITEMS);
    for (uint32_t i = 0; i < count * ITEMS; i++) {
        assert_int_equal(tickets[i], 1);
    }
    api_free(api, tickets);
    api_free(api, counter);
}

/* ENV-2, KRN-14: the groups of a launch on a device are spread over its tiles, each runs once */
static void a_launch_on_a_device_is_all_its_tiles_work(void **state)
{
    struct api *api = *state;
    const ze_group_count_t groups = {GROUPS, 1, 1};
    uint32_t *counts = api_alloc_shared(api, GROUPS * sizeof(*counts));
    struct work work = work_open(api, api->device, "count_groups");
    memset(counts, 0, GROUPS * sizeof(*counts));
    assert_success(zeKernelSetArgumentValue(work.kernel, 0, sizeof(counts), &counts));
    assert_success(
        zeCommandListAppendLaunchKernel(work.list.list, work.kernel, &groups, NULL, 0, NULL));
    work_start(&work);
    work_wait(&work);
    for (uint32_t i = 0; i < GROUPS; i++) {
        assert_int_equal(counts[i], 1);
    }
    work_close(&work);
    api_free(api, counts);
}

static const struct api_case cases[] = {
    API_RUN_CASE(devices_count_on_one_counter),
    API_RUN_CASE(a_launch_on_a_device_is_all_its_tiles_work),
};
API_MAIN("spirv_devices", cases)
