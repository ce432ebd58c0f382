/* API test of what several devices and their sub-devices have for themselves: memory, contexts,
 * faults, identities in sysman. See test_devices.c. */
#include "devices_support.h"

/* ---- memory ---- */

/* Takes all of a device's memory, a quarter at a time; how many pieces. Nothing touches them. */
static uint32_t memory_fill(struct api *api, ze_device_handle_t device, void **pieces)
{
    const size_t bytes = memory_of(device) / 4 & ~(size_t)4095;
    uint32_t count = 0;
    ze_result_t result;
    while (count < 6 && (result = zeMemAllocDevice(api->context, &device_desc, bytes, 0, device,
                                                   &pieces[count])) == ZE_RESULT_SUCCESS) {
        count++;
    }
    assert_in_range(count, 3, 4); /* other cases of the process may have a little */
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    return count;
}

/* DEV-7, DEV-8, CTX-3, MEM-16, VAL-12 */
static void a_full_device_takes_nothing_from_others(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        const bool whole = i + 1 < devices.count && devices.parent[i + 1] == i;
        void *pieces[8], *more = NULL;
        uint32_t count = memory_fill(api, devices.all[i], pieces);
        size_t quarter = memory_of(devices.all[i]) / 4 & ~(size_t)4095;
        for (uint32_t k = 0; k < devices.count; k++) {
            const bool shares = k == i || (whole && devices.parent[k] == i);
            assert_result(
                zeMemAllocDevice(api->context, &device_desc, quarter / 4, 0, devices.all[k], &more),
                shares && count == 4 ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY : ZE_RESULT_SUCCESS);
            if (more) {
                api_free(api, more);
                more = NULL;
            }
        }
        while (count > 0) {
            api_free(api, pieces[--count]);
        }
    }
}

/* IPC-1, IPC-2, DEV-5 */
static void memory_of_any_device_is_shared_by_handle(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t other = NULL;
    assert_success(zeContextCreate(api->driver, &desc, &other));
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        ze_device_handle_t peer = devices.all[(i + 1) % devices.count], owner = NULL;
        ze_memory_allocation_properties_t p = {.stype =
                                                   ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        ze_ipc_mem_handle_t handle;
        uint32_t *memory = api_alloc_device(&on, BYTES), *seen = NULL;
        assert_success(zeMemGetIpcHandle(api->context, memory, &handle));
        assert_success(zeMemOpenIpcHandle(other, peer, handle, 0, (void **)&seen));
        assert_success(zeMemGetAllocProperties(other, seen, &p, &owner));
        assert_ptr_equal(owner, peer);
        memory[7] = 70 + i;
        assert_int_equal(seen[7], 70 + i);
        assert_success(zeMemCloseIpcHandle(other, seen));
        api_free(api, memory);
    }
    assert_success(zeContextDestroy(other));
}

/* ---- contexts ---- */

/* CTX-1, CTX-3, DEV-5 */
static void a_context_has_the_devices_it_was_made_for(void **state)
{
    struct api *api = *state;
    struct devices devices;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        ze_context_handle_t context = NULL;
        assert_success(zeContextCreateEx(api->driver, &desc, 1, &devices.all[i], &context));
        for (uint32_t k = 0; k < devices.count; k++) {
            void *memory = NULL;
            const bool inside = k == i || devices.parent[k] == i;
            assert_result(
                zeMemAllocShared(context, &device_desc, &host_desc, 64, 0, devices.all[k], &memory),
                inside ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT);
            if (memory) {
                assert_success(zeMemFree(context, memory));
            }
        }
        assert_success(zeContextDestroy(context));
    }
    ze_context_handle_t both = NULL;
    void *memory = NULL;
    assert_success(zeContextCreateEx(api->driver, &desc, devices.count, devices.all, &both));
    for (uint32_t i = 0; i < devices.count; i++) {
        assert_success(zeMemAllocDevice(both, &device_desc, 64, 0, devices.all[i], &memory));
        assert_success(zeMemFree(both, memory));
    }
    assert_success(zeContextDestroy(both));
}

/* CTX-5, CTX-7: a device that is asked for its status is asked for its sub-devices, too */
static void a_fault_of_a_sub_device_is_its_devices(void **state)
{
    struct api *api = *state;
    struct devices devices;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_group_count_t groups = {1, 1, 1};
    devices_find(api, &devices);
    assert_success(zeDeviceSynchronize(devices.all[0])); /* before there is a fault */
    for (uint32_t i = 0; i < devices.count; i++) {
        struct api on = api_of(api, devices.all[i]);
        const void *nowhere = NULL;
        assert_success(zeContextCreate(api->driver, &desc, &on.context));
        struct api_list list = api_list_create(&on);
        ze_module_handle_t module = api_native_module(&on);
        ze_kernel_handle_t kernel = api_kernel(module, "ids");
        assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(nowhere), &nowhere));
        assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
        if (list.queue) {
            assert_success(zeCommandListClose(list.list));
            assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL));
            assert_result(zeCommandQueueSynchronize(list.queue, UINT64_MAX),
                          ZE_RESULT_ERROR_DEVICE_LOST);
        } else {
            assert_result(zeCommandListHostSynchronize(list.list, UINT64_MAX),
                          ZE_RESULT_ERROR_DEVICE_LOST);
        }
        ze_context_handle_t next = NULL;
        assert_result(zeContextCreate(api->driver, &desc, &next), ZE_RESULT_ERROR_DEVICE_LOST);
        assert_result(zeDeviceSynchronize(devices.all[devices.parent[i]]),
                      ZE_RESULT_ERROR_DEVICE_LOST);
        assert_success(zeDeviceGetStatus(devices.all[devices.parent[i]]));
        assert_success(zeContextCreate(api->driver, &desc, &next));
        assert_success(zeContextDestroy(next));
        zeKernelDestroy(kernel);
        zeModuleDestroy(module);
        zeCommandListDestroy(list.list);
        if (list.queue) {
            zeCommandQueueDestroy(list.queue);
        }
        zeContextDestroy(on.context);
    }
}

/* ---- sysman ---- */

/* SYS-2, ENV-5 */
static void sysman_knows_every_sub_device_by_its_uuid(void **state)
{
    struct api *api = *state;
    struct devices devices;
    devices_find(api, &devices);
    for (uint32_t i = 0; i < devices.count; i++) {
        zes_device_handle_t card = NULL, handle = (zes_device_handle_t)devices.all[i];
        zes_device_properties_t a = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES}, b = a;
        zes_subdevice_exp_properties_t parts[DEVICES];
        zes_uuid_t uuid;
        ze_bool_t on_part = 9;
        uint32_t part = 99, count = DEVICES;
        memcpy(uuid.id, devices.p[i].uuid.id, sizeof(uuid.id));
        assert_success(zesDriverGetDeviceByUuidExp((zes_driver_handle_t)api->driver, uuid, &card,
                                                   &on_part, &part));
        assert_success(zesDeviceGetProperties(card, &a));
        assert_success(zesDeviceGetProperties(handle, &b));
        assert_memory_equal(&a.core.uuid, &b.core.uuid, sizeof(a.core.uuid));
        for (uint32_t k = 0; k < DEVICES; k++) {
            parts[k] = (zes_subdevice_exp_properties_t){
                .stype = ZES_STRUCTURE_TYPE_SUBDEVICE_EXP_PROPERTIES};
        }
        assert_success(zesDeviceGetSubDevicePropertiesExp(card, &count, parts));
        assert_int_equal(count, a.numSubdevices);
        if (on_part) {
            assert_in_range(part, 0, count - 1);
            assert_int_equal(parts[part].subdeviceId, part);
            assert_memory_equal(parts[part].uuid.id, uuid.id, sizeof(uuid.id));
        } else {
            assert_memory_equal(a.core.uuid.id, uuid.id, sizeof(uuid.id));
        }
    }
}

/* MEM-7 */
static void atomic_attributes_are_each_devices_own(void **state)
{
    struct api *api = *state;
    static struct devices devices;
    const ze_memory_atomic_attr_exp_flags_t some[] = {
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS};
    devices_find(api, &devices);
    void *memory = api_alloc_shared(api, 4096);
    for (uint32_t i = 0; i < devices.count; i++) {
        ze_memory_atomic_attr_exp_flags_t flags = 77;
        assert_success(
            zeMemGetAtomicAccessAttributeExp(api->context, devices.all[i], memory, 8, &flags));
        assert_int_equal(flags, 0);
        assert_success(
            zeMemSetAtomicAccessAttributeExp(api->context, devices.all[i], memory, 8, some[i % 3]));
    }
    for (uint32_t i = 0; i < devices.count; i++) {
        ze_memory_atomic_attr_exp_flags_t flags = 77;
        assert_success(
            zeMemGetAtomicAccessAttributeExp(api->context, devices.all[i], memory, 8, &flags));
        assert_int_equal(flags, some[i % 3]);
    }
    api_free(api, memory);
}

static const struct api_case cases[] = {
    API_CASE(a_full_device_takes_nothing_from_others),
    API_CASE(memory_of_any_device_is_shared_by_handle),
    API_CASE(a_context_has_the_devices_it_was_made_for),
    API_RUN_CASE(a_fault_of_a_sub_device_is_its_devices),
    API_CASE(sysman_knows_every_sub_device_by_its_uuid),
    API_CASE(atomic_attributes_are_each_devices_own),
};
API_MAIN("devices_memory", cases)
