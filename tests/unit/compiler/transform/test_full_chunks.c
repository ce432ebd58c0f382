/* Loops over rows of items that get a first part without masks: which loops do, and what is left of
 * the function. That it still computes the same is the corpus' matter (kernels/rows.cl). */
#include "canonical.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* %l is the local id, %n a parameter, %q memory. */
#define HEAD                                                                                       \
    "OpEntryPoint Kernel %k \"k\" %id\nOpDecorate %id BuiltIn LocalInvocationId\n"                 \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"       \
    "%v3 = OpTypeVector %i64 3\n%pv3 = OpTypePointer Input %v3\n"                                  \
    "%gi32 = OpTypePointer CrossWorkgroup %i32\n%c0 = OpConstant %i32 0\n"                         \
    "%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n%c64 = OpConstant %i32 64\n"                \
    "%c264 = OpConstant %i32 264\n%fn = OpTypeFunction %void %gi32 %gi32 %i32\n"                   \
    "%id = OpVariable %pv3 Input\n%k = OpFunction %void None %fn\n"                                \
    "%p = OpFunctionParameter %gi32\n%q = OpFunctionParameter %gi32\n"                             \
    "%n = OpFunctionParameter %i32\n%entry = OpLabel\n%ids = OpLoad %v3 %id\n"                     \
    "%lx = OpCompositeExtract %i64 %ids 0\n%l = OpUConvert %i32 %lx\n"
#define END "OpReturn\nOpFunctionEnd\n"

/* for (i = first; i < n; i += step) { x += q[i]; more } */
#define LOOP(first, step, test, before, more)                                                      \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %" first " %entry %j %latch\n"               \
    "%x = OpPhi %i32 %c0 %entry %y %latch\n" before "%t = " test "\n"                              \
    "OpBranchConditional %t %body %done\n%body = OpLabel\n%w = OpSConvert %i64 %i\n"               \
    "%a = OpInBoundsPtrAccessChain %gi32 %q %w\n%v = OpLoad %i32 %a\n%y = OpIAdd %i32 %x "         \
    "%v\n" more "OpBranch %latch\n%latch = OpLabel\n%j = OpIAdd %i32 %i %" step                    \
    "\nOpBranch %head\n"                                                                           \
    "%done = OpLabel\nOpStore %p %x\n"
#define LESS "OpSLessThan %bool %i %n"

/* if (l < n) do { x += q[i]; } while ((i += 64) < n); with a value that both sides of the loop
 * need. */
#define GUARDED                                                                                    \
    "%g = OpSLessThan %bool %l %n\nOpBranchConditional %g %before %done\n%before = OpLabel\n"      \
    "%m = OpIMul %i32 %l %n\nOpBranch %body\n%body = OpLabel\n"                                    \
    "%i = OpPhi %i32 %l %before %j %body\n%x = OpPhi %i32 %c0 %before %y %body\n"                  \
    "%w = OpSConvert %i64 %i\n%a = OpInBoundsPtrAccessChain %gi32 %q %w\n%v = OpLoad %i32 %a\n"    \
    "%vm = OpIAdd %i32 %v %m\n%y = OpIAdd %i32 %x %vm\n%j = OpIAdd %i32 %i %c64\n"                 \
    "%t = OpSLessThan %bool %j %n\nOpBranchConditional %t %body %after\n%after = OpLabel\n"        \
    "%z = OpIMul %i32 %y %m\nOpBranch %done\n%done = OpLabel\n"                                    \
    "%r = OpPhi %i32 %c0 %entry %z %after\nOpStore %p %r\n"

struct left {
    uint32_t asked; /* conditions of all lanes */
    uint32_t loads; /* of elements, one for each copy */
};

static struct left after(const char *body)
{
    struct geo_ir_module *module = support_assemble(body);
    canonical_make(module);
    struct left left = {.asked = support_count(module, NULL, (SpvOp)GEO_OP_ALL_LANES),
                        .loads = support_count(module, NULL, SpvOpLoad)};
    geo_ir_module_destroy(module);
    return left;
}

static void expect(const char *body, uint32_t asked, uint32_t loads)
{
    struct left left = after(body);
    assert_int_equal(left.asked, asked);
    assert_int_equal(left.loads, loads);
}

static void a_loop_over_a_row_is_copied(void **state)
{
    (void)state;
    expect(HEAD LOOP("l", "c64", LESS, "", "") END, 1, 2);
    expect(HEAD LOOP("l", "c64", "OpUGreaterThanEqual %bool %n %i", "", "") END, 1, 2);
    expect(HEAD LOOP("l", "c1", "OpINotEqual %bool %i %n", "", "") END, 1, 2);
    expect(HEAD LOOP("c0", "c1", "OpULessThan %bool %i %l", "", "") END, 1, 2);
}

/* Otherwise the guard's mask holds in the first copy. */
static void a_guard_is_copied_too(void **state)
{
    (void)state;
    expect(HEAD GUARDED END, 2, 2);
}

static void a_loop_that_is_the_same_for_all_lanes_stays(void **state)
{
    (void)state;
    expect(HEAD LOOP("c0", "c1", LESS, "", "") END, 0, 1);
}

/* The bound is another one in each lane, without order. */
static void a_loop_whose_bound_differs_stays(void **state)
{
    (void)state;
    expect(HEAD "%b = OpIMul %i32 %l %l\n" LOOP("c0", "c1", "OpSLessThan %bool %i %b", "", "") END,
           0, 1);
}

/* The second copy begins with a test that the first one has made already. */
static void a_test_with_an_effect_is_not_repeated(void **state)
{
    (void)state;
    expect(HEAD LOOP("l", "c64", LESS, "OpStore %p %i\n", "") END, 0, 1);
    expect(HEAD LOOP("l", "c64", LESS, "%e = OpAtomicIAdd %i32 %p %c1 %c0 %c1\n", "") END, 0, 1);
}

static void a_loop_where_items_meet_stays(void **state)
{
    (void)state;
    expect(HEAD LOOP("l", "c64", LESS, "", "OpControlBarrier %c2 %c2 %c264\n") END, 0, 1);
}

#define TWO   "OpStore %p %y\nOpStore %p %y\n"
#define EIGHT TWO TWO TWO TWO
#define MANY  EIGHT EIGHT EIGHT EIGHT EIGHT

static void only_small_loops_are_copied(void **state)
{
    (void)state;
    expect(HEAD LOOP("l", "c64", LESS, "", MANY) END, 1, 2);
    expect(HEAD LOOP("l", "c64", LESS, "", MANY MANY MANY MANY) END, 0, 1);
}

/* Where items run at the same time there are no chunks. */
static void machines_without_lanes_keep_the_loop(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_assemble(HEAD LOOP("l", "c64", LESS, "", "") END);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize_calls(module, &log), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_transform_canonicalize_code(module, true, true, &log), ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&log);
    assert_int_equal(support_count(module, NULL, (SpvOp)GEO_OP_ALL_LANES), 0);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_over_a_row_is_copied),
        cmocka_unit_test(a_guard_is_copied_too),
        cmocka_unit_test(a_loop_that_is_the_same_for_all_lanes_stays),
        cmocka_unit_test(a_loop_whose_bound_differs_stays),
        cmocka_unit_test(a_test_with_an_effect_is_not_repeated),
        cmocka_unit_test(a_loop_where_items_meet_stays),
        cmocka_unit_test(only_small_loops_are_copied),
        cmocka_unit_test(machines_without_lanes_keep_the_loop),
    };
    return cmocka_run_group_tests_name("full_chunks", tests, NULL, NULL);
}
