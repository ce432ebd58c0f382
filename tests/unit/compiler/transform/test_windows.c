/* Loops over windows, whose bounds are clamped: which ones get a first part without clamps. That
 * they still compute the same is the corpus' matter (kernels/windows.cl). */
#include "canonical.h"
#include "interpret.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct geo_ir_module *canonical(void)
{
    struct geo_ir_module *module = support_fixture("windows_O2");
    canonical_make(module);
    return module;
}

static void windows_have_a_copy_without_clamps(void **state)
{
    (void)state;
    struct geo_ir_module *module = canonical();
    uint32_t windows = 0;
    geo_ir_for_each_function(function, module) {
        if (!function->is_kernel || strncmp(function->entry_name, "not", 3) == 0) {
            continue;
        }
        print_message("%s\n", function->entry_name);
        assert_int_equal(support_count(module, function, SpvOpLoad), 2);
        assert_true(support_count(module, function, GEO_OP_ALL_LANES) >= 2);
        windows++;
    }
    assert_int_equal(windows, 6);
    geo_ir_module_destroy(module);
}

static void other_loops_have_one_copy(void **state)
{
    (void)state;
    struct geo_ir_module *module = canonical();
    uint32_t others = 0;
    geo_ir_for_each_function(function, module) {
        if (function->is_kernel && strncmp(function->entry_name, "not", 3) == 0) {
            print_message("%s\n", function->entry_name);
            assert_int_equal(support_count(module, function, SpvOpLoad), 1);
            others++;
        }
    }
    assert_int_equal(others, 4);
    geo_ir_module_destroy(module);
}

/* An extension from 32 bits is only known to be even if it is computed from the first lane. */
static void extensions_start_from_the_first_lane(void **state)
{
    (void)state;
    struct geo_ir_module *module = canonical();
    assert_true(support_count(module, interp_find(module, "of_ints"), GEO_OP_FIRST_LANE) >= 2);
    assert_int_equal(support_count(module, interp_find(module, "of_sizes"), GEO_OP_FIRST_LANE), 0);
    geo_ir_module_destroy(module);
}

/* A difference that saturates is one that does not while the result is not below 0. */
static void saturated_differences_are_asked_for_their_sign(void **state)
{
    (void)state;
    struct geo_ir_module *module = canonical();
    const struct geo_ir_function *function = interp_find(module, "of_sizes");
    assert_int_equal(support_count(module, function, SpvOpUGreaterThanEqual), 1);
    assert_int_equal(support_count(module, function, SpvOpULessThanEqual), 1);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_have_a_copy_without_clamps),
        cmocka_unit_test(other_loops_have_one_copy),
        cmocka_unit_test(extensions_start_from_the_first_lane),
        cmocka_unit_test(saturated_differences_are_asked_for_their_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
