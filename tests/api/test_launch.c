/* API test of kernel launches of every kind, with the hand-written native module. */
#include "harness.h"

#include <stdlib.h>

struct launch {
    struct api_list list;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    uint32_t *out; /* `count` words of shared memory */
    uint32_t count;
};

static struct launch launch_open(struct api *api, uint32_t count)
{
    struct launch launch = {.count = count};
    launch.list = api_list_create(api);
    launch.module = api_native_module(api);
    launch.kernel = api_kernel(launch.module, "ids");
    launch.out = api_alloc_shared(api, count * sizeof(*launch.out));
    memset(launch.out, 0xff, count * sizeof(*launch.out));
    assert_success(zeKernelSetArgumentValue(launch.kernel, 0, sizeof(void *), &launch.out));
    return launch;
}

static void launch_close(struct api *api, struct launch *launch)
{
    assert_success(zeKernelDestroy(launch->kernel));
    assert_success(zeModuleDestroy(launch->module));
    api_list_destroy(&launch->list);
    api_free(api, launch->out);
}

/* The first `count` words are the ids from `offset` on, the rest is untouched. */
static void launch_expect(const struct launch *launch, uint32_t count, uint32_t offset)
{
    for (uint32_t i = 0; i < launch->count; i++) {
        uint32_t expected = i < count ? i + offset : UINT32_MAX;
        if (launch->out[i] != expected) {
            fail_msg("word %u is %u instead of %u", i, launch->out[i], expected);
        }
    }
}

/* KRN-3, KRN-6 */
static void every_item_of_every_group_runs(void **state)
{
    struct api *api = *state;
    const ze_group_count_t counts[] = {{1, 1, 1}, {1000, 1, 1}, {7, 5, 3}, {1, 1, 64}};
    const uint32_t sizes[][3] = {{1, 1, 1}, {16, 1, 1}, {5, 3, 2}};
    for (size_t c = 0; c < 4; c++) {
        for (size_t s = 0; s < 3; s++) {
            uint32_t items = counts[c].groupCountX * counts[c].groupCountY * counts[c].groupCountZ *
                             sizes[s][0] * sizes[s][1] * sizes[s][2];
            struct launch launch = launch_open(api, items + 16);
            assert_success(
                zeKernelSetGroupSize(launch.kernel, sizes[s][0], sizes[s][1], sizes[s][2]));
            assert_success(zeCommandListAppendLaunchKernel(launch.list.list, launch.kernel,
                                                           &counts[c], NULL, 0, NULL));
            api_list_run(api, &launch.list);
            launch_expect(&launch, items, 0);
            launch_close(api, &launch);
        }
    }
}

/* KRN-3, KRN-5: what a launch was appended with is what it runs with */
static void group_size_and_arguments_are_copied_at_append(void **state)
{
    struct api *api = *state;
    struct launch launch = launch_open(api, 64);
    uint32_t *other = api_alloc_shared(api, 64 * sizeof(*other));
    ze_group_count_t one = {1, 1, 1};
    memset(other, 0xff, 64 * sizeof(*other));
    assert_success(zeKernelSetGroupSize(launch.kernel, 8, 1, 1));
    assert_success(
        zeCommandListAppendLaunchKernel(launch.list.list, launch.kernel, &one, NULL, 0, NULL));
    assert_success(zeKernelSetGroupSize(launch.kernel, 32, 1, 1));
    assert_success(zeKernelSetArgumentValue(launch.kernel, 0, sizeof(other), &other));
    one.groupCountX = 2;
    assert_success(
        zeCommandListAppendLaunchKernel(launch.list.list, launch.kernel, &one, NULL, 0, NULL));
    one.groupCountX = 0;
    api_list_run(api, &launch.list);
    launch_expect(&launch, 8, 0);
    assert_int_equal(other[63], 63);
    launch_close(api, &launch);
    api_free(api, other);
}

/* KRN-5, GEN-15: the kernel may go once it is appended */
static void recorded_launches_outlive_kernel_and_module(void **state)
{
    struct api *api = *state;
    struct launch launch = launch_open(api, 256);
    struct api_list list = launch.list;
    ze_group_count_t groups = {256, 1, 1};
    assert_success(
        zeCommandListAppendLaunchKernel(list.list, launch.kernel, &groups, NULL, 0, NULL));
    assert_success(zeKernelDestroy(launch.kernel));
    assert_success(zeModuleDestroy(launch.module));
    api_list_run(api, &list);
    launch_expect(&launch, 256, 0);
    api_list_destroy(&list);
    api_free(api, launch.out);
}

/* KRN-9 */
static void an_indirect_launch_reads_counts_when_it_runs(void **state)
{
    struct api *api = *state;
    struct launch launch = launch_open(api, 300);
    ze_group_count_t *counts = api_alloc_shared(api, sizeof(*counts));
    *counts = (ze_group_count_t){1, 1, 1};
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &event));
    assert_success(zeKernelSetGroupSize(launch.kernel, 2, 1, 1));
    assert_success(zeCommandListAppendLaunchKernelIndirect(launch.list.list, launch.kernel, counts,
                                                           NULL, 1, &event));
    *counts = (ze_group_count_t){25, 2, 3};
    assert_success(zeEventHostSignal(event));
    api_list_run(api, &launch.list);
    launch_expect(&launch, 300, 0);
    assert_result(zeCommandListAppendLaunchKernelIndirect(launch.list.list, launch.kernel, NULL,
                                                          NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    launch_close(api, &launch);
    api_free(api, counts);
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolDestroy(pool));
}

/* KRN-9, KRN-10: the offset is the kernel's at the append, wherever the counts come from */
static void every_kind_of_launch_has_the_global_offset(void **state)
{
    struct api *api = *state;
    struct launch launch = launch_open(api, 40);
    ze_group_count_t groups = {4, 1, 1};
    ze_group_count_t *counts = api_alloc_shared(api, 2 * sizeof(*counts));
    uint32_t *limit = api_alloc_shared(api, sizeof(*limit));
    counts[0] = groups;
    *limit = 1;
    assert_success(zeKernelSetGroupSize(launch.kernel, 2, 1, 1));
    for (uint32_t kind = 0; kind < 3; kind++) {
        ze_command_list_handle_t list = launch.list.list;
        uint32_t offset = 1000 + kind;
        memset(launch.out, 0xff, 40 * sizeof(*launch.out));
        assert_success(zeKernelSetGlobalOffsetExp(launch.kernel, offset, 0, 0));
        assert_success(
            kind == 0 ? zeCommandListAppendLaunchKernel(list, launch.kernel, &groups, NULL, 0, NULL)
            : kind == 1 ? zeCommandListAppendLaunchKernelIndirect(list, launch.kernel, counts, NULL,
                                                                  0, NULL)
                        : zeCommandListAppendLaunchMultipleKernelsIndirect(
                              list, 1, &launch.kernel, limit, counts, NULL, 0, NULL));
        assert_success(zeKernelSetGlobalOffsetExp(launch.kernel, 0, 0, 0));
        api_list_run(api, &launch.list);
        launch_expect(&launch, 8, offset);
    }
    launch_close(api, &launch);
    api_free(api, counts);
    api_free(api, limit);
}

/* KRN-10 */
static void multiple_indirect_launches_stop_at_the_count(void **state)
{
    struct api *api = *state;
    struct launch first = launch_open(api, 32);
    struct launch second = launch_open(api, 32);
    ze_kernel_handle_t kernels[2] = {first.kernel, second.kernel};
    ze_group_count_t *counts = api_alloc_shared(api, 2 * sizeof(*counts));
    uint32_t *limit = api_alloc_shared(api, sizeof(*limit));
    counts[0] = (ze_group_count_t){4, 1, 1};
    counts[1] = (ze_group_count_t){6, 1, 1};
    for (*limit = 0; *limit < 3; ++*limit) {
        memset(first.out, 0xff, 32 * 4);
        memset(second.out, 0xff, 32 * 4);
        assert_success(zeKernelSetGroupSize(kernels[0], 1, 1, 1));
        assert_success(zeKernelSetGroupSize(kernels[1], 1, 1, 1));
        assert_success(zeCommandListAppendLaunchMultipleKernelsIndirect(
            first.list.list, 2, kernels, limit, counts, NULL, 0, NULL));
        api_list_run(api, &first.list);
        launch_expect(&first, *limit > 0 ? 4 : 0, 0);
        launch_expect(&second, *limit > 1 ? 6 : 0, 0);
    }
    assert_result(zeCommandListAppendLaunchMultipleKernelsIndirect(first.list.list, 0, kernels,
                                                                   limit, counts, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    launch_close(api, &first);
    launch_close(api, &second);
    api_free(api, counts);
    api_free(api, limit);
}

/* KRN-11, KRN-7 */
static void cooperative_launches_are_limited(void **state)
{
    struct api *api = *state;
    struct launch launch = launch_open(api, 1024);
    uint32_t most = 0;
    assert_success(zeKernelSetGroupSize(launch.kernel, 1, 1, 1));
    assert_success(zeKernelSuggestMaxCooperativeGroupCount(launch.kernel, &most));
    assert_true(most >= 1 && most < 1024);
    ze_group_count_t fits = {most, 1, 1}, too_many = {most, 2, 1};
    assert_result(zeCommandListAppendLaunchCooperativeKernel(launch.list.list, launch.kernel,
                                                             &too_many, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeCommandListAppendLaunchCooperativeKernel(launch.list.list, launch.kernel,
                                                              &fits, NULL, 0, NULL));
    api_list_run(api, &launch.list);
    launch_expect(&launch, most, 0);
    ze_command_list_append_launch_kernel_param_cooperative_desc_t cooperative = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC, .isCooperative = 1};
    assert_result(zeCommandListAppendLaunchKernelWithParameters(
                      launch.list.list, launch.kernel, &too_many, &cooperative, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    launch_close(api, &launch);
}

/* KRN-7 */
static void launches_take_known_extensions_only(void **state)
{
    struct api *api = *state;
    struct launch launch = launch_open(api, 16);
    ze_group_count_t groups = {2, 1, 1};
    ze_base_desc_t unknown = {.stype = (ze_structure_type_t)0x7ffffff0};
    ze_command_list_append_launch_kernel_param_cooperative_desc_t cooperative = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC, .isCooperative = 0};
    assert_success(zeKernelSetGroupSize(launch.kernel, 4, 1, 1));
    assert_success(zeCommandListAppendLaunchKernelWithParameters(
        launch.list.list, launch.kernel, &groups, &cooperative, NULL, 0, NULL));
    assert_result(zeCommandListAppendLaunchKernelWithParameters(launch.list.list, launch.kernel,
                                                                &groups, &unknown, NULL, 0, NULL),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    api_list_run(api, &launch.list);
    launch_expect(&launch, 8, 0);
    launch_close(api, &launch);
}

/* Programs of others need 80 KiB and more. */
static void a_group_has_128_kib_of_local_memory(void **state)
{
    struct api *api = *state;
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    assert_success(zeDeviceGetComputeProperties(api->device, &compute));
    assert_true(compute.maxSharedLocalMemory >= 128u << 10);
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "local");
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_success(zeKernelGetProperties(kernel, &properties));
    uint64_t *report = api_alloc_shared(api, 12 * sizeof(*report));
    size_t left = compute.maxSharedLocalMemory - properties.localMemSize;
    ze_group_count_t groups = {3, 1, 1};
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(report), &report));
    assert_success(zeKernelSetArgumentValue(kernel, 1, left - 128, NULL));
    assert_success(zeKernelSetArgumentValue(kernel, 2, 128, NULL));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    for (uint64_t group = 0; group < 3 && api->executes; group++) {
        assert_true(report[4 * group + 1] >= report[4 * group] + left - 128);
        assert_int_equal(report[4 * group + 2], 1000 + group);
        assert_int_equal(report[4 * group + 3], 2000 + group);
    }
    assert_success(zeKernelSetArgumentValue(kernel, 2, 1024, NULL)); /* too much in all */
    assert_true(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL) !=
                ZE_RESULT_SUCCESS);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_list_destroy(&list);
    api_free(api, report);
}

/* KRN-8 */
static void arguments_and_size_can_come_with_the_launch(void **state)
{
    struct api *api = *state;
    enum { COUNT = 96 };
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t scale = api_kernel(module, "scale"), local = api_kernel(module, "local");
    float *out = api_alloc_shared(api, COUNT * sizeof(*out)), *in = api_alloc_shared(api, 4096);
    float factor = 3.0f;
    uint32_t count = COUNT;
    for (int i = 0; i < COUNT; i++) {
        in[i] = (float)i;
    }
    void *arguments[] = {&out, &in, &factor, &count};
    ze_group_count_t groups = {COUNT / 8, 1, 1};
    ze_group_size_t size = {8, 1, 1};
    assert_success(zeCommandListAppendLaunchKernelWithArguments(list.list, scale, groups, size,
                                                                arguments, NULL, NULL, 0, NULL));
    factor = 0;
    /* local memory: a pointer to its size */
    uint64_t *report = api_alloc_shared(api, 8 * sizeof(*report));
    size_t bytes[2] = {3000, 100};
    void *local_arguments[] = {&report, &bytes[0], &bytes[1]};
    ze_group_count_t two = {2, 1, 1};
    ze_group_size_t one = {1, 1, 1};
    assert_success(zeCommandListAppendLaunchKernelWithArguments(
        list.list, local, two, one, local_arguments, NULL, NULL, 0, NULL));
    api_list_run(api, &list);
    for (int i = 0; i < COUNT; i++) {
        assert_true(out[i] == 3.0f * (float)i);
    }
    assert_true(report[1] >= report[0] + 3000);
    assert_int_equal(report[2], 1000);
    assert_int_equal(report[4 + 3], 2001);
    /* the kernel keeps what it was given */
    memset(out, 0, COUNT * sizeof(*out));
    assert_success(zeCommandListAppendLaunchKernel(list.list, scale, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_true(out[COUNT - 1] == 3.0f * (COUNT - 1));

    ze_base_desc_t unknown = {.stype = (ze_structure_type_t)0x7ffffff0};
    ze_group_size_t too_large = {1u << 20, 1, 1};
    assert_result(zeCommandListAppendLaunchKernelWithArguments(list.list, scale, groups, size,
                                                               arguments, &unknown, NULL, 0, NULL),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_result(zeCommandListAppendLaunchKernelWithArguments(list.list, scale, groups, too_large,
                                                               arguments, NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_result(zeCommandListAppendLaunchKernelWithArguments(list.list, scale, groups, size, NULL,
                                                               NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    api_list_run(api, &list);
    assert_success(zeKernelDestroy(scale));
    assert_success(zeKernelDestroy(local));
    assert_success(zeModuleDestroy(module));
    api_list_destroy(&list);
    api_free(api, out);
    api_free(api, in);
    api_free(api, report);
}

/* KRN-6, CMQ-5, CMQ-8, GEN-24 */
static void launches_that_cannot_be_are_refused(void **state)
{
    struct api *api = *state;
    struct launch launch = launch_open(api, 16);
    ze_group_count_t groups = {1, 1, 1};
    assert_result(
        zeCommandListAppendLaunchKernel(launch.list.list, launch.kernel, NULL, NULL, 0, NULL),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeCommandListAppendLaunchKernel(launch.list.list, NULL, &groups, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeCommandListAppendLaunchKernel(NULL, launch.kernel, &groups, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(
        zeCommandListAppendLaunchKernel(launch.list.list, launch.kernel, &groups, NULL, 1, NULL),
        ZE_RESULT_ERROR_INVALID_SIZE);
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = 1};
    ze_command_list_handle_t copies;
    if (zeCommandListCreate(api->context, api->device, &desc, &copies) == ZE_RESULT_SUCCESS) {
        assert_result(
            zeCommandListAppendLaunchKernel(copies, launch.kernel, &groups, NULL, 0, NULL),
            ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
        assert_success(zeCommandListDestroy(copies));
    }
    launch_close(api, &launch);
}

/* What 64 bits do not count would run as something else. A list that is never executed shows what
 * is just possible. */
static void groups_beyond_64_bits_are_refused(void **state)
{
    struct api *api = *state;
    struct launch launch = launch_open(api, 16);
    const ze_group_count_t most = {UINT32_MAX, UINT32_MAX, 1}, over = {1u << 31, 1u << 31, 4};
    const ze_group_count_t way_over = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &list));
    assert_success(zeCommandListAppendLaunchKernel(list, launch.kernel, &most, NULL, 0, NULL));
    assert_result(zeCommandListAppendLaunchKernel(list, launch.kernel, &over, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
    assert_result(zeCommandListAppendLaunchKernelWithParameters(list, launch.kernel, &way_over,
                                                                NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
    assert_success(zeCommandListDestroy(list));
    launch_close(api, &launch);
}

/* KRN-6, SYN-5: many launches, each after the one before */
static void a_chain_of_launches_runs_in_order(void **state)
{
    struct api *api = *state;
    enum { LAUNCHES = 2000 };
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t scale = api_kernel(module, "scale");
    float *values = api_alloc_shared(api, 64 * sizeof(*values)), factor = 2.0f;
    uint32_t count = 64;
    ze_group_count_t groups = {1, 1, 1};
    for (int i = 0; i < 64; i++) {
        values[i] = 1.0f;
    }
    assert_success(zeKernelSetGroupSize(scale, 64, 1, 1));
    assert_success(zeKernelSetArgumentValue(scale, 0, sizeof(values), &values));
    assert_success(zeKernelSetArgumentValue(scale, 1, sizeof(values), &values));
    assert_success(zeKernelSetArgumentValue(scale, 3, sizeof(count), &count));
    for (int i = 0; i < LAUNCHES; i++) {
        factor = i % 2 ? 0.5f : 2.0f;
        assert_success(zeKernelSetArgumentValue(scale, 2, sizeof(factor), &factor));
        assert_success(zeCommandListAppendLaunchKernel(list.list, scale, &groups, NULL, 0, NULL));
        assert_success(zeCommandListAppendBarrier(list.list, NULL, 0, NULL));
    }
    api_list_run(api, &list);
    for (int i = 0; i < 64; i++) {
        assert_true(values[i] == 1.0f);
    }
    assert_success(zeKernelDestroy(scale));
    assert_success(zeModuleDestroy(module));
    api_list_destroy(&list);
    api_free(api, values);
}

/* GEN-15: a list that lives long does not keep every module it ever ran */
static void modules_come_and_go_on_one_list(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint32_t *out = api_alloc_shared(api, 64 * sizeof(*out));
    ze_group_count_t groups = {64, 1, 1};
    for (int i = 0; i < 200; i++) {
        ze_module_handle_t module = api_native_module(api);
        ze_kernel_handle_t kernel = api_kernel(module, "ids");
        memset(out, 0xff, 64 * sizeof(*out));
        assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
        assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
        assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
        assert_success(zeKernelDestroy(kernel));
        assert_success(zeModuleDestroy(module));
        if (i % 3 == 0) {
            api_list_run(api, &list);
            assert_int_equal(out[63], 63);
        }
    }
    api_list_run(api, &list);
    api_list_destroy(&list);
    api_free(api, out);
}

static const struct api_case cases[] = {
    API_RUN_CASE(every_item_of_every_group_runs),
    API_RUN_CASE(group_size_and_arguments_are_copied_at_append),
    API_RUN_CASE(recorded_launches_outlive_kernel_and_module),
    API_RUN_CASE(an_indirect_launch_reads_counts_when_it_runs),
    API_RUN_CASE(every_kind_of_launch_has_the_global_offset),
    API_RUN_CASE(multiple_indirect_launches_stop_at_the_count),
    API_RUN_CASE(cooperative_launches_are_limited),
    API_RUN_CASE(launches_take_known_extensions_only),
    API_RUN_CASE(a_group_has_128_kib_of_local_memory),
    API_RUN_CASE(arguments_and_size_can_come_with_the_launch),
    API_LIST_CASE(launches_that_cannot_be_are_refused),
    API_CASE(groups_beyond_64_bits_are_refused),
    API_RUN_CASE(a_chain_of_launches_runs_in_order),
    API_RUN_CASE(modules_come_and_go_on_one_list),
};

API_MAIN("launch", cases)
