/* What is allowed in float arithmetic, by kernels, decorations and build options, and what becomes
 * of it: the instructions of canonical form. */
#include "canonical.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <spirv/unified1/OpenCL.std.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RELAXED (GEO_VALUE_FAST_ALL | GEO_VALUE_RELAXED)

/* A kernel that leaves what `body` calls %r, from the floats %a, %b, %c. */
static struct geo_ir_module *after(const char *modes, const char *body, uint32_t fast_math,
                                   bool exact)
{
    char text[4096];
    struct geo_strbuf log;
    snprintf(text, sizeof(text),
             "%%x = OpExtInstImport \"OpenCL.std\"\nOpEntryPoint Kernel %%k \"k\"\n%s"
             "%%void = OpTypeVoid\n%%f32 = OpTypeFloat 32\n"
             "%%one = OpConstant %%f32 1\n%%two = OpConstant %%f32 2\n"
             "%%gf32 = OpTypePointer CrossWorkgroup %%f32\n"
             "%%fn = OpTypeFunction %%void %%gf32 %%f32 %%f32 %%f32\n"
             "%%k = OpFunction %%void None %%fn\n%%p = OpFunctionParameter %%gf32\n"
             "%%a = OpFunctionParameter %%f32\n%%b = OpFunctionParameter %%f32\n"
             "%%c = OpFunctionParameter %%f32\n%%entry = OpLabel\n%s"
             "OpStore %%p %%r\nOpReturn\nOpFunctionEnd\n",
             modes, body);
    struct geo_ir_module *module = support_assemble(text);
    module->fast_math = fast_math;
    module->exact_divide_sqrt = exact;
    geo_strbuf_init(&log, 0);
    if (geo_transform_canonicalize(module, true, &log) != ZE_RESULT_SUCCESS) {
        fail_msg("%s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    support_assert_valid(module);
    return module;
}

static uint32_t count_of(const char *modes, const char *body, uint32_t fast_math, bool exact,
                         SpvOp op, uint32_t number)
{
    struct geo_ir_module *module = after(modes, body, fast_math, exact);
    uint32_t count = 0;
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                count += inst->op == op && (op != SpvOpExtInst || inst->literals[1] == number);
            }
        }
    }
    geo_ir_module_destroy(module);
    return count;
}

#define MADS(modes, body, fast) count_of(modes, body, fast, false, SpvOpExtInst, OpenCLstd_Mad)

#define OFF     "OpExecutionMode %k ContractionOff\n"
#define SUM     "%m = OpFMul %f32 %a %b\n%r = OpFAdd %f32 %m %c\n"
#define ALLOWED "OpDecorate %m FPFastMathMode Fast\nOpDecorate %r FPFastMathMode Fast\n"

static void products_and_sums_are_contracted(void **state)
{
    (void)state;
    assert_int_equal(MADS("", SUM, 0), 1);
    assert_int_equal(MADS("", "%m = OpFMul %f32 %a %b\n%r = OpFSub %f32 %m %c\n", 0), 1);
    assert_int_equal(MADS("", "%m = OpFMul %f32 %a %b\n%r = OpFSub %f32 %c %m\n", 0), 1);
    assert_int_equal(MADS("", "%m = OpFMul %f32 %a %b\n%r = OpFAdd %f32 %m %m\n", 0), 0);
    assert_int_equal(MADS("",
                          "%m = OpFMul %f32 %a %b\n%n = OpFMul %f32 %a %c\n"
                          "%r = OpFAdd %f32 %m %n\n",
                          0),
                     1);
}

static void differences_are_contracted_with_their_signs(void **state)
{
    const char *left = "%m = OpFMul %f32 %a %b\n%r = OpFSub %f32 %m %c\n";
    const char *right = "%m = OpFMul %f32 %a %b\n%r = OpFSub %f32 %c %m\n";
    (void)state;
    assert_int_equal(count_of("", left, 0, false, SpvOpFNegate, 0), 1);
    assert_int_equal(count_of("", right, 0, false, SpvOpFNegate, 0), 1);
    assert_int_equal(count_of("", SUM, 0, false, SpvOpFNegate, 0), 0);
}

static void contraction_is_off_where_the_kernel_says_so(void **state)
{
    (void)state;
    assert_int_equal(MADS(OFF, SUM, 0), 0);
    assert_int_equal(MADS(OFF ALLOWED, SUM, 0), 1);
    assert_int_equal(MADS(OFF "OpDecorate %m FPFastMathMode Fast\n", SUM, 0), 0);
    assert_int_equal(MADS(OFF, SUM, GEO_VALUE_FAST_CONTRACT), 1);
    assert_int_equal(MADS(OFF, SUM, GEO_VALUE_FAST_ALL & ~(uint32_t)GEO_VALUE_FAST_CONTRACT), 0);
}

/* Rounding that is asked for is of each operation. */
static void modes_of_rounding_keep_operations_apart(void **state)
{
    (void)state;
    assert_int_equal(MADS("OpExecutionMode %k RoundingModeRTZ 32\n", SUM, RELAXED), 0);
    assert_int_equal(MADS("OpExecutionMode %k DenormFlushToZero 32\n", SUM, RELAXED), 0);
    assert_int_equal(MADS("OpExecutionMode %k SignedZeroInfNanPreserve 32\n", SUM, RELAXED), 0);
    assert_int_equal(MADS("OpExecutionMode %k RoundingModeRTZ 64\n", SUM, RELAXED), 1);
}

#define DIVISIONS(modes, body, fast, exact) count_of(modes, body, fast, exact, SpvOpFDiv, 0)
#define ROOTS(modes, body, fast, exact)                                                            \
    count_of(modes, body, fast, exact, SpvOpExtInst, OpenCLstd_Sqrt)
#define INVERSE_ROOT "%s = OpExtInst %f32 %x sqrt %a\n%r = OpFDiv %f32 %one %s\n"
#define QUOTIENT     "%r = OpFDiv %f32 %a %b\n"

/* The rare branch of the library's function divides and takes a root. */
static void inverse_roots_are_one_step(void **state)
{
    uint32_t guesses = GEO_OP_GUESS_INVERSE_ROOT;
    (void)state;
    assert_int_equal(count_of("", INVERSE_ROOT, 0, false, (SpvOp)guesses, 0), 1);
    assert_int_equal(count_of("", INVERSE_ROOT, 0, true, (SpvOp)guesses, 0), 0);
    assert_int_equal(count_of("", "%s = OpExtInst %f32 %x sqrt %a\n%r = OpFDiv %f32 %two %s\n", 0,
                              false, (SpvOp)guesses, 0),
                     0);
    assert_int_equal(count_of("OpExecutionMode %k RoundingModeRTZ 32\n", INVERSE_ROOT, 0, false,
                              (SpvOp)guesses, 0),
                     0);
    assert_int_equal(ROOTS("", INVERSE_ROOT, RELAXED, false), 0);
}

static void divisions_are_exact_unless_reciprocals_are_allowed(void **state)
{
    (void)state;
    assert_int_equal(DIVISIONS("", QUOTIENT, 0, false), 1);
    assert_int_equal(DIVISIONS("OpDecorate %r FPFastMathMode AllowRecip\n", QUOTIENT, 0, false), 0);
    assert_int_equal(DIVISIONS("", QUOTIENT, RELAXED, false), 0);
    assert_int_equal(DIVISIONS("", QUOTIENT, RELAXED, true), 1);
    assert_int_equal(DIVISIONS("", QUOTIENT, GEO_VALUE_FAST_CONTRACT, false), 1);
    assert_int_equal(
        DIVISIONS("OpExecutionMode %k SignedZeroInfNanPreserve 32\n", QUOTIENT, RELAXED, false), 1);
}

static void relaxed_roots_are_exact_where_that_is_asked_for(void **state)
{
    const char *root = "%r = OpExtInst %f32 %x sqrt %a\n";
    (void)state;
    assert_int_equal(ROOTS("", root, 0, false), 1);
    assert_int_equal(ROOTS("", root, RELAXED, false), 0);
    assert_int_equal(ROOTS("", root, RELAXED, true), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_sums_are_contracted),
        cmocka_unit_test(differences_are_contracted_with_their_signs),
        cmocka_unit_test(contraction_is_off_where_the_kernel_says_so),
        cmocka_unit_test(modes_of_rounding_keep_operations_apart),
        cmocka_unit_test(inverse_roots_are_one_step),
        cmocka_unit_test(divisions_are_exact_unless_reciprocals_are_allowed),
        cmocka_unit_test(relaxed_roots_are_exact_where_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
