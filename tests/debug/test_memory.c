/* Memory of the process as its threads see it, local memory, and code. */
#include "debug.h"

#include <stdlib.h>
#include <string.h>

static const zet_debug_memory_space_desc_t *space(zet_debug_memory_space_type_t type,
                                                  uint64_t address)
{
    static zet_debug_memory_space_desc_t desc;
    desc = (zet_debug_memory_space_desc_t){
        .stype = ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, .type = type, .address = address};
    return &desc;
}

#define DEFAULT(address) space(ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address)
#define SLM(address)     space(ZET_DEBUG_MEMORY_SPACE_TYPE_SLM, address)

/* Runs the kernel that spins, and stops a thread of it. */
static ze_device_thread_t spin_stop(uint32_t groups, uint32_t size)
{
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    module_load(fixture("debugged.spv"));
    loads("launch 0 spin %u %u", groups, size);
    word_leaves(16, 0);
    return stop_one();
}

static void spin_end(void)
{
    assert_success(zetDebugResume(session, ALL_THREADS));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
}

/* DBG-12 All threads and a stopped one read and write the default space. */
static void memory_is_that_of_the_process(void **state)
{
    static uint8_t bytes[200000], back[200000];
    (void)state;
    const ze_device_thread_t thread = spin_stop(1, 16);
    ask("set 8000 %llu", 0x1122334455667788ull);
    assert_int_equal(memory_word(child.words + 8 * 8000), 0x1122334455667788);
    uint64_t value = 0;
    assert_success(zetDebugReadMemory(session, thread, DEFAULT(child.words + 8 * 8000), 8, &value));
    assert_int_equal(value, 0x1122334455667788);
    value = 42;
    assert_success(
        zetDebugWriteMemory(session, thread, DEFAULT(child.words + 8 * 8000 + 4), 4, &value));
    assert_int_equal(word(8000), 0x0000002a55667788);
    /* the whole array is 64 KiB, so its middle has not as much */
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * 7 >> 3);
    }
    assert_success(
        zetDebugWriteMemory(session, ALL_THREADS, DEFAULT(child.words + 8 * 5000), 16000, bytes));
    assert_success(
        zetDebugReadMemory(session, ALL_THREADS, DEFAULT(child.words + 8 * 5000), 16000, back));
    assert_memory_equal(bytes, back, 16000);
    assert_success(zetDebugReadMemory(session, ALL_THREADS, DEFAULT(child.words), 65536, back));
    assert_int_equal(back[8 * 5000 + 100], bytes[100]);
    spin_end();
}

/* DBG-12 A bad address is an error, and the process lives on. Nothing is written in part. */
static void bad_addresses_are_errors(void **state)
{
    /* the first 64 KiB are never mapped, also not by sanitizers */
    static const uint64_t bad[] = {0, 8, 0x8ffc, 0x8000000000000000, UINT64_MAX - 4};
    static uint8_t zeros[8192];
    uint64_t value = 0x77;
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_result(zetDebugReadMemory(session, ALL_THREADS, DEFAULT(bad[i]), 8, &value),
                      ERROR_NOT_AVAILABLE);
        assert_result(zetDebugWriteMemory(session, ALL_THREADS, DEFAULT(bad[i]), 8, &value),
                      ERROR_NOT_AVAILABLE);
    }
    assert_int_equal(value, 0x77);
    const uint64_t page = strtoull(ask("guard"), NULL, 10);
    memory_set_word(page + 4088, 5);
    assert_result(zetDebugWriteMemory(session, ALL_THREADS, DEFAULT(page), 8192, zeros),
                  ERROR_NOT_AVAILABLE);
    assert_int_equal(memory_word(page + 4088), 5);
    assert_string_equal(ask("ping"), "ok");
}

/* DBG-12 Local memory is that of the stopped thread's work-group. */
static void local_memory_is_that_of_the_group(void **state)
{
    uint32_t marks[64];
    (void)state;
    const ze_device_thread_t thread = spin_stop(1, 64);
    const uint64_t bytes =
        register_get(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_LOCAL_MEMORY_BYTES);
    const uint64_t address = register_get(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_LOCAL_MEMORY);
    assert_true(bytes >= sizeof(marks));
    assert_success(zetDebugReadMemory(session, thread, SLM(0), sizeof(marks), marks));
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(marks[i], 1000 + i);
    }
    assert_int_equal(memory_word(address) & UINT32_MAX, 1000);
    marks[3] = 777;
    assert_success(zetDebugWriteMemory(session, thread, SLM(12), 4, &marks[3]));
    assert_result(zetDebugReadMemory(session, thread, SLM(bytes - 4), 8, marks),
                  ERROR_NOT_AVAILABLE);
    assert_result(zetDebugReadMemory(session, thread, SLM(UINT64_MAX), 1, marks),
                  ERROR_NOT_AVAILABLE);
    assert_result(zetDebugReadMemory(session, ALL_THREADS, SLM(0), 4, marks),
                  ERROR_INVALID_ARGUMENT);
    spin_end();
    assert_int_equal(word(4096 + 3), 777);
    assert_int_equal(word(4096 + 4), 1004);
}

/* DBG-12 A thread that is not stopped has no memory, and neither has a group of threads. */
static void threads_that_run_have_no_memory(void **state)
{
    const ze_device_thread_t idle = {0, 0, 2, 0}, group = {0, 0, UINT32_MAX, 0},
                             none = {0, 0, 4, 0};
    uint64_t value = 0;
    (void)state;
    assert_result(zetDebugReadMemory(session, idle, DEFAULT(child.words), 8, &value),
                  ERROR_NOT_AVAILABLE);
    assert_result(zetDebugWriteMemory(session, idle, DEFAULT(child.words), 8, &value),
                  ERROR_NOT_AVAILABLE);
    assert_result(zetDebugReadMemory(session, group, DEFAULT(child.words), 8, &value),
                  ERROR_INVALID_ARGUMENT);
    assert_result(zetDebugReadMemory(session, none, DEFAULT(child.words), 8, &value),
                  ERROR_INVALID_ARGUMENT);
}

/* DBG-12 Spaces that do not exist, or not on this device. */
static void other_spaces_are_refused(void **state)
{
    uint64_t value = 0;
    (void)state;
    const zet_debug_event_t module = module_load(fixture("native_debugged.o"));
    assert_result(zetDebugReadMemory(session, ALL_THREADS,
                                     space((zet_debug_memory_space_type_t)4, child.words), 8,
                                     &value),
                  ERROR_INVALID_ENUMERATION);
    assert_result(zetDebugReadMemory(session, ALL_THREADS,
                                     space(ZET_DEBUG_MEMORY_SPACE_TYPE_BARRIER, 0), 8, &value),
                  ERROR_UNSUPPORTED_ENUMERATION);
    const uint64_t begin = module.info.module.moduleBegin, end = module.info.module.moduleEnd;
    assert_result(zetDebugReadMemory(session, ALL_THREADS,
                                     space(ZET_DEBUG_MEMORY_SPACE_TYPE_ELF, end - 4), 8, &value),
                  ERROR_NOT_AVAILABLE);
    assert_result(zetDebugWriteMemory(session, ALL_THREADS,
                                      space(ZET_DEBUG_MEMORY_SPACE_TYPE_ELF, begin), 8, &value),
                  ERROR_NOT_AVAILABLE);
    assert_success(zetDebugReadMemory(session, ALL_THREADS,
                                      space(ZET_DEBUG_MEMORY_SPACE_TYPE_ELF, begin), 8, &value));
    assert_memory_equal(&value, "\177ELF", 4);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, session_setup, child_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(memory_is_that_of_the_process),     TEST(bad_addresses_are_errors),
        TEST(local_memory_is_that_of_the_group), TEST(threads_that_run_have_no_memory),
        TEST(other_spaces_are_refused),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
