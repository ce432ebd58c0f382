/* API test of deferred kernels that call functions which are not inlined. The functions are
 * compiled with each kernel, so the more such kernels a program creates, the more are built
 * together. */
#include "deferred_support.h"

enum { KERNELS = 24 };

static void kernel_name(char name[16], int number)
{
    snprintf(name, 16, "call_%d", number);
}

static void kernel_touch(ze_module_handle_t module, int number)
{
    ze_kernel_handle_t kernel;
    char name[16];
    kernel_name(name, number);
    assert_success(kernel_try(module, name, &kernel));
    assert_success(zeKernelDestroy(kernel));
}

/* Runs kernels of a module whose kernels were built together, and of one that was built whole. */
static void results_compare(struct api *api, ze_module_handle_t module, const char *name)
{
    ze_module_handle_t whole = module_build(api, name, "all");
    uint32_t *out = api_alloc_shared(api, ITEMS * sizeof(uint32_t));
    uint32_t *expected = api_alloc_shared(api, ITEMS * sizeof(uint32_t));
    global_of(module, "calls")[0] = 0;
    for (int i = 0; i < KERNELS; i++) {
        char kernel[16];
        kernel_name(kernel, i);
        run(api, module, kernel, sizeof(out), &out);
        run(api, whole, kernel, sizeof(expected), &expected);
        assert_memory_equal(out, expected, ITEMS * sizeof(uint32_t));
    }
    assert_int_equal(global_of(module, "calls")[0], KERNELS * ITEMS);
    api_free(api, out);
    api_free(api, expected);
    assert_success(zeModuleDestroy(whole));
}

/* 1, 4, 16 and the 3 that are left. */
static void kernels_that_call_the_same_functions_are_built_together(void **state)
{
    struct api *api = *state;
    dumps_begin();
    ze_module_handle_t module = module_build(api, "deferred_calls", "needed");
    kernel_touch(module, 23);
    assert_int_equal(builds_made(), 2);
    kernel_touch(module, 0);
    assert_int_equal(builds_made(), 3);
    kernel_touch(module, 3);
    assert_int_equal(builds_made(), 3);
    for (int i = 0; i < KERNELS; i++) {
        kernel_touch(module, i);
    }
    assert_int_equal(builds_made(), 5);
    dumps_end();
    results_compare(api, module, "deferred_calls");
    assert_success(zeModuleDestroy(module));
}

/* Building other kernels would cost more than it saves. */
static void large_kernels_are_built_alone(void **state)
{
    struct api *api = *state;
    dumps_begin();
    ze_module_handle_t module = module_build(api, "deferred_calls_large", "needed");
    for (int i = 0; i < 3; i++) {
        kernel_touch(module, i);
        assert_int_equal(builds_made(), 2 + i);
    }
    assert_success(zeModuleDestroy(module));
    dumps_end();
}

static void a_kernel_that_does_not_build_fails_without_its_group(void **state)
{
    struct api *api = *state;
    ze_kernel_handle_t kernel;
    ze_module_handle_t module = module_build(api, "deferred_calls_bad", "needed");
    for (int i = KERNELS - 1; i >= 0; i--) { /* its neighbours are the first */
        kernel_touch(module, i);
    }
    assert_result(kernel_try(module, "too_much_local_memory", &kernel),
                  ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    results_compare(api, module, "deferred_calls");
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_RUN_CASE(kernels_that_call_the_same_functions_are_built_together),
    API_CASE(large_kernels_are_built_alone),
    API_RUN_CASE(a_kernel_that_does_not_build_fails_without_its_group),
};
API_MAIN("spirv_deferred_groups", cases)
