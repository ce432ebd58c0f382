/* The width of kernels (cpu/function/width.c): twice the lanes where lanes join their atomics. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void lanes_are_doubled_where_they_join_atomics(void **state)
{
    (void)state;
    static const struct {
        const char *cpu;
        uint32_t lanes, joined;
        uint32_t small; /* groups of 8 items, which run together where a register holds 16 */
    } levels[] = {{"x86-64-v2", 4, 8, 8}, {"x86-64-v3", 8, 16, 8}, {"x86-64-v4", 16, 16, 16}};
    static const char *const others[] = {"apart", "in_local_memory", "exchanged",
                                         "long_and_joined"};
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        const struct program_options options = {.optimize = true, .cpu = levels[i].cpu};
        struct program *program = program_build("width_O2", &options);
        assert_int_equal(program_record(program, "joined")->lanes, levels[i].joined);
        assert_int_equal(program_record(program, "joined_in_a_small_group")->lanes,
                         levels[i].small);
        for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
            assert_int_equal(program_record(program, others[k])->lanes, levels[i].lanes);
        }
        program_destroy(program);
    }
    const struct program_options fixed = {.lanes = 4, .optimize = true, .cpu = "x86-64-v3"};
    struct program *program = program_build("width_O2", &fixed);
    assert_int_equal(program_record(program, "joined")->lanes, 4);
    program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_doubled_where_they_join_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
