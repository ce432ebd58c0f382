/* Loops in which each lane walks along a row: which are unrolled to load several elements at once.
 * The corpus shows that they still compute the same (kernels/row_walks.cl). */
#include "canonical.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* %lx is the local id, %q memory, %n and %m parameters of 64 bits, %w one of 32 bits. %row is the
 * row of an item, which begins %lx * %n elements behind %q. */
#define HEAD                                                                                       \
    "OpEntryPoint Kernel %k \"k\" %id\nOpDecorate %id BuiltIn LocalInvocationId\n"                 \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"       \
    "%v3 = OpTypeVector %i64 3\n%pv3 = OpTypePointer Input %v3\n"                                  \
    "%gi32 = OpTypePointer CrossWorkgroup %i32\n%gi64 = OpTypePointer CrossWorkgroup %i64\n"       \
    "%z32 = OpConstant %i32 0\n%z64 = OpConstant %i64 0\n%one32 = OpConstant %i32 1\n"             \
    "%one64 = OpConstant %i64 1\n%two64 = OpConstant %i64 2\n%less64 = OpConstant %i64 "           \
    "18446744073709551615\n"                                                                       \
    "%fn = OpTypeFunction %void %gi32 %gi32 %gi64 %i64 %i64 %i32\n%id = OpVariable %pv3 Input\n"   \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi32\n"                             \
    "%q = OpFunctionParameter %gi32\n%u = OpFunctionParameter %gi64\n"                             \
    "%n = OpFunctionParameter %i64\n%m = OpFunctionParameter %i64\n"                               \
    "%w = OpFunctionParameter %i32\n%entry = OpLabel\n%ids = OpLoad %v3 %id\n"                     \
    "%lx = OpCompositeExtract %i64 %ids 0\n%rx = OpIMul %i64 %lx %n\n"                             \
    "%row = OpPtrAccessChain %gi32 %q %rx\n%row64 = OpPtrAccessChain %gi64 %u %rx\n"

#define ROW   "%a = OpPtrAccessChain %gi32 %row %i\n"
#define ROW64 "%a = OpPtrAccessChain %gi64 %row64 %i\n"

/* for (i = start; the counter goes on; i += step) { x += *address; more } */
#define TAIL "%done = OpLabel\nOpStore %p %y\nOpReturn\nOpFunctionEnd\n"
#define WALK(start, step, address, more, goes_on)                                                  \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 " start " %entry %j %head\n"                 \
    "%x = OpPhi %i32 %z32 %entry %y %head\n" address                                               \
    "%v = OpLoad %i32 %a\n%y = OpIAdd %i32 %x %v\n" more "%j = OpIAdd %i64 %i " step "\n" goes_on  \
    "OpBranchConditional %t %head %done\n" TAIL
#define WALK64(start, step, address, goes_on)                                                      \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 " start " %entry %j %head\n"                 \
    "%x = OpPhi %i64 %z64 %entry %y64 %head\n" address                                             \
    "%v = OpLoad %i64 %a\n%y64 = OpIAdd %i64 %x %v\n%j = OpIAdd %i64 %i " step "\n" goes_on        \
    "OpBranchConditional %t %head %done\n%done = OpLabel\n%y = OpUConvert %i32 %y64\n"             \
    "OpStore %p %y\nOpReturn\nOpFunctionEnd\n"
#define WALK32(goes_on)                                                                            \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %z32 %entry %j %head\n"                      \
    "%x = OpPhi %i32 %z32 %entry %y %head\n%i64of = OpSConvert %i64 %i\n"                          \
    "%a = OpPtrAccessChain %gi32 %row %i64of\n%v = OpLoad %i32 %a\n%y = OpIAdd %i32 %x %v\n"       \
    "%j = OpIAdd %i32 %i %one32\n" goes_on "OpBranchConditional %t %head %done\n" TAIL

#define LESS     "%t = OpULessThan %bool %j %m\n"
#define SIGNED   "%t = OpSLessThan %bool %j %m\n"
#define GREATER  "%t = OpSGreaterThan %bool %m %j\n"
#define UNEQUAL  "%t = OpINotEqual %bool %j %m\n"
#define ABOVE    "%t = OpSGreaterThan %bool %j %z64\n"
#define NONE_YET "%t = OpINotEqual %bool %j %z64\n"

/* One load in the loop that is unrolled, one in the loop of the last turns. */
static void loops_along_rows_load_vectors(void **state)
{
    (void)state;
    canonical_expect_loads(HEAD WALK("%z64", "%one64", ROW, "", LESS), 1, 1);
    canonical_expect_loads(HEAD WALK("%z64", "%one64", ROW, "", SIGNED), 1, 1);
    canonical_expect_loads(HEAD WALK("%z64", "%one64", ROW, "", GREATER), 1, 1);
    canonical_expect_loads(HEAD WALK("%z64", "%one64", ROW, "", UNEQUAL), 1, 1);
    canonical_expect_loads(HEAD WALK("%m", "%less64", ROW, "", ABOVE), 1, 1);
    canonical_expect_loads(HEAD WALK("%m", "%less64", ROW, "", NONE_YET), 1, 1);
    canonical_expect_loads(HEAD WALK64("%z64", "%one64", ROW64, LESS), 1, 1);
}

static void other_loops_stay(void **state)
{
    (void)state;
    canonical_expect_loads(HEAD WALK("%z64", "%two64", ROW, "", LESS), 0, 1);
    canonical_expect_loads(HEAD WALK("%z64", "%one64", ROW, "OpStore %p %y\n", LESS), 0, 1);
    /* lanes of a row, and lanes that leave in different turns, for which full_chunks.c copies it */
    canonical_expect_loads(HEAD WALK("%z64", "%one64",
                                     "%s = OpIAdd %i64 %i %lx\n%a = OpPtrAccessChain %gi32 %q %s\n",
                                     "", LESS),
                           0, 1);
    canonical_expect_loads(HEAD WALK("%z64", "%one64", ROW, "", "%t = OpULessThan %bool %j %lx\n"),
                           0, 2);
    /* a bound that changes */
    canonical_expect_loads(HEAD WALK("%z64", "%one64", ROW, "%b = OpUConvert %i64 %y\n",
                                     "%t = OpULessThan %bool %j %b\n"),
                           0, 1);
}

/* A counter of 32 bits that runs while it is less than its bound cannot wrap. A counter that runs
 * while it is not equal to the bound can. */
static void counters_that_may_wrap_keep_their_loads(void **state)
{
    (void)state;
    canonical_expect_loads(HEAD WALK32("%t = OpSLessThan %bool %j %w\n"), 1, 1);
    canonical_expect_loads(HEAD WALK32("%t = OpINotEqual %bool %j %w\n"), 0, 1);
    canonical_expect_loads(HEAD WALK32("%t = OpULessThan %bool %j %w\n"), 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_along_rows_load_vectors),
        cmocka_unit_test(other_loops_stay),
        cmocka_unit_test(counters_that_may_wrap_keep_their_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
