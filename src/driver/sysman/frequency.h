/* Frequency domains: the range, and the older overclocking. */
#ifndef GEO_DRIVER_SYSMAN_FREQUENCY_H
#define GEO_DRIVER_SYSMAN_FREQUENCY_H

#include "driver/sysman/component.h"

/* -1 is what the domain was shipped with; 0 is as low or as high as the hardware goes, as a highest
 * above that is. INVALID_ARGUMENT: no range, or not inside what the domain can do. */
GEO_MUST_CHECK ze_result_t geo_frequency_set_range(const struct geo_sysman_frequency *frequency,
                                                   const zes_freq_range_t *wanted);

/* What is set. UNSUPPORTED_FEATURE: no overclocking, or not of these fields (enum
 * geo_sysman_oc_fields). */
GEO_MUST_CHECK ze_result_t geo_frequency_oc(const struct geo_sysman_frequency *frequency,
                                            uint32_t fields, struct geo_sysman_oc *out);
/* Sets those fields. UNSUPPORTED_FEATURE also for what exceeds the hardware, INVALID_ARGUMENT for a
 * limit that is none. */
GEO_MUST_CHECK ze_result_t geo_frequency_set_oc(const struct geo_sysman_frequency *frequency,
                                                uint32_t fields, const struct geo_sysman_oc *oc);

#endif
