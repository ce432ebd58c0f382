/* Which kernels work in rows of memory, so that they run in groups that are long along x. */
#include "compiler/analysis/grouping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysed.h"

static bool is_in_rows(const char *fixture, const char *kernel)
{
    struct analysed a;
    analysed_begin(&a, fixture, kernel, 8);
    bool rows = geo_grouping_is_in_rows(&a.loops, &a.shapes);
    analysed_end(&a);
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
