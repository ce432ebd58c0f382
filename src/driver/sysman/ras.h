/* Sets of error counters, by the newer categories and by the older seven, which are derived from
 * them. Six of these are the newer ones of the same name. NON_COMPUTE also contains all other
 * categories, so that the sum is that of all errors. For correctable errors, RESET, PROGRAMMING and
 * DRIVER are 0. */
#ifndef GEO_DRIVER_SYSMAN_RAS_H
#define GEO_DRIVER_SYSMAN_RAS_H

#include "driver/sysman/component.h"

/* Returns the counters of all categories of the set, in its order; the caller frees the array. */
GEO_MUST_CHECK ze_result_t geo_ras_counters(const struct geo_sysman_ras *ras, uint64_t **out);

/* Converts counters from geo_ras_counters to the seven older categories. */
void geo_ras_older(const struct geo_sysman_ras *ras, const uint64_t *counters,
                   uint64_t out[ZES_MAX_RAS_ERROR_CATEGORY_COUNT]);

/* Returns the index of a category in the set. UNSUPPORTED_ENUMERATION if the set does not count
 * it. */
GEO_MUST_CHECK ze_result_t geo_ras_index(const struct geo_sysman_ras *ras,
                                         zes_ras_error_category_exp_t category, uint32_t *out);

/* Reset counters to 0 for all processes, so that their thresholds may fire again (SYC-24): of all
 * categories, or of one. */
GEO_MUST_CHECK ze_result_t geo_ras_clear(struct geo_component *component,
                                         const struct geo_sysman_ras *ras);
GEO_MUST_CHECK ze_result_t geo_ras_clear_one(struct geo_component *component,
                                             const struct geo_sysman_ras *ras, uint32_t index);

#endif
