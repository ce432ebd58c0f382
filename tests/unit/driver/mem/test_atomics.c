/* Attributes of atomics for a device that lacks some: none of the backends is one, so this has the
 * description of another. */
#include "unit.h"

#include "ddi/geo_api.h"
#include "driver/core/driver.h"

#define SUCCEEDS(call) assert_int_equal((call), ZE_RESULT_SUCCESS)
#define REFUSED(call)  assert_int_equal((call), ZE_RESULT_ERROR_INVALID_ARGUMENT)

static ze_device_handle_t device;
static ze_context_handle_t context;
static struct geo_device_info remote; /* beyond a bus: reads and writes, nothing else */

static int open_driver(void **state)
{
    (void)state;
    uint32_t one = 1;
    ze_driver_handle_t driver;
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    if (geo_zeInitDrivers(&one, &driver, &types) || geo_zeDeviceGet(driver, &one, &device) ||
        geo_zeContextCreate(driver, &desc, &context)) {
        return 1;
    }
    struct geo_device *object = (struct geo_device *)(void *)device;
    remote = *object->info;
    remote.type = ZE_DEVICE_TYPE_GPU;
    remote.executes = true;
    object->info = &remote;
    return 0;
}

/* MEM-7, MEM-8 */
static void atomics_that_a_device_has_not_are_refused(void **state)
{
    (void)state;
    ze_device_mem_alloc_desc_t own = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_memory_atomic_attr_exp_flags_t flags = 77;
    void *memory;
    SUCCEEDS(geo_zeMemAllocShared(context, &own, &host, 4096, 0, device, &memory));
    const ze_memory_atomic_attr_exp_flags_t lacks[] = {
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS,
        ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS,
    };
    for (int i = 0; i < 3; i++) {
        REFUSED(geo_zeMemSetAtomicAccessAttributeExp(context, device, memory, 4096, lacks[i]));
    }
    SUCCEEDS(geo_zeMemGetAtomicAccessAttributeExp(context, device, memory, 4096, &flags));
    assert_int_equal(flags, 0);
    SUCCEEDS(geo_zeMemSetAtomicAccessAttributeExp(context, device, memory, 4096,
                                                  ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS));
    SUCCEEDS(geo_zeMemGetAtomicAccessAttributeExp(context, device, memory, 4096, &flags));
    assert_int_equal(flags, ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS);
    REFUSED(geo_zeMemGetAtomicAccessAttributeExp(context, device, &flags, 4, &flags));
    SUCCEEDS(geo_zeMemFree(context, memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_that_a_device_has_not_are_refused),
    };
    return cmocka_run_group_tests(tests, open_driver, NULL);
}
