/* Calculates metric values from raw data. */
#ifndef GEO_DRIVER_TOOLS_METRIC_CALCULATE_H
#define GEO_DRIVER_TOOLS_METRIC_CALCULATE_H

#include "driver/tools/metric/frame.h"
#include "driver/tools/metric/root.h"

/* The input of a calculation. */
struct geo_metric_calculation {
    const struct geo_metric_ops *ops;
    const struct geo_metric_group *group;
    zet_metric_group_calculation_type_t type;
    const uint8_t *data;
    size_t bytes;
    uint32_t skip;   /* number of reports to leave out after each one */
    bool first_only; /* only the first set */
};

/* Where the values go, by the protocol of zetMetricGroupCalculateMultipleMetricValuesExp. */
struct geo_metric_values {
    uint32_t *set_count, *counts; /* counts: per set, may be NULL */
    uint32_t *total;
    zet_typed_value_t *values; /* may be NULL */
};

/* Calculates values of all sets, one set after the other. Returns INVALID_ARGUMENT for data of
 * another group and damaged data, INVALID_SIZE for data that ends in the middle. */
GEO_MUST_CHECK ze_result_t geo_metric_calculate(const struct geo_metric_calculation *calculation,
                                                const struct geo_metric_values *values);

#endif
