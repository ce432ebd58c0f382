/* The operations of components that work is done with: firmware, the board, health. */
#include "internal.h"

#include <string.h>

#define OP(kind, name, ...)                                                                        \
    static ze_result_t kind##_##name(const struct geo_sysman_##kind *part, __VA_ARGS__,            \
                                     struct geo_strbuf *why)

/* ---- firmware ---- */

OP(firmware, version, char version[ZES_STRING_PROPERTY_SIZE])
{
    (void)part;
    BEGIN(firmware_version);
    memcpy(version, described.version, ZES_STRING_PROPERTY_SIZE);
    return described_leave();
}

OP(firmware, flash, const void *image, size_t bytes)
{
    (void)part;
    BEGIN(firmware_flash);
    described.flashed_bytes = bytes;
    described.flashed_first = *(const uint8_t *)image;
    return described_leave();
}

OP(firmware, flash_progress, uint32_t *percent)
{
    (void)part;
    BEGIN(firmware_flash_progress);
    *percent = described.flash_percent;
    return described_leave();
}

OP(firmware, console_log, struct geo_strbuf *log)
{
    (void)part;
    BEGIN(firmware_console_log);
    geo_strbuf_add(log, described.log, strlen(described.log));
    return described_leave();
}

OP(firmware, security_version, char version[ZES_STRING_PROPERTY_SIZE])
{
    (void)part;
    BEGIN(firmware_security_version);
    memcpy(version, described.security, ZES_STRING_PROPERTY_SIZE);
    return described_leave();
}

static ze_result_t firmware_fix_security_version(const struct geo_sysman_firmware *part,
                                                 struct geo_strbuf *why)
{
    (void)part;
    BEGIN(firmware_fix_security_version);
    described.security_fixed = true;
    return described_leave();
}

struct geo_sysman_firmware_ops described_firmware_ops = {
    .version = firmware_version,
    .flash = firmware_flash,
    .flash_progress = firmware_flash_progress,
    .console_log = firmware_console_log,
    .security_version = firmware_security_version,
    .fix_security_version = firmware_fix_security_version,
};

/* ---- the board ---- */

OP(fabric_port, config, zes_fabric_port_config_t *config)
{
    (void)part;
    BEGIN(fabric_port_config);
    *config = described.port_config;
    return described_leave();
}

OP(fabric_port, set_config, const zes_fabric_port_config_t *config)
{
    (void)part;
    BEGIN(fabric_port_set_config);
    described.port_config = *config;
    return described_leave();
}

OP(fabric_port, state, zes_fabric_port_state_t *state)
{
    (void)part;
    BEGIN(fabric_port_state);
    *state = described.port_state;
    return described_leave();
}

OP(fabric_port, throughput, zes_fabric_port_throughput_t *throughput)
{
    BEGIN(fabric_port_throughput);
    *throughput = described.throughput[described_index(&part->base)];
    return described_leave();
}

OP(fabric_port, errors, zes_fabric_port_error_counters_t *errors)
{
    (void)part;
    BEGIN(fabric_port_errors);
    *errors = described.port_errors;
    return described_leave();
}

OP(temperature, state, double *celsius)
{
    (void)part;
    BEGIN(temperature_state);
    *celsius = described.celsius;
    return described_leave();
}

OP(temperature, set_thresholds, const zes_temp_config_t *config)
{
    (void)part;
    BEGIN(temperature_set_thresholds);
    described.armed_celsius = *config;
    return described_leave();
}

OP(psu, state, zes_psu_state_t *state)
{
    (void)part;
    BEGIN(psu_state);
    *state = described.psu;
    return described_leave();
}

OP(fan, config, zes_fan_config_t *config)
{
    (void)part;
    BEGIN(fan_config);
    *config = described.fan;
    return described_leave();
}

OP(fan, set_config, const zes_fan_config_t *config)
{
    (void)part;
    BEGIN(fan_set_config);
    described.fan = *config;
    return described_leave();
}

OP(fan, speed, zes_fan_speed_units_t units, int32_t *speed)
{
    (void)part;
    BEGIN(fan_speed);
    *speed = units == ZES_FAN_SPEED_UNITS_PERCENT ? described.fan_speed / 30 : described.fan_speed;
    return described_leave();
}

OP(led, state, zes_led_state_t *state)
{
    (void)part;
    BEGIN(led_state);
    *state = described.led;
    return described_leave();
}

OP(led, set_state, const zes_led_state_t *state)
{
    (void)part;
    BEGIN(led_set_state);
    described.led = *state;
    return described_leave();
}

struct geo_sysman_fabric_port_ops described_fabric_port_ops = {
    .config = fabric_port_config,
    .set_config = fabric_port_set_config,
    .state = fabric_port_state,
    .throughput = fabric_port_throughput,
    .errors = fabric_port_errors,
};
struct geo_sysman_temperature_ops described_temperature_ops = {
    .state = temperature_state,
    .set_thresholds = temperature_set_thresholds,
};
struct geo_sysman_psu_ops described_psu_ops = {
    .state = psu_state,
};
struct geo_sysman_fan_ops described_fan_ops = {
    .config = fan_config,
    .set_config = fan_set_config,
    .speed = fan_speed,
};
struct geo_sysman_led_ops described_led_ops = {
    .state = led_state,
    .set_state = led_set_state,
};

/* ---- health ---- */

OP(ras, counters, uint64_t *counters)
{
    BEGIN(ras_counters);
    memcpy(counters, described.errors[described_index(&part->base)],
           part->category_count * sizeof(*counters));
    return described_leave();
}

OP(ras, clear, uint32_t index)
{
    BEGIN(ras_clear);
    described.errors[described_index(&part->base)][index] = 0;
    return described_leave();
}

OP(ras, set_thresholds, const uint64_t *thresholds, uint64_t total)
{
    BEGIN(ras_set_thresholds);
    memcpy(described.armed_errors, thresholds, part->category_count * sizeof(*thresholds));
    described.armed_total = total;
    return described_leave();
}

OP(diagnostics, run, uint32_t first, uint32_t last, zes_diag_result_t *result)
{
    (void)part;
    BEGIN(diagnostics_run);
    described.test_first = first;
    described.test_last = last;
    *result = described.diagnosis;
    return described_leave();
}

struct geo_sysman_ras_ops described_ras_ops = {
    .counters = ras_counters,
    .clear = ras_clear,
    .set_thresholds = ras_set_thresholds,
};
struct geo_sysman_diagnostics_ops described_diagnostics_ops = {
    .run = diagnostics_run,
};

/* ---- overclocking, virtual functions ---- */

OP(overclock, control, zes_overclock_control_t control, struct geo_sysman_control_value *value)
{
    (void)part;
    (void)control;
    BEGIN(overclock_control);
    *value = (struct geo_sysman_control_value){described.control, described.control_pending,
                                               described.control_state, described.action};
    return described_leave();
}

OP(overclock, set_control, zes_overclock_control_t control, double value,
   zes_pending_action_t *action)
{
    (void)part;
    (void)control;
    BEGIN(overclock_set_control);
    described.control_pending = value;
    *action = described.action;
    return described_leave();
}

OP(overclock, point, zes_vf_type_t type, zes_vf_array_type_t curve, uint32_t index, uint32_t *value)
{
    (void)part;
    BEGIN(overclock_point);
    described.curve = curve;
    *value = described.points[type][index];
    return described_leave();
}

OP(overclock, set_point, zes_vf_type_t type, uint32_t index, uint32_t value)
{
    (void)part;
    BEGIN(overclock_set_point);
    described.points[type][index] = value;
    return described_leave();
}

OP(virtual_function, memory, uint32_t *count, zes_vf_util_mem_exp2_t *memory)
{
    (void)part;
    BEGIN(virtual_function_memory);
    for (uint32_t i = 0; i < 2 && i < *count; i++) {
        memory[i] = described.vf_memory[i];
    }
    *count = 2;
    return described_leave();
}

OP(virtual_function, engines, uint32_t *count, zes_vf_util_engine_exp2_t *engines)
{
    (void)part;
    BEGIN(virtual_function_engines);
    for (uint32_t i = 0; i < 2 && i < *count; i++) {
        engines[i] = described.vf_engines[i];
    }
    *count = 2;
    return described_leave();
}

OP(virtual_function, set_telemetry, zes_vf_info_util_exp_flags_t flags, uint64_t interval_us)
{
    (void)part;
    BEGIN(virtual_function_set_telemetry);
    described.vf_flags = flags;
    described.vf_interval = interval_us;
    return described_leave();
}

struct geo_sysman_overclock_ops described_overclock_ops = {
    .control = overclock_control,
    .set_control = overclock_set_control,
    .point = overclock_point,
    .set_point = overclock_set_point,
};
struct geo_sysman_virtual_function_ops described_virtual_function_ops = {
    .memory = virtual_function_memory,
    .engines = virtual_function_engines,
    .set_telemetry = virtual_function_set_telemetry,
};
