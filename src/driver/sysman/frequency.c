/* Ranges of frequency domains, and their overclocking. See frequency.h. */
#include "driver/sysman/frequency.h"

#include "driver/core/check.h"
#include "driver/sysman/ask.h"

#include <math.h>

/* ---- range of frequencies ---- */

static bool bound_is_valid(double bound)
{
    return bound == -1.0 || bound >= 0.0;
}

/* Fits the range to the hardware. A bound beyond the hardware's, or 0, becomes the hardware's,
 * which may be unknown (-1). -1 stays: the backend then uses the factory setting. Returns false if
 * the result is not a range. */
static bool range_fit(const zes_freq_properties_t *can, const zes_freq_range_t *wanted,
                      zes_freq_range_t *out)
{
    const bool lower = can->max < 0 ? isfinite(wanted->max) : wanted->max < can->max;
    const double low = wanted->min > 0 && wanted->min > can->min ? wanted->min : can->min;
    const double high = wanted->max > 0 && lower ? wanted->max : can->max;
    out->min = wanted->min == -1.0 ? -1.0 : low;
    out->max = wanted->max == -1.0 ? -1.0 : high;
    return bound_is_valid(wanted->min) && isfinite(wanted->min) && bound_is_valid(wanted->max) &&
           (high < 0 || low <= high);
}

ze_result_t geo_frequency_set_range(const struct geo_sysman_frequency *frequency,
                                    const zes_freq_range_t *wanted)
{
    zes_freq_range_t range;
    GEO_CHECK(geo_ask_check_control(&frequency->base, frequency->properties.canControl));
    if (!range_fit(&frequency->properties, wanted, &range)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s cannot run at %g to %g MHz: its range is %g to %g MHz",
                        frequency->base.name, wanted->min, wanted->max, frequency->properties.min,
                        frequency->properties.max);
    }
    GEO_ASK(frequency, set_range, frequency, &range);
    return ZE_RESULT_SUCCESS;
}

/* ---- clocks ---- */

void geo_frequency_clocks(const struct geo_sysman_frequency *frequency, uint32_t *count,
                          double *clocks)
{
    const zes_freq_properties_t *can = &frequency->properties;
    const double *all = frequency->clocks;
    uint32_t all_count = frequency->clock_count;
    double certain[2];
    if (!all_count) {
        all = certain;
        if (can->min >= 0) {
            certain[all_count++] = can->min;
        }
        if (can->max > can->min) {
            certain[all_count++] = can->max;
        }
    }
    uint32_t filled = geo_count_protocol(count, all_count, clocks);
    for (uint32_t i = 0; i < filled; i++) {
        clocks[i] = all[i];
    }
}

/* ---- overclocking ---- */

ze_result_t geo_frequency_oc_capabilities(const struct geo_sysman_frequency *frequency,
                                          zes_oc_capabilities_t *out)
{
    zes_oc_capabilities_t capabilities = {0}; /* nothing is supported */
    if (GEO_CAN(frequency, oc_capabilities)) {
        GEO_ASK(frequency, oc_capabilities, frequency, &capabilities);
    }
    *out = capabilities;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t capabilities_need(const struct geo_sysman_frequency *frequency, uint32_t fields,
                                     zes_oc_capabilities_t *out)
{
    GEO_CHECK(geo_frequency_oc_capabilities(frequency, out));
    if (!out->isOcSupported || ((fields & GEO_SYSMAN_OC_ICC_MAX) && !out->isIccMaxSupported)) {
        return geo_ask_unsupported(frequency->base.name, "overclocking of this kind");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_frequency_oc(const struct geo_sysman_frequency *frequency, uint32_t fields,
                             struct geo_sysman_oc *out)
{
    zes_oc_capabilities_t capabilities;
    struct geo_sysman_oc oc = {0};
    GEO_CHECK(capabilities_need(frequency, fields, &capabilities));
    GEO_ASK(frequency, oc, frequency, &oc);
    *out = oc;
    return ZE_RESULT_SUCCESS;
}

/* Returns whether the hardware supports these values. */
static bool oc_is_possible(const zes_oc_capabilities_t *can, uint32_t fields,
                           const struct geo_sysman_oc *oc)
{
    if ((fields & GEO_SYSMAN_OC_FREQUENCY) && !(oc->frequency <= can->maxOcFrequency)) {
        return false;
    }
    if ((fields & GEO_SYSMAN_OC_VOLTAGE) &&
        !(oc->voltage <= can->maxOcVoltage && oc->voltage_offset >= can->minOcVoltageOffset &&
          oc->voltage_offset <= can->maxOcVoltageOffset)) {
        return false;
    }
    if ((fields & GEO_SYSMAN_OC_MODE) && oc->mode == ZES_OC_MODE_FIXED) {
        return can->isFixedModeSupported;
    }
    return !(fields & GEO_SYSMAN_OC_TJ_MAX) || can->isTjMaxSupported;
}

static bool oc_is_valid(uint32_t fields, const struct geo_sysman_oc *oc)
{
    const struct {
        uint32_t field;
        double value;
    } values[] = {{GEO_SYSMAN_OC_FREQUENCY, oc->frequency},
                  {GEO_SYSMAN_OC_VOLTAGE, oc->voltage},
                  {GEO_SYSMAN_OC_ICC_MAX, oc->icc_max},
                  {GEO_SYSMAN_OC_TJ_MAX, oc->tj_max}};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if ((fields & values[i].field) && !(isfinite(values[i].value) && values[i].value >= 0)) {
            return false;
        }
    }
    return !(fields & GEO_SYSMAN_OC_VOLTAGE) || isfinite(oc->voltage_offset);
}

ze_result_t geo_frequency_set_oc(const struct geo_sysman_frequency *frequency, uint32_t fields,
                                 const struct geo_sysman_oc *oc)
{
    zes_oc_capabilities_t capabilities;
    GEO_CHECK(capabilities_need(frequency, fields, &capabilities));
    if (!oc_is_valid(fields, oc)) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "%s: an overclocking value is invalid: frequencies (MHz), voltages (V), "
            "currents (A) and temperatures must be finite, and only a voltage offset may be "
            "negative",
            frequency->base.name);
    }
    if (!oc_is_possible(&capabilities, fields, oc)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "%s: an overclocking value exceeds what the hardware supports "
                        "(zesFrequencyOcGetCapabilities)",
                        frequency->base.name);
    }
    GEO_ASK(frequency, set_oc, frequency, fields, oc);
    return ZE_RESULT_SUCCESS;
}
