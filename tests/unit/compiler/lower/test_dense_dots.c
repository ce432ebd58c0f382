/* Dot products whose products are computed as dense vectors (lower/instruction/dot.c): a whole
 * kernel at every width and level. Sums are in the order of components. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ITEMS        64

/* The bits of the halves 1 / 2, 1, 2 ... 64. */
static uint16_t half_of(uint32_t i)
{
    return (uint16_t)((14 + i % 8) << 10);
}

static float value_of(uint16_t half)
{
    return (float)(1 << (half >> 10)) / 32768.0f;
}

/* Rounds each product and each sum. */
static float sum_of(const float *a, const float *b)
{
    volatile float sum = a[0] * b[0];
    for (int i = 1; i < 4; i++) {
        volatile float product = a[i] * b[i];
        sum = sum + product;
    }
    return sum;
}

static void check_run(const struct program *program, int count)
{
    float *a = program_memory(4 * ITEMS, sizeof(*a)), *b = program_memory(4 * ITEMS, sizeof(*b));
    uint16_t *h = program_memory(4 * ITEMS, sizeof(*h));
    float *out = program_memory(2 * ITEMS, sizeof(*out));
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {ITEMS, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(a), PROGRAM_POINTER(b),
                                                 PROGRAM_POINTER(h), PROGRAM_POINTER(out),
                                                 PROGRAM_VALUE(count)};
    for (uint32_t i = 0; i < 4 * ITEMS; i++) {
        a[i] = 1.0f / (float)(i + 3);
        b[i] = (float)(i * i % 101) - 50.3f;
        h[i] = half_of(i * 5 + i / 4);
    }
    program_run(program, "dots", &launch, arguments, COUNT(arguments));
    for (int i = 0; i < ITEMS; i++) {
        float halves[4];
        for (int k = 0; k < 4; k++) {
            halves[k] = value_of(h[4 * i + k]);
        }
        assert_true(out[2 * i] == (i < count ? sum_of(a + 4 * i, b + 4 * i) : 0.0f));
        assert_true(out[2 * i + 1] == (i < count ? sum_of(halves, b + 4 * i) : 0.0f));
    }
    free(a);
    free(b);
    free(h);
    free(out);
}

static void sums_are_in_the_order_of_components(void **state)
{
    static const uint32_t widths[] = {1, 4, 8, 16, 32};
    static const char *const levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++) {
        for (size_t k = 0; k < COUNT(levels); k++) {
            const struct program_options options = {
                .lanes = widths[i], .optimize = true, .cpu = levels[k]};
            struct program *program = program_build("dense_dots_O2", &options);
            if (program_runs(program)) {
                check_run(program, ITEMS);
                check_run(program, 13);
            }
            program_destroy(program);
        }
    }
}

static void products_are_computed_as_they_lie_in_memory(void **state)
{
    const struct program_options options = {.lanes = 8, .optimize = true, .cpu = "x86-64-v3"};
    struct program *program = program_build("dense_dots_O2", &options);
    (void)state;
    assert_non_null(strstr(program_lowered(program), "fmul <32 x float>"));
    assert_null(strstr(program_lowered(program), "fmul <8 x float>"));
    program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_in_the_order_of_components),
        cmocka_unit_test(products_are_computed_as_they_lie_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
