/* A device with two sub-devices (GEOID_DEVICES=1x2). */
#include "debug.h"

#include <string.h>

static ze_device_handle_t tile_get(uint32_t number)
{
    ze_device_handle_t subs[2];
    uint32_t count = 2;
    assert_success(zeDeviceGetSubDevices(device, &count, subs));
    assert_int_equal(count, 2);
    return subs[number];
}

/* DBG-2 DBG-4 Sub-devices share their code, so a debugger cannot attach to one of them. */
static void sub_devices_are_refused(void **state)
{
    zet_device_debug_properties_t properties = {.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES,
                                                .flags = 0x7fffff00u};
    const zet_debug_config_t config = {.pid = (uint32_t)child.pid};
    zet_debug_session_handle_t none = NULL;
    (void)state;
    assert_success(zetDeviceGetDebugProperties(tile_get(1), &properties));
    assert_int_equal(properties.flags, 0);
    assert_result(zetDebugAttach(tile_get(1), &config, &none), ERROR_NOT_AVAILABLE);
    assert_null(none);
    assert_success(zetDeviceGetDebugProperties(device, &properties));
    assert_int_equal(properties.flags, ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH);
}

/* DBG-4 A session with the device covers its sub-devices: queues, modules and threads. */
static void a_session_covers_the_sub_devices(void **state)
{
    (void)state;
    ask("device 1");
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    module_load(fixture("native_debugged.o"));
    ask("launch 0 registers 1 1");
    word_leaves(1, 0);
    const ze_device_thread_t thread = stop_one();
    assert_true(thread.slice < 2 && thread.eu < 2);
    assert_int_equal(register_get(thread, GEOID_REGSET_GENERAL, 15), child.words);
    assert_success(zetDebugResume(session, thread));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
    ask("unqueue 0"); /* the queue keeps the last kernel */
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    ask("unmodule");
    event_await(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, session_setup, child_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(sub_devices_are_refused),
                                       TEST(a_session_covers_the_sub_devices)};
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
