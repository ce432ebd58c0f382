/* Loads at clamped indexes: which loads get a case without the clamp. That they still load the same
 * is the corpus' matter (kernels/clamps.cl). */
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
    "%c1 = OpConstant %i32 1\n%c7 = OpConstant %i32 7\n%c63 = OpConstant %i32 63\n"                \
    "%c99 = OpConstant %i32 99\n%minus = OpConstant %i32 4294967287\n%fn = OpTypeFunction %void "  \
    "%gi32 "                                                                                       \
    "%gi32 %i32\n"                                                                                 \
    "%id = OpVariable %pv3 Input\n%k = OpFunction %void None %fn\n"                                \
    "%p = OpFunctionParameter %gi32\n%q = OpFunctionParameter %gi32\n"                             \
    "%n = OpFunctionParameter %i32\n%entry = OpLabel\n%ids = OpLoad %v3 %id\n"                     \
    "%lx = OpCompositeExtract %i64 %ids 0\n%l = OpUConvert %i32 %lx\n"                             \
    "%less = OpISub %i32 %l %c1\n"
#define LOADED(memory)                                                                             \
    "%w = OpSConvert %i64 %i\n%a = OpInBoundsPtrAccessChain %gi32 %q %w\n%v = OpLoad %i32 "        \
    "%a" memory "\nOpStore %p %v\nOpReturn\nOpFunctionEnd\n"

/* Counts the loads and the questions that are left. */
static void expect(const char *body, uint32_t loads, uint32_t asked)
{
    struct geo_ir_module *module = support_assemble(body);
    canonical_make(module);
    assert_int_equal(support_count(module, NULL, SpvOpLoad), loads);
    assert_int_equal(support_count(module, NULL, (SpvOp)GEO_OP_ALL_LANES), asked);
    geo_ir_module_destroy(module);
}

static void a_load_at_a_clamped_index_has_two_cases(void **state)
{
    (void)state;
    expect(HEAD "%i = OpExtInst %i32 %ocl s_max %less %c0\n" LOADED(""), 2, 1);
    expect(HEAD "%i = OpExtInst %i32 %ocl u_min %n %l\n" LOADED(""), 2, 1);
    expect(HEAD "%i = OpExtInst %i32 %ocl s_clamp %less %c0 %n\n" LOADED(""), 2, 2);
    expect(HEAD "%m = OpExtInst %i32 %ocl s_max %less %c0\n"
                "%i = OpExtInst %i32 %ocl s_min %m %n\n" LOADED(""),
           2, 2);
    expect(HEAD "%c = OpSGreaterThan %bool %l %n\n%i = OpSelect %i32 %c %less %n\n" LOADED(""), 2,
           1);
}

/* The question is the selection's own comparison where the index is selected if it holds. */
static void a_selection_is_asked_as_it_selects(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        support_assemble(HEAD "%c = OpSGreaterThan %bool %l %n\n"
                              "%i = OpSelect %i32 %c %less %n\n" LOADED(""));
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize(module, true, &log), ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&log);
    assert_int_equal(support_count(module, NULL, SpvOpSGreaterThan), 2);
    assert_int_equal(support_count(module, NULL, SpvOpSLessThanEqual), 0);
    geo_ir_module_destroy(module);
}

static void a_load_at_an_index_that_wraps_around_has_two_cases(void **state)
{
    (void)state;
    expect(HEAD "%i = OpUMod %i32 %less %n\n" LOADED(""), 2, 2);
    expect(HEAD "%i = OpSRem %i32 %less %n\n" LOADED(""), 2, 3);
    expect(HEAD "%i = OpSMod %i32 %less %c99\n" LOADED(""), 2, 2);
    expect(HEAD "%i = OpUDiv %i32 %less %n\n" LOADED(""), 2, 2);
    expect(HEAD "%i = OpSDiv %i32 %less %n\n" LOADED(""), 2, 3);
    expect(HEAD "%i = OpBitwiseAnd %i32 %n %less\n" LOADED(""), 2, 2);
    expect(HEAD "%i = OpBitwiseAnd %i32 %less %c63\n" LOADED(""), 2, 1);
    /* uniform in the first case, with any factor */
    expect(HEAD "%d = OpUDiv %i32 %less %n\n%i = OpIMul %i32 %d %n\n" LOADED(""), 2, 2);
    expect(HEAD "%d = OpUDiv %i32 %less %n\n%i = OpUMod %i32 %d %n\n" LOADED(""), 2, 2);
}

static void an_index_that_wraps_in_each_chunk_stays(void **state)
{
    (void)state;
    expect(HEAD "%i = OpUMod %i32 %less %c7\n" LOADED(""), 1, 0);
    expect(HEAD "%i = OpSRem %i32 %less %minus\n" LOADED(""), 1, 0);
    expect(HEAD "%i = OpBitwiseAnd %i32 %less %c99\n" LOADED(""), 1, 0);
    expect(HEAD "%m = OpUMod %i32 %less %n\n%i = OpIMul %i32 %m %n\n" LOADED(""), 1, 0);
}

static void a_load_from_local_memory_does_not_ask_where_it_wraps(void **state)
{
    (void)state;
    expect("OpEntryPoint Kernel %k \"k\" %id\nOpDecorate %id BuiltIn LocalInvocationId\n"
           "%void = OpTypeVoid\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"
           "%v3 = OpTypeVector %i64 3\n%pv3 = OpTypePointer Input %v3\n"
           "%li32 = OpTypePointer Workgroup %i32\n%gi32 = OpTypePointer CrossWorkgroup %i32\n"
           "%fn = OpTypeFunction %void %gi32 %li32 %i64\n%id = OpVariable %pv3 Input\n"
           "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi32\n"
           "%q = OpFunctionParameter %li32\n%n = OpFunctionParameter %i64\n%entry = OpLabel\n"
           "%ids = OpLoad %v3 %id\n%l = OpCompositeExtract %i64 %ids 0\n"
           "%i = OpUMod %i64 %l %n\n%a = OpInBoundsPtrAccessChain %li32 %q %i\n"
           "%v = OpLoad %i32 %a\nOpStore %p %v\nOpReturn\nOpFunctionEnd\n",
           1, 0);
}

/* A load that gets no second case keeps its code: instructions made for the case are removed. */
static void nothing_is_left_of_a_load_that_stays(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        support_assemble(HEAD "%m = OpUMod %i32 %less %n\n%s = OpIMul %i32 %l %l\n"
                              "%i = OpIAdd %i32 %m %s\n" LOADED(""));
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize(module, true, &log), ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&log);
    assert_int_equal(support_count(module, NULL, (SpvOp)GEO_OP_FIRST_LANE), 0);
    geo_ir_module_destroy(module);
}

static void a_load_that_varies_for_another_reason_stays(void **state)
{
    (void)state;
    expect(HEAD "%s = OpIMul %i32 %l %l\n%i = OpExtInst %i32 %ocl s_max %s %c0\n" LOADED(""), 1, 0);
    expect(HEAD "%s = OpIMul %i32 %l %l\n%m = OpExtInst %i32 %ocl s_max %less %c0\n"
                "%i = OpIAdd %i32 %m %s\n" LOADED(""),
           1, 0);
    expect(HEAD "%m = OpExtInst %i32 %ocl s_max %less %c0\n%i = OpIMul %i32 %m %n\n" LOADED(""), 1,
           0);
}

static void a_load_at_an_even_index_stays(void **state)
{
    (void)state;
    expect(HEAD "%i = OpIAdd %i32 %less %n\n" LOADED(""), 1, 0);
    expect(HEAD "%m = OpExtInst %i32 %ocl s_max %n %c0\n%i = OpIAdd %i32 %less %m\n" LOADED(""), 1,
           0);
}

static void a_volatile_load_stays(void **state)
{
    (void)state;
    expect(HEAD "%i = OpExtInst %i32 %ocl s_max %less %c0\n" LOADED(" Volatile"), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_at_a_clamped_index_has_two_cases),
        cmocka_unit_test(a_selection_is_asked_as_it_selects),
        cmocka_unit_test(a_load_at_an_index_that_wraps_around_has_two_cases),
        cmocka_unit_test(an_index_that_wraps_in_each_chunk_stays),
        cmocka_unit_test(a_load_from_local_memory_does_not_ask_where_it_wraps),
        cmocka_unit_test(nothing_is_left_of_a_load_that_stays),
        cmocka_unit_test(a_load_that_varies_for_another_reason_stays),
        cmocka_unit_test(a_load_at_an_even_index_stays),
        cmocka_unit_test(a_volatile_load_stays),
    };
    return cmocka_run_group_tests_name("clamps", tests, NULL, NULL);
}
