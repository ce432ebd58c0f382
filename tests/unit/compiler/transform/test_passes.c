/* What each pass makes of small inputs: the shape of the result. */
#include "canonical.h"
#include "interpret.h"
#include "support.h"

#include "compiler/ir/print.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n"         \
    "%i64 = OpTypeInt 64 0\n%f32 = OpTypeFloat 32\n%v2 = OpTypeVector %f32 2\n"                    \
    "%v4 = OpTypeVector %f32 4\n%gi32 = OpTypePointer CrossWorkgroup %i32\n"                       \
    "%pi32 = OpTypePointer Function %i32\n%pf32 = OpTypePointer Function %f32\n"                   \
    "%pi8 = OpTypePointer Function %i8\n%pv4 = OpTypePointer Function %v4\n"                       \
    "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n"                  \
    "%c3 = OpConstant %i32 3\n%c4 = OpConstant %i32 4\n%c272 = OpConstant %i32 272\n"              \
    "%l8 = OpConstant %i64 8\n%fn = OpTypeFunction %void %gi32 %i32\n"                             \
    "%fi = OpTypeFunction %i32 %i32\n"

#define KERNEL "OpEntryPoint Kernel %k \"k\"\n"
#define BEGIN                                                                                      \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi32\n"                             \
    "%n = OpFunctionParameter %i32\n%entry = OpLabel\n"
#define END "OpReturn\nOpFunctionEnd\n"

typedef ze_result_t (*pass_fn)(struct geo_ir_module *module, struct geo_strbuf *log);

static ze_result_t inline_all(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_inline(module, true, log);
}

static ze_result_t inline_needed(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_inline(module, false, log);
}

static ze_result_t simplify(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_simplify(module, true, log);
}

static ze_result_t canonicalize(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_transform_canonicalize(module, true, log);
}

/* The model of a text after a pass, validated. */
static struct geo_ir_module *after(const char *text, pass_fn pass)
{
    struct geo_ir_module *module = support_assemble(text);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    if (pass(module, &log) != ZE_RESULT_SUCCESS) {
        fail_msg("%s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    support_assert_valid(module);
    return module;
}

/* The pass must refuse the text with MODULE_BUILD_FAILURE and a log that contains `expected`. */
static void refused(struct geo_ir_module *module, pass_fn pass, const char *expected)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(pass(module, &log), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    if (!strstr(geo_strbuf_text(&log), expected)) {
        fail_msg("log: %s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

static void assert_printed(const struct geo_ir_module *module, const char *part)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    geo_ir_print(module, &text);
    if (!strstr(geo_strbuf_text(&text), part)) {
        fail_msg("\"%s\" is not in\n%s", part, geo_strbuf_text(&text));
    }
    geo_strbuf_finish(&text);
}

/* ---- reachability ---- */

static void unreached_functions_and_blocks_go(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL "OpDecorate %e LinkageAttributes \"kept\" Export\n"
               "OpDecorate %twin LinkageAttributes \"__clang_ocl_kern_imp_k\" Export\n" TYPES BEGIN
               "OpBranch %done\n%dead = OpLabel\nOpBranch %done\n%done = OpLabel\n"
               "%x = OpPhi %i32 %c1 %entry %c2 %dead\nOpStore %p %x\n" END
               "%e = OpFunction %i32 None %fi\n%ep = OpFunctionParameter %i32\n%eb = OpLabel\n"
               "%ec = OpFunctionCall %i32 %h %ep\nOpReturnValue %ec\nOpFunctionEnd\n"
               "%h = OpFunction %i32 None %fi\n%hp = OpFunctionParameter %i32\n%hb = OpLabel\n"
               "OpReturnValue %hp\nOpFunctionEnd\n"
               "%twin = OpFunction %i32 None %fi\n%tp = OpFunctionParameter %i32\n%tb = OpLabel\n"
               "OpReturnValue %tp\nOpFunctionEnd\n"
               "%unused = OpFunction %i32 None %fi\n%up = OpFunctionParameter %i32\n%ub = OpLabel\n"
               "OpReturnValue %up\nOpFunctionEnd\n",
        geo_transform_reachability);
    uint32_t functions = 0;
    geo_ir_for_each_function(function, module) {
        functions++;
    }
    assert_int_equal(functions, 3); /* the kernel, the export, its helper */
    assert_non_null(interp_find(module, "kept"));
    assert_int_equal(interp_find(module, "k")->block_count, 2);
    assert_printed(module, "OpPhi i32 1 ->0\n");
    geo_ir_module_destroy(module);
}

/* ---- built-in variables ---- */

#define ID_VARIABLE                                                                                \
    "%v3 = OpTypeVector %i64 3\n%iv3 = OpTypePointer Input %v3\n%ii64 = OpTypePointer Input "      \
    "%i64\n"                                                                                       \
    "%id = OpVariable %iv3 Input\n"

static void builtin_loads_become_instructions(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL "OpDecorate %id BuiltIn GlobalInvocationId\n" TYPES ID_VARIABLE BEGIN
                     "%a = OpLoad %v3 %id\n%x = OpCompositeExtract %i64 %a 0\n"
                     "%q = OpInBoundsAccessChain %ii64 %id %c2\n%z = OpLoad %i64 %q\n"
                     "%d = OpInBoundsAccessChain %ii64 %id %n\n%w = OpLoad %i64 %d\n"
                     "%s = OpIAdd %i64 %x %z\n%s2 = OpIAdd %i64 %s %w\n%t = OpUConvert %i32 %s2\n"
                     "OpStore %p %t\n" END,
              geo_transform_resolve_builtin_variables);
    assert_int_equal(support_count(module, NULL, SpvOpLoad), 0);
    assert_int_equal(support_count(module, NULL, GEO_OP_BUILTIN), 3); /* once each */
    assert_int_equal(support_count(module, NULL, SpvOpVectorExtractDynamic), 1);
    assert_printed(module, "Builtin i64 #28 #2");
    geo_ir_module_destroy(module);
}

static void builtins_imported_by_name_are_known(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL "OpDecorate %id LinkageAttributes \"__spirv_BuiltInLocalInvocationId\" Import\n"
               "OpDecorate %id Constant\n" TYPES
               "%v3 = OpTypeVector %i64 3\n%uv3 = OpTypePointer UniformConstant %v3\n"
               "%ui8 = OpTypePointer UniformConstant %i8\n"
               "%ui64 = OpTypePointer UniformConstant %i64\n"
               "%id = OpVariable %uv3 UniformConstant\n" BEGIN
               "%b = OpBitcast %ui8 %id\n%o = OpInBoundsPtrAccessChain %ui8 %b %l8\n"
               "%c = OpBitcast %ui64 %o\n%y = OpLoad %i64 %c\n%t = OpUConvert %i32 %y\n"
               "OpStore %p %t\n" END,
        geo_transform_resolve_builtin_variables);
    assert_printed(module, "Builtin i64 #27 #1");
    geo_ir_module_destroy(module);
}

static void a_builtin_variable_passed_on_is_refused(void **state)
{
    (void)state;
    refused(support_assemble(KERNEL
                             "OpDecorate %id BuiltIn GlobalInvocationId\n" TYPES ID_VARIABLE BEGIN
                             "%a = OpConvertPtrToU %i64 %id\n%t = OpUConvert %i32 %a\n"
                             "OpStore %p %t\n" END),
            geo_transform_resolve_builtin_variables, "kernel \"k\": this use of the built-in");
}

/* ---- inlining ---- */

#define CALLS(control, body)                                                                       \
    KERNEL TYPES BEGIN                                                                             \
        "%a = OpFunctionCall %i32 %h %n\n%b = OpFunctionCall %i32 %h %a\nOpStore %p %b\n" END      \
        "%h = OpFunction %i32 " control                                                            \
        " %fi\n%hp = OpFunctionParameter %i32\n%hb = OpLabel\n" body "OpFunctionEnd\n"

static void small_functions_are_inlined(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(CALLS("None", "%r = OpIMul %i32 %hp %c3\nOpReturnValue %r\n"), inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpFunctionCall), 0);
    assert_int_equal(support_count(module, NULL, SpvOpIMul), 2);
    assert_int_equal(interp_find(module, "k")->block_count, 1);
    assert_null(module->first_function->next);
    geo_ir_module_destroy(module);
}

static void several_returns_meet_in_a_phi(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(CALLS("None", "%z = OpIEqual %bool %hp %c0\nOpBranchConditional %z %yes %no\n"
                            "%yes = OpLabel\nOpReturnValue %c4\n%no = OpLabel\n"
                            "%r = OpIMul %i32 %hp %c3\nOpReturnValue %r\n"),
              inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpFunctionCall), 0);
    assert_int_equal(support_count(module, NULL, SpvOpPhi), 2);
    assert_int_equal(support_count(module, NULL, SpvOpReturn), 1);
    geo_ir_module_destroy(module);
}

static void dont_inline_is_respected(void **state)
{
    (void)state;
    const char *text = CALLS("DontInline", "%r = OpIMul %i32 %hp %c3\nOpReturnValue %r\n");
    struct geo_ir_module *module = after(text, inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpFunctionCall), 2);
    geo_ir_module_destroy(module);
}

static void barriers_are_inlined_whatever_is_said(void **state)
{
    (void)state;
    const char *text = CALLS("DontInline", "OpControlBarrier %c2 %c2 %c272\nOpReturnValue %hp\n");
    struct geo_ir_module *module = after(text, inline_needed);
    assert_int_equal(support_count(module, NULL, SpvOpFunctionCall), 0);
    assert_int_equal(support_count(module, NULL, SpvOpControlBarrier), 2);
    geo_ir_module_destroy(module);
    /* Without a barrier, the same is left alone when nothing is to be optimised. */
    module = after(CALLS("None", "OpReturnValue %hp\n"), inline_needed);
    assert_int_equal(support_count(module, NULL, SpvOpFunctionCall), 2);
    geo_ir_module_destroy(module);
}

/* As llvm-spirv writes a kernel: an entry point that calls an export of its name, however large. */
static void an_entry_point_takes_in_its_body(void **state)
{
    (void)state;
    char text[16384];
    size_t at = (size_t)snprintf(
        text, sizeof(text), "%s%s%s",
        KERNEL "OpDecorate %body LinkageAttributes \"k\" Export\n" TYPES BEGIN,
        "%r = OpFunctionCall %i32 %body %n\n" END,
        "%body = OpFunction %i32 None %fi\n%bp = OpFunctionParameter %i32\n%bb = OpLabel\n");
    const uint32_t large = 200;
    for (uint32_t i = 0; i < large; i++) {
        char before[16] = "bp";
        if (i > 0) {
            snprintf(before, sizeof(before), "b%u", i - 1);
        }
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%%b%u = OpIMul %%i32 %%%s %%bp\n", i,
                               before);
    }
    snprintf(text + at, sizeof(text) - at, "OpReturnValue %%b%u\nOpFunctionEnd\n", large - 1);
    struct geo_ir_module *module = after(text, inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpFunctionCall), 0);
    assert_non_null(interp_find(module, "k"));
    geo_ir_module_destroy(module);
}

/* SPV-17 */
static void recursion_is_refused_with_the_names(void **state)
{
    (void)state;
    refused(support_assemble(
                KERNEL "OpName %h \"ping\"\nOpName %g \"pong\"\n" TYPES BEGIN
                       "%a = OpFunctionCall %i32 %h %n\nOpStore %p %a\n" END
                       "%h = OpFunction %i32 None %fi\n%hp = OpFunctionParameter %i32\n"
                       "%hb = OpLabel\n%hr = OpFunctionCall %i32 %g %hp\nOpReturnValue %hr\n"
                       "OpFunctionEnd\n%g = OpFunction %i32 None %fi\n"
                       "%gp = OpFunctionParameter %i32\n%gb = OpLabel\n"
                       "%gr = OpFunctionCall %i32 %h %gp\nOpReturnValue %gr\nOpFunctionEnd\n"),
            inline_all,
            "recursion is not possible: function \"ping\" calls function \"pong\" calls function "
            "\"ping\"");
}

static ze_result_t modes_and_inlining(struct geo_ir_module *module, struct geo_strbuf *log)
{
    ze_result_t result = geo_transform_float_modes_spread(module, log);
    return result == ZE_RESULT_SUCCESS ? inline_all(module, log) : result;
}

/* Functions get the modes of the kernels that call them: once, when it is the kernel again. */
static void recursion_of_kernels_with_modes_is_refused(void **state)
{
    (void)state;
    refused(support_assemble(KERNEL "OpExecutionMode %k RoundingModeRTZ 32\n"
                                    "OpName %g \"pong\"\n" TYPES BEGIN
                                    "%a = OpFunctionCall %void %g %p %n\n" END
                                    "%g = OpFunction %void None %fn\n"
                                    "%gp = OpFunctionParameter %gi32\n"
                                    "%gn = OpFunctionParameter %i32\n%gb = OpLabel\n"
                                    "%gr = OpFunctionCall %void %k %gp %gn\n" END),
            modes_and_inlining, "recursion is not possible: ");
}

static void a_function_that_never_returns_leaves_no_rest(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(CALLS("None", "OpBranch %around\n%around = OpLabel\nOpBranch %around\n"), inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpStore), 0);
    assert_int_equal(support_count(module, NULL, SpvOpReturn), 0);
    geo_ir_module_destroy(module);
}

#define BY_VALUE(body)                                                                             \
    "OpDecorate %sp FuncParamAttr ByVal\n" TYPES "%generic = OpTypePointer Generic %i32\n"         \
    "%s = OpTypeStruct %i32 %i32\n%ps = OpTypePointer Function %s\n"                               \
    "%fs = OpTypeFunction %void %ps %gi32\n%k = OpFunction %void None %fs\n"                       \
    "%sp = OpFunctionParameter %ps\n%p = OpFunctionParameter %gi32\n%entry = OpLabel\n" body END

static void a_kernel_copies_a_struct_argument_only_to_write_it(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL BY_VALUE("%q = OpInBoundsPtrAccessChain %pi32 %sp %c0 %c1\n"
                              "%x = OpLoad %i32 %q\nOpStore %p %x\n"),
              inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpCopyMemory), 0);
    geo_ir_module_destroy(module);
    module = after(KERNEL BY_VALUE("%q = OpInBoundsPtrAccessChain %pi32 %sp %c0 %c1\n"
                                   "OpStore %q %c3\n%x = OpLoad %i32 %q\nOpStore %p %x\n"),
                   inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpCopyMemory), 1);
    geo_ir_module_destroy(module);
}

/* Who holds a generic pointer may ask where it leads, and an argument block is nowhere. */
static void a_kernel_copies_a_struct_argument_that_a_generic_pointer_leads_to(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL BY_VALUE("%q = OpInBoundsPtrAccessChain %pi32 %sp %c0 %c1\n"
                              "%g = OpPtrCastToGeneric %generic %q\n"
                              "%x = OpLoad %i32 %g\nOpStore %p %x\n"),
              inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpCopyMemory), 1);
    geo_ir_module_destroy(module);
}

#define READ_ALIGNED(align)                                                                        \
    KERNEL "OpDecorate %sp Alignment " align                                                       \
           "\n" BY_VALUE("%q = OpInBoundsPtrAccessChain %pi32 %sp %c0 %c1\n"                       \
                         "%x = OpLoad %i32 %q\nOpStore %p %x\n")

/* The argument block is aligned to 16 bytes, whatever a parameter says. */
static void a_kernel_copies_a_struct_argument_that_is_aligned_to_more_than_its_block(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(READ_ALIGNED("16"), inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpCopyMemory), 0);
    geo_ir_module_destroy(module);
    module = after(READ_ALIGNED("32"), inline_all);
    assert_int_equal(support_count(module, NULL, SpvOpCopyMemory), 1);
    geo_ir_for_each_block(block, interp_find(module, "k")) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpCopyMemory) {
                assert_int_equal(inst->memory_align, 32);
                assert_int_equal(inst->source_align, 16);
            }
        }
    }
    geo_ir_module_destroy(module);
}

/* ---- variables ---- */

#define VARIABLES "%v = OpVariable %pv4 Function\n%w = OpVariable %pi32 Function\n"

static ze_result_t split_and_promote(struct geo_ir_module *module, struct geo_strbuf *log)
{
    ze_result_t result = geo_transform_sroa(module, log);
    return result == ZE_RESULT_SUCCESS ? geo_transform_mem2reg(module, log) : result;
}

static void a_vector_written_whole_and_read_by_elements_is_gone(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL TYPES BEGIN VARIABLES "%f = OpConvertSToF %f32 %n\n"
                                     "%x = OpCompositeConstruct %v4 %f %f %f %f\nOpStore %v %x\n"
                                     "%q = OpInBoundsAccessChain %pf32 %v %c2\n"
                                     "%g = OpLoad %f32 %q\n%b = OpBitcast %i32 %g\n"
                                     "OpStore %p %b\n" END,
        split_and_promote);
    assert_int_equal(support_count(module, NULL, SpvOpVariable), 0);
    assert_int_equal(support_count(module, NULL, SpvOpLoad), 0);
    assert_int_equal(support_count(module, NULL, SpvOpStore), 1);
    geo_ir_module_destroy(module);
}

static void a_number_read_as_another_type_is_a_bitcast(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(KERNEL TYPES BEGIN VARIABLES
                                         "%b = OpBitcast %pf32 %w\n%f = OpConvertSToF %f32 %n\n"
                                         "OpStore %b %f\n%x = OpLoad %i32 %w\nOpStore %p %x\n" END,
                                         split_and_promote);
    assert_int_equal(support_count(module, NULL, SpvOpVariable), 0);
    assert_int_equal(support_count(module, NULL, SpvOpBitcast), 1);
    geo_ir_module_destroy(module);
}

static void bytes_of_a_word_are_a_row(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES "%c9 = OpConstant %i8 9\n" BEGIN VARIABLES
                           "OpStore %w %n\n%b = OpBitcast %pi8 %w\n"
                           "%q = OpInBoundsPtrAccessChain %pi8 %b %c2\nOpStore %q %c9\n"
                           "%x = OpLoad %i32 %w\nOpStore %p %x\n" END,
              split_and_promote);
    assert_int_equal(support_count(module, NULL, SpvOpVariable), 0);
    geo_ir_module_destroy(module);
}

static void a_dynamic_index_keeps_only_its_array_in_memory(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL TYPES "%c5 = OpConstant %i32 5\n%arr = OpTypeArray %i32 %c5\n"
                     "%parr = OpTypePointer Function %arr\n%s = OpTypeStruct %i32 %arr %i32\n"
                     "%ps = OpTypePointer Function %s\n" BEGIN "%v = OpVariable %ps Function\n"
                     "%q = OpInBoundsPtrAccessChain %pi32 %v %c0 %c0\nOpStore %q %n\n"
                     "%r = OpInBoundsPtrAccessChain %pi32 %v %c0 %c2\nOpStore %r %c1\n"
                     "%t = OpInBoundsPtrAccessChain %pi32 %v %c0 %c1 %n\nOpStore %t %c2\n"
                     "%u = OpInBoundsPtrAccessChain %pi32 %v %c0 %c1 %c3\n"
                     "%x = OpLoad %i32 %u\n%y = OpLoad %i32 %q\n%z = OpLoad %i32 %r\n"
                     "%xy = OpIAdd %i32 %x %y\n%xyz = OpIAdd %i32 %xy %z\n"
                     "OpStore %p %xyz\n" END,
        split_and_promote);
    assert_int_equal(support_count(module, NULL, SpvOpVariable), 1);
    assert_int_equal(support_count(module, NULL, SpvOpLoad), 1);
    geo_ir_module_destroy(module);
}

static void an_escaping_variable_stays(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN VARIABLES "OpStore %w %n\n%a = OpConvertPtrToU %i64 %w\n"
                                           "%x = OpUConvert %i32 %a\nOpStore %p %x\n" END,
              split_and_promote);
    assert_int_equal(support_count(module, NULL, SpvOpVariable), 1);
    geo_ir_module_destroy(module);
}

#define COPIES(body)                                                                               \
    KERNEL TYPES "%c20 = OpConstant %i32 20\n%arr = OpTypeArray %i32 %c20\n"                       \
                 "%parr = OpTypePointer Function %arr\n"                                           \
                 "%garr = OpTypePointer CrossWorkgroup %arr\n" BEGIN                               \
                 "%v = OpVariable %parr Function\n%u = OpVariable %parr Function\n"                \
                 "%from = OpBitcast %garr %p\nOpCopyMemory %v %from\n" body                        \
                 "%q = OpInBoundsPtrAccessChain %pi32 %v %c0 %c2\n%x = OpLoad %i32 %q\n"           \
                 "OpStore %p %x\n" END
#define ESCAPES(name)                                                                              \
    "%" name "n = OpConvertPtrToU %i64 %" name "\n%" name "i = OpUConvert %i32 %" name "n\n"       \
    "OpStore %p %" name "i\n"

/* Twenty loads and stores would stand for a copy to memory. */
static void a_copy_to_a_variable_that_cannot_be_split_stays_whole(void **state)
{
    static const struct {
        const char *text;
        uint32_t copies;
    } rows[] = {
        {COPIES(""), 0},
        {COPIES(ESCAPES("v")), 1},
        {COPIES("OpCopyMemory %u %v\n" ESCAPES("u")), 0}, /* %v can be split */
        {COPIES("OpCopyMemory %u %v\n" ESCAPES("u") ESCAPES("v")), 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct geo_ir_module *module = after(rows[i].text, geo_transform_sroa);
        assert_int_equal(support_count(module, NULL, SpvOpCopyMemory), rows[i].copies);
        geo_ir_module_destroy(module);
    }
}

static void volatile_accesses_stay(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN VARIABLES "OpStore %w %n Volatile\n%x = OpLoad %i32 %w\n"
                                           "OpStore %p %x\n" END,
              split_and_promote);
    assert_int_equal(support_count(module, NULL, SpvOpVariable), 1);
    geo_ir_module_destroy(module);
}

/* Producers that put variables anywhere: their initialisers run where they stood. */
static void variables_move_to_the_entry(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL TYPES BEGIN "OpStore %p %c1\n%v = OpVariable %pi32 Function %c3\n"
                           "OpBranch %next\n%next = OpLabel\n"
                           "%w = OpVariable %pi32 Function %c4\n%a = OpConvertPtrToU %i64 %w\n"
                           "%b = OpConvertPtrToU %i64 %v\n%s = OpIAdd %i64 %a %b\n"
                           "%t = OpUConvert %i32 %s\nOpStore %p %t\n" END,
        geo_transform_sroa);
    const struct geo_ir_inst *first = interp_find(module, "k")->first_block->first;
    assert_int_equal(first->op, SpvOpVariable);
    assert_int_equal(first->next->op, SpvOpVariable);
    assert_int_equal(support_count(module, NULL, SpvOpStore), 4);
    geo_ir_module_destroy(module);
}

/* One phi for the variable that is live around the loop, none for the one that is not. */
static void phis_are_placed_only_where_values_are_live(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN "%i = OpVariable %pi32 Function\n%t = OpVariable %pi32 Function\n"
                                 "OpStore %i %c0\nOpBranch %head\n%head = OpLabel\n"
                                 "%x = OpLoad %i32 %i\n%less = OpULessThan %bool %x %n\n"
                                 "OpBranchConditional %less %body %done\n%body = OpLabel\n"
                                 "%y = OpLoad %i32 %i\nOpStore %t %y\n%u = OpLoad %i32 %t\n"
                                 "%z = OpIAdd %i32 %u %c1\nOpStore %i %z\nOpBranch %head\n"
                                 "%done = OpLabel\n%r = OpLoad %i32 %i\nOpStore %p %r\n" END,
              split_and_promote);
    assert_int_equal(support_count(module, NULL, SpvOpVariable), 0);
    assert_int_equal(support_count(module, NULL, SpvOpPhi), 1);
    assert_int_equal(support_count(module, NULL, SpvOpLoad), 0);
    geo_ir_module_destroy(module);
}

static void what_was_never_written_is_undefined(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL TYPES BEGIN VARIABLES "%x = OpLoad %i32 %w\nOpStore %p %x\n" END, split_and_promote);
    assert_printed(module, "OpStore %0 undef");
    geo_ir_module_destroy(module);
}

/* ---- simplify ---- */

static void constants_fold_and_dead_branches_go(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN "%a = OpIAdd %i32 %c2 %c3\n%b = OpIMul %i32 %a %c4\n"
                                 "%z = OpIEqual %bool %b %c0\nOpBranchConditional %z %yes %no\n"
                                 "%yes = OpLabel\nOpStore %p %c1\nOpBranch %done\n%no = OpLabel\n"
                                 "OpBranch %done\n%done = OpLabel\n%r = OpPhi %i32 %n %yes %b %no\n"
                                 "OpStore %p %r\n" END,
              simplify);
    assert_int_equal(interp_find(module, "k")->block_count, 1);
    assert_printed(module, "OpStore %0 20\n");
    assert_int_equal(support_count(module, NULL, SpvOpStore), 1);
    geo_ir_module_destroy(module);
}

/* Compilers extend an index in each branch that needs it. Two branches of one diamond: */
#define BRANCHES(left, right)                                                                      \
    "%t = OpIEqual %bool %n %c0\nOpBranchConditional %t %yes %no\n%yes = OpLabel\n"                \
    "OpStore %p %c1\n" left "OpBranch %done\n%no = OpLabel\nOpStore %p %c2\n" right                \
    "OpBranch %done\n%done = OpLabel\n%x = OpPhi %i32 %a %yes %b %no\nOpStore %p %x\n"

static void an_expression_of_all_branches_is_computed_behind_them(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL "OpDecorate %a NoSignedWrap\nOpDecorate %b NoUnsignedWrap\n" TYPES BEGIN BRANCHES(
            "%a = OpIMul %i32 %n %c3\n", "%b = OpIMul %i32 %n %c3\n") END,
        simplify);
    assert_int_equal(support_count(module, NULL, SpvOpPhi), 0);
    assert_int_equal(support_count(module, NULL, SpvOpIMul), 1);
    const struct geo_ir_block *last = interp_find(module, "k")->last_block;
    assert_int_equal(last->first->op, SpvOpIMul);
    assert_int_equal(last->first->value.flags, 0); /* only what holds in both */
    geo_ir_module_destroy(module);
}

static void different_expressions_of_branches_stay(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        KERNEL TYPES BEGIN BRANCHES("%a = OpIMul %i32 %n %c3\n", "%b = OpIMul %i32 %n %c4\n") END,
        KERNEL TYPES BEGIN BRANCHES("%a = OpIMul %i32 %n %c3\n", "%b = OpIAdd %i32 %n %c3\n") END,
        KERNEL TYPES BEGIN BRANCHES("%a = OpLoad %i32 %p\n", "%b = OpLoad %i32 %p\n") END,
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct geo_ir_module *module = after(bodies[i], simplify);
        assert_int_equal(support_count(module, NULL, SpvOpPhi), 1);
        geo_ir_module_destroy(module);
    }
}

/* For `i += get_local_size(0)` with an int, compilers without optimisation extend i to 64 bits,
 * add, and truncate the sum. */
static void truncated_sums_are_computed_in_the_narrow_type(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES "%i16 = OpTypeInt 16 0\n%w3 = OpConstant %i64 4294967299\n" BEGIN
                           "%e = OpSConvert %i64 %n\n%s = OpIAdd %i64 %e %w3\n"
                           "%t = OpUConvert %i32 %s\nOpStore %p %t\n"
                           "%d = OpIMul %i64 %e %e\n%h = OpUConvert %i16 %d\n"
                           "%f = OpUConvert %i32 %h\nOpStore %p %f\n" END,
              simplify);
    assert_printed(module, "OpIAdd i32 %1 3\n");
    assert_printed(module, "OpIMul i64"); /* of other types than the result's: as it is */
    geo_ir_module_destroy(module);
}

/* What unoptimised code makes of a condition: a byte that is compared with zero again. */
static void a_bool_that_went_through_a_number_is_itself(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES "%b0 = OpConstant %i8 0\n%b1 = OpConstant %i8 1\n" BEGIN
                           "%less = OpULessThan %bool %n %c4\n%s = OpSelect %i8 %less %b1 %b0\n"
                           "%u = OpUConvert %i32 %s\n%a = OpBitwiseAnd %i32 %u %c1\n"
                           "%t = OpIEqual %bool %a %c0\n%r = OpSelect %i32 %t %c2 %c3\n"
                           "OpStore %p %r\n" END,
              simplify);
    assert_int_equal(support_count(module, NULL, SpvOpSelect), 1);
    assert_int_equal(support_count(module, NULL, SpvOpUConvert), 0);
    assert_int_equal(support_count(module, NULL, SpvOpIEqual), 0);
    assert_printed(module, "OpSelect i32 %2 3 2");
    geo_ir_module_destroy(module);
}

/* The sum of two additions keeps what was said about wrapping, as far as it holds. */
static void sums_of_constants_keep_their_flags(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL "OpDecorate %a NoSignedWrap\nOpDecorate %b NoSignedWrap\n"
               "OpDecorate %c NoSignedWrap\n" TYPES
               "%most = OpConstant %i32 0x7FFFFFFF\n%less = OpConstant %i32 0xFFFFFFFE\n" BEGIN
               "%a = OpIAdd %i32 %n %c3\n%b = OpIAdd %i32 %a %less\n"
               "%c = OpIAdd %i32 %b %most\nOpStore %p %b\nOpStore %p %c\n" END,
        simplify);
    const struct geo_ir_block *block = interp_find(module, "k")->first_block;
    assert_int_equal(support_count(module, NULL, SpvOpIAdd), 2);
    assert_printed(module, "OpIAdd i32 %1 1\n");
    assert_printed(module, "OpIAdd i32 %1 2147483648\n");
    assert_int_equal(block->first->value.flags, GEO_VALUE_NO_SIGNED_WRAP);
    assert_int_equal(block->first->next->value.flags, 0); /* 1 + INT_MAX wraps */
    geo_ir_module_destroy(module);
}

static void components_are_found_where_they_were_made(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN "%f = OpConvertSToF %f32 %n\n%g = OpFNegate %f32 %f\n"
                                 "%a = OpCompositeConstruct %v2 %f %g\n"
                                 "%b = OpCompositeConstruct %v4 %a %g %f\n"
                                 "%s = OpVectorShuffle %v4 %b %b 7 6 1 0\n"
                                 "%i = OpCompositeInsert %v4 %f %s 1\n"
                                 "%x = OpCompositeExtract %f32 %i 2\n%r = OpBitcast %i32 %x\n"
                                 "OpStore %p %r\n" END,
              simplify);
    assert_int_equal(support_count(module, NULL, SpvOpCompositeConstruct), 0);
    assert_int_equal(support_count(module, NULL, SpvOpVectorShuffle), 0);
    assert_int_equal(support_count(module, NULL, SpvOpCompositeInsert), 0);
    assert_int_equal(support_count(module, NULL, SpvOpFNegate), 1);
    geo_ir_module_destroy(module);
}

/* The "or" with 1 becomes a sum, as the shifted number ends in 0, also when it is extended. That
 * with 2 stays. */
static void an_or_of_other_bits_is_a_sum(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES "%w1 = OpConstant %i64 1\n" BEGIN
                           "%d = OpShiftLeftLogical %i32 %n %c1\n%w = OpSConvert %i64 %d\n"
                           "%a = OpBitwiseOr %i32 %d %c1\n%b = OpBitwiseOr %i64 %w %w1\n"
                           "%c = OpBitwiseOr %i32 %d %c2\n%t = OpUConvert %i32 %b\n"
                           "%s = OpBitwiseXor %i32 %a %c\n%r = OpBitwiseXor %i32 %s %t\n"
                           "OpStore %p %r\n" END,
              simplify);
    assert_int_equal(support_count(module, NULL, SpvOpBitwiseOr), 1);
    geo_ir_module_destroy(module);
}

static void what_may_trap_is_not_folded(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL TYPES BEGIN "%a = OpUDiv %i32 %c4 %c0\n%b = OpShiftLeftLogical %i32 %c1 %c272\n"
                           "%s = OpIAdd %i32 %a %b\nOpStore %p %s\n" END,
        simplify);
    assert_int_equal(support_count(module, NULL, SpvOpUDiv), 1);
    assert_int_equal(support_count(module, NULL, SpvOpShiftLeftLogical), 1);
    geo_ir_module_destroy(module);
}

/* 2^64 - 1 is a large number, not -1. */
static void unsigned_numbers_beyond_2_63_are_not_folded_as_negative_ones(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES "%big = OpConstant %i64 18446744073709551615\n" BEGIN
                           "%f = OpConvertUToF %f32 %big\n%b = OpBitcast %i32 %f\n"
                           "OpStore %p %b\n" END,
              simplify);
    assert_int_equal(support_count(module, NULL, SpvOpConvertUToF), 1);
    geo_ir_module_destroy(module);
}

static void a_switch_that_cannot_take_its_default_loses_it(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN "OpSwitch %n %never 1 %one 2 %two\n%never = OpLabel\n"
                                 "OpUnreachable\n%one = OpLabel\nOpStore %p %c1\nOpBranch %done\n"
                                 "%two = OpLabel\nOpStore %p %c2\nOpBranch %done\n"
                                 "%done = OpLabel\n" END,
              simplify);
    assert_int_equal(support_count(module, NULL, SpvOpUnreachable), 0);
    assert_printed(module, "OpSwitch %1 #1 #0 ");
    geo_ir_module_destroy(module);
}

/* The outer loop's header is empty. Without it both loops would be one, and work-items that leave
 * the inner one would not wait for each other. */
static void nested_loops_keep_a_header_each(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN "OpBranch %outer\n%outer = OpLabel\nOpBranch %inner\n"
                                 "%inner = OpLabel\n%i = OpPhi %i32 %c0 %outer %j %inner\n"
                                 "%j = OpIAdd %i32 %i %c1\n%u = OpULessThan %bool %j %n\n"
                                 "OpBranchConditional %u %inner %again\n%again = OpLabel\n"
                                 "%x = OpLoad %i32 %p\n%t = OpULessThan %bool %x %c4\n"
                                 "OpBranchConditional %t %outer %done\n%done = OpLabel\n" END,
              simplify);
    assert_int_equal(interp_find(module, "k")->block_count, 5);
    geo_ir_module_destroy(module);
}

/* ---- loops ---- */

/* Two ways in, two latches, an exit shared with the way around, and a value used behind. */
static void loops_get_their_form(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN
              "%t = OpULessThan %bool %n %c2\nOpBranchConditional %t %a %b\n"
              "%a = OpLabel\nOpBranchConditional %t %head %done\n%b = OpLabel\nOpBranch %head\n"
              "%head = OpLabel\n%i = OpPhi %i32 %c0 %a %c1 %b %j %l1 %k2 %l2\n"
              "%j = OpIAdd %i32 %i %c1\n%u = OpULessThan %bool %j %n\n"
              "OpBranchConditional %u %l1 %l2\n%l1 = OpLabel\nOpBranch %head\n"
              "%l2 = OpLabel\n%k2 = OpIAdd %i32 %j %c2\n%v = OpULessThan %bool %k2 %c272\n"
              "OpBranchConditional %v %head %done\n%done = OpLabel\n"
              "%r = OpPhi %i32 %c4 %a %k2 %l2\n%s = OpIAdd %i32 %r %n\nOpStore %p %s\n" END,
              geo_transform_loops);
    struct geo_ir_function *kernel = interp_find(module, "k");
    assert_canonical(module);
    assert_false(kernel->irreducible);
    assert_int_equal(kernel->block_count, 6 + 4); /* preheader, latch, exit; l2 is cut once more */
    geo_ir_module_destroy(module);
}

static void returns_are_unified(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN "%t = OpULessThan %bool %n %c2\nOpBranchConditional %t %a %b\n"
                                 "%a = OpLabel\nOpReturn\n%b = OpLabel\nOpSwitch %n %c 7 %d\n"
                                 "%c = OpLabel\nOpUnreachable\n%d = OpLabel\n" END,
              geo_transform_loops);
    assert_canonical(module);
    assert_int_equal(support_count(module, NULL, SpvOpReturn), 1);
    geo_ir_module_destroy(module);
}

/* SPV-17: they run at one lane */
static void irreducible_functions_are_marked(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN "%t = OpULessThan %bool %n %c2\nOpBranchConditional %t %a %b\n"
                                 "%a = OpLabel\nOpStore %p %n\nOpBranch %b\n%b = OpLabel\n"
                                 "OpBranchConditional %t %a %done\n%done = OpLabel\n" END,
              canonicalize);
    assert_true(interp_find(module, "k")->irreducible);
    assert_canonical(module);
    geo_ir_module_destroy(module);
}

static void an_endless_loop_is_tolerated(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN "OpBranch %a\n%a = OpLabel\nOpStore %p %n Volatile\nOpBranch %a\n"
                                 "OpFunctionEnd\n",
              canonicalize);
    assert_canonical(module);
    assert_int_equal(support_count(module, NULL, SpvOpReturn), 0);
    geo_ir_module_destroy(module);
}

/* ---- addresses ---- */

static ze_result_t sink(struct geo_ir_module *module, struct geo_strbuf *log)
{
    (void)log;
    return geo_transform_sink(module);
}

/* The second access has more steps left where both lead to %c, and would copy %b as well. */
static void an_address_of_two_accesses_is_copied_once(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        after(KERNEL TYPES BEGIN
              "%s = OpUConvert %i64 %n\n%a = OpIAdd %i64 %s %l8\n%b = OpIAdd %i64 %a %l8\n"
              "%c = OpIAdd %i64 %b %s\nOpBranch %next\n%next = OpLabel\n"
              "%q1 = OpPtrAccessChain %gi32 %p %c\n%q2 = OpPtrAccessChain %gi32 %q1 %l8\n"
              "%q3 = OpPtrAccessChain %gi32 %q2 %l8\n%q4 = OpPtrAccessChain %gi32 %q3 %l8\n"
              "%x = OpLoad %i32 %q4\nOpStore %q1 %x\n" END,
              sink);
    assert_int_equal(support_count(module, NULL, SpvOpUConvert), 2);
    assert_int_equal(support_count(module, NULL, SpvOpIAdd), 4);
    geo_ir_module_destroy(module);
}

/* The branch that reads the sum in another block compares a copy of it. */
static void a_comparison_at_a_branch_extends_its_index_itself(void **state)
{
    (void)state;
    struct geo_ir_module *module = after(
        KERNEL TYPES BEGIN "%s = OpUConvert %i64 %n\n%a = OpIAdd %i64 %s %l8\nOpBranch %next\n"
                           "%next = OpLabel\n%t = OpULessThan %bool %a %l8\n"
                           "OpBranchConditional %t %then %done\n%then = OpLabel\nOpStore %p %n\n"
                           "OpBranch %done\n%done = OpLabel\n%u = OpULessThan %bool %a %l8\n" END,
        sink);
    assert_int_equal(support_count(module, NULL, SpvOpUConvert), 2);
    assert_int_equal(support_count(module, NULL, SpvOpIAdd), 2);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unreached_functions_and_blocks_go),
        cmocka_unit_test(builtin_loads_become_instructions),
        cmocka_unit_test(builtins_imported_by_name_are_known),
        cmocka_unit_test(a_builtin_variable_passed_on_is_refused),
        cmocka_unit_test(small_functions_are_inlined),
        cmocka_unit_test(several_returns_meet_in_a_phi),
        cmocka_unit_test(dont_inline_is_respected),
        cmocka_unit_test(barriers_are_inlined_whatever_is_said),
        cmocka_unit_test(an_entry_point_takes_in_its_body),
        cmocka_unit_test(recursion_is_refused_with_the_names),
        cmocka_unit_test(recursion_of_kernels_with_modes_is_refused),
        cmocka_unit_test(a_function_that_never_returns_leaves_no_rest),
        cmocka_unit_test(a_kernel_copies_a_struct_argument_only_to_write_it),
        cmocka_unit_test(a_kernel_copies_a_struct_argument_that_a_generic_pointer_leads_to),
        cmocka_unit_test(a_kernel_copies_a_struct_argument_that_is_aligned_to_more_than_its_block),
        cmocka_unit_test(a_vector_written_whole_and_read_by_elements_is_gone),
        cmocka_unit_test(a_number_read_as_another_type_is_a_bitcast),
        cmocka_unit_test(bytes_of_a_word_are_a_row),
        cmocka_unit_test(a_dynamic_index_keeps_only_its_array_in_memory),
        cmocka_unit_test(an_escaping_variable_stays),
        cmocka_unit_test(a_copy_to_a_variable_that_cannot_be_split_stays_whole),
        cmocka_unit_test(volatile_accesses_stay),
        cmocka_unit_test(variables_move_to_the_entry),
        cmocka_unit_test(phis_are_placed_only_where_values_are_live),
        cmocka_unit_test(what_was_never_written_is_undefined),
        cmocka_unit_test(constants_fold_and_dead_branches_go),
        cmocka_unit_test(an_expression_of_all_branches_is_computed_behind_them),
        cmocka_unit_test(different_expressions_of_branches_stay),
        cmocka_unit_test(truncated_sums_are_computed_in_the_narrow_type),
        cmocka_unit_test(a_bool_that_went_through_a_number_is_itself),
        cmocka_unit_test(sums_of_constants_keep_their_flags),
        cmocka_unit_test(components_are_found_where_they_were_made),
        cmocka_unit_test(an_or_of_other_bits_is_a_sum),
        cmocka_unit_test(what_may_trap_is_not_folded),
        cmocka_unit_test(unsigned_numbers_beyond_2_63_are_not_folded_as_negative_ones),
        cmocka_unit_test(a_switch_that_cannot_take_its_default_loses_it),
        cmocka_unit_test(nested_loops_keep_a_header_each),
        cmocka_unit_test(loops_get_their_form),
        cmocka_unit_test(returns_are_unified),
        cmocka_unit_test(irreducible_functions_are_marked),
        cmocka_unit_test(an_endless_loop_is_tolerated),
        cmocka_unit_test(an_address_of_two_accesses_is_copied_once),
        cmocka_unit_test(a_comparison_at_a_branch_extends_its_index_itself),
    };
    return cmocka_run_group_tests_name("passes", tests, NULL, NULL);
}
