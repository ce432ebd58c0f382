/* API test of the "Operations" group of metrics: kernels whose operations are counted by hand. The
 * counts are the same for every lane width. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

enum { GROUPS = 7, ITEMS = 20, ALL = GROUPS * ITEMS };

/* A query of the group, and the values that it measured. */
struct measure {
    zet_metric_group_handle_t group;
    zet_metric_query_pool_handle_t pool;
    zet_metric_query_handle_t query;
    uint32_t count;
    char names[64][64];
    zet_typed_value_t values[64];
};

static zet_metric_group_handle_t group_find(struct api *api)
{
    return api_metric_group(api, "Operations", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED);
}

static struct measure measure_open(struct api *api)
{
    const zet_metric_query_pool_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC,
                                               .type = ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE,
                                               .count = 1};
    struct measure measure = {.group = group_find(api), .count = 64};
    zet_metric_handle_t metrics[64];
    assert_success(zetMetricGet(measure.group, &measure.count, metrics));
    for (uint32_t i = 0; i < measure.count; i++) {
        zet_metric_properties_t properties = {.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES};
        assert_success(zetMetricGetProperties(metrics[i], &properties));
        snprintf(measure.names[i], sizeof(measure.names[i]), "%.63s", properties.name);
    }
    api_metric_activate(api, measure.group);
    assert_success(
        zetMetricQueryPoolCreate(api->context, api->device, measure.group, &desc, &measure.pool));
    assert_success(zetMetricQueryCreate(measure.pool, 0, &measure.query));
    return measure;
}

static void measure_close(struct api *api, struct measure *measure)
{
    assert_success(zetMetricQueryDestroy(measure->query));
    assert_success(zetMetricQueryPoolDestroy(measure->pool));
    api_metric_activate(api, NULL);
}

static void measure_read(struct measure *measure)
{
    uint8_t data[2048];
    size_t bytes = sizeof(data);
    uint32_t count = 64;
    assert_success(zetMetricQueryGetData(measure->query, &bytes, data));
    assert_success(zetMetricGroupCalculateMetricValues(
        measure->group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, bytes, data, &count,
        measure->values));
    assert_int_equal(count, measure->count);
    assert_success(zetMetricQueryReset(measure->query));
}

static double value(const struct measure *measure, const char *name)
{
    uint32_t i = 0;
    while (i < measure->count && strcmp(measure->names[i], name) != 0) {
        i++;
    }
    assert_true(i < measure->count);
    return measure->values[i].type == ZET_VALUE_TYPE_FLOAT64
               ? measure->values[i].value.fp64
               : (double)measure->values[i].value.ui64;
}

/* Checks a number that is the same for every item. */
static void expect_each(const struct measure *measure, const char *name, uint32_t each)
{
    if (value(measure, name) != (double)each * ALL) {
        print_error("%s: %.0f, not %u\n", name, value(measure, name), each * ALL);
    }
    assert_true(value(measure, name) == (double)each * ALL);
}

static void launch(struct api *api, struct measure *measure, ze_kernel_handle_t kernel,
                   bool cooperative)
{
    const ze_group_count_t groups = {GROUPS, 1, 1};
    struct api_list list = api_list_create(api);
    assert_success(zeKernelSetGroupSize(kernel, ITEMS, 1, 1));
    assert_success(zetCommandListAppendMetricQueryBegin(list.list, measure->query));
    assert_success(
        (cooperative ? zeCommandListAppendLaunchCooperativeKernel
                     : zeCommandListAppendLaunchKernel)(list.list, kernel, &groups, NULL, 0, NULL));
    assert_success(zetCommandListAppendMetricQueryEnd(list.list, measure->query, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
    measure_read(measure);
}

/* Runs a kernel of the module with pointers to these buffers and a number as arguments. */
static void measure_kernel(struct api *api, struct measure *measure, ze_module_handle_t module,
                           const char *name, void *const *pointers, uint32_t count)
{
    const ze_kernel_handle_t kernel = api_kernel(module, name);
    const float a = 1.5f;
    const double wide = 1.5;
    uint32_t at = 0;
    for (; at < count; at++) {
        assert_success(zeKernelSetArgumentValue(kernel, at, sizeof(pointers[at]), &pointers[at]));
    }
    if (strcmp(name, "wide") == 0) {
        assert_success(zeKernelSetArgumentValue(kernel, at, sizeof(wide), &wide));
    } else if (strcmp(name, "meet") == 0) {
        assert_success(zeKernelSetArgumentValue(kernel, at, ITEMS * sizeof(uint32_t), NULL));
    } else if (strcmp(name, "single") == 0 || strcmp(name, "narrow") == 0 ||
               strcmp(name, "vectors") == 0) {
        assert_success(zeKernelSetArgumentValue(kernel, at, sizeof(a), &a));
    }
    launch(api, measure, kernel, false);
    assert_success(zeKernelDestroy(kernel));
    assert_true(value(measure, "CountedKernels") == 1);
    assert_true(value(measure, "UncountedKernels") == 0);
}

/* MET-11, MET-14 */
static void operations_on_floats_are_counted_by_width(void **state)
{
    struct api *api = *state;
    struct measure measure = measure_open(api);
    const ze_module_handle_t module = api_spirv_module(api, "operations");
    void *const buffers[] = {api_alloc_shared(api, ALL * 16), api_alloc_shared(api, ALL * 16)};
    memset(buffers[0], 0, ALL * 16);
    measure_kernel(api, &measure, module, "single", buffers, 1);
    expect_each(&measure, "SingleOperations", 4);
    expect_each(&measure, "FloatOperations", 4);
    expect_each(&measure, "ReadBytes", 4);
    expect_each(&measure, "WrittenBytes", 4);
    assert_true(value(&measure, "FloatRate") > 0 && value(&measure, "MemoryRate") > 0);
    measure_kernel(api, &measure, module, "wide", buffers, 1);
    expect_each(&measure, "DoubleOperations", 3);
    expect_each(&measure, "SingleOperations", 0);
    expect_each(&measure, "ReadBytes", 8);
    measure_kernel(api, &measure, module, "narrow", buffers, 1);
    expect_each(&measure, "HalfOperations", 2);
    expect_each(&measure, "FloatOperations", 2);
    expect_each(&measure, "WrittenBytes", 2);
    measure_kernel(api, &measure, module, "vectors", buffers, 2);
    expect_each(&measure, "SingleOperations", 4 + 7);
    expect_each(&measure, "ReadBytes", 16);
    api_free(api, buffers[0]);
    api_free(api, buffers[1]);
    assert_success(zeModuleDestroy(module));
    measure_close(api, &measure);
}

/* MET-11 */
static void only_lanes_that_run_an_operation_count(void **state)
{
    struct api *api = *state;
    struct measure measure = measure_open(api);
    const ze_module_handle_t module = api_spirv_module(api, "operations");
    void *const buffer = api_alloc_shared(api, 2 * ALL * 4);
    uint32_t expected = 0, stored = ALL;
    memset(buffer, 0, 2 * ALL * 4);
    for (uint32_t i = 0; i < ALL; i++) {
        expected += (i % 3 == 0) + i % 4;
        stored += i % 3 == 0;
    }
    measure_kernel(api, &measure, module, "divergent", &buffer, 1);
    if (value(&measure, "SingleOperations") != expected) {
        print_error("%.0f operations, not %u\n", value(&measure, "SingleOperations"), expected);
    }
    assert_true(value(&measure, "SingleOperations") == expected);
    assert_true(value(&measure, "WrittenBytes") == 4.0 * stored);
    void *const buffers[] = {buffer, (float *)buffer + ALL};
    measure_kernel(api, &measure, module, "border", buffers, 2);
    assert_true(value(&measure, "SingleOperations") == ALL + 2 * (ALL - 2));
    assert_true(value(&measure, "InactiveLanes") >= 0 && value(&measure, "InactiveLanes") < 100);
    api_free(api, buffer);
    assert_success(zeModuleDestroy(module));
    measure_close(api, &measure);
}

/* MET-11: also where the rows of a group are computed together */
static void items_of_a_plane_are_counted(void **state)
{
    enum { WIDTH = 32, HEIGHT = 16, DEPTH = 64 };
    struct api *api = *state;
    struct measure measure = measure_open(api);
    const ze_module_handle_t module = api_spirv_module(api, "operations");
    const ze_kernel_handle_t kernel = api_kernel(module, "product");
    const ze_group_count_t groups = {2, 2, 1};
    void *const buffers[] = {api_alloc_shared(api, HEIGHT * DEPTH * 4),
                             api_alloc_shared(api, WIDTH * DEPTH * 4),
                             api_alloc_shared(api, WIDTH * HEIGHT * 4)};
    struct api_list list = api_list_create(api);
    for (uint32_t i = 0; i < 3; i++) {
        assert_success(zeKernelSetArgumentValue(kernel, i, sizeof(buffers[i]), &buffers[i]));
    }
    assert_success(zeKernelSetGroupSize(kernel, WIDTH / 2, HEIGHT / 2, 1));
    assert_success(zetCommandListAppendMetricQueryBegin(list.list, measure.query));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    assert_success(zetCommandListAppendMetricQueryEnd(list.list, measure.query, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
    measure_read(&measure);
    assert_true(value(&measure, "SingleOperations") == 2.0 * WIDTH * HEIGHT * DEPTH);
    assert_true(value(&measure, "ReadBytes") == 8.0 * WIDTH * HEIGHT * DEPTH);
    assert_true(value(&measure, "WrittenBytes") == 4.0 * WIDTH * HEIGHT);
    assert_true(value(&measure, "InactiveLanes") == 0);
    for (uint32_t i = 0; i < 3; i++) {
        api_free(api, buffers[i]);
    }
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    measure_close(api, &measure);
}

/* MET-11 */
static void bytes_are_counted_by_the_place_of_neighbours(void **state)
{
    struct api *api = *state;
    struct measure measure = measure_open(api);
    const ze_module_handle_t module = api_spirv_module(api, "operations");
    void *const buffers[] = {api_alloc_shared(api, ALL * 12), api_alloc_shared(api, ALL * 4),
                             api_alloc_shared(api, ALL * 4)};
    for (uint32_t i = 0; i < ALL; i++) {
        ((uint32_t *)buffers[1])[i] = (i * 77) % ALL;
    }
    memset(buffers[0], 0, ALL * 12);
    measure_kernel(api, &measure, module, "places", buffers, 3);
    expect_each(&measure, "ReadBytes", 16);
    expect_each(&measure, "WrittenBytes", 4);
    const double sum = value(&measure, "UniformBytes") + value(&measure, "ConsecutiveBytes") +
                       value(&measure, "StridedBytes") + value(&measure, "ScatteredBytes");
    assert_true(sum == 20.0 * ALL);
    const char *lanes = getenv("GEOID_LANES");
    if (!lanes || strcmp(lanes, "1") != 0) { /* one item has no neighbours */
        expect_each(&measure, "UniformBytes", 4);
        expect_each(&measure, "ConsecutiveBytes", 8);
        expect_each(&measure, "StridedBytes", 4);
        expect_each(&measure, "ScatteredBytes", 4);
    }
    for (uint32_t i = 0; i < 3; i++) {
        api_free(api, buffers[i]);
    }
    assert_success(zeModuleDestroy(module));
    measure_close(api, &measure);
}

/* MET-11 */
static void barriers_local_memory_and_atomics_are_counted(void **state)
{
    struct api *api = *state;
    struct measure measure = measure_open(api);
    const ze_module_handle_t module = api_spirv_module(api, "operations");
    void *const buffer = api_alloc_shared(api, ALL * 4);
    memset(buffer, 0, ALL * 4);
    measure_kernel(api, &measure, module, "meet", &buffer, 1);
    expect_each(&measure, "Barriers", 2);
    expect_each(&measure, "LocalBytes", 12);
    expect_each(&measure, "FloatOperations", 0);
    expect_each(&measure, "Atomics", 0);
    measure_kernel(api, &measure, module, "atomics", &buffer, 1);
    expect_each(&measure, "Atomics", 2);
    expect_each(&measure, "Barriers", 0);
    expect_each(&measure, "LocalBytes", 0);
    assert_int_equal(((uint32_t *)buffer)[1], ALL - 1);
    api_free(api, buffer);
    assert_success(zeModuleDestroy(module));
    measure_close(api, &measure);
}

/* MET-11: of functions that are not inlined, and of groups that stop at barriers of the device */
static void calls_and_barriers_of_the_device_are_counted(void **state)
{
    struct api *api = *state;
    struct measure measure = measure_open(api);
    const ze_module_handle_t calls = api_spirv_module(api, "deferred_calls");
    const ze_module_handle_t meetings = api_spirv_module(api, "device_barrier");
    const ze_kernel_handle_t kernel = api_kernel(meetings, "device_meet");
    void *const buffers[] = {api_alloc_shared(api, ALL * 4), api_alloc_shared(api, ALL * 4)};
    const uint32_t rounds = 3;
    measure_kernel(api, &measure, calls, "call_0", buffers, 1);
    expect_each(&measure, "Atomics", 1);
    expect_each(&measure, "WrittenBytes", 4);
    for (uint32_t i = 0; i < 2; i++) {
        assert_success(zeKernelSetArgumentValue(kernel, i, sizeof(buffers[i]), &buffers[i]));
    }
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(rounds), &rounds));
    launch(api, &measure, kernel, true);
    assert_true(value(&measure, "CountedKernels") == 1);
    expect_each(&measure, "Barriers", 2 * rounds + 1);
    expect_each(&measure, "WrittenBytes", 4 * (1 + rounds + 1));
    assert_true(value(&measure, "SavedBytes") > 0);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(meetings));
    assert_success(zeModuleDestroy(calls));
    api_free(api, buffers[0]);
    api_free(api, buffers[1]);
    measure_close(api, &measure);
}

/* MET-14: a list that was recorded before has kernels without counters, and so has a module without
 * SPIR-V */
static void kernels_without_counters_are_told(void **state)
{
    struct api *api = *state;
    (void)group_find(api);
    const ze_module_handle_t module = api_spirv_module(api, "operations");
    const ze_kernel_handle_t kernel = api_kernel(module, "atomics");
    const ze_group_count_t groups = {GROUPS, 1, 1};
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_list_handle_t lists[3];
    ze_command_queue_handle_t queue;
    void *const buffer = api_alloc_shared(api, 8);
    memset(buffer, 0, 8);
    assert_success(zeKernelSetGroupSize(kernel, ITEMS, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(buffer), &buffer));
    assert_success(zeCommandQueueCreate(api->context, api->device, &queue_desc, &queue));
    for (uint32_t i = 0; i < 3; i++) {
        assert_success(zeCommandListCreate(api->context, api->device, &desc, &lists[i]));
    }
    assert_success(zeCommandListAppendLaunchKernel(lists[1], kernel, &groups, NULL, 0, NULL));
    struct measure measure = measure_open(api);
    assert_success(zetCommandListAppendMetricQueryBegin(lists[0], measure.query));
    assert_success(zeCommandListAppendLaunchKernel(lists[2], kernel, &groups, NULL, 0, NULL));
    assert_success(zetCommandListAppendMetricQueryEnd(lists[2], measure.query, NULL, 0, NULL));
    for (uint32_t i = 0; i < 3; i++) {
        assert_success(zeCommandListClose(lists[i]));
    }
    assert_success(zeCommandQueueExecuteCommandLists(queue, 3, lists, NULL));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    measure_read(&measure);
    assert_true(value(&measure, "CountedKernels") == 1);
    assert_true(value(&measure, "UncountedKernels") == 1);
    expect_each(&measure, "Atomics", 2);
    assert_int_equal(*(uint32_t *)buffer, 2 * ALL);
    for (uint32_t i = 0; i < 3; i++) {
        assert_success(zeCommandListDestroy(lists[i]));
    }
    measure_close(api, &measure);
    assert_success(zeCommandQueueDestroy(queue));
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, buffer);
}

/* MET-14: kernels of a module of the whole device */
static void kernels_count_on_a_part_of_their_device(void **state)
{
    struct api *api = *state;
    const ze_device_handle_t whole = api->device;
    ze_device_handle_t part;
    uint32_t count = 1;
    (void)group_find(api);
    if (zeDeviceGetSubDevices(whole, &count, &part) != ZE_RESULT_SUCCESS || count == 0) {
        skip();
    }
    const ze_module_handle_t module = api_spirv_module(api, "operations");
    void *const buffer = api_alloc_shared(api, ALL * 4);
    memset(buffer, 0, ALL * 4);
    api->device = part;
    struct measure measure = measure_open(api);
    measure_kernel(api, &measure, module, "single", &buffer, 1);
    expect_each(&measure, "SingleOperations", 4);
    measure_close(api, &measure);
    api->device = whole;
    api_free(api, buffer);
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_RUN_CASE(operations_on_floats_are_counted_by_width),
    API_RUN_CASE(only_lanes_that_run_an_operation_count),
    API_RUN_CASE(items_of_a_plane_are_counted),
    API_RUN_CASE(bytes_are_counted_by_the_place_of_neighbours),
    API_RUN_CASE(barriers_local_memory_and_atomics_are_counted),
    API_RUN_CASE(calls_and_barriers_of_the_device_are_counted),
    API_CASE(kernels_without_counters_are_told),
    API_RUN_CASE(kernels_count_on_a_part_of_their_device),
};

API_MAIN("metric_operations", cases)
