/* Power domains: limits by level and source, and the power in use. */
#ifndef GEO_DRIVER_SYSMAN_POWER_H
#define GEO_DRIVER_SYSMAN_POWER_H

#include "driver/sysman/list.h"

/* All limits: items are zes_power_limit_ext_desc_t. */
GEO_MUST_CHECK ze_result_t geo_power_limits(const struct geo_sysman_power *power,
                                            struct geo_sysman_list *limits);

/* Sets those limits that level and source name, in the order given. INVALID_ARGUMENT: there is no
 * such limit, or not this value; NOT_AVAILABLE: it would change what is locked. */
GEO_MUST_CHECK ze_result_t geo_power_set_limits(const struct geo_sysman_power *power,
                                                uint32_t count,
                                                const zes_power_limit_ext_desc_t *wanted);

/* The limits as they were before 1.4; each may be NULL. What there is not is off, with -1. */
struct geo_power_old_limits {
    zes_power_sustained_limit_t *sustained;
    zes_power_burst_limit_t *burst;
    zes_power_peak_limit_t *peak;
};
GEO_MUST_CHECK ze_result_t geo_power_old_limits(const struct geo_sysman_power *power,
                                                const struct geo_power_old_limits *out);
/* UNSUPPORTED_FEATURE: the domain has no such limit. */
GEO_MUST_CHECK ze_result_t geo_power_set_old_limits(const struct geo_sysman_power *power,
                                                    const struct geo_power_old_limits *wanted);

/* The sustained limit of the average power, in milliwatts. */
GEO_MUST_CHECK ze_result_t geo_power_sustained(const struct geo_sysman_power *power,
                                               uint32_t *milliwatts);
GEO_MUST_CHECK ze_result_t geo_power_set_sustained(const struct geo_sysman_power *power,
                                                   uint32_t milliwatts);

/* Milliwatts now and on average. Without an operation of the backend they come of the energy
 * counter, read twice 10 ms apart; the average is that since the call before (since then it is 10
 * ms as well). NOT_AVAILABLE: the counter stands still, or began anew. */
GEO_MUST_CHECK ze_result_t geo_power_usage(struct geo_component *component,
                                           const struct geo_sysman_power *power, uint32_t *now,
                                           uint32_t *average);

#endif
