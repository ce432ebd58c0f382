/* API test of which modules may defer their kernels: programs of several sources, linked modules,
 * modules with matrices. Modules with function pointers stay whole. */
#include "deferred_support.h"

/* Returns how many builds it takes to create a module and this kernel of it. */
static unsigned builds_of(struct api *api, const char *name, const char *kernel_name)
{
    ze_kernel_handle_t kernel;
    dumps_begin();
    ze_module_handle_t module = module_build(api, name, "needed");
    assert_success(kernel_try(module, kernel_name, &kernel));
    unsigned count = builds_made();
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    dumps_end();
    return count;
}

/* ---- programs of several sources ---- */

/* Creates a program of deferred_import.cl and deferred.cl, with GEOID_BUILD_KERNELS set. Both
 * together have at least `least` bytes, half of them each. */
static ze_module_handle_t program_build(struct api *api, const char *kernels, size_t least)
{
    size_t sizes[2];
    const uint8_t *inputs[2] = {spirv_pad("deferred_import", least / 2, &sizes[0]),
                                spirv_pad("deferred", least / 2, &sizes[1])};
    ze_module_program_exp_desc_t program = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
                                            .count = 2,
                                            .inputSizes = sizes,
                                            .pInputModules = inputs};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .pNext = &program,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV};
    ze_module_handle_t module = NULL;
    build_kernels(kernels);
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, NULL));
    build_kernels(NULL);
    free((void *)(uintptr_t)inputs[0]);
    free((void *)(uintptr_t)inputs[1]);
    return module;
}

/* MOD-8 */
static void kernels_of_several_sources_share_variables_and_functions(void **state)
{
    struct api *api = *state;
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    dumps_begin();
    ze_module_handle_t module = program_build(api, "needed", 0);
    assert_int_equal(builds_made(), 1);
    global_of(module, "counter")[0] = 1000;
    run(api, module, "imported", sizeof(out), &out);
    assert_int_equal(builds_made(), 2);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], i * 10 * ((i & 3) + 1) + (i & 3) + 1 + 1000);
    }
    run_on_value(api, module, "imported_count", 4);
    assert_int_equal(global_of(module, "uses")[0], 1007);
    run(api, module, "imported_read", sizeof(out), &out);
    assert_int_equal(out[3], 7 + 1007);
    run(api, module, "scale", sizeof(out), &out); /* of the second source */
    assert_int_equal(out[5], 5 * 20 + 2);
    assert_int_equal(builds_made(), 5);
    assert_success(zeModuleDestroy(module));
    dumps_end();
    api_free(api, out);
}

/* MOD-10 */
static void the_native_binary_of_several_sources_is_complete(void **state)
{
    struct api *api = *state;
    size_t size, other_size;
    ze_module_handle_t whole = program_build(api, "all", 0);
    ze_module_handle_t module = program_build(api, "needed", 0);
    void *expected = binary_of(whole, &size), *bytes = binary_of(module, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, expected, size);
    assert_success(zeModuleDestroy(whole));
    assert_success(zeModuleDestroy(module));
    free(expected);
    free(bytes);
}

static void the_sizes_of_sources_are_added(void **state)
{
    struct api *api = *state;
    for (int more = 0; more < 2; more++) {
        dumps_begin();
        ze_module_handle_t module = program_build(api, NULL, (256 << 10) - (more ? 0 : 8));
        ze_kernel_handle_t kernel = api_kernel(module, "imported");
        assert_int_equal(builds_made(), more ? 2 : 1);
        assert_success(zeKernelDestroy(kernel));
        assert_success(zeModuleDestroy(module));
        dumps_end();
    }
}

/* ---- linked modules ---- */

/* Creates deferred_import.cl and deferred.cl, and links them with GEOID_BUILD_KERNELS set. */
static void modules_link(struct api *api, const char *kernels, ze_module_handle_t modules[2])
{
    modules[0] = module_build(api, "deferred_import", kernels);
    modules[1] = module_build(api, "deferred", "needed");
    build_kernels(kernels);
    assert_success(zeModuleDynamicLink(2, modules, NULL));
    build_kernels(NULL);
}

/* MOD-6 to MOD-9, MOD-12 */
static void kernels_of_a_linked_module_are_built_when_they_are_created(void **state)
{
    struct api *api = *state;
    ze_module_handle_t modules[2];
    int *out = api_alloc_shared(api, ITEMS * sizeof(int));
    dumps_begin();
    modules_link(api, "all", modules);
    ze_kernel_handle_t kernel = api_kernel(modules[0], "imported");
    assert_int_equal(builds_made(), 3); /* each module once, and the link */
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(modules[0]));
    assert_success(zeModuleDestroy(modules[1]));
    modules_link(api, "needed", modules);
    assert_int_equal(builds_made(), 6);
    assert_success(zeModuleDestroy(modules[1])); /* its variables live on */
    assert_int_equal(global_of(modules[0], "counter")[0], 5);
    global_of(modules[0], "counter")[0] = 1000;
    run(api, modules[0], "imported", sizeof(out), &out);
    assert_int_equal(builds_made(), 7);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], i * 10 * ((i & 3) + 1) + (i & 3) + 1 + 1000);
    }
    run_on_value(api, modules[0], "imported_count", 4);
    assert_int_equal(global_of(modules[0], "uses")[0], 1007);
    run(api, modules[0], "imported_read", sizeof(out), &out);
    assert_int_equal(out[3], 7 + 1007);
    assert_success(zeModuleDestroy(modules[0]));
    dumps_end();
    api_free(api, out);
}

/* MOD-10: a program can link it again. */
static void a_linked_module_has_the_binary_that_it_was_linked_from(void **state)
{
    struct api *api = *state;
    ze_module_handle_t modules[2];
    size_t size, other_size, kernel_size = 0;
    ze_module_handle_t alone = module_build(api, "deferred_import", "needed");
    void *expected = binary_of(alone, &size);
    modules_link(api, "needed", modules);
    void *bytes = binary_of(modules[0], &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, expected, size);
    ze_kernel_handle_t kernel = api_kernel(modules[0], "imported");
    assert_success(zeKernelGetBinaryExp(kernel, &kernel_size, NULL));
    assert_int_equal(kernel_size, size);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(alone));
    assert_success(zeModuleDestroy(modules[0]));
    assert_success(zeModuleDestroy(modules[1]));
    free(expected);
    free(bytes);
}

/* Until it is linked, a module with imports has no kernels, deferred or not. */
static void a_module_with_imports_creates_no_kernels(void **state)
{
    struct api *api = *state;
    ze_kernel_handle_t kernel;
    dumps_begin();
    ze_module_handle_t module = module_build(api, "deferred_import", "needed");
    assert_result(kernel_try(module, "imported_read", &kernel),
                  ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    assert_int_equal(builds_made(), 1);
    assert_success(zeModuleDestroy(module));
    dumps_end();
}

/* ---- what kernels of a module have in common ---- */

/* The matrices of a module have the sub-group size that one of its kernels requires. */
static void a_kernel_with_matrices_has_the_sub_group_size_of_its_module(void **state)
{
    struct api *api = *state;
    ze_kernel_preferred_group_size_properties_t preferred = {
        .stype = ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES};
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES,
                                         .pNext = &preferred};
    assert_int_equal(builds_of(api, "matrix_sizes", "plain"), 2);
    ze_module_handle_t module = module_build(api, "matrix_sizes", "needed");
    ze_kernel_handle_t kernel = api_kernel(module, "plain");
    assert_success(zeKernelGetProperties(kernel, &properties));
    assert_int_equal(properties.requiredSubgroupSize, 0);
    assert_int_equal(properties.maxSubgroupSize, 8);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

static uint64_t stored_by(struct api *api, ze_module_handle_t module, const char *kernel)
{
    uint64_t *out = api_alloc_shared(api, sizeof(*out));
    run(api, module, kernel, sizeof(out), &out);
    uint64_t value = *out;
    api_free(api, out);
    return value;
}

/* A function has one address in its module. */
static void modules_with_function_pointers_are_built_whole(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = module_build(api, "pointer_taken", "needed");
    assert_true(stored_by(api, module, "first") == stored_by(api, module, "second"));
    assert_success(zeModuleDestroy(module));
    assert_int_equal(builds_of(api, "pointer_taken", "first"), 1);
    assert_int_equal(builds_of(api, "pointer_other", "other_memory"), 1); /* only calls */
    assert_int_equal(builds_of(api, "pointer_declared", "declared"), 2);
}

static const struct api_case cases[] = {
    API_RUN_CASE(kernels_of_several_sources_share_variables_and_functions),
    API_CASE(the_native_binary_of_several_sources_is_complete),
    API_CASE(the_sizes_of_sources_are_added),
    API_RUN_CASE(kernels_of_a_linked_module_are_built_when_they_are_created),
    API_CASE(a_linked_module_has_the_binary_that_it_was_linked_from),
    API_CASE(a_module_with_imports_creates_no_kernels),
    API_CASE(a_kernel_with_matrices_has_the_sub_group_size_of_its_module),
    API_RUN_CASE(modules_with_function_pointers_are_built_whole),
};
API_MAIN("spirv_deferred_sources", cases)
