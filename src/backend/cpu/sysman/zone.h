/* A power zone: a folder of power capping, or an energy counter. */
#ifndef GEO_BACKEND_CPU_SYSMAN_ZONE_H
#define GEO_BACKEND_CPU_SYSMAN_ZONE_H

#include "backend/cpu/sysman/perf.h"

#define GEO_ZONE_CONSTRAINTS 8

struct geo_zone {
    struct geo_sysman_power power; /* must be first */
    struct geo_tree_path path;
    uint32_t constraints;
    zes_power_level_t levels[GEO_ZONE_CONSTRAINTS];
    int64_t range_uj; /* largest value of the counter */
    /* Energy counter, used when the energy file is missing or may not be read. */
    struct geo_perf_set counter;
    struct geo_object_lock lock;
    bool started;
    int64_t last_uj; /* last value of the counter */
    uint64_t total_uj;
};

/* Fills the properties and operations of a zone whose path and location are set. */
void geo_zone_describe(struct geo_zone *zone, zes_power_domain_t domain);

const struct geo_tree *geo_zone_tree(const struct geo_zone *zone);
struct geo_tree_path geo_zone_file(const struct geo_zone *zone, const char *name);

#endif
