/* Tests which pointers the pass "near null" gives to loads and stores. tests/api/test_spirv_null.c
 * runs such kernels. */
#include "canonical.h"
#include "support.h"

#include "compiler/ir/grammar.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* %p and %q are memory, %n is a number, %l a local argument, %i the item. */
#define HEAD                                                                                       \
    "OpEntryPoint Kernel %k \"k\" %id\nOpDecorate %id BuiltIn GlobalInvocationId\n"                \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"       \
    "%v3 = OpTypeVector %i64 3\n%pv3 = OpTypePointer Input %v3\n%c0 = OpConstant %i32 0\n"         \
    "%c1 = OpConstant %i32 1\n%c9 = OpConstant %i64 9\n"                                           \
    "%v4 = OpTypeVector %i32 4\n"                                                                  \
    "%g = OpTypePointer CrossWorkgroup %i32\n%gg = OpTypePointer CrossWorkgroup %g\n"              \
    "%w = OpTypePointer Workgroup %i32\n%null = OpConstantNull %g\n"                               \
    "%fn = OpTypeFunction %void %g %gg %i64 %w\n%id = OpVariable %pv3 Input\n"                     \
    "%table = OpVariable %g CrossWorkgroup %c1\n"                                                  \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %g\n%q = OpFunctionParameter %gg\n"  \
    "%n = OpFunctionParameter %i64\n%l = OpFunctionParameter %w\n%entry = OpLabel\n"               \
    "%ids = OpLoad %v3 %id\n%i = OpCompositeExtract %i64 %ids 0\n"
#define TAIL "OpReturn\nOpFunctionEnd\n"

enum { OWN, ZEROS, SINK };

/* The pass alone; `asked`: the module asks for it. */
static struct geo_ir_module *module_make(const char *body, bool asked)
{
    struct geo_ir_module *module = support_assemble(body);
    module->near_null = asked;
    canonical_make(module);
    return module;
}

/* Returns the memory that a value is computed from, looking at `depth` operations. */
static uint32_t memory_of(const struct geo_ir_value *value, uint32_t depth)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    uint32_t found = OWN;
    if (value->kind != GEO_VALUE_INST || depth == 0) {
        return OWN;
    }
    if (inst->op == (SpvOp)GEO_OP_BUILTIN) {
        return inst->literals[0] == GEO_BUILTIN_ZEROS  ? ZEROS
               : inst->literals[0] == GEO_BUILTIN_SINK ? SINK
                                                       : OWN;
    }
    for (uint32_t i = 0; i < inst->operand_count && inst->op != SpvOpLoad; i++) {
        uint32_t memory = memory_of(inst->operands[i], depth - 1);
        assert_true(memory == OWN || found == OWN || memory == found);
        found = memory ? memory : found;
    }
    return found;
}

/* Checks the memory that an operand of the instructions of an opcode may use instead, in order.
 * Instructions without that operand do not count. */
static void expect(const char *body, uint32_t op, uint32_t operand, const uint32_t *memory,
                   uint32_t count)
{
    uint32_t found = 0;
    struct geo_ir_module *module = module_make(body, true);
    geo_ir_for_each_block(block, module->first_function) {
        geo_ir_for_each_inst(inst, block) {
            if ((uint32_t)inst->op == op && operand < inst->operand_count) {
                assert_true(found < count);
                assert_int_equal(memory_of(inst->operands[operand], 12), memory[found]);
                found++;
            }
        }
    }
    assert_int_equal(found, count);
    geo_ir_module_destroy(module);
}

#define EXPECT(body, op, operand, ...)                                                             \
    expect(HEAD body TAIL, op, operand, (const uint32_t[]){__VA_ARGS__},                           \
           sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void loads_use_zeros_and_stores_the_sink(void **state)
{
    (void)state;
#define BODY "%a = OpInBoundsPtrAccessChain %g %p %i\n%v = OpLoad %i32 %a\nOpStore %a %v\n"
    EXPECT(BODY, SpvOpLoad, 0, ZEROS);
    EXPECT(BODY, SpvOpStore, 0, SINK);
#undef BODY
}

static void atomics_use_the_sink_but_atomic_loads_zeros(void **state)
{
    (void)state;
#define BODY                                                                                       \
    "%a = OpAtomicIAdd %i32 %p %c1 %c0 %c1\n%b = OpAtomicLoad %i32 %p %c1 %c0\n"                   \
    "OpAtomicStore %p %c1 %c0 %b\n"
    EXPECT(BODY, SpvOpAtomicIAdd, 0, SINK);
    EXPECT(BODY, SpvOpAtomicLoad, 0, ZEROS);
    EXPECT(BODY, SpvOpAtomicStore, 0, SINK);
#undef BODY
}

static void copies_use_both(void **state)
{
    (void)state;
#define BODY                                                                                       \
    "%r = OpLoad %g %q\nOpCopyMemorySized %p %r %n Aligned 4\nOpCopyMemorySized %r %p %n Aligned " \
    "4\n"
    EXPECT(BODY, SpvOpCopyMemorySized, 0, SINK, SINK);
    EXPECT(BODY, SpvOpCopyMemorySized, 1, ZEROS, ZEROS);
    EXPECT(BODY, SpvOpLoad, 0, ZEROS);
#undef BODY
}

static void vector_accesses_too(void **state)
{
    (void)state;
#define BODY "%v = OpExtInst %v4 %ocl vloadn %i %p 4\n%s = OpExtInst %void %ocl vstoren %v %i %p\n"
    EXPECT(BODY, SpvOpExtInst, 1, ZEROS, OWN);
    EXPECT(BODY, SpvOpExtInst, 2, SINK);
#undef BODY
}

/* A comparison, a conversion and a stored pointer see the pointer itself. */
static void other_uses_keep_the_pointer(void **state)
{
    (void)state;
#define BODY                                                                                       \
    "%a = OpConvertPtrToU %i64 %p\n%e = OpIEqual %bool %a %c9\nOpStore %q %p\n"                    \
    "%s = OpSelect %i32 %e %c1 %c0\nOpStore %p %s\n"
    EXPECT(BODY, SpvOpStore, 1, OWN, OWN);
    EXPECT(BODY, SpvOpStore, 0, SINK, SINK);
    EXPECT(BODY, SpvOpIEqual, 0, OWN);
#undef BODY
}

static void every_root_is_compared(void **state)
{
    (void)state;
    /* an argument, a pointer from memory, an integer, a constant, a constant with an offset */
    struct geo_ir_module *module =
        module_make(HEAD "%r = OpLoad %g %q\n%x = OpLoad %i32 %r\n%u = OpConvertUToPtr %g %n\n"
                         "%y = OpLoad %i32 %u\n%s = OpIAdd %i32 %x %y\nOpStore %p %s\n" TAIL,
                    true);
    assert_int_equal(support_count(module, NULL, SpvOpULessThan), 4);
    geo_ir_module_destroy(module);
    EXPECT("%v = OpLoad %i32 %null\nOpStore %p %v\n", SpvOpLoad, 0, ZEROS);
    EXPECT("%a = OpPtrAccessChain %g %null %n\n%v = OpLoad %i32 %a\nOpStore %p %v\n", SpvOpLoad, 0,
           ZEROS);
}

/* The pointer of a loop is compared before the loop, and two pointers before one is chosen. */
static void pointers_made_of_others_are_not_compared(void **state)
{
    (void)state;
    struct geo_ir_module *module = module_make(
        HEAD "%r = OpLoad %g %q\n%e = OpIEqual %bool %i %c9\nOpBranch %loop\n%loop = OpLabel\n"
             "%a = OpPhi %g %r %entry %next %loop\n%next = OpInBoundsPtrAccessChain %g %a %c9\n"
             "%x = OpLoad %i32 %a\n%more = OpINotEqual %bool %x %c0\n"
             "OpBranchConditional %more %loop %out\n%out = OpLabel\n"
             "%b = OpSelect %g %e %p %next\nOpStore %b %x\n" TAIL,
        true);
    assert_int_equal(support_count(module, NULL, SpvOpULessThan), 3);
    uint32_t phis = 0;
    geo_ir_for_each_block(block, module->first_function) {
        geo_ir_for_each_inst(inst, block) {
            phis += inst->op == SpvOpPhi;
            if (inst->op == SpvOpULessThan) {
                assert_ptr_equal(block, module->first_function->first_block);
            }
        }
    }
    assert_true(phis >= 2);
    geo_ir_module_destroy(module);
}

static void memory_that_is_never_null_is_left_alone(void **state)
{
    (void)state;
    EXPECT("%v = OpLoad %i32 %table\n%w1 = OpLoad %i32 %l\n%s = OpIAdd %i32 %v %w1\n"
           "OpStore %table %s\n",
           SpvOpLoad, 0, OWN, OWN);
    struct geo_ir_module *module =
        module_make(HEAD "%v = OpLoad %i32 %table\n%w1 = OpLoad %i32 %l\n%s = OpIAdd %i32 %v %w1\n"
                         "OpStore %l %s\n" TAIL,
                    true);
    assert_int_equal(support_count(module, NULL, SpvOpULessThan), 0);
    assert_int_equal(support_count(module, NULL, SpvOpSelect), 0);
    geo_ir_module_destroy(module);
}

static void only_modules_that_ask_are_changed(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        module_make(HEAD "%v = OpLoad %i32 %p\n%r = OpLoad %g %q\nOpStore %r %v\n" TAIL, false);
    assert_int_equal(support_count(module, NULL, SpvOpULessThan), 0);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_use_zeros_and_stores_the_sink),
        cmocka_unit_test(atomics_use_the_sink_but_atomic_loads_zeros),
        cmocka_unit_test(copies_use_both),
        cmocka_unit_test(vector_accesses_too),
        cmocka_unit_test(other_uses_keep_the_pointer),
        cmocka_unit_test(every_root_is_compared),
        cmocka_unit_test(pointers_made_of_others_are_not_compared),
        cmocka_unit_test(memory_that_is_never_null_is_left_alone),
        cmocka_unit_test(only_modules_that_ask_are_changed),
    };
    return cmocka_run_group_tests_name("compiler/transform/near_null", tests, NULL, NULL);
}
