/* The width of kernels (cpu/function/width.c): more lanes than fill a register of words where lanes
 * join their atomics, in kernels with barriers, and where a model of the kernel's loops or
 * elements says so. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LEVELS = 3 };
static const char *const levels[LEVELS] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
static struct program *programs[LEVELS];

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < LEVELS; i++) {
        const struct program_options options = {.optimize = true, .cpu = levels[i]};
        programs[i] = program_build("width_O2", &options);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < LEVELS; i++) {
        program_destroy(programs[i]);
    }
    return 0;
}

/* Checks the lanes of kernels at each level. */
static void lanes_check(const char *const *kernels, const uint32_t lanes[LEVELS])
{
    for (size_t i = 0; i < LEVELS; i++) {
        for (size_t k = 0; kernels[k]; k++) {
            uint32_t found = program_record(programs[i], kernels[k])->lanes;
            if (found != lanes[i]) {
                fail_msg("%s: %u lanes on %s", kernels[k], found, levels[i]);
            }
        }
    }
}

static void lanes_are_doubled_where_they_join_atomics(void **state)
{
    (void)state;
    lanes_check((const char *const[]){"joined", NULL}, (const uint32_t[]){8, 16, 32});
    lanes_check((const char *const[]){"joined_bytes", NULL}, (const uint32_t[]){16, 32, 64});
    /* groups of 8 items, which run together where a register holds 16 */
    lanes_check((const char *const[]){"joined_in_a_small_group", NULL},
                (const uint32_t[]){8, 8, 32});
    lanes_check((const char *const[]){"apart", "exchanged", "long_and_joined", NULL},
                (const uint32_t[]){4, 8, 16});
}

static void lanes_that_are_asked_for_stay(void **state)
{
    (void)state;
    const struct program_options fixed = {.lanes = 4, .optimize = true, .cpu = "x86-64-v3"};
    struct program *program = program_build("width_O2", &fixed);
    assert_int_equal(program_record(program, "joined")->lanes, 4);
    assert_int_equal(program_record(program, "waits")->lanes, 4);
    assert_int_equal(program_record(program, "sums_sparse_rows")->lanes, 4);
    program_destroy(program);
}

static void a_kernel_that_waits_has_more_lanes(void **state)
{
    (void)state;
    lanes_check((const char *const[]){"waits", NULL}, (const uint32_t[]){4, 32, 32});
    lanes_check((const char *const[]){"waits_and_spills", NULL}, (const uint32_t[]){4, 16, 32});
    lanes_check((const char *const[]){"waits_in_many_registers", NULL},
                (const uint32_t[]){4, 8, 16});
}

static void columns_have_many_lanes(void **state)
{
    (void)state;
    lanes_check((const char *const[]){"sums_columns", NULL}, (const uint32_t[]){16, 32, 64});
    lanes_check((const char *const[]){"multiplies", "sums_columns_of_its_group", NULL},
                (const uint32_t[]){4, 8, 16});
}

static void regions_have_twice_the_lanes_in_registers_of_256_bits(void **state)
{
    (void)state;
    lanes_check((const char *const[]){"in_local_memory", "sums_its_group", "adds_neighbours",
                                      "sums_rows", NULL},
                (const uint32_t[]){4, 16, 16});
    lanes_check((const char *const[]){"sums_at_length", "turns_a_tile", "ranks", NULL},
                (const uint32_t[]){4, 8, 16});
    lanes_check((const char *const[]){"sums_eight", "adds_neighbours_in_short_rows", NULL},
                (const uint32_t[]){4, 8, 8});
}

static void branches_that_split_chunks_are_shared_by_more_lanes(void **state)
{
    (void)state;
    lanes_check((const char *const[]){"searches", NULL}, (const uint32_t[]){8, 16, 32});
    lanes_check((const char *const[]){"takes_steps", NULL}, (const uint32_t[]){8, 16, 32});
    lanes_check((const char *const[]){"joins_neighbours", NULL}, (const uint32_t[]){8, 16, 32});
}

static void items_of_divergent_gathers_run_one_by_one(void **state)
{
    (void)state;
    lanes_check((const char *const[]){"sums_sparse_rows", NULL}, (const uint32_t[]){1, 1, 1});
    lanes_check((const char *const[]){"sums_sparse_rows_in_sub_groups", NULL},
                (const uint32_t[]){8, 8, 16});
    lanes_check((const char *const[]){"sums_sparse_rows_by_eight", NULL},
                (const uint32_t[]){1, 8, 16});
    lanes_check((const char *const[]){"sums_sparse_rows_in_eights", NULL},
                (const uint32_t[]){4, 8, 16});
}

/* docs/decisions/vectoriser.md: kernels that rely on items in step do not run item by item */
static void items_that_exchange_values_keep_their_lanes(void **state)
{
    (void)state;
    lanes_check((const char *const[]){"sums_rows_that_all_store", NULL},
                (const uint32_t[]){1, 1, 1});
    lanes_check((const char *const[]){"sums_rows_that_neighbours_store", NULL},
                (const uint32_t[]){4, 8, 16});
}

static void narrow_elements_fill_registers(void **state)
{
    (void)state;
    lanes_check((const char *const[]){"compares_bytes", "adds_bytes", NULL},
                (const uint32_t[]){16, 32, 64});
    lanes_check((const char *const[]){"compares_neighbours", NULL}, (const uint32_t[]){16, 16, 32});
    lanes_check((const char *const[]){"adds_halfwords", NULL}, (const uint32_t[]){16, 32, 64});
    lanes_check((const char *const[]){"divides_bytes", "adds_words", NULL},
                (const uint32_t[]){4, 8, 16});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_doubled_where_they_join_atomics),
        cmocka_unit_test(lanes_that_are_asked_for_stay),
        cmocka_unit_test(a_kernel_that_waits_has_more_lanes),
        cmocka_unit_test(columns_have_many_lanes),
        cmocka_unit_test(regions_have_twice_the_lanes_in_registers_of_256_bits),
        cmocka_unit_test(branches_that_split_chunks_are_shared_by_more_lanes),
        cmocka_unit_test(items_of_divergent_gathers_run_one_by_one),
        cmocka_unit_test(items_that_exchange_values_keep_their_lanes),
        cmocka_unit_test(narrow_elements_fill_registers),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
