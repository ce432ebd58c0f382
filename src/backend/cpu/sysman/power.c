/* Power: the zones of the system's power capping (/sys/class/powercap), which Intel's and AMD's
 * processors fill alike.
 *
 *   package-N      PACKAGE, of the device or the part that has its CPUs
 *   psys           CARD: the whole platform
 *   core           GPU: what computes
 *   dram           MEMORY
 *   uncore         is not shown: graphics beside the CPUs, which are another device
 *
 * Zones that the same registers show a second time (intel-rapl-mmio) are not shown.
 *
 * The counter of energy wraps after minutes to hours. What is handed out goes on instead: whole
 * wraps are lost only between two readings of this process that are further apart than one. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"

#include <stdio.h>
#include <string.h>

#define CONSTRAINTS 8
#define UW_PER_MW   1000
#define US_PER_MS   1000

struct zone {
    struct geo_sysman_power power; /* first */
    struct geo_tree_path path;
    uint32_t constraints;
    zes_power_level_t levels[CONSTRAINTS];
    int64_t range_uj; /* the counter's largest value */
    struct geo_object_lock lock;
    bool started;
    int64_t last_uj; /* as the counter had it */
    uint64_t total_uj;
};

static const struct geo_tree *zone_tree(const struct zone *zone)
{
    return &zone->power.base.sysman->tree;
}

static struct geo_tree_path zone_file(const struct zone *zone, const char *name)
{
    return geo_path("%s/%s", zone->path.text, name);
}

static struct geo_tree_path zone_constraint(const struct zone *zone, uint32_t index,
                                            const char *name)
{
    return geo_path("%s/constraint_%u_%s", zone->path.text, index, name);
}

/* ---- energy ---- */

static uint64_t zone_advance(struct zone *zone, int64_t now_uj)
{
    geo_object_lock_acquire(&zone->lock);
    if (!zone->started) {
        zone->total_uj = (uint64_t)now_uj;
        zone->started = true;
    } else if (now_uj >= zone->last_uj) {
        zone->total_uj += (uint64_t)(now_uj - zone->last_uj);
    } else if (zone->range_uj >= zone->last_uj) {
        zone->total_uj += (uint64_t)(zone->range_uj - zone->last_uj) + (uint64_t)now_uj;
    }
    zone->last_uj = now_uj;
    uint64_t total = zone->total_uj;
    geo_object_lock_release(&zone->lock);
    return total;
}

static ze_result_t power_energy(const struct geo_sysman_power *power,
                                zes_power_energy_counter_t *counter, struct geo_strbuf *why)
{
    struct zone *zone = power->base.opaque;
    struct geo_tree_path path = zone_file(zone, "energy_uj");
    int64_t now_uj;
    ze_result_t result = geo_tree_number(zone_tree(zone), path.text, &now_uj, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (now_uj < 0) {
        geo_strbuf_printf(why, "%s: a negative energy", path.text);
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    counter->timestamp = geo_sysman_clock_us();
    counter->energy = zone_advance(zone, now_uj);
    return ZE_RESULT_SUCCESS;
}

/* ---- limits ---- */

static int32_t number_fit(int64_t number)
{
    return number < 0 ? -1 : number > INT32_MAX ? INT32_MAX : (int32_t)number;
}

static ze_result_t limit_read(const struct zone *zone, uint32_t index,
                              zes_power_limit_ext_desc_t *limit, struct geo_strbuf *why)
{
    const struct geo_tree *tree = zone_tree(zone);
    const struct geo_tree_path watts = zone_constraint(zone, index, "power_limit_uw"),
                               window = zone_constraint(zone, index, "time_window_us"),
                               enabled = zone_file(zone, "enabled");
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
        limit->enabledStateLocked = !geo_tree_writable(tree, enabled.text);
        limit->enabled = on != 0;
        limit->intervalValueLocked = !geo_tree_writable(tree, window.text);
        limit->interval = number_fit(window_us / US_PER_MS);
        limit->limitValueLocked = !geo_tree_writable(tree, watts.text);
        limit->limit = number_fit(power_uw / UW_PER_MW);
    }
    return result;
}

static ze_result_t power_limits(const struct geo_sysman_power *power, uint32_t *count,
                                zes_power_limit_ext_desc_t *limits, struct geo_strbuf *why)
{
    const struct zone *zone = power->base.opaque;
    for (uint32_t i = 0; i < *count && i < zone->constraints; i++) {
        ze_result_t result = limit_read(zone, i, &limits[i], why);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    *count = zone->constraints;
    return ZE_RESULT_SUCCESS;
}

/* What is as it was is not written: a value in the interface's coarser units is not the system's.
 */
static ze_result_t value_change(const struct zone *zone, const char *path, int64_t now,
                                int64_t wanted, int64_t scale, struct geo_strbuf *why)
{
    if (now == wanted) {
        return ZE_RESULT_SUCCESS;
    }
    if (wanted < 0) {
        geo_strbuf_printf(why, "%lld is no value for %s", (long long)wanted, path);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (!geo_tree_has(zone_tree(zone), path)) {
        geo_strbuf_printf(why, "%s does not exist: the value is fixed", path);
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    return geo_tree_write_number(zone_tree(zone), path, wanted * scale, why);
}

static ze_result_t limit_write(const struct zone *zone, uint32_t index,
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
    if (result == ZE_RESULT_SUCCESS) { /* of all limits of the zone */
        result = value_change(zone, zone_file(zone, "enabled").text, now.enabled != 0,
                              wanted->enabled != 0, 1, why);
    }
    return result;
}

static ze_result_t power_set_limits(const struct geo_sysman_power *power, uint32_t count,
                                    const zes_power_limit_ext_desc_t *limits,
                                    struct geo_strbuf *why)
{
    const struct zone *zone = power->base.opaque;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = 0;
        while (index < zone->constraints && zone->levels[index] != limits[i].level) {
            index++;
        }
        if (index == zone->constraints) {
            geo_strbuf_printf(why, "%s has no limit of level %u", power->base.name,
                              (unsigned)limits[i].level);
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

/* ---- finding ---- */

static zes_power_level_t level_of(const char *name)
{
    return strcmp(name, "long_term") == 0    ? ZES_POWER_LEVEL_SUSTAINED
           : strcmp(name, "short_term") == 0 ? ZES_POWER_LEVEL_BURST
           : strcmp(name, "peak_power") == 0 ? ZES_POWER_LEVEL_PEAK
                                             : ZES_POWER_LEVEL_UNKNOWN;
}

/* Up to the first that is not there or that nobody knows. */
static void constraints_read(struct zone *zone)
{
    char name[32];
    while (zone->constraints < CONSTRAINTS &&
           geo_tree_text_known(zone_tree(zone),
                               zone_constraint(zone, zone->constraints, "name").text, name,
                               sizeof(name)) &&
           level_of(name) != ZES_POWER_LEVEL_UNKNOWN) {
        zone->levels[zone->constraints++] = level_of(name);
    }
}

static void zone_describe(struct zone *zone, zes_power_domain_t domain)
{
    struct geo_sysman_power *power = &zone->power;
    const struct geo_tree *tree = zone_tree(zone);
    constraints_read(zone);
    zone->range_uj = geo_tree_known(tree, zone_file(zone, "max_energy_range_uj").text, -1);
    int64_t most_uw = zone->constraints
                          ? geo_tree_known(tree, zone_constraint(zone, 0, "max_power_uw").text, 0)
                          : 0;
    power->domain = domain;
    power->properties.canControl =
        zone->constraints != 0 &&
        geo_tree_writable(tree, zone_constraint(zone, 0, "power_limit_uw").text);
    power->properties.isEnergyThresholdSupported = true; /* by comparing */
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

/* Whose zone "package-1" or "package-1-die-0" is. */
static bool package_place(const struct geo_sysman *sysman,
                          const struct geo_sysman_packages *packages, const char *name,
                          int32_t *subdevice)
{
    int package, die = -1;
    cpu_set_t cpus;
    if (sscanf(name, "package-%d-die-%d", &package, &die) < 1) {
        return false;
    }
    geo_sysman_package_cpus(packages, package, die, &cpus);
    if (CPU_COUNT(&cpus) == 0 && die < 0) { /* a machine that numbers no packages has one */
        *subdevice = -1;
        return package == 0 && CPU_COUNT(&sysman->whole.cpus) != 0 &&
               packages->package[geo_sysman_first_cpu(&sysman->whole.cpus)] < 0;
    }
    return geo_sysman_place(sysman, &cpus, subdevice);
}

/* "intel-rapl:1:0" lies in "intel-rapl:1". */
static bool zone_place(struct geo_finding *finding, const struct geo_sysman_packages *packages,
                       const char *zone, const char *name, int32_t *subdevice)
{
    char outer[GEO_TREE_VALUE];
    *subdevice = -1;
    if (strcmp(name, "psys") == 0) {
        return true;
    }
    const char *first = strchr(zone, ':'), *last = strrchr(zone, ':');
    if (first == last) {
        return package_place(finding->sysman, packages, name, subdevice);
    }
    return geo_tree_text_known(
               &finding->sysman->tree,
               geo_path("/sys/class/powercap/%.*s/name", (int)(last - zone), zone).text, outer,
               sizeof(outer)) &&
           package_place(finding->sysman, packages, outer, subdevice);
}

static bool domain_of(const char *name, zes_power_domain_t *domain)
{
    *domain = strncmp(name, "package-", 8) == 0 ? ZES_POWER_DOMAIN_PACKAGE
              : strcmp(name, "psys") == 0       ? ZES_POWER_DOMAIN_CARD
              : strcmp(name, "core") == 0       ? ZES_POWER_DOMAIN_GPU
              : strcmp(name, "dram") == 0       ? ZES_POWER_DOMAIN_MEMORY
                                                : ZES_POWER_DOMAIN_UNKNOWN;
    return *domain != ZES_POWER_DOMAIN_UNKNOWN;
}

static void zone_add(struct geo_finding *finding, const struct geo_sysman_packages *packages,
                     const char *directory)
{
    char name[64];
    int32_t subdevice;
    zes_power_domain_t domain;
    struct geo_tree_path path = geo_path("/sys/class/powercap/%s", directory);
    if (!geo_tree_text_known(&finding->sysman->tree, geo_path("%s/name", path.text).text, name,
                             sizeof(name)) ||
        !domain_of(name, &domain) || !zone_place(finding, packages, directory, name, &subdevice)) {
        return;
    }
    struct zone *zone = geo_finding_add(finding, sizeof(*zone), subdevice, NULL, directory);
    if (zone) {
        zone->power.base.opaque = zone;
        zone->path = path;
        zone_describe(zone, domain);
    }
}

void geo_cpu_sysman_find_power(struct geo_finding *finding)
{
    struct geo_sysman_packages packages;
    struct geo_tree_names zones = geo_finding_names(finding, "/sys/class/powercap", "intel-rapl:");
    if (zones.count != 0) {
        geo_sysman_packages(finding->sysman, &packages);
    }
    for (uint32_t i = 0; i < zones.count; i++) {
        zone_add(finding, &packages, zones.names[i]);
    }
}
