/* Ranges of frequency domains, and their overclocking. See frequency.h. */
#include "driver/sysman/frequency.h"

#include "driver/sysman/ask.h"

#include <math.h>

/* ---- the range ---- */

static bool bound_is_possible(const struct geo_sysman_frequency *frequency, double bound)
{
    return bound == -1.0 ||
           (bound >= frequency->properties.min && bound <= frequency->properties.max);
}

/* 0 is as low, 0 or more than there is as high as the hardware goes, where that is known. */
static zes_freq_range_t range_of_hardware(const struct geo_sysman_frequency *frequency,
                                          const zes_freq_range_t *range)
{
    const double min = frequency->properties.min, max = frequency->properties.max;
    zes_freq_range_t out = *range;
    if (range->min == 0.0) {
        out.min = min >= 0 ? min : -1.0;
    }
    if (range->max == 0.0 || (max >= 0 && range->max > max)) {
        out.max = max >= 0 ? max : -1.0;
    }
    return out;
}

ze_result_t geo_frequency_set_range(const struct geo_sysman_frequency *frequency,
                                    const zes_freq_range_t *wanted)
{
    const zes_freq_range_t range = range_of_hardware(frequency, wanted);
    GEO_CHECK(geo_ask_check_control(&frequency->base, frequency->properties.canControl));
    if (!bound_is_possible(frequency, range.min) || !bound_is_possible(frequency, range.max) ||
        (range.max != -1.0 && range.min > range.max)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s cannot run from %g to %g MHz; it can from %g to %g",
                        frequency->base.name, wanted->min, wanted->max, frequency->properties.min,
                        frequency->properties.max);
    }
    GEO_ASK(frequency, set_range, frequency, &range);
    return ZE_RESULT_SUCCESS;
}

/* ---- overclocking ---- */

static ze_result_t oc_capabilities(const struct geo_sysman_frequency *frequency, uint32_t fields,
                                   zes_oc_capabilities_t *out)
{
    *out = (zes_oc_capabilities_t){0};
    GEO_ASK(frequency, oc_capabilities, frequency, out);
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
    GEO_CHECK(oc_capabilities(frequency, fields, &capabilities));
    GEO_ASK(frequency, oc, frequency, &oc);
    *out = oc;
    return ZE_RESULT_SUCCESS;
}

/* Whether the hardware goes there at all. */
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
    GEO_CHECK(oc_capabilities(frequency, fields, &capabilities));
    if (!oc_is_valid(fields, oc)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%s: a value is negative or no number",
                        frequency->base.name);
    }
    if (!oc_is_possible(&capabilities, fields, oc)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "%s: the hardware cannot be overclocked as far", frequency->base.name);
    }
    GEO_ASK(frequency, set_oc, frequency, fields, oc);
    return ZE_RESULT_SUCCESS;
}
