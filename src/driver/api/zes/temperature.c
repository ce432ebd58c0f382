/* API functions of temperature sensors. */
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/threshold.h"

ze_result_t geo_zesTemperatureGetConfig(zes_temp_handle_t hTemperature, zes_temp_config_t *pConfig)
{
    const struct geo_sysman_temperature *sensor;
    GEO_CHECK(geo_temperature_from(hTemperature, &sensor));
    return geo_temperature_config(geo_component_of(hTemperature), sensor, pConfig);
}

ze_result_t geo_zesTemperatureSetConfig(zes_temp_handle_t hTemperature,
                                        const zes_temp_config_t *pConfig)
{
    const struct geo_sysman_temperature *sensor;
    GEO_CHECK(geo_temperature_from(hTemperature, &sensor));
    return geo_temperature_set_config(geo_component_of(hTemperature), sensor, pConfig);
}

ze_result_t geo_zesTemperatureGetState(zes_temp_handle_t hTemperature, double *pTemperature)
{
    const struct geo_sysman_temperature *sensor;
    double celsius = 0;
    GEO_CHECK(geo_temperature_from(hTemperature, &sensor));
    GEO_ASK(sensor, state, sensor, &celsius);
    *pTemperature = celsius;
    return ZE_RESULT_SUCCESS;
}
