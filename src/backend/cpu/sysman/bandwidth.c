/* Finds the counters of memory controllers (uncore_imc*) by the names that the system gives them.
 * See bandwidth.h. */
#include "backend/cpu/sysman/bandwidth.h"

#include <string.h>

#define COUNTERS 256u
#define DIES     64u

/* If one unit has several of these counters, they count the same. */
static const struct {
    const char *read, *write;
} names[] = {
    {"cas_count_read", "cas_count_write"},
    {"data_reads", "data_writes"},
    {"data_read", "data_write"},
};

static bool event_find(const struct geo_tree *tree, const char *unit, const char *name,
                       struct geo_perf_event *event)
{
    char text[16] = "";
    geo_tree_text_known(tree, geo_tree_path(GEO_PERF_FOLDER "/%s/events/%s.unit", unit, name).text,
                        text, sizeof(text));
    return strcmp(text, "MiB") == 0 && geo_perf_find(tree, unit, name, event);
}

static void unit_add(const struct geo_sysman *sysman, const char *unit, size_t kind,
                     const cpu_set_t *cpus, struct geo_perf_set *set)
{
    struct geo_perf_event read, write;
    int list[DIES];
    if (!event_find(&sysman->tree, unit, names[kind].read, &read) ||
        !event_find(&sysman->tree, unit, names[kind].write, &write)) {
        return;
    }
    uint32_t count = geo_perf_cpus(sysman, unit, cpus, list, DIES);
    for (uint32_t i = 0; i < count && set->count + 2 <= COUNTERS; i++) {
        set->items[set->count++] = (struct geo_perf_item){read, list[i], GEO_BANDWIDTH_READ};
        set->items[set->count++] = (struct geo_perf_item){write, list[i], GEO_BANDWIDTH_WRITE};
    }
}

void geo_bandwidth_find(struct geo_finding *finding, const cpu_set_t *cpus,
                        struct geo_perf_set *set)
{
    struct geo_tree_names units = geo_finding_names(finding, GEO_PERF_FOLDER, "uncore_imc");
    if (units.count == 0) {
        return;
    }
    set->items = geo_finding_memory(finding, COUNTERS * sizeof(set->items[0]));
    for (size_t kind = 0; set->items && set->count == 0 && kind < sizeof(names) / sizeof(names[0]);
         kind++) {
        for (uint32_t i = 0; i < units.count; i++) {
            unit_add(finding->sysman, units.names[i], kind, cpus, set);
        }
    }
}
