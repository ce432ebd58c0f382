/* Group operations written by hand (kernels/group_forms.spvasm) at S = 8, 16 and 32, in full and
 * partial sub-groups, against loops over the lanes. */
#include "program.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROWS   17u
#define GROUPS 2u
#define LIMIT  (GROUPS * 64u)

/* Rows of one sub-group: lanes [0, lanes) of x, written from out[0] on. */
static void expect_subgroup(uint32_t *out, uint32_t n, const uint32_t *x, uint32_t lanes)
{
    uint32_t votes = 0, other = 0, a = 0, b = 0, c = 0, d = 0;
    for (uint32_t k = 0; k < lanes; k++) {
        votes |= (x[k] & 1) << k;
        other |= (x[k] >> 1 & 1) << k;
        a += x[k];
        b += x[k] * 3;
        c += x[k] ^ 5;
        d += x[k] + 7;
    }
    uint32_t everyone = UINT32_MAX >> (32 - lanes);
    for (uint32_t k = 0; k < lanes; k++) {
        uint32_t below = UINT32_MAX >> (31 - k), quad = k & ~3u;
        uint32_t *o = out + k;
        o[0 * n] = votes;
        o[1 * n] = x[0];
        o[2 * n] = x[2];
        o[3 * n] = (votes == everyone) + 2 * (votes != 0) + 4 * (votes == everyone || votes == 0);
        o[4 * n] = a + 3 * b + 5 * c + 7 * d;
        o[5 * n] = ((votes & below) != 0) + 2 * ((other & below) != 0);
        o[6 * n] = x[quad + 2];
        o[7 * n] = x[k ^ 1];
        o[8 * n] = x[k ^ 2];
        o[9 * n] = x[k ^ 3];
        o[10 * n] = x[quad + (k + 3) % 4];
        o[11 * n] = lanes;
        o[12 * n] = lanes - 1;
        o[13 * n] = k + 1;
    }
}

static void expect_group(uint32_t *out, uint32_t n, const uint32_t *x, uint32_t items)
{
    uint32_t total = 0;
    for (uint32_t k = 0; k < items; k++) {
        total += x[k] + 9 * x[k] + 5 * (x[k] ^ 5);
    }
    for (uint32_t k = 0; k < items; k++) {
        out[14 * n + k] = total;
        out[15 * n + k] = x[1] & 1;
        out[16 * n + k] = x[k ^ 1];
    }
}

static void check_size(const struct program *program, uint32_t size, uint32_t local, uint32_t bits)
{
    char kernel[16];
    uint32_t x[LIMIT], out[ROWS * LIMIT], wanted[ROWS * LIMIT];
    const uint32_t n = GROUPS * local;
    const struct program_launch launch = {.groups = {GROUPS, 1, 1}, .local = {local, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(x), PROGRAM_POINTER(out)};
    struct support_random random = {size + local};
    for (uint32_t i = 0; i < n; i++) {
        x[i] = (uint32_t)support_random(&random) | bits;
    }
    for (uint32_t group = 0; group < GROUPS; group++) {
        for (uint32_t first = 0; first < local; first += size) {
            uint32_t at = group * local + first;
            uint32_t lanes = local - first < size ? local - first : size;
            expect_subgroup(wanted + at, n, x + at, lanes);
        }
        expect_group(wanted + group * local, n, x + group * local, local);
    }
    snprintf(kernel, sizeof(kernel), "forms_%u", size);
    program_run(program, kernel, &launch, arguments, 2);
    for (uint32_t at = 0; at < ROWS * n; at++) {
        if (out[at] != wanted[at]) {
            print_error("%s, %u items: row %u, item %u is %#x, not %#x\n", kernel, local, at / n,
                        at % n, out[at], wanted[at]);
            fail();
        }
    }
}

static void check_program(bool optimize)
{
    struct program *program =
        program_build("group_forms", &(struct program_options){.lanes = 16, .optimize = optimize});
    static const uint32_t sizes[] = {8, 16, 32};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_size(program, sizes[i], sizes[i], 0);
        check_size(program, sizes[i], sizes[i] + 12, 0);
        check_size(program, sizes[i], sizes[i] + 12, 1); /* all are odd */
        check_size(program, sizes[i], 4, 0);
    }
    program_destroy(program);
}

/* SPV-10, SPV-29, SPV-32 */
static void forms_optimised(void **state)
{
    (void)state;
    check_program(true);
}

static void forms_not_optimised(void **state)
{
    (void)state;
    check_program(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_optimised),
        cmocka_unit_test(forms_not_optimised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
