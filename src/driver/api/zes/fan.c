/* API functions of fans. */
#include "driver/sysman/fan.h"
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

/* Returns the configuration. Settings of modes that are not active are cleared: speed -1 means no
 * fixed speed, 0 points mean no table. */
ze_result_t geo_zesFanGetConfig(zes_fan_handle_t hFan, zes_fan_config_t *pConfig)
{
    const struct geo_sysman_fan *fan;
    zes_fan_config_t config = {0};
    GEO_CHECK(geo_fan_from(hFan, &fan));
    GEO_ASK(fan, config, fan, &config);
    if (config.mode != ZES_FAN_SPEED_MODE_FIXED) {
        config.speedFixed.speed = -1;
    }
    if (config.mode != ZES_FAN_SPEED_MODE_TABLE) {
        config.speedTable.numPoints = 0;
    }
    GEO_VALUE_WRITE(pConfig, &config);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFanSetDefaultMode(zes_fan_handle_t hFan)
{
    const struct geo_sysman_fan *fan;
    const zes_fan_config_t config = {.mode = ZES_FAN_SPEED_MODE_DEFAULT};
    GEO_CHECK(geo_fan_from(hFan, &fan));
    return geo_fan_set(fan, &config);
}

ze_result_t geo_zesFanSetFixedSpeedMode(zes_fan_handle_t hFan, const zes_fan_speed_t *speed)
{
    const struct geo_sysman_fan *fan;
    const zes_fan_config_t config = {.mode = ZES_FAN_SPEED_MODE_FIXED, .speedFixed = *speed};
    GEO_CHECK(geo_fan_from(hFan, &fan));
    return geo_fan_set(fan, &config);
}

ze_result_t geo_zesFanSetSpeedTableMode(zes_fan_handle_t hFan,
                                        const zes_fan_speed_table_t *speedTable)
{
    const struct geo_sysman_fan *fan;
    const zes_fan_config_t config = {.mode = ZES_FAN_SPEED_MODE_TABLE, .speedTable = *speedTable};
    GEO_CHECK(geo_fan_from(hFan, &fan));
    return geo_fan_set(fan, &config);
}

ze_result_t geo_zesFanGetState(zes_fan_handle_t hFan, zes_fan_speed_units_t units, int32_t *pSpeed)
{
    const struct geo_sysman_fan *fan;
    int32_t speed = -1;
    GEO_CHECK(geo_fan_from(hFan, &fan));
    GEO_CHECK(geo_fan_check_units(fan, units));
    GEO_ASK(fan, speed, fan, units, &speed);
    *pSpeed = speed;
    return ZE_RESULT_SUCCESS;
}
