/* Checks and sets speeds of fans. See fan.h. */
#include "driver/sysman/fan.h"

#include "driver/sysman/ask.h"

ze_result_t geo_fan_check_units(const struct geo_sysman_fan *fan, zes_fan_speed_units_t units)
{
    return (uint32_t)units < 32 && (fan->properties.supportedUnits & (1u << (unsigned)units))
               ? ZE_RESULT_SUCCESS
               : geo_ask_unsupported(fan->base.name, "speed in these units");
}

static ze_result_t check_speed(const struct geo_sysman_fan *fan, const zes_fan_speed_t *speed)
{
    GEO_CHECK(geo_fan_check_units(fan, speed->units));
    const int32_t most = speed->units == ZES_FAN_SPEED_UNITS_PERCENT ? 100 : fan->properties.maxRPM;
    if (speed->speed < 0 || (most >= 0 && speed->speed > most)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        most >= 0 ? "%s cannot run at %d %s: the speed must be from 0 to %d"
                                  : "%s cannot run at %d %s: the speed must not be negative",
                        fan->base.name, speed->speed,
                        speed->units == ZES_FAN_SPEED_UNITS_PERCENT ? "%" : "rpm", most);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_table(const struct geo_sysman_fan *fan, const zes_fan_speed_table_t *table)
{
    const int32_t points = fan->properties.maxPoints;
    const int32_t most = points >= 0 && points < ZES_FAN_TEMP_SPEED_PAIR_COUNT
                             ? points
                             : ZES_FAN_TEMP_SPEED_PAIR_COUNT;
    if (table->numPoints < 1 || table->numPoints > most) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s: the table has %d points: 1 to %d are possible", fan->base.name,
                        table->numPoints, most);
    }
    for (int32_t i = 0; i < table->numPoints; i++) {
        GEO_CHECK(check_speed(fan, &table->table[i].speed));
        if (i > 0 && table->table[i].temperature <= table->table[i - 1].temperature) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "%s: point %d of the table has %u degrees Celsius, but the point "
                            "before has %u: the temperatures must rise",
                            fan->base.name, i, table->table[i].temperature,
                            table->table[i - 1].temperature);
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_fan_set(const struct geo_sysman_fan *fan, const zes_fan_config_t *config)
{
    GEO_CHECK(geo_ask_check_control(&fan->base, fan->properties.canControl));
    if (!(fan->properties.supportedModes & (1u << (unsigned)config->mode))) {
        return geo_ask_unsupported(fan->base.name, "such mode");
    }
    if (config->mode == ZES_FAN_SPEED_MODE_FIXED) {
        GEO_CHECK(check_speed(fan, &config->speedFixed));
    } else if (config->mode == ZES_FAN_SPEED_MODE_TABLE) {
        GEO_CHECK(check_table(fan, &config->speedTable));
    }
    GEO_ASK(fan, set_config, fan, config);
    return ZE_RESULT_SUCCESS;
}
