/* Branches at which the lanes of most chunks agree: which ones, and that they count as uniform. */
#include "compiler/analysis/agreement.h"
#include "compiler/transform/transform.h"
#include "interpret.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
    struct geo_ir_module *module = support_fixture("borders_O2");
    struct geo_strbuf log;
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_shapes shapes;
    struct geo_shape_options options = {.lanes = 8, .ids_fit_31_bits = true};
    bool *found;
    geo_strbuf_init(&log, 0);
    geo_arena_init(&arena, 0);
    assert_int_equal(geo_transform_canonicalize(module, true, &log), ZE_RESULT_SUCCESS);
    struct geo_ir_function *function = interp_find(module, kernel);
    assert_non_null(function);
    geo_ir_function_number(function);
    assert_true(geo_cfg_build(function, &arena, &cfg));
    assert_true(geo_dominators_compute(&cfg, &arena, &tree));
    assert_true(geo_loops_compute(&tree, &arena, &loops));
    assert_true(geo_shapes_compute(&loops, &options, &arena, &shapes));
    assert_true(geo_agreement_find(&loops, &shapes, &arena, &found));
    assert_int_equal(count_of(found, cfg.block_count), agreed);
    assert_true(agreed || !found);
    options.agreed = found;
    assert_true(geo_shapes_compute(&loops, &options, &arena, &shapes));
    assert_int_equal(count_of(shapes.divergent_branch, cfg.block_count), divergent);
    geo_arena_finish(&arena);
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_agree_inside_of_borders),
        cmocka_unit_test(lanes_agree_in_loops_if_the_border_stays),
        cmocka_unit_test(starting_again_repeats_no_effect),
        cmocka_unit_test(starting_again_repeats_no_loop),
        cmocka_unit_test(lanes_need_not_agree_about_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
