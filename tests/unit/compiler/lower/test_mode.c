/* Operations that round otherwise: the processor's mode is theirs alone (lower/arith/mode.h), and
 * what runs on the same thread after the kernel rounds as before. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CONTROL_MASK 0xffc0u /* the lower bits are sticky exception flags */

static void mode_comes_back(uint32_t lanes, bool optimize)
{
    enum { ITEMS = 40 };
    const struct program_options options = {.lanes = lanes, .optimize = optimize};
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    float in[ITEMS], out[ITEMS] = {0};
    struct program *program = program_build("modes", &options);
    if (program_runs(program)) {
        const struct program_argument arguments[] = {PROGRAM_POINTER(out), PROGRAM_POINTER(in)};
        uint32_t before = __builtin_ia32_stmxcsr() & CONTROL_MASK;
        for (int i = 0; i < ITEMS; i++) {
            in[i] = i & 1 ? -1.0f : 1.0f;
        }
        program_run(program, "add", &launch, arguments, 2);
        assert_int_equal(__builtin_ia32_stmxcsr() & CONTROL_MASK, before);
        for (int i = 0; i < ITEMS; i++) {
            assert_true(out[i] == (i & 1 ? -0x1.fffffcp-1f : 1.0f));
        }
    }
    program_destroy(program);
}

/* SPV-5 */
static void kernels_leave_the_mode_as_it_was(void **state)
{
    static const uint32_t lanes[] = {1, 8, 16};
    (void)state;
    for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++) {
        mode_comes_back(lanes[i], true);
        mode_comes_back(lanes[i], false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_leave_the_mode_as_it_was),
    };
    return cmocka_run_group_tests_name("mode", tests, NULL, NULL);
}
