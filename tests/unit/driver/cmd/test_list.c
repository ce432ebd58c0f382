/* Unit test of the driver: what command lists keep for their commands, and for how long. */
#include "unit.h"

#include "driver/cmd/append.h"
#include "driver/core/inventory.h"

enum { POOLS = GEO_KEEP_LIMIT + 16 };

static int setup(void **state)
{
    (void)state;
    return geo_inventory_open() != ZE_RESULT_SUCCESS;
}

static void signal_append(struct geo_command_list *list, struct geo_event *event)
{
    struct geo_append_events events = {.signal = geo_event_handle(event)};
    struct geo_append append;
    assert_int_equal(
        geo_append_begin(list, GEO_COMMAND_NOP, sizeof(struct geo_command), &events, &append),
        ZE_RESULT_SUCCESS);
    assert_int_equal(geo_append_commit(&append), ZE_RESULT_SUCCESS);
}

/* Several threads may wait for a list at once, and none of them holds a lock: what the list keeps
 * is let go of by the thread that appends. The first command is held until the list has all of
 * them. GEN-13, GEN-17, CMQ-13 */
static void who_waits_for_a_list_changes_nothing_of_it(void **state)
{
    struct geo_driver *driver = geo_inventory_driver(0);
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    struct geo_context *context;
    struct geo_command_list *list;
    struct geo_event_pool *pools[POOLS];
    struct geo_event *events[POOLS];
    (void)state;
    assert_int_equal(geo_context_create(driver, 0, NULL, &context), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_list_create_immediate(context, &driver->devices[0], &queue, &list),
                     ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < POOLS; i++) {
        assert_int_equal(geo_event_pool_create(context, &pool_desc, &pools[i]), ZE_RESULT_SUCCESS);
        assert_int_equal(geo_event_create(pools[i], &event_desc, &events[i]), ZE_RESULT_SUCCESS);
    }
    ze_event_handle_t gate = geo_event_handle(events[0]);
    struct geo_append_events held = {.wait_count = 1, .waits = &gate};
    struct geo_append append;
    assert_int_equal(
        geo_append_begin(list, GEO_COMMAND_NOP, sizeof(struct geo_command), &held, &append),
        ZE_RESULT_SUCCESS);
    assert_int_equal(geo_append_commit(&append), ZE_RESULT_SUCCESS);
    for (uint32_t i = 1; i < POOLS; i++) {
        signal_append(list, events[i]);
    }
    assert_int_equal(geo_event_host_signal(events[0]), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_list_synchronize(list, UINT64_MAX), ZE_RESULT_SUCCESS);
    assert_int_equal(list->keep.count, POOLS);
    signal_append(list, events[1]);
    assert_int_equal(list->keep.count, 1);
    assert_int_equal(geo_list_synchronize(list, UINT64_MAX), ZE_RESULT_SUCCESS);
    geo_object_close(&list->base);
    for (uint32_t i = 0; i < POOLS; i++) {
        geo_object_close(&events[i]->base);
        geo_object_close(&pools[i]->base);
    }
    geo_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_for_a_list_changes_nothing_of_it),
    };
    return cmocka_run_group_tests_name("list", tests, setup, NULL);
}
