/* Sub-group functions of every scalar type at S = 8, 16 and 32, by all lanes and by some, in full
 * and partial sub-groups, against lanes.c. */
#include "lanes.h"
#include "program.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LIMIT 80u
#define MASK  5u

/* ---- the rows of kernels/subgroup_types.cl ---- */

enum source {
    JOINED,
    FROM_CONSTANT, /* lane `number` */
    FROM_SCATTERED,
    FROM_XOR,
    FROM_UP,
    FROM_DOWN,
    FROM_ROTATED, /* in clusters */
    FROM_FIRST,
    FROM_LAST,
    FROM_XOR_OF_SOME,
    OWN_IF_EQUAL,
};

struct row {
    enum source source;
    uint8_t operation, join; /* JOINED */
    uint32_t number;         /* distance, mask, lane or size of clusters */
    uint32_t cluster;        /* of a rotation; 0: all */
};

#define JOIN_ROWS(operation)                                                                       \
    {JOINED, operation, LANES_ADD, 0, 0}, {JOINED, operation, LANES_MUL, 0, 0},                    \
        {JOINED, operation, LANES_MIN, 0, 0}, {JOINED, operation, LANES_MAX, 0, 0}
#define BIT_ROWS(operation)                                                                        \
    {JOINED, operation, LANES_AND, 0, 0}, {JOINED, operation, LANES_OR, 0, 0},                     \
        {JOINED, operation, LANES_XOR, 0, 0}

static const struct row of_all[] = {
    {JOINED, LANES_REDUCE, LANES_ADD, 0, 0},
    {JOINED, LANES_REDUCE, LANES_MIN, 0, 0},
    {JOINED, LANES_REDUCE, LANES_MAX, 0, 0},
    {JOINED, LANES_INCLUSIVE, LANES_ADD, 0, 0},
    {JOINED, LANES_INCLUSIVE, LANES_MIN, 0, 0},
    {JOINED, LANES_INCLUSIVE, LANES_MAX, 0, 0},
    {JOINED, LANES_EXCLUSIVE, LANES_ADD, 0, 0},
    {JOINED, LANES_EXCLUSIVE, LANES_MIN, 0, 0},
    {JOINED, LANES_EXCLUSIVE, LANES_MAX, 0, 0},
    {FROM_CONSTANT, 0, 0, 2, 0},
    {FROM_SCATTERED, 0, 0, 0, 0},
    {FROM_XOR, 0, 0, 1, 0},
    {FROM_XOR, 0, 0, MASK, 0},
    {FROM_UP, 0, 0, 2, 0},
    {FROM_DOWN, 0, 0, MASK, 0},
    {FROM_ROTATED, 0, 0, 3, 0},
    {FROM_ROTATED, 0, 0, MASK, 0},
    {FROM_ROTATED, 0, 0, 1, 4},
};

static const struct row of_some[] = {
    JOIN_ROWS(LANES_REDUCE),
    JOIN_ROWS(LANES_INCLUSIVE),
    JOIN_ROWS(LANES_EXCLUSIVE),
    {JOINED, LANES_CLUSTERED, LANES_ADD, 4, 0},
    {JOINED, LANES_CLUSTERED, LANES_MUL, 8, 0},
    {JOINED, LANES_CLUSTERED, LANES_MIN, 2, 0},
    {JOINED, LANES_CLUSTERED, LANES_MAX, 1, 0},
    {FROM_FIRST, 0, 0, 0, 0},
    {FROM_LAST, 0, 0, 0, 0},
    {FROM_XOR_OF_SOME, 0, 0, 1, 0},
    {OWN_IF_EQUAL, 0, 0, 100, 0},
    /* integers only */
    BIT_ROWS(LANES_REDUCE),
    BIT_ROWS(LANES_INCLUSIVE),
    BIT_ROWS(LANES_EXCLUSIVE),
    {JOINED, LANES_CLUSTERED, LANES_AND, 4, 0},
    {JOINED, LANES_CLUSTERED, LANES_OR, 8, 0},
    {JOINED, LANES_CLUSTERED, LANES_XOR, 2, 0},
};

#define ALL_ROWS   (sizeof(of_all) / sizeof(of_all[0]))
#define SOME_ROWS  (sizeof(of_some) / sizeof(of_some[0]))
#define BITS_ROWS  12u
#define TOTAL_ROWS (ALL_ROWS + SOME_ROWS)

/* One sub-group: its lanes' values and who takes part. */
struct subgroup {
    const struct lanes_type *type;
    union lanes_value values[32];
    uint32_t size, most; /* items, S */
    uint32_t on;
};

static bool all_equal(const struct subgroup *group)
{
    const union lanes_value *first = &group->values[__builtin_ctz(group->on)];
    for (uint32_t k = 0; k < group->size; k++) {
        bool equal = group->type->kind == LANES_FLOAT ? group->values[k].real == first->real
                                                      : group->values[k].bits == first->bits;
        if ((group->on >> k & 1) && !equal) {
            return false;
        }
    }
    return true;
}

static uint32_t source_lane(const struct subgroup *group, const struct row *row, uint32_t lane)
{
    uint32_t cluster = row->cluster ? row->cluster : group->most;
    switch (row->source) {
    case FROM_CONSTANT:
        return row->number;
    case FROM_SCATTERED:
        return (lane * 3 + 1) % group->size;
    case FROM_XOR:
    case FROM_XOR_OF_SOME:
        return lane ^ row->number;
    case FROM_UP:
        return lane - row->number;
    case FROM_DOWN:
        return lane + row->number;
    case FROM_ROTATED:
        return lane / cluster * cluster + (lane + row->number) % cluster;
    case FROM_FIRST:
        return (uint32_t)__builtin_ctz(group->on);
    default:
        return 31 - (uint32_t)__builtin_clz(group->on);
    }
}

static union lanes_value expected(const struct subgroup *group, const struct row *row,
                                  uint32_t lane)
{
    if (row->source == JOINED) {
        return lanes_reduce(group->type, group->values, group->on, lane, (enum lanes_join)row->join,
                            (enum lanes_operation)row->operation, row->number);
    }
    if (row->source == OWN_IF_EQUAL) {
        union lanes_value other = {.bits = row->number};
        if (group->type->kind == LANES_FLOAT) {
            other.real = row->number;
        }
        return all_equal(group) ? group->values[lane] : other;
    }
    uint32_t from = source_lane(group, row, lane);
    bool there = from < group->size && (row->source != FROM_XOR_OF_SOME || (group->on >> from & 1));
    return group->values[there ? from : lane];
}

static void expect(const struct lanes_type *type, uint32_t size, uint32_t local, uint32_t n,
                   const void *in, const uint32_t *pick, void *out)
{
    uint32_t some = type->kind == LANES_FLOAT ? SOME_ROWS - BITS_ROWS : SOME_ROWS;
    for (uint32_t start = 0; start < n;) {
        uint32_t left = local - start % local;
        struct subgroup group = {.type = type, .size = left < size ? left : size, .most = size};
        uint32_t picked = 0;
        for (uint32_t k = 0; k < group.size; k++) {
            group.values[k] = lanes_load(type, in, start + k);
            picked |= (pick[start + k] & 1) << k;
        }
        for (uint32_t r = 0; r < ALL_ROWS + some; r++) {
            bool all = r < ALL_ROWS;
            const struct row *row = all ? &of_all[r] : &of_some[r - ALL_ROWS];
            group.on = all ? UINT32_MAX >> (32 - group.size) : picked;
            for (uint32_t k = 0; k < group.size; k++) {
                if (group.on >> k & 1) {
                    lanes_store(type, out, r * n + start + k, expected(&group, row, k));
                }
            }
        }
        start += group.size;
    }
}

/* ---- running ---- */

/* Any bits for integers; floats whose sums and products are exact. Some sub-groups are all the
 * same. */
static void fill(const struct lanes_type *type, void *in, uint32_t *pick, uint32_t n, uint64_t seed)
{
    static const double reals[] = {-2, -1, 1, 2, 1, 2, -1, 1};
    struct support_random random = {seed};
    union lanes_value same = {0};
    for (uint32_t i = 0; i < n; i++) {
        union lanes_value value = {.bits = support_random(&random)};
        if (type->kind == LANES_FLOAT) {
            value.real = reals[value.bits % 8];
        }
        bool repeat = i / 16 % 2 == 1;
        same = repeat ? same : value;
        lanes_store(type, in, i, repeat ? same : value);
        pick[i] = (uint32_t)support_random_below(&random, 3);
    }
}

static void check_one(const struct program *program, const char *kernel,
                      const struct lanes_type *type, uint32_t size, uint32_t local)
{
    const uint32_t n = 2 * local, mask = MASK;
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {local, 1, 1}};
    size_t bytes = TOTAL_ROWS * n * type->bytes;
    uint64_t in[LIMIT];
    uint32_t pick[LIMIT];
    char *out = malloc(bytes), *wanted = malloc(bytes);
    assert_true(n <= LIMIT && out && wanted);
    memset(out, 0x5A, bytes);
    memset(wanted, 0x5A, bytes);
    fill(type, in, pick, n, size * 1000 + local);
    expect(type, size, local, n, in, pick, wanted);
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(pick),
                                                 PROGRAM_VALUE(mask), PROGRAM_POINTER(out)};
    program_run(program, kernel, &launch, arguments, 4);
    for (size_t at = 0; at < bytes / type->bytes; at++) {
        if (memcmp(out + at * type->bytes, wanted + at * type->bytes, type->bytes) != 0) {
            print_error("%s, %u items: row %zu, item %zu differs\n", kernel, local, at / n, at % n);
            fail();
        }
    }
    free(out);
    free(wanted);
}

static void check_program(const char *name, const struct program_options *options)
{
    static const char *const kernels[] = {
        "char_8",    "char_16",  "char_32",  "uchar_16",  "short_16", "ushort_8",
        "ushort_32", "int_8",    "int_16",   "int_32",    "uint_32",  "long_8",
        "long_16",   "ulong_32", "half_8",   "half_16",   "half_32",  "float_8",
        "float_16",  "float_32", "double_8", "double_16", "double_32"};
    struct program *program = program_build(name, options);
    for (size_t i = 0; program_runs(program) && i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        char type[16];
        uint32_t size;
        assert_int_equal(sscanf(kernels[i], "%15[a-z]_%u", type, &size), 2);
        check_one(program, kernels[i], lanes_type_find(type), size, size); /* full */
        check_one(program, kernels[i], lanes_type_find(type), size,
                  size + 5);                                            /* and a partial one */
        check_one(program, kernels[i], lanes_type_find(type), size, 3); /* nothing else */
    }
    program_destroy(program);
}

/* SPV-28, SPV-29, SPV-30, SPV-31, SPV-32 */
static void types_optimised(void **state)
{
    (void)state;
    check_program("subgroup_types_O2", &(struct program_options){.lanes = 16, .optimize = true});
}

static void types_not_optimised(void **state)
{
    (void)state;
    check_program("subgroup_types_O0", &(struct program_options){.lanes = 16, .optimize = false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_optimised),
        cmocka_unit_test(types_not_optimised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
