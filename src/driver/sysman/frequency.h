/* Frequency domains: the range, and the older overclocking functions. */
#ifndef GEO_DRIVER_SYSMAN_FREQUENCY_H
#define GEO_DRIVER_SYSMAN_FREQUENCY_H

#include "driver/sysman/component.h"

/* Sets the range. A bound beyond the hardware's, or 0, means the hardware's bound; -1 means the
 * factory setting. Returns INVALID_ARGUMENT if the result is not a range. */
GEO_MUST_CHECK ze_result_t geo_frequency_set_range(const struct geo_sysman_frequency *frequency,
                                                   const zes_freq_range_t *wanted);

/* Fills `clocks` by the list protocol (geo_count_protocol) with the clocks of the domain in
 * ascending order. If the hardware does not list them, these are the lowest and the highest
 * clock. */
void geo_frequency_clocks(const struct geo_sysman_frequency *frequency, uint32_t *count,
                          double *clocks);

/* Returns what can be overclocked. If nothing can, isOcSupported is false and everything else 0. */
GEO_MUST_CHECK ze_result_t geo_frequency_oc_capabilities(
    const struct geo_sysman_frequency *frequency, zes_oc_capabilities_t *out);

/* Returns the settings. UNSUPPORTED_FEATURE if overclocking, or one of these fields (enum
 * geo_sysman_oc_fields), is not supported. */
GEO_MUST_CHECK ze_result_t geo_frequency_oc(const struct geo_sysman_frequency *frequency,
                                            uint32_t fields, struct geo_sysman_oc *out);
/* Sets these fields. Also returns UNSUPPORTED_FEATURE for values beyond the hardware, and
 * INVALID_ARGUMENT for invalid limits. */
GEO_MUST_CHECK ze_result_t geo_frequency_set_oc(const struct geo_sysman_frequency *frequency,
                                                uint32_t fields, const struct geo_sysman_oc *oc);

#endif
