/* Events and run control: modules, interrupts, breakpoints, steps and faults. */
#include "debug.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The first thread of the device, and one that the device lacks. */
static const ze_device_thread_t no_thread = {0, 0, 4096, 0};

static zet_debug_event_t prepare(const char *module)
{
    assert_string_equal(ask("queue 0"), "ok");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    return module_load(fixture(module));
}

/* Runs the kernel that waits for words[0], and waits until it does. */
static void registers_run(uint32_t queue)
{
    const uint64_t before = word(1);
    assert_string_equal(ask("launch %u registers 1 1", queue), "ok");
    word_leaves(1, before);
}

static bool same(ze_device_thread_t a, ze_device_thread_t b)
{
    return a.slice == b.slice && a.subslice == b.subslice && a.eu == b.eu && a.thread == b.thread;
}

/* DBG-10 DBG-11 A kernel that waits is stopped and continues. Meanwhile the program runs, and its
 * other queues do. */
static void a_stopped_kernel_stops_nothing_else(void **state)
{
    (void)state;
    prepare("native_debugged.o");
    ask("queue 1");
    registers_run(0);
    const ze_device_thread_t thread = stop_one();
    assert_int_equal(register_get(thread, GEOID_REGSET_GENERAL, 15), child.words);
    assert_int_equal(register_get(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_STOP_REASON),
                     GEOID_STOP_INTERRUPT);
    ask("launch 1 steps 1 1");
    assert_string_equal(ask("wait 1"), "0x0");
    assert_int_equal(word(2), 1);
    assert_success(zetDebugResume(session, thread));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
    event_none();
}

/* DBG-11 A stopped thread cannot be stopped again, a running or idle one cannot be resumed. */
static void stopped_threads_are_not_stopped_again_nor_running_ones_resumed(void **state)
{
    (void)state;
    prepare("native_debugged.o");
    assert_result(zetDebugResume(session, ALL_THREADS), ERROR_NOT_AVAILABLE);
    registers_run(0);
    const ze_device_thread_t thread = stop_one();
    assert_result(zetDebugInterrupt(session, thread), ERROR_NOT_AVAILABLE);
    event_none();
    assert_success(zetDebugResume(session, thread));
    assert_result(zetDebugResume(session, thread), ERROR_NOT_AVAILABLE);
    assert_result(zetDebugInterrupt(session, no_thread), ERROR_INVALID_ARGUMENT);
    assert_result(zetDebugResume(session, no_thread), ERROR_INVALID_ARGUMENT);
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
}

/* DBG-6 DBG-10 An interrupt of idle threads ends with THREAD_UNAVAILABLE: of one, a group and all. */
static void idle_threads_are_unavailable(void **state)
{
    const ze_device_thread_t one = {0, 0, 1, 0}, group = {0, 0, UINT32_MAX, 0};
    const ze_device_thread_t asked[] = {one, group, ALL_THREADS};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_success(zetDebugInterrupt(session, asked[i]));
        const zet_debug_event_t event = event_await(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
        assert_true(same(event.info.thread.thread, asked[i]));
    }
}

/* DBG-10 A group with a thread that runs: its stop, then the final event. */
static void an_interrupt_of_a_group_has_a_final_event(void **state)
{
    const ze_device_thread_t group = {0, UINT32_MAX, UINT32_MAX, 0};
    (void)state;
    prepare("native_debugged.o");
    registers_run(0);
    assert_success(zetDebugInterrupt(session, group));
    const zet_debug_event_t stopped = event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    const zet_debug_event_t last = event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    assert_true(stopped.info.thread.thread.eu < 4);
    assert_true(same(last.info.thread.thread, group));
    event_none();
    /* the others of the group are idle, and one stays stopped */
    assert_success(zetDebugInterrupt(session, group));
    assert_true(same(event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED).info.thread.thread, group));
    assert_success(zetDebugResume(session, group));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
}

/* DBG-10 A single thread is interrupted by its own number: one event. */
static void an_interrupt_of_one_thread_has_one_event(void **state)
{
    (void)state;
    prepare("native_debugged.o");
    registers_run(0);
    const ze_device_thread_t thread = stop_one();
    assert_success(zetDebugResume(session, thread));
    assert_success(zetDebugInterrupt(session, thread));
    assert_true(same(event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED).info.thread.thread, thread));
    event_none();
    assert_success(zetDebugResume(session, ALL_THREADS));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
}

/* A breakpoint at the first instruction of the kernel `steps`. */
static uint64_t breakpoint_set(const zet_debug_event_t *module, uint64_t *original)
{
    /* the kernel's address: a thread that runs it tells */
    (void)module;
    ask("launch 0 registers 1 1");
    word_leaves(1, 0);
    const ze_device_thread_t thread = stop_one();
    const uint64_t entry = register_get(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_KERNEL_ENTRY);
    assert_success(zetDebugResume(session, thread));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
    *original = memory_word(entry);
    memory_set_word(entry, (*original & ~UINT64_C(0xff)) | 0xcc);
    return entry;
}

static ze_device_thread_t stop_await(uint64_t reason)
{
    const ze_device_thread_t thread =
        event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED).info.thread.thread;
    assert_int_equal(register_get(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_STOP_REASON), reason);
    return thread;
}

static void step(ze_device_thread_t thread)
{
    const uint64_t flags = register_get(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS);
    assert_int_equal(flags & GEOID_STATUS_FLAGS_STEP, 0);
    register_set(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS, flags | GEOID_STATUS_FLAGS_STEP);
    assert_success(zetDebugResume(session, thread));
}

/* A thread stops at a breakpoint, steps over it, and through the kernel one instruction at a time.
 * After the last one it is unavailable. */
static void a_thread_steps_over_its_breakpoint(void **state)
{
    uint64_t original;
    (void)state;
    prepare("native_debugged.o");
    const uint64_t entry = breakpoint_set(NULL, &original);
    ask("set 0 0");
    ask("launch 0 registers 1 1");
    ze_device_thread_t thread = stop_await(GEOID_STOP_BREAKPOINT);
    assert_int_equal(register_get(thread, GEOID_REGSET_GENERAL, GEOID_REGISTER_PC), entry);
    memory_set_word(entry, original);
    uint64_t pc = entry;
    for (int i = 0; i < 8; i++) {
        step(thread);
        thread = stop_await(GEOID_STOP_STEP);
        const uint64_t next = register_get(thread, GEOID_REGSET_GENERAL, GEOID_REGISTER_PC);
        assert_true(next > pc && next <= pc + 15);
        pc = next;
    }
    memory_set_word(entry, (original & ~UINT64_C(0xff)) | 0xcc);
    assert_success(zetDebugResume(session, thread));
    word_leaves(1, 1);
    memory_set_word(entry, original);
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
    event_none();
}

/* A step over the end of a kernel. */
static void a_step_out_of_the_kernel_ends_the_stop(void **state)
{
    uint64_t original;
    (void)state;
    prepare("native_debugged.o");
    const uint64_t entry = breakpoint_set(NULL, &original);
    ask("launch 0 registers 1 1");
    ze_device_thread_t thread = stop_await(GEOID_STOP_BREAKPOINT);
    memory_set_word(entry, original);
    const uint64_t sp = register_get(thread, GEOID_REGSET_GENERAL, GEOID_REGISTER_SP);
    /* return at once, to the caller of the kernel */
    uint64_t caller = memory_word(sp);
    register_set(thread, GEOID_REGSET_GENERAL, GEOID_REGISTER_SP, sp + 8);
    register_set(thread, GEOID_REGSET_GENERAL, GEOID_REGISTER_PC, caller);
    step(thread);
    assert_true(
        same(event_await(ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE).info.thread.thread, thread));
    assert_string_equal(ask("wait 0"), "0x0");
    assert_int_equal(word(1), 1); /* the second launch did nothing */
}

/* DBG-9 A page fault is reported and stops the thread. With another address the kernel goes on. */
static void a_page_fault_can_be_mended(void **state)
{
    (void)state;
    prepare("native_debugged.o");
    ask("set 4 %u", 0x12345678u);
    ask("launch 0 wild 1 1");
    const zet_debug_event_t fault = event_await(ZET_DEBUG_EVENT_TYPE_PAGE_FAULT);
    const ze_device_thread_t thread = stop_await(GEOID_STOP_FAULT);
    assert_int_equal(fault.info.page_fault.address, 0x12345000);
    assert_int_equal(fault.info.page_fault.mask, ~UINT64_C(0xfff));
    assert_int_equal(fault.info.page_fault.reason, ZET_DEBUG_PAGE_FAULT_REASON_MAPPING_ERROR);
    assert_int_equal(register_get(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_STOP_ADDRESS),
                     0x12345678);
    assert_int_equal(register_get(thread, GEOID_REGSET_GENERAL, 2), 0x12345678); /* rcx */
    register_set(thread, GEOID_REGSET_GENERAL, 2, child.words + 8 * 100);
    assert_success(zetDebugResume(session, thread));
    assert_string_equal(ask("wait 0"), "0x0");
    assert_int_equal(word(100), 7);
    assert_int_equal(word(1), 1);
}

/* Without a change the program gets the fault. */
static void a_page_fault_goes_to_the_program(void **state)
{
    (void)state;
    prepare("native_debugged.o");
    ask("set 4 %llu", (unsigned long long)memory_word(child.words) + 8);
    ask("launch 0 wild 1 1");
    event_await(ZET_DEBUG_EVENT_TYPE_PAGE_FAULT);
    assert_success(zetDebugResume(session, stop_await(GEOID_STOP_FAULT)));
    char lost[16];
    snprintf(lost, sizeof(lost), "0x%x", (unsigned)ZE_RESULT_ERROR_DEVICE_LOST);
    assert_string_equal(ask("wait 0"), lost);
}

/* Another fault has no page. */
static void a_division_by_zero_stops_the_thread(void **state)
{
    (void)state;
    prepare("native_debugged.o");
    ask("launch 0 divide 1 1");
    const ze_device_thread_t thread = stop_await(GEOID_STOP_FAULT);
    assert_int_equal(register_get(thread, GEOID_REGSET_GENERAL, 2), 0);
    register_set(thread, GEOID_REGSET_GENERAL, 2, 7);
    assert_success(zetDebugResume(session, thread));
    assert_string_equal(ask("wait 0"), "0x0");
    assert_int_equal(word(1), 14);
}

/* A thread that is in the C library for most of the time stops in code of the kernel. Nothing that
 * the program does meanwhile waits for a lock of it. Each stop takes hundreds of attempts. So ten
 * are enough to hit a thread that may stop anywhere. */
static void threads_stop_in_code_of_kernels_only(void **state)
{
    (void)state;
    zet_debug_event_t module = prepare("debugged.spv");
    const zet_debug_event_t kernel = loads("launch 0 print 1 1");
    module = kernel.type == ZET_DEBUG_EVENT_TYPE_MODULE_LOAD ? kernel : module;
    const uint64_t bytes = module.info.module.moduleEnd - module.info.module.moduleBegin;
    word_leaves(1, 0);
    for (int i = 0; i < 10; i++) {
        const ze_device_thread_t thread = stop_one();
        const uint64_t at = register_get(thread, GEOID_REGSET_GENERAL, GEOID_REGISTER_PC);
        assert_true(at - module.info.module.load < bytes);
        assert_string_equal(ask("ping"), "ok");
        assert_success(zetDebugResume(session, thread));
    }
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, session_setup, child_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stopped_kernel_stops_nothing_else),
        TEST(stopped_threads_are_not_stopped_again_nor_running_ones_resumed),
        TEST(idle_threads_are_unavailable),
        TEST(an_interrupt_of_a_group_has_a_final_event),
        TEST(an_interrupt_of_one_thread_has_one_event),
        TEST(a_thread_steps_over_its_breakpoint),
        TEST(a_step_out_of_the_kernel_ends_the_stop),
        TEST(a_page_fault_can_be_mended),
        TEST(a_page_fault_goes_to_the_program),
        TEST(a_division_by_zero_stops_the_thread),
        TEST(threads_stop_in_code_of_kernels_only),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
