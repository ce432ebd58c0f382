/* Checks and sets speeds of fans. */
#ifndef GEO_DRIVER_SYSMAN_FAN_H
#define GEO_DRIVER_SYSMAN_FAN_H

#include "driver/sysman/component.h"

/* Sets the mode, with its speed or table. Returns UNSUPPORTED_FEATURE for a mode or units that the
 * fan does not have. Returns INVALID_ARGUMENT for an impossible speed, or a table that is empty,
 * too long or not sorted by temperature. */
GEO_MUST_CHECK ze_result_t geo_fan_set(const struct geo_sysman_fan *fan,
                                       const zes_fan_config_t *config);

/* Returns UNSUPPORTED_FEATURE if the fan does not support these units. */
GEO_MUST_CHECK ze_result_t geo_fan_check_units(const struct geo_sysman_fan *fan,
                                               zes_fan_speed_units_t units);

#endif
