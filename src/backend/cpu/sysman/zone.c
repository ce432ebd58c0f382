/* Energy and limits of power zones. See zone.h.
 *
 * The energy counter wraps after minutes to hours. The reported counter continues: it misses wraps
 * only if two reads of this process are more than one wrap apart. */
#include "backend/cpu/sysman/zone.h"

#include <string.h>

#define UW_PER_MW 1000
#define US_PER_MS 1000
#define UJ_PER_J  1000000.0

const struct geo_tree *geo_zone_tree(const struct geo_zone *zone)
{
    return &zone->power.base.sysman->tree;
}

struct geo_tree_path geo_zone_file(const struct geo_zone *zone, const char *name)
{
    return geo_tree_path("%s/%s", zone->path.text, name);
}

static struct geo_tree_path zone_constraint(const struct geo_zone *zone, uint32_t index,
                                            const char *name)
{
    return geo_tree_path("%s/constraint_%u_%s", zone->path.text, index, name);
}

/* ---- energy ---- */

static uint64_t advance_locked(struct geo_zone *zone, int64_t now_uj)
{
    if (!zone->started) {
        zone->total_uj = (uint64_t)now_uj;
        zone->started = true;
    } else if (now_uj >= zone->last_uj) {
        zone->total_uj += (uint64_t)(now_uj - zone->last_uj);
    } else if (zone->range_uj >= zone->last_uj) {
        zone->total_uj += (uint64_t)(zone->range_uj - zone->last_uj) + (uint64_t)now_uj;
    }
    zone->last_uj = now_uj;
    return zone->total_uj;
}

/* Reads the energy. The lock is held, because a read that another thread overtakes would look like
 * a wrap. */
static ze_result_t energy_read_locked(struct geo_zone *zone, zes_power_energy_counter_t *counter,
                                      struct geo_strbuf *why)
{
    struct geo_tree_path path = geo_zone_file(zone, "energy_uj");
    int64_t now_uj;
    ze_result_t result = geo_tree_number(geo_zone_tree(zone), path.text, &now_uj, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (now_uj < 0) {
        geo_strbuf_printf(why, "file %s contains a negative energy", path.text);
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    counter->timestamp = geo_backend_clock_us();
    counter->energy = advance_locked(zone, now_uj);
    return ZE_RESULT_SUCCESS;
}

/* Reads the energy from a counter in joules that does not wrap. */
static ze_result_t energy_count(struct geo_zone *zone, zes_power_energy_counter_t *counter,
                                struct geo_strbuf *why)
{
    double joules[GEO_PERF_SUMS];
    ze_result_t result = geo_perf_read(&zone->counter, geo_zone_tree(zone), joules, why);
    if (result == ZE_RESULT_SUCCESS) {
        counter->timestamp = geo_backend_clock_us();
        counter->energy = (uint64_t)(joules[0] * UJ_PER_J);
    }
    return result;
}

static ze_result_t power_energy(const struct geo_sysman_power *power,
                                zes_power_energy_counter_t *counter, struct geo_strbuf *why)
{
    struct geo_zone *zone = power->base.opaque;
    if (zone->counter.count != 0) {
        return energy_count(zone, counter, why);
    }
    geo_object_lock_acquire(&zone->lock);
    ze_result_t result = energy_read_locked(zone, counter, why);
    geo_object_lock_release(&zone->lock);
    return result;
}

/* ---- limits ---- */

static int32_t number_fit(int64_t number)
{
    return number < 0 ? -1 : number > INT32_MAX ? INT32_MAX : (int32_t)number;
}

static ze_result_t limit_read(const struct geo_zone *zone, uint32_t index,
                              zes_power_limit_ext_desc_t *limit, struct geo_strbuf *why)
{
    const struct geo_tree *tree = geo_zone_tree(zone);
    const struct geo_tree_path watts = zone_constraint(zone, index, "power_limit_uw"),
                               window = zone_constraint(zone, index, "time_window_us"),
                               enabled = geo_zone_file(zone, "enabled");
    int64_t power_uw, window_us, on;
    ze_result_t result = geo_tree_number(tree, watts.text, &power_uw, why);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_tree_number_or(tree, window.text, -US_PER_MS, &window_us, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_tree_number_or(tree, enabled.text, 1, &on, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        limit->level = zone->levels[index];
        limit->source = ZES_POWER_SOURCE_ANY;
        limit->limitUnit = ZES_LIMIT_UNIT_POWER;
        limit->enabledStateLocked = !geo_tree_settable(tree, enabled.text);
        limit->enabled = on != 0;
        limit->intervalValueLocked = !geo_tree_settable(tree, window.text);
        limit->interval = number_fit(window_us / US_PER_MS);
        limit->limitValueLocked = !geo_tree_settable(tree, watts.text);
        limit->limit = number_fit(power_uw / UW_PER_MW);
    }
    return result;
}

static ze_result_t power_limits(const struct geo_sysman_power *power, uint32_t *count,
                                zes_power_limit_ext_desc_t *limits, struct geo_strbuf *why)
{
    const struct geo_zone *zone = power->base.opaque;
    for (uint32_t i = 0; i < *count && i < zone->constraints; i++) {
        ze_result_t result = limit_read(zone, i, &limits[i], why);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    *count = zone->constraints;
    return ZE_RESULT_SUCCESS;
}

/* Writes a value if it differs from the current one. An unchanged value is not written, because the
 * API's coarser unit would round it. */
static ze_result_t value_change(const struct geo_zone *zone, const char *path, int64_t now,
                                int64_t wanted, int64_t scale, struct geo_strbuf *why)
{
    if (now == wanted) {
        return ZE_RESULT_SUCCESS;
    }
    if (wanted < 0) {
        geo_strbuf_printf(why, "%s cannot be set to %lld: the value must not be negative", path,
                          (long long)(wanted * scale));
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (!geo_tree_has(geo_zone_tree(zone), path)) {
        geo_strbuf_printf(
            why,
            "the system has no file %s, so this value of the power limit cannot be changed: pass "
            "the current one (zesPowerGetLimitsExt)",
            path);
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    return geo_tree_write_number(geo_zone_tree(zone), path, wanted * scale, why);
}

static ze_result_t limit_write(const struct geo_zone *zone, uint32_t index,
                               const zes_power_limit_ext_desc_t *wanted, struct geo_strbuf *why)
{
    zes_power_limit_ext_desc_t now = {0};
    ze_result_t result = limit_read(zone, index, &now, why);
    if (result == ZE_RESULT_SUCCESS) {
        result = value_change(zone, zone_constraint(zone, index, "power_limit_uw").text, now.limit,
                              wanted->limit, UW_PER_MW, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = value_change(zone, zone_constraint(zone, index, "time_window_us").text,
                              now.interval, wanted->interval, US_PER_MS, why);
    }
    if (result == ZE_RESULT_SUCCESS) { /* "enabled" applies to all limits of the zone */
        result = value_change(zone, geo_zone_file(zone, "enabled").text, now.enabled != 0,
                              wanted->enabled != 0, 1, why);
    }
    return result;
}

static ze_result_t power_set_limits(const struct geo_sysman_power *power, uint32_t count,
                                    const zes_power_limit_ext_desc_t *limits,
                                    struct geo_strbuf *why)
{
    const struct geo_zone *zone = power->base.opaque;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = 0;
        while (index < zone->constraints && zone->levels[index] != limits[i].level) {
            index++;
        }
        if (index == zone->constraints) {
            geo_strbuf_printf(why, "%s has no limit of level %u (zesPowerGetLimitsExt lists them)",
                              power->base.name, (unsigned)limits[i].level);
            return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        }
        ze_result_t result = limit_write(zone, index, &limits[i], why);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_power_ops power_ops = {
    .energy = power_energy,
    .limits = power_limits,
    .set_limits = power_set_limits,
};

/* ---- description ---- */

static zes_power_level_t level_of(const char *name)
{
    return strcmp(name, "long_term") == 0    ? ZES_POWER_LEVEL_SUSTAINED
           : strcmp(name, "short_term") == 0 ? ZES_POWER_LEVEL_BURST
           : strcmp(name, "peak_power") == 0 ? ZES_POWER_LEVEL_PEAK
                                             : ZES_POWER_LEVEL_UNKNOWN;
}

/* Reads the constraints up to the first one that is missing or unknown. */
static void constraints_read(struct geo_zone *zone)
{
    char name[32];
    while (zone->constraints < GEO_ZONE_CONSTRAINTS &&
           geo_tree_text_known(geo_zone_tree(zone),
                               zone_constraint(zone, zone->constraints, "name").text, name,
                               sizeof(name)) &&
           level_of(name) != ZES_POWER_LEVEL_UNKNOWN) {
        zone->levels[zone->constraints++] = level_of(name);
    }
}

/* Returns the processor's maximum sustained power (TDP) in microwatts, or 0 when it is unknown.
 * Firmware often reports up to thousands of watts; then the maximum is unknown. */
static int64_t zone_most(const struct geo_zone *zone)
{
    const struct geo_tree *tree = geo_zone_tree(zone);
    if (zone->constraints == 0) {
        return 0;
    }
    int64_t most_uw = geo_tree_known(tree, zone_constraint(zone, 0, "max_power_uw").text, 0);
    int64_t now_uw = geo_tree_known(tree, zone_constraint(zone, 0, "power_limit_uw").text, 0);
    return now_uw > most_uw ? 0 : most_uw;
}

void geo_zone_describe(struct geo_zone *zone, zes_power_domain_t domain)
{
    struct geo_sysman_power *power = &zone->power;
    const struct geo_tree *tree = geo_zone_tree(zone);
    if (zone->path.text[0] != '\0') {
        constraints_read(zone);
        zone->range_uj = geo_tree_known(tree, geo_zone_file(zone, "max_energy_range_uj").text, -1);
    }
    const int64_t most_uw = zone_most(zone);
    power->domain = domain;
    power->properties.canControl =
        zone->constraints != 0 &&
        geo_tree_settable(tree, zone_constraint(zone, 0, "power_limit_uw").text);
    power->properties.isEnergyThresholdSupported = true; /* implemented by comparing */
    power->properties.defaultLimit = -1;
    power->properties.minLimit = -1;
    power->properties.maxLimit = most_uw > 0 ? number_fit(most_uw / UW_PER_MW) : -1;
    power->default_limit = (zes_power_limit_ext_desc_t){
        .level = ZES_POWER_LEVEL_UNKNOWN,
        .limitUnit = ZES_LIMIT_UNIT_POWER,
        .enabledStateLocked = true,
        .intervalValueLocked = true,
        .interval = -1,
        .limitValueLocked = true,
        .limit = -1,
    };
    power->ops = &power_ops;
}
