/* Arguments of kernels as drivers describe them by functions that are found by name. */
#include "harness.h"

#include <geoid/kernel.h>

typedef ze_result_t(ZE_APICALL *argument_size_fn)(ze_kernel_handle_t kernel, uint32_t index,
                                                  uint32_t *size);

/* Kinds and sizes of arguments, which no function of the API tells. */
static void arguments_are_described(void **state)
{
    struct api *api = *state;
    geoid_pfnKernelGetArgument_t describe;
    argument_size_fn size_of;
    struct geoid_kernel_argument is = {0};
    uint32_t size = 0;
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t scale = api_kernel(module, "scale"), local = api_kernel(module, "local");
    assert_success(zeDriverGetExtensionFunctionAddress(api->driver, "geoidKernelGetArgument",
                                                       (void **)&describe));
    assert_success(zeDriverGetExtensionFunctionAddress(api->driver, "zexKernelGetArgumentSize",
                                                       (void **)&size_of));
    assert_success(describe(scale, 0, &is));
    assert_int_equal(is.kind, GEOID_KERNEL_ARGUMENT_POINTER);
    assert_int_equal(is.size, 8);
    assert_int_equal(is.read_only, 0);
    assert_success(describe(scale, 3, &is));
    assert_int_equal(is.kind, GEOID_KERNEL_ARGUMENT_VALUE);
    assert_int_equal(is.size, 4);
    assert_success(describe(local, 1, &is));
    assert_int_equal(is.kind, GEOID_KERNEL_ARGUMENT_LOCAL);
    assert_int_equal(is.size, 0);
    assert_success(size_of(scale, 2, &size));
    assert_int_equal(size, sizeof(float));
    assert_success(size_of(local, 1, &size));
    assert_int_equal(size, sizeof(void *));
    assert_result(describe(scale, 4, &is), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    assert_result(size_of(scale, 4, &size), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    assert_result(describe(scale, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(size_of(scale, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_success(zeKernelDestroy(scale));
    assert_success(zeKernelDestroy(local));
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_CASE(arguments_are_described),
};

API_MAIN("kernel_argument", cases)
