/* OpSpecConstantOp of scalars, vectors and composites: the constant that the reader makes, as the
 * reference interpreter sees it, and what is refused. */
#include "interpret.h"
#include "support.h"

#include "compiler/spirv/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A function "f" that returns the constant %c, "%<type> SpecConstantOp <operation>". */
static void text_write(const char *type, const char *operation, char *text, size_t size)
{
    snprintf(text, size,
             "OpDecorate %%f LinkageAttributes \"f\" Export\n"
             "%%b = OpTypeBool\n%%i8 = OpTypeInt 8 0\n%%i32 = OpTypeInt 32 0\n"
             "%%i64 = OpTypeInt 64 0\n%%f16 = OpTypeFloat 16\n%%f32 = OpTypeFloat 32\n"
             "%%f64 = OpTypeFloat 64\n%%v2 = OpTypeVector %%i32 2\n%%v3 = OpTypeVector %%i32 3\n"
             "%%w2 = OpTypeVector %%b 2\n%%s = OpTypeStruct %%i32 %%v2\n"
             "%%t = OpSpecConstantTrue %%b\n%%n = OpSpecConstantFalse %%b\n"
             "%%c1 = OpSpecConstant %%i32 1\n%%c7 = OpSpecConstant %%i32 7\n"
             "%%zero = OpConstant %%i32 0\n%%minus = OpSpecConstant %%i32 0xFFFFFFFE\n"
             "%%half = OpSpecConstant %%f16 1.5\n%%x = OpSpecConstant %%f32 2.25\n"
             "%%y = OpSpecConstant %%f32 0.1\n%%d = OpSpecConstant %%f64 -3.75\n"
             "%%a2 = OpSpecConstantComposite %%v2 %%c1 %%c7\n"
             "%%b2 = OpSpecConstantComposite %%v2 %%c7 %%minus\n"
             "%%n2 = OpConstantNull %%v2\n%%m2 = OpSpecConstantComposite %%w2 %%t %%n\n"
             "%%st = OpSpecConstantComposite %%s %%c7 %%a2\n%%ns = OpConstantNull %%s\n"
             "%%c = OpSpecConstantOp %%%s %s\n"
             "%%ft = OpTypeFunction %%%s\n%%f = OpFunction %%%s None %%ft\n%%l = OpLabel\n"
             "OpReturnValue %%c\nOpFunctionEnd\n",
             type, operation, type, type);
}

struct expectation {
    const char *type, *operation;
    uint64_t leaves[3];
};

static const struct expectation made[] = {
    {"i32", "IAdd %c1 %c7", {8}},
    {"i32", "UDiv %c7 %zero", {0}},
    {"i64", "SConvert %minus", {UINT64_MAX - 1}},
    {"i8", "UConvert %minus", {0xFE}},
    {"b", "SLessThan %minus %c1", {1}},
    {"i32", "Select %n %c1 %c7", {7}},
    {"f32", "Select %t %x %y", {0x40100000}},
    {"f32", "FAdd %x %x", {0x40900000}},
    {"f32", "FMul %y %y", {0x3C23D70B}},
    {"f32", "FNegate %x", {0xC0100000}},
    {"f32", "FConvert %half", {0x3FC00000}},
    {"f16", "FConvert %y", {0x2E66}},
    {"f32", "FConvert %d", {0xC0700000}},
    {"i32", "ConvertFToS %d", {(uint32_t)-3}},
    {"f64", "ConvertSToF %minus", {0xC000000000000000}},
    {"i32", "Bitcast %x", {0x40100000}},
    {"v2", "IAdd %a2 %b2", {8, 5}},
    {"v2", "ISub %n2 %a2", {UINT32_MAX, (uint32_t)-7}},
    {"w2", "IEqual %a2 %b2", {0, 0}},
    {"v2", "Select %m2 %a2 %b2", {1, (uint32_t)-2}},
    {"v2", "Select %t %a2 %b2", {1, 7}},
    {"i32", "CompositeExtract %a2 1", {7}},
    {"i32", "CompositeExtract %st 1 1", {7}},
    {"i32", "CompositeExtract %ns 1 1", {0}},
    {"v2", "CompositeInsert %minus %a2 0", {(uint32_t)-2, 7}},
    {"s", "CompositeInsert %c7 %ns 1 1", {0, 0, 7}},
    {"s", "CompositeInsert %b2 %st 1", {7, 7, (uint32_t)-2}},
    {"s", "Select %t %st %ns", {7, 1, 7}},
    {"s", "Select %n %st %ns", {0, 0, 0}},
    {"v3", "VectorShuffle %a2 %b2 3 0 2", {(uint32_t)-2, 1, 7}},
};

static void operations_make_constants(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(made); i++) {
        char text[2048];
        uint64_t leaves[3] = {0};
        text_write(made[i].type, made[i].operation, text, sizeof(text));
        struct geo_ir_module *module = support_assemble(text);
        struct interp *interp = interp_create(module);
        struct geo_ir_function *f = interp_find(module, "f");
        const struct geo_ir_value *value = f->first_block->last->operands[0];
        assert_int_equal(value->kind, GEO_VALUE_CONSTANT);
        assert_int_equal(((const struct geo_ir_constant *)value)->op, SpvOpNop);
        assert_true(interp_call(interp, f, NULL, leaves));
        if (memcmp(leaves, made[i].leaves, sizeof(leaves)) != 0) {
            fail_msg("%s: %#llx %#llx %#llx", made[i].operation, (unsigned long long)leaves[0],
                     (unsigned long long)leaves[1], (unsigned long long)leaves[2]);
        }
        interp_destroy(interp);
        geo_ir_module_destroy(module);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    static const struct expectation wrong[] = {
        {"i32", "CompositeExtract %a2 2", {0}},
        {"i32", "CompositeExtract %st 1", {0}},
        {"i32", "CompositeExtract %c1 0", {0}},
        {"v2", "CompositeInsert %x %a2 0", {0}},
        {"s", "CompositeInsert %c7 %a2 0", {0}},
        {"v3", "VectorShuffle %a2 %b2 4 0 2", {0}},
        {"v2", "IAdd %a2 %c1", {0}},
        {"v3", "IAdd %a2 %a2", {0}},
        {"i32", "IAdd %x %x", {0}},
        {"i32", "FAdd %x %x", {0}},
        {"i32", "Select %t %x %y", {0}},
        {"i32", "Select %c1 %c1 %c7", {0}},
        {"s", "Select %m2 %st %ns", {0}},
        {"f32", "ConvertFToS %x", {0}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char text[2048];
        size_t bytes;
        struct geo_strbuf log;
        struct geo_ir_module *module = NULL;
        text_write(wrong[i].type, wrong[i].operation, text, sizeof(text));
        void *words = support_assemble_bytes(text, &bytes);
        geo_strbuf_init(&log, 0);
        if (geo_spirv_read(words, bytes, &module, &log) != ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ||
            !strstr(geo_strbuf_text(&log), "its operands do not have the required types")) {
            fail_msg("%s: %s", wrong[i].operation, geo_strbuf_text(&log));
        }
        geo_strbuf_finish(&log);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_make_constants),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
