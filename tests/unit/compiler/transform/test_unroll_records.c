/* Loops that walk along a record of each lane: which are unrolled. The corpus shows that they still
 * compute the same (kernels/records.cl). */
#include "canonical.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* %lx is the local id, %rx the local id times 16, %q memory, %n a parameter. */
#define HEAD                                                                                       \
    "OpEntryPoint Kernel %k \"k\" %id\nOpDecorate %id BuiltIn LocalInvocationId\n"                 \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"       \
    "%v3 = OpTypeVector %i64 3\n%pv3 = OpTypePointer Input %v3\n"                                  \
    "%gi32 = OpTypePointer CrossWorkgroup %i32\n%z = OpConstant %i32 0\n"                          \
    "%c0 = OpConstant %i64 0\n%c1 = OpConstant %i64 1\n%c2 = OpConstant %i64 2\n"                  \
    "%c4 = OpConstant %i64 4\n%c16 = OpConstant %i64 16\n%c17 = OpConstant %i64 17\n"              \
    "%n2 = OpConstant %i32 2\n%n264 = OpConstant %i32 264\n"                                       \
    "%fn = OpTypeFunction %void %gi32 %gi32 %i64\n%id = OpVariable %pv3 Input\n"                   \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi32\n"                             \
    "%q = OpFunctionParameter %gi32\n%n = OpFunctionParameter %i64\n%entry = OpLabel\n"            \
    "%ids = OpLoad %v3 %id\n%lx = OpCompositeExtract %i64 %ids 0\n"                                \
    "%rx = OpShiftLeftLogical %i64 %lx %c4\n%sx = OpShiftLeftLogical %i64 %lx %c2\n"               \
    "%record = OpPtrAccessChain %gi32 %q %rx\n"

/* for (i = 0; i < bound; i += step) { x += *address; more } */
#define LOOP(bound, step, address, more)                                                           \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 %c0 %entry %j %head\n"                       \
    "%x = OpPhi %i32 %z %entry %y %head\n%r = OpPhi %gi32 %record %entry %s %head\n" address       \
    "%v = OpLoad %i32 %a\n%y = OpIAdd %i32 %x %v\n" more "%j = OpIAdd %i64 %i %" step              \
    "\n%s = OpPtrAccessChain %gi32 %r %" step "\n%t = OpULessThan %bool %j %" bound                \
    "\nOpBranchConditional %t %head %done\n%done = OpLabel\nOpStore %p %y\nOpReturn\n"             \
    "OpFunctionEnd\n"

#define INDEXED(record)                                                                            \
    "%w = OpIAdd %i64 %" record " %i\n%a = OpInBoundsPtrAccessChain %gi32 %q %w\n"
#define POINTED "%a = OpBitcast %gi32 %r\n"

static void a_loop_along_a_record_is_unrolled(void **state)
{
    (void)state;
    canonical_expect_loads(HEAD LOOP("c16", "c1", INDEXED("rx"), ""), 4, 0);
    canonical_expect_loads(HEAD LOOP("c16", "c1", POINTED, ""), 4, 0);
    canonical_expect_loads(HEAD LOOP("c4", "c1", POINTED, ""), 1, 0);
}

/* The vector and the scalar are of the loops that unroll_rows.c makes. */
static void a_loop_of_many_turns_is_not_unrolled_whole(void **state)
{
    (void)state;
    canonical_expect_loads(HEAD LOOP("c17", "c1", POINTED, ""), 1, 1);
}

/* Elements that are not adjacent would not be joined, and lanes close together load rows. */
static void a_loop_along_other_memory_stays(void **state)
{
    (void)state;
    canonical_expect_loads(HEAD LOOP("c16", "c2", POINTED, ""), 0, 1);
    canonical_expect_loads(HEAD LOOP("c16", "c2", INDEXED("rx"), ""), 0, 1);
    canonical_expect_loads(HEAD LOOP("c16", "c1", INDEXED("sx"), ""), 0, 1);
    canonical_expect_loads(HEAD LOOP("c16", "c1", INDEXED("n"), ""), 0, 1);
}

static void a_loop_with_a_barrier_stays(void **state)
{
    (void)state;
    canonical_expect_loads(HEAD LOOP("c16", "c1", POINTED, "OpControlBarrier %n2 %n2 %n264\n"), 0,
                           1);
}

#define STEPS "OpStore %p %v\nOpStore %p %y\nOpStore %p %v\nOpStore %p %y\nOpStore %p %v\n"

static void a_long_loop_stays(void **state)
{
    (void)state;
    canonical_expect_loads(
        HEAD LOOP("c16", "c1", POINTED, STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS), 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_along_a_record_is_unrolled),
        cmocka_unit_test(a_loop_of_many_turns_is_not_unrolled_whole),
        cmocka_unit_test(a_loop_along_other_memory_stays),
        cmocka_unit_test(a_loop_with_a_barrier_stays),
        cmocka_unit_test(a_long_loop_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
