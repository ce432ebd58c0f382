/* The operations of components: they answer with what the test wrote. */
#include "internal.h"

#include <string.h>

#define OP(kind, name, ...)                                                                        \
    static ze_result_t kind##_##name(const struct geo_sysman_##kind *part, __VA_ARGS__,            \
                                     struct geo_strbuf *why)

/* ---- power ---- */

OP(power, energy, zes_power_energy_counter_t *counter)
{
    (void)part;
    BEGIN(power_energy);
    described.energy.energy += described.energy_step.energy;
    described.energy.timestamp += described.energy_step.timestamp;
    *counter = described.energy;
    return described_leave();
}

OP(power, limits, uint32_t *count, zes_power_limit_ext_desc_t *limits)
{
    (void)part;
    BEGIN(power_limits);
    for (uint32_t i = 0; i < described.limit_count && i < *count; i++) {
        limits[i] = described.limits[i];
    }
    *count = described.limit_count;
    return described_leave();
}

OP(power, set_limits, uint32_t count, const zes_power_limit_ext_desc_t *limits)
{
    (void)part;
    BEGIN(power_set_limits);
    described.limits_set = count;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < described.limit_count; k++) {
            if (limits[i].level == described.limits[k].level &&
                limits[i].source == described.limits[k].source) {
                described.limits[k] = limits[i];
            }
        }
    }
    return described_leave();
}

OP(power, usage, uint32_t *now, uint32_t *average)
{
    (void)part;
    BEGIN(power_usage);
    *now = described.watts_now;
    *average = described.watts_average;
    return described_leave();
}

OP(power, set_energy_threshold, double joules)
{
    (void)part;
    BEGIN(power_set_energy_threshold);
    described.armed_joules = joules;
    return described_leave();
}

struct geo_sysman_power_ops described_power_ops = {
    .energy = power_energy,
    .limits = power_limits,
    .set_limits = power_set_limits,
    .usage = power_usage,
    .set_energy_threshold = power_set_energy_threshold,
};

/* ---- frequency ---- */

OP(frequency, range, zes_freq_range_t *range)
{
    (void)part;
    BEGIN(frequency_range);
    *range = described.range;
    return described_leave();
}

OP(frequency, set_range, const zes_freq_range_t *range)
{
    (void)part;
    BEGIN(frequency_set_range);
    described.range = *range;
    return described_leave();
}

OP(frequency, state, zes_freq_state_t *state)
{
    (void)part;
    BEGIN(frequency_state);
    *state = described.frequency;
    return described_leave();
}

OP(frequency, throttle_time, zes_freq_throttle_time_t *time)
{
    (void)part;
    BEGIN(frequency_throttle_time);
    *time = described.throttled;
    return described_leave();
}

OP(frequency, oc_capabilities, zes_oc_capabilities_t *capabilities)
{
    (void)part;
    BEGIN(frequency_oc_capabilities);
    *capabilities = described.oc;
    return described_leave();
}

OP(frequency, oc, struct geo_sysman_oc *oc)
{
    (void)part;
    BEGIN(frequency_oc);
    *oc = (struct geo_sysman_oc){described.oc_frequency, described.oc_voltage, described.oc_offset,
                                 described.oc_icc,       described.oc_tj,      described.oc_mode};
    return described_leave();
}

OP(frequency, set_oc, uint32_t fields, const struct geo_sysman_oc *oc)
{
    (void)part;
    BEGIN(frequency_set_oc);
    described.oc_fields = fields;
    described.oc_frequency =
        fields & GEO_SYSMAN_OC_FREQUENCY ? oc->frequency : described.oc_frequency;
    described.oc_voltage = fields & GEO_SYSMAN_OC_VOLTAGE ? oc->voltage : described.oc_voltage;
    described.oc_offset = fields & GEO_SYSMAN_OC_VOLTAGE ? oc->voltage_offset : described.oc_offset;
    described.oc_mode = fields & GEO_SYSMAN_OC_MODE ? oc->mode : described.oc_mode;
    described.oc_icc = fields & GEO_SYSMAN_OC_ICC_MAX ? oc->icc_max : described.oc_icc;
    described.oc_tj = fields & GEO_SYSMAN_OC_TJ_MAX ? oc->tj_max : described.oc_tj;
    return described_leave();
}

struct geo_sysman_frequency_ops described_frequency_ops = {
    .range = frequency_range,
    .set_range = frequency_set_range,
    .state = frequency_state,
    .throttle_time = frequency_throttle_time,
    .oc_capabilities = frequency_oc_capabilities,
    .oc = frequency_oc,
    .set_oc = frequency_set_oc,
};

/* ---- work ---- */

OP(engine, activity, uint32_t count, zes_engine_stats_t *stats)
{
    (void)part;
    BEGIN(engine_activity);
    memcpy(stats, described.activity, count * sizeof(*stats));
    return described_leave();
}

OP(scheduler, mode, struct geo_sysman_schedule *schedule)
{
    (void)part;
    BEGIN(scheduler_mode);
    *schedule = (struct geo_sysman_schedule){described.sched_mode, described.watchdog,
                                             described.interval, described.yield_out};
    return described_leave();
}

OP(scheduler, set_mode, const struct geo_sysman_schedule *schedule, bool *needs_reload)
{
    (void)part;
    BEGIN(scheduler_set_mode);
    described.sched_mode = schedule->mode;
    described.watchdog = schedule->watchdog_us;
    described.interval = schedule->interval_us;
    described.yield_out = schedule->yield_out_us;
    *needs_reload = described.reload;
    return described_leave();
}

OP(standby, mode, zes_standby_promo_mode_t *mode)
{
    (void)part;
    BEGIN(standby_mode);
    *mode = described.standby;
    return described_leave();
}

OP(standby, set_mode, zes_standby_promo_mode_t mode)
{
    (void)part;
    BEGIN(standby_set_mode);
    described.standby = mode;
    return described_leave();
}

OP(performance, factor, double *factor)
{
    (void)part;
    BEGIN(performance_factor);
    *factor = described.factor;
    return described_leave();
}

OP(performance, set_factor, double factor)
{
    (void)part;
    BEGIN(performance_set_factor);
    described.factor = factor;
    return described_leave();
}

OP(memory, state, zes_mem_state_t *state)
{
    (void)part;
    BEGIN(memory_state);
    *state = described.memory;
    return described_leave();
}

OP(memory, bandwidth, zes_mem_bandwidth_t *bandwidth)
{
    (void)part;
    BEGIN(memory_bandwidth);
    *bandwidth = described.bandwidth;
    return described_leave();
}

OP(memory, pages_offline, uint32_t *pages, uint32_t *max_pages)
{
    (void)part;
    BEGIN(memory_pages_offline);
    *pages = described.pages;
    *max_pages = described.max_pages;
    return described_leave();
}

struct geo_sysman_engine_ops described_engine_ops = {
    .activity = engine_activity,
};
struct geo_sysman_scheduler_ops described_scheduler_ops = {
    .mode = scheduler_mode,
    .set_mode = scheduler_set_mode,
};
struct geo_sysman_standby_ops described_standby_ops = {
    .mode = standby_mode,
    .set_mode = standby_set_mode,
};
struct geo_sysman_performance_ops described_performance_ops = {
    .factor = performance_factor,
    .set_factor = performance_set_factor,
};
struct geo_sysman_memory_ops described_memory_ops = {
    .state = memory_state,
    .bandwidth = memory_bandwidth,
    .pages_offline = memory_pages_offline,
};

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
