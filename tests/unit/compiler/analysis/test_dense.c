/* Which vectors of large elements are held densely (analysis/dense.h). */
#include "compiler/analysis/dense.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysed.h"

/* Returns how many varying values of a kernel with elements of `width` bits are dense. */
static uint32_t dense_of(const char *kernel, uint32_t width)
{
    struct analysed a;
    struct geo_dense dense;
    const bool *chosen;
    uint32_t count = 0;
    analysed_begin(&a, "dense_O2", kernel, 8);
    assert_true(geo_dense_find(a.cfg.function, &a.arena, false, &dense));
    assert_true(geo_dense_choose(&dense, &a.loops, &a.shapes, &a.arena, &chosen));
    geo_ir_for_each_block(block, a.cfg.function) {
        geo_ir_for_each_inst(inst, block) {
            const struct geo_ir_type *type = inst->value.type;
            bool fits = type->kind == GEO_TYPE_VECTOR && type->element->kind != GEO_TYPE_BOOL &&
                        type->element->width == width &&
                        geo_shape_of(&a.shapes, &inst->value).kind == GEO_SHAPE_VARYING;
            count += fits && chosen && chosen[inst->value.index];
        }
    }
    analysed_end(&a);
    return count;
}

static void vectors_used_as_a_whole_are_dense(void **state)
{
    (void)state;
    assert_true(dense_of("whole", 32) >= 3);
    assert_true(dense_of("selected", 32) >= 3);
    assert_true(dense_of("doubles", 64) >= 3);
    assert_true(dense_of("converted", 32) >= 1);
    assert_true(dense_of("places", 32) >= 2);
    assert_true(dense_of("one_taken", 32) >= 3);
}

static void vectors_taken_apart_are_held_in_parts(void **state)
{
    (void)state;
    assert_int_equal(dense_of("dots", 32), 0);
    assert_int_equal(dense_of("made_of_numbers", 32), 0);
    assert_int_equal(dense_of("scaled_often", 32), 0);
    assert_int_equal(dense_of("averages", 32), 0);
}

static void loops_weigh_more_than_what_is_around_them(void **state)
{
    (void)state;
    assert_true(dense_of("sums", 32) >= 3);
    assert_int_equal(dense_of("forces", 32), 0);
}

/* Small elements stay dense where large ones that are made of them are not. */
static void small_elements_are_dense_without_large_ones(void **state)
{
    (void)state;
    assert_true(dense_of("mixed", 8) >= 3);
    assert_int_equal(dense_of("mixed", 32), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_used_as_a_whole_are_dense),
        cmocka_unit_test(vectors_taken_apart_are_held_in_parts),
        cmocka_unit_test(loops_weigh_more_than_what_is_around_them),
        cmocka_unit_test(small_elements_are_dense_without_large_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
