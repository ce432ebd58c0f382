/* Power: the zones of the system's power capping (/sys/class/powercap), which both Intel and AMD
 * processors provide.
 *
 *     package-N    PACKAGE, of the device or the sub-device with its CPUs
 *     psys         CARD: the whole platform
 *     core         GPU: the compute units
 *     dram         MEMORY
 *     uncore       ignored: integrated graphics, which are another device
 *
 * If the energy may not be read, or the system has no zones, its performance events count the
 * energy if permitted. Such a counter starts at 0 and does not wrap.
 *
 * Zones that show the same registers again (intel-rapl-mmio) are ignored. */
#include "backend/cpu/sysman/classes.h"

#include "backend/cpu/sysman/energy.h"
#include "backend/cpu/sysman/zone.h"
#include "base/room.h"

#include <stdio.h>
#include <string.h>

#define ZONES    "/sys/class/powercap"
#define PACKAGES 16u

/* Finds the CPUs of the package of a zone "package-1" or "package-1-die-0", and the sub-device that
 * has them. */
static bool package_place(const struct geo_sysman *sysman,
                          const struct geo_sysman_packages *packages, const char *name,
                          cpu_set_t *cpus, int32_t *subdevice)
{
    int package, die = -1;
    if (sscanf(name, "package-%d-die-%d", &package, &die) < 1) {
        return false;
    }
    geo_finding_package_cpus(packages, package, die, cpus);
    if (package == 0 && die < 0 &&
        packages->package[geo_finding_first_cpu(&sysman->whole.cpus)] < 0) {
        *cpus = sysman->whole.cpus; /* a machine that does not number its packages has one */
    }
    return geo_finding_place(sysman, cpus, subdevice);
}

/* Finds the CPUs of a zone. Zone "intel-rapl:1:0" is inside "intel-rapl:1". */
static bool zone_place(struct geo_finding *finding, const struct geo_sysman_packages *packages,
                       const char *zone, const char *name, cpu_set_t *cpus, int32_t *subdevice)
{
    char outer[GEO_TREE_VALUE];
    const char *first = strchr(zone, ':'), *last = strrchr(zone, ':');
    if (strcmp(name, "psys") == 0) {
        *cpus = finding->sysman->whole.cpus;
        *subdevice = -1;
        return true;
    }
    if (first == last) {
        return package_place(finding->sysman, packages, name, cpus, subdevice);
    }
    return geo_tree_text_known(&finding->sysman->tree,
                               geo_tree_path(ZONES "/%.*s/name", (int)(last - zone), zone).text,
                               outer, sizeof(outer)) &&
           package_place(finding->sysman, packages, outer, cpus, subdevice);
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

static struct geo_zone *zone_make(struct geo_finding *finding, zes_power_domain_t domain,
                                  int32_t subdevice, struct geo_tree_path path, const char *name)
{
    struct geo_zone *zone = geo_finding_add(finding, sizeof(*zone), subdevice, NULL, name);
    if (zone) {
        zone->power.base.opaque = zone;
        zone->path = path;
        geo_zone_describe(zone, domain);
    }
    return zone;
}

/* Drops a counter that may not be read either, so that the error names the file. */
static void zone_counter_try(struct geo_zone *zone)
{
    double joules[GEO_PERF_SUMS];
    struct geo_strbuf unheard;
    geo_strbuf_init(&unheard, 1);
    if (zone->counter.count != 0 &&
        geo_perf_read(&zone->counter, geo_zone_tree(zone), joules, &unheard) != ZE_RESULT_SUCCESS) {
        zone->counter.count = 0;
    }
    geo_strbuf_finish(&unheard);
}

/* Adds a zone. A counter replaces an energy file that may not be read. */
static void zone_add(struct geo_finding *finding, const struct geo_sysman_packages *packages,
                     const char *directory)
{
    char name[64];
    int32_t subdevice;
    int64_t energy;
    cpu_set_t cpus;
    zes_power_domain_t domain;
    struct geo_tree_path path = geo_tree_path(ZONES "/%s", directory);
    if (!geo_tree_text_known(&finding->sysman->tree, geo_tree_path("%s/name", path.text).text, name,
                             sizeof(name)) ||
        !domain_of(name, &domain) ||
        !zone_place(finding, packages, directory, name, &cpus, &subdevice)) {
        return;
    }
    struct geo_zone *zone = zone_make(finding, domain, subdevice, path, directory);
    if (zone && geo_tree_number(geo_zone_tree(zone), geo_zone_file(zone, "energy_uj").text, &energy,
                                NULL) == ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS) {
        geo_energy_find(finding, domain, &cpus, &zone->counter);
        zone_counter_try(zone);
    }
}

/* Adds packages whose energy is counted, when the system has no zones. */
static void counters_find(struct geo_finding *finding, const struct geo_sysman_packages *packages)
{
    static const zes_power_domain_t domains[] = {ZES_POWER_DOMAIN_PACKAGE, ZES_POWER_DOMAIN_GPU,
                                                 ZES_POWER_DOMAIN_MEMORY, ZES_POWER_DOMAIN_CARD};
    const struct geo_sysman *sysman = finding->sysman;
    int list[PACKAGES];
    uint32_t count = geo_energy_cpus(sysman, list, PACKAGES);
    for (uint32_t i = 0; i < count; i++) {
        int32_t subdevice = -1;
        cpu_set_t cpus;
        geo_finding_package_cpus(packages, packages->package[list[i]], -1, &cpus);
        CPU_SET((size_t)list[i], &cpus);
        for (size_t k = 0; k < sizeof(domains) / sizeof(domains[0]); k++) {
            struct geo_perf_set set = {0};
            geo_energy_find(finding, domains[k], &cpus, &set);
            if (set.count != 0 && geo_finding_place(sysman, &cpus, &subdevice)) {
                struct geo_zone *zone = zone_make(
                    finding, domains[k], domains[k] == ZES_POWER_DOMAIN_CARD ? -1 : subdevice,
                    (struct geo_tree_path){""},
                    geo_tree_path("power:%d:%zu", packages->package[list[i]], k).text);
                if (zone) {
                    zone->counter.items = set.items;
                    zone->counter.count = set.count;
                }
            }
        }
    }
}

static void zone_finish(const struct geo_sysman_component *component)
{
    struct geo_zone *zone = component->opaque;
    geo_perf_finish(&zone->counter);
}

void geo_cpu_sysman_find_power(struct geo_finding *finding)
{
    GEO_ROOM(struct geo_sysman_packages, packages, 1);
    struct geo_tree_names zones = geo_finding_names(finding, ZONES, "intel-rapl:");
    finding->list->finish = zone_finish;
    if (!packages) {
        finding->list->failed = true;
        return;
    }
    geo_finding_packages(finding->sysman, packages);
    if (zones.count == 0) {
        counters_find(finding, packages);
    }
    for (uint32_t i = 0; i < zones.count; i++) {
        zone_add(finding, packages, zones.names[i]);
    }
}
