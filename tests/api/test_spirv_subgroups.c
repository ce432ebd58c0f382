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
    ze_result_t result = zeModuleCreate(api->context, api->device, &desc, &module, &log);
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

static const struct api_case cases[] = {
    API_RUN_CASE(values_of_lanes_that_are_off_are_numbers),
    API_RUN_CASE(the_extension_is_reported_and_true),
    API_RUN_CASE(what_cannot_be_is_refused_with_a_reason),
};

API_MAIN("sub-groups", cases)
