/* Comparisons of 64-bit integers in 32 bits (lower/value/compare.c): whole kernels at every width,
 * with numbers around the limits of 32 bits. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ITEMS        64

static const int64_t numbers[] = {
    0,
    1,
    5,
    31,
    63,
    64,
    -1,
    -32,
    -33,
    INT32_MAX - 63,
    INT32_MAX - 1,
    INT32_MAX,
    INT64_C(1) + INT32_MAX,
    INT32_MIN,
    INT32_MIN + 1,
    INT64_C(-1) + INT32_MIN,
    INT64_C(1) << 32,
    (INT64_C(1) << 32) + 5,
    -(INT64_C(1) << 32) + 5,
    INT64_C(2900000000),
    INT64_MAX,
    INT64_MIN,
};

static const struct comparison_case {
    const char *kernel;
    bool is_signed;
    int64_t factor, offset; /* what moves: local id * factor + offset */
} comparison_cases[] = {
    {"of_ids", false, 1, 0},
    {"of_ids_signed", true, 1, -32},
    {"below_the_top", false, 1, INT32_MAX - 64},
    {"at_the_top", false, 1, INT32_MAX - 63},
    {"above_the_bottom", true, 1, -INT64_C(0x7fffffff)},
    {"at_the_bottom", true, 1, -INT64_C(0x80000000)},
    {"far_apart", false, 100000000, 0},
    {"below_zero", false, 1, -32},
};

/* Returns BITS of compares.cl. */
static uint32_t bits_of(bool is_signed, int64_t moving, int64_t fixed)
{
    bool less = is_signed ? moving < fixed : (uint64_t)moving < (uint64_t)fixed;
    bool same = moving == fixed, more = !less && !same;
    const bool bits[] = {less,  less || same, more,         more || same, same,
                         !same, more,         more || same, less,         less || same};
    uint32_t result = 0;
    for (size_t i = 0; i < COUNT(bits); i++) {
        result |= (uint32_t)bits[i] << i;
    }
    return result;
}

static void check_case(const struct program *program, const struct comparison_case *c,
                       int64_t fixed)
{
    uint32_t *out = program_memory(ITEMS, sizeof(*out));
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {ITEMS, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(out), PROGRAM_VALUE(fixed)};
    program_run(program, c->kernel, &launch, arguments, COUNT(arguments));
    for (int64_t i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], bits_of(c->is_signed, i * c->factor + c->offset, fixed));
    }
    free(out);
}

static void check(const char *name, const char *cpu, uint32_t lanes)
{
    const struct program_options options = {.lanes = lanes, .optimize = true, .cpu = cpu};
    struct program *program = program_build(name, &options);
    for (size_t i = 0; program_runs(program) && i < COUNT(comparison_cases); i++) {
        for (size_t k = 0; k < COUNT(numbers); k++) {
            check_case(program, &comparison_cases[i], numbers[k]);
        }
    }
    program_destroy(program);
}

static void numbers_compare_as_in_64_bits(void **state)
{
    static const uint32_t widths[] = {1, 8, 16};
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++) {
        check("compares_O2", "x86-64-v3", widths[i]);
        check("compares_O2", "x86-64-v4", widths[i]);
        check("compares_O0", "x86-64-v3", widths[i]);
    }
}

/* Returns the number of comparisons of vectors of 64-bit numbers in a kernel. */
static uint32_t wide_in(const struct program *program, const char *kernel)
{
    const char *at = program_lowered(program);
    char name[64];
    uint32_t found = 0;
    snprintf(name, sizeof(name), "@kernel.%s(", kernel);
    at = strstr(at, name);
    assert_non_null(at);
    const char *end = strstr(at, "\n}");
    for (; (at = strstr(at, " icmp ")) && at < end; at++) {
        const char *line = strchr(at, '\n'), *type = strstr(at, "<8 x i64>");
        found += type && type < line;
    }
    return found;
}

static void ids_compare_in_32_bits(void **state)
{
    static const char *const narrow[] = {"of_ids",           "of_ids_signed", "below_the_top",
                                         "above_the_bottom", "of_two",        "counts"};
    static const char *const wide[] = {"at_the_top", "at_the_bottom", "far_apart", "below_zero"};
    const struct program_options options = {.lanes = 8, .optimize = true, .cpu = "x86-64-v3"};
    struct program *program = program_build("compares_O2", &options);
    (void)state;
    for (size_t i = 0; i < COUNT(narrow); i++) {
        print_message("%s\n", narrow[i]);
        assert_int_equal(wide_in(program, narrow[i]), 0);
    }
    for (size_t i = 0; i < COUNT(wide); i++) {
        print_message("%s\n", wide[i]);
        assert_true(wide_in(program, wide[i]) > 0);
    }
    program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_compare_as_in_64_bits),
        cmocka_unit_test(ids_compare_in_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
