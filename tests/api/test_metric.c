/* API test of metrics of devices that have an "Executor" group: what is counted is known by hand. */
#include "harness.h"

#include <stdlib.h>

#define GROUPS 70u
#define ITEMS  20u

#define QUERY  ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED
#define TIMED  ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED
#define TRACED ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED

/* Work whose counts are known: launches of GROUPS groups of ITEMS items. */
struct work {
    struct api_list list;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    uint32_t *out;
};

static struct work work_open(struct api *api)
{
    struct work work = {.list = api_list_create(api), .module = api_native_module(api)};
    work.kernel = api_kernel(work.module, "ids");
    work.out = api_alloc_shared(api, GROUPS * ITEMS * sizeof(*work.out));
    assert_success(zeKernelSetArgumentValue(work.kernel, 0, sizeof(void *), &work.out));
    assert_success(zeKernelSetGroupSize(work.kernel, ITEMS, 1, 1));
    return work;
}

static void work_append(const struct work *work, ze_event_handle_t event)
{
    const ze_group_count_t count = {GROUPS, 1, 1};
    assert_success(
        zeCommandListAppendLaunchKernel(work->list.list, work->kernel, &count, event, 0, NULL));
}

static void work_close(struct api *api, struct work *work)
{
    assert_success(zeKernelDestroy(work->kernel));
    assert_success(zeModuleDestroy(work->module));
    api_list_destroy(&work->list);
    api_free(api, work->out);
}

/* Returns the sum of a metric over all reports. */
static double sum(zet_metric_group_handle_t group, const char *name, const uint8_t *data,
                  size_t bytes)
{
    zet_metric_handle_t metrics[64];
    uint32_t metric_count = 64, count = 0, at = UINT32_MAX;
    double total = 0;
    assert_success(zetMetricGet(group, &metric_count, metrics));
    for (uint32_t i = 0; i < metric_count; i++) {
        zet_metric_properties_t properties = {.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES};
        assert_success(zetMetricGetProperties(metrics[i], &properties));
        at = strcmp(properties.name, name) == 0 ? i : at;
    }
    assert_true(at < metric_count);
    assert_success(zetMetricGroupCalculateMetricValues(
        group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, bytes, data, &count, NULL));
    zet_typed_value_t *values = calloc(count + 1u, sizeof(*values));
    assert_success(zetMetricGroupCalculateMetricValues(
        group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, bytes, data, &count, values));
    assert_int_equal(count % metric_count, 0);
    for (; at < count; at += metric_count) {
        total += values[at].type == ZET_VALUE_TYPE_FLOAT64 ? values[at].value.fp64
                                                           : (double)values[at].value.ui64;
    }
    free(values);
    return total;
}

/* ---- queries ---- */

/* MET-11, MET-14 */
static void a_query_counts_the_launches_between(void **state)
{
    struct api *api = *state;
    const zet_metric_group_handle_t group = api_metric_group(api, "Executor", QUERY);
    const zet_metric_query_pool_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC,
                                               .type = ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE,
                                               .count = 1};
    zet_metric_query_pool_handle_t pool;
    zet_metric_query_handle_t query;
    uint8_t data[1024];
    api_metric_activate(api, group);
    struct work work = work_open(api);
    assert_success(zetMetricQueryPoolCreate(api->context, api->device, group, &desc, &pool));
    assert_success(zetMetricQueryCreate(pool, 0, &query));
    for (uint32_t launches = 1; launches < 4; launches++) {
        size_t bytes = 0;
        assert_success(zetMetricQueryReset(query));
        work_append(&work, NULL);
        assert_success(zetCommandListAppendMetricQueryBegin(work.list.list, query));
        for (uint32_t i = 0; i < launches; i++) {
            work_append(&work, NULL);
        }
        assert_success(zetCommandListAppendMetricQueryEnd(work.list.list, query, NULL, 0, NULL));
        work_append(&work, NULL);
        api_list_run(api, &work.list);
        assert_success(zetMetricQueryGetData(query, &bytes, NULL));
        assert_true(bytes != 0 && bytes <= sizeof(data));
        assert_success(zetMetricQueryGetData(query, &bytes, data));
        assert_true(sum(group, "Kernels", data, bytes) == launches);
        assert_true(sum(group, "WorkGroups", data, bytes) == launches * GROUPS);
        assert_true(sum(group, "WorkItems", data, bytes) == launches * GROUPS * ITEMS);
    }
    assert_success(zetMetricQueryDestroy(query));
    assert_success(zetMetricQueryPoolDestroy(pool));
    work_close(api, &work);
    api_metric_activate(api, NULL);
}

/* ---- streamers ---- */

/* MET-8, MET-9, MET-10 */
static void a_streamer_counts_the_device(void **state)
{
    struct api *api = *state;
    const zet_metric_group_handle_t group = api_metric_group(api, "Executor", TIMED);
    zet_metric_streamer_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC,
                                       .samplingPeriod = 1000000};
    zet_metric_streamer_handle_t streamer;
    api_metric_activate(api, group);
    struct work work = work_open(api);
    assert_success(zetMetricStreamerOpen(api->context, api->device, group, &desc, NULL, &streamer));
    assert_int_equal(desc.samplingPeriod, 1000000);
    for (uint32_t i = 0; i < 10; i++) {
        work_append(&work, NULL);
        api_list_run(api, &work.list);
    }
    /* the marker ends the report, so all launches are in reports afterwards */
    assert_success(zetCommandListAppendMetricStreamerMarker(work.list.list, streamer, 42));
    api_list_run(api, &work.list);
    size_t bytes = 0;
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &bytes, NULL));
    uint8_t *data = malloc(bytes + 1);
    assert_success(zetMetricStreamerReadData(streamer, UINT32_MAX, &bytes, data));
    assert_true(sum(group, "Kernels", data, bytes) == 10);
    assert_true(sum(group, "WorkItems", data, bytes) == 10 * GROUPS * ITEMS);
    assert_true(sum(group, "StreamMarker", data, bytes) == 42);
    free(data);
    assert_success(zetMetricStreamerClose(streamer));
    work_close(api, &work);
    api_metric_activate(api, NULL);
}

/* ---- tracers ---- */

static void a_tracer_tells_of_each_launch(void **state)
{
    struct api *api = *state;
    zet_metric_group_handle_t group = api_metric_group(api, "Trace", TRACED);
    zet_metric_tracer_exp_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC};
    zet_metric_tracer_exp_handle_t tracer;
    zet_metric_decoder_exp_handle_t decoder;
    zet_metric_handle_t metrics[32];
    uint32_t metric_count = 32, sets = 0, entry_count = 0, begins = 0;
    size_t bytes = 0;
    api_metric_activate(api, group);
    struct work work = work_open(api);
    assert_success(
        zetMetricTracerCreateExp(api->context, api->device, 1, &group, &desc, NULL, &tracer));
    assert_success(zetMetricDecoderCreateExp(tracer, &decoder));
    assert_success(zetMetricDecoderGetDecodableMetricsExp(decoder, &metric_count, metrics));
    assert_success(zetMetricTracerEnableExp(tracer, true));
    for (uint32_t i = 0; i < 3; i++) {
        work_append(&work, NULL);
    }
    api_list_run(api, &work.list);
    assert_success(zetMetricTracerDisableExp(tracer, true));
    assert_success(zetMetricTracerReadDataExp(tracer, &bytes, NULL));
    uint8_t *data = malloc(bytes);
    assert_success(zetMetricTracerReadDataExp(tracer, &bytes, data));
    assert_success(zetMetricTracerDecodeExp(decoder, &bytes, data, metric_count, metrics, &sets,
                                            NULL, &entry_count, NULL));
    assert_in_range(sets, 1, 8); /* one for each sub-device */
    zet_metric_entry_exp_t *entries = calloc(entry_count + 1u, sizeof(*entries));
    uint32_t per_set[8];
    assert_success(zetMetricTracerDecodeExp(decoder, &bytes, data, metric_count, metrics, &sets,
                                            per_set, &entry_count, entries));
    for (uint32_t i = 0; i < entry_count; i++) {
        zet_metric_properties_t properties = {.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES};
        assert_success(zetMetricGetProperties(metrics[entries[i].metricIndex], &properties));
        begins += strcmp(properties.name, "KernelBegin") == 0;
    }
    assert_int_equal(begins, 3);
    free(entries);
    free(data);
    assert_success(zetMetricDecoderDestroyExp(decoder));
    assert_success(zetMetricTracerDestroyExp(tracer));
    work_close(api, &work);
    api_metric_activate(api, NULL);
}

static const struct api_case cases[] = {
    API_RUN_CASE(a_query_counts_the_launches_between),
    API_RUN_CASE(a_streamer_counts_the_device),
    API_RUN_CASE(a_tracer_tells_of_each_launch),
};
API_MAIN("metrics", cases)
