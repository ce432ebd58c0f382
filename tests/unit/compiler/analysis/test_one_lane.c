/* Which kernels take less time item by item. */
#include "compiler/analysis/one_lane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysed.h"
#include "compiler/analysis/interleave.h"

/* Returns on how many of three processors one lane pays: with registers of 128, 256 and 512
 * bits. */
static uint32_t pays(const char *kernel)
{
    static const struct geo_one_lane_target targets[] = {
        {.vector_bits = 128},
        {.vector_bits = 256, .gathers = true},
        {.vector_bits = 512, .gathers = true, .scatters = true}};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        struct analysed a;
        bool pays = false;
        analysed_begin(&a, "one_lane_O2", kernel, targets[i].vector_bits / 32);
        assert_true(geo_interleave_mark(interp_find(a.module, kernel), &a.arena));
        assert_true(geo_shapes_compute(&a.loops, &a.options, &a.arena, &a.shapes));
        assert_true(geo_one_lane_pays(&a.loops, &a.shapes, &targets[i], &a.arena, &pays));
        count += pays;
        analysed_end(&a);
    }
    return count;
}

static void searches_with_a_stack_run_item_by_item(void **state)
{
    (void)state;
    assert_int_equal(pays("searches"), 3);
}

static void lanes_are_kept_for_arithmetic(void **state)
{
    (void)state;
    assert_int_equal(pays("searches_and_computes"), 0);
    assert_int_equal(pays("takes_remainders"), 0);
    assert_int_equal(pays("computes_in_four_loops"), 0);
}

static void gathers_matter_where_lanes_leave_at_different_times(void **state)
{
    (void)state;
    assert_int_equal(pays("sums_sparse_rows"), 3);
    assert_int_equal(pays("sums_full_rows"), 0);
    assert_int_equal(pays("moves_records"), 0);
}

static void counters_in_local_memory_take_items_one_by_one(void **state)
{
    (void)state;
    assert_int_equal(pays("counts_in_local_memory"), 3);
    assert_int_equal(pays("counts_in_one_place"), 0);
}

static void an_index_in_all_lanes_is_one_access(void **state)
{
    (void)state;
    assert_int_equal(pays("fills_an_array"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_with_a_stack_run_item_by_item),
        cmocka_unit_test(lanes_are_kept_for_arithmetic),
        cmocka_unit_test(gathers_matter_where_lanes_leave_at_different_times),
        cmocka_unit_test(counters_in_local_memory_take_items_one_by_one),
        cmocka_unit_test(an_index_in_all_lanes_is_one_access),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
