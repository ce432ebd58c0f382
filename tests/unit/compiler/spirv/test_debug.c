/* The reader's debug information: each instruction of each set, what producers write, and what
 * broken input does. */
#include "support.h"

#include "compiler/ir/budget.h"
#include "compiler/ir/debug.h"
#include "compiler/ir/print.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"
#include "compiler/validate/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the model as text ---- */

static void describe_type(const struct geo_ir_debug_type *type, struct geo_strbuf *out, int depth);

static void describe_templates(const struct geo_ir_template *t, struct geo_strbuf *out)
{
    for (const char *between = "<"; t; t = t->next, between = ", ") {
        geo_strbuf_printf(out, "%s%s=", between, t->name ? t->name : "?");
        if (t->template_name) {
            geo_strbuf_printf(out, "%s", t->template_name);
        } else if (t->type) {
            describe_type(t->type, out, 1);
        }
        if (t->has_value) {
            geo_strbuf_printf(out, ":%llu", (unsigned long long)t->value);
        }
        geo_strbuf_printf(out, t->next ? "" : ">");
    }
}

static void describe_members(const struct geo_ir_debug_type *type, struct geo_strbuf *out,
                             int depth)
{
    geo_strbuf_printf(out, "{");
    for (const struct geo_ir_debug_member *m = type->members; m; m = m->next) {
        if (m->is_base) {
            geo_strbuf_printf(out, "base ");
        }
        if (m->type) {
            describe_type(m->type, out, depth + 1);
            geo_strbuf_printf(out, " ");
        }
        geo_strbuf_printf(out, "%s", m->name ? m->name : "");
        if (m->size) {
            geo_strbuf_printf(out, "@%llu+%llu", (unsigned long long)m->offset,
                              (unsigned long long)m->size);
        }
        if (m->has_value) {
            geo_strbuf_printf(out, "=%llu", (unsigned long long)m->value);
        }
        geo_strbuf_printf(out, ";");
    }
    geo_strbuf_printf(out, "}");
}

static void describe_type(const struct geo_ir_debug_type *type, struct geo_strbuf *out, int depth)
{
    static const char *const kinds[] = {
        [GEO_DEBUG_UNSPECIFIED] = "unspecified",
        [GEO_DEBUG_BASIC] = "basic",
        [GEO_DEBUG_POINTER] = "pointer",
        [GEO_DEBUG_QUALIFIED] = "qualified",
        [GEO_DEBUG_ARRAY] = "array",
        [GEO_DEBUG_VECTOR] = "vector",
        [GEO_DEBUG_MATRIX] = "matrix",
        [GEO_DEBUG_TYPEDEF] = "typedef",
        [GEO_DEBUG_FUNCTION] = "function",
        [GEO_DEBUG_ENUM] = "enum",
        [GEO_DEBUG_CLASS] = "class",
        [GEO_DEBUG_STRUCTURE] = "struct",
        [GEO_DEBUG_UNION] = "union",
        [GEO_DEBUG_MEMBER_POINTER] = "member pointer",
        [GEO_DEBUG_STRING] = "string",
    };
    if (!type) {
        geo_strbuf_printf(out, "void");
        return;
    }
    geo_strbuf_printf(out, "%s", kinds[type->kind]);
    geo_strbuf_printf(out, type->name ? " %s" : "%s", type->name ? type->name : "");
    if (depth > 3) {
        return;
    }
    switch (type->kind) {
    case GEO_DEBUG_BASIC:
        geo_strbuf_printf(out, ":%llu/%u", (unsigned long long)type->size, type->encoding);
        break;
    case GEO_DEBUG_POINTER:
        geo_strbuf_printf(out, "#%u", type->storage);
        break;
    case GEO_DEBUG_QUALIFIED:
        geo_strbuf_printf(out, "#%u", type->qualifier);
        break;
    case GEO_DEBUG_TYPEDEF:
        geo_strbuf_printf(out, "@%u:%u", type->line, type->column);
        break;
    case GEO_DEBUG_CLASS:
    case GEO_DEBUG_STRUCTURE:
    case GEO_DEBUG_UNION:
    case GEO_DEBUG_ENUM:
    case GEO_DEBUG_STRING:
        geo_strbuf_printf(out, ":%llu", (unsigned long long)type->size);
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < type->range_count; i++) {
        const struct geo_ir_range *range = &type->ranges[i];
        geo_strbuf_printf(out, "[");
        if (range->lower) {
            geo_strbuf_printf(out, "%lld..", (long long)range->lower);
        }
        geo_strbuf_printf(out, range->count_known ? "%llu]" : "?]",
                          (unsigned long long)range->count);
    }
    describe_templates(type->templates, out);
    if (type->base) {
        geo_strbuf_printf(out, "(");
        describe_type(type->base, out, depth + 1);
        geo_strbuf_printf(out, ")");
    }
    if (type->members) {
        describe_members(type, out, depth);
    }
}

static const struct geo_ir_debug_variable *global_debug(const struct geo_ir_module *module)
{
    for (size_t i = 0; i < module->variables.count; i++) {
        if (module->variables.items[i]->debug) {
            return module->variables.items[i]->debug;
        }
    }
    fail_msg("no variable has debug information");
    return NULL;
}

static void expect_type(const struct geo_ir_debug_type *type, const char *expected)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    describe_type(type, &text, 0);
    assert_string_equal(geo_strbuf_text(&text), expected);
    geo_strbuf_finish(&text);
}

/* ---- reading ---- */

/* Reads text, and compares the log with `log` ("" for none). */
static struct geo_ir_module *read_text(const char *text, const char *log)
{
    size_t bytes;
    void *words = support_assemble_bytes(text, &bytes);
    struct geo_strbuf out;
    struct geo_ir_module *module = NULL;
    geo_strbuf_init(&out, 0);
    if (geo_spirv_read(words, bytes, &module, &out) != ZE_RESULT_SUCCESS) {
        fail_msg("not read: %s", geo_strbuf_text(&out));
    }
    if (log[0] ? !strstr(geo_strbuf_text(&out), log) : geo_strbuf_text(&out)[0]) {
        fail_msg("log: '%s', expected '%s'", geo_strbuf_text(&out), log);
    }
    geo_strbuf_finish(&out);
    free(words);
    support_assert_valid(module);
    return module;
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

#define STRINGS                                                                                    \
    "%a_cl = OpString \"a.cl\"\n%source = OpString \"kernel void k() {}\"\n"                       \
    "%s_int = OpString \"int\"\n%s_x = OpString \"x\"\n%s_y = OpString \"y\"\n"                    \
    "%s_S = OpString \"S\"\n%s_B = OpString \"B\"\n%s_T = OpString \"T\"\n"                        \
    "%s_g = OpString \"g\"\n%s_f = OpString \"f\"\n%s_none = OpString \"\"\n"
#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"       \
    "%n0 = OpConstant %i32 0\n%n1 = OpConstant %i32 1\n%n2 = OpConstant %i32 2\n"                  \
    "%n3 = OpConstant %i32 3\n%n4 = OpConstant %i32 4\n%n5 = OpConstant %i32 5\n"                  \
    "%n7 = OpConstant %i32 7\n%n8 = OpConstant %i32 8\n%n9 = OpConstant %i32 9\n"                  \
    "%n32 = OpConstant %i32 32\n%n64 = OpConstant %i32 64\n%n96 = OpConstant %i32 96\n"            \
    "%n128 = OpConstant %i32 128\n%n12 = OpConstant %i32 12\n%n29 = OpConstant %i32 29\n"          \
    "%gi32 = OpTypePointer CrossWorkgroup %i32\n%pi32 = OpTypePointer Function %i32\n"             \
    "%v2 = OpTypeVector %i32 2\n%pv2 = OpTypePointer Function %v2\n"                               \
    "%fn = OpTypeFunction %void %gi32 %i32\n%g = OpVariable %gi32 CrossWorkgroup\n"
#define OPENCL                                                                                     \
    "%dbg = OpExtInstImport \"OpenCL.DebugInfo.100\"\n%std = OpExtInstImport \"OpenCL.std\"\n"     \
    "OpEntryPoint Kernel %k \"k\"\n" STRINGS TYPES
#define SHADER                                                                                     \
    "OpExtension \"SPV_KHR_non_semantic_info\"\n"                                                  \
    "%dbg = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n"                                \
    "OpEntryPoint Kernel %k \"k\"\n" STRINGS TYPES
#define SHADER_200                                                                                 \
    "OpExtension \"SPV_KHR_non_semantic_info\"\n"                                                  \
    "%dbg = OpExtInstImport \"NonSemantic.Shader.DebugInfo.200\"\n"                                \
    "OpEntryPoint Kernel %k \"k\"\n" STRINGS TYPES
#define X " = OpExtInst %void %dbg "
#define EMPTY_KERNEL                                                                               \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi32\n"                             \
    "%n = OpFunctionParameter %i32\n%e = OpLabel\nOpReturn\nOpFunctionEnd\n"

/* The type of the global variable g in the next two tests: the same in both sets. */
static const char all_types[] =
    "class S:128<T=basic int:32/4, x=basic int:32/4:7, y=B>{base struct B:32 @0+32;"
    "basic int:32/4 x@32+32=9;pointer#5(qualified#1(basic int:32/4)) y@64+64;"
    "array[3][4](vector[2](basic int:32/4)) ;typedef T@8:9(union S:32) ;"
    "enum B:32(basic int:32/4){x=3;y=4;} ;"
    "function{basic int:32/4 ;pointer#5(qualified#1(basic int)) ;} ;"
    "member pointer(basic int:32/4) ;}";

static void types_of_opencl_are_read(void **state)
{
    (void)state;
    struct geo_ir_module *module = read_text(
        OPENCL
        "%none" X "DebugInfoNone\n%file" X "DebugSource %a_cl %source\n"
        "%unit" X "DebugCompilationUnit 1 5 %file OpenCL_C\n"
        "%int" X "DebugTypeBasic %s_int %n32 Signed\n"
        "%vol" X "DebugTypeQualifier %int VolatileType\n"
        "%ptr" X "DebugTypePointer %vol CrossWorkgroup None\n"
        "%vec" X "DebugTypeVector %int 2\n%arr" X "DebugTypeArray %vec %n3 %n4\n"
        "%uni" X "DebugTypeComposite %s_S Union %file 1 2 %unit %none %n32 None\n"
        "%def" X "DebugTypedef %s_T %uni %file 8 9 %unit\n"
        "%enu" X "DebugTypeEnum %s_B %int %file 1 2 %unit %n32 None %n3 %s_x %n4 %s_y\n"
        "%fun" X "DebugTypeFunction None %void %int %ptr\n"
        "%base" X "DebugTypeComposite %s_B Structure %file 1 2 %unit %s_none %n32 None\n"
        "%inh" X "DebugTypeInheritance %cls %base %n0 %n32 None\n"
        "%m1" X "DebugTypeMember %s_x %int %file 3 4 %cls %n32 %n32 None %n9\n"
        "%m2" X "DebugTypeMember %s_y %ptr %file 3 4 %cls %n64 %n64 None\n"
        "%m3" X "DebugTypeMember %s_none %arr %file 3 4 %cls %n0 %n0 None\n"
        "%m4" X "DebugTypeMember %s_none %def %file 3 4 %cls %n0 %n0 None\n"
        "%m5" X "DebugTypeMember %s_none %enu %file 3 4 %cls %n0 %n0 None\n"
        "%m6" X "DebugTypeMember %s_none %fun %file 3 4 %cls %n0 %n0 None\n"
        "%mp" X "DebugTypePtrToMember %int %cls\n"
        "%m7" X "DebugTypeMember %s_none %mp %file 3 4 %cls %n0 %n0 None\n"
        "%cls" X "DebugTypeComposite %s_S Class %file 5 6 %unit %s_g %n128 None %inh %m1 %m2 %m3 "
        "%m4 %m5 %m6 %m7 %decl\n"
        "%t1" X "DebugTypeTemplateParameter %s_T %int %none %file 1 1\n"
        "%t2" X "DebugTypeTemplateParameter %s_x %int %n7 %file 1 1\n"
        "%t3" X "DebugTypeTemplateTemplateParameter %s_y %s_B %file 1 1\n"
        "%t4" X "DebugTypeTemplateParameterPack %s_y %file 1 1 %t1\n"
        "%tem" X "DebugTypeTemplate %cls %t1 %t2 %t3\n"
        "%glo" X "DebugGlobalVariable %s_g %tem %file 11 12 %unit %s_f %g FlagIsDefinition\n"
        "%decl" X "DebugFunctionDeclaration %s_f %fun %file 5 6 %cls %s_none None\n"
        "%mac" X "DebugMacroDef %file 1 %s_x %s_y\n%und" X "DebugMacroUndef %file 2 %mac\n"
        "%mod" X "DebugModuleINTEL %s_T %file %unit 3 %s_none %s_none %s_none 0\n"
        "%imp" X "DebugImportedEntity %s_x ImportedModule %file %mod 1 2 %unit\n" EMPTY_KERNEL,
        "");
    const struct geo_ir_debug_variable *g = global_debug(module);
    assert_string_equal(g->name, "g");
    assert_string_equal(g->linkage_name, "f");
    assert_int_equal(g->line, 11);
    assert_int_equal(g->flags, GEO_DEBUG_IS_DEFINITION);
    assert_int_equal(g->scope->kind, GEO_SCOPE_UNIT);
    assert_int_equal(g->scope->version, 5);
    assert_int_equal(g->scope->language, SpvSourceLanguageOpenCL_C);
    assert_string_equal(g->file->name, "a.cl");
    assert_string_equal(g->file->text, "kernel void k() {}");
    assert_string_equal(g->type->linkage_name, "g");
    expect_type(g->type, all_types);
    geo_ir_module_destroy(module);
}

static void types_of_the_shader_sets_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "%none" X "DebugInfoNone\n%file" X "DebugSource %a_cl %source\n"
        "%more" X "DebugSourceContinued %source\n"
        "%unit" X "DebugCompilationUnit %n1 %n5 %file %n3\n"
        "%int" X "DebugTypeBasic %s_int %n32 %n4 %n0\n"
        "%vol" X "DebugTypeQualifier %int %n1\n%ptr" X "DebugTypePointer %vol %n5 %n0\n"
        "%vec" X "DebugTypeVector %int %n2\n%arr" X "DebugTypeArray %vec %n3 %n4\n"
        "%uni" X "DebugTypeComposite %s_S %n2 %file %n1 %n2 %unit %none %n32 %n0\n"
        "%def" X "DebugTypedef %s_T %uni %file %n8 %n9 %unit\n"
        "%enu" X "DebugTypeEnum %s_B %int %file %n1 %n2 %unit %n32 %n0 %n3 %s_x %n4 %s_y\n"
        "%fun" X "DebugTypeFunction %n0 %void %int %ptr\n"
        "%base" X "DebugTypeComposite %s_B %n1 %file %n1 %n2 %unit %s_none %n32 %n0\n"
        "%inh" X "DebugTypeInheritance %base %n0 %n32 %n0\n"
        "%m1" X "DebugTypeMember %s_x %int %file %n3 %n4 %n32 %n32 %n0 %n9\n"
        "%m2" X "DebugTypeMember %s_y %ptr %file %n3 %n4 %n64 %n64 %n0\n"
        "%m3" X "DebugTypeMember %s_none %arr %file %n3 %n4 %n0 %n0 %n0\n"
        "%m4" X "DebugTypeMember %s_none %def %file %n3 %n4 %n0 %n0 %n0\n"
        "%m5" X "DebugTypeMember %s_none %enu %file %n3 %n4 %n0 %n0 %n0\n"
        "%m6" X "DebugTypeMember %s_none %fun %file %n3 %n4 %n0 %n0 %n0\n"
        "%mp" X "DebugTypePtrToMember %int %base\n"
        "%m7" X "DebugTypeMember %s_none %mp %file %n3 %n4 %n0 %n0 %n0\n"
        "%cls" X "DebugTypeComposite %s_S %n0 %file %n5 %n7 %unit %s_g %n128 %n0 %inh %m1 %m2 %m3 "
        "%m4 %m5 %m6 %m7\n"
        "%t1" X "DebugTypeTemplateParameter %s_T %int %none %file %n1 %n1\n"
        "%t2" X "DebugTypeTemplateParameter %s_x %int %n7 %file %n1 %n1\n"
        "%t3" X "DebugTypeTemplateTemplateParameter %s_y %s_B %file %n1 %n1\n"
        "%tem" X "DebugTypeTemplate %cls %t1 %t2 %t3\n"
        "%glo" X "DebugGlobalVariable %s_g %tem %file %n9 %n12 %unit %s_f %g %n8\n"
        "%mac" X "DebugMacroDef %file %n1 %s_x %s_y\n%und" X "DebugMacroUndef %file %n2 %mac\n"
        "%imp" X "DebugImportedEntity %s_x %n0 %file %unit %n1 %n2 %unit\n"
        "%bid" X "DebugBuildIdentifier %s_x %n0\n%sto" X "DebugStoragePath %s_x\n" EMPTY_KERNEL;
    char *whole = malloc(sizeof(SHADER) + sizeof(text));
    assert_non_null(whole);
    strcpy(whole, SHADER);
    strcat(whole, text);
    struct geo_ir_module *module = read_text(whole, "");
    free(whole);
    const struct geo_ir_debug_variable *g = global_debug(module);
    assert_int_equal(g->column, 12);
    assert_int_equal(g->flags, GEO_DEBUG_IS_DEFINITION);
    assert_string_equal(g->type->linkage_name, "g");
    assert_int_equal(g->scope->language, SpvSourceLanguageOpenCL_C);
    expect_type(g->type, all_types);
    geo_ir_module_destroy(module);
}

static void a_matrix_is_read(void **state)
{
    (void)state;
    struct geo_ir_module *module = read_text(
        SHADER "%true = OpConstantTrue %bool\n%int" X "DebugTypeBasic %s_int %n32 %n4 %n0\n"
               "%vec" X "DebugTypeVector %int %n4\n%mat" X "108 %vec %n3 %true\n"
               "%none" X "DebugInfoNone\n"
               "%glo" X
               "DebugGlobalVariable %s_g %mat %none %n9 %n12 %none %s_f %g %n8\n" EMPTY_KERNEL,
        "");
    expect_type(global_debug(module)->type, "matrix[3](vector[4](basic int:32/4))");
    assert_true(global_debug(module)->type->column_major);
    geo_ir_module_destroy(module);
}

static void set_200_is_read(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        read_text(SHADER_200 "%none" X "0\n%file" X "35 %a_cl %n0 %s_x %source\n"
                             "%unit" X "1 %n1 %n5 %file %n3 %s_f\n"
                             "%mod" X "200 %s_T %file %n7 %unit %s_x %s_x %s_x %n0\n"
                             "%int" X "2 %s_int %n32 %n4 %none\n"
                             "%r1" X "201 %n2 %n9 %none %n4\n%r2" X "201 %none %none %n3\n"
                             "%dyn" X "202 %int %none %none %none %none %r1 %r2\n"
                             "%str" X "203 %s_S %none %none %n96 %none\n"
                             "%m1" X "11 %s_x %dyn %file %n3 %n4 %n32 %n32 %n0\n"
                             "%m2" X "11 %s_y %str %file %n3 %n4 %n64 %n96 %n0\n"
                             "%cls" X "10 %s_B %n1 %file %n5 %n7 %mod %none %n128 %n0 %m1 %m2\n"
                             "%glo" X "18 %s_g %cls %file %n9 %n12 %mod %s_f %g %n8\n" EMPTY_KERNEL,
                  "");
    const struct geo_ir_debug_variable *g = global_debug(module);
    expect_type(g->type,
                "struct B:128{array[2..8][3](basic int:32/4) x@32+32;string S:96 y@64+96;}");
    assert_true(g->type->members->type->dynamic);
    assert_string_equal(g->file->text, "kernel void k() {}");
    assert_int_equal(g->scope->kind, GEO_SCOPE_MODULE);
    assert_string_equal(g->scope->name, "T");
    assert_int_equal(g->scope->line, 7);
    assert_string_equal(g->scope->parent->producer, "f");
    geo_ir_module_destroy(module);
}

/* ---- code ---- */

/* The parts of a kernel with a variable, without the debug instructions of a set. */
#define CODE_BEGIN                                                                                 \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi32\n"                             \
    "%n = OpFunctionParameter %i32\n%e = OpLabel\n%v = OpVariable %pi32 Function\n"

static void places_of_opencl_are_read(void **state)
{
    (void)state;
    struct geo_ir_module *module = read_text(
        OPENCL
        "%none" X "DebugInfoNone\n%file" X "DebugSource %a_cl\n"
        "%unit" X "DebugCompilationUnit 1 5 %file OpenCL_C\n"
        "%int" X "DebugTypeBasic %s_int %n32 Signed\n%fun" X "DebugTypeFunction None %void\n"
        "%fk" X "DebugFunction %s_f %fun %file 3 1 %unit %s_g FlagIsLocal 4 %k\n"
        "%fi" X "DebugFunction %s_T %fun %file 13 1 %unit %s_none None 14 %none\n"
        "%blk" X "DebugLexicalBlock %file 5 6 %fk\n%ns" X "DebugLexicalBlock %file 5 6 %unit %s_S\n"
        "%dis" X "DebugLexicalBlockDiscriminator %file 7 %blk\n"
        "%at" X "DebugInlinedAt 77 %blk\n%at2" X "DebugInlinedAt 88 %fi %at\n"
        "%x" X "DebugLocalVariable %s_x %int %file 4 2 %fk None 2\n"
        "%y" X "DebugLocalVariable %s_y %int %file 5 2 %blk FlagArtificial\n"
        "%yi" X "DebugInlinedVariable %y %at2\n"
        "%o1" X "DebugOperation Constu 1\n%o2" X "DebugOperation Swap\n"
        "%o3" X "DebugOperation Xderef\n%o4" X "DebugOperation PlusUconst 4\n"
        "%o5" X "DebugOperation Deref\n%o6" X "DebugOperation Fragment 8 16\n"
        "%o7" X "DebugOperation StackValue\n%o8" X "DebugOperation Plus\n"
        "%o9" X "DebugOperation Minus\n%o10" X "DebugOperation BitPiece 8 8\n"
        "%e0" X "DebugExpression\n%e1" X "DebugExpression %o1 %o2 %o3 %o4 %o6\n"
        "%e2" X "DebugExpression %o4 %o5\n%e3" X "DebugExpression %o4 %o7\n"
        "%e4" X "DebugExpression %o1 %o8 %o1 %o9\n%e5" X "DebugExpression %o10\n" CODE_BEGIN
        "OpLine %a_cl 10 3\nOpStore %v %n\n"
        "%d1" X "DebugDeclare %x %v %e0\n%sc" X "DebugScope %dis\nOpLine %a_cl 11 4\n"
        "%a = OpIAdd %i32 %n %n\n%d2" X "DebugValue %y %a %e1\n"
        "%sc2" X "DebugScope %fi %at2\n%b = OpIAdd %i32 %a %a\n%d3" X "DebugValue %x %b %e2\n"
        "%d4" X "DebugValue %x %n7 %e3\n%d5" X "DebugValue %yi %b %e4\n"
        "%d6" X "DebugValue %x %b %e5\nOpNoLine\n%c = OpIAdd %i32 %b %b\n"
        "%nsc" X "DebugNoScope\n%d = OpIAdd %i32 %c %b\nOpLine %a_cl 12 5\nOpBranch %next\n"
        "%next = OpLabel\nOpReturn\nOpFunctionEnd\n",
        "");
    /* DebugFunction names the function: code without a scope is in it */
    assert_printed(module, "OpStore %2 %1  ; a.cl:10:3 f\n"
                           "    ; x is at %2; a.cl:10:3 f\n");
    assert_printed(module, " OpIAdd i32 %1 %1  ; a.cl:11:4 f\n"
                           "    ; y bits 8+16 is %4, add 4; a.cl:11:4 f\n"
                           "    %5 = OpIAdd i32 %4 %4  ; a.cl:11:4 T < a.cl:88:0 T < a.cl:77:0 f\n"
                           "    ; x is at %5, add 4; a.cl:11:4 T < a.cl:88:0 T < a.cl:77:0 f\n"
                           "    ; x is 7, add 4; a.cl:11:4 T <");
    assert_printed(module, "    ; y is %5, constant 1, plus, constant 1, minus;");
    assert_printed(module, "    ; x is unknown; a.cl:11:4 T < a.cl:88:0 T < a.cl:77:0 f\n"
                           "    %6 = OpIAdd i32 %5 %5  ; ?:0:0 T < a.cl:88:0 T <");
    assert_printed(module, "    %7 = OpIAdd i32 %6 %5\n"
                           "    OpBranch ->1  ; a.cl:12:5 f\n  1:\n    OpReturn\n");
    const struct geo_ir_function *k = module->first_function;
    assert_string_equal(k->scope->name, "f");
    assert_string_equal(k->scope->linkage_name, "g");
    assert_int_equal(k->scope->scope_line, 4);
    const struct geo_ir_inst *store = k->first_block->first->next;
    const struct geo_ir_record *x = geo_ir_records(store->next);
    assert_int_equal(x->variable->argument, 2);
    assert_ptr_equal(x->variable->scope, k->scope);
    const struct geo_ir_scope *inner = geo_ir_location(module, store->next->location)->scope;
    assert_int_equal(inner->kind, GEO_SCOPE_BLOCK);
    assert_int_equal(inner->discriminator, 7);
    assert_int_equal(inner->parent->line, 5);
    geo_ir_module_destroy(module);
}

static void places_of_the_shader_sets_are_read(void **state)
{
    (void)state;
    struct geo_ir_module *module = read_text(
        SHADER
        "%none" X "DebugInfoNone\n%file" X "DebugSource %a_cl\n"
        "%unit" X "DebugCompilationUnit %n1 %n5 %file %n3\n"
        "%int" X "DebugTypeBasic %s_int %n32 %n4 %n0\n%vec" X "DebugTypeVector %int %n2\n"
        "%m1" X "DebugTypeMember %s_x %int %file %n3 %n4 %n32 %n32 %n0\n"
        "%str" X "DebugTypeComposite %s_B %n1 %file %n5 %n7 %unit %none %n128 %n0 %m1 %m2\n"
        "%fun" X "DebugTypeFunction %n0 %void\n"
        "%dec" X "DebugFunctionDeclaration %s_f %fun %file %n3 %n1 %unit %s_g %n0\n"
        "%fk" X "DebugFunction %s_f %fun %file %n3 %n1 %unit %s_g %n4 %n4 %dec\n"
        "%x" X "DebugLocalVariable %s_x %vec %file %n4 %n2 %fk %n0 %n2\n"
        "%y" X "DebugLocalVariable %s_y %int %file %n5 %n2 %fk %n0 %n1\n"
        "%o1" X "DebugOperation %n0\n%e0" X "DebugExpression\n%e1" X "DebugExpression %o1 %o1\n"
        "%ent" X "DebugEntryPoint %fk %unit %s_x %s_y\n" CODE_BEGIN "%fd" X
        "DebugFunctionDefinition %fk %k\n%sc" X "DebugScope %fk\n"
        "%l1" X "DebugLine %file %n7 %n7 %n8 %n9\nOpStore %v %n\n%d1" X "DebugDeclare %y %v %e0\n"
        "%d2" X "DebugValue %x %n %e0 %n1\n%d3" X "DebugValue %y %v %e1\n"
        "%l2" X "DebugNoLine\nOpReturn\nOpFunctionEnd\n",
        "refers to an id outside of debug information");
    /* the composite names a member that does not exist: it alone is dropped */
    assert_printed(module, "OpStore %2 %1  ; a.cl:7:8 f\n"
                           "    ; y is at %2; a.cl:7:8 f\n"
                           "    ; x bits 32+32 is %1; a.cl:7:8 f\n"
                           "    ; y is at %2, deref; a.cl:7:8 f\n    OpReturn  ; ?:0:0 f\n");
    const struct geo_ir_inst *last = module->first_function->first_block->last;
    assert_int_equal(geo_ir_records(last)->variable->argument, 1);
    assert_int_equal(geo_ir_records(last)->next->variable->argument, 2);
    assert_string_equal(module->first_function->scope->declaration->name, "f");
    geo_ir_module_destroy(module);
}

/* ---- producers ---- */

static void *producer_bytes(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof(path), COMPILER_TESTS "/fixtures/producers/%s.spv", name);
    FILE *file = fopen(path, "rb");
    void *bytes = malloc(1 << 16);
    assert_true(file && bytes);
    *size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static struct geo_ir_module *producer(const char *name, struct geo_strbuf *log)
{
    size_t size;
    void *bytes = producer_bytes(name, &size);
    struct geo_ir_module *module = NULL;
    assert_int_equal(geo_spirv_read(bytes, size, &module, log), ZE_RESULT_SUCCESS);
    free(bytes);
    support_assert_valid(module);
    return module;
}

static void what_translators_write_is_read_whole(void **state)
{
    static const char *const names[] = {"llvmspirv_debug_O0", "llvmspirv_debug_O2",
                                        "dpcpp_debug100_O0",  "dpcpp_debug100_O2",
                                        "dpcpp_debug200_O0",  "dpcpp_debug200_O2"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct geo_strbuf log;
        geo_strbuf_init(&log, 0);
        struct geo_ir_module *module = producer(names[i], &log);
        assert_string_equal(geo_strbuf_text(&log), "");
        bool optimised = strstr(names[i], "O2") != NULL;
        assert_printed(module, optimised ? "    ; a is %" : "    ; a is at %");
        assert_printed(module, "OpControlBarrier 2 2 272  ; /src/debug.cl:36:5 k\n");
        /* a variable of helper: its own at -O0, one inlined into the kernel at -O2 */
        assert_printed(module,
                       optimised ? " helper < /src/debug.cl:33:" : "debug.cl:12:23 helper\n");
        const struct geo_ir_debug_variable *table = global_debug(module);
        assert_string_equal(table->name, "table");
        expect_type(table->type, "array[3](basic int:32/4)");
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
    }
}

static void the_structure_of_a_variable_is_known(void **state)
{
    static const char *const names[] = {"llvmspirv_debug_O0", "dpcpp_debug100_O0",
                                        "dpcpp_debug200_O0"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct geo_strbuf log;
        geo_strbuf_init(&log, 0);
        struct geo_ir_module *module = producer(names[i], &log);
        uint32_t found = 0;
        geo_ir_for_each_function(function, module) {
            geo_ir_for_each_block(block, function) {
                geo_ir_for_each_inst(inst, block) {
                    geo_ir_for_each_record(record, inst)
                    {
                        const struct geo_ir_debug_variable *v = record->variable;
                        if (strcmp(v->name, "p") == 0 && v->line == 26) {
                            expect_type(v->type, "typedef point@0:0(struct:128{"
                                                 "basic float:32/3 x@0+32;basic float:32/3 y@32+32;"
                                                 "array[2](basic int:32/4) n@64+64;})");
                            found++;
                        }
                        if (strcmp(v->name, "c") == 0 && v->line == 27) {
                            expect_type(v->type, "enum colour:32(basic unsigned int:32/6)"
                                                 "{RED=0;GREEN=5;}");
                            found++;
                        }
                        if (strcmp(v->name, "tmp") == 0) {
                            assert_int_equal(v->argument, 3);
                            found++;
                        }
                    }
                }
            }
        }
        assert_int_equal(found, 3);
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
    }
}

/* LLVM's back end writes types that nothing refers to, and Fortran's modules need set 200. */
static void other_producers_are_read_whole(void **state)
{
    (void)state;
    static const char *const names[] = {"clang_debug", "dpcpp_fortran200"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct geo_strbuf log;
        geo_strbuf_init(&log, 0);
        struct geo_ir_module *module = producer(names[i], &log);
        assert_string_equal(geo_strbuf_text(&log), "");
        assert_non_null(module->debug);
        if (i == 1) {
            assert_printed(module, "    ; s is at %0; /src/f.f90:3:4 k\n");
            const struct geo_ir_scope *k = module->first_function->scope;
            assert_int_equal(k->parent->kind, GEO_SCOPE_MODULE);
            assert_string_equal(k->parent->name, "m");
            assert_int_equal(k->parent->line, 7);
        }
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
    }
}

/* ---- broken input ---- */

static void broken_instructions_are_dropped(void **state)
{
    static const struct {
        const char *text, *log;
    } cases[] = {
        {"%a" X "DebugTypeBasic %a_cl %a_cl Signed\n", "DebugTypeBasic at word"},
        {"%a" X "DebugTypeVector %a 2\n%b" X "DebugTypeQualifier %unit ConstType\n"
         "%unit" X "DebugExpression\n",
         "needs a debug type"},
        {"%a" X "DebugInlinedAt 1 %a\n", "needs a scope"},
        {"%a" X "DebugInlinedVariable %a %a\n", "needs a variable and a DebugInlinedAt"},
        {"%a" X "DebugTypeTemplate %a_cl\n", "outside of debug information"},
        {"%a" X "DebugFunction %g %g %g 1 1 %g %g None 1 %g\n", "needs a string"},
        {"%a" X "DebugLocalVariable %s_x %a %a 1 2 %a None\n", "needs a debug type"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[4096];
        snprintf(text, sizeof(text), "%s%s%s", OPENCL, cases[i].text, EMPTY_KERNEL);
        geo_ir_module_destroy(read_text(text, cases[i].log));
    }
}

static void unknown_and_short_instructions_are_dropped(void **state)
{
    (void)state;
    geo_ir_module_destroy(
        read_text(SHADER_200 "%a" X "999 %n0\n" EMPTY_KERNEL, "is not in its instruction set"));
    geo_ir_module_destroy(
        read_text(SHADER_200 "%a" X "2 %n0\n" EMPTY_KERNEL, "has too few operands"));
    /* the young instructions are not in set 100 */
    geo_ir_module_destroy(read_text(SHADER "%a" X "203 %s_x %n0 %n0 %n0 %n0\n" EMPTY_KERNEL,
                                    "is not in its instruction set"));
    /* one line about the first, one about the number of the others */
    geo_ir_module_destroy(read_text(SHADER_200 "%a" X "999\n%b" X "998\n%c" X "997\n" EMPTY_KERNEL,
                                    "2 more instructions are ignored"));
}

static void values_of_other_functions_are_unknown(void **state)
{
    (void)state;
    struct geo_ir_module *module = read_text(
        OPENCL "%int" X "DebugTypeBasic %s_int %n32 Signed\n%none" X "DebugInfoNone\n"
               "%x" X "DebugLocalVariable %s_x %int %none 4 2 %none None\n%e0" X
               "DebugExpression\n" CODE_BEGIN "OpReturn\nOpFunctionEnd\n"
               "%o = OpFunction %void None %fn\n%op = OpFunctionParameter %gi32\n"
               "%on = OpFunctionParameter %i32\n%oe = OpLabel\n%d1" X "DebugValue %x %n %e0\n"
               "%d2" X "DebugDeclare %x %v %e0\n%d3" X "DebugDeclare %x %on %e0\n"
               "%d4" X "DebugValue %x %k %e0\nOpReturn\nOpFunctionEnd\n",
        "");
    assert_printed(module, "    ; x is unknown; ?:0:0\n    ; x is unknown; ?:0:0\n"
                           "    ; x is unknown; ?:0:0\n    ; x is unknown; ?:0:0\n    OpReturn\n");
    geo_ir_module_destroy(module);
}

/* Each call of a chain refers to the one before; the chain is longer than the limit. */
static void deep_chains_of_calls_are_cut(void **state)
{
    (void)state;
    static char text[1 << 16];
    size_t used = (size_t)snprintf(text, sizeof(text), "%s%s", OPENCL,
                                   "%none" X "DebugInfoNone\n%file" X "DebugSource %a_cl\n"
                                   "%u" X "DebugCompilationUnit 1 5 %file OpenCL_C\n"
                                   "%at0" X "DebugInlinedAt 1 %u\n");
    for (int i = 1; i < 200; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "%%at%d%sDebugInlinedAt 1 %%u %%at%d\n", i, X, i - 1);
    }
    snprintf(text + used, sizeof(text) - used, "%s%s", CODE_BEGIN,
             "%sc" X "DebugScope %u %at63\nOpStore %v %n\n%sd" X "DebugScope %u %at199\n"
             "OpReturn\nOpFunctionEnd\n");
    struct geo_ir_module *module = read_text(text, "is nested too deeply");
    const struct geo_ir_inst *store = module->first_function->first_block->first->next;
    assert_int_equal(geo_ir_location(module, store->location)->depth, 64);
    assert_true(geo_ir_location(module, store->next->location)->depth <= 64);
    geo_ir_module_destroy(module);
}

/* Indexes select a member or an element. Their work is bounded, since input may repeat them. */
static void far_members_and_many_dimensions_are_unknown(void **state)
{
    (void)state;
    static char text[1 << 16];
    size_t used = (size_t)snprintf(text, sizeof(text), "%s%s", SHADER,
                                   "%c255 = OpConstant %i32 255\n%c256 = OpConstant %i32 256\n"
                                   "%none" X "DebugInfoNone\n%e0" X "DebugExpression\n"
                                   "%int" X "DebugTypeBasic %s_int %n32 %n4 %n0\n"
                                   "%m" X "DebugTypeMember %s_x %int %none %n3 %n4 %n0 %n32 %n0\n"
                                   "%s" X "DebugTypeComposite %s_B %n1 %none %n5 %n7 %none %none "
                                   "%n32 %n0");
    for (int i = 0; i < 300; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, " %%m");
    }
    for (int dimensions = 16; dimensions <= 17; dimensions++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "\n%%a%d%sDebugTypeArray %%int",
                                 dimensions, X);
        for (int i = 0; i < dimensions; i++) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, " %%n2");
        }
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "\n%%b%d%sDebugTypeArray %%a%d %%n3\n%%y%d%s"
                                 "DebugLocalVariable %%s_y %%b%d %%none %%n4 %%n2 %%none %%n0",
                                 dimensions, X, dimensions, dimensions, X, dimensions);
    }
    snprintf(text + used, sizeof(text) - used, "%s%s",
             "\n%x" X "DebugLocalVariable %s_x %s %none %n4 %n2 %none %n0\n" CODE_BEGIN,
             "%d1" X "DebugValue %x %n %e0 %c255\n%d2" X "DebugValue %x %n %e0 %c256\n"
             "%d3" X "DebugValue %y16 %n %e0 %n1\n%d4" X "DebugValue %y17 %n %e0 %n1\n"
             "OpReturn\nOpFunctionEnd\n");
    struct geo_ir_module *module = read_text(text, "");
    assert_printed(module, "    ; x bits 0+32 is %1; ?:0:0\n    ; x is unknown; ?:0:0\n"
                           "    ; y bits 2097152+2097152 is %1; ?:0:0\n"
                           "    ; y is unknown; ?:0:0\n    OpReturn\n");
    geo_ir_module_destroy(module);
}

/* Ids that are defined twice are errors; the lines of translators are the exception. */
/* Each operand and each step to a member is a unit of the build's budget. */
static void debug_instructions_spend_the_budget(void **state)
{
    enum { VALUES = 200, INDEX = 250 };
    static char text[1 << 16];
    struct geo_budget budget;
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    size_t bytes;
    (void)state;
    size_t used = (size_t)snprintf(text, sizeof(text), "%s%s", SHADER,
                                   "%c250 = OpConstant %i32 250\n"
                                   "%none" X "DebugInfoNone\n%e0" X "DebugExpression\n"
                                   "%int" X "DebugTypeBasic %s_int %n32 %n4 %n0\n"
                                   "%m" X "DebugTypeMember %s_x %int %none %n3 %n4 %n0 %n32 %n0\n"
                                   "%s" X "DebugTypeComposite %s_B %n1 %none %n5 %n7 %none %none "
                                   "%n32 %n0");
    for (int i = 0; i <= INDEX; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, " %%m");
    }
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%s",
                             "\n%x" X
                             "DebugLocalVariable %s_x %s %none %n4 %n2 %none %n0\n" CODE_BEGIN);
    for (int i = 0; i < VALUES; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "%%d%d%sDebugValue %%x %%n %%e0 %%c250\n", i, X);
    }
    snprintf(text + used, sizeof(text) - used, "OpReturn\nOpFunctionEnd\n");
    void *words = support_assemble_bytes(text, &bytes);
    geo_strbuf_init(&log, 0);
    geo_budget_init(&budget, 0);
    geo_budget_begin(&budget);
    assert_int_equal(geo_spirv_read(words, bytes, &module, &log), ZE_RESULT_SUCCESS);
    geo_budget_end();
    /* the operands of the values, the steps, the members of the type; not much more */
    assert_in_range(budget.work, VALUES * (8 + INDEX) + INDEX, VALUES * (12 + INDEX) + 2 * INDEX);
    geo_ir_module_destroy(module);
    geo_budget_finish(&budget);

    geo_budget_init(&budget, 1);
    budget.work = budget.work_limit - VALUES * INDEX / 2; /* it ends in the middle */
    budget.next_look = budget.work_limit + 1;
    geo_budget_begin(&budget);
    assert_int_equal(geo_spirv_read(words, bytes, &module, &log),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    geo_budget_end();
    assert_string_equal(geo_strbuf_text(&log), "");
    assert_true(budget.work < budget.work_limit + INDEX);
    geo_budget_finish(&budget);
    geo_strbuf_finish(&log);
    free(words);
}

static void result_ids_are_checked(void **state)
{
    size_t bytes;
    (void)state;
    uint32_t *words = support_assemble_bytes(
        SHADER "%none" X "DebugInfoNone\n%file" X "DebugSource %a_cl\n" EMPTY_KERNEL, &bytes);
    uint32_t *none = NULL;
    for (size_t at = 5; at < bytes / 4; at += words[at] >> 16) {
        if ((words[at] & 0xFFFFu) == SpvOpExtInst && none) {
            words[at + 2] = none[2];
        }
        none = (words[at] & 0xFFFFu) == SpvOpExtInst ? words + at : none;
    }
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_spirv_read(words, bytes, &module, &log),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(geo_strbuf_text(&log), "is defined twice"));
    geo_strbuf_finish(&log);
    free(words);
}

/* Changes words of debug instructions, but not what makes them instructions: results, types, sets
 * and numbers. Half of the new words are ids of the module, so that some fit. */
static void words_change(uint32_t *words, size_t count, struct support_random *random)
{
    uint32_t places[4096], found = 0, set = 0;
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        uint32_t op = words[at] & 0xFFFFu, length = words[at] >> 16;
        bool is_set = op == SpvOpExtInstImport && strstr((const char *)&words[at + 2], "DebugInfo");
        set = is_set ? words[at + 1] : set;
        for (uint32_t i = 5; op == SpvOpExtInst && words[at + 3] == set && i < length; i++) {
            places[found++ & 4095] = (uint32_t)at + i;
        }
    }
    found = found < 4096 ? found : 4096;
    assert_true(found > 100);
    for (uint32_t n = 1 + support_random_below(random, 6); n > 0; n--) {
        bool id = support_random_below(random, 2);
        words[places[support_random_below(random, found)]] =
            id ? support_random_below(random, words[3]) : (uint32_t)support_random_value(random);
    }
}

/* Broken debug information never fails a build, and never breaks the model. */
static void changed_debug_information_fails_no_build(void **state)
{
    static const char *const names[] = {"llvmspirv_debug_O0", "llvmspirv_debug_O2",
                                        "dpcpp_debug100_O2", "dpcpp_debug200_O0",
                                        "dpcpp_debug200_O2"};
    struct support_random random = {7};
    uint32_t warned = 0, runs = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t bytes;
        uint32_t *words = producer_bytes(names[i], &bytes);
        uint32_t *changed = malloc(bytes);
        assert_non_null(changed);
        for (int run = 0; run < 400; run++) {
            struct geo_ir_module *module = NULL;
            struct geo_strbuf log;
            geo_strbuf_init(&log, 0);
            memcpy(changed, words, bytes);
            words_change(changed, bytes / 4, &random);
            if (geo_spirv_read(changed, bytes, &module, &log) != ZE_RESULT_SUCCESS ||
                geo_transform_canonicalize(module, run % 2, &log) != ZE_RESULT_SUCCESS) {
                fail_msg("%s, run %d: %s", names[i], run, geo_strbuf_text(&log));
            }
            warned += strstr(geo_strbuf_text(&log), "warning: debug information") != NULL;
            runs++;
            geo_strbuf_finish(&log);
            geo_ir_module_destroy(module);
        }
        free(changed);
        free(words);
    }
    assert_true(warned * 3 > runs);
}

/* A module without debug information has no memory for it. */
static void nothing_is_made_without_debug_information(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_assemble(
        "OpEntryPoint Kernel %k \"k\"\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
        "%k = OpFunction %void None %fn\n%e = OpLabel\nOpReturn\nOpFunctionEnd\n");
    assert_null(module->debug);
    assert_int_equal(module->first_function->first_block->first->location, 0);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_opencl_are_read),
        cmocka_unit_test(types_of_the_shader_sets_are_read),
        cmocka_unit_test(a_matrix_is_read),
        cmocka_unit_test(set_200_is_read),
        cmocka_unit_test(places_of_opencl_are_read),
        cmocka_unit_test(places_of_the_shader_sets_are_read),
        cmocka_unit_test(what_translators_write_is_read_whole),
        cmocka_unit_test(the_structure_of_a_variable_is_known),
        cmocka_unit_test(other_producers_are_read_whole),
        cmocka_unit_test(broken_instructions_are_dropped),
        cmocka_unit_test(unknown_and_short_instructions_are_dropped),
        cmocka_unit_test(values_of_other_functions_are_unknown),
        cmocka_unit_test(deep_chains_of_calls_are_cut),
        cmocka_unit_test(far_members_and_many_dimensions_are_unknown),
        cmocka_unit_test(debug_instructions_spend_the_budget),
        cmocka_unit_test(result_ids_are_checked),
        cmocka_unit_test(changed_debug_information_fails_no_build),
        cmocka_unit_test(nothing_is_made_without_debug_information),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
