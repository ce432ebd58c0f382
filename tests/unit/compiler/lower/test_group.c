/* Unit test of lowering: work-groups at every width: barrier regions, local memory, private
 * arrays, calls. */
#include "check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define N 192

static void a_reduction(void **state)
{
    float in[N], out[12];
    const struct program_launch sizes[] = {
        {.groups = {3, 1, 1}, .local = {64, 1, 1}},
        {.groups = {12, 1, 1}, .local = {4, 1, 1}},
        {.groups = {6, 1, 1}, .local = {32, 1, 1}},
    };
    (void)state;
    check_fill_float(in, N, 1);
    check_fill_float(out, 12, 2);
    for (int i = 0; i < 3; i++) {
        const struct check_argument arguments[] = {
            CHECK_ARRAY(out), CHECK_ARRAY(in), {CHECK_LOCAL, NULL, sizes[i].local[0] * 4}};
        check_kernel("group", "reduce", &sizes[i], arguments, 3);
    }
}

static void a_tiled_matrix_product(void **state)
{
    float a[24 * 24], b[24 * 24], c[24 * 24];
    int n = 24;
    const struct program_launch launch = {.groups = {3, 3, 1}, .local = {8, 8, 1}};
    (void)state;
    check_fill_float(a, 24 * 24, 1);
    check_fill_float(b, 24 * 24, 2);
    check_fill_float(c, 24 * 24, 3);
    const struct check_argument arguments[] = {CHECK_ARRAY(c), CHECK_ARRAY(a), CHECK_ARRAY(b),
                                               CHECK_SCALAR(n)};
    check_kernel("group", "matmul", &launch, arguments, 4);
}

static void a_scan_of_required_size(void **state)
{
    int in[N], out[N];
    const struct program_launch launch = {.groups = {3, 1, 1}, .local = {64, 1, 1}};
    (void)state;
    check_fill_int(in, N, -100, 100, 1);
    check_fill_int(out, N, 0, 0, 2);
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_ARRAY(in)};
    check_kernel("group", "scan", &launch, arguments, 2);
}

static void barriers_in_calls_loops_and_branches(void **state)
{
    int in[N], out[N];
    const uint32_t sizes[] = {1, 3, 16, 48};
    (void)state;
    check_fill_int(in, N, 0, 100, 1);
    check_fill_int(out, N, 0, 0, 2);
    for (int i = 0; i < 4; i++) {
        const struct program_launch launch = {.groups = {2, 1, 1}, .local = {sizes[i], 1, 1}};
        for (int turns = 0; turns < 4; turns += 3) {
            const struct check_argument arguments[] = {CHECK_ARRAY(out),
                                                       CHECK_ARRAY(in),
                                                       {CHECK_LOCAL, NULL, sizes[i] * 4},
                                                       CHECK_SCALAR(turns)};
            check_kernel("group", "rotate_all", &launch, arguments, 4);
        }
    }
}

static void barriers_under_conditions_that_look_divergent(void **state)
{
    int out[N];
    const struct program_launch launch = {.groups = {4, 1, 1}, .local = {40, 1, 1}};
    (void)state;
    check_fill_int(out, N, 0, 0, 2);
    const struct check_argument arguments[] = {
        CHECK_ARRAY(out), {CHECK_LOCAL, NULL, 4}, {CHECK_LOCAL, NULL, 160}};
    check_kernel("group", "shared_condition", &launch, arguments, 3);
}

static void private_arrays(void **state)
{
    int in[N], out[N], n = N;
    const struct program_launch launch = {.groups = {4, 1, 1}, .local = {45, 1, 1}};
    (void)state;
    check_fill_int(in, N, -100, 100, 1);
    check_fill_int(out, N, 0, 0, 2);
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_ARRAY(in), CHECK_SCALAR(n)};
    check_kernel("group", "private_array", &launch, arguments, 3);
}

static void private_arrays_live_across_barriers(void **state)
{
    int in[N], out[N];
    (void)state;
    check_fill_int(in, N, -100, 100, 1);
    check_fill_int(out, N, 0, 0, 2);
    const struct check_argument arguments[] = {
        CHECK_ARRAY(out), CHECK_ARRAY(in), {CHECK_LOCAL, NULL, 60}};
    const struct program_launch flat = {.groups = {4, 1, 1}, .local = {15, 1, 1}};
    check_kernel("group", "private_across_barrier", &flat, arguments, 3);
}

static void calls_that_are_not_inlined(void **state)
{
    int in[N], n = 150;
    float out[2 * N];
    const struct program_launch launch = {.groups = {4, 1, 1}, .local = {45, 1, 1}};
    (void)state;
    check_fill_int(in, N, 0, 9, 1);
    check_fill_float(out, 2 * N, 2);
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_ARRAY(in), CHECK_SCALAR(n)};
    check_kernel("group", "calls", &launch, arguments, 3);
}

static void results_of_calls_keep_their_bits(void **state)
{
    static const uint32_t high[] = {0x7f800001, 0xff923456, 0x7ff00001, 0xfff45678, 0x3f800000};
    uint32_t in[30], floats[4 * 30] = {0};
    uint64_t doubles[4 * 30] = {0};
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {15, 1, 1}};
    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        in[i] = high[i % 5];
    }
    const struct check_argument arguments[] = {CHECK_ARRAY(floats), CHECK_ARRAY(doubles),
                                               CHECK_ARRAY(in)};
    check_kernel("group", "calls_bits", &launch, arguments, 3);
}

/* Its code is for one work-item: each lane calls it. */
static void calls_of_irreducible_functions(void **state)
{
    int in[N], out[N], n = 70;
    const struct program_launch launch = {.groups = {3, 1, 1}, .local = {13, 3, 1}};
    (void)state;
    check_fill_int(in, N, 0, 1000, 3);
    check_fill_int(out, N, 0, 9, 4);
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_ARRAY(in), CHECK_SCALAR(n)};
    check_kernel("group", "calls_irreducible", &launch, arguments, 3);
}

/* Every work-item has a copy of its own (the interpreter shares it, as the specification may). */
static void structures_by_value(void **state)
{
    float out[180], expected[180], q[4] = {1, 2, 3, 4};
    struct {
        int a;
        float b;
    } p = {3, 0.5f};
    const struct program_launch launch = {.groups = {4, 1, 1}, .local = {45, 1, 1}};
    (void)state;
    check_fill_float(out, 180, 2);
    for (int i = 0; i < 180; i++) {
        expected[i] = (float)(i & 1 ? 3 + i : 3) * 0.5f + 3;
    }
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_SCALAR(p), CHECK_SCALAR(q)};
    check_kernel_against("group", "by_value", &launch, arguments, 3,
                         (const void *[]){expected, NULL, NULL});
}

static int finish(void **state)
{
    (void)state;
    check_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reduction),
        cmocka_unit_test(a_tiled_matrix_product),
        cmocka_unit_test(a_scan_of_required_size),
        cmocka_unit_test(barriers_in_calls_loops_and_branches),
        cmocka_unit_test(barriers_under_conditions_that_look_divergent),
        cmocka_unit_test(private_arrays),
        cmocka_unit_test(private_arrays_live_across_barriers),
        cmocka_unit_test(calls_that_are_not_inlined),
        cmocka_unit_test(results_of_calls_keep_their_bits),
        cmocka_unit_test(calls_of_irreducible_functions),
        cmocka_unit_test(structures_by_value),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
