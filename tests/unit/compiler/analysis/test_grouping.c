/* Which kernels work in rows of memory, so that they run in groups that are long along x. */
#include "compiler/analysis/grouping.h"
#include "compiler/transform/transform.h"
#include "interpret.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool is_in_rows(const char *fixture, const char *kernel)
{
    struct geo_ir_module *module = support_fixture(fixture);
    struct geo_strbuf log;
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_shapes shapes;
    const struct geo_shape_options options = {.lanes = 8, .ids_fit_31_bits = true};
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
    bool rows = geo_grouping_is_in_rows(&loops, &shapes);
    geo_arena_finish(&arena);
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
    return rows;
}

static void neighbours_in_memory_are_a_row(void **state)
{
    (void)state;
    assert_true(is_in_rows("tiles_O2", "has_no_loop"));
    assert_true(is_in_rows("borders_O2", "guarded"));
    assert_true(is_in_rows("borders_O2", "extended"));
    assert_true(is_in_rows("borders_O2", "in_a_loop"));
}

static void what_is_far_apart_is_no_row(void **state)
{
    (void)state;
    assert_false(is_in_rows("borders_O2", "turns_a_plane"));
    assert_false(is_in_rows("borders_O2", "turns_short_rows"));
    assert_false(is_in_rows("borders_O2", "looks_up"));
}

static void rows_that_items_along_y_share_stay_together(void **state)
{
    (void)state;
    assert_false(is_in_rows("tiles_O2", "shares_a_row"));
}

static void atomics_keep_their_groups(void **state)
{
    (void)state;
    assert_false(is_in_rows("borders_O2", "counts"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_in_memory_are_a_row),
        cmocka_unit_test(what_is_far_apart_is_no_row),
        cmocka_unit_test(rows_that_items_along_y_share_stay_together),
        cmocka_unit_test(atomics_keep_their_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
