/* API functions of frequency domains. */
#include "driver/sysman/frequency.h"
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/value.h"

ze_result_t geo_zesFrequencyGetAvailableClocks(zes_freq_handle_t hFrequency, uint32_t *pCount,
                                               double *phFrequency)
{
    const struct geo_sysman_frequency *frequency;
    GEO_CHECK(geo_frequency_from(hFrequency, &frequency));
    geo_frequency_clocks(frequency, pCount, phFrequency);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFrequencyGetRange(zes_freq_handle_t hFrequency, zes_freq_range_t *pLimits)
{
    const struct geo_sysman_frequency *frequency;
    zes_freq_range_t range = {0};
    GEO_CHECK(geo_frequency_from(hFrequency, &frequency));
    GEO_ASK(frequency, range, frequency, &range);
    *pLimits = range;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFrequencySetRange(zes_freq_handle_t hFrequency, const zes_freq_range_t *pLimits)
{
    const struct geo_sysman_frequency *frequency;
    GEO_CHECK(geo_frequency_from(hFrequency, &frequency));
    return geo_frequency_set_range(frequency, pLimits);
}

ze_result_t geo_zesFrequencyGetState(zes_freq_handle_t hFrequency, zes_freq_state_t *pState)
{
    const struct geo_sysman_frequency *frequency;
    zes_freq_state_t state = {0};
    GEO_CHECK(geo_frequency_from(hFrequency, &frequency));
    GEO_ASK(frequency, state, frequency, &state);
    GEO_VALUE_WRITE(pState, &state);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFrequencyGetThrottleTime(zes_freq_handle_t hFrequency,
                                            zes_freq_throttle_time_t *pThrottleTime)
{
    const struct geo_sysman_frequency *frequency;
    zes_freq_throttle_time_t time = {0};
    GEO_CHECK(geo_frequency_from(hFrequency, &frequency));
    GEO_ASK(frequency, throttle_time, frequency, &time);
    *pThrottleTime = time;
    return ZE_RESULT_SUCCESS;
}

/* ---- overclocking ---- */

ze_result_t geo_zesFrequencyOcGetCapabilities(zes_freq_handle_t hFrequency,
                                              zes_oc_capabilities_t *pOcCapabilities)
{
    const struct geo_sysman_frequency *frequency;
    zes_oc_capabilities_t capabilities;
    GEO_CHECK(geo_frequency_from(hFrequency, &frequency));
    GEO_CHECK(geo_frequency_oc_capabilities(frequency, &capabilities));
    GEO_VALUE_WRITE(pOcCapabilities, &capabilities);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t oc_get(zes_freq_handle_t handle, uint32_t field, struct geo_sysman_oc *oc)
{
    const struct geo_sysman_frequency *frequency;
    GEO_CHECK(geo_frequency_from(handle, &frequency));
    return geo_frequency_oc(frequency, field, oc);
}

static ze_result_t oc_set(zes_freq_handle_t handle, uint32_t field, struct geo_sysman_oc oc)
{
    const struct geo_sysman_frequency *frequency;
    GEO_CHECK(geo_frequency_from(handle, &frequency));
    return geo_frequency_set_oc(frequency, field, &oc);
}

ze_result_t geo_zesFrequencyOcGetFrequencyTarget(zes_freq_handle_t hFrequency,
                                                 double *pCurrentOcFrequency)
{
    struct geo_sysman_oc oc;
    GEO_CHECK(oc_get(hFrequency, GEO_SYSMAN_OC_FREQUENCY, &oc));
    *pCurrentOcFrequency = oc.frequency;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFrequencyOcSetFrequencyTarget(zes_freq_handle_t hFrequency,
                                                 double CurrentOcFrequency)
{
    return oc_set(hFrequency, GEO_SYSMAN_OC_FREQUENCY,
                  (struct geo_sysman_oc){.frequency = CurrentOcFrequency});
}

ze_result_t geo_zesFrequencyOcGetVoltageTarget(zes_freq_handle_t hFrequency,
                                               double *pCurrentVoltageTarget,
                                               double *pCurrentVoltageOffset)
{
    struct geo_sysman_oc oc;
    GEO_CHECK(oc_get(hFrequency, GEO_SYSMAN_OC_VOLTAGE, &oc));
    *pCurrentVoltageTarget = oc.voltage;
    *pCurrentVoltageOffset = oc.voltage_offset;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFrequencyOcSetVoltageTarget(zes_freq_handle_t hFrequency,
                                               double CurrentVoltageTarget,
                                               double CurrentVoltageOffset)
{
    return oc_set(hFrequency, GEO_SYSMAN_OC_VOLTAGE,
                  (struct geo_sysman_oc){.voltage = CurrentVoltageTarget,
                                         .voltage_offset = CurrentVoltageOffset});
}

ze_result_t geo_zesFrequencyOcSetMode(zes_freq_handle_t hFrequency, zes_oc_mode_t CurrentOcMode)
{
    return oc_set(hFrequency, GEO_SYSMAN_OC_MODE, (struct geo_sysman_oc){.mode = CurrentOcMode});
}

ze_result_t geo_zesFrequencyOcGetMode(zes_freq_handle_t hFrequency, zes_oc_mode_t *pCurrentOcMode)
{
    struct geo_sysman_oc oc;
    GEO_CHECK(oc_get(hFrequency, GEO_SYSMAN_OC_MODE, &oc));
    *pCurrentOcMode = oc.mode;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFrequencyOcGetIccMax(zes_freq_handle_t hFrequency, double *pOcIccMax)
{
    struct geo_sysman_oc oc;
    GEO_CHECK(oc_get(hFrequency, GEO_SYSMAN_OC_ICC_MAX, &oc));
    *pOcIccMax = oc.icc_max;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFrequencyOcSetIccMax(zes_freq_handle_t hFrequency, double ocIccMax)
{
    return oc_set(hFrequency, GEO_SYSMAN_OC_ICC_MAX, (struct geo_sysman_oc){.icc_max = ocIccMax});
}

ze_result_t geo_zesFrequencyOcGetTjMax(zes_freq_handle_t hFrequency, double *pOcTjMax)
{
    struct geo_sysman_oc oc;
    GEO_CHECK(oc_get(hFrequency, GEO_SYSMAN_OC_TJ_MAX, &oc));
    *pOcTjMax = oc.tj_max;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesFrequencyOcSetTjMax(zes_freq_handle_t hFrequency, double ocTjMax)
{
    return oc_set(hFrequency, GEO_SYSMAN_OC_TJ_MAX, (struct geo_sysman_oc){.tj_max = ocTjMax});
}
