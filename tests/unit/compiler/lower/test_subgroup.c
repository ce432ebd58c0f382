/* Sub-group operations at S = 8, 16 and 32 against loops over the lanes in C. */
#include "check.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROWS   36
#define GROUPS 2
#define LIMIT  (GROUPS * 100)

/* Row 35: a loop that lanes leave at different times. */
static void expect_loop(int *out, const int *x, uint32_t lanes)
{
    memset(out, 0, lanes * sizeof(*out));
    for (int k = 0; k < 4; k++) {
        int sum = 0, elected = -1, votes = 0;
        for (uint32_t i = 0; i < lanes; i++) {
            if (k <= (x[i] & 3)) {
                sum += x[i];
                elected = elected < 0 ? (int)i : elected;
            }
        }
        for (uint32_t i = 0; i < lanes; i++) {
            if (k <= (x[i] & 3)) {
                out[i] += sum * ((int)i == elected ? 3 : 1);
                votes += out[i] % 5 == 0 && (x[i] & 4);
            }
        }
        for (uint32_t i = 0; i < lanes; i++) {
            if (k <= (x[i] & 3) && out[i] % 5 == 0) {
                out[i] += votes;
            }
        }
    }
}

/* The expected rows of one sub-group: lanes [first, first + lanes) of the input. */
static void expect(int *out, uint32_t n, const int *in, uint32_t first, uint32_t lanes,
                   uint32_t size)
{
    const int *x = in + first;
    int sum = 0, most = INT_MIN, any = 0, all = 1, equal = 1;
    uint32_t least = UINT_MAX, votes = 0;
    int some_sum = 0, some_first = -1;
    for (uint32_t k = 0; k < lanes; k++) {
        sum += x[k];
        most = x[k] > most ? x[k] : most;
        least = (uint32_t)x[k] < least ? (uint32_t)x[k] : least;
        any |= x[k] == 7;
        all &= x[k] > -90;
        equal &= x[k] / 90 == x[0] / 90;
        votes |= (uint32_t)(x[k] & 1) << k;
        if (x[k] & 2) {
            some_sum += x[k];
            some_first = some_first < 0 ? (int)k : some_first;
        }
    }
    int running = 0, before = INT_MIN, product = 1;
    for (uint32_t k = 0; k < lanes; k++) {
        int *o = out + first + k;
        running += x[k];
        o[0 * n] = sum;
        o[1 * n] = running;
        o[2 * n] = before;
        before = x[k] > before ? x[k] : before;
        o[3 * n] = (int)least;
        o[4 * n] = most;
        o[5 * n] = all + 2 * any;
        o[6 * n] = x[3];
        o[7 * n] = x[(k * 3 + 1) % lanes];
        o[8 * n] = x[k ^ 1];
        o[9 * n] = (int)lanes;
        o[10 * n] = (int)k;
        o[13 * n] = (int)votes;
        o[14 * n] = __builtin_popcount(votes);
        o[15 * n] = __builtin_popcount(votes & ((1u << k) - 1));
        o[16 * n] = x[k] & 1;
        if (x[k] & 2) {
            product *= x[k] % 3 + 2;
            o[17 * n] = some_sum;
            o[18 * n] = (int)k == some_first;
            o[19 * n] = x[some_first];
            o[20 * n] = product;
        }
        int cluster = 0;
        for (uint32_t c = k & ~3u; c < (k & ~3u) + 4; c++) {
            cluster += c < lanes ? x[c] : 0;
        }
        o[21 * n] = cluster;
        o[22 * n] = sum;
        o[23 * n] = equal;
        uint32_t every = UINT32_MAX >> (32 - size), own = 1u << k, below = own - 1;
        o[24 * n] = (int)own;
        o[25 * n] = (int)(every & ~below);
        o[26 * n] = (int)(every & ~below & ~own);
        o[27 * n] = (int)(below | own);
        o[28 * n] = (int)below;
        o[29 * n] = x[2] + 9 * x[2] + 5 * (x[2] + 5) + 7 * ~x[2];
        o[30 * n] = 1;
        o[31 * n] = votes ? __builtin_ctz(votes) : 99;
        o[32 * n] = votes ? 31 - __builtin_clz(votes) : 99;
        o[33 * n] = __builtin_popcount(votes & (below | own));
        o[34 * n] = (int)(votes >> (k ^ 1) & 1);
    }
    expect_loop(out + first + 35 * n, x, lanes);
}

/* A work-group of `local` items; every sub-group but the last of a group is full. */
static void check_size(uint32_t size, uint32_t local)
{
    char kernel[8];
    int in[LIMIT], out[ROWS * LIMIT], wanted[ROWS * LIMIT];
    uint32_t n = GROUPS * local;
    const struct program_launch launch = {.groups = {GROUPS, 1, 1}, .local = {local, 1, 1}};
    check_fill_int(in, n, -100, 100, size + local);
    memset(out, 0x5A, sizeof(out));
    memcpy(wanted, out, sizeof(out));
    for (uint32_t group = 0; group < GROUPS; group++) {
        for (uint32_t first = 0; first < local; first += size) {
            uint32_t lanes = local - first < size ? local - first : size;
            expect(wanted, n, in, group * local + first, lanes, size);
            for (uint32_t k = 0; k < lanes; k++) {
                wanted[11 * n + group * local + first + k] = (int)(first / size);
                wanted[12 * n + group * local + first + k] = (int)((local + size - 1) / size);
            }
        }
    }
    snprintf(kernel, sizeof(kernel), "by_%u", size);
    const struct check_argument arguments[] = {{CHECK_BUFFER, in, n * sizeof(int)},
                                               {CHECK_BUFFER, out, ROWS * n * sizeof(int)}};
    const void *const expected[] = {NULL, wanted};
    check_kernel_against("subgroup", kernel, &launch, arguments, 2, expected);
}

/* SPV-28, SPV-29, SPV-30, SPV-31, SPV-32 */
static void full_subgroups(void **state)
{
    (void)state;
    check_size(8, 32);
    check_size(16, 64);
    check_size(32, 96);
}

/* SPV-28, SPV-31: the last sub-group of a group may be smaller; its missing lanes count nowhere */
static void the_last_subgroup_is_partial(void **state)
{
    (void)state;
    check_size(8, 12);
    check_size(16, 22);
    check_size(32, 36);
    check_size(32, 6);
}

/* SPV-28: a kernel whose functions alone ask for their place runs at the sub-group's size, too. */
static void ids_are_read_in_functions(void **state)
{
    enum { ITEMS = 5 * 8 };
    uint32_t out[GROUPS * ITEMS] = {0}, wanted[GROUPS * ITEMS];
    const struct program_launch launch = {.groups = {GROUPS, 1, 1}, .local = {5, 8, 1}};
    (void)state;
    for (uint32_t i = 0; i < GROUPS * ITEMS; i++) {
        uint32_t linear = i % ITEMS;
        wanted[i] = i % 3 ? (linear / 16 * 100 + linear % 16) * 6 : 7;
    }
    const struct check_argument arguments[] = {CHECK_ARRAY(out)};
    check_kernel_against("subgroup", "ids_in_functions", &launch, arguments, 1,
                         (const void *const[]){wanted});
}

/* SPV-30: values of lanes that are off come from where they were merged, not from where the lanes
 * that are on got theirs (codegen/mend.c). */
static void neighbours_that_are_off(void **state)
{
    enum { ITEMS = 4 * 8 };
    uint32_t a[ITEMS], b[ITEMS], out[2 * ITEMS] = {0}, wanted[2 * ITEMS];
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    (void)state;
    check_fill_int((int *)a, ITEMS, 0, 100, 1);
    check_fill_int((int *)b, ITEMS, 200, 300, 2);
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t next = i ^ 1, own = (2u << i % 8) - 1, others = (2u << next % 8) - 1;
        bool on = a[i] & 2, next_on = a[next] & 2;
        wanted[i] = on ? (next_on ? a[next] : b[next]) : 7;
        wanted[ITEMS + i] = on ? own | (next_on ? others : 0) : 9;
    }
    const struct check_argument arguments[] = {CHECK_ARRAY(a), CHECK_ARRAY(b), CHECK_ARRAY(out)};
    check_kernel_against("subgroup", "neighbours", &launch, arguments, 3,
                         (const void *const[]){NULL, NULL, wanted});
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
        cmocka_unit_test(full_subgroups),
        cmocka_unit_test(the_last_subgroup_is_partial),
        cmocka_unit_test(ids_are_read_in_functions),
        cmocka_unit_test(neighbours_that_are_off),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
