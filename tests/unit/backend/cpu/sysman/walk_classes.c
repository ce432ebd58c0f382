/* What the walk asks of the components of each class. See walk.h. */
#include "walk.h"

#define WHY            walk_why(walk)
#define WORKS(k, call) walk_works(walk, k, call)

enum { LIMITS = 8 };

static void power_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_power *power = component;
    zes_power_energy_counter_t energy = {0};
    zes_power_limit_ext_desc_t limits[LIMITS] = {{0}};
    uint32_t count = LIMITS;
    walk_tell(walk, "domain", "%d", (int)power->domain);
    walk_tell(walk, "control", "%d", power->properties.canControl);
    walk_tell(walk, "most_mw", "%d", (int)power->properties.maxLimit);
    if (WORKS("energy_uj", power->ops->energy(power, &energy, WHY))) {
        walk_tell(walk, "energy_uj", "%llu", (unsigned long long)energy.energy);
    }
    if (!WORKS("limits", power->ops->limits(power, &count, limits, WHY))) {
        return;
    }
    walk_tell(walk, "limits", "%u", count);
    for (uint32_t i = 0; i < count && i < LIMITS; i++) {
        walk_tell(walk, "limit", "level %d, %d mW, %d ms, on %d, locked %d %d %d",
                  (int)limits[i].level, (int)limits[i].limit, (int)limits[i].interval,
                  limits[i].enabled, limits[i].limitValueLocked, limits[i].intervalValueLocked,
                  limits[i].enabledStateLocked);
    }
}

static void frequency_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_frequency *frequency = component;
    zes_freq_range_t range;
    zes_freq_state_t now = {0};
    zes_freq_throttle_time_t time;
    walk_tell(walk, "min_mhz", "%g", frequency->properties.min);
    walk_tell(walk, "max_mhz", "%g", frequency->properties.max);
    walk_tell(walk, "control", "%d", frequency->properties.canControl);
    for (uint32_t i = 0; i < frequency->clock_count; i++) {
        walk_tell(walk, "clock_mhz", "%g", frequency->clocks[i]);
    }
    if (WORKS("range_mhz", frequency->ops->range(frequency, &range, WHY))) {
        walk_tell(walk, "range_mhz", "%g %g", range.min, range.max);
    }
    if (WORKS("actual_mhz", frequency->ops->state(frequency, &now, WHY))) {
        walk_tell(walk, "actual_mhz", "%.3f", now.actual);
        walk_tell(walk, "request_mhz", "%g", now.request);
        walk_tell(walk, "tdp_mhz", "%g", now.tdp);
        walk_tell(walk, "efficient_mhz", "%g", now.efficient);
        walk_tell(walk, "reasons", "0x%x", (unsigned)now.throttleReasons);
    }
    if (WORKS("throttled_us", frequency->ops->throttle_time(frequency, &time, WHY))) {
        walk_tell(walk, "throttled_us", "%llu", (unsigned long long)time.throttleTime);
    }
}

static void engine_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_engine *engine = component;
    zes_engine_stats_t stats;
    walk_tell(walk, "type", "%d", (int)engine->properties.type);
    if (WORKS("active_us", engine->ops->activity(engine, 1, &stats, WHY))) {
        walk_tell(walk, "active_us", "%llu", (unsigned long long)stats.activeTime);
    }
}

static void firmware_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_firmware *firmware = component;
    char version[ZES_STRING_PROPERTY_SIZE];
    walk_tell(walk, "firmware", "%s", firmware->properties.name);
    if (WORKS("version", firmware->ops->version(firmware, version, WHY))) {
        walk_tell(walk, "version", "%s", version);
    }
}

static void memory_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_memory *memory = component;
    zes_mem_state_t now;
    zes_mem_bandwidth_t traffic;
    uint32_t pages, most;
    walk_tell(walk, "type", "%d", (int)memory->properties.type);
    walk_tell(walk, "size", "%llu", (unsigned long long)memory->properties.physicalSize);
    if (WORKS("free", memory->ops->state(memory, &now, WHY))) {
        walk_tell(walk, "free", "%llu", (unsigned long long)now.free);
        walk_tell(walk, "health", "%d", (int)now.health);
    }
    if (WORKS("pages_offline", memory->ops->pages_offline(memory, &pages, &most, WHY))) {
        walk_tell(walk, "pages_offline", "%u of %u", pages, most);
    }
    if (WORKS("bandwidth", memory->ops->bandwidth(memory, &traffic, WHY))) {
        walk_tell(walk, "bandwidth", "%llu %llu", (unsigned long long)traffic.readCounter,
                  (unsigned long long)traffic.writeCounter);
    }
}

static void temperature_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_temperature *temperature = component;
    double celsius;
    walk_tell(walk, "type", "%d", (int)temperature->properties.type);
    walk_tell(walk, "most_c", "%g", temperature->properties.maxTemperature);
    if (WORKS("now_c", temperature->ops->state(temperature, &celsius, WHY))) {
        walk_tell(walk, "now_c", "%g", celsius);
    }
}

static void psu_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_psu *psu = component;
    zes_psu_state_t now;
    walk_tell(walk, "most_ma", "%d", (int)psu->properties.ampLimit);
    if (WORKS("state", psu->ops->state(psu, &now, WHY))) {
        walk_tell(walk, "voltage", "%d", (int)now.voltStatus);
        walk_tell(walk, "celsius", "%d", (int)now.temperature);
        walk_tell(walk, "ma", "%d", (int)now.current);
    }
}

static void fan_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_fan *fan = component;
    zes_fan_config_t config;
    int32_t rpm, percent;
    walk_tell(walk, "control", "%d", fan->properties.canControl);
    walk_tell(walk, "most_rpm", "%d", (int)fan->properties.maxRPM);
    if (WORKS("rpm", fan->ops->speed(fan, ZES_FAN_SPEED_UNITS_RPM, &rpm, WHY))) {
        walk_tell(walk, "rpm", "%d", (int)rpm);
    }
    if (WORKS("percent", fan->ops->speed(fan, ZES_FAN_SPEED_UNITS_PERCENT, &percent, WHY))) {
        walk_tell(walk, "percent", "%d", (int)percent);
    }
    if (WORKS("mode", fan->ops->config(fan, &config, WHY))) {
        walk_tell(walk, "mode", "%d", (int)config.mode);
    }
}

static void led_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_led *led = component;
    zes_led_state_t now;
    walk_tell(walk, "control", "%d", led->properties.canControl);
    if (WORKS("on", led->ops->state(led, &now, WHY))) {
        walk_tell(walk, "on", "%d", now.isOn);
        walk_tell(walk, "color", "%g %g %g", now.color.red, now.color.green, now.color.blue);
    }
}

static void ras_walk(struct walk *walk, const void *component)
{
    const struct geo_sysman_ras *ras = component;
    uint64_t count;
    walk_tell(walk, "type", "%d", (int)ras->properties.type);
    if (WORKS("count", ras->ops->counters(ras, &count, WHY))) {
        walk_tell(walk, "count", "%llu", (unsigned long long)count);
    }
}

const struct walk_class *walk_class(enum geo_sysman_class kind)
{
    static const struct walk_class classes[GEO_SYSMAN_CLASS_COUNT] = {
        [GEO_SYSMAN_POWER] = {"power", power_walk},
        [GEO_SYSMAN_FREQUENCY] = {"frequency", frequency_walk},
        [GEO_SYSMAN_ENGINE] = {"engine", engine_walk},
        [GEO_SYSMAN_FIRMWARE] = {"firmware", firmware_walk},
        [GEO_SYSMAN_MEMORY] = {"memory", memory_walk},
        [GEO_SYSMAN_TEMPERATURE] = {"temperature", temperature_walk},
        [GEO_SYSMAN_PSU] = {"psu", psu_walk},
        [GEO_SYSMAN_FAN] = {"fan", fan_walk},
        [GEO_SYSMAN_LED] = {"led", led_walk},
        [GEO_SYSMAN_RAS] = {"ras", ras_walk},
    };
    return &classes[kind];
}
