/* Merging and linking modules: imports meet definitions, across types that differ in pointees only.
 */
#include "interpret.h"
#include "support.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imports_meet_definitions),
        cmocka_unit_test(link_once_definitions_give_way),
        cmocka_unit_test(what_nobody_defines_stays_an_import),
        cmocka_unit_test(conflicts_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
