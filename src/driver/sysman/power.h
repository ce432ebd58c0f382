/* Power domains: limits by level and source, and power usage. */
#ifndef GEO_DRIVER_SYSMAN_POWER_H
#define GEO_DRIVER_SYSMAN_POWER_H

#include "driver/sysman/list.h"

/* Returns all limits; items are zes_power_limit_ext_desc_t. */
GEO_MUST_CHECK ze_result_t geo_power_limits(const struct geo_sysman_power *power,
                                            struct geo_sysman_list *limits);

/* Sets the limits that `wanted` names by level and source, in this order. Returns INVALID_ARGUMENT
 * for a missing limit or invalid value, NOT_AVAILABLE if a locked setting would change. */
GEO_MUST_CHECK ze_result_t geo_power_set_limits(const struct geo_sysman_power *power,
                                                uint32_t count,
                                                const zes_power_limit_ext_desc_t *wanted);

/* The limits in the structures before version 1.4; each pointer may be NULL. A missing limit is
 * disabled, with value -1. */
struct geo_power_old_limits {
    zes_power_sustained_limit_t *sustained;
    zes_power_burst_limit_t *burst;
    zes_power_peak_limit_t *peak;
};
GEO_MUST_CHECK ze_result_t geo_power_old_limits(const struct geo_sysman_power *power,
                                                const struct geo_power_old_limits *out);
/* Sets these limits. Returns UNSUPPORTED_FEATURE if the domain lacks one. */
GEO_MUST_CHECK ze_result_t geo_power_set_old_limits(const struct geo_sysman_power *power,
                                                    const struct geo_power_old_limits *wanted);

/* Return and set the sustained limit of the average power, in milliwatts. */
GEO_MUST_CHECK ze_result_t geo_power_sustained(const struct geo_sysman_power *power,
                                               uint32_t *milliwatts);
GEO_MUST_CHECK ze_result_t geo_power_set_sustained(const struct geo_sysman_power *power,
                                                   uint32_t milliwatts);

/* Returns the power now and on average, in milliwatts. Without an operation of the backend it is
 * computed from two readings of the energy counter, 10 ms apart. The average is since the previous
 * call, and over 10 ms at the first call. Returns NOT_AVAILABLE if the counter does not advance or
 * was reset. */
GEO_MUST_CHECK ze_result_t geo_power_usage(struct geo_component *component,
                                           const struct geo_sysman_power *power, uint32_t *now,
                                           uint32_t *average);

#endif
