/* Sets of error counters: numbers by the newer categories, and by the older seven, which are made
 * of them: six are the newer ones of the same name, NON_COMPUTE has all others beside its own, so
 * that the sum is that of all errors. Of correctable errors RESET, PROGRAMMING and DRIVER are 0. */
#ifndef GEO_DRIVER_SYSMAN_RAS_H
#define GEO_DRIVER_SYSMAN_RAS_H

#include "driver/sysman/component.h"

/* Of each category of the set, in its order; free() it. */
GEO_MUST_CHECK ze_result_t geo_ras_counters(const struct geo_sysman_ras *ras, uint64_t **out);

/* The older view of such counters. */
void geo_ras_older(const struct geo_sysman_ras *ras, const uint64_t *counters,
                   uint64_t out[ZES_MAX_RAS_ERROR_CATEGORY_COUNT]);

/* Place of a category in the set. UNSUPPORTED_ENUMERATION: it does not count it. */
GEO_MUST_CHECK ze_result_t geo_ras_index(const struct geo_sysman_ras *ras,
                                         zes_ras_error_category_exp_t category, uint32_t *out);

/* Sets counters to 0, for everybody, and their thresholds may fire again (SYC-24): of all
 * categories, or of one. */
GEO_MUST_CHECK ze_result_t geo_ras_clear(struct geo_component *component,
                                         const struct geo_sysman_ras *ras);
GEO_MUST_CHECK ze_result_t geo_ras_clear_one(struct geo_component *component,
                                             const struct geo_sysman_ras *ras, uint32_t index);

#endif
