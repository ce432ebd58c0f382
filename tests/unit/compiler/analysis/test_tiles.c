/* Tiles: for which kernels they are legal, how many members pay, by the registers there are. */
#include "compiler/analysis/tiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysed.h"

static uint32_t members_of(const char *kernel, uint32_t registers, uint32_t forced)
{
    struct analysed a;
    struct geo_tiles tiles;
    analysed_begin(&a, "tiles_O2", kernel, 16);
    const struct geo_tile_options asked = {.loops = &a.loops,
                                           .shapes = &a.shapes,
                                           .direction = GEO_SHAPE_ROWS,
                                           .forced = forced,
                                           .registers = registers};
    assert_true(geo_tiles_find(&asked, &a.arena, &tiles));
    const struct geo_tile_body body = {.count = a.cfg.reachable_count};
    uint32_t members = geo_tile_members(&tiles, &body, &a.arena);
    analysed_end(&a);
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
