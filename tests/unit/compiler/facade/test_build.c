/* Unit test of whole builds (facade): what is malformed is refused before anything is done with it;
 * the CPU they are for; kernels that are built apart from their module. */
#include "compiler/compiler.h"
#include "native/abi.h"
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

/* Kernel `a` adds a private variable and an element of a table, kernel `b` stores to another
 * variable. */
static const char shared_variables[] = "OpEntryPoint Kernel %a \"a\" %v %u %table\n"
                                       "OpEntryPoint Kernel %b \"b\" %v %u %table\n"
                                       "OpDecorate %table LinkageAttributes \"table\" Export\n"
                                       "OpDecorate %table Constant\n"
                                       "%void = OpTypeVoid\n"
                                       "%int = OpTypeInt 32 0\n"
                                       "%one = OpConstant %int 1\n"
                                       "%two = OpConstant %int 2\n"
                                       "%array = OpTypeArray %int %two\n"
                                       "%values = OpConstantComposite %array %one %two\n"
                                       "%pointer = OpTypePointer CrossWorkgroup %int\n"
                                       "%constant = OpTypePointer UniformConstant %int\n"
                                       "%tables = OpTypePointer UniformConstant %array\n"
                                       "%v = OpVariable %pointer CrossWorkgroup %two\n"
                                       "%u = OpVariable %pointer CrossWorkgroup %one\n"
                                       "%unused = OpVariable %pointer CrossWorkgroup %one\n"
                                       "%table = OpVariable %tables UniformConstant %values\n"
                                       "%kernel = OpTypeFunction %void %pointer\n"
                                       "%a = OpFunction %void None %kernel\n"
                                       "%a_out = OpFunctionParameter %pointer\n"
                                       "%la = OpLabel\n"
                                       "%x = OpLoad %int %v Aligned 4\n"
                                       "%first = OpInBoundsAccessChain %constant %table %one\n"
                                       "%y = OpLoad %int %first Aligned 4\n"
                                       "%sum = OpIAdd %int %x %y\n"
                                       "OpStore %a_out %sum Aligned 4\n"
                                       "OpReturn\n"
                                       "OpFunctionEnd\n"
                                       "%b = OpFunction %void None %kernel\n"
                                       "%b_out = OpFunctionParameter %pointer\n"
                                       "%lb = OpLabel\n"
                                       "OpStore %u %two Aligned 4\n"
                                       "OpReturn\n"
                                       "OpFunctionEnd\n";

/* Builds shared_variables for a request without sources, and views the binary. */
static void shared_request(const struct geo_compiler_request *wanted,
                           struct geo_compiler_output *output, struct geo_native_view *view)
{
    size_t bytes;
    const char *reason;
    void *spirv = support_assemble_bytes(shared_variables, &bytes);
    const struct geo_compiler_source source = {.spirv = spirv, .bytes = bytes};
    struct geo_compiler_request request = *wanted;
    request.source_count = 1;
    request.sources = &source;
    if (geo_compiler_open(GEO_COMPILER_INTERFACE)->build(&request, output) != ZE_RESULT_SUCCESS) {
        fail_msg("%s", output->log);
    }
    assert_int_equal(geo_native_parse(output->binary, output->binary_bytes, view, &reason),
                     ZE_RESULT_SUCCESS);
    free(spirv);
}

/* Builds one kernel of shared_variables, or as `kernels` says. */
static void shared_build(enum geo_compiler_kernels kernels, const char *kernel,
                         struct geo_compiler_output *output, struct geo_native_view *view)
{
    shared_request(&(struct geo_compiler_request){.kernels = kernels,
                                                  .kernel_count = kernel ? 1 : 0,
                                                  .kernel_names = &kernel,
                                                  .lanes = 8},
                   output, view);
}

static uint32_t symbols_of(const struct geo_native_view *view, enum geo_symbol_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->header->symbol_count; i++) {
        count += view->symbols[i].kind == (uint32_t)kind;
    }
    return count;
}

static void deferred_kernels_leave_names_variables_and_sources(void **state)
{
    (void)state;
    struct geo_compiler_output output;
    struct geo_native_view view;
    shared_build(GEO_COMPILER_KERNELS_NEEDED, NULL, &output, &view);
    assert_int_equal(view.header->kernel_count, 2);
    assert_string_equal(geo_native_string(&view, view.kernels[1].name), "b");
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(view.kernels[i].flags, GEO_KERNEL_DEFERRED);
    }
    assert_int_equal(symbols_of(&view, GEO_SYMBOL_EXPORT_VARIABLE), 1); /* the table */
    assert_int_equal(symbols_of(&view, GEO_SYMBOL_SHARED_VARIABLE), 2); /* v and u */
    assert_int_equal(view.header->source_count, 1);
    geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
    shared_build(GEO_COMPILER_KERNELS_AUTO, NULL, &output, &view); /* too few for it */
    assert_int_equal(view.kernels[0].flags & GEO_KERNEL_DEFERRED, 0);
    geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
}

/* The table is a constant, so its element is known. */
static void a_kernel_imports_the_variables_that_it_uses(void **state)
{
    (void)state;
    struct geo_compiler_output output;
    struct geo_native_view view;
    shared_build(GEO_COMPILER_KERNELS_ALL, "a", &output, &view);
    assert_int_equal(view.header->kernel_count, 1);
    assert_int_equal(view.kernels[0].flags & GEO_KERNEL_DEFERRED, 0);
    assert_int_equal(view.header->symbol_count, 1);
    assert_int_equal(view.symbols[0].kind, GEO_SYMBOL_IMPORT_VARIABLE);
    assert_int_equal(view.symbols[0].unit, 1);
    assert_int_equal(view.header->source_count, 0);
    geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
}

static uint32_t record_flags(const struct geo_native_view *view, uint32_t kernel)
{
    return geo_native_payload_entry(view, &view->payloads[0], kernel)->flags;
}

/* The rest of their code is built from the sources, and uses the same variables. */
static void restricted_kernels_leave_variables_and_sources(void **state)
{
    (void)state;
    struct geo_compiler_output output;
    struct geo_native_view view;
    for (int restricted = 0; restricted < 2; restricted++) {
        shared_request(&(struct geo_compiler_request){.lanes = 8, .restricted = restricted},
                       &output, &view);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(view.kernels[i].flags, restricted ? GEO_KERNEL_RESTRICTED : 0);
            assert_int_equal(record_flags(&view, i) & GEO_KERNEL_WHOLE_ROWS,
                             restricted ? GEO_KERNEL_WHOLE_ROWS : 0);
        }
        assert_int_equal(symbols_of(&view, GEO_SYMBOL_SHARED_VARIABLE), restricted ? 2 : 0);
        assert_int_equal(view.header->source_count, 1); /* the module exports a table */
        geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
    }
}

/* One lane has no partial chunks, and the ids of these kernels need no wide arithmetic. */
static void kernels_of_one_lane_are_complete(void **state)
{
    (void)state;
    struct geo_compiler_output output;
    struct geo_native_view view;
    shared_request(&(struct geo_compiler_request){.lanes = 1, .restricted = true}, &output, &view);
    assert_int_equal(view.kernels[0].flags & GEO_KERNEL_RESTRICTED, 0);
    geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
}

static void a_restricted_kernel_apart_leaves_no_sources(void **state)
{
    (void)state;
    struct geo_compiler_output output;
    struct geo_native_view view;
    const char *name = "b";
    shared_request(
        &(struct geo_compiler_request){
            .lanes = 8, .restricted = true, .kernel_count = 1, .kernel_names = &name},
        &output, &view);
    assert_int_equal(view.kernels[0].flags, GEO_KERNEL_RESTRICTED);
    assert_int_equal(view.header->source_count, 0);
    geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_call_is_built),
        cmocka_unit_test(calls_with_other_arguments_are_refused),
        cmocka_unit_test(code_is_for_the_cpu_that_was_named),
        cmocka_unit_test(deferred_kernels_leave_names_variables_and_sources),
        cmocka_unit_test(a_kernel_imports_the_variables_that_it_uses),
        cmocka_unit_test(restricted_kernels_leave_variables_and_sources),
        cmocka_unit_test(kernels_of_one_lane_are_complete),
        cmocka_unit_test(a_restricted_kernel_apart_leaves_no_sources),
    };
    return cmocka_run_group_tests_name("facade_build", tests, NULL, NULL);
}
