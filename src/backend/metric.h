/* The interface of metrics: what a backend can measure and how measurements are read. See
 * docs/decisions/interfaces.md,
 * "Sysman, metrics and debugging use the API's value structures".
 *
 * A backend describes groups of metrics (what can be measured together) and programmable metrics;
 * the driver (driver/tools/metric, called by driver/api/zet) turns them into handles, keeps
 * user-made groups, checks what may be active together, and frames raw data. A backend measures
 * in three ways:
 *
 *     over time, or as events (streamer, tracer)     around commands (query)
 *
 *     open -> start ... read ... -> stop, close      BEGIN and END records in a list write
 *         |                 |                        `query_bytes` bytes into a slot of the pool
 *         |                 v                                       |
 *         |           raw reports <---------------------------------+
 *         v                 |
 *     struct geo_event_ref  +-- calculate, decode --> typed values (pure: no device needed)
 *
 * Raw data that leaves through the API begins with a frame of the driver: magic, the group's
 * identity, number and bytes of the parts. A part is one device's reports; a device with
 * sub-devices has one for each, which is what "sets" are in the functions that calculate several.
 * Exported data is the same with the description of the group in front.
 *
 * Who fits in:
 *   CPU        own counters of executor and queues, perf_event for core and uncore counters
 *              (where the kernel allows them), both per device; markers and queries are records
 *   NVIDIA     CUPTI, opened at run time: profiling for groups, its activity buffers for tracers
 *   simulated  values of a script, flagged in the group's description
 *   null       no metrics: the pointer in struct geo_backend_ops stays NULL, and no group is
 *              found
 *
 * Rules: operations are safe from any thread on different objects; descriptions live as long as
 * the device. What the system refuses (perf_event_paranoid) is INSUFFICIENT_PERMISSIONS with the
 * reason in `why`, which becomes the last-error text. An operation that is NULL is
 * UNSUPPORTED_FEATURE.
 *
 * Function by function ("description": fields of a group or metric; "record": a command record
 * with what is there already; "driver": no operation; "layer": answered before it gets here):
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
 *   zetDeviceGetConcurrentMetricGroupsExp           driver              by domain and source
 *   zetDeviceEnableMetricsExp                       metric.enable
 *   zetDeviceDisableMetricsExp                      metric.enable
 *   zetContextActivateMetricGroups                  metric.activate     none collects
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
 *   zetMetricDecoderCreateExp                       driver              remembers the groups
 *   zetMetricDecoderDestroyExp                      driver
 *   zetMetricDecoderGetDecodableMetricsExp          description         the groups' metrics
 *   zetMetricTracerDecodeExp                        metric.decode
 *
 *   zetMetricQueryPoolCreate                        metric.query_bytes  slots are host memory
 *   zetMetricQueryPoolDestroy                       driver
 *   zetMetricQueryCreate                            driver
 *   zetMetricQueryDestroy                           driver
 *   zetMetricQueryReset                             driver              its slot is marked empty
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
struct geo_metric_collection; /* a streamer or tracer at work */

/* ---- descriptions ---- */

struct geo_metric {
    const char *name, *description, *component, *units;
    uint32_t tier;
    zet_metric_type_t type;
    zet_value_type_t result;
    void *opaque; /* the backend's */
};

struct geo_metric_group {
    const char *name, *description;
    uint8_t identity[16]; /* the same for the same metrics on every machine and in every process */
    zet_metric_group_sampling_type_flags_t sampling; /* a group of one kind each, as GPUs have */
    zet_metric_group_type_exp_flags_t type;
    uint32_t domain; /* two active groups differ in it */
    uint32_t source; /* where reports come from, for markers and concurrency */
    const struct geo_metric *const *metrics;
    uint32_t metric_count;
    uint64_t timer_hz;
    uint32_t timer_bits;
    int export_fd; /* dma_buf that reports are exported through; -1: none */
    uint64_t export_bytes;
    bool simulated;
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

/* ---- records ---- */

/* Where a query's reports go: memory of the pool. The backend fills data, then state. */
struct geo_metric_slot {
    _Atomic uint32_t state; /* 0 empty, 1 begun, 2 full */
    uint32_t bytes;         /* of data, at most query_bytes */
    uint8_t data[];
};

enum geo_metric_record {
    GEO_METRIC_BEGIN, /* starts when everything before it has finished, holds back what follows */
    GEO_METRIC_END,
    GEO_METRIC_MARKER,
};

struct geo_command_metric {
    struct geo_command header;
    const struct geo_metric_group *group;
    struct geo_metric_slot *slot;             /* BEGIN, END */
    struct geo_metric_collection *collection; /* MARKER in a stream; NULL: in the group */
    zet_metric_query_pool_type_t pool;        /* BEGIN, END: what is measured */
    uint32_t what;                            /* enum geo_metric_record */
    uint32_t value;                           /* MARKER */
};

/* ---- operations ---- */

struct geo_metric_collection_desc {
    const struct geo_metric_group *const *groups; /* active; one, or several of a tracer */
    uint32_t group_count;
    bool tracer;
    /* Wishes; become what is done. Reports of a streamer, bytes of a tracer; 0: no notice. */
    uint32_t notify_every;
    uint32_t period_ns;          /* between reports of a streamer */
    struct geo_event_ref notify; /* raised then; slot may be NULL */
};

struct geo_metric_ops {
    const struct geo_metric_group *const *(*groups)(struct geo_backend_device *device,
                                                    uint32_t *count);
    const struct geo_metric_programmable *const *(*programmables)(struct geo_backend_device *device,
                                                                  uint32_t *count);
    /* Makes metrics available that were not at start; they count for this process. */
    ze_result_t (*enable)(struct geo_backend_device *device, bool enable, struct geo_strbuf *why);
    /* Puts these groups in place of those that are active; count 0: none. */
    ze_result_t (*activate)(struct geo_backend_device *device,
                            const struct geo_metric_group *const *groups, uint32_t count,
                            struct geo_strbuf *why);
    /* Metric clock, and device or host clock (CLOCK_MONOTONIC_RAW ns) of the same moment. */
    ze_result_t (*timestamps)(struct geo_backend_device *device,
                              const struct geo_metric_group *group, bool host, uint64_t *clock,
                              uint64_t *metric_clock);

    /* Streamers and tracers. Reading takes whole reports that fit; `bytes` is room on entry and
     * what was written on return; data NULL: what there is. WARNING_DROPPED_DATA once after a
     * loss, NOT_READY for a tracer that has nothing. */
    ze_result_t (*open)(struct geo_backend_device *device, struct geo_metric_collection_desc *desc,
                        struct geo_metric_collection **out, struct geo_strbuf *why);
    ze_result_t (*start)(struct geo_metric_collection *collection, bool wait);
    ze_result_t (*stop)(struct geo_metric_collection *collection, bool wait);
    ze_result_t (*read)(struct geo_metric_collection *collection, uint32_t max_reports,
                        size_t *bytes, uint8_t *data);
    void (*close)(struct geo_metric_collection *collection);

    /* Room that the reports of one query need, at most. */
    uint32_t (*query_bytes)(struct geo_backend_device *device, const struct geo_metric_group *group,
                            zet_metric_query_pool_type_t pool);

    /* Typed values of raw reports: reports x metrics in the group's order, or each metric's
     * greatest. `count` is room on entry, the number of values on return; values NULL: only that.
     * The data is untrusted: INVALID_ARGUMENT. */
    ze_result_t (*calculate)(const struct geo_metric_group *group,
                             zet_metric_group_calculation_type_t type, const uint8_t *data,
                             size_t bytes, uint32_t *count, zet_typed_value_t *values);
    /* Events of a tracer's data; metricIndex counts in `metrics`. `bytes` becomes what was used. */
    ze_result_t (*decode)(const struct geo_metric_group *const *groups, uint32_t group_count,
                          const struct geo_metric *const *metrics, uint32_t metric_count,
                          const uint8_t *data, size_t *bytes, uint32_t *count,
                          zet_metric_entry_exp_t *entries);
    /* The group of an identity, also one that no device here has, if it can be calculated from. */
    const struct geo_metric_group *(*find_group)(struct geo_backend *backend,
                                                 const uint8_t identity[16]);

    /* Metrics of a programmable one; each is ended by discard. `count`: room, then how many it
     * makes; metrics NULL: only that. */
    ze_result_t (*program)(const struct geo_metric_programmable *programmable,
                           const zet_metric_programmable_param_value_exp_t *values,
                           uint32_t values_count, const char *name, const char *description,
                           uint32_t *count, struct geo_metric **metrics, struct geo_strbuf *why);
    void (*discard)(struct geo_metric *metric);
    /* Whether a metric can be measured together with these; the reason against it in `why`. */
    bool (*group_accepts)(struct geo_backend_device *device,
                          const struct geo_metric *const *metrics, uint32_t count,
                          const struct geo_metric *candidate, struct geo_strbuf *why);
    /* A group of accepted metrics, which outlive it. */
    ze_result_t (*group_create)(struct geo_backend_device *device, const char *name,
                                const char *description,
                                zet_metric_group_sampling_type_flags_t sampling,
                                const struct geo_metric *const *metrics, uint32_t count,
                                struct geo_metric_group **out, struct geo_strbuf *why);
    void (*group_destroy)(struct geo_metric_group *group);
};

#endif
