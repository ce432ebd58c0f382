/* Tiles: for which kernels they are legal, how many members pay, by the registers there are. */
#include "compiler/analysis/tiles.h"
#include "compiler/transform/transform.h"
#include "interpret.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t members_of(const char *kernel, uint32_t registers, uint32_t forced)
{
    struct geo_ir_module *module = support_fixture("tiles_O2");
    struct geo_strbuf log;
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_shapes shapes;
    struct geo_tiles tiles;
    geo_strbuf_init(&log, 0);
    geo_arena_init(&arena, 0);
    assert_int_equal(geo_transform_canonicalize(module, true, &log), ZE_RESULT_SUCCESS);
    struct geo_ir_function *function = interp_find(module, kernel);
    assert_non_null(function);
    geo_ir_function_number(function);
    const struct geo_shape_options options = {.lanes = 16, .ids_fit_31_bits = true};
    assert_true(geo_cfg_build(function, &arena, &cfg));
    assert_true(geo_dominators_compute(&cfg, &arena, &tree));
    assert_true(geo_loops_compute(&tree, &arena, &loops));
    assert_true(geo_shapes_compute(&loops, &options, &arena, &shapes));
    const struct geo_tile_options asked = {.loops = &loops,
                                           .shapes = &shapes,
                                           .direction = GEO_SHAPE_ROWS,
                                           .forced = forced,
                                           .registers = registers};
    assert_true(geo_tiles_find(&asked, &arena, &tiles));
    const struct geo_tile_body body = {.count = cfg.reachable_count};
    uint32_t members = geo_tile_members(&tiles, &body, &arena);
    geo_arena_finish(&arena);
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
    return members;
}

static void rows_share_what_is_the_same_in_all(void **state)
{
    (void)state;
    assert_int_equal(members_of("shares_a_row", 32, 0), 16);
    assert_int_equal(members_of("shares_a_row", 16, 0), 8); /* sums and b stay in registers */
}

static void rows_that_share_little_are_chunks(void **state)
{
    (void)state;
    assert_int_equal(members_of("shares_little", 32, 0), 1);
    assert_int_equal(members_of("has_no_loop", 32, 0), 1);
}

/* All of it is shared; but who launches it with rows? */
static void kernels_of_one_dimension_have_none(void **state)
{
    (void)state;
    assert_int_equal(members_of("knows_no_row", 32, 0), 1);
}

static void what_is_forced_must_be_legal(void **state)
{
    (void)state;
    assert_int_equal(members_of("has_no_loop", 32, 4), 4);
    assert_int_equal(members_of("has_no_loop", 32, 7), 4);
    assert_int_equal(members_of("has_no_loop", 32, 100), GEO_TILE_LIMIT);
    assert_int_equal(members_of("adds_atomically", 32, 4), 1);
    assert_int_equal(members_of("turns_by_row", 32, 4), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_share_what_is_the_same_in_all),
        cmocka_unit_test(rows_that_share_little_are_chunks),
        cmocka_unit_test(kernels_of_one_dimension_have_none),
        cmocka_unit_test(what_is_forced_must_be_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
