/* Unit test of lowering: work-group collectives as code, at every width, against lanes.c. */
#include "check.h"
#include "lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS 2u
#define LIMIT  (GROUPS * 64u)

static const enum lanes_join joins[] = {LANES_ADD, LANES_MUL, LANES_MIN, LANES_MAX,
                                        LANES_AND, LANES_OR,  LANES_XOR};

/* Rows of one join: reduced, inclusive, exclusive. */
static void expect_join(const struct lanes_type *type, enum lanes_join join, const void *in,
                        void *out, uint32_t n, uint32_t items)
{
    for (uint32_t group = 0; group < GROUPS; group++) {
        union lanes_value value = lanes_identity(type, join);
        for (uint32_t i = group * items; i < (group + 1) * items; i++) {
            lanes_store(type, out, 2 * n + i,
                        i == group * items ? lanes_before_first(type, join) : value);
            value = lanes_join(type, value, lanes_load(type, in, i), join);
            lanes_store(type, out, n + i, value);
        }
        for (uint32_t i = group * items; i < (group + 1) * items; i++) {
            lanes_store(type, out, i, value);
        }
    }
}

static void check_type(const char *program, const char *name, const uint32_t local[3])
{
    static const double reals[] = {-2, -1, 1, 2, 1, 2, -1, 1};
    const struct lanes_type *type = lanes_type_find(name);
    const uint32_t items = local[0] * local[1] * local[2], n = GROUPS * items;
    const uint32_t join_count = type->kind == LANES_FLOAT ? 4 : 7;
    const struct program_launch launch = {.groups = {GROUPS, 1, 1},
                                          .local = {local[0], local[1], local[2]}};
    size_t in_bytes = n * type->bytes, out_bytes = 3 * join_count * in_bytes;
    char kernel[16];
    char *in = malloc(in_bytes), *out = calloc(1, out_bytes), *wanted = calloc(1, out_bytes);
    int random[LIMIT];
    assert_true(in && out && wanted && n <= LIMIT);
    check_fill_int(random, n, -100000000, 100000000, items);
    for (uint32_t i = 0; i < n; i++) {
        union lanes_value value = {.integer = random[i] * INT64_C(1000003)};
        if (type->kind == LANES_FLOAT) {
            value.real = reals[random[i] & 7];
        }
        lanes_store(type, in, i, value);
    }
    for (uint32_t j = 0; j < join_count; j++) {
        expect_join(type, joins[j], in, wanted + 3 * j * in_bytes, n, items);
    }
    snprintf(kernel, sizeof(kernel), "join_%s", name);
    const struct check_argument arguments[] = {{CHECK_BUFFER, in, in_bytes},
                                               {CHECK_BUFFER, out, out_bytes}};
    check_kernel_against(program, kernel, &launch, arguments, 2, (const void *[]){NULL, wanted});
    free(in);
    free(out);
    free(wanted);
}

/* SPV-10 */
static void reductions_and_scans_of_every_type(void **state)
{
    static const char *const types[] = {"int", "uint", "long", "ulong", "half", "float", "double"};
    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        check_type("workgroup", types[i], (const uint32_t[]){37, 1, 1});
        check_type("workgroup", types[i], (const uint32_t[]){5, 4, 3});
        check_type("workgroup", types[i], (const uint32_t[]){1, 1, 1});
    }
}

/* SPV-10 */
static void reductions_and_scans_of_narrow_integers(void **state)
{
    static const char *const types[] = {"char", "uchar", "short", "ushort"};
    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        check_type("workgroup_narrow", types[i], (const uint32_t[]){37, 1, 1});
        check_type("workgroup_narrow", types[i], (const uint32_t[]){5, 2, 3});
    }
}

static void check_broadcast(uint32_t dimensions, const uint32_t local[3], const uint32_t source[3])
{
    const uint32_t items = local[0] * local[1] * local[2], n = GROUPS * items;
    const uint32_t from = (source[2] * local[1] + source[1]) * local[0] + source[0];
    const struct program_launch launch = {.groups = {GROUPS, 1, 1},
                                          .local = {local[0], local[1], local[2]}};
    char kernel[16];
    int in[LIMIT], out[4 * LIMIT] = {0}, wanted[4 * LIMIT] = {0};
    check_fill_int(in, n, 1, 100, from + items);
    for (uint32_t group = 0; group < GROUPS; group++) {
        const int *x = in + group * items;
        int all = 1, any = 0;
        for (uint32_t k = 0; k < items; k++) {
            all &= x[k] > 0;
            any |= x[k] > 90;
        }
        for (uint32_t i = group * items; i < (group + 1) * items; i++) {
            wanted[i] = x[from];
            wanted[n + i] = x[from] << 20;
            wanted[2 * n + i] = x[from];
            wanted[3 * n + i] = all + 2 * any;
        }
    }
    snprintf(kernel, sizeof(kernel), "broadcast_%u", dimensions);
    const struct check_argument arguments[] = {
        {CHECK_BUFFER, in, n * sizeof(int)},
        {CHECK_BUFFER, out, 4 * n * sizeof(int)},
        CHECK_SCALAR(source[0]),
        CHECK_SCALAR(source[1]),
        CHECK_SCALAR(source[2]),
    };
    check_kernel_against("workgroup", kernel, &launch, arguments, 5,
                         (const void *[]){NULL, wanted, NULL, NULL, NULL});
}

/* SPV-10 */
static void broadcasts_from_an_item_of_one_two_and_three_dimensions(void **state)
{
    (void)state;
    check_broadcast(1, (const uint32_t[]){37, 1, 1}, (const uint32_t[]){29, 0, 0});
    check_broadcast(1, (const uint32_t[]){64, 1, 1}, (const uint32_t[]){0, 0, 0});
    check_broadcast(2, (const uint32_t[]){9, 5, 1}, (const uint32_t[]){7, 3, 0});
    check_broadcast(3, (const uint32_t[]){5, 4, 3}, (const uint32_t[]){4, 1, 2});
    check_broadcast(3, (const uint32_t[]){1, 1, 7}, (const uint32_t[]){0, 0, 6});
}

static int finish(void **state)
{
    (void)state;
    check_finish();
    return 0;
}

#define MANY_ITEMS 21
#define MANY_STEPS 260

/* What kernels/barriers.cl computes, all items a step at a time. */
static void many_steps(int *v)
{
    int next[MANY_ITEMS];
    for (int step = 0; step < MANY_STEPS; step++) {
        for (int i = 0; i < MANY_ITEMS; i++) {
            next[i] = (int)(3u * (uint32_t)v[i] + (uint32_t)v[(i + 1) % MANY_ITEMS] +
                            (uint32_t)(step % 2));
        }
        memcpy(v, next, sizeof(next));
    }
}

static void many_run(const struct program *program, const char *kernel, uint32_t count)
{
    static const struct program_launch launch = {.groups = {2, 1, 1}, .local = {MANY_ITEMS, 1, 1}};
    int in[2 * MANY_ITEMS], out[2 * MANY_ITEMS] = {0}, nobody = -1;
    check_fill_int(in, 2 * MANY_ITEMS, -1000, 1000, 5);
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out),
                                                 PROGRAM_LOCAL(2 * MANY_ITEMS * sizeof(int)),
                                                 PROGRAM_VALUE(nobody)};
    program_run(program, kernel, &launch, arguments, count);
    many_steps(in);
    many_steps(in + MANY_ITEMS);
    assert_memory_equal(out, in, sizeof(out));
}

static void more_barriers_than_a_switch_has_cases(void **state)
{
    (void)state;
    for (uint32_t lanes = 1; lanes <= 8; lanes += 7) {
        const struct program_options options = {
            .lanes = lanes, .optimize = lanes > 1, .cpu = "x86-64"};
        struct program *program = program_build("barriers_O2", &options);
        many_run(program, "many", 3);
        program_destroy(program);
    }
}

/* A kernel whose items may return early has one body, and a tree of switches leads into it. */
static void more_barriers_after_a_return_than_a_switch_has_cases(void **state)
{
    (void)state;
    const struct program_options options = {.lanes = 1, .cpu = "x86-64"};
    struct program *program = program_build("barriers_after_O2", &options);
    assert_non_null(strstr(program_lowered(program), "\nways")); /* the tree is there */
    many_run(program, "many_after_return", 4);
    program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_barriers_than_a_switch_has_cases),
        cmocka_unit_test(more_barriers_after_a_return_than_a_switch_has_cases),
        cmocka_unit_test(reductions_and_scans_of_every_type),
        cmocka_unit_test(reductions_and_scans_of_narrow_integers),
        cmocka_unit_test(broadcasts_from_an_item_of_one_two_and_three_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
