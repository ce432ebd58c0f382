/* Which atomic additions may wait until a call of the kernel ends (analysis/pending.h). */
#include "compiler/analysis/pending.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysed.h"
#include "compiler/ir/grammar.h"

static uint32_t count_in(const struct geo_ir_function *function, const struct geo_pending *pending)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            count += pending->is && pending->is[inst->value.index];
        }
    }
    return count;
}

/* Returns how many additions of a kernel pend, and the width of their type. */
static uint32_t pending_of(const char *kernel, uint32_t *width)
{
    struct analysed a;
    struct geo_pending pending;
    analysed_begin(&a, "pending_O2", kernel, 8);
    assert_true(geo_pending_find(&a.loops, &a.arena, &pending));
    uint32_t count = count_in(a.cfg.function, &pending);
    *width = pending.type ? pending.type->width : 0;
    analysed_end(&a);
    return count;
}

static void additions_pend_if_nothing_follows(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        uint32_t count, width;
    } kernels[] = {
        {"by_key", 2, 32},        {"wide", 1, 64},       {"merged", 2, 32},
        {"loaded_before", 1, 32}, {"restricted", 1, 32}, {"one_of_two", 1, 32},
    };
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        uint32_t width;
        print_message("%s\n", kernels[i].kernel);
        assert_int_equal(pending_of(kernels[i].kernel, &width), kernels[i].count);
        assert_int_equal(width, kernels[i].width);
    }
}

/* Every kernel of the fixture whose name begins with `not`. */
static void others_do_not_pend(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_fixture("pending_O2");
    uint32_t kernels = 0, width;
    geo_ir_for_each_function(function, module) {
        if (function->is_kernel && strncmp(function->entry_name, "not", 3) == 0) {
            print_message("%s\n", function->entry_name);
            assert_int_equal(pending_of(function->entry_name, &width), 0);
            kernels++;
        }
    }
    assert_int_equal(kernels, 13);
    geo_ir_module_destroy(module);
}

/* ---- operands that OpenCL C of these kernels cannot have ---- */

/* Sets an operand of the atomics of by_key to a constant. Returns how many additions pend then. */
static uint32_t pending_with(uint32_t operand, uint64_t bits)
{
    struct analysed a;
    struct geo_pending pending;
    analysed_begin(&a, "pending_O2", "by_key", 8);
    geo_ir_for_each_block(block, a.cfg.function) {
        geo_ir_for_each_inst(inst, block) {
            if (geo_op_is(inst->op, GEO_IS_ATOMIC)) {
                inst->operands[operand] =
                    geo_ir_const_int(a.module, geo_ir_type_int(a.module, 32), bits);
            }
        }
    }
    assert_true(geo_pending_find(&a.loops, &a.arena, &pending));
    uint32_t count = count_in(a.cfg.function, &pending);
    analysed_end(&a);
    return count;
}

static void order_and_scope_decide(void **state)
{
    (void)state;
    assert_int_equal(pending_with(1, SpvScopeDevice), 2);
    assert_int_equal(pending_with(1, SpvScopeSubgroup), 2);
    assert_int_equal(pending_with(1, SpvScopeCrossDevice), 0);
    assert_int_equal(pending_with(2, SpvMemorySemanticsCrossWorkgroupMemoryMask), 2);
    static const uint32_t ordered[] = {SpvMemorySemanticsAcquireMask, SpvMemorySemanticsReleaseMask,
                                       SpvMemorySemanticsAcquireReleaseMask,
                                       SpvMemorySemanticsSequentiallyConsistentMask,
                                       SpvMemorySemanticsVolatileMask};
    for (size_t i = 0; i < sizeof(ordered) / sizeof(ordered[0]); i++) {
        assert_int_equal(pending_with(2, ordered[i]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(additions_pend_if_nothing_follows),
        cmocka_unit_test(others_do_not_pend),
        cmocka_unit_test(order_and_scope_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
