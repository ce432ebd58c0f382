/* Hints, as the records that they become: no backend of today has a use for them, so nothing else
 * would show one that is lost. */
#include "unit.h"

#include "ddi/geo_api.h"
#include "driver/cmd/list.h"

#define SUCCEEDS(call) assert_int_equal((call), ZE_RESULT_SUCCESS)

static ze_device_handle_t device;
static ze_context_handle_t context;

static int open_driver(void **state)
{
    (void)state;
    uint32_t one = 1;
    ze_driver_handle_t driver;
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    return geo_zeInitDrivers(&one, &driver, &types) || geo_zeDeviceGet(driver, &one, &device) ||
           geo_zeContextCreate(driver, &desc, &context);
}

static const struct geo_command_range *range_of(const struct geo_command *command,
                                                enum geo_command_operation operation,
                                                const void *start, uint64_t bytes)
{
    const struct geo_command_range *range = (const struct geo_command_range *)command;
    assert_int_equal(command->operation, operation);
    assert_ptr_equal(range->start, start);
    assert_int_equal(range->bytes, bytes);
    return range;
}

/* MEM-14 */
static void hints_become_records_of_their_range(void **state)
{
    (void)state;
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t handle;
    char memory[256];
    SUCCEEDS(geo_zeCommandListCreate(context, device, &desc, &handle));
    SUCCEEDS(geo_zeCommandListAppendMemoryPrefetch(handle, memory + 16, 100));
    SUCCEEDS(geo_zeCommandListAppendMemAdvise(handle, device, memory, 200,
                                              ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
    const struct geo_command_list *list = (const struct geo_command_list *)(const void *)handle;
    const struct geo_command *first = (const struct geo_command *)(const void *)list->records;
    const struct geo_command *second = geo_command_next(first);
    range_of(first, GEO_COMMAND_PREFETCH, memory + 16, 100);
    assert_int_equal(range_of(second, GEO_COMMAND_ADVISE, memory, 200)->advice,
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
