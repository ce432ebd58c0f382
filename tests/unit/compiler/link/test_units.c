/* Linking of units (link/units.h): functions are copied, variables stay where they are. */
#include "interpret.h"
#include "support.h"

#include "compiler/link/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%int = OpTypeInt 32 0\n%p_int = OpTypePointer CrossWorkgroup %int\n"      \
    "%f = OpTypeFunction %int %int\n%k = OpTypeFunction %void %p_int\n"                            \
    "%three = OpConstant %int 3\n"

#define IMPORT(id, name)                                                                           \
    "%" id " = OpFunction %int None %f\n%" id "x = OpFunctionParameter %int\nOpFunctionEnd\n"

/* main: *out = outer(3); exports inner(x) = x + 3 */
static const char *const front =
    "OpEntryPoint Kernel %main \"main\"\n"
    "OpDecorate %outer LinkageAttributes \"outer\" Import\n"
    "OpDecorate %inner LinkageAttributes \"inner\" Export\n" TYPES IMPORT(
        "outer",
        "outer") "%inner = OpFunction %int None %f\n%ix = OpFunctionParameter %int\n%il = OpLabel\n"
                 "%ir = OpIAdd %int %ix %three\nOpReturnValue %ir\nOpFunctionEnd\n"
                 "%main = OpFunction %void None %k\n%m0 = OpFunctionParameter %p_int\n%l = "
                 "OpLabel\n"
                 "%r = OpFunctionCall %int %outer %three\nOpStore %m0 "
                 "%r\nOpReturn\nOpFunctionEnd\n";

/* outer(x) = helper(inner(x)), helper(x) = x * 3; with a counter, outer counts in it, too */
#define BACK(decorations, variable, count)                                                         \
    "OpDecorate %outer LinkageAttributes \"outer\" Export\n"                                       \
    "OpDecorate %inner LinkageAttributes \"inner\" Import\n" decorations TYPES variable IMPORT(    \
        "inner", "inner") "%helper = OpFunction %int None %f\n%hx = OpFunctionParameter %int\n"    \
                          "%hl = OpLabel\n%hr = OpIMul %int %hx %three\nOpReturnValue %hr\n"       \
                          "OpFunctionEnd\n%outer = OpFunction %int None %f\n"                      \
                          "%ox = OpFunctionParameter %int\n%ol = OpLabel\n" count                  \
                          "%oi = OpFunctionCall %int %inner %ox\n"                                 \
                          "%or = OpFunctionCall %int %helper %oi\nOpReturnValue %or\n"             \
                          "OpFunctionEnd\n"

static const struct geo_unit_link links[] = {{0, 1, "outer"}, {1, 0, "inner"}};

static ze_result_t link_units(const char *a, const char *b, struct geo_ir_module **out,
                              struct geo_strbuf *log)
{
    struct geo_ir_module *modules[] = {support_assemble(a), support_assemble(b)};
    const struct geo_units units = {
        .modules = modules, .count = 2, .links = links, .link_count = 2};
    geo_strbuf_init(log, 0);
    geo_units_number(modules[0]);
    geo_units_number(modules[1]);
    ze_result_t result = geo_units_link(&units, log);
    geo_ir_module_destroy(modules[1]); /* nothing is shared */
    *out = modules[0];
    return result;
}

/* MOD-6: each needs the other */
static void functions_are_copied_with_what_they_reach(void **state)
{
    (void)state;
    struct geo_ir_module *module;
    struct geo_strbuf log;
    int32_t memory[2] = {0};
    const uint32_t one[3] = {1, 1, 1};
    assert_int_equal(link_units(front, BACK("", "", ""), &module, &log), ZE_RESULT_SUCCESS);
    assert_string_equal(geo_strbuf_text(&log), "");
    support_assert_valid(module);
    struct interp *interp = interp_create(module);
    uint64_t argument = interp_map(interp, memory, sizeof(memory));
    if (!interp_launch(interp, interp_find(module, "main"), &argument, one, one)) {
        fail_msg("%s", interp_error(interp));
    }
    interp_destroy(interp);
    assert_int_equal(memory[0], (3 + 3) * 3);
    geo_ir_for_each_function(function, module) {
        assert_non_null(function->first_block); /* no import is left */
    }
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
}

/* MOD-6: "private variables cannot be transferred": there is one, and it is the exporter's */
static void variables_stay_with_their_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } backs[] = {
        {BACK("", "%counter = OpVariable %p_int CrossWorkgroup %three\n", "OpStore %counter %ox\n"),
         "geoid.shared.0"},
        {BACK("OpDecorate %counter LinkageAttributes \"total\" Export\n",
              "%counter = OpVariable %p_int CrossWorkgroup %three\n", "OpStore %counter %ox\n"),
         "total"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct geo_ir_module *module;
        struct geo_strbuf log;
        assert_int_equal(link_units(front, backs[i].text, &module, &log), ZE_RESULT_SUCCESS);
        support_assert_valid(module);
        assert_int_equal(module->variables.count, 1);
        const struct geo_ir_variable *variable = module->variables.items[0];
        assert_int_equal(variable->linkage, GEO_LINKAGE_EXTERNAL);
        assert_int_equal(variable->unit, 1);
        assert_string_equal(variable->linkage_name, backs[i].name);
        assert_null(variable->initializer);
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
    }
}

/* VAL-14 */
static void what_does_not_fit_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } backs[] = {
        {"OpDecorate %outer LinkageAttributes \"outer\" Export\n" TYPES
         "%g = OpTypeFunction %int\n%outer = OpFunction %int None %g\n%l = OpLabel\n"
         "OpReturnValue %three\nOpFunctionEnd\n",
         "'outer' has another type where it is defined"},
        {"OpDecorate %outer LinkageAttributes \"outer\" Export\n" TYPES
         "%outer = OpVariable %p_int CrossWorkgroup %three\n",
         "'outer' has another type where it is defined"},
        {TYPES, "'outer' is not exported by the module that should"},
    };
    for (size_t i = 0; i < sizeof(backs) / sizeof(backs[0]); i++) {
        struct geo_ir_module *module;
        struct geo_strbuf log;
        assert_int_equal(link_units(front, backs[i].text, &module, &log),
                         ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert_non_null(strstr(geo_strbuf_text(&log), backs[i].reason));
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_copied_with_what_they_reach),
        cmocka_unit_test(variables_stay_with_their_unit),
        cmocka_unit_test(what_does_not_fit_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
