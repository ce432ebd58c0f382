/* The interface of metrics: what a backend can measure, and how measurements are read. See
 * docs/decisions/interfaces.md, "Sysman, metrics and debugging use the API's value structures".
 *
 * A backend describes groups of metrics (which can be measured together) and programmable metrics.
 * The driver (driver/tools/metric, called by driver/api/zet) turns them into handles, manages
 * groups made by the user, checks which may be active together, and frames raw data. A backend
 * measures in two ways:
 *
 *   over time, or as events (streamer, tracer)     around commands (query)
 *
 *   open -> start ... read ... -> stop, close      BEGIN and END records in a list write
 *     |                 |                          `query_bytes` bytes into a slot of the pool
 *     |                 v                                     |
 *     |             raw reports <---------------------------------+
 *     v                 |
 *   struct geo_event_ref    +-- calculate, decode --> typed values (without the device)
 *
 * Raw data that leaves through the API starts with a frame of the driver: magic number, the group's
 * identity, number and sizes of the parts. A part has the reports of one device. If all
 * sub-devices of a device have a group of the same identity, a streamer or tracer of the device is
 * one collection for each of them. Otherwise, and for queries, there is one part. The
 * functions that calculate several results call the parts "sets".
 * Exported data also has the description of the group in front.
 *
 * How the backends implement it:
 *   CPU        own counters of executor and queues, perf_event for core and uncore counters
 *              (if the kernel permits), both per device; markers and queries are records
 *   NVIDIA     CUPTI, opened at run time: profiling for groups, its activity buffers for tracers
 *   simulated  values of a script, marked in the group's description
 *   null       no metrics: the pointer in struct geo_backend_ops is NULL, and no group is found
 *
 * Rules: operations may be called from any thread on different objects. Descriptions live as long
 * as the device. If the system denies access (perf_event_paranoid), the result is
 * INSUFFICIENT_PERMISSIONS with the reason in `why`, which becomes the last-error text. A NULL
 * operation is UNSUPPORTED_FEATURE.
 *
 * Functions and their implementation ("description": fields of a group or metric; "record": a
 * command record; "driver": no operation; "layer": a layer answers the call):
 *
 *   zetMetricGroupGet                               metric.groups
 *   zetMetricGroupGetProperties                     description
 *   zetMetricGet                                    description
 *   zetMetricGetProperties                          description
 *   zetMetricGroupCalculateMetricValues             metric.calculate    the first part
 *   zetMetricGroupCalculateMultipleMetricValuesExp  metric.calculate    each part a set
 *   zetMetricGroupGetExportDataExp                  driver              description and raw data
 *   zetMetricGroupCalculateMetricExportDataExp      metric.find_group, metric.calculate
 *   zetMetricGroupGetGlobalTimestampsExp            metric.timestamps
 *   zetDeviceGetConcurrentMetricGroupsExp           driver              by domain
 *   zetDeviceEnableMetricsExp                       metric.enable
 *   zetDeviceDisableMetricsExp                      metric.enable
 *   zetContextActivateMetricGroups                  metric.activate     while none collects
 *
 *   zetMetricStreamerOpen                           metric.open, metric.start
 *   zetMetricStreamerClose                          metric.stop, metric.close
 *   zetMetricStreamerReadData                       metric.read
 *   zetCommandListAppendMetricStreamerMarker        record              MARKER
 *   zetCommandListAppendMarkerExp                   record              MARKER
 *
 *   zetMetricTracerCreateExp                        metric.open
 *   zetMetricTracerDestroyExp                       metric.close
 *   zetMetricTracerEnableExp                        metric.start
 *   zetMetricTracerDisableExp                       metric.stop
 *   zetMetricTracerReadDataExp                      metric.read
 *   zetMetricDecoderCreateExp                       driver              stores the groups
 *   zetMetricDecoderDestroyExp                      driver
 *   zetMetricDecoderGetDecodableMetricsExp          description         the groups' metrics
 *   zetMetricTracerDecodeExp                        metric.decode
 *
 *   zetMetricQueryPoolCreate                        metric.query_bytes  slots are host memory
 *   zetMetricQueryPoolDestroy                       driver
 *   zetMetricQueryCreate                            driver
 *   zetMetricQueryDestroy                           driver
 *   zetMetricQueryReset                             driver              marks its slot empty
 *   zetMetricQueryGetData                           driver              NOT_READY: not full
 *   zetCommandListAppendMetricQueryBegin            record              BEGIN
 *   zetCommandListAppendMetricQueryEnd              record              END
 *   zetCommandListAppendMetricMemoryBarrier         record              GEO_COMMAND_BARRIER
 *
 *   zetMetricProgrammableGetExp                     metric.programmables
 *   zetMetricProgrammableGetPropertiesExp           description
 *   zetMetricProgrammableGetParamInfoExp            description
 *   zetMetricProgrammableGetParamValueInfoExp       description
 *   zetMetricCreateFromProgrammableExp              metric.program
 *   zetMetricCreateFromProgrammableExp2             metric.program
 *   zetMetricDestroyExp                             metric.discard
 *   zetDeviceCreateMetricGroupsFromMetricsExp       metric.group_accepts, metric.group_create
 *   zetMetricGroupCreateExp                         driver              an empty list
 *   zetMetricGroupAddMetricExp                      metric.group_accepts with `why`
 *   zetMetricGroupRemoveMetricExp                   driver
 *   zetMetricGroupCloseExp                          metric.group_create
 *   zetMetricGroupDestroyExp                        metric.group_destroy
 *
 *   zetTracerExpCreate                              layer               the tracing layer, TRC-8
 *   zetTracerExpDestroy                             layer
 *   zetTracerExpSetPrologues                        layer
 *   zetTracerExpSetEpilogues                        layer
 *   zetTracerExpSetEnabled                          layer
 *
 * Chained structures:
 *
 *   zet_metric_global_timestamps_resolution_exp_t   description         timer_hz, timer_bits
 *   zet_metric_group_type_exp_t                     description         type
 *   zet_metric_source_id_exp_t                      description         source
 *   zet_export_dma_buf_exp_properties_t             description         export_fd, export_bytes
 */
#ifndef GEO_BACKEND_METRIC_H
#define GEO_BACKEND_METRIC_H

#include "backend/command.h"
#include "base/strbuf.h"

#include <level_zero/zet_api.h>

struct geo_backend;
struct geo_backend_device;
struct geo_metric_collection; /* an open streamer or tracer */

/* ---- descriptions ---- */

struct geo_metric {
    const char *name, *description, *component, *units;
    uint32_t tier;
    zet_metric_type_t type;
    zet_value_type_t result;
    void *opaque; /* private to the backend */
};

struct geo_metric_group {
    const char *name, *description;
    uint8_t identity[16]; /* identical for the same metrics on every machine and in every process */
    zet_metric_group_sampling_type_flags_t sampling; /* one kind per group, as on GPUs */
    zet_metric_group_type_exp_flags_t type;
    uint32_t domain; /* two active groups must have different domains */
    uint32_t source; /* origin of the reports, for markers */
    const struct geo_metric *const *metrics;
    uint32_t metric_count;
    uint64_t timer_hz;
    uint32_t timer_bits;
    int export_fd; /* dma-buf through which reports are exported; -1: none */
    uint64_t export_bytes;
    bool simulated;
    bool counted; /* kernels count for it only if they are built with counters (compiler.h) */
    void *opaque;
};

struct geo_metric_parameter {
    const char *name;
    zet_metric_programmable_param_type_exp_t type;
    zet_value_info_type_exp_t value_type;
    zet_value_t fallback;
    const zet_metric_programmable_param_value_info_exp_t *values;
    uint32_t value_count;
};

struct geo_metric_programmable {
    zet_metric_programmable_exp_properties_t properties;
    const struct geo_metric_parameter *parameters; /* properties.parameterCount */
    void *opaque;
};

/* ---- queries ---- */

/* The destination of a query's reports, in memory of the pool. The backend writes data, then
 * state. struct geo_command_metric of command.h refers to it. */
struct geo_metric_slot {
    _Atomic uint32_t state; /* 0: empty, 1: started, 2: full */
    uint32_t bytes;         /* size of data, at most query_bytes */
    uint8_t data[];
};

/* ---- operations ---- */

struct geo_metric_collection_desc {
    const struct geo_metric_group *const *groups; /* active; a tracer may have several */
    uint32_t group_count;
    bool tracer;
    /* Requested values, replaced by the actual ones. notify_every: reports of a streamer or bytes
     * of a tracer; 0: no notification. */
    uint32_t notify_every;
    uint32_t period_ns;          /* between reports of a streamer */
    struct geo_event_ref notify; /* raised for a notification; slot may be NULL */
};

struct geo_metric_ops {
    const struct geo_metric_group *const *(*groups)(struct geo_backend_device *device,
                                                    uint32_t *count);
    const struct geo_metric_programmable *const *(*programmables)(struct geo_backend_device *device,
                                                                  uint32_t *count);
    /* Enables or disables metrics that are not available by default, for this process. */
    ze_result_t (*enable)(struct geo_backend_device *device, bool enable, struct geo_strbuf *why);
    /* Replaces the active groups by these; count 0: none. */
    ze_result_t (*activate)(struct geo_backend_device *device,
                            const struct geo_metric_group *const *groups, uint32_t count,
                            struct geo_strbuf *why);
    /* Returns the metric clock, and the device or host clock (CLOCK_MONOTONIC_RAW ns) at the same
     * moment. */
    ze_result_t (*timestamps)(struct geo_backend_device *device,
                              const struct geo_metric_group *group, bool host, uint64_t *clock,
                              uint64_t *metric_clock);

    /* Streamers and tracers. read returns as many whole reports as fit. `bytes` is the buffer size
     * on entry and the written size on return. With data NULL it returns the available size.
     * Returns WARNING_DROPPED_DATA once after a loss, and NOT_READY when a stopped tracer has no
     * data. */
    ze_result_t (*open)(struct geo_backend_device *device, struct geo_metric_collection_desc *desc,
                        struct geo_metric_collection **out, struct geo_strbuf *why);
    ze_result_t (*start)(struct geo_metric_collection *collection, bool wait);
    ze_result_t (*stop)(struct geo_metric_collection *collection, bool wait);
    ze_result_t (*read)(struct geo_metric_collection *collection, uint32_t max_reports,
                        size_t *bytes, uint8_t *data);
    void (*close)(struct geo_metric_collection *collection);

    /* Returns the maximum size of the reports of one query. */
    uint32_t (*query_bytes)(struct geo_backend_device *device, const struct geo_metric_group *group,
                            zet_metric_query_pool_type_t pool);

    /* Converts raw reports to typed values: reports x metrics in the group's order, or the maximum
     * of each metric. `count` is the array size on entry and the number of values on return. With
     * values NULL only the number is returned. The data is untrusted: returns INVALID_ARGUMENT when
     * it is invalid. */
    ze_result_t (*calculate)(const struct geo_metric_group *group,
                             zet_metric_group_calculation_type_t type, const uint8_t *data,
                             size_t bytes, uint32_t *count, zet_typed_value_t *values);
    /* Decodes events of a tracer's data. metricIndex is an index in `metrics`. `bytes` is set to
     * the number of bytes used. With entries NULL only the number of entries is returned. */
    ze_result_t (*decode)(const struct geo_metric_group *const *groups, uint32_t group_count,
                          const struct geo_metric *const *metrics, uint32_t metric_count,
                          const uint8_t *data, size_t *bytes, uint32_t *count,
                          zet_metric_entry_exp_t *entries);
    /* Returns the group with an identity. Also finds groups that no device here has, if values can
     * be calculated from their data. */
    const struct geo_metric_group *(*find_group)(struct geo_backend *backend,
                                                 const uint8_t identity[16]);

    /* Creates metrics from a programmable metric; each is destroyed by discard. `count` is the
     * array size on entry and the number created on return. With metrics NULL only the number is
     * returned. */
    ze_result_t (*program)(const struct geo_metric_programmable *programmable,
                           const zet_metric_programmable_param_value_exp_t *values,
                           uint32_t values_count, const char *name, const char *description,
                           uint32_t *count, struct geo_metric **metrics, struct geo_strbuf *why);
    void (*discard)(struct geo_metric *metric);
    /* Returns whether a metric can be measured together with these, or writes the reason to
     * `why`. */
    bool (*group_accepts)(struct geo_backend_device *device,
                          const struct geo_metric *const *metrics, uint32_t count,
                          const struct geo_metric *candidate, struct geo_strbuf *why);
    /* Creates a group of accepted metrics, which must outlive it. */
    ze_result_t (*group_create)(struct geo_backend_device *device, const char *name,
                                const char *description,
                                zet_metric_group_sampling_type_flags_t sampling,
                                const struct geo_metric *const *metrics, uint32_t count,
                                struct geo_metric_group **out, struct geo_strbuf *why);
    void (*group_destroy)(struct geo_metric_group *group);
};

#endif
