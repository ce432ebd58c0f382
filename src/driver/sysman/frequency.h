/* Frequency domains: the range, and the older overclocking. */
#ifndef GEO_DRIVER_SYSMAN_FREQUENCY_H
#define GEO_DRIVER_SYSMAN_FREQUENCY_H

#include "driver/sysman/component.h"

/* Bounds beyond what the domain can do are as far as it goes, and so is 0; -1: as shipped.
 * INVALID_ARGUMENT: what is left is no range. */
GEO_MUST_CHECK ze_result_t geo_frequency_set_range(const struct geo_sysman_frequency *frequency,
                                                   const zes_freq_range_t *wanted);

/* Fills `clocks` as lists are filled (geo_list_protocol): the domain's clocks, ascending. Where
 * nobody tells them: those that are certain, the lowest and the highest. */
void geo_frequency_clocks(const struct geo_sysman_frequency *frequency, uint32_t *count,
                          double *clocks);

/* What can be overclocked; of a domain that cannot be: not supported, and all else 0. */
GEO_MUST_CHECK ze_result_t geo_frequency_oc_capabilities(
    const struct geo_sysman_frequency *frequency, zes_oc_capabilities_t *out);

/* What is set. UNSUPPORTED_FEATURE: no overclocking, or not of these fields (enum
 * geo_sysman_oc_fields). */
GEO_MUST_CHECK ze_result_t geo_frequency_oc(const struct geo_sysman_frequency *frequency,
                                            uint32_t fields, struct geo_sysman_oc *out);
/* Sets those fields. UNSUPPORTED_FEATURE also for what exceeds the hardware, INVALID_ARGUMENT for a
 * limit that is none. */
GEO_MUST_CHECK ze_result_t geo_frequency_set_oc(const struct geo_sysman_frequency *frequency,
                                                uint32_t fields, const struct geo_sysman_oc *oc);

#endif
