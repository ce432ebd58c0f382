/* Modules from SPIR-V: building, failing, running, native round trips, specialisation constants,
 * programs of several modules. */
#include "harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct built {
    ze_result_t result;
    ze_module_handle_t module;
    char log[8192];
};

static struct built build(struct api *api, const void *bytes, size_t size, const char *options,
                          const ze_module_constants_t *constants)
{
    struct built built = {.module = NULL};
    ze_module_build_log_handle_t log = NULL;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = size,
                             .pInputModule = bytes,
                             .pBuildFlags = options,
                             .pConstants = constants};
    built.result = zeModuleCreate(api->context, api->device, &desc, &built.module, &log);
    if (log) {
        size_t length = sizeof(built.log);
        assert_success(zeModuleBuildLogGetString(log, &length, built.log));
        assert_success(zeModuleBuildLogDestroy(log));
    }
    return built;
}

static struct built build_file(struct api *api, const char *name, const char *options,
                               const ze_module_constants_t *constants)
{
    char path[256];
    size_t size;
    snprintf(path, sizeof(path), "tests/%s.spv", name);
    void *bytes = api_read_file(path, &size);
    struct built built = build(api, bytes, size, options, constants);
    free(bytes);
    return built;
}

static void launch(struct api *api, ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z)
{
    struct api_list list = api_list_create(api);
    ze_group_count_t groups = {x, y, z};
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
}

static void argument_pointer(ze_kernel_handle_t kernel, uint32_t index, void *pointer)
{
    assert_success(zeKernelSetArgumentValue(kernel, index, sizeof(pointer), &pointer));
}

/* MOD-1, MOD-3, MOD-7, MOD-12 */
static void spirv_builds_and_lists_its_kernels(void **state)
{
    struct api *api = *state;
    struct built built = build_file(api, "api_basic", "-ze-opt-level=2 -g", NULL);
    assert_int_equal(built.result, ZE_RESULT_SUCCESS);
    uint32_t count = 0;
    assert_success(zeModuleGetKernelNames(built.module, &count, NULL));
    assert_int_equal(count, 7);
    const char *names[7];
    bool found = false;
    assert_success(zeModuleGetKernelNames(built.module, &count, names));
    for (uint32_t i = 0; i < count; i++) {
        found = found || strcmp(names[i], "sum_group") == 0;
    }
    assert_true(found);
    ze_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    assert_success(zeModuleGetProperties(built.module, &properties));
    assert_int_equal(properties.flags, 0); /* built-ins never make a module ask for linking */
    assert_success(zeModuleDynamicLink(1, &built.module, NULL));
    assert_success(zeModuleDestroy(built.module));
}

/* MOD-5, VAL-13 */
static void what_does_not_build_says_why(void **state)
{
    struct api *api = *state;
    size_t size;
    uint8_t *bytes = api_read_file("tests/api_basic.spv", &size);
    struct built built = build(api, "definitely not SPIR-V", 21, NULL, NULL);
    assert_int_equal(built.result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_true(strlen(built.log) > 0);
    assert_null(built.module);
    for (size_t cut = 4; cut < size; cut += 4 * 101) { /* truncated at any word */
        built = build(api, bytes, cut, NULL, NULL);
        assert_int_equal(built.result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert_true(strlen(built.log) > 0);
    }
    free(bytes);
}

/* SPV-1, SPV-2 */
static void the_version_reported_is_the_highest_accepted(void **state)
{
    struct api *api = *state;
    ze_device_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_success(zeDeviceGetModuleProperties(api->device, &p));
    uint32_t highest = ZE_MINOR_VERSION(p.spirvVersionSupported);
    size_t size;
    uint32_t *words = api_read_file("tests/api_constants.spv", &size);
    for (uint32_t minor = 0; minor <= highest + 1; minor++) {
        words[1] = 0x00010000u | minor << 8;
        struct built built = build(api, words, size, NULL, NULL);
        if (minor <= highest) {
            assert_int_equal(built.result, ZE_RESULT_SUCCESS);
            assert_success(zeModuleDestroy(built.module));
        } else {
            assert_int_equal(built.result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
            assert_non_null(strstr(built.log, "version"));
        }
    }
    free(words);
}

/* Does a module build that declares these, too? */
static void expect_declared(struct api *api, const uint32_t *capabilities, size_t count)
{
    size_t size;
    uint32_t *words = api_read_file("tests/api_constants.spv", &size);
    uint32_t *more = malloc(size + count * 8);
    assert_non_null(more);
    memcpy(more, words, 20);
    for (size_t i = 0; i < count; i++) {
        more[5 + 2 * i] = 2u << 16 | 17; /* OpCapability */
        more[6 + 2 * i] = capabilities[i];
    }
    memcpy(more + 5 + 2 * count, words + 5, size - 20);
    struct built built = build(api, more, size + count * 8, NULL, NULL);
    if (built.result != ZE_RESULT_SUCCESS) {
        fail_msg("%s", built.log);
    }
    assert_success(zeModuleDestroy(built.module));
    free(more);
    free(words);
}

/* SPV-11, SPV-12: ImageBasic and what it brings, Float16, Float64, Int64Atomics */
static void capabilities_are_those_that_the_device_reports(void **state)
{
    static const uint32_t images[] = {13, 14, 20, 43, 44, 46, 47};
    struct api *api = *state;
    ze_device_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    ze_device_image_properties_t image = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    assert_success(zeDeviceGetModuleProperties(api->device, &p));
    assert_success(zeDeviceGetImageProperties(api->device, &image));
    if (image.maxImageDims2D > 0) {
        expect_declared(api, images, sizeof(images) / sizeof(images[0]));
    }
    if (p.flags & ZE_DEVICE_MODULE_FLAG_FP16) {
        expect_declared(api, (uint32_t[]){9}, 1);
    }
    if (p.flags & ZE_DEVICE_MODULE_FLAG_FP64) {
        expect_declared(api, (uint32_t[]){10}, 1);
    }
    if (p.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS) {
        expect_declared(api, (uint32_t[]){12}, 1);
    }
}

/* MOD-3 */
static void unknown_options_are_a_warning(void **state)
{
    struct api *api = *state;
    struct built built = build_file(api, "api_basic", "-ze-unheard-of -g -ze-unheard-of", NULL);
    assert_int_equal(built.result, ZE_RESULT_SUCCESS);
    const char *named = strstr(built.log, "-ze-unheard-of");
    assert_non_null(named);
    assert_null(strstr(named + 1, "-ze-unheard-of")); /* once */
    assert_success(zeModuleDestroy(built.module));
    built = build_file(api, "api_basic", "-ze-opt-disable", NULL);
    assert_int_equal(built.result, ZE_RESULT_SUCCESS);
    assert_success(zeModuleDestroy(built.module));
}

/* KRN-2 */
static void compiled_kernels_have_properties(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "api_basic");
    ze_kernel_handle_t scale = api_kernel(module, "scale"), sum = api_kernel(module, "sum_group");
    ze_kernel_handle_t fixed = api_kernel(module, "fixed");
    ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_success(zeKernelGetProperties(scale, &p));
    assert_int_equal(p.numKernelArgs, 4);
    assert_int_equal(p.localMemSize, 0);
    assert_true(p.maxSubgroupSize >= 1 && p.maxNumSubgroups >= 1);
    assert_success(zeKernelGetProperties(sum, &p));
    assert_int_equal(p.numKernelArgs, 3);
    assert_true(p.localMemSize >= sizeof(int));
    assert_success(zeKernelGetProperties(fixed, &p));
    assert_int_equal(p.requiredGroupSizeX, 4);
    assert_int_equal(p.requiredGroupSizeY, 2);
    assert_int_equal(p.requiredGroupSizeZ, 1);
    assert_success(zeKernelDestroy(scale));
    assert_success(zeKernelDestroy(sum));
    assert_success(zeKernelDestroy(fixed));
    assert_success(zeModuleDestroy(module));
}

static void scale_runs(struct api *api, ze_module_handle_t module)
{
    enum { COUNT = 1000 };
    ze_kernel_handle_t kernel = api_kernel(module, "scale");
    float *in = api_alloc_shared(api, COUNT * sizeof(float));
    float *out = api_alloc_shared(api, COUNT * sizeof(float)), factor = 2.5f;
    uint64_t count = COUNT - 1; /* longer than the parameter: the low bytes count */
    for (int i = 0; i < COUNT; i++) {
        in[i] = (float)i;
        out[i] = -1;
    }
    argument_pointer(kernel, 0, out);
    argument_pointer(kernel, 1, in);
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(factor), &factor));
    assert_success(zeKernelSetArgumentValue(kernel, 3, sizeof(count), &count));
    assert_success(zeKernelSetGroupSize(kernel, 64, 1, 1));
    launch(api, kernel, 16, 1, 1);
    for (int i = 0; i < COUNT - 1; i++) {
        assert_true(out[i] == (float)i * 2.5f);
    }
    assert_true(out[COUNT - 1] == -1);
    api_free(api, in);
    api_free(api, out);
    assert_success(zeKernelDestroy(kernel));
}

/* KRN-5, KRN-6, SPV-9 */
static void buffers_and_scalars_reach_the_kernel(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "api_basic");
    scale_runs(api, module);
    assert_success(zeModuleDestroy(module));
}

/* MOD-10, MOD-2 */
static void compiled_code_makes_the_round_trip(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "api_basic"), native = NULL;
    size_t size = 0;
    assert_success(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_success(zeModuleGetNativeBinary(module, &size, bytes));
    assert_success(zeModuleDestroy(module));
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = size,
                             .pInputModule = bytes};
    assert_success(zeModuleCreate(api->context, api->device, &desc, &native, NULL));
    free(bytes);
    scale_runs(api, native);
    assert_success(zeModuleDestroy(native));
}

/* KRN-5, SPV-9, SPV-6 */
static void structs_and_vectors_are_passed_by_value(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "api_basic");
    ze_kernel_handle_t kernel = api_kernel(module, "by_value");
    int64_t *out = api_alloc_shared(api, 4 * sizeof(int64_t));
    struct {
        int32_t first;
        int64_t second;
    } pair = {-5, INT64_MIN + 3};
    int32_t vector[4] = {1, 20, 300, 4000};
    int8_t small = -7;
    argument_pointer(kernel, 0, out);
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(pair), &pair));
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(vector), vector));
    assert_success(zeKernelSetArgumentValue(kernel, 3, sizeof(small), &small));
    assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
    launch(api, kernel, 1, 1, 1);
    assert_int_equal(out[0], -5);
    assert_int_equal(out[1], INT64_MIN + 3);
    assert_int_equal(out[2], 4321);
    assert_int_equal(out[3], -7);
    assert_result(zeKernelSetArgumentValue(kernel, 1, 8, &pair),
                  ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    api_free(api, out);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

/* KRN-5, VAL-15 */
static void numbers_shorter_than_their_parameter_are_extended_with_zeros(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "api_basic");
    ze_kernel_handle_t kernel = api_kernel(module, "widths");
    uint64_t *out = api_alloc_shared(api, 2 * sizeof(uint64_t)), full = UINT64_MAX;
    uint32_t word = 0xdeadbeef;
    uint8_t byte = 0xf7;
    argument_pointer(kernel, 0, out);
    assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(full), &full));
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(full), &full));
    launch(api, kernel, 1, 1, 1);
    assert_int_equal(out[0], UINT64_MAX);
    assert_int_equal(out[1], UINT32_MAX);
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(word), &word));
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(byte), &byte));
    launch(api, kernel, 1, 1, 1);
    assert_int_equal(out[0], 0xdeadbeef); /* nothing is left of the value before */
    assert_int_equal(out[1], 0xf7);
    assert_result(zeKernelSetArgumentValue(kernel, 1, 0, &word),
                  ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    assert_result(zeKernelSetArgumentValue(kernel, 0, 4, &word), /* half an address is none */
                  ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    api_free(api, out);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

/* KRN-5, KRN-3, SPV-9 */
static void local_arguments_have_their_own_memory(void **state)
{
    struct api *api = *state;
    enum { GROUPS = 8, SIZE = 64 };
    ze_module_handle_t module = api_spirv_module(api, "api_basic");
    ze_kernel_handle_t kernel = api_kernel(module, "sum_group");
    int *in = api_alloc_shared(api, GROUPS * SIZE * sizeof(int));
    int *out = api_alloc_shared(api, GROUPS * sizeof(int));
    for (int i = 0; i < GROUPS * SIZE; i++) {
        in[i] = i;
    }
    argument_pointer(kernel, 0, out);
    argument_pointer(kernel, 1, in);
    assert_success(zeKernelSetArgumentValue(kernel, 2, SIZE * sizeof(int), NULL));
    assert_success(zeKernelSetGroupSize(kernel, SIZE, 1, 1));
    launch(api, kernel, GROUPS, 1, 1);
    for (int g = 0; g < GROUPS; g++) {
        assert_int_equal(out[g], SIZE * SIZE * g + SIZE * (SIZE - 1) / 2);
    }
    api_free(api, in);
    api_free(api, out);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

/* KRN-3, KRN-4 */
static void sizes_and_offsets_reach_the_kernel(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "api_basic");
    ze_kernel_handle_t ids = api_kernel(module, "ids"), fixed = api_kernel(module, "fixed");
    uint32_t *out = api_alloc_shared(api, 4096);
    memset(out, 0xff, 4096);
    argument_pointer(ids, 0, out);
    assert_success(zeKernelSetGroupSize(ids, 8, 2, 1));
    assert_success(zeKernelSetGlobalOffsetExp(ids, 1000, 0, 0));
    launch(api, ids, 3, 2, 1);
    for (uint32_t i = 0; i < 24 * 4; i++) {
        assert_int_equal(out[i], 1000 + i % 24);
    }
    assert_int_equal(out[96], UINT32_MAX);
    argument_pointer(fixed, 0, out); /* never set: the required size is taken */
    launch(api, fixed, 2, 1, 1);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(out[i], i % 8 / 4 * 0 + (i / 8) * 4 + i % 4);
    }
    api_free(api, out);
    assert_success(zeKernelDestroy(ids));
    assert_success(zeKernelDestroy(fixed));
    assert_success(zeModuleDestroy(module));
}

static void constants_run(struct api *api, const ze_module_constants_t *constants, uint64_t narrow,
                          uint64_t wide)
{
    struct built built = build_file(api, "api_constants", NULL, constants);
    assert_int_equal(built.result, ZE_RESULT_SUCCESS);
    ze_kernel_handle_t kernel = api_kernel(built.module, "store");
    uint64_t *out = api_alloc_shared(api, 16);
    argument_pointer(kernel, 0, out);
    assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
    launch(api, kernel, 1, 1, 1);
    assert_int_equal(out[0], narrow);
    assert_int_equal(out[1], wide);
    api_free(api, out);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(built.module));
}

/* MOD-4, SPV-6 */
static void specialisation_constants_override_by_id(void **state)
{
    struct api *api = *state;
    uint32_t narrow = 70, ids[] = {2, 1, 99};
    uint64_t wide = UINT64_C(0x123456789abcdef0);
    const void *values[] = {&wide, &narrow, &wide};
    ze_module_constants_t constants = {2, ids, values};
    constants_run(api, NULL, 7, 9);
    constants_run(api, &constants, narrow, wide);
    constants.numConstants = 1;
    constants_run(api, &constants, 7, wide);
}

/* By both of its names; what the host writes there is what the next launch reads. */
static void the_host_writes_constants_that_are_its(void **state)
{
    struct api *api = *state;
    struct built built = build_file(api, "api_host_access", NULL, NULL);
    assert_success(built.result);
    ze_kernel_handle_t kernel = api_kernel(built.module, "store");
    uint32_t *out = api_alloc_shared(api, 2 * sizeof(*out)), *table = NULL;
    void *linked = NULL;
    size_t size = 0;
    argument_pointer(kernel, 0, out);
    launch(api, kernel, 1, 1, 1);
    assert_int_equal(out[0], 7);
    assert_int_equal(out[1], 8);
    assert_success(zeModuleGetGlobalPointer(built.module, "host_table", &size, (void **)&table));
    assert_int_equal(size, 2 * sizeof(*table));
    assert_success(zeModuleGetGlobalPointer(built.module, "table", NULL, &linked));
    assert_ptr_equal(linked, table);
    table[1] = 80;
    launch(api, kernel, 1, 1, 1);
    assert_int_equal(out[0], 7);
    assert_int_equal(out[1], 80);
    api_free(api, out);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(built.module));
}

/* An archive of an offline compiler: machine code that is not for this device, and the SPIR-V. */
static void the_generic_entry_of_an_archive_is_built(void **state)
{
    struct api *api = *state;
    size_t size;
    uint8_t *spirv = api_read_file("tests/api_basic.spv", &size);
    char *archive = malloc(size + 256);
    assert_non_null(archive);
    int at = sprintf(archive, "!<arch>\n%-16s%-32s%-10d`\nELF?%-16s%-32s%-10zu`\n", "64.12.55.8/",
                     "0           0     0     644", 4, "generic_ir/", "0           0     0     644",
                     size);
    memcpy(archive + at, spirv, size);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = (size_t)at + size,
                             .pInputModule = (const uint8_t *)archive};
    ze_module_handle_t module = NULL, none = NULL;
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, NULL));
    scale_runs(api, module);
    assert_success(zeModuleDestroy(module));
    desc.inputSize = (size_t)at; /* cut: machine code alone */
    assert_result(zeModuleCreate(api->context, api->device, &desc, &none, NULL),
                  ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_null(none);
    free(archive);
    free(spirv);
}

/* MOD-8 */
static void several_modules_are_built_as_one_program(void **state)
{
    struct api *api = *state;
    size_t sizes[2];
    const uint8_t *inputs[2] = {api_read_file("tests/api_basic.spv", &sizes[0]),
                                api_read_file("tests/api_constants.spv", &sizes[1])};
    const char *flags[2] = {"-g", NULL};
    ze_module_program_exp_desc_t program = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
                                            .count = 2,
                                            .inputSizes = sizes,
                                            .pInputModules = inputs,
                                            .pBuildFlags = flags};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .pNext = &program,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV};
    ze_module_handle_t module = NULL;
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, NULL));
    ze_kernel_handle_t first = api_kernel(module, "scale"), second = api_kernel(module, "store");
    assert_success(zeKernelDestroy(first));
    assert_success(zeKernelDestroy(second));
    assert_success(zeModuleDestroy(module));
    module = NULL;
    program.count = 0;
    assert_result(zeModuleCreate(api->context, api->device, &desc, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    program.count = 2;
    program.inputSizes = NULL;
    assert_result(zeModuleCreate(api->context, api->device, &desc, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_null(module);
    free((void *)(uintptr_t)inputs[0]);
    free((void *)(uintptr_t)inputs[1]);
}

/* MOD-6, MOD-8 */
static void modules_of_a_program_call_each_other(void **state)
{
    struct api *api = *state;
    size_t sizes[2];
    const uint8_t *inputs[2] = {api_read_file("tests/api_import.spv", &sizes[0]),
                                api_read_file("tests/api_export.spv", &sizes[1])};
    ze_module_program_exp_desc_t program = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
                                            .count = 2,
                                            .inputSizes = sizes,
                                            .pInputModules = inputs};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .pNext = &program,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV};
    ze_module_handle_t module = NULL;
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, NULL));
    ze_kernel_handle_t kernel = api_kernel(module, "call_other");
    uint32_t *out = api_alloc_shared(api, 64 * 4);
    argument_pointer(kernel, 0, out);
    assert_success(zeKernelSetGroupSize(kernel, 16, 1, 1));
    launch(api, kernel, 4, 1, 1);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(out[i], i * 3 + 1);
    }
    api_free(api, out);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    free((void *)(uintptr_t)inputs[0]);
    free((void *)(uintptr_t)inputs[1]);
}

struct builder {
    struct api *api;
    ze_result_t results[3];
};

/* MOD-3: with the option, 32-bit indexes may wrap inside an object. Two of its pages have memory. */
static void large_buffers_are_indexed_where_32_bits_wrap(void **state)
{
    struct api *api = *state;
    enum { ITEMS = 32, BEFORE = 5 };
    const size_t object = (size_t)1 << 32;
    struct built built =
        build_file(api, "api_large", "-ze-opt-greater-than-4GB-buffer-required", NULL);
    assert_int_equal(built.result, ZE_RESULT_SUCCESS);
    ze_kernel_handle_t kernel = api_kernel(built.module, "read_around");
    size_t page = 0;
    assert_success(zeVirtualMemQueryPageSize(api->context, api->device, object, &page));
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE,
                                   .size = 2 * page};
    ze_physical_mem_handle_t memory = NULL;
    void *range = NULL;
    assert_success(zePhysicalMemCreate(api->context, api->device, &desc, &memory));
    assert_success(zeVirtualMemReserve(api->context, NULL, object, &range));
    uint8_t *start = range, *end = start + object - page;
    const ze_memory_access_attribute_t access = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;
    assert_success(zeVirtualMemMap(api->context, start, page, memory, 0, access));
    assert_success(zeVirtualMemMap(api->context, end, page, memory, page, access));
    for (uint32_t i = 0; i < ITEMS; i++) {
        start[(uint32_t)(i - BEFORE)] = (uint8_t)(3 * i + 1);
    }
    uint8_t *out = api_alloc_shared(api, ITEMS);
    uint32_t first = (uint32_t)-BEFORE;
    argument_pointer(kernel, 0, range);
    argument_pointer(kernel, 1, out);
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(first), &first));
    assert_success(zeKernelSetGroupSize(kernel, ITEMS, 1, 1));
    launch(api, kernel, 1, 1, 1);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], 3 * i + 1);
    }
    api_free(api, out);
    assert_success(zeVirtualMemUnmap(api->context, start, page));
    assert_success(zeVirtualMemUnmap(api->context, end, page));
    assert_success(zeVirtualMemFree(api->context, range, object));
    assert_success(zePhysicalMemDestroy(api->context, memory));
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(built.module));
}

static void *builder_run(void *argument)
{
    struct builder *builder = argument;
    for (int i = 0; i < 3; i++) {
        struct built built = build_file(builder->api, "api_constants", NULL, NULL);
        builder->results[i] = built.result;
        if (built.module) {
            zeModuleDestroy(built.module);
        }
    }
    return NULL;
}

/* GEN-13, GEN-17 */
static void threads_build_at_once(void **state)
{
    struct api *api = *state;
    pthread_t threads[3];
    struct builder builders[3];
    for (int i = 0; i < 3; i++) {
        builders[i].api = api;
        assert_int_equal(pthread_create(&threads[i], NULL, builder_run, &builders[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(builders[i].results[k], ZE_RESULT_SUCCESS);
        }
    }
}

/* MOD-5: in a child, where the option can be set before the first build. */
static void a_missing_compiler_is_named_in_the_log(void **state)
{
    struct api *api = *state;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "no-compiler", api->name, (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static int no_compiler(void)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    struct api api;
    uint32_t count = 1;
    memset(&api, 0, sizeof(api));
    setenv("GEOID_COMPILER", "/nonexistent/compiler.so", 1);
    if (zeInitDrivers(&count, &api.driver, &types) ||
        zeDeviceGet(api.driver, &count, &api.device) ||
        zeContextCreate(api.driver, &desc, &api.context)) {
        return 1;
    }
    struct built built = build(&api, "\x03\x02\x23\x07", 4, NULL, NULL);
    if (zeContextDestroy(api.context)) {
        return 1;
    }
    return built.result == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE &&
                   strstr(built.log, "/nonexistent/compiler.so")
               ? 0
               : 2;
}

/* The lists of what is used that compilers leave behind, and a function of such a name */
static void names_that_llvm_keeps_for_itself_build(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "llvm_names");
    ze_kernel_handle_t kernel = api_kernel(module, "count");
    uint32_t *out = api_alloc_shared(api, sizeof(*out));
    void *address;
    size_t size;
    *out = 0;
    assert_success(zeModuleGetGlobalPointer(module, "counter", &size, &address));
    assert_int_equal(size, sizeof(uint32_t));
    assert_result(zeModuleGetGlobalPointer(module, "llvm.used", &size, &address),
                  ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
    struct api_list list = api_list_create(api);
    ze_group_count_t groups = {1, 1, 1};
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_int_equal(*out, 6);
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, out);
}

/* Names come from anybody; a log or an error text must not steer who reads it. */
static void names_are_escaped_where_they_are_told_of(void **state)
{
    struct api *api = *state;
    static const char name[] = "a\033[2J\nerror: not ours\xff";
    static const char shown[] = "a\\x1b[2J\\nerror: not ours\\xff";
    uint32_t words[64] = {0x07230203,
                          0x00010000,
                          0,
                          2,
                          0, /* header */
                          2u << 16 | 17,
                          4,
                          2u << 16 | 17,
                          6}; /* Addresses, Kernel */
    uint32_t length = 2 + (uint32_t)sizeof(name) / 4 + 1;
    words[9] = length << 16 | 11; /* OpExtInstImport */
    words[10] = 1;
    memcpy(&words[11], name, sizeof(name));
    struct built built = build(api, words, (9 + length) * sizeof(words[0]), NULL, NULL);
    assert_result(built.result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    if (!strstr(built.log, shown) || strpbrk(built.log, "\033\xff") ||
        strstr(built.log, "\nerror: not")) {
        fail_msg("%s", built.log);
    }
    built = build_file(api, "api_basic", NULL, NULL);
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel;
    const char *text = NULL;
    assert_result(zeKernelCreate(built.module, &desc, &kernel),
                  ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
    assert_non_null(strstr(text, shown));
    assert_success(zeModuleDestroy(built.module));
}

static const struct api_case cases[] = {
    API_RUN_CASE(names_that_llvm_keeps_for_itself_build),
    API_CASE(spirv_builds_and_lists_its_kernels),
    API_CASE(what_does_not_build_says_why),
    API_CASE(names_are_escaped_where_they_are_told_of),
    API_CASE(the_version_reported_is_the_highest_accepted),
    API_CASE(capabilities_are_those_that_the_device_reports),
    API_CASE(unknown_options_are_a_warning),
    API_CASE(compiled_kernels_have_properties),
    API_RUN_CASE(buffers_and_scalars_reach_the_kernel),
    API_RUN_CASE(compiled_code_makes_the_round_trip),
    API_RUN_CASE(structs_and_vectors_are_passed_by_value),
    API_RUN_CASE(numbers_shorter_than_their_parameter_are_extended_with_zeros),
    API_RUN_CASE(local_arguments_have_their_own_memory),
    API_RUN_CASE(sizes_and_offsets_reach_the_kernel),
    API_RUN_CASE(specialisation_constants_override_by_id),
    API_RUN_CASE(large_buffers_are_indexed_where_32_bits_wrap),
    API_RUN_CASE(the_host_writes_constants_that_are_its),
    API_RUN_CASE(the_generic_entry_of_an_archive_is_built),
    API_CASE(several_modules_are_built_as_one_program),
    API_RUN_CASE(modules_of_a_program_call_each_other),
    API_CASE(threads_build_at_once),
    API_CASE(a_missing_compiler_is_named_in_the_log),
};

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? no_compiler() : api_main("spirv", cases, sizeof(cases) / sizeof(cases[0]));
}
