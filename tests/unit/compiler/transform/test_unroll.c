/* Loops that index private arrays: which are unrolled, and what is left of the function. That it
 * still computes the same is the corpus' matter (kernels/unrolled.cl). */
#include "canonical.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* %p is memory, %n a parameter, %a a private array of `elements` integers. */
#define HEAD(elements)                                                                             \
    "OpEntryPoint Kernel %k \"k\"\n%void = OpTypeVoid\n%bool = OpTypeBool\n"                       \
    "%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"                                               \
    "%gi32 = OpTypePointer CrossWorkgroup %i32\n%size = OpConstant %i32 " elements                 \
    "\n%row = OpTypeArray %i32 %size\n%prow = OpTypePointer Function %row\n"                       \
    "%pi32 = OpTypePointer Function %i32\n%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n"      \
    "%c2 = OpConstant %i32 2\n%c3 = OpConstant %i32 3\n%c4 = OpConstant %i32 4\n"                  \
    "%c100 = OpConstant %i32 100\n%c264 = OpConstant %i32 264\n"                                   \
    "%fn = OpTypeFunction %void %gi32 %i32\n"                                                      \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi32\n"                             \
    "%n = OpFunctionParameter %i32\n%entry = OpLabel\n%a = OpVariable %prow Function\n"            \
    "%a0 = OpInBoundsAccessChain %pi32 %a %c0\nOpStore %a0 %n\nOpBranch %head\n"
#define END "%r = OpLoad %i32 %a0\nOpStore %p %r\nOpReturn\nOpFunctionEnd\n"

/* for (i = 0; i < bound; i++) { a[index] = a[0] + i; more } */
#define LOOP(bound, index, more)                                                                   \
    "%head = OpLabel\n%i = OpPhi %i32 %c0 %entry %j %latch\n%t = OpULessThan %bool %i %" bound     \
    "\nOpBranchConditional %t %body %done\n%body = OpLabel\n%v = OpLoad %i32 %a0\n"                \
    "%w = OpIAdd %i32 %v %i\n%at = OpInBoundsAccessChain %pi32 %a %" index                         \
    "\nOpStore %at %w\n" more                                                                      \
    "OpBranch %latch\n%latch = OpLabel\n%j = OpIAdd %i32 %i %c1\nOpBranch %head\n"                 \
    "%done = OpLabel\n"

static uint32_t variables_left(const char *body)
{
    struct geo_ir_module *module = support_assemble(body);
    canonical_make(module);
    uint32_t count = support_count(module, NULL, SpvOpVariable);
    geo_ir_module_destroy(module);
    return count;
}

static void an_array_that_counters_index_becomes_values(void **state)
{
    (void)state;
    assert_int_equal(variables_left(HEAD("4") LOOP("c4", "i", "") END), 0);
}

/* The array is not indexed by the counter, so the loop stays, and the array needs no loop. */
static void a_loop_that_no_array_needs_stays(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_assemble(HEAD("4") LOOP("c4", "c2", "") END);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize(module, true, &log), ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&log);
    assert_int_equal(support_count(module, NULL, SpvOpULessThan), 1);
    geo_ir_module_destroy(module);
}

static void a_loop_whose_end_is_unknown_stays(void **state)
{
    (void)state;
    assert_int_equal(variables_left(HEAD("4") LOOP("n", "i", "") END), 1);
}

static void a_loop_of_many_turns_stays(void **state)
{
    (void)state;
    assert_int_equal(variables_left(HEAD("4") LOOP("c100", "i", "") END), 1);
}

static void an_array_of_many_elements_stays(void **state)
{
    (void)state;
    assert_int_equal(variables_left(HEAD("65") LOOP("c4", "i", "") END), 1);
    assert_int_equal(variables_left(HEAD("64") LOOP("c4", "i", "") END), 0);
}

/* Items meet at the barrier in each turn, which belongs to the group. */
static void a_loop_where_items_meet_stays(void **state)
{
    (void)state;
    assert_int_equal(
        variables_left(HEAD("4") LOOP("c4", "i", "OpControlBarrier %c2 %c2 %c264\n") END), 1);
}

/* The inner loop runs from the outer counter to 4, so that the last turn of the outer loop has no
 * inner turn. */
static void inner_loops_begin_at_outer_counters(void **state)
{
    (void)state;
    assert_int_equal(
        variables_left(
            HEAD("4") "%head = OpLabel\n%i = OpPhi %i32 %c0 %entry %j %latch\n"
                      "%t = OpULessThan %bool %i %c4\nOpBranchConditional %t %before %done\n"
                      "%before = OpLabel\n%first = OpIAdd %i32 %i %c1\n"
                      "%g = OpULessThan %bool %first %c4\nOpBranchConditional %g %inner %latch\n"
                      "%inner = OpLabel\n%x = OpPhi %i32 %first %before %y %inner\n"
                      "%at = OpInBoundsAccessChain %pi32 %a %x\nOpStore %at %i\n"
                      "%y = OpIAdd %i32 %x %c1\n%u = OpIEqual %bool %y %c4\n"
                      "OpBranchConditional %u %latch %inner\n"
                      "%latch = OpLabel\n%j = OpIAdd %i32 %i %c1\nOpBranch %head\n"
                      "%done = OpLabel\n" END),
        0);
}

/* Volatile accesses stay accesses of memory. */
static void a_volatile_array_stays(void **state)
{
    (void)state;
    assert_int_equal(variables_left(HEAD("4") LOOP("c4", "i", "OpStore %at %w Volatile\n") END), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_that_counters_index_becomes_values),
        cmocka_unit_test(a_loop_that_no_array_needs_stays),
        cmocka_unit_test(a_loop_whose_end_is_unknown_stays),
        cmocka_unit_test(a_loop_of_many_turns_stays),
        cmocka_unit_test(an_array_of_many_elements_stays),
        cmocka_unit_test(a_loop_where_items_meet_stays),
        cmocka_unit_test(inner_loops_begin_at_outer_counters),
        cmocka_unit_test(a_volatile_array_stays),
    };
    return cmocka_run_group_tests_name("unroll", tests, NULL, NULL);
}
