/* Groups of metrics by name, queries and streamers. See measure.h.
 *
 * A thread reads the samples of all streamers, so that a program that waits for long loses none.
 * It takes the lock of tracker.h, as everybody who calls a driver here. */
#include "measure.h"

#include "spool.h"
#include "tracker.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    POOL_QUERIES = 256,
    METRICS_MAX = 512,        /* of a group */
    READ_MS = 50,             /* between two readings of samples */
    SAMPLES_PER_READ = 16384, /* at most; the rest waits for the next reading */
};

struct query {
    zet_metric_query_handle_t handle;
    struct measured *owner;
    struct query *next; /* in the list of free ones */
};

struct query_pool {
    zet_metric_query_pool_handle_t handle;
    struct query_pool *next;
    struct query queries[POOL_QUERIES];
};

struct measured {
    struct measured *next;
    ze_context_handle_t context;
    const struct device *device;
    zet_metric_group_handle_t group; /* NULL: the device has no such group */
    uint32_t metric_count;           /* of the group */
    uint32_t shown[METRICS_MAX];     /* places of the metrics that are written */
    uint32_t shown_count, first;     /* their numbers in the trace begin here */
    uint32_t begin_at, span_at;      /* places of the time and duration; METRICS_MAX: none */
    double tick_ns;                  /* of the metrics' clock */
    uint64_t tick_mask;
    struct query_pool *pools;
    struct query *free;
    zet_metric_streamer_handle_t streamer;
    uint64_t interval_ns, last_end;
};

static struct measured *all;
static uint32_t metric_numbers;
static bool sampling;
static _Atomic bool sampler_ends;

static uint64_t interval_wanted(void)
{
    const char *text = secure_getenv(ZETRACE_INTERVAL);
    return text ? strtoull(text, NULL, 10) : 0;
}

void measure_unmeasured(uint32_t count)
{
    struct zetrace_record record = {0};
    if (count > 0) {
        spool_write(ZETRACE_UNMEASURED, count, &record, sizeof(record));
    }
}

static struct measured *measured_find(ze_context_handle_t context, const struct device *device)
{
    struct measured *each = all;
    while (each && (each->context != context || each->device != device)) {
        each = each->next;
    }
    return each;
}

/* --- groups --- */

/* Finds the group of this name and kind of sampling, with its metrics' clock. */
static bool group_find(struct measured *measured, const char *name,
                       zet_metric_group_sampling_type_flag_t kind)
{
    uint32_t count = 0;
    zetMetricGroupGet(measured->device->handle, &count, NULL);
    zet_metric_group_handle_t *groups = calloc(count + 1, sizeof(*groups));
    if (groups &&
        zetMetricGroupGet(measured->device->handle, &count, groups) != ZE_RESULT_SUCCESS) {
        count = 0;
    }
    for (uint32_t i = 0; groups && i < count && !measured->group; i++) {
        zet_metric_global_timestamps_resolution_exp_t clock = {
            .stype = ZET_STRUCTURE_TYPE_METRIC_GLOBAL_TIMESTAMPS_RESOLUTION_EXP};
        zet_metric_group_properties_t properties = {
            .stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES, .pNext = &clock};
        if (zetMetricGroupGetProperties(groups[i], &properties) == ZE_RESULT_SUCCESS &&
            strcmp(properties.name, name) == 0 && (properties.samplingType & kind)) {
            const uint64_t bits = clock.timestampValidBits;
            measured->group = groups[i];
            measured->metric_count = properties.metricCount;
            measured->tick_ns = clock.timerResolution ? 1e9 / (double)clock.timerResolution : 1;
            measured->tick_mask = bits > 0 && bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
        }
    }
    free(groups);
    return measured->group && measured->metric_count <= METRICS_MAX;
}

/* Returns how values of a metric are put together, or 0 if it is not shown. */
static char metric_how(const zet_metric_properties_t *metric)
{
    const bool whole =
        metric->resultType == ZET_VALUE_TYPE_UINT64 || metric->resultType == ZET_VALUE_TYPE_UINT32;
    switch (metric->metricType) {
    case ZET_METRIC_TYPE_EVENT:
    case ZET_METRIC_TYPE_EVENT_WITH_RANGE:
        return ZETRACE_SUM;
    case ZET_METRIC_TYPE_DURATION:
        return whole ? ZETRACE_SUM : ZETRACE_MEAN;
    case ZET_METRIC_TYPE_THROUGHPUT:
    case ZET_METRIC_TYPE_RATIO:
        return ZETRACE_MEAN;
    case ZET_METRIC_TYPE_RAW:
        return whole ? 0 : ZETRACE_MEAN;
    default:
        return 0;
    }
}

/* Names the metrics of the group in the trace. */
static void metrics_name(struct measured *measured)
{
    zet_metric_handle_t metrics[METRICS_MAX];
    uint32_t count = measured->metric_count;
    measured->begin_at = measured->span_at = METRICS_MAX;
    measured->first = metric_numbers + 1;
    if (zetMetricGet(measured->group, &count, metrics) != ZE_RESULT_SUCCESS) {
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        zet_metric_properties_t metric = {.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES};
        char text[ZET_MAX_METRIC_NAME + ZET_MAX_METRIC_RESULT_UNITS + 8];
        if (zetMetricGetProperties(metrics[i], &metric) != ZE_RESULT_SUCCESS) {
            continue;
        }
        const char how = metric_how(&metric);
        if (metric.metricType == ZET_METRIC_TYPE_TIMESTAMP && measured->begin_at == METRICS_MAX) {
            measured->begin_at = i;
        } else if (metric.metricType == ZET_METRIC_TYPE_DURATION &&
                   strcmp(metric.resultUnits, "ns") == 0 && measured->span_at == METRICS_MAX) {
            measured->span_at = i; /* the first one is the time of the report everywhere */
        }
        if (how) {
            snprintf(text, sizeof(text), "%c%s\t%s", how, metric.resultUnits, metric.name);
            measured->shown[measured->shown_count++] = i;
            spool_name(ZETRACE_METRIC, ++metric_numbers, text);
        }
    }
}

/* --- values --- */

static double value_number(const zet_typed_value_t *value)
{
    switch (value->type) {
    case ZET_VALUE_TYPE_UINT32:
        return value->value.ui32;
    case ZET_VALUE_TYPE_FLOAT32:
        return value->value.fp32;
    case ZET_VALUE_TYPE_FLOAT64:
        return value->value.fp64;
    case ZET_VALUE_TYPE_BOOL8:
        return value->value.b8;
    default:
        return (double)value->value.ui64;
    }
}

static void values_write(const struct measured *measured, uint32_t part,
                         const struct measured_kernel *kernel, const zet_typed_value_t *values)
{
    double room[sizeof(struct zetrace_values) / sizeof(double) + METRICS_MAX];
    struct zetrace_values *record = (struct zetrace_values *)(void *)room;
    *record = (struct zetrace_values){.kernel = kernel->name,
                                      .device = measured->device->id,
                                      .part = part,
                                      .begin = kernel->begin,
                                      .end = kernel->end};
    for (uint32_t i = 0; i < measured->shown_count; i++) {
        record->values[i] = value_number(&values[measured->shown[i]]);
    }
    spool_write(ZETRACE_VALUES, measured->first, record,
                sizeof(*record) + measured->shown_count * sizeof(double));
}

/* Calculates the values of raw data: `count` of parts, the numbers of values of each, and the
 * values. The caller frees both arrays. Returns false if the data has no values. */
static bool values_calculate(const struct measured *measured, size_t bytes, const uint8_t *data,
                             uint32_t *parts, uint32_t **counts, zet_typed_value_t **values)
{
    const zet_metric_group_calculation_type_t type =
        ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    uint32_t total = 0;
    *parts = 0;
    *counts = NULL;
    *values = NULL;
    if (bytes == 0 ||
        zetMetricGroupCalculateMultipleMetricValuesExp(measured->group, type, bytes, data, parts,
                                                       &total, NULL, NULL) != ZE_RESULT_SUCCESS) {
        return false;
    }
    *counts = calloc(*parts + 1, sizeof(**counts));
    *values = calloc(total + 1, sizeof(**values));
    if (*counts && *values && total > 0 &&
        zetMetricGroupCalculateMultipleMetricValuesExp(measured->group, type, bytes, data, parts,
                                                       &total, *counts,
                                                       *values) == ZE_RESULT_SUCCESS) {
        return true;
    }
    free(*counts);
    free(*values);
    return false;
}

/* --- queries --- */

static void queries_add(struct measured *measured)
{
    const zet_metric_query_pool_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC,
                                               .type = ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE,
                                               .count = POOL_QUERIES};
    struct query_pool *pool = calloc(1, sizeof(*pool));
    if (!pool ||
        zetMetricQueryPoolCreate(measured->context, measured->device->handle, measured->group,
                                 &desc, &pool->handle) != ZE_RESULT_SUCCESS) {
        free(pool);
        return;
    }
    pool->next = measured->pools;
    measured->pools = pool;
    for (uint32_t i = POOL_QUERIES; i-- > 0;) {
        struct query *query = &pool->queries[i];
        query->owner = measured;
        if (zetMetricQueryCreate(pool->handle, i, &query->handle) == ZE_RESULT_SUCCESS) {
            query->next = measured->free;
            measured->free = query;
        }
    }
}

struct query *measure_kernel_begin(ze_context_handle_t context, const struct device *device,
                                   ze_command_list_handle_t list)
{
    struct measured *measured = measured_find(context, device);
    if (!measured || !measured->group || measured->streamer) {
        return NULL;
    }
    if (!measured->free) {
        queries_add(measured);
    }
    struct query *query = measured->free;
    if (!query || zetCommandListAppendMetricQueryBegin(list, query->handle) != ZE_RESULT_SUCCESS) {
        measure_unmeasured(1);
        return NULL;
    }
    measured->free = query->next;
    return query;
}

struct query *measure_kernel_end(struct query *query, ze_command_list_handle_t list, bool wanted)
{
    const ze_result_t result =
        zetCommandListAppendMetricQueryEnd(list, query->handle, NULL, 0, NULL);
    if (result != ZE_RESULT_SUCCESS && wanted) {
        measure_unmeasured(1);
    }
    return result == ZE_RESULT_SUCCESS && wanted ? query : NULL;
}

bool measure_read(struct query *query, const struct measured_kernel *kernel)
{
    const struct measured *measured = query->owner;
    uint8_t data[4096];
    size_t bytes = sizeof(data);
    uint32_t parts, *counts;
    zet_typed_value_t *values;
    if (zetMetricQueryGetData(query->handle, &bytes, data) != ZE_RESULT_SUCCESS) {
        return false;
    }
    if (values_calculate(measured, bytes, data, &parts, &counts, &values)) {
        for (uint32_t i = 0, at = 0; i < parts; at += counts[i++]) {
            if (counts[i] >= measured->metric_count) {
                values_write(measured, i, kernel, values + at);
            }
        }
        free(counts);
        free(values);
    } else {
        measure_unmeasured(1);
    }
    zetMetricQueryReset(query->handle);
    return true;
}

void measure_release(struct query *query)
{
    query->next = query->owner->free;
    query->owner->free = query;
}

/* --- samples --- */

/* Returns the time of the trace at which a sample began. Without a time of its own it began when
 * the last one ended. */
static uint64_t sample_begin(const struct measured *measured, const zet_typed_value_t *values,
                             uint64_t host, uint64_t ticks)
{
    if (measured->begin_at == METRICS_MAX) {
        return measured->last_end;
    }
    const uint64_t ago = (ticks - values[measured->begin_at].value.ui64) & measured->tick_mask;
    return host - (uint64_t)((double)ago * measured->tick_ns);
}

static void samples_write(struct measured *measured, size_t bytes, const uint8_t *data)
{
    uint64_t host = 0, ticks = 0;
    uint32_t parts, *counts;
    zet_typed_value_t *values;
    zetMetricGroupGetGlobalTimestampsExp(measured->group, 1, &host, &ticks);
    if (!values_calculate(measured, bytes, data, &parts, &counts, &values)) {
        return;
    }
    for (uint32_t part = 0, at = 0; part < parts; at += counts[part++]) {
        for (uint32_t i = at; i + measured->metric_count <= at + counts[part];
             i += measured->metric_count) {
            const uint64_t begin = sample_begin(measured, values + i, host, ticks);
            const uint64_t span = measured->span_at == METRICS_MAX
                                      ? measured->interval_ns
                                      : values[i + measured->span_at].value.ui64;
            values_write(measured, part,
                         &(struct measured_kernel){.name = 0, .begin = begin, .end = begin + span},
                         values + i);
            measured->last_end = begin + span;
        }
    }
    free(counts);
    free(values);
}

static void samples_read(struct measured *measured)
{
    struct zetrace_record lost = {0};
    size_t bytes = 0;
    if (!measured->streamer || zetMetricStreamerReadData(measured->streamer, SAMPLES_PER_READ,
                                                         &bytes, NULL) != ZE_RESULT_SUCCESS) {
        return;
    }
    uint8_t *data = malloc(bytes ? bytes : 1);
    const ze_result_t result =
        data ? zetMetricStreamerReadData(measured->streamer, SAMPLES_PER_READ, &bytes, data)
             : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (result == ZE_RESULT_WARNING_DROPPED_DATA || result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) {
        spool_write(ZETRACE_LOST, 1, &lost, sizeof(lost));
    }
    if (result == ZE_RESULT_SUCCESS || result == ZE_RESULT_WARNING_DROPPED_DATA) {
        samples_write(measured, bytes, data);
    }
    free(data);
}

/* Reads the rest, and closes the streamer. A marker ends the current sample at once. */
static void samples_end(struct measured *measured)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    if (!measured->streamer) {
        return;
    }
    if (zeCommandListCreateImmediate(measured->context, measured->device->handle, &desc, &list) ==
        ZE_RESULT_SUCCESS) {
        (void)zetCommandListAppendMetricStreamerMarker(list, measured->streamer, 1);
        zeCommandListDestroy(list);
    }
    samples_read(measured);
    zetMetricStreamerClose(measured->streamer);
    measured->streamer = NULL;
}

static void *sampler_main(void *nothing)
{
    (void)nothing;
    while (!sampler_ends) {
        nanosleep(&(struct timespec){.tv_nsec = READ_MS * 1000000L}, NULL);
        tracker_lock();
        for (struct measured *each = all; each && !sampler_ends; each = each->next) {
            samples_read(each);
        }
        tracker_unlock();
    }
    return NULL;
}

/* Signals of the program go to its own threads. Nobody waits for the thread: see measure_end. */
static void sampler_start(void)
{
    sigset_t every, before;
    pthread_t sampler;
    if (sampling) {
        return;
    }
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    sampling = pthread_create(&sampler, NULL, sampler_main, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (sampling) {
        (void)pthread_detach(sampler);
    }
}

static bool streamer_open(struct measured *measured)
{
    zet_metric_streamer_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC,
                                       .notifyEveryNReports = 1024,
                                       .samplingPeriod = (uint32_t)interval_wanted()};
    if (zetMetricStreamerOpen(measured->context, measured->device->handle, measured->group, &desc,
                              NULL, &measured->streamer) != ZE_RESULT_SUCCESS) {
        return false;
    }
    measured->interval_ns = desc.samplingPeriod;
    measured->last_end = spool_now();
    sampler_start();
    return true;
}

/* --- devices --- */

/* Samples are of the whole device, whatever the context. */
static bool device_is_sampled(const struct device *device)
{
    const struct measured *each = all;
    while (each && (each->device != device || !each->streamer)) {
        each = each->next;
    }
    return each != NULL;
}

/* Returns the reason that a driver gives for the last failure of this thread, or an empty text. */
static const char *reason_get(void)
{
    ze_driver_handle_t drivers[16];
    uint32_t count = 16;
    const char *reason = "";
    if (zeDriverGet(&count, drivers) != ZE_RESULT_SUCCESS) {
        return "";
    }
    for (uint32_t i = 0; i < count && !*reason; i++) {
        if (zeDriverGetLastErrorDescription(drivers[i], &reason) != ZE_RESULT_SUCCESS || !reason) {
            reason = "";
        }
    }
    return reason;
}

static void tell_once(const char *what, const char *name, const char *reason)
{
    static bool told;
    char text[1024];
    if (!told) {
        told = true;
        snprintf(text, sizeof(text), "%s %s%s%.900s", what, name, *reason ? ": " : "", reason);
        spool_tell(text);
    }
}

void measure_begin(ze_context_handle_t context, struct device *device)
{
    const char *name = secure_getenv(ZETRACE_METRICS);
    const bool samples = interval_wanted() != 0;
    if (!name || !device || measured_find(context, device) ||
        (samples && device_is_sampled(device))) {
        return;
    }
    struct measured *measured = calloc(1, sizeof(*measured));
    if (!measured) {
        return;
    }
    measured->context = context;
    measured->device = device;
    measured->next = all;
    all = measured;
    if (!group_find(measured, name,
                    samples ? ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED
                            : ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED)) {
        measured->group = NULL;
        tell_once("a device of the program has no group of metrics", name, "");
        return;
    }
    metrics_name(measured);
    if (zetContextActivateMetricGroups(context, device->handle, 1, &measured->group) !=
            ZE_RESULT_SUCCESS ||
        (samples && !streamer_open(measured))) {
        measured->group = NULL;
        tell_once("a device cannot measure", name, reason_get());
    }
}

static void measured_finish(struct measured *measured)
{
    samples_end(measured);
    for (struct query_pool *pool = measured->pools, *next; pool; pool = next) {
        next = pool->next;
        for (uint32_t i = 0; i < POOL_QUERIES; i++) {
            if (pool->queries[i].handle) {
                zetMetricQueryDestroy(pool->queries[i].handle);
            }
        }
        zetMetricQueryPoolDestroy(pool->handle);
        free(pool);
    }
    if (measured->group) {
        zetContextActivateMetricGroups(measured->context, measured->device->handle, 0, NULL);
    }
    free(measured);
}

void measure_context_end(ze_context_handle_t context)
{
    for (struct measured **link = &all; *link;) {
        struct measured *measured = *link;
        if (measured->context == context) {
            *link = measured->next;
            measured_finish(measured);
        } else {
            link = &measured->next;
        }
    }
}

/* Queries and streamers end with the driver. The thread may wait for the lock, which the caller
 * holds, so nobody waits for the thread: it finds no streamer any more. */
void measure_end(void)
{
    sampler_ends = true;
    for (struct measured *each = all; each; each = each->next) {
        samples_end(each);
    }
}

/* The child has neither the parent's thread nor its streamers. */
void measure_forked(void)
{
    all = NULL;
    sampling = false;
    sampler_ends = false;
    metric_numbers = 0;
}
