/* Tests the debugged process after its debugger detaches or dies, and after a fork. */
#include "debug.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The process that is debugged, and `child` as its debugger, or the other way round. */
static struct debugged debugger;

/* Starts a process that waits in a kernel, and another one that debugs it and has stopped it. */
static void pair_start(void)
{
    child_setup(NULL);
    assert_string_equal(ask("queue 0"), "ok");
    assert_string_equal(ask("module %s", fixture("native_debugged.o")), "ok");
    ask("launch 0 registers 1 1");
    word_leaves(1, 0);
    const pid_t debugged = child.pid;
    child_swap(&debugger);
    child_setup(NULL);
    assert_string_equal(ask("attach %d", (int)debugged), "0x0");
    assert_string_equal(ask("stop"), "ok");
    child_swap(&debugger);
}

static int pair_teardown(void **state)
{
    child_teardown(state);
    child_swap(&debugger);
    child_end();
    return 0;
}

/* A debugger dies: its stopped threads continue, and another one can attach. */
static void the_death_of_a_debugger_resumes_its_threads(void **state)
{
    (void)state;
    pair_start();
    ask("set 0 1");
    say("wait 0");
    usleep(20000);
    assert_false(answer_is_there());
    kill(debugger.pid, SIGKILL);
    assert_string_equal(hear(), "0x0");
    attach();
}

/* A debugger that does nothing any more holds nothing but its own stops. */
static void a_debugger_that_does_not_read_holds_nothing(void **state)
{
    (void)state;
    pair_start();
    child_swap(&debugger);
    ask("resume");
    ask("sleep");
    child_swap(&debugger);
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
    for (int i = 0; i < 1000; i++) { /* events that nobody reads */
        ask("queue 1");
        ask("unqueue 1");
        ask("unqueue 0");
        ask("queue 0");
    }
    assert_string_equal(ask("ping"), "ok");
    /* loading a module waits for the debugger's death */
    say("module %s", fixture("native_debugged.o"));
    usleep(20000);
    assert_false(answer_is_there());
    kill(debugger.pid, SIGKILL);
    assert_string_equal(hear(), "ok");
}

/* Puts a breakpoint at the kernel's entry; returns the entry. The original word is returned in
 * `original`. */
static uint64_t entry_break(uint64_t *original)
{
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    module_load(fixture("native_debugged.o"));
    ask("launch 0 registers 1 1");
    word_leaves(1, 0);
    const ze_device_thread_t thread = stop_one();
    const uint64_t entry = register_get(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_KERNEL_ENTRY);
    *original = memory_word(entry);
    memory_set_word(entry, (*original & ~UINT64_C(0xff)) | 0xcc);
    assert_success(zetDebugResume(session, thread));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
    return entry;
}

/* A debugger detaches: its changes of code stay, but a thread that meets a breakpoint continues. */
static void a_breakpoint_without_a_debugger_is_passed(void **state)
{
    uint64_t original;
    (void)state;
    session_setup(NULL);
    const uint64_t entry = entry_break(&original);
    assert_success(zetDebugDetach(session));
    session = NULL;
    attach();
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    event_await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    assert_int_equal(memory_word(entry) & 0xff, 0xcc);
    assert_success(zetDebugDetach(session));
    session = NULL;
    ask("launch 0 registers 1 1");
    assert_string_equal(ask("wait 0"), "0x0");
    assert_int_equal(word(1), 2);
}

/* A debugger detaches while a thread is stopped at its breakpoint. */
static void a_detached_thread_continues_from_its_breakpoint(void **state)
{
    uint64_t original;
    (void)state;
    session_setup(NULL);
    entry_break(&original);
    ask("launch 0 registers 1 1");
    event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    assert_success(zetDebugDetach(session));
    session = NULL;
    assert_string_equal(ask("wait 0"), "0x0");
    assert_int_equal(word(1), 2);
}

/* A debugger dies: its changes of code are undone. */
static void the_death_of_a_debugger_undoes_its_changes_of_code(void **state)
{
    (void)state;
    pair_start();
    child_swap(&debugger);
    const uint64_t entry = strtoull(ask("entry"), NULL, 10);
    const uint64_t original = strtoull(ask("peek %llu", (unsigned long long)entry), NULL, 10);
    assert_string_equal(ask("poke %llu %llu", (unsigned long long)entry,
                            (unsigned long long)((original & ~UINT64_C(0xff)) | 0xcc)),
                        "ok");
    assert_int_equal(strtoull(ask("peek %llu", (unsigned long long)entry), NULL, 10) & 0xff, 0xcc);
    kill(child.pid, SIGKILL);
    waitpid(child.pid, NULL, 0);
    child_swap(&debugger);
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
    attach();
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    event_await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    assert_int_equal(memory_word(entry), original);
}

/* The debugger stays with the parent of a fork. The child can have its own. */
static void the_debugger_stays_with_the_parent_of_a_fork(void **state)
{
    (void)state;
    session_setup(NULL);
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    module_load(fixture("native_debugged.o"));
    ask("launch 0 registers 1 1");
    word_leaves(1, 0);
    const ze_device_thread_t thread = stop_one();
    const pid_t other = (pid_t)atoi(ask("fork"));
    assert_true(other > 0);
    assert_int_equal(register_get(thread, GEOID_REGSET_GENERAL, 15), child.words);
    assert_success(zetDebugResume(session, thread));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
    event_none();
    const zet_debug_config_t config = {.pid = (uint32_t)other};
    const zet_debug_session_handle_t first = session;
    assert_success(zetDebugAttach(device, &config, &session));
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    event_await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    assert_int_equal(memory_word(child.words), 1); /* shared with the parent */
    kill(other, SIGKILL);
    event_await(ZET_DEBUG_EVENT_TYPE_DETACHED);
    assert_success(zetDebugDetach(session));
    session = first;
}

#define TEST(function) cmocka_unit_test_teardown(function, pair_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_death_of_a_debugger_resumes_its_threads),
        TEST(a_debugger_that_does_not_read_holds_nothing),
        TEST(a_breakpoint_without_a_debugger_is_passed),
        TEST(a_detached_thread_continues_from_its_breakpoint),
        TEST(the_death_of_a_debugger_undoes_its_changes_of_code),
        TEST(the_debugger_stays_with_the_parent_of_a_fork),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
