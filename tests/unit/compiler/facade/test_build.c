/* Unit test of whole builds (facade): what is malformed is refused before anything is done with it;
 * the CPU they are for. */
#include "compiler/compiler.h"
#include "native/native.h"

#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ze_result_t build(const char *text, struct geo_compiler_output *output)
{
    size_t bytes;
    void *spirv = support_assemble_bytes(text, &bytes);
    const struct geo_compiler_source source = {.spirv = spirv, .bytes = bytes};
    const struct geo_compiler_request request = {.source_count = 1, .sources = &source, .lanes = 8};
    ze_result_t result = geo_compiler_open(GEO_COMPILER_INTERFACE)->build(&request, output);
    free(spirv);
    return result;
}

#define CALL_OF(arguments)                                                                         \
    "OpEntryPoint Kernel %kernel \"kernel\"\n"                                                     \
    "%void = OpTypeVoid\n"                                                                         \
    "%int = OpTypeInt 32 0\n"                                                                      \
    "%pointer = OpTypePointer CrossWorkgroup %int\n"                                               \
    "%callee_type = OpTypeFunction %void %pointer %int\n"                                          \
    "%kernel_type = OpTypeFunction %void %pointer %int\n"                                          \
    "%callee = OpFunction %void None %callee_type\n"                                               \
    "%to = OpFunctionParameter %pointer\n"                                                         \
    "%value = OpFunctionParameter %int\n"                                                          \
    "%start = OpLabel\n"                                                                           \
    "OpStore %to %value Aligned 4\n"                                                               \
    "OpReturn\n"                                                                                   \
    "OpFunctionEnd\n"                                                                              \
    "%kernel = OpFunction %void None %kernel_type\n"                                               \
    "%a = OpFunctionParameter %pointer\n"                                                          \
    "%b = OpFunctionParameter %int\n"                                                              \
    "%entry = OpLabel\n"                                                                           \
    "%call = OpFunctionCall %void %callee " arguments "\n"                                         \
    "OpReturn\n"                                                                                   \
    "OpFunctionEnd\n"

static void a_good_call_is_built(void **state)
{
    (void)state;
    struct geo_compiler_output output;
    assert_int_equal(build(CALL_OF("%a %b"), &output), ZE_RESULT_SUCCESS);
    assert_non_null(output.binary);
    assert_string_equal(output.log, "");
    geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
}

static void calls_with_other_arguments_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {CALL_OF(""), CALL_OF("%a"), CALL_OF("%a %b %b"),
                                        CALL_OF("%b %a"), CALL_OF("%a %int")};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct geo_compiler_output output;
        assert_int_equal(build(texts[i], &output), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert_null(output.binary);
        assert_non_null(strstr(output.log, "error: "));
        assert_non_null(strstr(output.log, "OpFunctionCall"));
        geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
    }
}

static uint32_t features_of(const struct geo_compiler_output *output)
{
    struct geo_native_view view;
    const char *reason;
    assert_int_equal(geo_native_parse(output->binary, output->binary_bytes, &view, &reason),
                     ZE_RESULT_SUCCESS);
    return view.payloads[0].features;
}

static void code_is_for_the_cpu_that_was_named(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t features;
    } cpus[] = {{"x86-64", 0},
                {"x86-64-v2", GEO_FEATURE_SSE4_2},
                {"x86-64-v3", GEO_FEATURE_SSE4_2 | GEO_FEATURE_AVX2},
                {"x86-64-v4", GEO_FEATURE_SSE4_2 | GEO_FEATURE_AVX2 | GEO_FEATURE_AVX512},
                {"x86-64-v4-vnni",
                 GEO_FEATURE_SSE4_2 | GEO_FEATURE_AVX2 | GEO_FEATURE_AVX512 | GEO_FEATURE_VNNI},
                {"x86-64-v4-fp16", GEO_FEATURE_SSE4_2 | GEO_FEATURE_AVX2 | GEO_FEATURE_AVX512 |
                                       GEO_FEATURE_VNNI | GEO_FEATURE_FP16}};
    struct geo_compiler_output output;
    for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
        setenv("GEOID_CPU", cpus[i].name, 1);
        assert_int_equal(build(CALL_OF("%a %b"), &output), ZE_RESULT_SUCCESS);
        assert_int_equal(features_of(&output), cpus[i].features);
        geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
    }
    setenv("GEOID_CPU", "x86-64-v9", 1);
    assert_int_equal(build(CALL_OF("%a %b"), &output), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(output.log, "'x86-64-v9'"));
    geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
    unsetenv("GEOID_CPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_call_is_built),
        cmocka_unit_test(calls_with_other_arguments_are_refused),
        cmocka_unit_test(code_is_for_the_cpu_that_was_named),
    };
    return cmocka_run_group_tests_name("facade_build", tests, NULL, NULL);
}
