/* Fans: which speeds can be asked for. */
#ifndef GEO_DRIVER_SYSMAN_FAN_H
#define GEO_DRIVER_SYSMAN_FAN_H

#include "driver/sysman/component.h"

/* Sets mode, and speed or table by it. UNSUPPORTED_FEATURE: not this mode, or not in these units;
 * INVALID_ARGUMENT: no such speed, or a table that is empty, too long or not in the order of
 * temperatures. */
GEO_MUST_CHECK ze_result_t geo_fan_set(const struct geo_sysman_fan *fan,
                                       const zes_fan_config_t *config);

GEO_MUST_CHECK ze_result_t geo_fan_check_units(const struct geo_sysman_fan *fan,
                                               zes_fan_speed_units_t units);

#endif
