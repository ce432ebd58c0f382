/* Programmable metrics, from which the application makes metrics by setting parameters. */
#ifndef GEO_DRIVER_TOOLS_METRIC_PROGRAMMABLE_H
#define GEO_DRIVER_TOOLS_METRIC_PROGRAMMABLE_H

#include "driver/tools/metric/metric.h"

/* Exists for ever. */
struct geo_metric_programmable_object {
    struct geo_object base;
    struct geo_metric_root *root;
    const struct geo_metric_programmable *programmable;
};

GEO_OBJECT_HANDLE(metric_programmable_object, GEO_OBJECT_METRIC_PROGRAMMABLE,
                  zet_metric_programmable_exp_handle_t)

/* Applies the list protocol to the programmable metrics of a device. */
GEO_MUST_CHECK ze_result_t geo_metric_programmable_list(
    struct geo_metric_root *root, uint32_t *count, zet_metric_programmable_exp_handle_t *handles);

/* Fill structures. *count is the number of entries that fit, and of those written. Return
 * INVALID_ARGUMENT for a count of 0 and a parameter that does not exist. */
void geo_metric_programmable_properties(const struct geo_metric_programmable_object *object,
                                        zet_metric_programmable_exp_properties_t *properties);
GEO_MUST_CHECK ze_result_t geo_metric_programmable_parameters(
    const struct geo_metric_programmable_object *object, uint32_t *count,
    zet_metric_programmable_param_info_exp_t *infos);
GEO_MUST_CHECK ze_result_t geo_metric_programmable_values(
    const struct geo_metric_programmable_object *object, uint32_t parameter, uint32_t *count,
    zet_metric_programmable_param_value_info_exp_t *infos);

/* Values of parameters, and texts for the metrics that are made. */
struct geo_metric_program {
    const zet_metric_programmable_param_value_exp_t *values;
    uint32_t value_count;
    const char *name, *description;
};

/* Makes metrics, by the protocol of zetMetricCreateFromProgrammableExp2. Returns INVALID_ARGUMENT
 * for too many values and for texts that are too long. */
GEO_MUST_CHECK ze_result_t geo_metric_programmable_create(
    const struct geo_metric_programmable_object *object, const struct geo_metric_program *program,
    uint32_t *count, zet_metric_handle_t *handles);

#endif
