/* Power of the whole card, as measured by NVML. It has one limit, for the average that the GPU's
 * firmware keeps over an unknown time. */
#include "backend/cuda/sysman/sysman.h"

#include <limits.h>

static const struct geo_sysman *sysman_of(const struct geo_sysman_power *power)
{
    return power->base.sysman;
}

static ze_result_t power_energy(const struct geo_sysman_power *power,
                                zes_power_energy_counter_t *counter, struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(power);
    unsigned long long millijoules = 0;
    ze_result_t result = GEO_NVML_ASK(sysman->nvml, why, DeviceGetTotalEnergyConsumption,
                                      sysman->device->handle, &millijoules);
    counter->timestamp = geo_backend_clock_us();
    counter->energy = (uint64_t)millijoules * 1000u;
    return result;
}

static int32_t milliwatts(unsigned value)
{
    return value <= INT32_MAX ? (int32_t)value : INT32_MAX;
}

static ze_result_t power_limits(const struct geo_sysman_power *power, uint32_t *count,
                                zes_power_limit_ext_desc_t *limits, struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(power);
    unsigned limit = 0;
    ze_result_t result = GEO_NVML_ASK(sysman->nvml, why, DeviceGetPowerManagementLimit,
                                      sysman->device->handle, &limit);
    if (result == ZE_RESULT_SUCCESS && *count > 0) {
        limits[0].level = ZES_POWER_LEVEL_SUSTAINED;
        limits[0].source = ZES_POWER_SOURCE_ANY;
        limits[0].limitUnit = ZES_LIMIT_UNIT_POWER;
        limits[0].enabledStateLocked = true;
        limits[0].enabled = true;
        limits[0].intervalValueLocked = true;
        limits[0].interval = -1;
        limits[0].limitValueLocked = !power->properties.canControl;
        limits[0].limit = milliwatts(limit);
    }
    *count = 1;
    return result;
}

static ze_result_t power_set_limits(const struct geo_sysman_power *power, uint32_t count,
                                    const zes_power_limit_ext_desc_t *limits,
                                    struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(power);
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < count && result == ZE_RESULT_SUCCESS; i++) {
        result = GEO_NVML_ASK(sysman->nvml, why, DeviceSetPowerManagementLimit,
                              sysman->device->handle, (unsigned)limits[i].limit);
    }
    return result;
}

/* Returns the power. Newer GPUs report both values. Others report one, which is an average over a
 * second on some GPUs. */
static ze_result_t power_usage(const struct geo_sysman_power *power, uint32_t *now,
                               uint32_t *average, struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = sysman_of(power);
    uint64_t instant, mean;
    unsigned usage = 0;
    if (geo_nvml_field_read(sysman->nvml, sysman->device->handle, GEO_NVML_FIELD_POWER_INSTANT, 0,
                            &instant, NULL) == ZE_RESULT_SUCCESS &&
        geo_nvml_field_read(sysman->nvml, sysman->device->handle, GEO_NVML_FIELD_POWER_AVERAGE, 0,
                            &mean, NULL) == ZE_RESULT_SUCCESS) {
        *now = (uint32_t)instant;
        *average = (uint32_t)mean;
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t result =
        GEO_NVML_ASK(sysman->nvml, why, DeviceGetPowerUsage, sysman->device->handle, &usage);
    *now = *average = usage;
    return result;
}

static const struct geo_sysman_power_ops power_ops = {
    .energy = power_energy,
    .limits = power_limits,
    .set_limits = power_set_limits,
    .usage = power_usage,
};

/* Fills the limits; -1 for values that NVML does not report. */
static void limits_describe(const struct geo_sysman *sysman, struct geo_sysman_power *power)
{
    unsigned least = 0, most = 0, shipped = 0;
    zes_power_properties_t *properties = &power->properties;
    properties->defaultLimit = properties->minLimit = properties->maxLimit = -1;
    if (GEO_NVML(sysman->nvml, DeviceGetPowerManagementLimitConstraints, sysman->device->handle,
                 &least, &most) == GEO_NVML_SUCCESS) {
        properties->minLimit = milliwatts(least);
        properties->maxLimit = milliwatts(most);
        properties->canControl = least < most && sysman->nvml->DeviceSetPowerManagementLimit;
    }
    if (GEO_NVML(sysman->nvml, DeviceGetPowerManagementDefaultLimit, sysman->device->handle,
                 &shipped) == GEO_NVML_SUCCESS) {
        properties->defaultLimit = milliwatts(shipped);
    }
    power->default_limit = (zes_power_limit_ext_desc_t){
        .level = ZES_POWER_LEVEL_SUSTAINED,
        .source = ZES_POWER_SOURCE_ANY,
        .limitUnit = ZES_LIMIT_UNIT_POWER,
        .enabledStateLocked = true,
        .enabled = true,
        .intervalValueLocked = true,
        .interval = -1,
        .limitValueLocked = !properties->canControl,
        .limit = properties->defaultLimit,
    };
}

void geo_gpu_find_power(struct geo_component_list *list)
{
    const struct geo_sysman *sysman = list->sysman;
    unsigned long long millijoules;
    unsigned usage;
    const bool counts = geo_gpu_has(GEO_NVML(sysman->nvml, DeviceGetTotalEnergyConsumption,
                                             sysman->device->handle, &millijoules));
    if (!counts &&
        !geo_gpu_has(GEO_NVML(sysman->nvml, DeviceGetPowerUsage, sysman->device->handle, &usage))) {
        return;
    }
    struct geo_sysman_power *power = geo_gpu_list_add(list, sizeof(*power), -1, "card");
    if (power) {
        limits_describe(sysman, power);
        power->domain = ZES_POWER_DOMAIN_CARD;
        power->properties.isEnergyThresholdSupported = counts;
        power->ops = &power_ops;
    }
}
