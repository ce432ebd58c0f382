/* Which kernels a launch may run with few threads, because their groups contend for memory
 * (analysis/contended.h). */
#include "compiler/analysis/contended.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysed.h"
#include "compiler/ir/grammar.h"

static bool contended_of(const char *fixture, const char *kernel)
{
    struct analysed a;
    bool contended;
    print_message("%s\n", kernel);
    analysed_begin(&a, fixture, kernel, 8);
    assert_true(geo_contended_find(&a.loops, &a.arena, &contended));
    analysed_end(&a);
    return contended;
}

/* Checks the kernels of a fixture whose names begin with `not`, or the others. Returns how many. */
static uint32_t kernels_check(const char *fixture, bool contended)
{
    struct geo_ir_module *module = support_fixture(fixture);
    uint32_t kernels = 0;
    geo_ir_for_each_function(function, module) {
        if (function->is_kernel && (strncmp(function->entry_name, "not", 3) != 0) == contended) {
            assert_int_equal(contended_of(fixture, function->entry_name), contended);
            kernels++;
        }
    }
    geo_ir_module_destroy(module);
    return kernels;
}

static void groups_contend_by_atomics_on_global_memory(void **state)
{
    (void)state;
    assert_int_equal(kernels_check("contended_O2", true), 4);
    assert_int_equal(kernels_check("contended_O0", true), 4);
}

static void groups_that_may_wait_run_at_the_same_time(void **state)
{
    (void)state;
    assert_int_equal(kernels_check("contended_O2", false), 6);
    assert_int_equal(kernels_check("contended_O0", false), 6);
}

/* A kernel that only reads with atomics changes nothing, so its groups do not contend. */
static void atomic_loads_do_not_contend(void **state)
{
    struct analysed a;
    bool contended = true;
    (void)state;
    analysed_begin(&a, "contended_O2", "counted", 8);
    geo_ir_for_each_block(block, a.cfg.function) {
        geo_ir_for_each_inst(inst, block) {
            if (geo_op_is(inst->op, GEO_IS_ATOMIC)) {
                inst->op = SpvOpAtomicLoad;
            }
        }
    }
    assert_true(geo_contended_find(&a.loops, &a.arena, &contended));
    assert_false(contended);
    analysed_end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_contend_by_atomics_on_global_memory),
        cmocka_unit_test(groups_that_may_wait_run_at_the_same_time),
        cmocka_unit_test(atomic_loads_do_not_contend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
