/* All operations of all components. See everything.h. */
#include "everything.h"

#include <stdio.h>

static bool result_fits(ze_result_t result)
{
    switch (result) {
    case ZE_RESULT_SUCCESS:
    case ZE_RESULT_ERROR_DEVICE_LOST:
    case ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS:
    case ZE_RESULT_ERROR_NOT_AVAILABLE:
    case ZE_RESULT_ERROR_UNSUPPORTED_FEATURE:
    case ZE_RESULT_ERROR_INVALID_ARGUMENT:
    case ZE_RESULT_ERROR_UNKNOWN:
        return true;
    default:
        return false;
    }
}

static void note(struct machine *machine, struct everything *all, const char *name,
                 const char *operation, ze_result_t result, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

static void note(struct machine *machine, struct everything *all, const char *name,
                 const char *operation, ze_result_t result, const char *format, ...)
{
    char line[1024], value[512];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof(value), format, args);
    va_end(args);
    const char *why = geo_strbuf_text(&machine->why);
    snprintf(line, sizeof(line), "%s %s: 0x%x %s%s", name, operation, (unsigned)result,
             result == ZE_RESULT_SUCCESS ? value : why, "");
    if (!result_fits(result) || (result == ZE_RESULT_SUCCESS) != (why[0] == '\0')) {
        fail_msg("%s (%s)", line, why);
    }
    geo_strbuf_finish(&machine->why);
    geo_strbuf_init(&machine->why, 0);
    all->calls++;
    all->failures += result != ZE_RESULT_SUCCESS;
    if (all->tell) {
        all->tell(line);
    }
}

#define NOTE(operation, call, ...)                                                                 \
    do {                                                                                           \
        ze_result_t result_ = (call);                                                              \
        note(machine, all, object->base.name, operation, result_, __VA_ARGS__);                    \
    } while (0)
#define WHY &machine->why

static void power_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_power *object = component;
    zes_power_energy_counter_t energy = {0};
    zes_power_limit_ext_desc_t limits[8] = {{0}};
    uint32_t count = 8;
    NOTE("energy", object->ops->energy(object, &energy, WHY), "%llu uJ",
         (unsigned long long)energy.energy);
    NOTE("limits", object->ops->limits(object, &count, limits, WHY), "%u", count);
    if (all->set) {
        limits[0].limit ^= 1;
        NOTE("set_limits", object->ops->set_limits(object, 1, limits, WHY), " ");
    }
}

static void frequency_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_frequency *object = component;
    zes_freq_range_t range = {-1, -1};
    zes_freq_state_t now = {0};
    zes_freq_throttle_time_t time = {0};
    NOTE("range", object->ops->range(object, &range, WHY), "%g to %g MHz", range.min, range.max);
    NOTE("state", object->ops->state(object, &now, WHY), "%g MHz", now.actual);
    NOTE("throttle_time", object->ops->throttle_time(object, &time, WHY), "%llu us",
         (unsigned long long)time.throttleTime);
    if (all->set) {
        NOTE("set_range", object->ops->set_range(object, &range, WHY), " ");
    }
}

static void engine_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_engine *object = component;
    zes_engine_stats_t stats = {0};
    NOTE("activity", object->ops->activity(object, 1, &stats, WHY), "%llu us",
         (unsigned long long)stats.activeTime);
}

static void scheduler_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_scheduler *object = component;
    struct geo_sysman_schedule schedule = object->defaults;
    bool reload;
    NOTE("mode", object->ops->mode(object, &schedule, WHY), "%llu us",
         (unsigned long long)schedule.watchdog_us);
    if (all->set) {
        NOTE("set_mode", object->ops->set_mode(object, &schedule, &reload, WHY), " ");
    }
}

static void firmware_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_firmware *object = component;
    char version[ZES_STRING_PROPERTY_SIZE];
    NOTE("version", object->ops->version(object, version, WHY), "%s", version);
}

static void memory_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_memory *object = component;
    zes_mem_state_t now = {0};
    uint32_t pages = 0, most = 0;
    NOTE("state", object->ops->state(object, &now, WHY), "%llu of %llu bytes, health %d",
         (unsigned long long)now.free, (unsigned long long)now.size, (int)now.health);
    NOTE("pages_offline", object->ops->pages_offline(object, &pages, &most, WHY), "%u of %u", pages,
         most);
}

static void temperature_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_temperature *object = component;
    double celsius = 0;
    NOTE("state", object->ops->state(object, &celsius, WHY), "%g C", celsius);
}

static void psu_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_psu *object = component;
    zes_psu_state_t now = {0};
    NOTE("state", object->ops->state(object, &now, WHY), "%d mA", (int)now.current);
}

static void fan_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_fan *object = component;
    zes_fan_config_t config = {0};
    int32_t rpm = 0, percent = 0;
    NOTE("speed", object->ops->speed(object, ZES_FAN_SPEED_UNITS_RPM, &rpm, WHY), "%d RPM",
         (int)rpm);
    NOTE("speed", object->ops->speed(object, ZES_FAN_SPEED_UNITS_PERCENT, &percent, WHY), "%d %%",
         (int)percent);
    NOTE("config", object->ops->config(object, &config, WHY), "mode %d", (int)config.mode);
    if (all->set) {
        config.mode = ZES_FAN_SPEED_MODE_FIXED;
        config.speedFixed = (zes_fan_speed_t){50, ZES_FAN_SPEED_UNITS_PERCENT};
        NOTE("set_config", object->ops->set_config(object, &config, WHY), " ");
        config.speedFixed = (zes_fan_speed_t){1000, ZES_FAN_SPEED_UNITS_RPM};
        NOTE("set_config", object->ops->set_config(object, &config, WHY), " ");
        config.mode = ZES_FAN_SPEED_MODE_DEFAULT;
        NOTE("set_config", object->ops->set_config(object, &config, WHY), " ");
    }
}

static void led_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_led *object = component;
    zes_led_state_t now = {0};
    NOTE("state", object->ops->state(object, &now, WHY), "%d", (int)now.isOn);
    if (all->set) {
        NOTE("set_state", object->ops->set_state(object, &now, WHY), " ");
    }
}

static void ras_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_ras *object = component;
    uint64_t counters[16] = {0};
    NOTE("counters", object->ops->counters(object, counters, WHY), "%llu",
         (unsigned long long)counters[0]);
    if (all->set) {
        NOTE("clear", object->ops->clear(object, 0, WHY), " ");
    }
}

static void diagnostics_call(struct machine *machine, struct everything *all, const void *component)
{
    const struct geo_sysman_diagnostics *object = component;
    zes_diag_result_t result = ZES_DIAG_RESULT_FORCE_UINT32;
    if (all->diagnose) {
        NOTE("run", object->ops->run(object, 0, UINT32_MAX, &result, WHY), "%d", (int)result);
    }
}

static void device_call(struct machine *machine, struct everything *all)
{
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine->sysman);
    const struct {
        struct geo_sysman_component base;
    } whole = {{.name = "device"}}, *object = &whole;
    struct geo_sysman_device_state now = {0};
    zes_device_ecc_properties_t ecc = {0};
    struct geo_sysman_watch watch = {0};
    zes_process_state_t processes[16] = {{0}};
    uint32_t count = 16;
    NOTE("state", device->ops->state(machine->sysman, &now, WHY), "%x", (unsigned)now.flags);
    NOTE("ecc_state", device->ops->ecc_state(machine->sysman, &ecc, WHY), "%d",
         (int)ecc.currentState);
    NOTE("watch", device->ops->watch(machine->sysman, UINT32_MAX, &watch, WHY), "%llu ns",
         (unsigned long long)watch.period_ns);
    (void)device->ops->take_events(machine->sysman);
    device->ops->unwatch(machine->sysman);
    if (device->ops->processes) {
        NOTE("processes", device->ops->processes(machine->sysman, &count, processes, WHY), "%u",
             count);
    }
}

void everything_call(struct machine *machine, struct everything *all)
{
    static void (*const calls[GEO_SYSMAN_CLASS_COUNT])(
        struct machine *machine, struct everything *all, const void *component) = {
        [GEO_SYSMAN_POWER] = power_call,
        [GEO_SYSMAN_FREQUENCY] = frequency_call,
        [GEO_SYSMAN_ENGINE] = engine_call,
        [GEO_SYSMAN_SCHEDULER] = scheduler_call,
        [GEO_SYSMAN_FIRMWARE] = firmware_call,
        [GEO_SYSMAN_MEMORY] = memory_call,
        [GEO_SYSMAN_TEMPERATURE] = temperature_call,
        [GEO_SYSMAN_PSU] = psu_call,
        [GEO_SYSMAN_FAN] = fan_call,
        [GEO_SYSMAN_LED] = led_call,
        [GEO_SYSMAN_RAS] = ras_call,
        [GEO_SYSMAN_DIAGNOSTICS] = diagnostics_call,
    };
    device_call(machine, all);
    for (int kind = 0; kind < GEO_SYSMAN_CLASS_COUNT; kind++) {
        uint32_t count = machine_count(machine, (enum geo_sysman_class)kind);
        assert_true(count == 0 || calls[kind]);
        for (uint32_t i = 0; i < count; i++) {
            calls[kind](machine, all, machine_component(machine, (enum geo_sysman_class)kind, i));
        }
    }
}
