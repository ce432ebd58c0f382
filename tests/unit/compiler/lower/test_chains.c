/* Chains of phis share a home (analysis/coalesce.h), which keeps LLVM's work from growing with the
 * square of their length. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 64 };

/* Returns the number of variables of a kernel before LLVM's passes. */
static uint32_t variables(const struct program *program, const char *kernel)
{
    char name[64];
    snprintf(name, sizeof(name), "@kernel.%s(", kernel);
    const char *at = strstr(program_lowered(program), name);
    assert_non_null(at);
    const char *end = strstr(at, "\n}");
    uint32_t count = 0;
    while ((at = strstr(at, " alloca ")) && at < end) {
        count++;
        at++;
    }
    return count;
}

static void a_chain_of_conditionals_has_one_variable(void **state)
{
    (void)state;
    const struct program_options options = {.lanes = 1, .optimize = true};
    struct program *program = program_build("chains_O2", &options);
    assert_int_equal(variables(program, "eight"), variables(program, "sixteen"));
    assert_int_equal(variables(program, "both"), variables(program, "eight") + 1);
    program_destroy(program);
}

static int32_t step(const int32_t *in, int32_t s, int bit)
{
    return s & (1 << bit) ? s + in[s & 63] : s;
}

static void run(const struct program *program, const char *kernel, int32_t *in, int32_t *out)
{
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out)};
    const struct program_launch launch = {.groups = {ITEMS / 16, 1, 1}, .local = {16, 1, 1}};
    program_run(program, kernel, &launch, arguments, 2);
}

static void chains_compute_what_is_written(void **state)
{
    (void)state;
    for (uint32_t lanes = 1; lanes <= 8; lanes *= 8) {
        const struct program_options options = {.lanes = lanes, .optimize = true};
        struct program *program = program_build("chains_O2", &options);
        int32_t *in = program_memory(ITEMS, sizeof(*in)), *out = program_memory(ITEMS, sizeof(*in));
        int32_t *both = program_memory(ITEMS, sizeof(*in));
        for (int32_t i = 0; i < ITEMS; i++) {
            in[i] = i * 37 + 11;
        }
        run(program, "sixteen", in, out);
        run(program, "both", in, both);
        for (int32_t i = 0; i < ITEMS; i++) {
            int32_t s = in[i], before = step(in, in[i], 0);
            for (int k = 0; k < 16; k++) {
                s = step(in, s, k % 8);
            }
            assert_int_equal(out[i], s);
            assert_int_equal(both[i], step(in, before, 1) * 3 + before);
        }
        free(in);
        free(out);
        free(both);
        program_destroy(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_conditionals_has_one_variable),
        cmocka_unit_test(chains_compute_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
