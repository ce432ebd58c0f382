/* Reads energy from the performance events of the unit "power". See energy.h. */
#include "backend/cpu/sysman/energy.h"

#include <string.h>

#define UNIT "power"

static const char *event_of(zes_power_domain_t domain)
{
    switch (domain) {
    case ZES_POWER_DOMAIN_PACKAGE:
        return "energy-pkg";
    case ZES_POWER_DOMAIN_GPU:
        return "energy-cores";
    case ZES_POWER_DOMAIN_MEMORY:
        return "energy-ram";
    default:
        return "energy-psys";
    }
}

/* Returns whether the unit counts packages. If it does not, its other counters are ignored: on
 * Sapphire Rapids and later, Linux shows virtual machines a platform counter that stays 0. */
static bool unit_counts(const struct geo_tree *tree)
{
    struct geo_perf_event package;
    return geo_perf_find(tree, UNIT, event_of(ZES_POWER_DOMAIN_PACKAGE), &package);
}

void geo_energy_find(struct geo_finding *finding, zes_power_domain_t domain, const cpu_set_t *cpus,
                     struct geo_perf_set *set)
{
    const struct geo_tree *tree = &finding->sysman->tree;
    const char *name = event_of(domain);
    struct geo_perf_item item = {0};
    char text[16] = "";
    geo_tree_text_known(tree, geo_tree_path(GEO_PERF_FOLDER "/" UNIT "/events/%s.unit", name).text,
                        text, sizeof(text));
    if (strcmp(text, "Joules") != 0 || !unit_counts(tree) ||
        !geo_perf_find(tree, UNIT, name, &item.event) ||
        geo_perf_cpus(finding->sysman, UNIT, cpus, &item.cpu, 1) == 0) {
        return;
    }
    set->items = geo_finding_memory(finding, sizeof(set->items[0]));
    if (set->items) {
        set->items[0] = item;
        set->count = 1;
    }
}

uint32_t geo_energy_cpus(const struct geo_sysman *sysman, int *list, uint32_t room)
{
    return geo_perf_cpus(sysman, UNIT, &sysman->whole.cpus, list, room);
}
