/* Addresses in rows that quotient and remainder choose (simplify/fold_rows.c): which forms become
 * one index, and that every index leads to the same element. */
#include "interpret.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ELEMENTS     512
#define MIDDLE       256 /* element that index 0 leads to */

/* A kernel that stores to rows[%q][%r], with %n as i, and as %w in 64 bits. */
struct form {
    const char *name, *code; /* defines %q and %r in 64 bits */
    unsigned row;            /* elements */
    bool folds;
};

#define SIGNED   "%q = OpSConvert %i64 %a\n%r = OpSConvert %i64 %b\n"
#define UNSIGNED "%q = OpUConvert %i64 %a\n%r = OpUConvert %i64 %b\n"
#define QUOTIENT "%a = OpSDiv %i32 %n %c18\n"

static const struct form forms[] = {
    {"remainder", QUOTIENT "%b = OpSRem %i32 %n %c18\n" SIGNED, 18, true},
    {"modulus", "%a = OpUDiv %i32 %n %c18\n%b = OpUMod %i32 %n %c18\n" UNSIGNED, 18, true},
    {"sum", QUOTIENT "%p1 = OpIMul %i32 %a %m18\n%b = OpIAdd %i32 %n %p1\n" SIGNED, 18, true},
    {"swapped sum", QUOTIENT "%p1 = OpIMul %i32 %a %m18\n%b = OpIAdd %i32 %p1 %n\n" SIGNED, 18,
     true},
    {"difference", QUOTIENT "%p1 = OpIMul %i32 %a %c18\n%b = OpISub %i32 %n %p1\n" SIGNED, 18,
     true},
    {"wide", "%q = OpSDiv %i64 %w %w18\n%r = OpSRem %i64 %w %w18\n", 18, true},
    {"signed shift",
     "%a = OpShiftRightArithmetic %i32 %n %c4\n%b = OpBitwiseAnd %i32 %n %c15\n" SIGNED, 16, true},
    {"shift", "%a = OpShiftRightLogical %i32 %n %c4\n%b = OpBitwiseAnd %i32 %n %c15\n" UNSIGNED, 16,
     true},
    {"mixed shift",
     "%a = OpShiftRightArithmetic %i32 %n %c4\n%b = OpBitwiseAnd %i32 %n %c15\n"
     "%q = OpSConvert %i64 %a\n%r = OpUConvert %i64 %b\n",
     16, true},
    /* other rows, other numbers, other extensions */
    {"longer rows", QUOTIENT "%b = OpSRem %i32 %n %c18\n" SIGNED, 20, false},
    {"other quotient", "%a = OpSDiv %i32 %n %c15\n%b = OpSRem %i32 %n %c18\n" SIGNED, 18, false},
    {"other divisor", QUOTIENT "%b = OpSRem %i32 %n %c15\n" SIGNED, 18, false},
    {"other sign", QUOTIENT "%b = OpUMod %i32 %n %c18\n" SIGNED, 18, false},
    {"modulus by sign", QUOTIENT "%b = OpSMod %i32 %n %c18\n" SIGNED, 18, false},
    {"extended otherwise", QUOTIENT "%b = OpSRem %i32 %n %c18\n" UNSIGNED, 18, false},
    {"rest of a sum", QUOTIENT "%n1 = OpIAdd %i32 %n %c4\n%b = OpSRem %i32 %n1 %c18\n" SIGNED, 18,
     false},
    {"other product", QUOTIENT "%p1 = OpIMul %i32 %a %c18\n%b = OpIAdd %i32 %n %p1\n" SIGNED, 18,
     false},
    {"other shift",
     "%a = OpShiftRightArithmetic %i32 %n %c4\n%b = OpBitwiseAnd %i32 %n %c18\n" SIGNED, 16, false},
    {"shift extended otherwise",
     "%a = OpShiftRightArithmetic %i32 %n %c4\n%b = OpBitwiseAnd %i32 %n %c15\n" UNSIGNED, 16,
     false},
};

static struct geo_ir_module *form_read(const struct form *form)
{
    char text[4096];
    snprintf(text, sizeof(text),
             "OpEntryPoint Kernel %%k \"k\"\n%%void = OpTypeVoid\n%%i32 = OpTypeInt 32 0\n"
             "%%i64 = OpTypeInt 64 0\n%%c4 = OpConstant %%i32 4\n%%c15 = OpConstant %%i32 15\n"
             "%%c18 = OpConstant %%i32 18\n%%m18 = OpConstant %%i32 4294967278\n"
             "%%w18 = OpConstant %%i64 18\n%%length = OpConstant %%i32 %u\n"
             "%%row = OpTypeArray %%i32 %%length\n%%gi32 = OpTypePointer CrossWorkgroup %%i32\n"
             "%%grow = OpTypePointer CrossWorkgroup %%row\n"
             "%%fn = OpTypeFunction %%void %%gi32 %%i32\n"
             "%%k = OpFunction %%void None %%fn\n%%p = OpFunctionParameter %%gi32\n"
             "%%n = OpFunctionParameter %%i32\n%%entry = OpLabel\n%%w = OpSConvert %%i64 %%n\n%s"
             "%%rows = OpBitcast %%grow %%p\n%%at = OpInBoundsPtrAccessChain %%grow %%rows %%q\n"
             "%%first = OpBitcast %%gi32 %%at\n"
             "%%element = OpInBoundsPtrAccessChain %%gi32 %%first %%r\n"
             "OpStore %%element %%c15\nOpReturn\nOpFunctionEnd\n",
             form->row, form->code);
    return support_assemble(text);
}

/* Returns the element that the kernel writes; -1: it leaves the memory. */
static int place_written(struct geo_ir_module *module, int n)
{
    int memory[ELEMENTS] = {0}, place = -1;
    const uint32_t one[] = {1, 1, 1};
    struct interp *interp = interp_create(module);
    uint64_t start = interp_map(interp, memory, sizeof(memory));
    const uint64_t arguments[] = {start + MIDDLE * sizeof(int), (uint32_t)n};
    if (interp_launch(interp, interp_find(module, "k"), arguments, one, one)) {
        for (int i = 0; i < ELEMENTS; i++) {
            place = memory[i] ? i : place;
        }
    }
    interp_destroy(interp);
    return place;
}

static void simplify(struct geo_ir_module *module)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_simplify(module, true, &log), ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&log);
    support_assert_valid(module);
}

static void quotient_and_remainder_are_one_index(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct geo_ir_module *module = form_read(&forms[i]);
        simplify(module);
        uint32_t steps = support_count(module, NULL, SpvOpInBoundsPtrAccessChain);
        if (steps != (forms[i].folds ? 1u : 2u)) {
            fail_msg("%s: %u steps", forms[i].name, steps);
        }
        geo_ir_module_destroy(module);
    }
}

static void the_index_leads_to_the_same_element(void **state)
{
    static const int numbers[] = {0, 1, 15, 16, 17, 18, 35, 36, 200, -1, -17, -18, -19, -200};
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct geo_ir_module *before = form_read(&forms[i]), *after = form_read(&forms[i]);
        simplify(after);
        for (size_t k = 0; k < COUNT(numbers); k++) {
            int expected = place_written(before, numbers[k]);
            if (place_written(after, numbers[k]) != expected) {
                fail_msg("%s: element of %d is not %d", forms[i].name, numbers[k], expected);
            }
        }
        geo_ir_module_destroy(before);
        geo_ir_module_destroy(after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotient_and_remainder_are_one_index),
        cmocka_unit_test(the_index_leads_to_the_same_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
