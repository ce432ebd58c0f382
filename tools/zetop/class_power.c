/* Power domains and frequency domains. */
#include "class.h"
#include "words.h"

#include <stdlib.h>

/* Younger than sysman: a loader may lack it. */
#pragma weak zesPowerGetLimitsExt

static ze_result_t power_enumerate(zes_device_handle_t device, uint32_t *count, void **handles)
{
    return zesDeviceEnumPowerDomains(device, count, (zes_pwr_handle_t *)(void *)handles);
}

static ze_result_t frequency_enumerate(zes_device_handle_t device, uint32_t *count, void **handles)
{
    return zesDeviceEnumFrequencyDomains(device, count, (zes_freq_handle_t *)(void *)handles);
}

/* ---- power ---- */

static ze_result_t power_describe(struct part *part)
{
    zes_power_ext_properties_t domain = {.stype = ZES_STRUCTURE_TYPE_POWER_EXT_PROPERTIES};
    zes_power_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES,
                                         .pNext = &domain};
    ze_result_t result = zesPowerGetProperties(part->handle, &properties);
    if (result != ZE_RESULT_SUCCESS) { /* the extension is younger than the function */
        properties.pNext = NULL;
        domain.domain = ZES_POWER_DOMAIN_UNKNOWN;
        result = zesPowerGetProperties(part->handle, &properties);
    }
    part->type = word_of(&words_zes_power_domain_t, domain.domain);
    part->subdevice = subdevice_of(properties.onSubdevice, properties.subdeviceId);
    return result;
}

enum { LIMITS = 16 };

static void power_read_limits(struct reading *reading, struct part *part)
{
    zes_power_limit_ext_desc_t limits[LIMITS] = {{0}};
    uint32_t count = 0;
    if (!zesPowerGetLimitsExt ||
        !reading_has(reading, part, zesPowerGetLimitsExt(part->handle, &count, NULL))) {
        return;
    }
    count = count < LIMITS ? count : LIMITS;
    for (uint32_t i = 0; i < count; i++) {
        limits[i].stype = ZES_STRUCTURE_TYPE_POWER_LIMIT_EXT_DESC;
    }
    if (count == 0 ||
        !reading_has(reading, part, zesPowerGetLimitsExt(part->handle, &count, limits))) {
        return;
    }
    for (uint32_t i = 0; i < count && i < LIMITS; i++) {
        if (limits[i].enabled && limits[i].limitUnit == ZES_LIMIT_UNIT_POWER &&
            limits[i].limit >= 0) {
            reading_number(reading, part, M_POWER_LIMIT,
                           word_of(&words_zes_power_level_t, limits[i].level), VALUE_MILLI,
                           (uint64_t)limits[i].limit);
        }
    }
}

static void power_read(struct reading *reading, struct part *part)
{
    zes_power_energy_counter_t now = {0};
    struct change change;
    if (reading_has(reading, part, zesPowerGetEnergyCounter(part->handle, &now))) {
        if (counter_step(&part->before, 64, now.energy, 0, now.timestamp, &change)) {
            /* microjoules a microsecond */
            reading_real(reading, part, M_POWER, (double)change.first / (double)change.time);
        }
        reading_number(reading, part, M_POWER_ENERGY, NULL, VALUE_MICRO, now.energy);
    }
    power_read_limits(reading, part);
}

const struct part_ops part_power = {"power", "power", power_enumerate, power_describe, power_read};

/* ---- frequency ---- */

static ze_result_t frequency_describe(struct part *part)
{
    zes_freq_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FREQ_PROPERTIES};
    ze_result_t result = zesFrequencyGetProperties(part->handle, &properties);
    part->type = word_of(&words_zes_freq_domain_t, properties.type);
    part->subdevice = subdevice_of(properties.onSubdevice, properties.subdeviceId);
    part->properties.frequency.min = properties.min;
    part->properties.frequency.max = properties.max;
    return result;
}

/* MHz; what is unknown is negative. */
static void frequency_add(struct reading *reading, struct part *part, enum metric_id metric,
                          double megahertz)
{
    if (megahertz >= 0) {
        reading_real(reading, part, metric, megahertz * 1e6);
    }
}

/* Adds a value for each reason, or the value "none". */
static void frequency_add_reasons(struct reading *reading, struct part *part,
                                  zes_freq_throttle_reason_flags_t reasons)
{
    if (reasons == 0) {
        reading_word(reading, part, M_FREQUENCY_THROTTLE, "none");
    }
    for (uint32_t bit = 0; bit < 31; bit++) {
        if (reasons & 1u << bit) {
            reading_word(reading, part, M_FREQUENCY_THROTTLE,
                         word_of(&words_zes_freq_throttle_reason_flags_t, 1u << bit));
        }
    }
}

static void frequency_read(struct reading *reading, struct part *part)
{
    zes_freq_state_t state = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};
    zes_freq_range_t range = {-1, -1};
    zes_freq_throttle_time_t throttled = {0};
    const bool known = reading_has(reading, part, zesFrequencyGetState(part->handle, &state));
    if (known) {
        frequency_add(reading, part, M_FREQUENCY, state.actual);
        frequency_add(reading, part, M_FREQUENCY_REQUEST, state.request);
        frequency_add(reading, part, M_FREQUENCY_TDP, state.tdp);
        frequency_add(reading, part, M_FREQUENCY_EFFICIENT, state.efficient);
    }
    if (reading_has(reading, part, zesFrequencyGetRange(part->handle, &range))) {
        frequency_add(reading, part, M_FREQUENCY_MIN, range.min);
        frequency_add(reading, part, M_FREQUENCY_MAX, range.max);
    }
    if (part->properties.frequency.max > 0) {
        frequency_add(reading, part, M_FREQUENCY_HARDWARE_MIN, part->properties.frequency.min);
        frequency_add(reading, part, M_FREQUENCY_HARDWARE_MAX, part->properties.frequency.max);
    }
    if (known && state.currentVoltage > 0) {
        reading_real(reading, part, M_FREQUENCY_VOLTAGE, state.currentVoltage);
    }
    if (known) {
        frequency_add_reasons(reading, part, state.throttleReasons);
    }
    if (reading_has(reading, part, zesFrequencyGetThrottleTime(part->handle, &throttled))) {
        reading_number(reading, part, M_FREQUENCY_THROTTLED, NULL, VALUE_MICRO,
                       throttled.throttleTime);
    }
}

const struct part_ops part_frequency = {"frequency", "freq", frequency_enumerate,
                                        frequency_describe, frequency_read};
