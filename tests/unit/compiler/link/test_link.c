/* Merging and linking modules: imports meet definitions, across types that differ in pointees only.
 */
#include "interpret.h"
#include "support.h"

#include "base/strbuf.h"
#include "compiler/ir/debug.h"
#include "compiler/ir/print.h"
#include "compiler/link/copy.h"
#include "compiler/link/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n"                          \
    "%pair = OpTypeStruct %int %int\n%p_pair = OpTypePointer CrossWorkgroup %pair\n"               \
    "%p_int = OpTypePointer CrossWorkgroup %int\n"

static const char *const caller =
    "OpEntryPoint Kernel %main \"main\"\n"
    "OpDecorate %add LinkageAttributes \"add\" Import\n" TYPES
    "%f = OpTypeFunction %int %p_int %int\n%k = OpTypeFunction %void %p_int\n"
    "%three = OpConstant %int 3\n"
    "%add = OpFunction %int None %f\n%a0 = OpFunctionParameter %p_int\n"
    "%a1 = OpFunctionParameter %int\nOpFunctionEnd\n"
    "%main = OpFunction %void None %k\n%m0 = OpFunctionParameter %p_int\n%l = OpLabel\n"
    "%r = OpFunctionCall %int %add %m0 %three\nOpStore %m0 %r\nOpReturn\nOpFunctionEnd\n";

/* The definition sees a pair where the caller sees an int. */
#define CALLEE(linkage, name, value)                                                               \
    "OpDecorate %add LinkageAttributes \"" name "\" " linkage "\n" TYPES                           \
    "%f = OpTypeFunction %int %p_pair %int\n%one = OpConstant %int 1\n%v = OpConstant %int " value \
    "\n%add = OpFunction %int None %f\n%a0 = OpFunctionParameter %p_pair\n"                        \
    "%a1 = OpFunctionParameter %int\n%l = OpLabel\n"                                               \
    "%p = OpInBoundsPtrAccessChain %p_int %a0 %v %one\n%x = OpLoad %int %p\n"                      \
    "%s = OpIAdd %int %x %a1\nOpReturnValue %s\nOpFunctionEnd\n"

static struct geo_ir_module *merged(const char *first, const char *second)
{
    struct geo_ir_module *target = support_assemble(first);
    struct geo_ir_module *source = support_assemble(second);
    assert_int_equal(geo_copy_module(target, source), ZE_RESULT_SUCCESS);
    geo_ir_module_destroy(source); /* nothing is shared */
    support_assert_valid(target);
    return target;
}

static void link_fails(struct geo_ir_module *module, const char *text)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_link_module(module, &log), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(geo_strbuf_text(&log), text));
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

static void link_works(struct geo_ir_module *module)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_link_module(module, &log), ZE_RESULT_SUCCESS);
    assert_string_equal(geo_strbuf_text(&log), "");
    support_assert_valid(module);
    geo_strbuf_finish(&log);
}

/* Runs main on {10, 20} and returns the first element. */
static int32_t run(struct geo_ir_module *module)
{
    int32_t memory[2] = {10, 20};
    const uint32_t one[3] = {1, 1, 1};
    struct interp *interp = interp_create(module);
    uint64_t argument = interp_map(interp, memory, sizeof(memory));
    if (!interp_launch(interp, interp_find(module, "main"), &argument, one, one)) {
        fail_msg("%s", interp_error(interp));
    }
    interp_destroy(interp);
    return memory[0];
}

/* MOD-5: each imported symbol has one definition in the set; order does not matter */
static void imports_meet_definitions(void **state)
{
    static const char *const callee = CALLEE("Export", "add", "0");
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct geo_ir_module *module = swapped ? merged(callee, caller) : merged(caller, callee);
        link_works(module);
        assert_int_equal(run(module), 23);
        geo_ir_module_destroy(module);
    }
}

/* SPV-33: of link-once definitions one is kept, a strong one wins */
static void link_once_definitions_give_way(void **state)
{
    struct geo_ir_module *module =
        merged(CALLEE("LinkOnceODR", "add", "0"), CALLEE("LinkOnceODR", "add", "0"));
    struct geo_ir_module *more = support_assemble(caller);
    (void)state;
    assert_int_equal(geo_copy_module(module, more), ZE_RESULT_SUCCESS);
    geo_ir_module_destroy(more);
    link_works(module);
    uint32_t bodies = 0;
    geo_ir_for_each_function(function, module) {
        bodies += function->first_block && !function->is_kernel;
    }
    assert_int_equal(bodies, 1);
    assert_int_equal(run(module), 23);
    geo_ir_module_destroy(module);
}

/* MOD-5 */
static void what_nobody_defines_stays_an_import(void **state)
{
    struct geo_ir_module *module = merged(caller, CALLEE("Export", "other", "0"));
    (void)state;
    link_works(module);
    struct geo_ir_function *import = NULL;
    geo_ir_for_each_function(function, module) {
        import = function->first_block ? import : function;
    }
    assert_non_null(import);
    assert_string_equal(import->linkage_name, "add");
    assert_int_equal(import->linkage, GEO_LINKAGE_IMPORT);
    geo_ir_module_destroy(module);
}

/* VAL-14 */
static void conflicts_are_named(void **state)
{
    (void)state;
    link_fails(merged(caller, caller), "'main' is a kernel of two modules");
    link_fails(merged(CALLEE("Export", "add", "0"), CALLEE("Export", "add", "1")),
               "'add' is defined twice");
    link_fails(merged(caller, "OpDecorate %add LinkageAttributes \"add\" Export\n" TYPES
                              "%f = OpTypeFunction %int\n%one = OpConstant %int 1\n"
                              "%add = OpFunction %int None %f\n%l = OpLabel\n"
                              "OpReturnValue %one\nOpFunctionEnd\n"),
               "'add' has another type");
}

/* ---- debug information ---- */

/* A module with a function and debug information of its own. */
#define DEBUGGED(name, file, line)                                                                 \
    "%dbg = OpExtInstImport \"OpenCL.DebugInfo.100\"\n"                                            \
    "OpDecorate %f LinkageAttributes \"" name "\" Export\n%sf = OpString \"" file "\"\n"           \
    "%sn = OpString \"" name "\"\n" TYPES                                                          \
    "%f_type = OpTypeFunction %int %int\n%three = OpConstant %int 3\n"                             \
    "%g = OpVariable %p_int CrossWorkgroup\n"                                                      \
    "%none = OpExtInst %void %dbg DebugInfoNone\n%src = OpExtInst %void %dbg DebugSource %sf\n"    \
    "%u = OpExtInst %void %dbg DebugCompilationUnit 1 5 %src OpenCL_C\n"                           \
    "%df = OpExtInst %void %dbg DebugFunction %sn %none %src " line " 1 %u %sn None 1 %f\n"        \
    "%gv = OpExtInst %void %dbg DebugGlobalVariable %sn %none %src 1 1 %u %sn %g None\n"           \
    "%x = OpExtInst %void %dbg DebugLocalVariable %sn %none %src " line " 1 %df None\n"            \
    "%out = OpExtInst %void %dbg DebugInlinedAt 70 %df\n%e0 = OpExtInst %void %dbg "               \
    "DebugExpression\n%f = OpFunction %int None %f_type\n%a = OpFunctionParameter %int\n"          \
    "%l = OpLabel\n%sc = OpExtInst %void %dbg DebugScope %df %out\nOpLine %sf " line " 5\n"        \
    "%s = OpIAdd %int %a %a\n%d1 = OpExtInst %void %dbg DebugValue %x %s %e0\n"                    \
    "%d2 = OpExtInst %void %dbg DebugValue %x %three %e0\nOpReturnValue %s\nOpFunctionEnd\n"

static void debug_information_is_merged(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        merged(DEBUGGED("one", "a.cl", "4"), DEBUGGED("two", "b.cl", "6"));
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    geo_ir_print(module, &text);
    static const char *const parts[] = {
        "OpIAdd i32 %0 %0  ; a.cl:4:5 one < a.cl:70:0 one\n"
        "    ; one is %1; a.cl:4:5 one < a.cl:70:0 one\n    ; one is 3; ",
        "OpIAdd i32 %0 %0  ; b.cl:6:5 two < b.cl:70:0 two\n"
        "    ; two is %1; b.cl:6:5 two < b.cl:70:0 two\n    ; two is 3; ",
    };
    for (size_t i = 0; i < 2; i++) {
        if (!strstr(geo_strbuf_text(&text), parts[i])) {
            fail_msg("\"%s\" is not in\n%s", parts[i], geo_strbuf_text(&text));
        }
    }
    assert_string_equal(module->last_function->scope->name, "two");
    assert_string_equal(module->variables.items[1]->debug->name, "two");
    geo_strbuf_finish(&text);
    geo_ir_module_destroy(module);
}

/* Copying a single function takes what it refers to, and creates nothing for its records. */
static void a_copied_function_keeps_its_source(void **state)
{
    (void)state;
    struct geo_ir_module *target = support_assemble(caller);
    struct geo_ir_module *source = support_assemble(DEBUGGED("two", "b.cl", "6"));
    size_t constants = target->constants.count, variables = target->variables.count;
    struct geo_ir_function *copy = geo_copy_function(target, source->first_function);
    assert_non_null(copy);
    geo_ir_module_destroy(source);
    const struct geo_ir_inst *add = copy->first_block->first;
    assert_string_equal(geo_ir_location(target, add->location)->scope->name, "two");
    assert_ptr_equal(geo_ir_records(add->next)->value, &add->value);
    assert_int_equal(target->constants.count, constants);
    assert_int_equal(target->variables.count, variables);
    geo_ir_module_destroy(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imports_meet_definitions),
        cmocka_unit_test(link_once_definitions_give_way),
        cmocka_unit_test(what_nobody_defines_stays_an_import),
        cmocka_unit_test(conflicts_are_named),
        cmocka_unit_test(debug_information_is_merged),
        cmocka_unit_test(a_copied_function_keeps_its_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
