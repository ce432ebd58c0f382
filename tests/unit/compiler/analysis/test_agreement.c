/* Branches at which the lanes of most chunks agree: which ones, and that they count as uniform. */
#include "compiler/analysis/agreement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysed.h"

static uint32_t count_of(const bool *blocks, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; blocks && i < count; i++) {
        found += blocks[i];
    }
    return found;
}

/* Expects a number of branches at which lanes agree, and of branches that stay divergent. */
static void expect(const char *kernel, uint32_t agreed, uint32_t divergent)
{
    struct analysed a;
    bool *found;
    analysed_begin(&a, "borders_O2", kernel, 8);
    assert_true(geo_agreement_find(&a.loops, &a.shapes, &a.arena, &found));
    assert_int_equal(count_of(found, a.cfg.block_count), agreed);
    assert_true(agreed || !found);
    a.options.agreed = found;
    assert_true(geo_shapes_compute(&a.loops, &a.options, &a.arena, &a.shapes));
    assert_int_equal(count_of(a.shapes.divergent_branch, a.cfg.block_count), divergent);
    analysed_end(&a);
}

static void lanes_agree_inside_of_borders(void **state)
{
    (void)state;
    expect("guarded", 1, 0);
    expect("extended", 1, 0);
}

static void lanes_agree_in_loops_if_the_border_stays(void **state)
{
    (void)state;
    expect("in_a_loop", 1, 0);
    expect("others_that_move_in_a_loop", 0, 1);
}

static void starting_again_repeats_no_effect(void **state)
{
    (void)state;
    expect("behind_private_stores", 1, 0);
    expect("others_behind_an_effect", 0, 1);
}

static void starting_again_repeats_no_loop(void **state)
{
    (void)state;
    expect("others_behind_a_loop", 0, 1);
}

static void lanes_need_not_agree_about_data(void **state)
{
    (void)state;
    expect("others_by_data", 0, 1);
}

static void full_chunks_inside_of_borders_need_one_case(void **state)
{
    (void)state;
    expect("clamps", 2, 0);
    expect("clamps_behind_an_effect", 0, 0);
    expect("clamps_that_move_in_a_loop", 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_agree_inside_of_borders),
        cmocka_unit_test(lanes_agree_in_loops_if_the_border_stays),
        cmocka_unit_test(starting_again_repeats_no_effect),
        cmocka_unit_test(starting_again_repeats_no_loop),
        cmocka_unit_test(lanes_need_not_agree_about_data),
        cmocka_unit_test(full_chunks_inside_of_borders_need_one_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
