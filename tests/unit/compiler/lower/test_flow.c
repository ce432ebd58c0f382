/* Unit test of lowering: control flow at every width: masks, joins, divergent loops, dead lanes. */
#include "check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define N 250 /* not a multiple of any width */

static const struct program_launch line = {.groups = {5, 1, 1}, .local = {50, 1, 1}};

static void run_ints(const char *kernel, int low, int high, int scalar_count, int scalar)
{
    int out[N + 8], in[N + 8];
    check_fill_int(in, N + 8, low, high, 7);
    check_fill_int(out, N + 8, -5, 5, 8);
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_ARRAY(in),
                                               CHECK_SCALAR(scalar)};
    check_kernel("flow", kernel, &line, arguments, 2 + (uint32_t)scalar_count);
}

static void straight_line_code(void **state)
{
    float x[N], y[N], a = 1.5f;
    (void)state;
    check_fill_float(x, N, 1);
    check_fill_float(y, N, 2);
    const struct check_argument arguments[] = {CHECK_ARRAY(y), CHECK_ARRAY(x), CHECK_SCALAR(a)};
    check_kernel("flow", "saxpy", &line, arguments, 3);
}

static void a_bounds_check_turns_lanes_off(void **state)
{
    float x[N], y[N], a = -0.25f;
    (void)state;
    for (int n = 0; n <= N; n += 83) {
        check_fill_float(x, N, 1);
        check_fill_float(y, N, 2);
        const struct check_argument arguments[] = {CHECK_ARRAY(y), CHECK_ARRAY(x), CHECK_SCALAR(a),
                                                   CHECK_SCALAR(n)};
        check_kernel("flow", "saxpy_guarded", &line, arguments, 4);
    }
}

static void lanes_leave_a_loop_one_by_one(void **state)
{
    int out[40 * 30], width = 40, limit = 100;
    const struct program_launch plane = {.groups = {2, 10, 1}, .local = {20, 3, 1}};
    (void)state;
    check_fill_int(out, 40 * 30, 0, 9, 3);
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_SCALAR(width),
                                               CHECK_SCALAR(limit)};
    check_kernel("flow", "mandelbrot", &plane, arguments, 3);
}

static void nested_branches(void **state)
{
    (void)state;
    run_ints("branches", -20, 20, 1, N);
}

static void loads_stay_before_stores(void **state)
{
    (void)state;
    run_ints("taken", -3, 3, 0, 0);
}

static void switches(void **state)
{
    (void)state;
    run_ints("switches", -8, 10, 0, 0);
    run_ints("switches", 999999, 1000001, 0, 0);
}

static void uniform_branches(void **state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        run_ints("uniform_branch", -9, 9, 1, mode);
    }
}

static void loops_with_break_continue_and_goto(void **state)
{
    (void)state;
    run_ints("loops", -2, 14, 1, N);
}

static void early_returns(void **state)
{
    (void)state;
    run_ints("early_return", -3, 40, 1, 201);
    run_ints("early_return", -3, 40, 1, 0);
}

static void dead_lanes_do_not_trap(void **state)
{
    int out[N], in[N], zero = 0;
    void *none = NULL;
    (void)state;
    check_fill_int(in, N, -2, 2, 5);
    check_fill_int(out, N, 0, 0, 5);
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_ARRAY(in),
                                               CHECK_SCALAR(none), CHECK_SCALAR(zero)};
    check_kernel("flow", "traps", &line, arguments, 4);
}

static void values_leave_divergent_loops(void **state)
{
    (void)state;
    run_ints("temporal", -1, 70, 1, 5);
}

static void unstructured_flow(void **state)
{
    (void)state;
    run_ints("crossing", 0, 15, 1, 0);
    run_ints("crossing", 0, 15, 1, 1);
}

static void indices_of_every_kind(void **state)
{
    int out[64 * 6], in[64 * 6 + 2], n = 60, pitch = 64;
    const struct program_launch plane = {.groups = {2, 3, 1}, .local = {30, 2, 1}};
    (void)state;
    check_fill_int(in, 64 * 6 + 2, -50, 50, 5);
    check_fill_int(out, 64 * 6, 0, 0, 5);
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_ARRAY(in), CHECK_SCALAR(n),
                                               CHECK_SCALAR(pitch)};
    check_kernel("flow", "indices", &plane, arguments, 4);
}

static void ids_and_sizes(void **state)
{
    static uint64_t out[2 * 5 * 3 * 3 * 2 * 2 * 16];
    const struct program_launch space = {
        .groups = {2, 3, 2}, .local = {5, 3, 2}, .offset = {7, 0, 0}};
    int unused[1] = {0};
    (void)state;
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_ARRAY(unused)};
    check_kernel("flow", "ids", &space, arguments, 2);
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
        cmocka_unit_test(straight_line_code),
        cmocka_unit_test(a_bounds_check_turns_lanes_off),
        cmocka_unit_test(lanes_leave_a_loop_one_by_one),
        cmocka_unit_test(nested_branches),
        cmocka_unit_test(loads_stay_before_stores),
        cmocka_unit_test(switches),
        cmocka_unit_test(uniform_branches),
        cmocka_unit_test(loops_with_break_continue_and_goto),
        cmocka_unit_test(early_returns),
        cmocka_unit_test(dead_lanes_do_not_trap),
        cmocka_unit_test(values_leave_divergent_loops),
        cmocka_unit_test(unstructured_flow),
        cmocka_unit_test(indices_of_every_kind),
        cmocka_unit_test(ids_and_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
