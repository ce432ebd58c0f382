/* Rules of types (validate/rules.h) of instructions that stand in no table of a family: each takes
 * what the specification has it take, and is refused with any other type by its name. */
#include "support.h"

#include "compiler/spirv/reader.h"
#include "compiler/validate/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Types, and a value of each: %v_TYPE. */
static const char head[] =
    "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Int8\n"
    "OpCapability GenericPointer\nOpCapability ShaderClockKHR\nOpCapability ExpectAssumeKHR\n"
    "OpExtension \"SPV_KHR_shader_clock\"\nOpExtension \"SPV_KHR_expect_assume\"\n"
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n"
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n"
    "%i64 = OpTypeInt 64 0\n%f32 = OpTypeFloat 32\n%i32x2 = OpTypeVector %i32 2\n"
    "%i32x3 = OpTypeVector %i32 3\n%f32x2 = OpTypeVector %f32 2\n"
    "%global = OpTypePointer CrossWorkgroup %i32\n%generic = OpTypePointer Generic %i32\n"
    "%three = OpConstant %i32 3\n%a = OpTypeStruct %i32 %f32\n%b = OpTypeStruct %i32 %f32\n"
    "%swapped = OpTypeStruct %f32 %i32\n%longer = OpTypeStruct %i32 %f32 %i32\n"
    "%as = OpTypeArray %a %three\n%bs = OpTypeArray %b %three\n%swaps = OpTypeArray %swapped "
    "%three\n"
    "%v_bool = OpUndef %bool\n%v_i32 = OpUndef %i32\n%v_f32 = OpUndef %f32\n"
    "%v_i32x2 = OpUndef %i32x2\n%v_global = OpUndef %global\n%v_generic = OpUndef %generic\n"
    "%v_a = OpUndef %a\n%v_as = OpUndef %as\n"
    "%generic2 = OpTypeVector %generic 2\n%v_generic2 = OpUndef %generic2\n"
    "%global2 = OpTypeVector %global 2\n%v_global2 = OpUndef %global2\n"
    "%i32x4 = OpTypeVector %i32 4\n%v_i32x4 = OpUndef %i32x4\n"
    "%v_i64 = OpUndef %i64\n"
    "%bool2 = OpTypeVector %bool 2\n%i64x2 = OpTypeVector %i64 2\n"
    "%fn = OpTypeFunction %void\n%k = OpFunction %void None %fn\n%entry = OpLabel\n";
static const char tail[] = "OpReturn\nOpFunctionEnd\n";

static const struct row {
    const char *good[2], *bad[6];
} rows[] = {
    {{"%x = OpGenericPtrMemSemantics %i32 %v_generic"},
     {"%x = OpGenericPtrMemSemantics %global %v_global",
      "%x = OpGenericPtrMemSemantics %f32 %v_generic", "%x = OpGenericPtrMemSemantics %i32 %v_i32",
      "%x = OpGenericPtrMemSemantics %i32x2 %v_generic",
      "%x = OpGenericPtrMemSemantics %i32x2 %v_generic2"}},
    {{"%x = OpSizeOf %i32 %v_global"},
     {"%x = OpSizeOf %f32 %v_global", "%x = OpSizeOf %global %v_global",
      "%x = OpSizeOf %i32 %v_i32", "%x = OpSizeOf %i32x2 %v_generic2"}},
    {{"%x = OpAtomicFlagTestAndSet %bool %v_global %three %three"},
     {"%x = OpAtomicFlagTestAndSet %i32 %v_global %three %three",
      "%x = OpAtomicFlagTestAndSet %f32 %v_global %three %three",
      "%x = OpAtomicFlagTestAndSet %bool %v_i32 %three %three"}},
    {{"%x = OpReadClockKHR %i64 %three", "%x = OpReadClockKHR %i32x2 %three"},
     {"%x = OpReadClockKHR %i32 %three", "%x = OpReadClockKHR %f32x2 %three",
      "%x = OpReadClockKHR %global %three", "%x = OpReadClockKHR %i32x3 %three",
      "%x = OpReadClockKHR %i64 %v_f32"}},
    {{"OpAssumeTrueKHR %v_bool"}, {"OpAssumeTrueKHR %v_i32", "OpAssumeTrueKHR %v_global"}},
    {{"%x = OpCopyLogical %b %v_a", "%x = OpCopyLogical %bs %v_as"},
     {"%x = OpCopyLogical %swapped %v_a", "%x = OpCopyLogical %longer %v_a",
      "%x = OpCopyLogical %swaps %v_as", "%x = OpCopyLogical %b %v_as",
      "%x = OpCopyLogical %f32 %v_i32", "%x = OpCopyLogical %f32x2 %v_i32x2"}},
    {{"%x = OpPtrEqual %bool %v_global %v_global", "%x = OpPtrNotEqual %bool %v_global %v_global"},
     {"%x = OpPtrEqual %bool2 %v_global2 %v_global2",
      "%x = OpPtrNotEqual %bool2 %v_global2 %v_global2", "%x = OpPtrEqual %bool %v_i32 %v_i32",
      "%x = OpPtrEqual %bool %v_global %v_generic", "%x = OpPtrEqual %i32 %v_global %v_global"}},
    {{"%x = OpPtrDiff %i64 %v_global %v_global"},
     {"%x = OpPtrDiff %i64x2 %v_global2 %v_global2", "%x = OpPtrDiff %i64 %v_global2 %v_global2",
      "%x = OpPtrDiff %f32 %v_global %v_global", "%x = OpPtrDiff %i64 %v_global %v_generic"}},
    {{"%x = OpIMul32x16INTEL %i32 %v_i32 %v_i32", "%x = OpUMul32x16INTEL %i32x2 %v_i32x2 %v_i32x2"},
     {"%x = OpIMul32x16INTEL %i64 %v_i64 %v_i64", "%x = OpUMul32x16INTEL %f32 %v_f32 %v_f32",
      "%x = OpUMul32x16INTEL %i32 %v_i32 %v_i32x2"}},
    {{"%x = OpGroupNonUniformPartitionNV %i32x4 %v_f32",
      "%x = OpGroupNonUniformPartitionNV %i32x4 %v_i32x2"},
     {"%x = OpGroupNonUniformPartitionNV %i32 %v_f32",
      "%x = OpGroupNonUniformPartitionNV %i32x4 %v_global",
      "%x = OpGroupNonUniformPartitionNV %i32x4 %v_a"}},
    {{"%x = OpGroupNonUniformIAdd %i32 %three PartitionedReduceNV %v_i32 %v_i32x4",
      "%x = OpGroupNonUniformIAdd %i32 %three ClusteredReduce %v_i32 %three"},
     {"%x = OpGroupNonUniformIAdd %i32 %three PartitionedReduceNV %v_i32 %three",
      "%x = OpGroupNonUniformIAdd %i32 %three ClusteredReduce %v_i32 %v_i32x4"}},
    {{"%x = OpGenericCastToPtrExplicit %global %v_generic CrossWorkgroup"},
     {"%x = OpGenericCastToPtrExplicit %global2 %v_generic2 CrossWorkgroup",
      "%x = OpGenericCastToPtrExplicit %i64 %v_generic CrossWorkgroup"}},
};

static void line_judge(const char *line, bool expected)
{
    char text[4096], name[64];
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    size_t bytes;
    snprintf(text, sizeof(text), "%s%s\n%s", head, line, tail);
    void *words = support_assemble_bytes(text, &bytes);
    geo_strbuf_init(&log, 0);
    bool good = geo_spirv_read(words, bytes, &module, &log) == ZE_RESULT_SUCCESS &&
                geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS;
    if (good != expected) {
        fail_msg("%s: %s", line, good ? "taken" : geo_strbuf_text(&log));
    }
    if (!good) {
        const char *op = strstr(line, "Op");
        snprintf(name, sizeof(name), "%.*s ", (int)strcspn(op, " "), op);
        assert_non_null(strstr(geo_strbuf_text(&log), "error: after reading: "));
        assert_non_null(strstr(geo_strbuf_text(&log), name));
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    free(words);
}

/* SPV-1 */
static void types_are_those_of_the_specification(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t k = 0; k < 2 && rows[i].good[k]; k++) {
            line_judge(rows[i].good[k], true);
        }
        for (size_t k = 0; k < 6 && rows[i].bad[k]; k++) {
            line_judge(rows[i].bad[k], false);
        }
    }
}

/* The line of a log that is expected: its opcode and its reason. */
static void log_has(const struct geo_strbuf *log, const char *op, const char *reason)
{
    if (!strstr(geo_strbuf_text(log), op) || !strstr(geo_strbuf_text(log), reason)) {
        fail_msg("%s: %s is missing in: %s", op, reason, geo_strbuf_text(log));
    }
}

/* Reads and checks a kernel of one line, and expects a refusal for this reason. */
static void line_refused(const char *line, const char *op, const char *reason)
{
    char text[4096];
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    size_t bytes;
    snprintf(text, sizeof(text), "%s%s\n%s", head, line, tail);
    void *words = support_assemble_bytes(text, &bytes);
    geo_strbuf_init(&log, 0);
    assert_false(geo_spirv_read(words, bytes, &module, &log) == ZE_RESULT_SUCCESS &&
                 geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS);
    log_has(&log, op, reason);
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    free(words);
}

static void vectors_of_pointers_are_named(void **state)
{
    static const char reason[] = "it takes single pointers, not vectors of them";
    (void)state;
    line_refused("%x = OpPtrEqual %bool2 %v_global2 %v_global2", "OpPtrEqual ", reason);
    line_refused("%x = OpPtrNotEqual %bool2 %v_global2 %v_global2", "OpPtrNotEqual ", reason);
    line_refused("%x = OpPtrDiff %i64x2 %v_global2 %v_global2", "OpPtrDiff ", reason);
    line_refused("%x = OpGenericCastToPtrExplicit %global2 %v_generic2 CrossWorkgroup",
                 "OpGenericCastToPtrExplicit ", reason);
}

/* Opcodes of SPIR-V that have no row: graphics, and a conversion that Kernel modules may have. */
static void opcodes_without_a_row_are_refused(void **state)
{
    static const char reason[] = "the instruction is not supported";
    (void)state;
    line_refused("%x = OpQuantizeToF16 %f32 %v_f32", "OpQuantizeToF16 at word ", reason);
    line_refused("%x = OpDPdx %f32 %v_f32", "OpDPdx at word ", reason);
}

/* A pass that makes an instruction without a row is a mistake of ours. */
static void passes_make_no_opcode_without_a_row(void **state)
{
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    char text[4096];
    size_t bytes;
    (void)state;
    snprintf(text, sizeof(text), "%s%%x = OpFNegate %%f32 %%v_f32\n%s", head, tail);
    void *words = support_assemble_bytes(text, &bytes);
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_spirv_read(words, bytes, &module, &log), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_validate(module, "reading", &log), ZE_RESULT_SUCCESS);
    geo_ir_for_each_function(function, module) {
        function->first_block->first->op = SpvOpQuantizeToF16;
    }
    assert_int_equal(geo_validate(module, "a pass", &log), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    log_has(&log, "error: after a pass: OpQuantizeToF16 ",
            "internal error: the compiler has no rule for this instruction");
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_those_of_the_specification),
        cmocka_unit_test(vectors_of_pointers_are_named),
        cmocka_unit_test(opcodes_without_a_row_are_refused),
        cmocka_unit_test(passes_make_no_opcode_without_a_row),
    };
    return cmocka_run_group_tests_name("validate_rules", tests, NULL, NULL);
}
