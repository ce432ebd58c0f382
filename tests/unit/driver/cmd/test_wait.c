/* Unit test of recorded waits: another thread destroys the list that signals the event while the
 * wait is appended. The test does the other thread's work in the middle of the append. */
#include "unit.h"

#include "ddi/geo_api.h"
#include "driver/cmd/list.h"

#define SUCCEEDS(call) assert_int_equal((call), ZE_RESULT_SUCCESS)

static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_event_handle_t event;
static ze_command_list_handle_t first, second;

static bool armed;
static uint32_t references; /* of the counter, after its list was destroyed */

ze_result_t __real_geo_bases_index(struct geo_bases *bases, struct geo_counter *counter,
                                   uint32_t *index);
ze_result_t __wrap_geo_bases_index(struct geo_bases *bases, struct geo_counter *counter,
                                   uint32_t *index);

ze_result_t __wrap_geo_bases_index(struct geo_bases *bases, struct geo_counter *counter,
                                   uint32_t *index)
{
    if (armed) {
        armed = false;
        SUCCEEDS(geo_zeCommandListAppendBarrier(second, event, 0, NULL));
        SUCCEEDS(geo_zeCommandListDestroy(first));
        references = atomic_load(&counter->references);
        assert_int_not_equal(references, 0);
    }
    return __real_geo_bases_index(bases, counter, index);
}

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

static ze_command_list_handle_t list_create(void)
{
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER};
    ze_command_list_handle_t list;
    SUCCEEDS(geo_zeCommandListCreate(context, device, &desc, &list));
    return list;
}

static const struct geo_counter *counter_of(ze_command_list_handle_t list)
{
    return ((const struct geo_command_list *)(const void *)list)->counters[false].counter;
}

/* The list that waits has a reference of its own. */
static void a_wait_holds_the_counter_of_a_list_that_is_destroyed(void **state)
{
    (void)state;
    const ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                                .flags = ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE};
    first = list_create();
    second = list_create();
    ze_command_list_handle_t waiter = list_create(), other = list_create();
    SUCCEEDS(geo_zeEventCounterBasedCreate(context, device, &desc, &event));
    SUCCEEDS(geo_zeCommandListAppendBarrier(first, event, 0, NULL));
    const struct geo_counter *counter = counter_of(first);
    armed = true;
    SUCCEEDS(geo_zeCommandListAppendBarrier(waiter, NULL, 1, &event));
    assert_false(armed);
    assert_int_equal(atomic_load(&counter->references), 1); /* of the list that waits */
    /* The counter is not free, so no other list gets it. */
    ze_event_handle_t another;
    SUCCEEDS(geo_zeEventCounterBasedCreate(context, device, &desc, &another));
    SUCCEEDS(geo_zeCommandListAppendBarrier(other, another, 0, NULL));
    assert_ptr_not_equal(counter_of(other), counter);
    SUCCEEDS(geo_zeCommandListDestroy(waiter));
    assert_int_equal(atomic_load(&counter->references), 0);
    SUCCEEDS(geo_zeCommandListDestroy(other));
    SUCCEEDS(geo_zeCommandListDestroy(second));
    SUCCEEDS(geo_zeEventDestroy(event));
    SUCCEEDS(geo_zeEventDestroy(another));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_holds_the_counter_of_a_list_that_is_destroyed),
    };
    return cmocka_run_group_tests(tests, open_driver, NULL);
}
