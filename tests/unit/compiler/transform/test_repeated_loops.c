/* Loops that an outer loop or an earlier one makes unnecessary: what is left of a function. That it
 * still computes the same is the corpus' matter (kernels/repeated.cl). */
#include "canonical.h"
#include "support.h"

#include "compiler/analysis/loops.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TYPES                                                                                      \
    "OpEntryPoint Kernel %k \"k\"\n%void = OpTypeVoid\n%bool = OpTypeBool\n"                       \
    "%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"                                               \
    "%gi32 = OpTypePointer CrossWorkgroup %i32\n%c0 = OpConstant %i32 0\n"                         \
    "%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n%c3 = OpConstant %i32 3\n"                  \
    "%fn = OpTypeFunction %void %gi32 %gi32 %i32\n"                                                \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi32\n"                             \
    "%q = OpFunctionParameter %gi32\n%n = OpFunctionParameter %i32\n%entry = OpLabel\n"
#define END "OpReturn\nOpFunctionEnd\n"

/* A loop of one block, named `L`: %xL is the sum of q[0 .. bound), and `first`. From block `from`,
 * to block `to`. */
#define LOOP(L, from, first, bound, to)                                                            \
    LOOP_OF(L, from, first, bound, to, "OpIAdd %i32 %s" L " %l" L)
#define LOOP_OF(L, from, first, bound, to, sum)                                                    \
    "%" L " = OpLabel\n%i" L " = OpPhi %i32 %c0 %" from " %j" L " %" L "\n"                        \
    "%s" L " = OpPhi %i32 %" first " %" from " %x" L " %" L "\n"                                   \
    "%w" L " = OpUConvert %i64 %i" L "\n"                                                          \
    "%a" L " = OpInBoundsPtrAccessChain %gi32 %q %w" L "\n%l" L " = OpLoad %i32 %a" L "\n"         \
    "%x" L " = " sum "\n%j" L " = OpIAdd %i32 %i" L " %c1\n"                                       \
    "%u" L " = OpULessThan %bool %j" L " %" bound "\n"                                             \
    "OpBranchConditional %u" L " %" L " %" to "\n%" to " = OpLabel\n"

static struct geo_ir_module *after(const char *body)
{
    struct geo_ir_module *module = support_assemble(body);
    canonical_make(module);
    return module;
}

static uint32_t loads_left(const char *body)
{
    struct geo_ir_module *module = after(body);
    uint32_t count = support_count(module, NULL, SpvOpLoad);
    geo_ir_module_destroy(module);
    return count;
}

static void an_equal_loop_goes(void **state)
{
    (void)state;
    assert_int_equal(
        loads_left(TYPES "OpBranch %A\n" LOOP("A", "entry", "c0", "n", "B0") "OpBranch %B\n" LOOP(
            "B", "B0", "c0", "n", "C0") "%r = OpIAdd %i32 %xA %xB\nOpStore %p %r\n" END),
        1);
}

/* The second loop begins with what the first one has left. */
static void loops_that_follow_from_equal_ones_go(void **state)
{
    (void)state;
    assert_int_equal(
        loads_left(TYPES "OpBranch %A\n" LOOP("A", "entry", "c0", "n", "B0") "OpBranch %B\n" LOOP(
            "B", "B0", "xA", "n",
            "C0") "OpBranch %C\n" LOOP("C", "C0", "c0", "n",
                                       "D0") "OpBranch %D\n" LOOP("D", "D0", "xC", "n",
                                                                  "E0") "%r = OpIMul %i32 %xB "
                                                                        "%xD\nOpStore %p %r\n" END),
        2);
}

static void loops_that_differ_stay(void **state)
{
    (void)state;
    assert_int_equal(
        loads_left(TYPES "OpBranch %A\n" LOOP("A", "entry", "c0", "n", "B0") "OpBranch %B\n" LOOP(
            "B", "B0", "c1", "n",
            "C0") "OpBranch %C\n" LOOP("C", "C0", "c0", "c3",
                                       "D0") "%r = OpIMul %i32 %xA %xB\n%t = OpIMul %i32 %r %xC\n"
                                             "OpStore %p %t\n" END),
        3);
}

/* The same instructions in the same order, with two operands exchanged. */
static void loops_that_differ_inside_stay(void **state)
{
    (void)state;
    assert_int_equal(
        loads_left(TYPES "OpBranch %A\n" LOOP_OF(
            "A", "entry", "c0", "n", "B0",
            "OpISub %i32 %sA %lA") "OpBranch %B\n" LOOP_OF("B", "B0", "c0", "n", "C0",
                                                           "OpISub %i32 %lB %sB") "%r = OpIMul "
                                                                                  "%i32 %xA "
                                                                                  "%xB\nOpStore %p "
                                                                                  "%r\n" END),
        2);
}

static void what_was_written_between_is_read_again(void **state)
{
    (void)state;
    assert_int_equal(
        loads_left(TYPES "OpBranch %A\n" LOOP(
            "A", "entry", "c0", "n",
            "B0") "OpStore %p %xA\nOpBranch %B\n" LOOP("B", "B0", "c0", "n",
                                                       "C0") "%r = OpIAdd %i32 %xA %xB\nOpStore %p "
                                                             "%r\n" END),
        2);
}

/* On one of two ways from loop to loop. */
static void what_was_perhaps_written_between_is_read_again(void **state)
{
    (void)state;
    assert_int_equal(
        loads_left(TYPES "OpBranch %A\n" LOOP(
            "A", "entry", "c0", "n",
            "B0") "%b = OpULessThan %bool %n %c2\n"
                  "OpBranchConditional %b %way %B1\n%way = OpLabel\n"
                  "OpStore %q %n\nOpBranch %B1\n%B1 = OpLabel\nOpBranch %B\n" LOOP(
                      "B", "B1", "c0", "n", "C0") "%r = OpIAdd %i32 %xA %xB\nOpStore %p %r\n" END),
        2);
}

/* The first loop is run in some cases only. */
static void a_loop_that_may_not_have_run_is_none(void **state)
{
    (void)state;
    assert_int_equal(
        loads_left(
            TYPES
            "%b = OpULessThan %bool %n %c2\n"
            "OpBranchConditional %b %way %B1\n%way = OpLabel\nOpBranch %A\n" LOOP(
                "A", "way", "c0", "n",
                "B0") "OpBranch %B1\n%B1 = OpLabel\n%y = OpPhi %i32 %n %entry %xA %B0\n"
                      "OpBranch %B\n" LOOP("B", "B1", "c0", "n",
                                           "C0") "%r = OpIAdd %i32 %y %xB\nOpStore %p %r\n" END),
        2);
}

/* ---- out of the loop around it ---- */

/* %O is the outer loop, whose body begins with `before` and ends with `behind`. */
#define OUTER(before, first, behind)                                                               \
    "OpBranch %O\n%O = OpLabel\n%o = OpPhi %i32 %c0 %entry %o1 %B0\n"                              \
    "%t = OpPhi %i32 %c0 %entry %t1 %B0\n" before "OpBranch %A\n" LOOP("A", "O", first, "n", "B0") \
        behind "%t1 = OpIAdd %i32 %t %xA\n%o1 = OpIAdd %i32 %o %c1\n"                              \
               "%v = OpULessThan %bool %o1 %n\nOpBranchConditional %v %O %done\n%done = OpLabel\n" \
               "OpStore %p %t1\n"

static uint32_t depth_of_loads(const char *body)
{
    struct geo_ir_module *module = after(body);
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    uint32_t depth = 0;
    geo_arena_init(&arena, 0);
    struct geo_ir_function *function = module->first_function;
    geo_ir_function_number(function);
    assert_true(geo_cfg_build(function, &arena, &cfg) &&
                geo_dominators_compute(&cfg, &arena, &tree) &&
                geo_loops_compute(&tree, &arena, &loops));
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            const struct geo_loop *loop = loops.of[block->index];
            if (inst->op == SpvOpLoad && loop) {
                depth = loop->depth > depth ? loop->depth : depth;
            }
        }
    }
    geo_arena_finish(&arena);
    geo_ir_module_destroy(module);
    return depth;
}

static void a_loop_leaves_the_one_around_it(void **state)
{
    (void)state;
    assert_int_equal(depth_of_loads(TYPES OUTER("", "c0", "") END), 1);
}

static void a_loop_stays_where_what_it_begins_with_is_made(void **state)
{
    (void)state;
    assert_int_equal(depth_of_loads(TYPES OUTER("%z = OpIMul %i32 %o %c3\n", "z", "") END), 2);
}

static void a_loop_stays_where_memory_is_written(void **state)
{
    (void)state;
    assert_int_equal(depth_of_loads(TYPES OUTER("", "c0", "OpStore %p %xA\n") END), 2);
}

/* Some turns of the outer loop do not come through the inner one. */
static void a_loop_stays_where_it_may_not_run(void **state)
{
    (void)state;
    assert_int_equal(
        depth_of_loads(TYPES
                       "OpBranch %O\n%O = OpLabel\n%o = OpPhi %i32 %c0 %entry %o1 %B1\n"
                       "%t = OpPhi %i32 %c0 %entry %t1 %B1\n%b = OpIEqual %bool %o %c3\n"
                       "OpBranchConditional %b %A0 %B1\n%A0 = OpLabel\nOpBranch %A\n" LOOP(
                           "A", "A0", "c0", "n",
                           "B0") "OpBranch %B1\n%B1 = OpLabel\n%t1 = OpPhi %i32 %t %O %xA %B0\n"
                                 "%o1 = OpIAdd %i32 %o %c1\n%v = OpULessThan %bool %o1 %n\n"
                                 "OpBranchConditional %v %O %done\n%done = OpLabel\n"
                                 "OpStore %p %t1\n" END),
        2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_equal_loop_goes),
        cmocka_unit_test(loops_that_follow_from_equal_ones_go),
        cmocka_unit_test(loops_that_differ_stay),
        cmocka_unit_test(loops_that_differ_inside_stay),
        cmocka_unit_test(what_was_written_between_is_read_again),
        cmocka_unit_test(what_was_perhaps_written_between_is_read_again),
        cmocka_unit_test(a_loop_that_may_not_have_run_is_none),
        cmocka_unit_test(a_loop_leaves_the_one_around_it),
        cmocka_unit_test(a_loop_stays_where_what_it_begins_with_is_made),
        cmocka_unit_test(a_loop_stays_where_memory_is_written),
        cmocka_unit_test(a_loop_stays_where_it_may_not_run),
    };
    return cmocka_run_group_tests_name("repeated_loops", tests, NULL, NULL);
}
