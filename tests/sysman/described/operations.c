/* The operations of components that work: they answer with what the test wrote. */
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
