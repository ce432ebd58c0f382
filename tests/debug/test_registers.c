/* Register sets, and registers of a stopped thread: all have known values (native_debugged.c), and
 * the kernel stores what it finds in them after the debugger has changed them. */
#include "debug.h"

#include <stdlib.h>
#include <string.h>

#define SETS_MAX 8u

static uint32_t sets_get(zet_debug_regset_properties_t sets[SETS_MAX])
{
    uint32_t count = SETS_MAX;
    for (uint32_t i = 0; i < SETS_MAX; i++) {
        sets[i] = (zet_debug_regset_properties_t){
            .stype = ZET_STRUCTURE_TYPE_DEBUG_REGSET_PROPERTIES, .type = 0x5555};
    }
    assert_success(zetDebugGetRegisterSetProperties(device, &count, sets));
    return count;
}

/* Returns a set, or one without registers. */
static zet_debug_regset_properties_t set_find(uint32_t type)
{
    zet_debug_regset_properties_t sets[SETS_MAX];
    const uint32_t count = sets_get(sets);
    for (uint32_t i = 0; i < count; i++) {
        if (sets[i].type == type) {
            return sets[i];
        }
    }
    return (zet_debug_regset_properties_t){.count = 0};
}

/* DBG-13 The sets of the device: types, sizes, access. */
static void a_device_has_register_sets(void **state)
{
    zet_debug_regset_properties_t sets[SETS_MAX];
    const uint32_t both = ZET_DEBUG_REGSET_FLAG_READABLE | ZET_DEBUG_REGSET_FLAG_WRITEABLE;
    (void)state;
    const uint32_t count = sets_get(sets);
    assert_true(count >= 4);
    for (uint32_t i = 0; i < count; i++) {
        const bool launch = sets[i].type == GEOID_REGSET_LAUNCH;
        assert_int_equal(sets[i].stype, ZET_STRUCTURE_TYPE_DEBUG_REGSET_PROPERTIES);
        assert_null(sets[i].pNext);
        assert_int_equal(sets[i].version, GEOID_REGSET_VERSION);
        assert_int_equal(sets[i].generalFlags, launch ? ZET_DEBUG_REGSET_FLAG_READABLE : both);
        assert_int_equal(sets[i].deviceFlags, 0);
        assert_true(sets[i].count != 0);
        assert_int_equal(sets[i].bitSize, 8 * sets[i].byteSize);
    }
    assert_int_equal(set_find(GEOID_REGSET_GENERAL).count, 17);
    assert_int_equal(set_find(GEOID_REGSET_GENERAL).byteSize, 8);
    assert_int_equal(set_find(GEOID_REGSET_STATUS).count, 2);
    assert_int_equal(set_find(GEOID_REGSET_LAUNCH).count, GEOID_LAUNCH_REGISTER_COUNT);
    const uint32_t bytes = set_find(GEOID_REGSET_VECTOR).byteSize;
    __builtin_cpu_init();
    assert_int_equal(bytes, __builtin_cpu_supports("avx512f") ? 64
                            : __builtin_cpu_supports("avx")   ? 32
                                                              : 16);
    assert_int_equal(set_find(GEOID_REGSET_VECTOR).count, bytes == 64 ? 32 : 16);
    assert_int_equal(set_find(GEOID_REGSET_MASK).count, bytes == 64 ? 8 : 0);
}

/* GEN-21 DBG-13 The protocol of lists, for a device. */
static void sets_of_a_device_are_listed(void **state)
{
    zet_debug_regset_properties_t sets[SETS_MAX];
    uint32_t total = 0, count = 1;
    (void)state;
    assert_success(zetDebugGetRegisterSetProperties(device, &total, NULL));
    assert_int_equal(total, sets_get(sets));
    memset(sets, 0x55, sizeof(sets));
    sets[0].stype = ZET_STRUCTURE_TYPE_DEBUG_REGSET_PROPERTIES;
    sets[0].pNext = NULL;
    assert_success(zetDebugGetRegisterSetProperties(device, &count, sets));
    assert_int_equal(count, 1);
    assert_int_equal(sets[0].type, GEOID_REGSET_GENERAL);
    assert_int_equal(sets[1].type, 0x55555555);
}

/* Fills the words from which the kernel loads its registers, starts it and stops its thread. */
static ze_device_thread_t kernel_stop(void)
{
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    module_load(fixture("native_debugged.o"));
    ask("set 5 %u", set_find(GEOID_REGSET_VECTOR).byteSize);
    for (uint32_t i = 0; i < 16; i++) {
        memory_set_word(child.words + 8 * (16 + i), 0x1000100010001000ull * (i + 1));
    }
    for (uint32_t i = 0; i < 8; i++) {
        memory_set_word(child.words + 8 * (48 + i), 0x0101010101010101ull * (i + 1));
    }
    for (uint32_t i = 0; i < 256; i++) {
        memory_set_word(child.words + 8 * (64 + i), 0x2222000000000000ull + i * 0x100000001ull);
    }
    ask("launch 0 registers 1 1");
    word_leaves(1, 0);
    return stop_one();
}

static void kernel_end(void)
{
    assert_success(zetDebugResume(session, ALL_THREADS));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
}

static bool is_known(uint32_t number)
{
    return number < 15 && number != GEOID_REGISTER_SP;
}

/* General registers are read and written, one and all. */
static void general_registers_are_read_and_written(void **state)
{
    uint64_t values[17];
    (void)state;
    const ze_device_thread_t thread = kernel_stop();
    assert_success(zetDebugReadRegisters(session, thread, GEOID_REGSET_GENERAL, 0, 17, values));
    for (uint32_t i = 0; i < 15; i++) {
        if (is_known(i)) {
            assert_int_equal(values[i], 0x1000100010001000ull * (i + 1));
            assert_int_equal(register_get(thread, GEOID_REGSET_GENERAL, i), values[i]);
            values[i] ^= 0xabcd;
        }
    }
    assert_int_equal(values[15], child.words);
    const uint64_t entry = register_get(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_KERNEL_ENTRY);
    assert_in_range(values[16], entry, entry + 4096);
    assert_success(zetDebugWriteRegisters(session, thread, GEOID_REGSET_GENERAL, 0, 17, values));
    register_set(thread, GEOID_REGSET_GENERAL, 3, 99); /* rbx */
    kernel_end();
    for (uint32_t i = 0; i < 15; i++) {
        if (is_known(i) && i != 3) {
            assert_int_equal(word(32 + i), (0x1000100010001000ull * (i + 1)) ^ 0xabcd);
        }
    }
    assert_int_equal(word(32 + 3), 99);
}

/* Vector and mask registers of every width. */
static void vector_registers_are_read_and_written(void **state)
{
    const zet_debug_regset_properties_t set = set_find(GEOID_REGSET_VECTOR);
    const uint32_t words = set.byteSize / 8;
    static uint64_t values[32 * 8];
    (void)state;
    const ze_device_thread_t thread = kernel_stop();
    assert_success(zetDebugReadRegisters(session, thread, set.type, 0, set.count, values));
    for (uint32_t i = 0; i < set.count * words; i++) {
        const uint32_t index = i / words * 8 + i % words;
        assert_int_equal(values[i], 0x2222000000000000ull + index * 0x100000001ull);
        values[i] += 1;
    }
    assert_success(
        zetDebugWriteRegisters(session, thread, set.type, 1, set.count - 1, values + words));
    const uint32_t masks = set_find(GEOID_REGSET_MASK).count;
    for (uint32_t i = 0; i < masks; i++) {
        assert_int_equal(register_get(thread, GEOID_REGSET_MASK, i),
                         0x0101010101010101ull * (i + 1));
        register_set(thread, GEOID_REGSET_MASK, i, 0xf0f0f0f0f0f0f0f0ull + i);
    }
    kernel_end();
    for (uint32_t i = 0; i < set.count * words; i++) {
        const uint32_t index = i / words * 8 + i % words;
        assert_int_equal(word(320 + index),
                         0x2222000000000000ull + index * 0x100000001ull + (i >= words));
    }
    for (uint32_t i = 0; i < masks; i++) {
        assert_int_equal(word(56 + i), 0xf0f0f0f0f0f0f0f0ull + i);
    }
}

/* A write of flags that a program cannot change does no harm. */
static void flags_are_written_as_far_as_programs_may(void **state)
{
    (void)state;
    const ze_device_thread_t thread = kernel_stop();
    assert_int_equal(register_get(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLOAT) & 0x1f80,
                     0x1f80);
    register_set(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLOAT, UINT64_MAX);
    register_set(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLOAT, 0x1f80);
    register_set(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS, ~GEOID_STATUS_FLAGS_STEP);
    const uint64_t flags = register_get(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS);
    assert_int_equal(flags & 0x8d5, 0x8d5); /* carry, parity, adjust, zero, sign, overflow */
    assert_int_equal(flags & 0x3000, 0);    /* the level of input and output */
    assert_int_equal(flags & 0x200, 0x200); /* interrupts stay on */
    register_set(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS, 0x202);
    kernel_end();
}

/* The set of the launch tells what the thread runs. */
static void the_launch_is_described(void **state)
{
    uint64_t launch[GEOID_LAUNCH_REGISTER_COUNT];
    char name[16] = "";
    (void)state;
    const ze_device_thread_t thread = kernel_stop();
    assert_success(zetDebugReadRegisters(session, thread, GEOID_REGSET_LAUNCH, 0,
                                         GEOID_LAUNCH_REGISTER_COUNT, launch));
    assert_int_equal(launch[GEOID_LAUNCH_LANES], 1);
    assert_int_equal(launch[GEOID_LAUNCH_FIRST_GROUP], 0);
    assert_int_equal(launch[GEOID_LAUNCH_GROUP_COUNT], 1);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(launch[GEOID_LAUNCH_GROUPS_X + i], 1);
        assert_int_equal(launch[GEOID_LAUNCH_LOCAL_SIZE_X + i], 1);
        assert_int_equal(launch[GEOID_LAUNCH_GLOBAL_OFFSET_X + i], 0);
        assert_int_equal(launch[GEOID_LAUNCH_GLOBAL_SIZE_X + i], 1);
    }
    assert_int_equal(memory_word(launch[GEOID_LAUNCH_ARGUMENTS]), child.words);
    assert_int_equal(launch[GEOID_LAUNCH_LOCAL_MEMORY_BYTES], 256);
    const uint64_t first = memory_word(launch[GEOID_LAUNCH_KERNEL_NAME]);
    memcpy(name, &first, sizeof(first));
    assert_memory_equal(name, "register", 8);
    assert_int_equal(launch[GEOID_LAUNCH_STOP_SIGNAL], 0);
    assert_true(launch[GEOID_LAUNCH_SYSTEM_THREAD] >= (uint64_t)child.pid);
    kernel_end();
}

/* DBG-14 DBG-13 The ranges of registers, unknown sets, threads that are not stopped. */
static void registers_beyond_a_set_are_refused(void **state)
{
    const ze_device_thread_t none = {0, 0, 4, 0};
    uint64_t values[64];
    uint32_t count = 0;
    (void)state;
    const ze_device_thread_t thread = kernel_stop();
    assert_result(zetDebugReadRegisters(session, thread, 77, 0, 1, values),
                  ERROR_INVALID_ENUMERATION);
    assert_result(zetDebugReadRegisters(session, thread, GEOID_REGSET_GENERAL, 17, 0, values),
                  ERROR_INVALID_ARGUMENT);
    assert_result(zetDebugReadRegisters(session, thread, GEOID_REGSET_GENERAL, 16, 2, values),
                  ERROR_INVALID_ARGUMENT);
    assert_result(
        zetDebugReadRegisters(session, thread, GEOID_REGSET_GENERAL, 1, UINT32_MAX, values),
        ERROR_INVALID_ARGUMENT);
    assert_result(zetDebugWriteRegisters(session, thread, GEOID_REGSET_GENERAL, 17, 1, values),
                  ERROR_INVALID_ARGUMENT);
    assert_result(zetDebugWriteRegisters(session, thread, GEOID_REGSET_GENERAL, 0, 18, values),
                  ERROR_INVALID_ARGUMENT);
    assert_result(zetDebugWriteRegisters(session, thread, GEOID_REGSET_LAUNCH, 0, 1, values),
                  ERROR_INVALID_ARGUMENT);
    assert_result(zetDebugReadRegisters(session, none, GEOID_REGSET_GENERAL, 0, 1, values),
                  ERROR_INVALID_ARGUMENT);
    assert_result(zetDebugReadRegisters(session, ALL_THREADS, GEOID_REGSET_GENERAL, 0, 1, values),
                  ERROR_INVALID_ARGUMENT);
    const ze_device_thread_t other = {0, 0, thread.eu == 2 ? 1 : 2, 0};
    assert_result(zetDebugReadRegisters(session, other, GEOID_REGSET_GENERAL, 0, 1, values),
                  ERROR_NOT_AVAILABLE);
    assert_result(zetDebugWriteRegisters(session, other, GEOID_REGSET_GENERAL, 0, 1, values),
                  ERROR_NOT_AVAILABLE);
    assert_result(zetDebugGetThreadRegisterSetProperties(session, other, &count, NULL),
                  ERROR_NOT_AVAILABLE);
    assert_success(zetDebugReadRegisters(session, thread, GEOID_REGSET_GENERAL, 16, 1, values));
    kernel_end();
    assert_result(zetDebugReadRegisters(session, thread, GEOID_REGSET_GENERAL, 0, 1, values),
                  ERROR_NOT_AVAILABLE);
}

/* DBG-13 GEN-21 A stopped thread has the sets of its device. */
static void a_stopped_thread_has_register_sets(void **state)
{
    zet_debug_regset_properties_t sets[SETS_MAX], its[SETS_MAX];
    uint32_t count = 0, few = 2;
    (void)state;
    const ze_device_thread_t thread = kernel_stop();
    const uint32_t total = sets_get(sets);
    assert_success(zetDebugGetThreadRegisterSetProperties(session, thread, &count, NULL));
    assert_int_equal(count, total);
    memset(its, 0x55, sizeof(its));
    for (uint32_t i = 0; i < SETS_MAX; i++) {
        its[i].stype = ZET_STRUCTURE_TYPE_DEBUG_REGSET_PROPERTIES;
        its[i].pNext = NULL;
    }
    assert_success(zetDebugGetThreadRegisterSetProperties(session, thread, &few, its));
    assert_int_equal(few, 2);
    assert_int_equal(its[2].type, 0x55555555);
    count = SETS_MAX;
    assert_success(zetDebugGetThreadRegisterSetProperties(session, thread, &count, its));
    assert_int_equal(count, total);
    for (uint32_t i = 0; i < total; i++) {
        assert_int_equal(its[i].type, sets[i].type);
        assert_int_equal(its[i].count, sets[i].count);
        assert_int_equal(its[i].byteSize, sets[i].byteSize);
        assert_int_equal(its[i].generalFlags, sets[i].generalFlags);
    }
    kernel_end();
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, session_setup, child_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_has_register_sets),
        cmocka_unit_test(sets_of_a_device_are_listed),
        TEST(general_registers_are_read_and_written),
        TEST(vector_registers_are_read_and_written),
        TEST(flags_are_written_as_far_as_programs_may),
        TEST(the_launch_is_described),
        TEST(registers_beyond_a_set_are_refused),
        TEST(a_stopped_thread_has_register_sets),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
