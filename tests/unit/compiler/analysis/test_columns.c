/* Which accesses move along a column of a matrix. */
#include "compiler/analysis/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysed.h"

/* Returns how many loads of the kernel's loops move along a column. */
static uint32_t columns_of(const char *kernel)
{
    struct analysed a;
    uint32_t count = 0;
    analysed_begin(&a, "columns_O2", kernel, 8);
    assert_true(a.loops.count >= 1); /* a pass may have copied it */
    for (uint32_t k = 0; k < a.loops.count; k++) {
        const struct geo_loop *loop = a.loops.loops[k];
        for (uint32_t i = 0; i < loop->block_count; i++) {
            geo_ir_for_each_inst(inst, loop->blocks[i]) {
                count += inst->op == SpvOpLoad && geo_column_is(&a.loops, &a.shapes, loop, inst);
            }
        }
    }
    analysed_end(&a);
    return count;
}

static void a_load_moves_down_a_column(void **state)
{
    (void)state;
    assert_int_equal(columns_of("of_any_rows"), 1);
    assert_int_equal(columns_of("of_rows_backwards"), 1);
    assert_int_equal(columns_of("of_known_rows"), 1);
}

static void rows_of_few_lines_are_near(void **state)
{
    (void)state;
    assert_int_equal(columns_of("of_short_rows"), 0);
}

static void other_loads_are_in_no_column(void **state)
{
    (void)state;
    assert_int_equal(columns_of("of_every_other"), 0);
    assert_int_equal(columns_of("along_rows"), 0);
    assert_int_equal(columns_of("in_one_place"), 0);
    assert_int_equal(columns_of("of_a_list"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_moves_down_a_column),
        cmocka_unit_test(rows_of_few_lines_are_near),
        cmocka_unit_test(other_loads_are_in_no_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
