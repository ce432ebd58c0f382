/* Fans of the card: speed in percent of the maximum, and in RPM if NVML provides it. Cards without
 * their own fans, as in servers, have no fan components. */
#include "backend/cuda/sysman/sysman.h"

#include <stdio.h>

#define PERCENT (1u << ZES_FAN_SPEED_UNITS_PERCENT)
#define RPM     (1u << ZES_FAN_SPEED_UNITS_RPM)

enum { MOST_FANS = 32 };

struct fan {
    struct geo_sysman_fan fan; /* first */
    unsigned number;
};

static const struct geo_sysman *sysman_of(const struct geo_sysman_fan *fan)
{
    return fan->base.sysman;
}

static unsigned number_of(const struct geo_sysman_fan *fan)
{
    return ((const struct fan *)fan->base.opaque)->number;
}

static ze_result_t revolutions(const struct geo_sysman *sysman, unsigned number, int32_t *speed,
                               struct geo_strbuf *why)
{
    geo_nvml_fan_rpm rpm = {.version = GEO_NVML_VERSION(geo_nvml_fan_rpm, 1), .fan = number};
    ze_result_t result =
        GEO_NVML_ASK(sysman->nvml, why, DeviceGetFanSpeedRPM, sysman->device->handle, &rpm);
    *speed = rpm.rpm <= INT32_MAX ? (int32_t)rpm.rpm : INT32_MAX;
    return result;
}

static ze_result_t fan_speed(const struct geo_sysman_fan *fan, zes_fan_speed_units_t units,
                             int32_t *speed, struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(fan);
    unsigned percent = 0;
    if (units == ZES_FAN_SPEED_UNITS_RPM) {
        return revolutions(sysman, number_of(fan), speed, why);
    }
    ze_result_t result = GEO_NVML_ASK(sysman->nvml, why, DeviceGetFanSpeed, sysman->device->handle,
                                      number_of(fan), &percent);
    *speed = (int32_t)percent;
    return result;
}

static ze_result_t fan_config(const struct geo_sysman_fan *fan, zes_fan_config_t *config,
                              struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(fan);
    unsigned policy = GEO_NVML_FAN_AUTOMATIC, target = 0;
    ze_result_t result = GEO_NVML_ASK(sysman->nvml, why, DeviceGetFanControlPolicy,
                                      sysman->device->handle, number_of(fan), &policy);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    config->mode = ZES_FAN_SPEED_MODE_DEFAULT;
    config->speedFixed.speed = -1;
    config->speedFixed.units = ZES_FAN_SPEED_UNITS_PERCENT;
    if (policy == GEO_NVML_FAN_MANUAL) {
        result = GEO_NVML_ASK(sysman->nvml, why, DeviceGetTargetFanSpeed, sysman->device->handle,
                              number_of(fan), &target);
        config->mode = ZES_FAN_SPEED_MODE_FIXED;
        config->speedFixed.speed = (int32_t)target;
    }
    return result;
}

static ze_result_t fan_set_config(const struct geo_sysman_fan *fan, const zes_fan_config_t *config,
                                  struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(fan);
    unsigned least = 0, most = 100;
    if (config->mode == ZES_FAN_SPEED_MODE_DEFAULT) {
        return GEO_NVML_ASK(sysman->nvml, why, DeviceSetDefaultFanSpeed, sysman->device->handle,
                            number_of(fan));
    }
    if (config->speedFixed.units != ZES_FAN_SPEED_UNITS_PERCENT) {
        geo_strbuf_printf(why, "NVML sets fan speeds in percent only");
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    const unsigned speed = (unsigned)config->speedFixed.speed;
    if (GEO_NVML(sysman->nvml, DeviceGetMinMaxFanSpeed, sysman->device->handle, &least, &most) ==
            GEO_NVML_SUCCESS &&
        (speed < least || speed > most)) {
        geo_strbuf_printf(why, "the fan cannot run at %u %% of its speed, only at %u %% to %u %%",
                          speed, least, most);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    return GEO_NVML_ASK(sysman->nvml, why, DeviceSetFanSpeed, sysman->device->handle,
                        number_of(fan), speed);
}

static const struct geo_sysman_fan_ops fan_ops = {
    .config = fan_config,
    .set_config = fan_set_config,
    .speed = fan_speed,
};

static void fan_add(struct geo_component_list *list, unsigned number)
{
    const struct geo_sysman *sysman = list->sysman;
    unsigned least, most;
    int32_t speed;
    struct fan *fan = geo_gpu_list_add_numbered(list, sizeof(*fan), "fan", number);
    if (!fan) {
        return;
    }
    zes_fan_properties_t *properties = &fan->fan.properties;
    fan->number = number;
    fan->fan.ops = &fan_ops;
    properties->canControl =
        sysman->nvml->DeviceSetFanSpeed && sysman->nvml->DeviceSetDefaultFanSpeed &&
        GEO_NVML(sysman->nvml, DeviceGetMinMaxFanSpeed, sysman->device->handle, &least, &most) ==
            GEO_NVML_SUCCESS;
    properties->supportedModes = 1u << ZES_FAN_SPEED_MODE_DEFAULT;
    properties->supportedModes |= properties->canControl ? 1u << ZES_FAN_SPEED_MODE_FIXED : 0;
    properties->supportedUnits = PERCENT;
    properties->supportedUnits |=
        revolutions(sysman, number, &speed, NULL) == ZE_RESULT_SUCCESS ? RPM : 0;
    properties->maxRPM = -1;
    properties->maxPoints = -1;
}

void geo_gpu_find_fan(struct geo_component_list *list)
{
    unsigned count = 0;
    if (GEO_NVML(list->sysman->nvml, DeviceGetNumFans, list->sysman->device->handle, &count) !=
        GEO_NVML_SUCCESS) {
        return;
    }
    for (unsigned i = 0; i < count && i < MOST_FANS; i++) {
        fan_add(list, i);
    }
}
