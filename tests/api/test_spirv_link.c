/* API test of SPIR-V modules that were built separately and are linked: kernels/link_*.cl. */
#include "harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static ze_module_handle_t module_make(struct api *api, ze_module_format_t format, const void *bytes,
                                      size_t size, const char *options)
{
    ze_module_handle_t module = NULL;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = format,
                             .inputSize = size,
                             .pInputModule = bytes,
                             .pBuildFlags = options};
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, NULL));
    return module;
}

static ze_module_handle_t module_build(struct api *api, const char *name)
{
    char path[256];
    size_t size;
    snprintf(path, sizeof(path), "tests/%s.spv", name);
    void *bytes = api_read_file(path, &size);
    ze_module_handle_t module = module_make(api, ZE_MODULE_FORMAT_IL_SPIRV, bytes, size, NULL);
    free(bytes);
    return module;
}

/* The same module, from its native binary; the original is destroyed. */
static ze_module_handle_t module_again(struct api *api, ze_module_handle_t module)
{
    size_t size = 0;
    assert_success(zeModuleGetNativeBinary(module, &size, NULL));
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_success(zeModuleGetNativeBinary(module, &size, bytes));
    assert_success(zeModuleDestroy(module));
    module = module_make(api, ZE_MODULE_FORMAT_NATIVE, bytes, size, NULL);
    free(bytes);
    return module;
}

struct linked {
    ze_result_t result;
    char log[4096];
};

static struct linked link_log(uint32_t count, ze_module_handle_t *modules)
{
    struct linked linked = {.result = ZE_RESULT_SUCCESS};
    ze_module_build_log_handle_t log = NULL;
    size_t length = sizeof(linked.log);
    linked.result = zeModuleDynamicLink(count, modules, &log);
    assert_non_null(log); /* also when it failed */
    assert_success(zeModuleBuildLogGetString(log, &length, linked.log));
    assert_success(zeModuleBuildLogDestroy(log));
    return linked;
}

static void link_fails(uint32_t count, ze_module_handle_t *modules, const char *text)
{
    struct linked linked = link_log(count, modules);
    assert_int_equal(linked.result, ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    if (!strstr(linked.log, text)) {
        fail_msg("the link log is '%s', expected '%s'", linked.log, text);
    }
}

static void run(struct api *api, ze_kernel_handle_t kernel, uint32_t groups, uint32_t size)
{
    struct api_list list = api_list_create(api);
    ze_group_count_t count = {groups, 1, 1};
    assert_success(zeKernelSetGroupSize(kernel, size, 1, 1));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &count, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
}

/* Runs a kernel of one pointer argument over 64 items; `out` is the caller's. */
static void run_out(struct api *api, ze_module_handle_t module, const char *name, int *out)
{
    ze_kernel_handle_t kernel = api_kernel(module, name);
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    run(api, kernel, 4, 16);
    assert_success(zeKernelDestroy(kernel));
}

static int back_scale(int i)
{
    return i * (i & 1 ? 4 : 3) + i + 7 + 1000;
}

static void results_check(struct api *api, ze_module_handle_t front)
{
    static const int table[4] = {10, 20, 30, 40};
    int *out = api_alloc_shared(api, 64 * sizeof(int));
    run_out(api, front, "front_use", out);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(out[i], back_scale(i) + table[i & 3]);
    }
    api_free(api, out);
}

static void not_linked(ze_module_handle_t module, const char *name)
{
    ze_kernel_handle_t kernel = NULL;
    void *pointer = NULL;
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    assert_result(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    assert_result(zeModuleGetGlobalPointer(module, "front_value", NULL, &pointer),
                  ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    assert_null(kernel);
}

static uint32_t property_flags(ze_module_handle_t module)
{
    ze_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    assert_success(zeModuleGetProperties(module, &properties));
    return properties.flags;
}

static void pair_build(struct api *api, ze_module_handle_t pair[2])
{
    pair[0] = module_build(api, "link_front");
    pair[1] = module_build(api, "link_back");
}

static void pair_destroy(ze_module_handle_t pair[2])
{
    assert_success(zeModuleDestroy(pair[0]));
    assert_success(zeModuleDestroy(pair[1]));
}

/* MOD-6, MOD-7, MOD-9, KRN-1 */
static void modules_that_need_each_other_are_linked(void **state)
{
    struct api *api = *state;
    ze_module_handle_t pair[2], same[4];
    pair_build(api, pair);
    assert_int_equal(property_flags(pair[0]), ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    not_linked(pair[0], "front_use");
    uint32_t count = 0;
    assert_success(zeModuleGetKernelNames(pair[0], &count, NULL));
    assert_int_equal(count, 4);
    struct linked linked = link_log(2, pair);
    assert_int_equal(linked.result, ZE_RESULT_SUCCESS);
    assert_string_equal(linked.log, "");
    results_check(api, pair[0]);
    same[0] = same[3] = pair[1];
    same[1] = same[2] = pair[0];
    void *before = NULL, *after = NULL;
    assert_success(zeModuleGetGlobalPointer(pair[1], "back_table", NULL, &before));
    assert_success(zeModuleDynamicLink(4, same, NULL)); /* nothing happens again */
    assert_success(zeModuleGetGlobalPointer(pair[1], "back_table", NULL, &after));
    assert_ptr_equal(before, after);
    results_check(api, pair[0]);
    pair_destroy(pair);
}

/* MOD-6, MOD-12 */
static void variables_of_linked_modules_are_one_object(void **state)
{
    struct api *api = *state;
    ze_module_handle_t pair[2];
    pair_build(api, pair);
    assert_success(zeModuleDynamicLink(2, pair, NULL));
    int *out = api_alloc_shared(api, 64 * sizeof(int)), *table = NULL, *value = NULL, add = 100;
    size_t size = 0;
    assert_success(zeModuleGetGlobalPointer(pair[1], "back_table", &size, (void **)&table));
    assert_int_equal(size, 16);
    assert_success(zeModuleGetGlobalPointer(pair[0], "front_value", &size, (void **)&value));
    assert_int_equal(*value, 1000);
    *value = 2000; /* of the front, read by the back's code in the front's kernel */
    run_out(api, pair[0], "front_use", out);
    assert_int_equal(out[5], back_scale(5) + 1000 + 20);
    ze_kernel_handle_t kernel = api_kernel(pair[0], "front_write_table");
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(add), &add));
    run(api, kernel, 1, 4);
    assert_success(zeKernelDestroy(kernel));
    assert_int_equal(table[3], 103);
    kernel = api_kernel(pair[1], "back_read_table");
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    run(api, kernel, 1, 4);
    assert_success(zeKernelDestroy(kernel));
    assert_int_equal(out[2], 102);
    /* A private variable of the back was counted up by the front's kernel. */
    run_out(api, pair[1], "back_read_counter", out);
    assert_int_equal(out[0], 5 + 64);
    void *pointer = NULL;
    assert_result(zeModuleGetGlobalPointer(pair[1], "back_counter", NULL, &pointer),
                  ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    api_free(api, out);
    pair_destroy(pair);
}

/* MOD-12 */
static void an_imported_variable_is_found_where_it_is_imported(void **state)
{
    struct api *api = *state;
    ze_module_handle_t pair[2];
    pair_build(api, pair);
    void *exported = NULL, *imported = NULL;
    size_t size = 0;
    assert_result(zeModuleGetGlobalPointer(pair[0], "back_table", &size, &imported),
                  ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    assert_success(zeModuleDynamicLink(2, pair, NULL));
    assert_success(zeModuleGetGlobalPointer(pair[1], "back_table", NULL, &exported));
    assert_success(zeModuleGetGlobalPointer(pair[0], "back_table", &size, &imported));
    assert_int_equal(size, 4 * sizeof(int));
    assert_ptr_equal(imported, exported);
    assert_success(zeModuleGetGlobalPointer(pair[0], "front_value", NULL, &exported));
    assert_success(zeModuleGetGlobalPointer(pair[1], "front_value", &size, &imported));
    assert_int_equal(size, sizeof(int));
    assert_ptr_equal(imported, exported);
    /* A function of the other module is no variable. */
    assert_result(zeModuleGetGlobalPointer(pair[0], "back_scale", NULL, &imported),
                  ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    /* The variable lives while a module that imports it does. */
    assert_success(zeModuleGetGlobalPointer(pair[0], "back_table", NULL, &imported));
    assert_success(zeModuleDestroy(pair[1]));
    assert_success(zeModuleGetGlobalPointer(pair[0], "back_table", NULL, &exported));
    assert_ptr_equal(imported, exported);
    assert_int_equal(((int *)exported)[3], 40);
    assert_success(zeModuleDestroy(pair[0]));
}

/* MOD-6: what is imported behaves as if it was written in the kernel's module */
static void barriers_and_subgroups_work_across_modules(void **state)
{
    struct api *api = *state;
    ze_module_handle_t pair[2];
    pair_build(api, pair);
    assert_success(zeModuleDynamicLink(2, pair, NULL));
    int *out = api_alloc_shared(api, 64 * sizeof(int));
    ze_kernel_handle_t kernel = api_kernel(pair[0], "front_group");
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    assert_success(zeKernelSetArgumentValue(kernel, 1, 32 * sizeof(int), NULL));
    run(api, kernel, 2, 32);
    assert_success(zeKernelDestroy(kernel));
    assert_int_equal(out[0], 31 * 16);
    assert_int_equal(out[63], 31 * 16 + 32 * 32);
    kernel = api_kernel(pair[0], "front_subgroup");
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_success(zeKernelGetProperties(kernel, &properties));
    int lanes = (int)properties.maxSubgroupSize;
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    run(api, kernel, 1, 64);
    assert_success(zeKernelDestroy(kernel));
    for (int i = 0; i < 64; i++) {
        int first = i / lanes * lanes;
        assert_int_equal(out[i], lanes * first + lanes * (lanes - 1) / 2);
    }
    api_free(api, out);
    pair_destroy(pair);
}

/* MOD-8, MOD-9 */
static void a_linked_module_serves_later_links(void **state)
{
    struct api *api = *state;
    ze_module_handle_t pair[2], later[2];
    pair_build(api, pair);
    assert_success(zeModuleDynamicLink(2, pair, NULL));
    later[0] = module_build(api, "link_third");
    later[1] = pair[1];
    assert_success(zeModuleDynamicLink(2, later, NULL)); /* the front is needed, but not named */
    int *out = api_alloc_shared(api, 64 * sizeof(int)), *value = NULL;
    assert_success(zeModuleGetGlobalPointer(pair[0], "front_value", NULL, (void **)&value));
    *value += 1;
    run_out(api, later[0], "third_use", out);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(out[i], 2 * (back_scale(i) + 1));
    }
    run_out(api, pair[1], "back_read_counter", out);
    assert_int_equal(out[0], 5 + 64);
    pair_destroy(pair);
    run_out(api, later[0], "third_use", out); /* holds what it uses */
    assert_int_equal(out[1], 2 * (back_scale(1) + 1));
    assert_success(zeModuleDestroy(later[0]));
    api_free(api, out);
}

/* MOD-13: in any order */
static void kernels_outlive_the_modules_they_were_linked_with(void **state)
{
    struct api *api = *state;
    for (int first = 0; first < 2; first++) {
        ze_module_handle_t pair[2];
        pair_build(api, pair);
        assert_success(zeModuleDynamicLink(2, pair, NULL));
        assert_success(zeModuleDestroy(pair[first]));
        int *out = api_alloc_shared(api, 64 * sizeof(int));
        if (first == 1) {
            run_out(api, pair[0], "front_use", out);
            assert_int_equal(out[7], back_scale(7) + 40);
        } else {
            run_out(api, pair[1], "back_read_counter", out);
            assert_int_equal(out[0], 5);
        }
        api_free(api, out);
        assert_success(zeModuleDestroy(pair[1 - first]));
    }
}

/* MOD-2, MOD-10 */
static void native_binaries_keep_imports_and_exports(void **state)
{
    struct api *api = *state;
    for (int linked_before = 0; linked_before < 2; linked_before++) {
        ze_module_handle_t pair[2];
        pair_build(api, pair);
        if (linked_before) {
            assert_success(zeModuleDynamicLink(2, pair, NULL));
        }
        pair[0] = module_again(api, pair[0]);
        pair[1] = module_again(api, pair[1]);
        assert_int_equal(property_flags(pair[0]), ZE_MODULE_PROPERTY_FLAG_IMPORTS);
        not_linked(pair[0], "front_use");
        assert_success(zeModuleDynamicLink(2, pair, NULL));
        results_check(api, pair[0]);
        pair_destroy(pair);
    }
}

/* MOD-8, VAL-14 */
static void what_is_missing_is_named(void **state)
{
    struct api *api = *state;
    ze_module_handle_t pair[2];
    pair_build(api, pair);
    link_fails(1, pair, "function back_scale, imported by module 0 (kernel front_");
    link_fails(1, pair, "variable back_table, imported by module 0");
    link_fails(1, &pair[1], "function front_offset, imported by module 0 (kernel back_");
    link_fails(1, &pair[1], "in back_scale, is defined by none of the modules");
    not_linked(pair[0], "front_use");
    struct linked linked = link_log(1, pair); /* it ends there: nothing is built */
    assert_null(strstr(linked.log, "did not link"));
    assert_success(zeModuleDynamicLink(2, pair, NULL)); /* a failure leaves nothing behind */
    results_check(api, pair[0]);
    pair_destroy(pair);
}

/* MOD-8, VAL-14 */
static void two_definitions_are_one_too_many(void **state)
{
    struct api *api = *state;
    ze_module_handle_t set[3] = {NULL};
    set[0] = module_build(api, "link_third");
    set[1] = module_build(api, "link_again");
    set[2] = module_build(api, "link_wrong");
    link_fails(3, set,
               "function back_scale, imported by module 0 (kernel third_use) in third_use, "
               "is defined by module 1 and by module 2");
    assert_success(zeModuleDynamicLink(2, &set[1], NULL)); /* nobody imports it: no conflict */
    assert_success(zeModuleDynamicLink(2, set, NULL));
    if (api->executes) {
        int *out = api_alloc_shared(api, 64 * sizeof(int));
        run_out(api, set[0], "third_use", out);
        assert_int_equal(out[9], 18);
        api_free(api, out);
    }
    for (int i = 0; i < 3; i++) {
        assert_success(zeModuleDestroy(set[i]));
    }
}

/* MOD-4, MOD-10 */
static void specialisation_constants_stay_what_they_were(void **state)
{
    struct api *api = *state;
    const uint32_t ids[] = {7, 8, 9}, factor = 5;
    const uint64_t wide = 1000;
    const uint8_t negate = 1;
    const void *values[] = {&factor, &wide, &negate};
    ze_module_constants_t constants = {3, ids, values};
    size_t size;
    void *bytes = api_read_file("tests/link_constant.spv", &size);
    ze_module_handle_t set[2] = {module_build(api, "link_third"), NULL};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = size,
                             .pInputModule = bytes,
                             .pConstants = &constants};
    assert_success(zeModuleCreate(api->context, api->device, &desc, &set[1], NULL));
    free(bytes);
    set[1] = module_again(api, set[1]);
    assert_success(zeModuleDynamicLink(2, set, NULL));
    int *out = api_alloc_shared(api, 64 * sizeof(int));
    run_out(api, set[0], "third_use", out);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(out[i], -2 * (i * 5 + 1000));
    }
    api_free(api, out);
    assert_success(zeModuleDestroy(set[0]));
    assert_success(zeModuleDestroy(set[1]));
}

/* SPV-33, MOD-8 */
static void link_once_definitions_may_be_several(void **state)
{
    struct api *api = *state;
    ze_module_handle_t set[4] = {NULL};
    set[0] = module_build(api, "link_once");
    set[1] = module_build(api, "link_third");
    set[2] = module_build(api, "link_once");
    assert_success(zeModuleDynamicLink(3, set, NULL));
    ze_module_handle_t other[3] = {module_build(api, "link_third"), set[2], NULL};
    other[2] = set[3] = module_build(api, "link_again"); /* a strong definition wins */
    assert_success(zeModuleDynamicLink(3, other, NULL));
    if (api->executes) {
        int *out = api_alloc_shared(api, 64 * sizeof(int));
        run_out(api, set[1], "third_use", out);
        assert_int_equal(out[9], 9 * 6 * 2);
        run_out(api, other[0], "third_use", out);
        assert_int_equal(out[9], 9 * 2);
        api_free(api, out);
    }
    for (int i = 0; i < 4; i++) {
        assert_success(zeModuleDestroy(set[i]));
    }
    assert_success(zeModuleDestroy(other[0]));
}

/* VAL-14 */
static void types_that_differ_fail_the_link(void **state)
{
    struct api *api = *state;
    ze_module_handle_t set[2] = {NULL};
    set[0] = module_build(api, "link_third");
    set[1] = module_build(api, "link_wrong");
    link_fails(2, set, "'back_scale' has another type where it is defined");
    assert_success(zeModuleDestroy(set[0]));
    assert_success(zeModuleDestroy(set[1]));
}

/* VAL-14: each builds, together they recurse; and nothing of a failed link is kept */
static void circles_of_calls_fail_the_link(void **state)
{
    struct api *api = *state;
    ze_module_handle_t set[2] = {NULL};
    set[0] = module_build(api, "link_round");
    set[1] = module_build(api, "link_about");
    for (int i = 0; i < 2; i++) {
        link_fails(2, set, "recursion is not possible");
        assert_int_equal(property_flags(set[i]), ZE_MODULE_PROPERTY_FLAG_IMPORTS);
        not_linked(set[0], "go_round");
    }
    assert_success(zeModuleDestroy(set[0]));
    assert_success(zeModuleDestroy(set[1]));
}

/* SPV-33 */
static void link_once_is_reported(void **state)
{
    struct api *api = *state;
    ze_driver_extension_properties_t extensions[256];
    uint32_t count = 256;
    bool found = false;
    assert_success(zeDriverGetExtensionProperties(api->driver, &count, extensions));
    for (uint32_t i = 0; i < count; i++) {
        found |= strcmp(extensions[i].name, ZE_LINKONCE_ODR_EXT_NAME) == 0 &&
                 extensions[i].version == ZE_LINKONCE_ODR_EXT_VERSION_CURRENT;
    }
    assert_true(found);
}

/* MOD-6 */
static void linkage_is_inspected(void **state)
{
    struct api *api = *state;
    ze_module_handle_t pair[2];
    ze_module_build_log_handle_t log = NULL;
    char text[4096];
    pair_build(api, pair);
    ze_linkage_inspection_ext_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC,
        .flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS | ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS |
                 ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS};
    for (uint32_t count = 1; count <= 2; count++) {
        size_t length = sizeof(text);
        assert_success(zeModuleInspectLinkageExt(&desc, count, pair, &log));
        assert_success(zeModuleBuildLogGetString(log, &length, text));
        assert_success(zeModuleBuildLogDestroy(log));
        assert_non_null(strstr(text, "imported function back_scale\n"));
        assert_non_null(strstr(text, "imported variable back_table\n"));
        assert_non_null(strstr(text, "exported function front_offset\n"));
        assert_non_null(strstr(text, "exported variable front_value\n"));
        assert_int_equal(strstr(text, "unresolvable import back_scale\n") != NULL, count == 1);
        assert_int_equal(strstr(text, "exported function back_scale\n") != NULL, count == 2);
        assert_null(strstr(text, "back_counter"));
    }
    pair_destroy(pair);
}

/* ---- threads ---- */

struct linker {
    ze_module_handle_t *pair;
    ze_result_t result;
};

static void *link_thread(void *data)
{
    struct linker *linker = data;
    linker->result = zeModuleDynamicLink(2, linker->pair, NULL);
    return NULL;
}

/* GEN-8, MOD-9 */
static void several_threads_may_link_the_same(void **state)
{
    struct api *api = *state;
    ze_module_handle_t pair[2];
    struct linker linkers[4];
    pthread_t threads[4];
    pair_build(api, pair);
    for (int i = 0; i < 4; i++) {
        linkers[i] = (struct linker){.pair = pair, .result = ZE_RESULT_ERROR_UNKNOWN};
        assert_int_equal(pthread_create(&threads[i], NULL, link_thread, &linkers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_success(linkers[i].result);
    }
    if (api->executes) {
        results_check(api, pair[0]);
    }
    pair_destroy(pair);
}

static const struct api_case cases[] = {
    API_RUN_CASE(modules_that_need_each_other_are_linked),
    API_RUN_CASE(variables_of_linked_modules_are_one_object),
    API_RUN_CASE(an_imported_variable_is_found_where_it_is_imported),
    API_RUN_CASE(barriers_and_subgroups_work_across_modules),
    API_RUN_CASE(a_linked_module_serves_later_links),
    API_RUN_CASE(kernels_outlive_the_modules_they_were_linked_with),
    API_RUN_CASE(native_binaries_keep_imports_and_exports),
    API_RUN_CASE(what_is_missing_is_named),
    API_RUN_CASE(specialisation_constants_stay_what_they_were),
    API_CASE(two_definitions_are_one_too_many),
    API_CASE(link_once_definitions_may_be_several),
    API_CASE(types_that_differ_fail_the_link),
    API_CASE(circles_of_calls_fail_the_link),
    API_CASE(link_once_is_reported),
    API_CASE(linkage_is_inspected),
    API_CASE(several_threads_may_link_the_same),
};

API_MAIN("link", cases)
