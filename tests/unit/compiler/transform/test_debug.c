/* Tests that single passes keep debug information right, and that code is the same with and without
 * it. test_debug_floors.c measures how much of it each pass keeps. */
#include "debug_corpus.h"
#include "support.h"

#include "compiler/ir/budget.h"
#include "compiler/ir/print.h"
#include "compiler/transform/pass/settle.h"
#include "compiler/transform/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- single passes ---- */

#define X " = OpExtInst %void %dbg "
/* A kernel k(p, n), a function h(a) and the variables x and y of k, z of h. */
#define HEAD                                                                                       \
    "%dbg = OpExtInstImport \"OpenCL.DebugInfo.100\"\nOpEntryPoint Kernel %k \"k\"\n"              \
    "%f = OpString \"a.cl\"\n%sk = OpString \"k\"\n%sh = OpString \"h\"\n"                         \
    "%sx = OpString \"x\"\n%sy = OpString \"y\"\n%sz = OpString \"z\"\n"                           \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"       \
    "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c7 = OpConstant %i32 7\n"                  \
    "%l7 = OpConstant %i64 7\n%c32 = OpConstant %i32 32\n%gi = OpTypePointer CrossWorkgroup "      \
    "%i32\n%pi = OpTypePointer Function %i32\n%s = OpTypeStruct %i32 %i32\n"                       \
    "%ps = OpTypePointer Function %s\n%fn = OpTypeFunction %void %gi %i32\n"                       \
    "%fh = OpTypeFunction %i32 %i32\n%none" X "DebugInfoNone\n%file" X "DebugSource %f\n"          \
    "%unit" X "DebugCompilationUnit 1 5 %file OpenCL_C\n"                                          \
    "%int" X "DebugTypeBasic %sx %c32 Signed\n%ty" X "DebugTypeFunction None %void\n"              \
    "%dk" X "DebugFunction %sk %ty %file 1 1 %unit %sk None 1 %k\n"                                \
    "%dh" X "DebugFunction %sh %ty %file 9 1 %unit %sh None 9 %h\n"                                \
    "%x" X "DebugLocalVariable %sx %int %file 2 1 %dk None\n"                                      \
    "%y" X "DebugLocalVariable %sy %int %file 3 1 %dk None\n"                                      \
    "%z" X "DebugLocalVariable %sz %int %file 9 5 %dh None 1\n%e0" X "DebugExpression\n"
#define KERNEL                                                                                     \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi\n"                               \
    "%n = OpFunctionParameter %i32\n%e = OpLabel\n"
#define HELPER                                                                                     \
    "%h = OpFunction %i32 None %fh\n%a = OpFunctionParameter %i32\n%eh = OpLabel\n"                \
    "%sch" X "DebugScope %dh\nOpLine %f 10 3\n%dz" X "DebugValue %z %a %e0\n"                      \
    "%b = OpIMul %i32 %a %a\nOpReturnValue %b\nOpFunctionEnd\n"

static const struct geo_transform_pass *pass_find(const char *name)
{
    size_t count;
    const struct geo_transform_pass *table = geo_transform_passes(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    fail_msg("no pass is named %s", name);
    return NULL;
}

/* Runs passes ("a;b") on a text. `expected` must be in the printed result. */
static void expect_after(const char *text, const char *names, const char *expected)
{
    struct geo_ir_module *module = support_assemble(text);
    struct geo_strbuf log, printed;
    char *list = strdup(names), *rest = NULL;
    geo_strbuf_init(&log, 0);
    geo_strbuf_init(&printed, 0);
    assert_non_null(list);
    for (const char *name = strtok_r(list, ";", &rest); name; name = strtok_r(NULL, ";", &rest)) {
        if (geo_transform_pass_run(pass_find(name), module, true, &log) != ZE_RESULT_SUCCESS) {
            fail_msg("%s", geo_strbuf_text(&log));
        }
    }
    free(list);
    geo_ir_print(module, &printed);
    if (!strstr(geo_strbuf_text(&printed), expected)) {
        fail_msg("\"%s\" is not in\n%s", expected, geo_strbuf_text(&printed));
    }
    geo_strbuf_finish(&log);
    geo_strbuf_finish(&printed);
    geo_ir_module_destroy(module);
}

/* Two calls on one line are two sets of variables. */
static void inlined_code_names_its_call(void **state)
{
    (void)state;
    static const char text[] = HEAD HELPER KERNEL
        "%sc" X "DebugScope %dk\nOpLine %f 4 2\n"
        "%r = OpFunctionCall %i32 %h %n\n%q = OpFunctionCall %i32 %h %r\nOpLine %f 5 2\n"
        "OpStore %p %q\nOpReturn\nOpFunctionEnd\n";
    expect_after(text, "inlining",
                 "    ; z is %1; a.cl:10:3 h < a.cl:4:2 k\n"
                 "    %2 = OpIMul i32 %1 %1  ; a.cl:10:3 h < a.cl:4:2 k\n"
                 "    ; z is %2; a.cl:10:3 h < a.cl:4:2 k\n"
                 "    %3 = OpIMul i32 %2 %2  ; a.cl:10:3 h < a.cl:4:2 k\n"
                 "    OpStore %0 %3  ; a.cl:5:2 k\n");
    struct geo_ir_module *module = support_assemble(text);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_pass_run(pass_find("inlining"), module, true, &log),
                     ZE_RESULT_SUCCESS);
    const struct geo_ir_inst *first = module->first_function->first_block->first;
    assert_int_equal(geo_ir_location(module, first->location)->depth, 1);
    assert_int_not_equal(geo_ir_location(module, first->location)->inlined_at,
                         geo_ir_location(module, first->next->location)->inlined_at);
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

/* An entry point without debug information that calls the kernel's function takes its place. */
static void an_entry_point_without_source_takes_that_of_its_body(void **state)
{
    (void)state;
    char text[] = HEAD HELPER KERNEL "%r = OpFunctionCall %i32 %h %n\nOpStore %p %r\nOpReturn\n"
                                     "OpFunctionEnd\n";
    /* no DebugFunction names the kernel: this one is about h, and the second one replaces it */
    strstr(text, "None 1 %k\n")[8] = 'h';
    expect_after(text, "inlining",
                 "    ; z is %1; a.cl:10:3 h\n    %2 = OpIMul i32 %1 %1  ; a.cl:10:3 h\n");
}

/* A value behind each store and phi; unknown where values meet that nothing needs. */
#define BRANCHES                                                                                   \
    HEAD "%h = OpFunction %i32 None %fh\n%a = OpFunctionParameter %i32\n%eh = OpLabel\n"           \
         "OpReturnValue %a\nOpFunctionEnd\n" KERNEL "%v = OpVariable %pi Function\n"               \
         "%w = OpVariable %pi Function\n%sc" X "DebugScope %dk\nOpLine %f 4 2\n"                   \
         "%d1" X "DebugDeclare %x %v %e0\n%d2" X "DebugDeclare %y %w %e0\n"                        \
         "OpStore %v %c7\nOpStore %w %n\n%t = OpSGreaterThan %bool %n %c0\n"                       \
         "OpBranchConditional %t %yes %done\n%yes = OpLabel\nOpStore %v %n\nOpStore %w %c1\n"      \
         "OpBranch %done\n%done = OpLabel\n%l = OpLoad %i32 %v\nOpStore %p %l\nOpReturn\n"         \
         "OpFunctionEnd\n"

static void stores_and_phis_give_a_variable_its_value(void **state)
{
    (void)state;
    expect_after(BRANCHES, "mem2reg",
                 "    ; x is unknown; a.cl:4:2 k\n    ; y is unknown; a.cl:4:2 k\n"
                 "    ; x is 7; a.cl:4:2 k\n    ; y is %1; a.cl:4:2 k\n    %2 = OpSGreaterThan");
    expect_after(BRANCHES, "mem2reg",
                 "    ; x is %1; a.cl:4:2 k\n    ; y is 1; a.cl:4:2 k\n"
                 "    OpBranch ->2\n  2:\n    %5 = OpPhi i32 7 %1 ->0 ->1\n"
                 "    ; x is %5; a.cl:4:2 k\n");
}

static void a_variable_is_unknown_where_values_meet(void **state)
{
    (void)state;
    expect_after(BRANCHES, "mem2reg",
                 "    ; x is %5; a.cl:4:2 k\n    ; y is unknown; a.cl:4:2 k\n    OpStore %0 %5");
}

/* More variables and blocks than the pass looks at: x is in the variable that it looks at last. The
 * value that x has on one path must not be shown on the other, so it is lost. */
static void variables_beyond_the_bound_are_lost(void **state)
{
    enum { COUNT = 8300 }; /* its square is above 2^26 */
    struct geo_strbuf text, printed, log;
    (void)state;
    geo_strbuf_init(&text, 0);
    geo_strbuf_init(&printed, 0);
    geo_strbuf_init(&log, 0);
    geo_strbuf_printf(&text, "%s", HEAD HELPER KERNEL);
    for (int i = 0; i < COUNT; i++) {
        geo_strbuf_printf(&text, "%%v%d = OpVariable %%pi Function\n", i);
    }
    geo_strbuf_printf(&text, "%s", "%sc" X "DebugScope %dk\nOpLine %f 4 2\n");
    for (int i = 0; i < COUNT; i++) {
        geo_strbuf_printf(&text, "%%d%d = OpExtInst %%void %%dbg DebugDeclare %%%c %%v%d %%e0\n", i,
                          i == 0 ? 'x' : 'y', i);
    }
    geo_strbuf_printf(&text, "%s",
                      "%t = OpSGreaterThan %bool %n %c0\n"
                      "OpBranchConditional %t %yes %done\n%yes = OpLabel\n");
    for (int i = 0; i < COUNT; i++) {
        geo_strbuf_printf(&text, "OpStore %%v%d %%c7\n", i);
    }
    for (int i = 0; i < COUNT; i++) {
        geo_strbuf_printf(&text, "OpBranch %%b%d\n%%b%d = OpLabel\n", i, i);
    }
    geo_strbuf_printf(&text, "%s", "OpBranch %done\n%done = OpLabel\nOpReturn\nOpFunctionEnd\n");
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&text));
    assert_int_equal(geo_transform_pass_run(pass_find("mem2reg"), module, true, &log),
                     ZE_RESULT_SUCCESS);
    geo_ir_print(module, &printed);
    assert_non_null(strstr(geo_strbuf_text(&printed), "; x is unknown;"));
    assert_null(strstr(geo_strbuf_text(&printed), "; x is 7;"));
    assert_non_null(strstr(geo_strbuf_text(&printed), "; y is 7;"));
    geo_strbuf_finish(&text);
    geo_strbuf_finish(&printed);
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

static void parts_of_a_variable_are_fragments(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "%h = OpFunction %i32 None %fh\n%a = OpFunctionParameter %i32\n%eh = OpLabel\n"
             "OpReturnValue %a\nOpFunctionEnd\n" KERNEL "%v = OpVariable %ps Function\n"
             "%sc" X "DebugScope %dk\nOpLine %f 4 2\n%d1" X "DebugDeclare %x %v %e0\n"
             "%v0 = OpInBoundsAccessChain %pi %v %c0\n%v1 = OpInBoundsAccessChain %pi %v %c1\n"
             "OpStore %v0 %n\nOpStore %v1 %c7\n%l = OpLoad %i32 %v0\n%m = OpLoad %i32 %v1\n"
             "%t = OpIAdd %i32 %l %m\nOpStore %p %t\nOpReturn\nOpFunctionEnd\n";
    expect_after(text, "sroa",
                 "    ; x is unknown; a.cl:4:2 k\n    ; x bits 0+32 is at %2; a.cl:4:2 k\n"
                 "    ; x bits 32+32 is at %3; a.cl:4:2 k\n    OpStore %2 %1");
    expect_after(text, "sroa;mem2reg",
                 "    ; x bits 0+32 is %1; a.cl:4:2 k\n    ; x bits 32+32 is 7; a.cl:4:2 k\n"
                 "    %2 = OpIAdd i32 %1 7");
}

/* What replaces removed instructions. */
static void removed_values_are_expressed_by_their_operands(void **state)
{
    static const struct {
        const char *code, *expected;
    } cases[] = {
        {"%r = OpIAdd %i32 %n %c7\n", "; x is %1, add 7;"},
        {"%r = OpIAdd %i32 %c7 %n\n", "; x is %1, add 7;"},
        {"%r = OpISub %i32 %n %c7\n", "; x is %1, add -7;"},
        {"%r = OpSConvert %i64 %n\n", "; x is %1, sign extend 32;"},
        {"%r = OpUConvert %i64 %n\n", "; x is %1, zero extend 32;"},
        {"%r = OpInBoundsPtrAccessChain %gi %p %c7\n", "; x is %0, add 28;"},
        {"%r = OpCompositeConstruct %s %n %c7\n",
         "; x is unknown; a.cl:4:2 k\n    ; x bits 0+32 is %1; a.cl:4:2 k\n"
         "    ; x bits 32+32 is 7;"},
        {"%q = OpUndef %s\n%r = OpCompositeInsert %s %n %q 1\n",
         "; x is unknown; a.cl:4:2 k\n    ; x bits 32+32 is %1;"},
        {"%q = OpUConvert %i64 %n\n%r = OpIAdd %i64 %q %l7\n", "; x is %1, zero extend 32, add 7;"},
        {"%r = OpIMul %i32 %n %c7\n", "; x is unknown;"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[8192];
        snprintf(text, sizeof(text), "%s%s%s%s%s%s", HEAD HELPER KERNEL,
                 "%sc" X "DebugScope %dk\nOpLine %f 4 2\n", cases[i].code, "%d1" X,
                 "DebugValue %x %r %e0\n", "OpReturn\nOpFunctionEnd\n");
        expect_after(text, "simplify", cases[i].expected);
    }
}

/* Each record, instruction and removed value that settling looks at is a unit of the budget. */
static void settling_spends_the_budget(void **state)
{
    enum { RECORDS = 500 };
    struct geo_strbuf text, log;
    struct geo_budget budget;
    (void)state;
    geo_strbuf_init(&text, 0);
    geo_strbuf_init(&log, 0);
    geo_strbuf_printf(&text, "%s%s", HEAD HELPER KERNEL,
                      "%sc" X "DebugScope %dk\nOpLine %f 4 2\n%r = OpIAdd %i32 %n %c7\n"
                      "%q = OpIAdd %i32 %r %c7\n");
    for (int i = 0; i < RECORDS; i++) {
        geo_strbuf_printf(&text, "%%d%d = OpExtInst %%void %%dbg DebugValue %%x %%q %%e0\n", i);
    }
    geo_strbuf_printf(&text, "OpReturn\nOpFunctionEnd\n");
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&text));
    geo_budget_init(&budget, 0);
    geo_budget_begin(&budget);
    geo_pass_debug_settle_all(module); /* a look at each record and at its value */
    uint64_t first = budget.work;
    assert_in_range(first, 2 * RECORDS, 2 * RECORDS + 40);
    assert_int_equal(geo_transform_pass_run(pass_find("simplify"), module, true, &log),
                     ZE_RESULT_SUCCESS); /* removes the value */
    assert_in_range(budget.work - first, 3 * RECORDS, 3 * RECORDS + 80);
    geo_budget_end();
    geo_budget_finish(&budget);

    geo_budget_init(&budget, 1);
    budget.work = budget.work_limit - RECORDS / 2;
    budget.next_look = budget.work_limit + 1;
    geo_budget_begin(&budget);
    assert_int_not_equal(geo_transform_pass_run(pass_find("linking"), module, true, &log),
                         ZE_RESULT_SUCCESS);
    geo_budget_end();
    assert_true(budget.work < budget.work_limit + 40); /* it stops there */
    geo_budget_finish(&budget);
    geo_strbuf_finish(&text);
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

/* A value that an empty block gives to a variable is not its value on the other path. */
static void empty_blocks_leave_variables_unknown(void **state)
{
    (void)state;
    expect_after(HEAD HELPER KERNEL
                 "%sc" X "DebugScope %dk\nOpLine %f 4 2\n%d0" X
                 "DebugValue %x %n %e0\n%t = OpSGreaterThan %bool %n %c0\n"
                 "OpBranchConditional %t %yes %no\n%yes = OpLabel\n%d1" X
                 "DebugValue %x %c7 %e0\nOpBranch %done\n%no = OpLabel\nOpStore %p %n\n"
                 "OpBranch %done\n%done = OpLabel\nOpStore %p %c1\nOpReturn\nOpFunctionEnd\n",
                 "simplify", "  2:\n    ; x is unknown; ?:0:0 k\n    OpStore %0 1");
}

/* The value of a record may be defined on one of several paths only. */
static void values_of_other_paths_are_unknown(void **state)
{
    (void)state;
    expect_after(HEAD HELPER KERNEL "%t = OpSGreaterThan %bool %n %c0\n"
                                    "OpBranchConditional %t %yes %done\n%yes = OpLabel\n"
                                    "%m = OpIAdd %i32 %n %n\nOpStore %p %m\nOpBranch %done\n"
                                    "%done = OpLabel\n%d1" X "DebugValue %x %m %e0\nOpReturn\n"
                                    "OpFunctionEnd\n",
                 "linking", "  2:\n    ; x is unknown;");
}

/* ---- records have no effect ---- */

/* Removes the debug information from the text of a module. */
static char *plain_text(struct geo_ir_module *module)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    geo_ir_print(module, &text);
    /* Searches end at the end of the line. The address sanitizer measures the whole text at each
     * call of strstr. */
    const char *line = geo_strbuf_text(&text);
    size_t left = strlen(line);
    char *plain = calloc(1, left + 1), *to = plain;
    assert_non_null(plain);
    while (left > 0) {
        const char *end = memchr(line, '\n', left);
        size_t length = end ? (size_t)(end - line) : left;
        const char *note = memmem(line, length, "  ; ", 4);
        if (length < 6 || memcmp(line, "    ; ", 6) != 0) {
            size_t wanted = note ? (size_t)(note - line) : length;
            memcpy(to, line, wanted);
            to += wanted;
            *to++ = '\n';
        }
        line += length + (end != NULL);
        left -= length + (end != NULL);
    }
    geo_strbuf_finish(&text);
    return plain;
}

/* Takes the debug information away. */
static void strip(struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        function->scope = NULL;
        geo_ir_for_each_block(block, function) {
            for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                inst->location = inst->records = 0;
            }
        }
    }
    for (size_t i = 0; i < module->variables.count; i++) {
        module->variables.items[i]->debug = NULL;
    }
    geo_ir_debug_destroy(module->debug);
    module->debug = NULL;
}

static void code_is_the_same_without_debug_information(void **state)
{
    (void)state;
    for (int real = 0; real < 2; real++) {
        for (int optimize = 0; optimize < 2; optimize++) {
            static struct debug_corpus with, without;
            debug_corpus_open(&with, real);
            debug_corpus_open(&without, real);
            for (uint32_t i = 0; i < with.count; i++) {
                struct geo_strbuf log;
                geo_strbuf_init(&log, 0);
                strip(without.items[i].module);
                ze_result_t result =
                    geo_transform_canonicalize(with.items[i].module, optimize, &log);
                assert_int_equal(
                    geo_transform_canonicalize(without.items[i].module, optimize, &log), result);
                geo_strbuf_finish(&log);
                if (result != ZE_RESULT_SUCCESS) {
                    continue;
                }
                char *one = plain_text(with.items[i].module);
                char *other = plain_text(without.items[i].module);
                if (strcmp(one, other) != 0) {
                    fail_msg("%s: %s\nwithout:\n%s", with.items[i].name, one, other);
                }
                free(one);
                free(other);
            }
            debug_corpus_finish(&with);
            debug_corpus_finish(&without);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inlined_code_names_its_call),
        cmocka_unit_test(an_entry_point_without_source_takes_that_of_its_body),
        cmocka_unit_test(stores_and_phis_give_a_variable_its_value),
        cmocka_unit_test(a_variable_is_unknown_where_values_meet),
        cmocka_unit_test(variables_beyond_the_bound_are_lost),
        cmocka_unit_test(parts_of_a_variable_are_fragments),
        cmocka_unit_test(removed_values_are_expressed_by_their_operands),
        cmocka_unit_test(settling_spends_the_budget),
        cmocka_unit_test(empty_blocks_leave_variables_unknown),
        cmocka_unit_test(values_of_other_paths_are_unknown),
        cmocka_unit_test(code_is_the_same_without_debug_information),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
