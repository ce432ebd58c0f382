/* API test of SPIR-V modules, barriers of the device: all groups of a cooperative launch meet
 * there, however few threads there are; any other launch of such a kernel is refused. */
#include "harness.h"

#include <stdlib.h>

enum { GROUP = 12, GROUPS = 37, ITEMS = GROUP * GROUPS, ROUNDS = 3 };

static void expect(uint32_t *out)
{
    static uint32_t mine[ITEMS], other[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++) {
        mine[i] = i + 1;
    }
    for (uint32_t r = 0; r < ROUNDS; r++) {
        for (uint32_t i = 0; i < ITEMS; i++) {
            other[i] = mine[(i + GROUP * (r + 1) + 1) % ITEMS];
        }
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t beside = i / GROUP * GROUP + (i % GROUP + 1) % GROUP;
            mine[i] = mine[i] * 31 + other[i] + (beside + 1) * 7;
        }
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t beside = i / GROUP * GROUP + (i % GROUP + 3) % GROUP;
        out[i] = mine[i] + (beside + 1) * 7;
    }
}

static void arguments_set(ze_kernel_handle_t kernel, void *a, void *b, uint32_t number)
{
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(a), &a));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(b), &b));
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(number), &number));
}

/* KRN-11: more groups than there are workers */
static void groups_meet_at_barriers_of_the_device(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "device_barrier");
    ze_kernel_handle_t kernel = api_kernel(module, "device_meet");
    uint32_t *shared = api_alloc_shared(api, ITEMS * sizeof(*shared));
    uint32_t *out = api_alloc_shared(api, ITEMS * sizeof(*out));
    uint32_t most = 0;
    arguments_set(kernel, shared, out, ROUNDS);
    assert_success(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    assert_success(zeKernelSuggestMaxCooperativeGroupCount(kernel, &most));
    assert_true(most >= GROUPS);
    struct api_list list = api_list_create(api);
    ze_group_count_t groups = {GROUPS, 1, 1};
    assert_success(
        zeCommandListAppendLaunchCooperativeKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    static uint32_t expected[ITEMS];
    expect(expected);
    assert_memory_equal(out, expected, sizeof(expected));
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, shared);
    api_free(api, out);
}

/* KRN-11: who also waits elsewhere needs a worker for each group, and the count says so */
static void groups_that_wait_all_run_at_once(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "device_barrier");
    ze_kernel_handle_t kernel = api_kernel(module, "device_wait");
    uint32_t most = 0;
    assert_success(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    assert_success(zeKernelSuggestMaxCooperativeGroupCount(kernel, &most));
    assert_true(most >= 1 && most <= 256);
    uint32_t *arrived = api_alloc_shared(api, sizeof(*arrived));
    uint32_t *out = api_alloc_shared(api, (size_t)most * GROUP * sizeof(*out));
    *arrived = 0;
    arguments_set(kernel, arrived, out, most);
    struct api_list list = api_list_create(api);
    ze_group_count_t groups = {most, 1, 1};
    assert_success(
        zeCommandListAppendLaunchCooperativeKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    for (uint32_t i = 0; i < most * GROUP; i++) {
        assert_int_equal(out[i], most);
    }
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, arrived);
    api_free(api, out);
}

/* KRN-11 */
static void barriers_of_the_device_want_a_cooperative_launch(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "device_barrier");
    ze_kernel_handle_t kernel = api_kernel(module, "device_meet");
    uint32_t *memory = api_alloc_shared(api, 2 * sizeof(*memory));
    ze_group_count_t *counts = api_alloc_shared(api, sizeof(*counts));
    *counts = (ze_group_count_t){1, 1, 1};
    arguments_set(kernel, memory, memory, 0);
    assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
    struct api_list list = api_list_create(api);
    assert_result(zeCommandListAppendLaunchKernel(list.list, kernel, counts, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandListAppendLaunchKernelIndirect(list.list, kernel, counts, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(
        zeCommandListAppendLaunchCooperativeKernel(list.list, kernel, counts, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, memory);
    api_free(api, counts);
}

/* KRN-11 */
static void barriers_beyond_the_device_are_refused_by_name(void **state)
{
    struct api *api = *state;
    size_t bytes;
    void *spirv = api_read_file("tests/cross_barrier.spv", &bytes);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = bytes,
                             .pInputModule = spirv};
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    assert_result(api_module_try(api, &desc, &module, &log), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    size_t length = 0;
    assert_success(zeModuleBuildLogGetString(log, &length, NULL));
    char *text = malloc(length + 1);
    assert_non_null(text);
    assert_success(zeModuleBuildLogGetString(log, &length, text));
    assert_non_null(strstr(text, "cross_meet"));
    assert_non_null(strstr(text, "CrossDevice"));
    free(text);
    assert_success(zeModuleBuildLogDestroy(log));
    free(spirv);
}

static const struct api_case cases[] = {
    API_RUN_CASE(groups_meet_at_barriers_of_the_device),
    API_RUN_CASE(groups_that_wait_all_run_at_once),
    API_RUN_CASE(barriers_of_the_device_want_a_cooperative_launch),
    {"barriers_beyond_the_device_are_refused_by_name",
     barriers_beyond_the_device_are_refused_by_name, API_EXECUTES},
};

API_MAIN("barriers of the device", cases)
