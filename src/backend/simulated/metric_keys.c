/* Keys of metric groups and programmable metrics. See metric.h. */
#include "backend/simulated/metric.h"

#include <stddef.h>
#include <string.h>

#define SECONDS .max = 0x1p53

/* ---- metrics ---- */

#define METRIC(field) offsetof(struct sim_metric, field)
#define METRIC_KEYS(base)                                                                          \
    {"component", SIM_TEXT, (base) + METRIC(seam.component), .help = "measured component; empty"}, \
        {"units", SIM_TEXT, (base) + METRIC(seam.units), .help = "unit of the values; empty"},     \
        {"tier", SIM_U32, (base) + METRIC(seam.tier), .help = "0"},                                \
        {"type", SIM_WORD, (base) + METRIC(seam.type), .words = "zet_metric_type_t",               \
         .help = "`event`, `event_with_range` and `duration` are increases of the value; raw"},    \
        {"result", SIM_WORD, (base) + METRIC(seam.result), .words = "zet_value_type_t",            \
         .help = "uint64"},                                                                        \
        {"value",      SIM_SCRIPT,  (base) + METRIC(value),                                        \
         .min = -1e18, .max = 1e18, .help = "the last marker before the report"},                  \
        {"tile_step",  SIM_REAL,    (base) + METRIC(tile_step),                                    \
         .min = -1e18, .max = 1e18, .help = "is added for each tile before the measured one; 0"},  \
        {"max",        SIM_REAL,    (base) + METRIC(max),                                          \
         .min = -1e18, .max = 1e18, .help = "largest possible value; 0"}

static const struct sim_key metric_keys[] = {
    {"name", SIM_TEXT, METRIC(seam.name), .required = true, .help = "name of the metric"},
    {"description", SIM_TEXT, METRIC(seam.description), .help = "empty"},
    METRIC_KEYS(0),
};
#define METRIC_DEFAULTS                                                                            \
    {.seam = {.name = "",                                                                          \
              .description = "",                                                                   \
              .component = "",                                                                     \
              .units = "",                                                                         \
              .type = ZET_METRIC_TYPE_RAW,                                                         \
              .result = ZET_VALUE_TYPE_UINT64},                                                    \
     .factor = 1}
static const struct sim_metric metric_defaults = METRIC_DEFAULTS;
static bool metric_finish(struct sim_reader *reader, void *item)
{
    const struct sim_metric *metric = item;
    return metric->seam.result != ZET_VALUE_TYPE_STRING ||
           sim_wrong(reader, "values are numbers: \"result\" cannot be \"string\"");
}
static const struct sim_table metric_table = {
    "metrics", SIM_KEYS(metric_keys), .bytes = sizeof(struct sim_metric),
    .defaults = &metric_defaults, .finish = metric_finish};

/* ---- groups ---- */

#define EVENT(field) offsetof(struct sim_trace_event, field)
static const struct sim_key event_keys[] = {
    {"at_s", SIM_REAL, EVENT(at_s), SECONDS, .required = true, .help = "time of the event"},
    {"every_s", SIM_REAL, EVENT(every_s), .min = 0, .max = 1e12,
     .help = "period of repetition, at least 0.000001; 0: the event occurs once"},
    {"metric", SIM_U32, EVENT(metric), .required = true,
     .help = "index of its metric in the group, from 0"},
    {"value", SIM_SCRIPT, EVENT(value), .min = -1e18, .max = 1e18,
     .help = "value of the event; the metric's value"},
};
static bool event_finish(struct sim_reader *reader, void *item)
{
    const struct sim_trace_event *event = item;
    return event->every_s == 0 || event->every_s >= 1e-6 ||
           sim_wrong(reader, "\"every_s\" is below 0.000001");
}
static const struct sim_table event_table = {"events of metric_groups", SIM_KEYS(event_keys),
                                             .bytes = sizeof(struct sim_trace_event),
                                             .finish = event_finish};

#define GROUP(field) offsetof(struct sim_group, field)
static const struct sim_key group_keys[] = {
    {"name", SIM_TEXT, GROUP(seam.name), .required = true, .help = "name of the group"},
    {"description", SIM_TEXT, GROUP(seam.description), .help = "empty"},
    {"sampling", SIM_WORDS, GROUP(seam.sampling), .words = "zet_metric_group_sampling_type_flags_t",
     .required = true, .help = "one word or several"},
    {"domain", SIM_U32, GROUP(seam.domain), .help = "0"},
    {"source", SIM_U32, GROUP(seam.source), .help = "0"},
    {"type", SIM_WORDS, GROUP(seam.type), .words = "zet_metric_group_type_exp_flags_t",
     .help = "none"},
    {"timer_hz", SIM_U64, GROUP(seam.timer_hz), .min = 1, .max = 1e12,
     .help = "frequency of its time stamps; 1000000000"},
    {"timer_bits", SIM_U32, GROUP(seam.timer_bits), .min = 1, .max = 64, .help = "64"},
    {"buffer", SIM_U32, GROUP(buffer), .min = 1, .max = SIM_BUFFER,
     .help = "unread reports or events that are kept; 65536"},
    {"min_period_ns", SIM_U32, GROUP(min_period_ns), .min = 1, .max = UINT32_MAX,
     .help = "shortest period of a streamer; 1000"},
    {"on_demand", SIM_FLAG, GROUP(on_demand),
     .help = "exists only after zetDeviceEnableMetricsExp; false"},
    {"refuse", SIM_WORD, GROUP(refusal), .words = "ze_result_t",
     .help = "result of the activation; success"},
    {"refuse_text", SIM_TEXT, GROUP(refusal_text), .help = "text of the last error; empty"},
    {"metrics", SIM_LIST, GROUP(metrics), .size = SIM_METRICS, .table = &metric_table,
     .required = true, .help = "the metrics of the group"},
    {"events", SIM_LIST, GROUP(events), .size = SIM_TRACE_EVENTS, .table = &event_table,
     .help = "what tracers record; none"},
};
static const struct sim_group group_defaults = {.seam = {.description = "",
                                                         .timer_hz = 1000000000,
                                                         .timer_bits = 64,
                                                         .export_fd = -1,
                                                         .simulated = true},
                                                .buffer = 65536,
                                                .min_period_ns = 1000,
                                                .refusal_text = ""};
static bool group_finish(struct sim_reader *reader, void *item)
{
    const struct sim_group *group = item;
    const struct sim_trace_event *events = group->events.items;
    if (group->metrics.count == 0) {
        return sim_wrong(reader, "a group without metrics");
    }
    for (uint32_t i = 0; i < group->events.count; i++) {
        if (events[i].metric >= group->metrics.count) {
            return sim_wrong(reader, "an event of metric %u, of %u", events[i].metric,
                             group->metrics.count);
        }
    }
    return group->seam.sampling != 0 || sim_wrong(reader, "a group without \"sampling\"");
}
const struct sim_table sim_metric_group_table = {
    "metric_groups", SIM_KEYS(group_keys), .bytes = sizeof(struct sim_group),
    .defaults = &group_defaults, .finish = group_finish};

/* ---- programmable metrics ---- */

#define VALUE(field) offsetof(struct sim_parameter_value, field)
static const struct sim_key value_keys[] = {
    {"min", SIM_REAL, VALUE(min), .max = 0x1p53, .required = true, .help = "first value"},
    {"max", SIM_REAL, VALUE(max), .max = 0x1p53, .required = true, .help = "last value"},
    {"description", SIM_CHARS, VALUE(description),
     sizeof(((struct sim_parameter_value *)0)->description), .help = "empty"},
};
static bool value_finish(struct sim_reader *reader, void *item)
{
    const struct sim_parameter_value *value = item;
    return value->max >= value->min || sim_wrong(reader, "\"max\" is below \"min\"");
}
static const struct sim_table value_table = {"values of parameters", SIM_KEYS(value_keys),
                                             .bytes = sizeof(struct sim_parameter_value),
                                             .finish = value_finish};

#define PARAMETER(field) offsetof(struct sim_parameter, field)
static const struct sim_key parameter_keys[] = {
    {"name", SIM_CHARS, PARAMETER(name), sizeof(((struct sim_parameter *)0)->name),
     .required = true, .help = "name of the parameter"},
    {"type", SIM_WORD, PARAMETER(type), .words = "zet_metric_programmable_param_type_exp_t",
     .help = "`disaggregation`: number of metrics that are made; others multiply the value; "
             "generic"},
    {"default", SIM_REAL, PARAMETER(fallback), .max = 0x1p53, .help = "1"},
    {"values", SIM_LIST, PARAMETER(values), .size = SIM_VALUES, .table = &value_table,
     .required = true, .help = "possible values"},
};
static const struct sim_parameter parameter_defaults = {
    .type = ZET_METRIC_PROGRAMMABLE_PARAM_TYPE_EXP_GENERIC, .fallback = 1};
static const struct sim_table parameter_table = {"parameters", SIM_KEYS(parameter_keys),
                                                 .bytes = sizeof(struct sim_parameter),
                                                 .defaults = &parameter_defaults};

#define PROGRAMMABLE(field)   offsetof(struct sim_programmable, field)
#define PROPERTY(field)       PROGRAMMABLE(seam.properties.field)
#define PROPERTY_BYTES(field) sizeof(((struct sim_programmable *)0)->seam.properties.field)
static const struct sim_key programmable_keys[] = {
    {"name", SIM_CHARS, PROPERTY(name), PROPERTY_BYTES(name), .required = true,
     .help = "name of the programmable metric"},
    {"description", SIM_CHARS, PROPERTY(description), PROPERTY_BYTES(description), .help = "empty"},
    {"domain", SIM_U32, PROPERTY(domain), .help = "0"},
    {"source", SIM_U32, PROPERTY(sourceId), .help = "0"},
    {"sampling", SIM_WORDS, PROPERTY(samplingType),
     .words = "zet_metric_group_sampling_type_flags_t", .required = true,
     .help = "one word or several"},
    {"parameters", SIM_LIST, PROGRAMMABLE(parameters), .size = SIM_PARAMETERS,
     .table = &parameter_table, .help = "none"},
    METRIC_KEYS(PROGRAMMABLE(metric)),
};
static const struct sim_programmable programmable_defaults = {.metric = METRIC_DEFAULTS};
const struct sim_table sim_programmable_table = {
    "programmable_metrics", SIM_KEYS(programmable_keys), .bytes = sizeof(struct sim_programmable),
    .defaults = &programmable_defaults};

/* ---- the check ---- */

static bool list_check(struct sim_reader *reader, const struct sim_json *json, const char *key,
                       const struct sim_table *table, uint32_t most)
{
    struct sim_list list = {0};
    if (!json) {
        return true;
    }
    if (!sim_enter(reader, key, -1, json) || !sim_read_list(reader, json, table, most, &list)) {
        return false;
    }
    sim_leave(reader);
    return true;
}

bool sim_metrics_check(struct sim_reader *reader, const struct sim_whole *whole)
{
    return list_check(reader, whole->metric_groups, "metric_groups", &sim_metric_group_table,
                      SIM_GROUPS) &&
           list_check(reader, whole->programmable_metrics, "programmable_metrics",
                      &sim_programmable_table, SIM_PROGRAMMABLES);
}
