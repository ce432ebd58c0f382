/* ZE_extension_subgroups: it is reported, and kernels can do what it says; what cannot be is
 * refused with a reason in the log. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 9, GROUPS = 2, LOCAL = 24, SIZE = 16, ITEMS = GROUPS * LOCAL };

static void expect(const int *in, int *out, uint32_t lanes)
{
    int sum = 0, votes = 0, most = -1000, positive = 1;
    for (uint32_t k = 0; k < lanes; k++) {
        votes |= (in[k] & 1) << k;
        most = (in[k] & 1) && in[k] > most ? in[k] : most;
        positive &= in[k] > 0;
    }
    for (uint32_t k = 0; k < lanes; k++) {
        int *o = out + k, cluster = 0;
        for (uint32_t c = k & ~3u; c < (k & ~3u) + 4; c++) {
            cluster += in[c];
        }
        sum += in[k];
        o[0 * ITEMS] = sum;
        o[1 * ITEMS] = 3 * in[1];
        o[2 * ITEMS] = positive + 2;
        o[3 * ITEMS] = votes;
        o[4 * ITEMS] = (2 << k) - 1;
        o[5 * ITEMS] = in[k] & 1 ? most : 0;
        o[6 * ITEMS] = in[k ^ 1];
        o[7 * ITEMS] = k ? in[k - 1] : in[k];
        o[8 * ITEMS] = cluster;
    }
}

/* SPV-28, SPV-29, SPV-30, SPV-31, SPV-32 */
static void the_extension_is_reported_and_true(void **state)
{
    struct api *api = *state;
    ze_driver_extension_properties_t all[128];
    uint32_t count = 128;
    bool listed = false;
    assert_success(zeDriverGetExtensionProperties(api->driver, &count, all));
    for (uint32_t i = 0; i < count; i++) {
        listed |= strcmp(all[i].name, ZE_SUBGROUPS_EXT_NAME) == 0 &&
                  all[i].version == ZE_SUBGROUP_EXT_VERSION_1_0;
    }
    assert_true(listed);
    ze_module_handle_t module = api_spirv_module(api, "api_subgroups");
    ze_kernel_handle_t kernel = api_kernel(module, "subgroups");
    int *in = api_alloc_shared(api, ITEMS * sizeof(int));
    int *out = api_alloc_shared(api, ROWS * ITEMS * sizeof(int));
    int wanted[ROWS * ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        in[i] = i * 37 % 101 - 20;
    }
    for (uint32_t group = 0; group < GROUPS; group++) {
        expect(in + group * LOCAL, wanted + group * LOCAL, SIZE);
        expect(in + group * LOCAL + SIZE, wanted + group * LOCAL + SIZE, LOCAL - SIZE);
    }
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(in), &in));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(out), &out));
    assert_success(zeKernelSetGroupSize(kernel, LOCAL, 1, 1));
    struct api_list list = api_list_create(api);
    ze_group_count_t groups = {GROUPS, 1, 1};
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_memory_equal(out, wanted, sizeof(wanted));
    api_list_destroy(&list);
    api_free(api, in);
    api_free(api, out);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

/* Builds api_cluster with one constant set; `reason` NULL: it works. */
static void cluster_build(struct api *api, uint32_t id, uint32_t value, const char *reason)
{
    size_t size;
    void *spirv = api_read_file("tests/api_cluster.spv", &size);
    const void *values[] = {&value};
    ze_module_constants_t constants = {1, &id, values};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = size,
                             .pInputModule = spirv,
                             .pConstants = &constants};
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    char text[4096] = "";
    size_t length = sizeof(text);
    ze_result_t result = api_module_try(api, &desc, &module, &log);
    assert_success(zeModuleBuildLogGetString(log, &length, text));
    assert_success(zeModuleBuildLogDestroy(log));
    if (reason) {
        assert_int_equal(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        if (!strstr(text, reason)) {
            fail_msg("the log says \"%s\"", text);
        }
    } else {
        assert_int_equal(result, ZE_RESULT_SUCCESS);
        assert_success(zeModuleDestroy(module));
    }
    free(spirv);
}

/* SPV-18, SPV-31 */
static void what_cannot_be_is_refused_with_a_reason(void **state)
{
    struct api *api = *state;
    cluster_build(api, 7, 8, NULL);
    cluster_build(api, 7, 3, "the cluster's size is not a constant power of two");
    cluster_build(api, 7, 0, "the cluster's size is not a constant power of two");
    cluster_build(api, 8, 2, "it works at sub-group scope only"); /* Workgroup */
    cluster_build(api, 8, 1, "it works at sub-group scope only"); /* Device */
}

/* What comes from a lane that is off is undefined, and still a number: nothing is left of it where
 * its bits are cut off. */
static void values_of_lanes_that_are_off_are_numbers(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_spirv_module(api, "api_off_lanes");
    ze_kernel_handle_t kernel = api_kernel(module, "off_lanes");
    uint32_t *in = api_alloc_shared(api, ITEMS * sizeof(*in));
    uint32_t *none = api_alloc_shared(api, ITEMS * sizeof(*none));
    uint32_t *out = api_alloc_shared(api, 3 * ITEMS * sizeof(*out));
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = i * 7 + 1;
        none[i] = 0;
    }
    memset(out, 0x55, 3 * ITEMS * sizeof(*out));
    void *arguments[] = {in, none, out};
    for (uint32_t i = 0; i < 3; i++) {
        assert_success(zeKernelSetArgumentValue(kernel, i, sizeof(void *), &arguments[i]));
    }
    assert_success(zeKernelSetGroupSize(kernel, SIZE, 1, 1));
    struct api_list list = api_list_create(api);
    ze_group_count_t groups = {ITEMS / SIZE, 1, 1};
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    for (uint32_t i = 0; i < 3 * ITEMS; i++) {
        assert_int_equal(out[i], i % SIZE < 8 ? 0x55555555 : 0);
    }
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, in);
    api_free(api, none);
    api_free(api, out);
}

enum { SHAPE_ITEMS = 256, SHAPE_ROWS = 4 };

static void expect_rows(const uint32_t *size, const int *in, int *out)
{
    uint32_t items = size[0] * size[1] * size[2];
    for (uint32_t i = 0; i < items; i++) {
        uint32_t first = i / SIZE * SIZE, end = first + SIZE < items ? first + SIZE : items;
        uint32_t x = i % size[0], y = i / size[0] % size[1], z = i / size[0] / size[1];
        int sum = 0;
        for (uint32_t k = first; k < end; k++) {
            sum += in[k];
        }
        out[i] = (int)(x + 1000 * y + 1000000 * z);
        out[items + i] = (int)(i / SIZE * 100 + i % SIZE);
        out[2 * items + i] = (int)((end - first) * 100 + (items + SIZE - 1) / SIZE);
        out[3 * items + i] = x < 4 ? sum : -1;
    }
}

/* Sub-groups are items that follow each other in the group, whatever its rows are. */
static void sub_groups_go_on_from_row_to_row(void **state)
{
    struct api *api = *state;
    static const uint32_t shapes[][3] = {{256, 1, 1}, {24, 1, 1}, {5, 1, 1},  {16, 4, 1},
                                         {32, 2, 2},  {8, 8, 1},  {4, 16, 1}, {20, 3, 1},
                                         {48, 1, 2},  {1, 33, 1}, {1, 1, 19}, {18, 1, 2}};
    ze_module_handle_t module = api_spirv_module(api, "api_subgroup_rows");
    ze_kernel_handle_t kernel = api_kernel(module, "rows");
    int *in = api_alloc_shared(api, SHAPE_ITEMS * sizeof(int));
    int *out = api_alloc_shared(api, SHAPE_ROWS * SHAPE_ITEMS * sizeof(int));
    for (int i = 0; i < SHAPE_ITEMS; i++) {
        in[i] = i * 37 % 101 - 20;
    }
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(in), &in));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(out), &out));
    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const uint32_t *size = shapes[i];
        int wanted[SHAPE_ROWS * SHAPE_ITEMS];
        expect_rows(size, in, wanted);
        assert_success(zeKernelSetGroupSize(kernel, size[0], size[1], size[2]));
        struct api_list list = api_list_create(api);
        ze_group_count_t groups = {1, 1, 1};
        assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
        api_list_run(api, &list);
        assert_memory_equal(out, wanted, SHAPE_ROWS * size[0] * size[1] * size[2] * sizeof(*out));
        api_list_destroy(&list);
    }
    api_free(api, in);
    api_free(api, out);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_RUN_CASE(sub_groups_go_on_from_row_to_row),
    API_RUN_CASE(values_of_lanes_that_are_off_are_numbers),
    API_RUN_CASE(the_extension_is_reported_and_true),
    API_RUN_CASE(what_cannot_be_is_refused_with_a_reason),
};

API_MAIN("sub-groups", cases)
