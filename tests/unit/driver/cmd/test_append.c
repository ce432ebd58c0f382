/* Hints, as the records that they become: which memory, and which device is meant. A machine with
 * one memory node would not show it otherwise. */
#include "unit.h"

#include "ddi/geo_api.h"
#include "driver/cmd/list.h"

#include <stdlib.h>

#define SUCCEEDS(call) assert_int_equal((call), ZE_RESULT_SUCCESS)

static ze_device_handle_t devices[2];
static ze_context_handle_t context;

static int open_driver(void **state)
{
    (void)state;
    uint32_t one = 1, two = 2;
    ze_driver_handle_t driver;
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    setenv("GEOID_DEVICES", "2", 1);
    return geo_zeInitDrivers(&one, &driver, &types) || geo_zeDeviceGet(driver, &two, devices) ||
           two != 2 || geo_zeContextCreate(driver, &desc, &context);
}

static const struct geo_command_range *range_of(const struct geo_command *command,
                                                enum geo_command_operation operation,
                                                ze_device_handle_t device, const void *start,
                                                uint64_t bytes)
{
    const struct geo_device *whose = (const struct geo_device *)(const void *)device;
    const struct geo_command_range *range = (const struct geo_command_range *)command;
    assert_int_equal(command->operation, operation);
    assert_ptr_equal(range->device, whose->backend_device);
    assert_ptr_equal(range->start, start);
    assert_int_equal(range->bytes, bytes);
    return range;
}

/* MEM-14, MEM-15: a prefetch is for the list's device, advice for the one that is named */
static void hints_become_records_of_their_range(void **state)
{
    (void)state;
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t handle;
    char memory[256];
    SUCCEEDS(geo_zeCommandListCreate(context, devices[1], &desc, &handle));
    SUCCEEDS(geo_zeCommandListAppendMemoryPrefetch(handle, memory + 16, 100));
    SUCCEEDS(geo_zeCommandListAppendMemAdvise(handle, devices[0], memory, 200,
                                              ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
    const struct geo_command_list *list = (const struct geo_command_list *)(const void *)handle;
    const struct geo_command *first = (const struct geo_command *)(const void *)list->records;
    const struct geo_command *second = geo_command_next(first);
    range_of(first, GEO_COMMAND_PREFETCH, devices[1], memory + 16, 100);
    assert_int_equal(range_of(second, GEO_COMMAND_ADVISE, devices[0], memory, 200)->advice,
                     ZE_MEMORY_ADVICE_SET_READ_MOSTLY);
    assert_ptr_equal(geo_command_next(second), list->records + list->used);
    SUCCEEDS(geo_zeCommandListDestroy(handle));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_become_records_of_their_range),
    };
    return cmocka_run_group_tests(tests, open_driver, NULL);
}
