/* Linear chunks: kernels with sub-group operations run at W = S, whatever width was asked for. */
#include "check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void places_in_the_sub_group(void **state)
{
    enum { GX = 2, GY = 2, LX = 5, LY = 3, ITEMS = LX * LY, S = 8 };
    static uint32_t out[GX * GY * ITEMS * 8], expected[GX * GY * ITEMS * 8];
    const struct program_launch launch = {.groups = {GX, GY, 1}, .local = {LX, LY, 1}};
    (void)state;
    for (uint32_t y = 0; y < GY * LY; y++) {
        for (uint32_t x = 0; x < GX * LX; x++) {
            uint32_t *at = expected + (y * GX * LX + x) * 8;
            uint32_t linear = y % LY * LX + x % LX, id = linear / S;
            const uint32_t values[] = {smaller(S, ITEMS - id * S),
                                       S,
                                       (ITEMS + S - 1) / S,
                                       id,
                                       linear % S,
                                       x % LX,
                                       y % LY,
                                       linear};
            memcpy(at, values, sizeof(values));
        }
    }
    const struct check_argument arguments[] = {CHECK_ARRAY(out)};
    check_kernel_against("linear", "places", &launch, arguments, 1, (const void *[]){expected});
}

static void reductions_and_scans(void **state)
{
    enum { GROUPS = 3, LOCAL = 40, S = 16, N = GROUPS * LOCAL };
    int in[N], out[3 * N], expected[3 * N];
    const struct program_launch launch = {.groups = {GROUPS, 1, 1}, .local = {LOCAL, 1, 1}};
    (void)state;
    check_fill_int(in, N, -100, 100, 1);
    memset(out, 0, sizeof(out));
    for (int i = 0; i < N; i++) {
        int group = i / LOCAL * LOCAL, first = group + (i - group) / S * S;
        int end = first + S < group + LOCAL ? first + S : group + LOCAL;
        int sum = 0, scan = 0, any = 0;
        for (int k = first; k < end; k++) {
            sum += in[k];
            scan += k <= i ? in[k] : 0;
            any |= in[k] > 90;
        }
        expected[3 * i] = sum + (any ? 1000 : 0);
        expected[3 * i + 1] = scan;
        expected[3 * i + 2] = in[first];
    }
    const struct check_argument arguments[] = {CHECK_ARRAY(out), CHECK_ARRAY(in)};
    check_kernel_against("linear", "sums", &launch, arguments, 2, (const void *[]){expected, NULL});
}

static void barriers_between_linear_chunks(void **state)
{
    enum { GROUPS = 2, LX = 10, LY = 4, S = 16, N = LX * LY };
    int out[GROUPS * N], expected[GROUPS * N];
    const struct program_launch launch = {.groups = {GROUPS, 1, 1}, .local = {LX, LY, 1}};
    (void)state;
    memset(out, 0, sizeof(out));
    for (int i = 0; i < GROUPS * N; i++) {
        int l = i % N, last = l / S * S + S - 1;
        last = last < N ? last : N - 1;
        expected[i] = (N - 1 - l) * 3 * 1000 + last * 3;
    }
    const struct check_argument arguments[] = {CHECK_ARRAY(out), {CHECK_LOCAL, NULL, N * 4}};
    check_kernel_against("linear", "barriers", &launch, arguments, 2,
                         (const void *[]){expected, NULL});
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
        cmocka_unit_test(places_in_the_sub_group),
        cmocka_unit_test(reductions_and_scans),
        cmocka_unit_test(barriers_between_linear_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
