/* Events: their order, their contents, acknowledgements, timeouts, and the end of the process. */
#include "debug.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* DBG-9 The first queue and the last one. */
static void the_first_and_the_last_queue_are_told(void **state)
{
    (void)state;
    event_none();
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    ask("queue 1");
    event_none();
    ask("unqueue 0");
    event_none();
    ask("unqueue 1");
    const zet_debug_event_t event = event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    assert_int_equal(event.flags, 0);
    ask("queue 2");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
}

/* DBG-8 Loading a module waits for the acknowledgement. */
static void loading_a_module_waits_for_the_debugger(void **state)
{
    (void)state;
    say("module %s", fixture("native_debugged.o"));
    zet_debug_event_t event = event_await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    assert_int_equal(event.flags, ZET_DEBUG_EVENT_FLAG_NEED_ACK);
    say("ping"); /* answered behind the module */
    usleep(20000);
    assert_false(answer_is_there());
    zet_debug_event_t other = event;
    other.info.module.load++;
    assert_result(zetDebugAcknowledgeEvent(session, &other), ERROR_INVALID_ARGUMENT);
    other = event;
    other.flags = 0;
    assert_result(zetDebugAcknowledgeEvent(session, &other), ERROR_INVALID_ARGUMENT);
    assert_false(answer_is_there());
    assert_success(zetDebugAcknowledgeEvent(session, &event));
    assert_string_equal(hear(), "ok");
    assert_string_equal(hear(), "ok");
    /* only once */
    assert_result(zetDebugAcknowledgeEvent(session, &event), ERROR_INVALID_ARGUMENT);
}

/* DBG-8 Further events arrive before an acknowledgement. */
static void events_arrive_before_an_acknowledgement(void **state)
{
    (void)state;
    say("module %s", fixture("native_debugged.o"));
    const zet_debug_event_t event = event_await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    assert_success(zetDebugInterrupt(session, ALL_THREADS));
    event_await(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    assert_success(zetDebugAcknowledgeEvent(session, &event));
    assert_string_equal(hear(), "ok");
}

/* Reads the module of an event in the space ELF. */
static uint8_t *module_read(const zet_debug_event_t *event)
{
    const size_t bytes = event->info.module.moduleEnd - event->info.module.moduleBegin;
    const zet_debug_memory_space_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC,
                                                .type = ZET_DEBUG_MEMORY_SPACE_TYPE_ELF,
                                                .address = event->info.module.moduleBegin};
    uint8_t *copy = malloc(bytes);
    assert_non_null(copy);
    assert_success(zetDebugReadMemory(session, ALL_THREADS, &desc, bytes, copy));
    return copy;
}

/* DBG-9 A module's event tells its format, its file and its code. Unloading tells the same. */
static void a_module_is_described(void **state)
{
    static uint8_t file[1 << 16];
    (void)state;
    const zet_debug_event_t event = module_load(fixture("native_debugged.o"));
    FILE *original = fopen(fixture("native_debugged.o"), "rb");
    const size_t bytes = fread(file, 1, sizeof(file), original);
    fclose(original);
    assert_int_equal(event.info.module.format, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF);
    assert_int_equal(event.info.module.moduleEnd - event.info.module.moduleBegin, bytes);
    assert_int_equal(event.info.module.load % 4096, 0);
    uint8_t *copy = module_read(&event);
    size_t different = 0;
    for (size_t i = 0; i < bytes; i++) {
        different += copy[i] != file[i];
    }
    /* the addresses of loaded sections, and nothing else */
    assert_true(different > 0 && different < 200);
    free(copy);
    ask("unmodule");
    const zet_debug_event_t unload = event_await(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    assert_int_equal(unload.flags, 0);
    assert_memory_equal(&unload.info.module, &event.info.module, sizeof(event.info.module));
}

/* DBG-7 What exists at the attach comes first, in order, without acknowledgement. */
static void what_exists_is_told_first(void **state)
{
    (void)state;
    child_setup(NULL);
    ask("queue 0");
    assert_string_equal(ask("module %s", fixture("native_debugged.o")), "ok");
    attach();
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    assert_int_equal(event_await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD).flags, 0);
    ask("unmodule");
    ask("unqueue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    event_none();
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* DBG-7 The timeout is in milliseconds; all bits wait for ever. */
static void waiting_for_events_ends_after_milliseconds(void **state)
{
    zet_debug_event_t event;
    (void)state;
    const uint64_t begin = now_ms();
    assert_result(zetDebugReadEvent(session, 50, &event), NOT_READY);
    assert_true(now_ms() - begin >= 50);
    say("queue 0");
    assert_success(zetDebugReadEvent(session, UINT64_MAX, &event));
    assert_int_equal(event.type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
}

/* Checks that the session is over. */
static void assert_over(void)
{
    zet_debug_event_t event;
    uint64_t value;
    const zet_debug_memory_space_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC,
                                                .address = child.words};
    assert_result(zetDebugReadEvent(session, 0, &event), ERROR_DEVICE_LOST);
    assert_result(zetDebugInterrupt(session, ALL_THREADS), ERROR_DEVICE_LOST);
    assert_result(zetDebugReadMemory(session, ALL_THREADS, &desc, 8, &value), ERROR_DEVICE_LOST);
}

/* DBG-9 The end of the process comes after all events before it. */
static void the_end_of_the_process_comes_last(void **state)
{
    static const char *const ends[] = {"exit", "abort", "exec"};
    for (size_t i = 0; i < 3; i++) {
        session_setup(state);
        ask("queue 0");
        say("%s", ends[i]);
        if (i < 2) {
            siginfo_t info;
            assert_int_equal(waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT), 0);
        }
        event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
        const zet_debug_event_t event = event_await(ZET_DEBUG_EVENT_TYPE_DETACHED);
        assert_int_equal(event.info.detached.reason, ZET_DEBUG_DETACH_REASON_HOST_EXIT);
        assert_over();
        child_teardown(state);
    }
}

/* A child of the process does not keep the session. */
static void a_child_of_the_process_keeps_no_session(void **state)
{
    (void)state;
    ask("queue 0");
    const pid_t grandchild = (pid_t)atoi(ask("fork"));
    assert_true(grandchild > 0);
    say("exit");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    event_await(ZET_DEBUG_EVENT_TYPE_DETACHED);
    kill(grandchild, SIGKILL);
}

/* A process that is killed while a thread is stopped. */
static void a_process_is_killed_while_it_is_stopped(void **state)
{
    (void)state;
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    module_load(fixture("native_debugged.o"));
    ask("launch 0 registers 1 1");
    word_leaves(1, 0);
    stop_one();
    kill(child.pid, SIGKILL);
    event_await(ZET_DEBUG_EVENT_TYPE_DETACHED);
    assert_over();
}

/* A process that does not run answers no request, but the debugger does not hang. */
static void a_process_that_does_not_run_does_not_answer(void **state)
{
    (void)state;
    kill(child.pid, SIGSTOP);
    assert_int_equal(waitpid(child.pid, NULL, WUNTRACED), child.pid);
    assert_result(zetDebugInterrupt(session, ALL_THREADS), ERROR_NOT_AVAILABLE);
    kill(child.pid, SIGCONT);
    /* the late reply belongs to the first request */
    assert_int_equal(memory_word(child.words), 0);
    event_await(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, session_setup, child_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_and_the_last_queue_are_told),
        TEST(loading_a_module_waits_for_the_debugger),
        TEST(events_arrive_before_an_acknowledgement),
        TEST(a_module_is_described),
        cmocka_unit_test_teardown(what_exists_is_told_first, child_teardown),
        TEST(waiting_for_events_ends_after_milliseconds),
        cmocka_unit_test_teardown(the_end_of_the_process_comes_last, child_teardown),
        TEST(a_child_of_the_process_keeps_no_session),
        TEST(a_process_is_killed_while_it_is_stopped),
        TEST(a_process_that_does_not_run_does_not_answer),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
