/* gdb, which reads another process by ptrace, sees the same registers and memory of a stopped
 * thread. */
#include "debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void variable_set(const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    setenv(name, text, 1);
}

/* Reads the next line of our script, and checks its name and value. */
static void line_expect(FILE *gdb, const char *name, uint64_t value)
{
    char line[512], found[64];
    unsigned long long number;
    do {
        assert_non_null(fgets(line, sizeof(line), gdb));
    } while (sscanf(line, "@ %63s %llu", found, &number) != 2);
    assert_string_equal(found, name);
    assert_int_equal(number, value);
}

static void gdb_sees_the_same(void **state)
{
    static const char *const names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                        "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                        "r12", "r13", "r14", "r15", "rip"};
    uint64_t values[17];
    char command[512];
    (void)state;
    if (system("gdb --version >/dev/null 2>&1") != 0 ||
        system("grep -q '^TracerPid:.*[1-9]' /proc/self/status") == 0) {
        print_message("skipped: no gdb, or another program traces this one (as_level)\n");
        skip();
    }
    ask("queue 0");
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    module_load(fixture("native_debugged.o"));
    for (uint32_t i = 0; i < 16; i++) {
        memory_set_word(child.words + 8 * (16 + i), 0x1000100010001000ull * (i + 1));
    }
    ask("set 5 16");
    ask("launch 0 registers 1 1");
    word_leaves(1, 0);
    const ze_device_thread_t thread = stop_one();
    assert_success(zetDebugReadRegisters(session, thread, GEOID_REGSET_GENERAL, 0, 17, values));
    variable_set("DEBUG_THREAD",
                 register_get(thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_SYSTEM_THREAD));
    variable_set("DEBUG_PC", values[GEOID_REGISTER_PC]);
    variable_set("DEBUG_ADDRESS", child.words + 8 * 16);
    snprintf(command, sizeof(command),
             "gdb -nx -batch -p %d -iex 'set debuginfod enabled off' -x %s 2>&1", (int)child.pid,
             GDB_SCRIPT);
    FILE *gdb = popen(command, "r");
    assert_non_null(gdb);
    for (uint32_t i = 0; i < 17; i++) {
        line_expect(gdb, names[i], values[i]);
    }
    line_expect(gdb, "eflags",
                register_get(thread, GEOID_REGSET_STATUS, GEOID_STATUS_FLAGS) & UINT32_MAX);
    for (uint32_t i = 0; i < 4; i++) {
        line_expect(gdb, "memory", memory_word(child.words + 8 * (16 + i)));
    }
    assert_int_equal(pclose(gdb), 0);
    assert_success(zetDebugResume(session, thread));
    ask("set 0 1");
    assert_string_equal(ask("wait 0"), "0x0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gdb_sees_the_same, session_setup, child_teardown)};
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
