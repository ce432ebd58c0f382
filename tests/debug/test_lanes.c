/* Threads and work-items of kernels from SPIR-V, at the number of lanes that GEOID_LANES says. */
#include "debug.h"

#include <stdlib.h>
#include <unistd.h>

static void prepare(void)
{
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    module_load(fixture("debugged.spv"));
}

/* DBG-5 DBG-6 DBG-10 DBG-11 All threads of the device run, are stopped, and continue. */
static void all_threads_are_stopped(void **state)
{
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    bool stopped[64] = {false};
    (void)state;
    assert_success(zeDeviceGetProperties(device, &properties));
    const uint32_t threads = properties.numSlices * properties.numSubslicesPerSlice *
                             properties.numEUsPerSubslice * properties.numThreadsPerEU;
    assert_int_equal(threads, 4);
    prepare();
    loads("launch 0 spin %u 16", threads);
    for (uint32_t i = 0; i < threads; i++) {
        word_leaves(16 + 16 * i, 0); /* every work-group has a thread */
    }
    assert_success(zetDebugInterrupt(session, ALL_THREADS));
    for (uint32_t i = 0; i < threads; i++) {
        const ze_device_thread_t thread =
            event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED).info.thread.thread;
        assert_true(thread.slice < properties.numSlices && thread.thread == 0);
        assert_true(thread.subslice < properties.numSubslicesPerSlice);
        assert_true(thread.eu < properties.numEUsPerSubslice);
        const uint32_t number = thread.slice * properties.numEUsPerSubslice + thread.eu;
        assert_false(stopped[number]);
        stopped[number] = true;
    }
    assert_int_equal(event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED).info.thread.thread.eu,
                     UINT32_MAX);
    event_none();
    uint64_t counts[4];
    for (uint32_t i = 0; i < threads; i++) {
        counts[i] = word(16 + 16 * i);
    }
    usleep(20000);
    for (uint32_t i = 0; i < threads; i++) {
        assert_int_equal(word(16 + 16 * i), counts[i]);
    }
    assert_success(zetDebugResume(session, ALL_THREADS));
    for (uint32_t i = 0; i < threads; i++) {
        word_leaves(16 + 16 * i, counts[i]);
    }
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
}

/* The launch tells lanes and groups. */
static void the_launch_tells_its_lanes(void **state)
{
    uint64_t launch[GEOID_LAUNCH_REGISTER_COUNT];
    const char *lanes = getenv("GEOID_LANES");
    (void)state;
    prepare();
    loads("launch 0 spin 1 16");
    word_leaves(16, 0);
    const ze_device_thread_t thread = stop_one();
    assert_success(zetDebugReadRegisters(session, thread, GEOID_REGSET_LAUNCH, 0,
                                         GEOID_LAUNCH_REGISTER_COUNT, launch));
    assert_int_equal(launch[GEOID_LAUNCH_LANES], strtoul(lanes, NULL, 10));
    assert_int_equal(launch[GEOID_LAUNCH_GROUPS_X], 1);
    assert_int_equal(launch[GEOID_LAUNCH_LOCAL_SIZE_X], 16);
    assert_int_equal(launch[GEOID_LAUNCH_GLOBAL_SIZE_X], 16);
    assert_success(zetDebugResume(session, ALL_THREADS));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
}

/* Many stops and steps change nothing of what a kernel computes. */
static void stops_and_steps_change_no_results(void **state)
{
    (void)state;
    prepare();
    loads("launch 0 spin 2 16");
    word_leaves(16, 0);
    for (int i = 0; i < 50; i++) {
        const ze_device_thread_t thread = stop_one();
        const uint64_t flags = register_get(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS);
        register_set(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS,
                     flags | GEOID_STATUS_FLAGS_STEP);
        assert_success(zetDebugResume(session, thread));
        event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
        assert_success(zetDebugResume(session, ALL_THREADS));
    }
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(word(4096 + i), 1000 + i % 16);
    }
}

/* With the debugger attached and idle, kernels run as they are. */
static void an_idle_debugger_changes_nothing(void **state)
{
    (void)state;
    prepare();
    loads("launch 0 add 100 16");
    assert_string_equal(ask("wait 0"), "0x0");
    for (uint32_t i = 0; i < 1600; i++) {
        assert_int_equal(memory_word(child.words + 8 * (16 + i)), 1);
    }
    event_none();
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, session_setup, child_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_threads_are_stopped), TEST(the_launch_tells_its_lanes),
        TEST(stops_and_steps_change_no_results), TEST(an_idle_debugger_changes_nothing)};
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
