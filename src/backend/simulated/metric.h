/* Metrics of simulated devices: groups whose values are scripts. Root devices and their tiles have
 * the same groups, so a root device is measured by its tiles. Everything is computed when it is
 * read: no thread runs, and no event is raised (sim_metric_is_due).
 *
 *     report of a streamer or query    u64 time, u32 marker, u32 zero, double values[metric_count]
 *     event of a tracer                u64 key of the group, u32 index of the metric, u32 zero,
 *                                      u64 time, double value
 *
 * Times are ticks of the group's timer. The value of a metric in a report depends on its type:
 *
 *     event, event_with_range, duration    increase of its script in the measured period
 *     timestamp                            time of the report
 *     others                               value of the script at the end of the period
 *
 * A metric without a script is the last marker in the period.
 *
 * Order of the files: metric_keys < metric < metric_value < metric_calculate, metric_stream,
 * metric_trace, metric_program < metric_ops */
#ifndef GEO_BACKEND_SIMULATED_METRIC_H
#define GEO_BACKEND_SIMULATED_METRIC_H

#include "backend/metric.h"
#include "backend/simulated/check.h"
#include "backend/simulated/device.h"

#define SIM_GROUPS        64u
#define SIM_METRICS       256u
#define SIM_TRACE_EVENTS  256u
#define SIM_PROGRAMMABLES 64u
#define SIM_PARAMETERS    16u
#define SIM_VALUES        64u
#define SIM_BUFFER        1000000u /* maximum number of reports or events in a buffer */
#define SIM_MARKERS       256u     /* markers that a collection remembers */

/* A metric of the description, or one that a program made. */
struct sim_metric {
    struct geo_metric seam;
    const struct sim_script *value;
    double tile_step;                      /* is added for each tile before its own */
    double max;                            /* the largest possible value */
    double factor;                         /* multiplies the value */
    const struct sim_programmable *origin; /* made from; NULL: described */
    char own_name[ZET_MAX_METRIC_NAME];    /* texts of a made one */
    char own_text[ZET_MAX_METRIC_DESCRIPTION];
};

struct sim_trace_event {
    double at_s, every_s; /* every_s 0: once */
    uint32_t metric;      /* index in its group */
    const struct sim_script *value;
};

struct sim_group {
    struct geo_metric_group seam;
    struct sim_list metrics; /* struct sim_metric */
    struct sim_list events;  /* struct sim_trace_event */
    uint32_t buffer;         /* reports or events that an open collection holds */
    uint32_t min_period_ns;
    bool on_demand;      /* only after zetDeviceEnableMetricsExp */
    ze_result_t refusal; /* of the activation; SUCCESS: none */
    const char *refusal_text;
    struct sim_metrics *owner;
    bool made; /* owns its lists */
};

struct sim_parameter {
    char name[ZET_MAX_METRIC_PROGRAMMABLE_PARAMETER_NAME_EXP];
    zet_metric_programmable_param_type_exp_t type;
    double fallback;
    struct sim_list values; /* struct sim_parameter_value */
};

struct sim_parameter_value {
    double min, max;
    char description[ZET_MAX_METRIC_PROGRAMMABLE_VALUE_DESCRIPTION_EXP];
};

struct sim_programmable {
    struct geo_metric_programmable seam;
    struct sim_metric metric; /* the template */
    struct sim_list parameters;
    struct sim_metrics *owner;
};

/* Metrics of a root device or tile. */
struct sim_metrics {
    struct geo_backend_device *device;
    struct geo_arena arena;
    struct sim_list groups, programmables;
    const struct geo_metric_group **shown; /* [group_count], those on demand last */
    uint32_t shown_count, always_count;    /* always_count: without those on demand */
    const struct geo_metric_programmable **programmable_list;
    bool enabled;
    struct geo_metric_collection *open; /* collections; protected by the lock */
};

/* An open streamer or tracer. */
struct geo_metric_collection {
    struct geo_metric_collection *next;
    struct sim_metrics *metrics;
    const struct sim_group **groups; /* [group_count] */
    uint32_t group_count;
    bool tracer, running;
    uint32_t notify_every;
    double period_s;
    double start_s, stop_s; /* stop_s: while it does not run */
    uint64_t taken;         /* streamer: reports that were read or lost */
    double base_s;          /* tracer: events up to this time were read */
    uint64_t skip;          /* tracer: and so many after it */
    bool lost;
    struct sim_marker {
        double at_s;
        uint32_t value;
    } markers[SIM_MARKERS];
    uint32_t marker_count;
};

/* The tables of keys, and the check of a description. */
extern const struct sim_table sim_metric_group_table, sim_programmable_table;
bool sim_metrics_check(struct sim_reader *reader, const struct sim_whole *whole);

/* Returns the metrics of a device and reads them at the first call; NULL if memory ran out.
 * sim_metrics_close frees them. */
struct sim_metrics *sim_metrics_of(struct geo_backend_device *device);
void sim_metrics_close(struct geo_backend_device *device);
void sim_metric_identify(struct sim_group *group);

/* Tells which devices exist, for the next two functions. */
void sim_metrics_list(struct geo_backend_device *devices, uint32_t count);
/* Returns the group with this identity of any device, or NULL. */
const struct geo_metric_group *sim_metric_find_group(struct geo_backend *backend,
                                                     const uint8_t identity[16]);
/* Calls the function for all open collections of a root device and its tiles that measure a group
 * of this identity. The lock is held. */
void sim_metrics_each(const struct geo_backend_device *device, const uint8_t identity[16],
                      void (*function)(struct geo_metric_collection *, double, uint32_t), double t,
                      uint32_t value);

static inline const struct sim_group *sim_group_of(const struct geo_metric_group *group)
{
    return (const struct sim_group *)(const void *)group;
}
static inline const struct sim_metric *sim_metric_of(const struct geo_metric *metric)
{
    return (const struct sim_metric *)(const void *)metric;
}

/* ---- reports (metric_value.c) ---- */

size_t sim_report_bytes(const struct geo_metric_group *group);
uint64_t sim_group_ticks(const struct geo_metric_group *group, double t);
/* Writes the report of a period. */
void sim_report_write(const struct sim_group *group, double from_s, double to_s, uint32_t marker,
                      uint8_t *out);
/* Returns a metric's value at a time. */
double sim_metric_value(const struct sim_metric *metric, const struct geo_backend_device *device,
                        double t);
/* Converts a value to a type of the API. Values that do not fit are cut. */
zet_typed_value_t sim_typed(zet_value_type_t type, double value);

ze_result_t sim_metric_calculate(const struct geo_metric_group *group,
                                 zet_metric_group_calculation_type_t type, const uint8_t *data,
                                 size_t bytes, uint32_t *count, zet_typed_value_t *values);
ze_result_t sim_metric_decode(const struct geo_metric_group *const *groups, uint32_t group_count,
                              const struct geo_metric *const *metrics, uint32_t metric_count,
                              const uint8_t *data, size_t *bytes, uint32_t *count,
                              zet_metric_entry_exp_t *entries);

/* ---- collections; the lock is held ---- */

/* Streamers (metric_stream.c): number of unread reports, of which the buffer keeps the newest. */
uint64_t sim_stream_available(struct geo_metric_collection *stream);
size_t sim_stream_read(struct geo_metric_collection *stream, uint32_t max_reports, size_t bytes,
                       uint8_t *data);

/* Tracers (metric_trace.c). */
enum { SIM_EVENT_BYTES = 32 };
uint64_t sim_group_key(const struct geo_metric_group *group);
uint64_t sim_trace_available(struct geo_metric_collection *trace);
/* Returns the size written; SIZE_MAX if memory ran out. */
size_t sim_trace_read(struct geo_metric_collection *trace, size_t bytes, uint8_t *data);

/* Returns the time up to which a collection measures. */
double sim_collection_end_s(const struct geo_metric_collection *collection);

/* ---- programmable metrics and groups of applications (metric_program.c) ---- */

ze_result_t sim_metric_program(const struct geo_metric_programmable *programmable,
                               const zet_metric_programmable_param_value_exp_t *values,
                               uint32_t values_count, const char *name, const char *description,
                               uint32_t *count, struct geo_metric **metrics,
                               struct geo_strbuf *why);
void sim_metric_discard(struct geo_metric *metric);
bool sim_group_accepts(struct geo_backend_device *device, const struct geo_metric *const *metrics,
                       uint32_t count, const struct geo_metric *candidate, struct geo_strbuf *why);
ze_result_t sim_group_create(struct geo_backend_device *device, const char *name,
                             const char *description,
                             zet_metric_group_sampling_type_flags_t sampling,
                             const struct geo_metric *const *metrics, uint32_t count,
                             struct geo_metric_group **out, struct geo_strbuf *why);
void sim_group_destroy(struct geo_metric_group *group);

extern const struct geo_metric_ops sim_metric_ops;

#endif
