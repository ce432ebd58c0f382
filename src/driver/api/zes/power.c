/* API functions of power domains. */
#include "driver/sysman/power.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/threshold.h"
#include "driver/sysman/value.h"

#include <stdlib.h>

ze_result_t geo_zesDeviceGetCardPowerDomain(zes_device_handle_t hDevice, zes_pwr_handle_t *phPower)
{
    struct geo_sysman_root *root;
    const struct geo_components *list;
    struct geo_component *card = NULL;
    GEO_CHECK(geo_sysman_root_from(hDevice, &root));
    geo_sysman_lock();
    ze_result_t result = geo_components_find_locked(root, GEO_SYSMAN_POWER, &list);
    for (size_t i = 0; result == ZE_RESULT_SUCCESS && !card && i < list->count; i++) {
        const struct geo_sysman_power *power = (const void *)list->items[i]->description;
        card = power->domain == ZES_POWER_DOMAIN_CARD ? list->items[i] : NULL;
    }
    geo_sysman_unlock();
    GEO_CHECK(result);
    if (!card) {
        return geo_ask_unsupported(root->device->info->name, "power domain of the card");
    }
    *phPower = (zes_pwr_handle_t)(void *)card;
    return ZE_RESULT_SUCCESS;
}

static void properties_extend(const struct geo_sysman_power *power, const void *next)
{
    zes_power_ext_properties_t *extension =
        GEO_CHAIN_FIND(zes_power_properties_t, zes_power_ext_properties_t, next);
    if (extension) {
        extension->domain = power->domain;
        if (extension->defaultLimit) { /* points to a structure of the caller */
            zes_power_limit_ext_desc_t limit = power->default_limit;
            GEO_VALUE_WRITE(extension->defaultLimit, &limit);
        }
    }
    zes_power_domain_exp_properties_t *domain =
        GEO_CHAIN_FIND(zes_power_properties_t, zes_power_domain_exp_properties_t, next);
    if (domain) {
        domain->powerDomain = power->domain;
    }
}

ze_result_t geo_zesPowerGetProperties(zes_pwr_handle_t hPower, zes_power_properties_t *pProperties)
{
    const struct geo_sysman_power *power;
    GEO_CHECK(geo_power_from(hPower, &power));
    GEO_PROPERTIES_WRITE(pProperties, power);
    properties_extend(power, GEO_CHAIN_OF(zes_power_properties_t, pProperties));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesPowerGetEnergyCounter(zes_pwr_handle_t hPower,
                                         zes_power_energy_counter_t *pEnergy)
{
    const struct geo_sysman_power *power;
    zes_power_energy_counter_t counter = {0};
    GEO_CHECK(geo_power_from(hPower, &power));
    GEO_ASK(power, energy, power, &counter);
    *pEnergy = counter;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesPowerGetLimits(zes_pwr_handle_t hPower, zes_power_sustained_limit_t *pSustained,
                                  zes_power_burst_limit_t *pBurst, zes_power_peak_limit_t *pPeak)
{
    const struct geo_sysman_power *power;
    const struct geo_power_old_limits out = {pSustained, pBurst, pPeak};
    GEO_CHECK(geo_power_from(hPower, &power));
    return geo_power_old_limits(power, &out);
}

ze_result_t geo_zesPowerSetLimits(zes_pwr_handle_t hPower,
                                  const zes_power_sustained_limit_t *pSustained,
                                  const zes_power_burst_limit_t *pBurst,
                                  const zes_power_peak_limit_t *pPeak)
{
    const struct geo_sysman_power *power;
    const struct geo_power_old_limits wanted = {
        (zes_power_sustained_limit_t *)(uintptr_t)pSustained,
        (zes_power_burst_limit_t *)(uintptr_t)pBurst, (zes_power_peak_limit_t *)(uintptr_t)pPeak};
    GEO_CHECK(geo_power_from(hPower, &power));
    return geo_power_set_old_limits(power, &wanted);
}

ze_result_t geo_zesPowerGetLimitsExt(zes_pwr_handle_t hPower, uint32_t *pCount,
                                     zes_power_limit_ext_desc_t *pSustained)
{
    const struct geo_sysman_power *power;
    struct geo_sysman_list limits;
    GEO_CHECK(geo_power_from(hPower, &power));
    GEO_CHECK(geo_power_limits(power, &limits));
    uint32_t count = geo_count_protocol(pCount, limits.count, pSustained);
    zes_power_limit_ext_desc_t *items = limits.items;
    for (uint32_t i = 0; i < count; i++) {
        GEO_VALUE_WRITE(&pSustained[i], &items[i]);
    }
    free(limits.items);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesPowerSetLimitsExt(zes_pwr_handle_t hPower, uint32_t *pCount,
                                     zes_power_limit_ext_desc_t *pSustained)
{
    const struct geo_sysman_power *power;
    GEO_CHECK(geo_power_from(hPower, &power));
    if (*pCount > 0) {
        GEO_CHECK_POINTER(pSustained);
    }
    return geo_power_set_limits(power, *pCount, pSustained);
}

ze_result_t geo_zesPowerGetLimitsExt2(zes_pwr_handle_t hPower, uint32_t *pLimit)
{
    const struct geo_sysman_power *power;
    GEO_CHECK(geo_power_from(hPower, &power));
    return geo_power_sustained(power, pLimit);
}

ze_result_t geo_zesPowerSetLimitsExt2(zes_pwr_handle_t hPower, const uint32_t limit)
{
    const struct geo_sysman_power *power;
    GEO_CHECK(geo_power_from(hPower, &power));
    return geo_power_set_sustained(power, limit);
}

ze_result_t geo_zesPowerGetEnergyThreshold(zes_pwr_handle_t hPower,
                                           zes_energy_threshold_t *pThreshold)
{
    const struct geo_sysman_power *power;
    GEO_CHECK(geo_power_from(hPower, &power));
    return geo_thresholds_energy(geo_component_of(hPower), power, pThreshold);
}

ze_result_t geo_zesPowerSetEnergyThreshold(zes_pwr_handle_t hPower, double threshold)
{
    const struct geo_sysman_power *power;
    GEO_CHECK(geo_power_from(hPower, &power));
    return geo_thresholds_energy_set(geo_component_of(hPower), power, threshold);
}

ze_result_t geo_zesPowerGetUsage(zes_pwr_handle_t hPower, uint32_t *pInstantPower,
                                 uint32_t *pAveragePower)
{
    const struct geo_sysman_power *power;
    GEO_CHECK(geo_power_from(hPower, &power));
    return geo_power_usage(geo_component_of(hPower), power, pInstantPower, pAveragePower);
}
