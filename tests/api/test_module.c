/* Modules, build logs and kernels, without running them: what needs no compiler uses the native
 * binary of tests/fixtures. */
#include "harness.h"

#include <pthread.h>
#include <stdlib.h>

#define FIXTURE "tests/fixtures/native_module.o"

static ze_result_t create(struct api *api, ze_module_format_t format, const void *bytes,
                          size_t size, ze_module_handle_t *module,
                          ze_module_build_log_handle_t *log)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = format,
                             .inputSize = size,
                             .pInputModule = bytes};
    return zeModuleCreate(api->context, api->device, &desc, module, log);
}

static char *log_text(ze_module_build_log_handle_t log)
{
    size_t size = 0;
    assert_success(zeModuleBuildLogGetString(log, &size, NULL));
    assert_true(size >= 1);
    char *text = malloc(size);
    assert_non_null(text);
    assert_success(zeModuleBuildLogGetString(log, &size, text));
    assert_int_equal(text[size - 1], 0);
    assert_int_equal(strlen(text) + 1, size);
    return text;
}

/* MOD-1, MOD-5, GEN-22 */
static void a_native_module_loads_with_an_empty_log(void **state)
{
    struct api *api = *state;
    size_t size;
    void *bytes = api_read_file(FIXTURE, &size);
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    assert_success(create(api, ZE_MODULE_FORMAT_NATIVE, bytes, size, &module, &log));
    free(bytes);
    assert_non_null(module);
    assert_non_null(log);
    assert_success(zeModuleDestroy(module));
    char *text = log_text(log); /* outlives its module */
    assert_string_equal(text, "");
    free(text);
    assert_success(zeModuleBuildLogDestroy(log));
}

/* MOD-2, MOD-10, GEN-22, EXM-6 */
static void the_native_binary_makes_the_same_module(void **state)
{
    struct api *api = *state;
    ze_module_handle_t first = api_native_module(api), second = NULL;
    size_t size = 0, original;
    assert_success(zeModuleGetNativeBinary(first, &size, NULL));
    void *source = api_read_file(FIXTURE, &original);
    assert_int_equal(size, original);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_success(zeModuleGetNativeBinary(first, &size, bytes));
    assert_memory_equal(bytes, source, size);
    size_t little = 10;
    assert_result(zeModuleGetNativeBinary(first, &little, bytes), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(little, size);
    size_t unsaid = 0; /* a caller that asked for the size before and does not repeat it */
    memset(bytes, 0, size);
    assert_success(zeModuleGetNativeBinary(first, &unsaid, bytes));
    assert_int_equal(unsaid, size);
    assert_memory_equal(bytes, source, size);
    assert_result(zeModuleGetNativeBinary(first, NULL, bytes),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_success(zeModuleDestroy(first));
    assert_success(create(api, ZE_MODULE_FORMAT_NATIVE, bytes, size, &second, NULL));
    ze_kernel_handle_t kernel = api_kernel(second, "scale");
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(second));
    free(bytes);
    free(source);
}

/* VAL-13, MOD-5 */
static void what_is_no_binary_is_refused_with_a_reason(void **state)
{
    struct api *api = *state;
    size_t size;
    uint8_t *bytes = api_read_file(FIXTURE, &size);
    ze_module_handle_t module = (ze_module_handle_t)state;
    ze_module_build_log_handle_t log = NULL;
    assert_result(create(api, ZE_MODULE_FORMAT_NATIVE, "not an object", 13, &module, &log),
                  ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    assert_ptr_equal(module, state);
    char *text = log_text(log);
    assert_non_null(strstr(text, "native binary refused"));
    free(text);
    assert_success(zeModuleBuildLogDestroy(log));
    for (size_t cut = 0; cut < size; cut += 97) { /* truncated anywhere */
        ze_module_handle_t part = NULL;
        assert_result(create(api, ZE_MODULE_FORMAT_NATIVE, bytes, cut ? cut : 1, &part, NULL),
                      ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    }
    free(bytes);
}

static void code_that_this_processor_cannot_run_is_refused_with_a_remedy(void **state)
{
    struct api *api = *state;
    size_t size;
    void *bytes = api_read_file("tests/fixtures/native_features.o", &size);
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    ze_result_t expected =
        api->executes ? ZE_RESULT_ERROR_INVALID_NATIVE_BINARY : ZE_RESULT_SUCCESS;
    assert_result(create(api, ZE_MODULE_FORMAT_NATIVE, bytes, size, &module, &log), expected);
    free(bytes);
    char *text = log_text(log);
    assert_int_equal(strstr(text, "needs an unknown feature, which this device lacks") != NULL,
                     api->executes);
    assert_int_equal(strstr(text, "GEOID_CPU") != NULL, api->executes);
    free(text);
    assert_success(zeModuleBuildLogDestroy(log));
    if (module) {
        assert_success(zeModuleDestroy(module));
    }
}

/* VAL-13, MOD-5 */
static void a_binary_for_other_devices_says_for_which(void **state)
{
    struct api *api = *state;
    size_t size;
    void *bytes = api_read_file("tests/fixtures/native_foreign.o", &size);
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    ze_result_t expected =
        api->executes ? ZE_RESULT_ERROR_INVALID_NATIVE_BINARY : ZE_RESULT_SUCCESS;
    assert_result(create(api, ZE_MODULE_FORMAT_NATIVE, bytes, size, &module, &log), expected);
    free(bytes);
    char *text = log_text(log);
    assert_int_equal(strstr(text, "it holds code for PTX of compute capability 7.0, NVIDIA GPUs of "
                                  "compute capability 9.0, arm64; this device needs code for "
                                  "x86-64") != NULL,
                     api->executes);
    free(text);
    assert_success(zeModuleBuildLogDestroy(log));
    if (module) {
        assert_success(zeModuleDestroy(module));
    }
}

/* MOD-10, EXM-6: a binary for several devices is a module like any other, and stays whole. */
static void a_binary_for_several_devices_makes_a_module(void **state)
{
    struct api *api = *state;
    size_t size, whole = 0;
    uint8_t *bytes = api_read_file("tests/fixtures/native_several.o", &size);
    ze_module_handle_t module = NULL;
    assert_success(create(api, ZE_MODULE_FORMAT_NATIVE, bytes, size, &module, NULL));
    ze_kernel_handle_t kernel = api_kernel(module, "local");
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_success(zeKernelGetProperties(kernel, &properties));
    assert_int_equal(properties.localMemSize, 256);
    assert_success(zeModuleGetNativeBinary(module, &whole, NULL));
    assert_int_equal(whole, size);
    uint8_t *again = malloc(size);
    assert_non_null(again);
    assert_success(zeModuleGetNativeBinary(module, &whole, again));
    assert_memory_equal(again, bytes, size);
    free(again);
    free(bytes);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

/* VAL-13, MOD-5: code, data, names, tables and what no program looks at. */
static void one_wrong_bit_is_refused_wherever_it_is(void **state)
{
    struct api *api = *state;
    size_t size;
    uint8_t *bytes = api_read_file(FIXTURE, &size);
    for (size_t bit = 0; bit < 8 * size; bit += 41) {
        ze_module_handle_t module = NULL;
        ze_module_build_log_handle_t log = NULL;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_result(create(api, ZE_MODULE_FORMAT_NATIVE, bytes, size, &module, &log),
                      ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        char *text = log_text(log);
        assert_non_null(strstr(text, "native binary refused"));
        free(text);
        assert_success(zeModuleBuildLogDestroy(log));
    }
    free(bytes);
}

/* VAL-13, GEN-24 */
static void module_arguments_are_checked(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = NULL;
    uint32_t word = 0x07230203;
    assert_result(create(api, ZE_MODULE_FORMAT_NATIVE, &word, 0, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(create(api, ZE_MODULE_FORMAT_IL_SPIRV, &word, 0, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(create(api, ZE_MODULE_FORMAT_IL_SPIRV, NULL, 4, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(create(api, (ze_module_format_t)77, &word, 4, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeModuleCreate(api->context, api->device, NULL, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ze_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .inputSize = 4, .pInputModule = (uint8_t *)&word};
    assert_result(zeModuleCreate(api->context, api->device, &desc, NULL, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeModuleCreate(api->context, NULL, &desc, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    ze_module_constants_t constants = {.numConstants = 1};
    desc.pConstants = &constants;
    assert_result(zeModuleCreate(api->context, api->device, &desc, &module, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_null(module);
}

/* MOD-12, GEN-21 */
static void kernel_names_are_listed(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    uint32_t count = 0;
    assert_success(zeModuleGetKernelNames(module, &count, NULL));
    assert_int_equal(count, 4);
    const char *names[5] = {NULL};
    count = 5;
    assert_success(zeModuleGetKernelNames(module, &count, names));
    assert_int_equal(count, 4);
    assert_string_equal(names[0], "ids");
    assert_string_equal(names[3], "fixed");
    assert_null(names[4]);
    assert_success(zeModuleDestroy(module));
}

/* MOD-12, VAL-14 */
static void globals_and_functions_are_found_by_name(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    void *table = NULL, *zero = NULL, *function = NULL;
    size_t size = 0;
    assert_success(zeModuleGetGlobalPointer(module, "table", &size, &table));
    assert_int_equal(size, 16);
    assert_success(zeModuleGetGlobalPointer(module, "zero", NULL, &zero));
    assert_success(zeModuleGetGlobalPointer(module, "zero", &size, NULL));
    assert_int_equal(size, 8);
    assert_success(zeModuleGetFunctionPointer(module, "exported_function", &function));
    if (api->executes) {
        assert_int_equal(((uint32_t *)table)[2], 5);
        ((uint32_t *)table)[2] = 50; /* variables are writable, each module has its own */
        assert_int_equal(*(uint64_t *)zero, 0);
        assert_non_null(function);
        ze_module_handle_t second = api_native_module(api);
        void *other = NULL;
        assert_success(zeModuleGetGlobalPointer(second, "table", NULL, &other));
        assert_ptr_not_equal(table, other);
        assert_int_equal(((uint32_t *)other)[2], 5);
        assert_success(zeModuleDestroy(second));
    }
    assert_result(zeModuleGetGlobalPointer(module, "nothing", &size, &table),
                  ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    assert_result(zeModuleGetGlobalPointer(module, NULL, &size, &table),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeModuleGetFunctionPointer(module, "nothing", &function),
                  ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    assert_success(zeModuleDestroy(module));
}

static void error_has(struct api *api, const char *part)
{
    const char *text = NULL;
    assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
    if (!strstr(text, part)) {
        fail_msg("\"%s\" does not say: %s", text, part);
    }
}

/* A name of another kind of thing: the error says which, and how to get there. */
static void names_of_other_kinds_are_told(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC};
    ze_kernel_handle_t kernel;
    void *pointer;
    assert_result(zeModuleGetFunctionPointer(module, "ids", &pointer),
                  ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    error_has(api, "exports no function \"ids\"; a kernel has the name");
    error_has(api, "zeKernelCreate");
    assert_result(zeModuleGetFunctionPointer(module, "table", &pointer),
                  ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    error_has(api, "zeModuleGetGlobalPointer");
    assert_result(zeModuleGetGlobalPointer(module, "ids", NULL, &pointer),
                  ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    error_has(api, "has no global \"ids\"; a kernel has the name");
    desc.pKernelName = "exported_function";
    assert_result(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    error_has(api, "has no kernel \"exported_function\"; a function has the name: "
                   "zeModuleGetFunctionPointer");
    desc.pKernelName = "nothing";
    assert_result(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    const char *text = NULL;
    assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
    assert_string_equal(text, "the module has no kernel \"nothing\"");
    assert_success(zeModuleDestroy(module));
}

/* MOD-6, MOD-7, MOD-8, VAL-14, KRN-1 */
static void unresolved_imports_need_linking(void **state)
{
    struct api *api = *state;
    size_t size;
    void *bytes = api_read_file("tests/fixtures/native_imports.o", &size);
    ze_module_handle_t module = NULL;
    ze_kernel_handle_t kernel = NULL;
    ze_module_build_log_handle_t log = NULL;
    assert_success(create(api, ZE_MODULE_FORMAT_NATIVE, bytes, size, &module, NULL));
    free(bytes);
    ze_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    assert_success(zeModuleGetProperties(module, &properties));
    assert_int_equal(properties.flags, ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "ids"};
    assert_result(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    assert_result(zeModuleDynamicLink(1, &module, &log), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    char *text = log_text(log);
    assert_non_null(strstr(text, "missing_function"));
    free(text);
    assert_success(zeModuleBuildLogDestroy(log));

    ze_linkage_inspection_ext_desc_t inspect = {
        .stype = ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC,
        .flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS | ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS |
                 ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS};
    assert_success(zeModuleInspectLinkageExt(&inspect, 1, &module, &log));
    text = log_text(log);
    assert_non_null(strstr(text, "imported function missing_function"));
    assert_non_null(strstr(text, "unresolvable import missing_function"));
    assert_non_null(strstr(text, "exported function exported_function"));
    free(text);
    assert_success(zeModuleBuildLogDestroy(log));
    assert_success(zeModuleDestroy(module));
}

/* MOD-7, MOD-9 */
static void modules_without_imports_are_linked_already(void **state)
{
    struct api *api = *state;
    ze_module_handle_t modules[2] = {api_native_module(api), api_native_module(api)};
    ze_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES, .flags = 9};
    assert_success(zeModuleGetProperties(modules[0], &properties));
    assert_int_equal(properties.flags, 0);
    assert_success(zeModuleDynamicLink(2, modules, NULL));
    assert_success(zeModuleDynamicLink(1, modules, NULL)); /* again is fine */
    assert_result(zeModuleDynamicLink(0, modules, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeModuleDynamicLink(1, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_success(zeModuleDestroy(modules[0]));
    assert_success(zeModuleDestroy(modules[1]));
}

/* KRN-1, VAL-14, MOD-11, RES-3 */
static void kernels_are_made_by_name(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = NULL;
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "nothing"};
    assert_result(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    desc.pKernelName = NULL;
    assert_result(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeKernelCreate(module, NULL, &kernel), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    desc.pKernelName = "ids";
    assert_result(zeKernelCreate(module, &desc, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    desc.flags = 0x80;
    assert_result(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_null(kernel);
    desc.flags = ZE_KERNEL_FLAG_FORCE_RESIDENCY;
    assert_success(zeKernelCreate(module, &desc, &kernel));
    size_t size = 0;
    assert_success(zeKernelGetName(kernel, &size, NULL));
    assert_int_equal(size, 4);
    char name[4];
    assert_success(zeKernelGetName(kernel, &size, name));
    assert_string_equal(name, "ids");
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

/* KRN-2, KRN-1 */
static void kernel_properties_are_complete(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t local = api_kernel(module, "local"), fixed = api_kernel(module, "fixed");
    ze_kernel_max_group_size_properties_ext_t most;
    ze_kernel_preferred_group_size_properties_t preferred;
    ze_kernel_properties_t p;
    memset(&most, 0xa5, sizeof(most));
    memset(&preferred, 0xa5, sizeof(preferred));
    memset(&p, 0xa5, sizeof(p));
    most.stype = ZE_STRUCTURE_TYPE_KERNEL_MAX_GROUP_SIZE_EXT_PROPERTIES;
    most.pNext = NULL;
    preferred.stype = ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES;
    preferred.pNext = &most;
    p.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
    p.pNext = &preferred;
    assert_success(zeKernelGetProperties(local, &p));
    assert_int_equal(p.numKernelArgs, 3);
    assert_int_equal(p.requiredGroupSizeX | p.requiredGroupSizeY | p.requiredGroupSizeZ, 0);
    assert_int_equal(p.requiredNumSubGroups, 0);
    assert_int_equal(p.requiredSubgroupSize, 0);
    assert_int_equal(p.maxSubgroupSize, 8);
    assert_int_equal(p.maxNumSubgroups, (most.maxGroupSize + 7) / 8);
    assert_int_equal(p.localMemSize, 256);
    assert_int_equal(p.privateMemSize, 0);
    assert_int_equal(p.spillMemSize, 0);
    assert_int_equal(preferred.preferredMultiple, 1);
    assert_in_range(most.maxGroupSize, 64, 65536);
    ze_kernel_uuid_t uuid = p.uuid;
    assert_success(zeKernelGetProperties(fixed, &p));
    assert_int_equal(p.requiredGroupSizeX, 4);
    assert_int_equal(p.requiredGroupSizeY, 2);
    assert_int_equal(p.requiredGroupSizeZ, 1);
    assert_int_equal(most.maxGroupSize, 8);
    assert_memory_not_equal(uuid.kid, p.uuid.kid, sizeof(uuid.kid));
    assert_memory_equal(uuid.mid, p.uuid.mid, sizeof(uuid.mid));
    assert_success(zeKernelDestroy(local));
    assert_success(zeKernelDestroy(fixed));
    assert_success(zeModuleDestroy(module));
}

/* KRN-3, VAL-15 */
static void group_sizes_are_checked(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "ids"), fixed = api_kernel(module, "fixed");
    ze_device_compute_properties_t limits = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    assert_success(zeDeviceGetComputeProperties(api->device, &limits));
    const ze_result_t bad = ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
    assert_success(zeKernelSetGroupSize(kernel, 8, 4, 2));
    assert_result(zeKernelSetGroupSize(kernel, 0, 1, 1), bad);
    assert_result(zeKernelSetGroupSize(kernel, 1, 0, 1), bad);
    assert_result(zeKernelSetGroupSize(kernel, 1, 1, 0), bad);
    assert_result(zeKernelSetGroupSize(kernel, limits.maxGroupSizeX + 1, 1, 1), bad);
    assert_result(zeKernelSetGroupSize(kernel, limits.maxTotalGroupSize, 2, 1), bad);
    assert_result(zeKernelSetGroupSize(kernel, UINT32_MAX, UINT32_MAX, UINT32_MAX), bad);
    assert_success(zeKernelSetGroupSize(kernel, limits.maxGroupSizeX, 1, 1));
    assert_result(zeKernelSetGroupSize(fixed, 8, 1, 1), bad);
    assert_success(zeKernelSetGroupSize(fixed, 4, 2, 1));
    struct api_list list = api_list_create(api);
    const ze_group_count_t groups = {1, 1, 1};
    const ze_group_size_t empty[] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    for (int i = 0; i < 3; i++) {
        assert_result(zeCommandListAppendLaunchKernelWithArguments(
                          list.list, kernel, groups, empty[i], NULL, NULL, NULL, 0, NULL),
                      bad);
    }
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeKernelDestroy(fixed));
    assert_success(zeModuleDestroy(module));
}

/* KRN-4, KRN-11, VAL-15 */
static void suggested_group_sizes_divide_the_range(void **state)
{
    struct api *api = *state;
    static const uint32_t sizes[][3] = {{1024, 1, 1},  {1, 1, 1},     {7, 5, 3},   {1000003, 1, 1},
                                        {640, 480, 1}, {3, 1000, 64}, {96, 96, 96}};
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "ids"), fixed = api_kernel(module, "fixed");
    uint32_t x, y, z;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const uint32_t *global = sizes[i];
        assert_success(
            zeKernelSuggestGroupSize(kernel, global[0], global[1], global[2], &x, &y, &z));
        assert_int_equal(global[0] % x | global[1] % y | global[2] % z, 0);
        assert_success(zeKernelSetGroupSize(kernel, x, y, z));
    }
    assert_success(zeKernelSuggestGroupSize(kernel, 1024, 1, 1, &x, &y, &z));
    assert_true(x >= 64);
    assert_success(zeKernelSuggestGroupSize(kernel, 1024, 1, 1, &x, NULL, NULL));
    assert_success(zeKernelSuggestGroupSize(fixed, 1024, 2, 1, &x, &y, &z));
    assert_true(x == 4 && y == 2 && z == 1);
    assert_result(zeKernelSuggestGroupSize(kernel, 0, 1, 1, &x, &y, &z),
                  ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
    assert_result(zeKernelSuggestGroupSize(kernel, 1, 1, 1, NULL, &y, &z),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeKernelSuggestGroupSize(kernel, 4, 4, 1, &x, NULL, &z),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    uint32_t together = 0;
    assert_success(zeKernelSuggestMaxCooperativeGroupCount(kernel, &together));
    assert_in_range(together, 1, 65536);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeKernelDestroy(fixed));
    assert_success(zeModuleDestroy(module));
}

/* KRN-5, VAL-15 */
static void argument_values_are_checked(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t scale = api_kernel(module, "scale"), local = api_kernel(module, "local");
    void *pointer = api_alloc_device(api, 64);
    float factor = 2;
    uint64_t wide = 16;
    const ze_result_t size = ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
    assert_success(zeKernelSetArgumentValue(scale, 0, sizeof(pointer), &pointer));
    assert_success(zeKernelSetArgumentValue(scale, 1, sizeof(pointer), NULL)); /* null argument */
    assert_success(zeKernelSetArgumentValue(scale, 2, sizeof(factor), &factor));
    assert_success(zeKernelSetArgumentValue(scale, 3, sizeof(wide), &wide)); /* low bytes count */
    assert_result(zeKernelSetArgumentValue(scale, 2, 0, &factor), size);
    assert_result(zeKernelSetArgumentValue(scale, 0, 4, &pointer), size);
    assert_result(zeKernelSetArgumentValue(scale, 4, 4, &factor),
                  ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    assert_success(zeKernelSetArgumentValue(local, 1, 100, NULL));
    assert_result(zeKernelSetArgumentValue(local, 1, 0, NULL), size);
    assert_result(zeKernelSetArgumentValue(local, 1, (size_t)1 << 30, NULL), size);
    assert_result(zeKernelSetArgumentValue(local, 1, 8, &pointer),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeKernelDestroy(scale));
    assert_success(zeKernelDestroy(local));
    assert_success(zeModuleDestroy(module));
    api_free(api, pointer);
}

/* KRN-14, KRN-15, IMG-15, RES-3, VAL-15 */
static void kernel_settings_are_kept(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    ze_kernel_indirect_access_flags_t flags = 99;
    assert_success(zeKernelGetIndirectAccess(kernel, &flags));
    assert_int_equal(flags, 0);
    assert_success(zeKernelSetIndirectAccess(kernel, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                         ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED));
    assert_success(zeKernelGetIndirectAccess(kernel, &flags));
    assert_int_equal(flags,
                     ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST | ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED);
    assert_result(zeKernelSetIndirectAccess(kernel, 0x100), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_success(zeKernelSetCacheConfig(kernel, ZE_CACHE_CONFIG_FLAG_LARGE_SLM));
    assert_result(zeKernelSetCacheConfig(kernel, 0x100), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_success(zeKernelSetGlobalOffsetExp(kernel, 1, 2, 3));

    uint32_t size = 0;
    assert_success(zeKernelGetSourceAttributes(kernel, &size, NULL));
    assert_int_equal(size, strlen("work_group_size_hint(8,1,1)") + 1);
    char text[64];
    char *place = text;
    assert_success(zeKernelGetSourceAttributes(kernel, &size, &place));
    assert_string_equal(text, "work_group_size_hint(8,1,1)");

    size_t bytes = 0, whole = 0;
    assert_success(zeKernelGetBinaryExp(kernel, &bytes, NULL));
    assert_success(zeModuleGetNativeBinary(module, &whole, NULL));
    assert_int_equal(bytes, whole);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

/* KRN-5, MEM-17 */
static void allocations_behind_arguments_are_listed(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "scale");
    char *out = api_alloc_device(api, 4096), *in = api_alloc_shared(api, 8192);
    char *inside = in + 100;
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(inside), &inside));
    uint32_t count = 0;
    assert_success(zeKernelGetAllocationPropertiesExp(kernel, &count, NULL));
    assert_int_equal(count, 2);
    ze_kernel_allocation_exp_properties_t list[2];
    memset(list, 0, sizeof(list));
    assert_success(zeKernelGetAllocationPropertiesExp(kernel, &count, list));
    assert_int_equal(list[0].base, (uintptr_t)out);
    assert_int_equal(list[0].type, ZE_MEMORY_TYPE_DEVICE);
    assert_int_equal(list[1].base, (uintptr_t)in);
    assert_int_equal(list[1].size, 8192);
    assert_int_equal(list[1].argIndex, 1);
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), NULL));
    assert_success(zeKernelGetAllocationPropertiesExp(kernel, &count, list));
    assert_int_equal(count, 1); /* a null argument is none */
    assert_int_equal(list[0].argIndex, 1);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, out);
    api_free(api, in);
}

struct builder {
    struct api *api;
    int failures;
};

static void *builder_run(void *argument)
{
    struct builder *builder = argument;
    size_t size;
    void *bytes = api_read_file(FIXTURE, &size);
    for (int i = 0; i < 20; i++) {
        ze_module_handle_t module = NULL;
        ze_kernel_handle_t kernel = NULL;
        ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "ids"};
        builder->failures +=
            create(builder->api, ZE_MODULE_FORMAT_NATIVE, bytes, size, &module, NULL) != 0;
        builder->failures += zeKernelCreate(module, &desc, &kernel) != 0;
        builder->failures += zeKernelDestroy(kernel) != 0;
        builder->failures += zeModuleDestroy(module) != 0;
    }
    free(bytes);
    return NULL;
}

/* GEN-13, GEN-17 */
static void threads_make_modules_at_once(void **state)
{
    struct api *api = *state;
    pthread_t threads[4];
    struct builder builders[4];
    for (int i = 0; i < 4; i++) {
        builders[i] = (struct builder){api, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, builder_run, &builders[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(builders[i].failures, 0);
    }
}

static const struct api_case cases[] = {
    API_CASE(a_native_module_loads_with_an_empty_log),
    API_CASE(the_native_binary_makes_the_same_module),
    API_CASE(a_binary_for_other_devices_says_for_which),
    API_CASE(a_binary_for_several_devices_makes_a_module),
    API_CASE(what_is_no_binary_is_refused_with_a_reason),
    API_CASE(code_that_this_processor_cannot_run_is_refused_with_a_remedy),
    API_CASE(one_wrong_bit_is_refused_wherever_it_is),
    API_CASE(module_arguments_are_checked),
    API_CASE(kernel_names_are_listed),
    API_CASE(globals_and_functions_are_found_by_name),
    API_CASE(names_of_other_kinds_are_told),
    API_CASE(unresolved_imports_need_linking),
    API_CASE(modules_without_imports_are_linked_already),
    API_CASE(kernels_are_made_by_name),
    API_CASE(kernel_properties_are_complete),
    API_CASE(group_sizes_are_checked),
    API_CASE(suggested_group_sizes_divide_the_range),
    API_CASE(argument_values_are_checked),
    API_CASE(kernel_settings_are_kept),
    API_CASE(allocations_behind_arguments_are_listed),
    API_CASE(threads_make_modules_at_once),
};

API_MAIN("module", cases)
