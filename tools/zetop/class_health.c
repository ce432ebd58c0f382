/* Temperatures, fans, power supplies, error counters. */
#include "class.h"
#include "words.h"

/* Younger than sysman: a loader may lack it. */
#pragma weak zesRasGetStateExp

#define ENUMERATE(name, function, type)                                                            \
    static ze_result_t name(zes_device_handle_t device, uint32_t *count, void **handles)           \
    {                                                                                              \
        return function(device, count, (type *)(void *)handles);                                   \
    }

ENUMERATE(temperature_enumerate, zesDeviceEnumTemperatureSensors, zes_temp_handle_t)
ENUMERATE(fan_enumerate, zesDeviceEnumFans, zes_fan_handle_t)
ENUMERATE(psu_enumerate, zesDeviceEnumPsus, zes_psu_handle_t)
ENUMERATE(errors_enumerate, zesDeviceEnumRasErrorSets, zes_ras_handle_t)

/* ---- temperatures ---- */

static ze_result_t temperature_describe(struct part *part)
{
    zes_temp_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_TEMP_PROPERTIES};
    ze_result_t result = zesTemperatureGetProperties(part->handle, &properties);
    part->type = word_of(&words_zes_temp_sensors_t, properties.type);
    part->subdevice = subdevice_of(properties.onSubdevice, properties.subdeviceId);
    part->properties.temperature.max = properties.maxTemperature;
    return result;
}

static void temperature_read(struct reading *reading, struct part *part)
{
    double celsius = 0;
    if (reading_has(reading, part, zesTemperatureGetState(part->handle, &celsius))) {
        reading_real(reading, part, M_TEMPERATURE, celsius);
    }
    if (part->properties.temperature.max > 0) {
        reading_real(reading, part, M_TEMPERATURE_MAX, part->properties.temperature.max);
    }
}

const struct part_ops part_temperature = {"temperature", "temp", temperature_enumerate,
                                          temperature_describe, temperature_read};

/* ---- fans ---- */

static ze_result_t fan_describe(struct part *part)
{
    zes_fan_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FAN_PROPERTIES};
    ze_result_t result = zesFanGetProperties(part->handle, &properties);
    part->type = "fan";
    part->subdevice = subdevice_of(properties.onSubdevice, properties.subdeviceId);
    part->properties.fan.units = properties.supportedUnits;
    part->properties.fan.max_rpm = properties.maxRPM;
    return result;
}

/* -1: unknown, or not in this unit. */
static int32_t fan_speed(struct reading *reading, struct part *part, zes_fan_speed_units_t units)
{
    int32_t speed = -1;
    const bool has = (part->properties.fan.units & 1u << units) &&
                     reading_has(reading, part, zesFanGetState(part->handle, units, &speed));
    return has ? speed : -1;
}

static void fan_read(struct reading *reading, struct part *part)
{
    zes_fan_config_t config = {.stype = ZES_STRUCTURE_TYPE_FAN_CONFIG};
    const int32_t rpm = fan_speed(reading, part, ZES_FAN_SPEED_UNITS_RPM);
    const int32_t percent = fan_speed(reading, part, ZES_FAN_SPEED_UNITS_PERCENT);
    if (rpm >= 0) {
        reading_number(reading, part, M_FAN_SPEED, NULL, VALUE_INTEGER, (uint64_t)rpm);
    }
    if (part->properties.fan.max_rpm > 0) {
        reading_number(reading, part, M_FAN_MAX, NULL, VALUE_INTEGER,
                       (uint64_t)part->properties.fan.max_rpm);
    }
    if (percent >= 0) {
        reading_real(reading, part, M_FAN_RATIO, percent / 100.0);
    }
    if (reading_has(reading, part, zesFanGetConfig(part->handle, &config))) {
        reading_word(reading, part, M_FAN_MODE, word_of(&words_zes_fan_speed_mode_t, config.mode));
    }
}

const struct part_ops part_fan = {"fan", "fan", fan_enumerate, fan_describe, fan_read};

/* ---- power supplies ---- */

static ze_result_t psu_describe(struct part *part)
{
    zes_psu_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_PSU_PROPERTIES};
    ze_result_t result = zesPsuGetProperties(part->handle, &properties);
    part->type = "psu";
    part->subdevice = subdevice_of(properties.onSubdevice, properties.subdeviceId);
    return result;
}

static void psu_read(struct reading *reading, struct part *part)
{
    zes_psu_state_t state = {.stype = ZES_STRUCTURE_TYPE_PSU_STATE};
    if (!reading_has(reading, part, zesPsuGetState(part->handle, &state))) {
        return;
    }
    if (state.voltStatus != ZES_PSU_VOLTAGE_STATUS_UNKNOWN) {
        reading_word(reading, part, M_PSU_STATUS,
                     word_of(&words_zes_psu_voltage_status_t, state.voltStatus));
    }
    if (state.temperature != -1) {
        reading_real(reading, part, M_PSU_TEMPERATURE, state.temperature);
    }
    if (state.current >= 0) {
        reading_number(reading, part, M_PSU_CURRENT, NULL, VALUE_MILLI, (uint64_t)state.current);
    }
}

const struct part_ops part_psu = {"psu", "psu", psu_enumerate, psu_describe, psu_read};

/* ---- error counters ---- */

static ze_result_t errors_describe(struct part *part)
{
    zes_ras_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_RAS_PROPERTIES};
    ze_result_t result = zesRasGetProperties(part->handle, &properties);
    part->type = word_of(&words_zes_ras_error_type_t, properties.type);
    part->subdevice = subdevice_of(properties.onSubdevice, properties.subdeviceId);
    return result;
}

enum { CATEGORIES = 32 };

/* By the younger function, which tells what is supported from what is 0. */
static ze_result_t errors_read_categories(struct reading *reading, struct part *part)
{
    zes_ras_state_exp_t states[CATEGORIES] = {{0}};
    uint32_t count = CATEGORIES;
    if (!zesRasGetStateExp) {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    ze_result_t result = zesRasGetStateExp(part->handle, &count, states);
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < count && i < CATEGORIES; i++) {
        reading_number(reading, part, M_ERRORS,
                       word_of(&words_zes_ras_error_category_exp_t, states[i].category),
                       VALUE_INTEGER, states[i].errorCounter);
    }
    return result;
}

static void errors_read(struct reading *reading, struct part *part)
{
    zes_ras_state_t state = {.stype = ZES_STRUCTURE_TYPE_RAS_STATE};
    ze_result_t result = errors_read_categories(reading, part);
    if (result != ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        reading_has(reading, part, result);
    } else if (reading_has(reading, part, zesRasGetState(part->handle, 0, &state))) {
        for (uint32_t i = 0; i < ZES_MAX_RAS_ERROR_CATEGORY_COUNT; i++) {
            reading_number(reading, part, M_ERRORS, word_of(&words_zes_ras_error_cat_t, i),
                           VALUE_INTEGER, state.category[i]);
        }
    }
}

const struct part_ops part_errors = {"errors", "errors", errors_enumerate, errors_describe,
                                     errors_read};
