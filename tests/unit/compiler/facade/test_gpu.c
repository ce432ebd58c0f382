/* Unit test of builds for NVIDIA's GPUs: the native binary describes its kernels, and its only
 * payload is PTX. Skipped if this compiler's LLVM has no back end for it. */
#include "compiler/compiler.h"
#include "native/native.h"
#include "native/nvidia.h"

#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Kernel `work` has a barrier and local memory of its own; the names of kernel "odd.name" and of
 * the variable "odd.table" are none of PTX. */
static const char kernels[] = "OpEntryPoint Kernel %a \"work\" %lid\n"
                              "OpEntryPoint Kernel %b \"odd.name\"\n"
                              "OpName %out \"out\"\n"
                              "OpDecorate %table LinkageAttributes \"odd.table\" Export\n"
                              "OpDecorate %plain LinkageAttributes \"plain\" Export\n"
                              "OpDecorate %lid BuiltIn LocalInvocationId\n"
                              "OpDecorate %lid Constant\n"
                              "%void = OpTypeVoid\n"
                              "%int = OpTypeInt 32 0\n"
                              "%long = OpTypeInt 64 0\n"
                              "%vector = OpTypeVector %long 3\n"
                              "%input = OpTypePointer Input %vector\n"
                              "%one = OpConstant %int 1\n"
                              "%two = OpConstant %int 2\n"
                              "%scope = OpConstant %int 2\n"
                              "%order = OpConstant %int 272\n"
                              "%array = OpTypeArray %int %two\n"
                              "%arrays = OpTypePointer Workgroup %array\n"
                              "%local = OpTypePointer Workgroup %int\n"
                              "%global = OpTypePointer CrossWorkgroup %int\n"
                              "%lid = OpVariable %input Input\n"
                              "%own = OpVariable %arrays Workgroup\n"
                              "%table = OpVariable %global CrossWorkgroup %two\n"
                              "%plain = OpVariable %global CrossWorkgroup %two\n"
                              "%type_a = OpTypeFunction %void %global %local %int\n"
                              "%type_b = OpTypeFunction %void\n"
                              "%a = OpFunction %void None %type_a\n"
                              "%out = OpFunctionParameter %global\n"
                              "%given = OpFunctionParameter %local\n"
                              "%number = OpFunctionParameter %int\n"
                              "%la = OpLabel\n"
                              "%ids = OpLoad %vector %lid Aligned 32\n"
                              "%id = OpCompositeExtract %long %ids 0\n"
                              "%place = OpInBoundsPtrAccessChain %local %given %id\n"
                              "%mine = OpInBoundsAccessChain %local %own %one\n"
                              "OpStore %place %number Aligned 4\n"
                              "OpStore %mine %number Aligned 4\n"
                              "OpControlBarrier %scope %scope %order\n"
                              "%x = OpLoad %int %given Aligned 4\n"
                              "%y = OpLoad %int %mine Aligned 4\n"
                              "%sum = OpIAdd %int %x %y\n"
                              "OpStore %out %sum Aligned 4\n"
                              "OpReturn\n"
                              "OpFunctionEnd\n"
                              "%b = OpFunction %void None %type_b\n"
                              "%lb = OpLabel\n"
                              "OpStore %table %two Aligned 4\n"
                              "OpStore %plain %two Aligned 4\n"
                              "OpReturn\n"
                              "OpFunctionEnd\n";

/* Kernel `user` calls a function that another module has to define. */
static const char importing[] = "OpEntryPoint Kernel %kernel \"user\"\n"
                                "OpDecorate %outside LinkageAttributes \"outside\" Import\n"
                                "%void = OpTypeVoid\n"
                                "%type = OpTypeFunction %void\n"
                                "%outside = OpFunction %void None %type\n"
                                "OpFunctionEnd\n"
                                "%kernel = OpFunction %void None %type\n"
                                "%entry = OpLabel\n"
                                "%call = OpFunctionCall %void %outside\n"
                                "OpReturn\n"
                                "OpFunctionEnd\n";

/* A kernel without anything that other modules could use. */
static const char plain[] = "OpEntryPoint Kernel %kernel \"plain\"\n"
                            "%void = OpTypeVoid\n"
                            "%type = OpTypeFunction %void\n"
                            "%kernel = OpFunction %void None %type\n"
                            "%entry = OpLabel\n"
                            "OpReturn\n"
                            "OpFunctionEnd\n";

static const struct geo_compiler_ops *compiler;

static ze_result_t build(const char *text, const struct geo_compiler_request *wanted,
                         struct geo_compiler_output *output)
{
    size_t bytes;
    void *spirv = support_assemble_bytes(text, &bytes);
    const struct geo_compiler_source source = {.spirv = spirv, .bytes = bytes};
    struct geo_compiler_request request = *wanted;
    request.source_count = 1;
    request.sources = &source;
    ze_result_t result = compiler->build(&request, output);
    free(spirv);
    return result;
}

/* A binary and what it says. */
struct built {
    struct geo_compiler_output output;
    struct geo_native_view view;
};

static void built_make(struct built *built, const char *text, const char *target)
{
    /* All kernels are built, whatever is asked for. */
    const struct geo_compiler_request request = {
        .kernels = GEO_COMPILER_KERNELS_NEEDED, .restricted = true, .target_cpu = target};
    const char *reason = "";
    ze_result_t result = build(text, &request, &built->output);
    if (result != ZE_RESULT_SUCCESS && strstr(built->output.log, "without the target NVPTX")) {
        compiler->release(&built->output);
        skip();
    }
    assert_int_equal(result, ZE_RESULT_SUCCESS);
    assert_int_equal(
        geo_native_parse(built->output.binary, built->output.binary_bytes, &built->view, &reason),
        ZE_RESULT_SUCCESS);
    assert_string_equal(reason, "");
}

static void built_free(struct built *built)
{
    compiler->release(&built->output);
}

static const char *string_of(const struct built *built, uint32_t offset)
{
    return geo_native_string(&built->view, offset);
}

static const char *ptx_of(const struct built *built)
{
    size_t bytes;
    const void *code = geo_native_payload_code(&built->view, built->view.payloads, &bytes);
    assert_int_equal(strlen(code) + 1, bytes);
    return code;
}

/* Asserts that the PTX has a definition: `before`, a name, `after`. */
static void assert_defined(const struct built *built, const char *before, const char *name,
                           const char *after)
{
    char text[100];
    snprintf(text, sizeof(text), "%s%s%s", before, name, after);
    if (!strstr(ptx_of(built), text)) {
        fail_msg("the PTX does not have %s", text);
    }
}

static int group_setup(void **state)
{
    (void)state;
    compiler = geo_compiler_open(GEO_COMPILER_INTERFACE);
    return !compiler;
}

static void the_payload_is_ptx(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        uint32_t architecture;
    } rows[] = {{"sm_80", 80}, {"sm_90", 90}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct built built;
        built_make(&built, kernels, rows[i].target);
        assert_int_equal(built.view.header->payload_count, 1);
        const struct geo_native_payload *payload = built.view.payloads;
        assert_int_equal(payload->kind, GEO_PAYLOAD_PTX);
        assert_int_equal(payload->target, GEO_TARGET_NVIDIA);
        assert_int_equal(payload->architecture, rows[i].architecture);
        assert_int_equal(payload->contract, GEO_NVIDIA_CONTRACT);
        assert_int_equal(payload->features, 0);
        assert_int_equal(payload->kernel_bytes, sizeof(struct geo_native_entry));
        assert_defined(&built, ".target ", rows[i].target, "\n");
        built_free(&built);
    }
}

static void later_gpus_take_it(void **state)
{
    (void)state;
    struct geo_native_device device = {.kinds = 1u << GEO_PAYLOAD_PTX,
                                       .contract = GEO_NVIDIA_CONTRACT,
                                       .target = GEO_TARGET_NVIDIA,
                                       .architecture = 90};
    char reason[GEO_NATIVE_REASON_BYTES];
    struct built built;
    built_make(&built, kernels, "sm_90");
    assert_ptr_equal(geo_native_choose(&built.view, &device, reason), built.view.payloads);
    device.architecture = 120;
    assert_ptr_equal(geo_native_choose(&built.view, &device, reason), built.view.payloads);
    device.architecture = 80;
    assert_null(geo_native_choose(&built.view, &device, reason));
    assert_non_null(strstr(reason, "PTX of compute capability 9.0"));
    built_free(&built);
}

static void kernels_are_described(void **state)
{
    (void)state;
    static const struct {
        enum geo_argument_kind kind;
        uint32_t offset, size;
    } wanted[] = {
        {GEO_ARGUMENT_GLOBAL, 0, 8}, {GEO_ARGUMENT_LOCAL, 8, 8}, {GEO_ARGUMENT_VALUE, 16, 4}};
    struct built built;
    built_make(&built, kernels, "sm_80");
    assert_int_equal(built.view.header->kernel_count, 2);
    const struct geo_native_kernel *work = &built.view.kernels[0];
    assert_string_equal(string_of(&built, work->name), "work");
    assert_int_equal(work->flags, GEO_KERNEL_BARRIER);
    assert_int_equal(work->subgroup_size, GEO_NVIDIA_LANES);
    assert_int_equal(work->preferred_multiple, GEO_NVIDIA_LANES);
    assert_int_equal(work->argument_bytes, 32);
    assert_int_equal(work->argument_count, 3);
    assert_in_range(work->local_bytes, 8, 128);
    for (uint32_t i = 0; i < 3; i++) {
        const struct geo_native_argument *argument =
            &built.view.arguments[work->first_argument + i];
        assert_int_equal(argument->kind, wanted[i].kind);
        assert_int_equal(argument->offset, wanted[i].offset);
        assert_int_equal(argument->size, wanted[i].size);
    }
    assert_string_equal(string_of(&built, built.view.arguments[work->first_argument].name), "out");
    const struct geo_native_kernel *odd = &built.view.kernels[1];
    assert_string_equal(string_of(&built, odd->name), "odd.name");
    assert_int_equal(odd->flags, 0);
    assert_int_equal(odd->argument_count, 0);
    assert_int_equal(odd->argument_bytes, GEO_NVIDIA_ARGUMENTS_ALIGN);
    built_free(&built);
}

/* The names in the code are those that PTX takes. */
static void entries_and_variables_are_found(void **state)
{
    (void)state;
    struct built built;
    const char *symbols[2];
    built_make(&built, kernels, "sm_80");
    for (uint32_t i = 0; i < 2; i++) {
        symbols[i] = string_of(
            &built, geo_native_payload_entry(&built.view, built.view.payloads, i)->symbol);
        assert_defined(&built, ".entry ", symbols[i], "(");
    }
    assert_string_equal(symbols[0], "work");
    assert_null(strchr(symbols[1], '.'));
    assert_int_equal(built.view.header->global_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct geo_native_global *global = &built.view.globals[i];
        const char *name = string_of(&built, global->name);
        const char *symbol = string_of(&built, global->symbol);
        bool odd = strcmp(name, "odd.table") == 0;
        assert_true(odd || strcmp(name, "plain") == 0);
        assert_true(odd ? !strchr(symbol, '.') : strcmp(symbol, "plain") == 0);
        assert_int_equal(global->size, 4);
        assert_defined(&built, ".u32 ", symbol, " = 2;");
    }
    built_free(&built);
}

static void modules_with_imports_have_no_code(void **state)
{
    (void)state;
    struct built built;
    struct geo_compiler_output text;
    built_make(&built, importing, "sm_80");
    assert_int_equal(built.view.header->payload_count, 0);
    assert_int_equal(built.view.header->source_count, 1);
    assert_int_equal(built.view.header->kernel_count, 1);
    assert_string_equal(string_of(&built, built.view.kernels[0].name), "user");
    assert_int_equal(built.view.header->symbol_count, 1);
    assert_int_equal(built.view.symbols[0].kind, GEO_SYMBOL_IMPORT_FUNCTION);
    assert_string_equal(string_of(&built, built.view.symbols[0].name), "outside");
    assert_int_equal(compiler->disassemble(built.output.binary, built.output.binary_bytes, &text),
                     ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_non_null(strstr(text.log, "the native binary has no code"));
    compiler->release(&text);
    built_free(&built);
}

/* The binary needs no sources, from which kernels or their code would be built later. */
static void all_kernels_are_built_at_once(void **state)
{
    (void)state;
    struct built built;
    built_make(&built, plain, "sm_80");
    assert_int_equal(built.view.header->payload_count, 1);
    assert_int_equal(built.view.header->source_count, 0);
    assert_int_equal(built.view.kernels[0].flags, 0);
    built_free(&built);
}

static void other_gpus_are_refused(void **state)
{
    (void)state;
    const struct geo_compiler_request request = {.target_cpu = "sm_20"};
    struct geo_compiler_output output;
    assert_int_equal(build(kernels, &request, &output), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_null(output.binary);
    if (!strstr(output.log, "without the target NVPTX")) {
        assert_non_null(strstr(output.log, "'sm_20' is not one of sm_80 sm_90"));
    }
    compiler->release(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_payload_is_ptx),
        cmocka_unit_test(later_gpus_take_it),
        cmocka_unit_test(kernels_are_described),
        cmocka_unit_test(entries_and_variables_are_found),
        cmocka_unit_test(modules_with_imports_have_no_code),
        cmocka_unit_test(all_kernels_are_built_at_once),
        cmocka_unit_test(other_gpus_are_refused),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
