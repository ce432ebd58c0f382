/* More threads run kernels than the device has (GEOID_THREADS=1): a thread of the program runs
 * them, too, while it waits for them. */
#include "debug.h"

#include <unistd.h>

static void await_running(uint64_t count)
{
    for (uint64_t i = 0; memory_word(child.words + 8) != count; i++) {
        assert_true(i < patience_s() * UINT64_C(1000));
        usleep(1000);
    }
}

static ze_device_thread_t stopped(void)
{
    return event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED).info.thread.thread;
}

/* One thread has the number. The other one gets it when the first continues. */
static void threads_without_a_number_take_turns(void **state)
{
    static const ze_device_thread_t only = {0, 0, 0, 0};
    (void)state;
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    ask("queue 1");
    module_load(fixture("native_debugged.o"));
    ask("launch 0 registers 1 1");
    await_running(1);
    ask("launch 1 registers 1 1");
    say("help 1");
    await_running(2);
    assert_success(zetDebugInterrupt(session, ALL_THREADS));
    assert_int_equal(stopped().eu, 0);
    assert_int_equal(stopped().eu, UINT32_MAX);
    event_none();
    const uint64_t first = register_get(only, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_SYSTEM_THREAD);
    assert_success(zetDebugResume(session, only));
    assert_int_equal(stopped().eu, 0);
    const uint64_t second = register_get(only, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_SYSTEM_THREAD);
    assert_int_not_equal(first, second);
    assert_success(zetDebugResume(session, ALL_THREADS));
    /* both are stopped and resumed together */
    assert_success(zetDebugInterrupt(session, ALL_THREADS));
    assert_int_equal(stopped().eu, 0);
    assert_int_equal(stopped().eu, UINT32_MAX);
    assert_success(zetDebugResume(session, ALL_THREADS));
    memory_set_word(child.words, 1);
    assert_string_equal(hear(), "0x0");
    assert_string_equal(ask("wait 0"), "0x0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        threads_without_a_number_take_turns, session_setup, child_teardown)};
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
