/* A zone of power: a folder of power capping, or a counter of energy. */
#ifndef GEO_BACKEND_CPU_SYSMAN_ZONE_H
#define GEO_BACKEND_CPU_SYSMAN_ZONE_H

#include "backend/cpu/sysman/perf.h"

#define GEO_ZONE_CONSTRAINTS 8

struct geo_zone {
    struct geo_sysman_power power; /* first */
    struct geo_tree_path path;
    uint32_t constraints;
    zes_power_level_t levels[GEO_ZONE_CONSTRAINTS];
    int64_t range_uj;            /* the counter's largest value */
    struct geo_perf_set counter; /* of energy, where the file is refused or there is none */
    struct geo_object_lock lock;
    bool started;
    int64_t last_uj; /* as the counter had it */
    uint64_t total_uj;
};

/* Of one that has its place and its path: what it says of itself, and its operations. */
void geo_zone_describe(struct geo_zone *zone, zes_power_domain_t domain);

const struct geo_tree *geo_zone_tree(const struct geo_zone *zone);
struct geo_tree_path geo_zone_file(const struct geo_zone *zone, const char *name);

#endif
