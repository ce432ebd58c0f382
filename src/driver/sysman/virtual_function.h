/* Memory, engines and telemetry of virtual functions. */
#ifndef GEO_DRIVER_SYSMAN_VIRTUAL_FUNCTION_H
#define GEO_DRIVER_SYSMAN_VIRTUAL_FUNCTION_H

#include "driver/sysman/list.h"

/* Return the utilisation; items are zes_vf_util_mem_exp2_t and zes_vf_util_engine_exp2_t. */
GEO_MUST_CHECK ze_result_t geo_virtual_function_memory(
    const struct geo_sysman_virtual_function *function, struct geo_sysman_list *list);
GEO_MUST_CHECK ze_result_t geo_virtual_function_engines(
    const struct geo_sysman_virtual_function *function, struct geo_sysman_list *list);

/* Starts or stops measuring what the flags name, every 100 ms unless an interval was set; other
 * measurements continue. Returns UNSUPPORTED_FEATURE for what cannot be measured. */
GEO_MUST_CHECK ze_result_t geo_virtual_function_measure(
    struct geo_component *component, const struct geo_sysman_virtual_function *function,
    zes_vf_info_util_exp_flags_t flags, bool enable);
/* Sets the interval in microseconds, also for active measurements. Returns INVALID_ARGUMENT for
 * 0. */
GEO_MUST_CHECK ze_result_t geo_virtual_function_set_interval(
    struct geo_component *component, const struct geo_sysman_virtual_function *function,
    zes_vf_info_util_exp_flags_t flags, uint64_t interval_us);

#endif
