/* Limits of memory that this process's control groups have, as in a container. */
#ifndef GEO_BACKEND_CPU_SYSMAN_CGROUP_H
#define GEO_BACKEND_CPU_SYSMAN_CGROUP_H

#include "backend/cpu/sysman/tree.h"

#define GEO_CGROUP_LIMITS 8u

struct geo_cgroup_limits {
    struct geo_cgroup_limit {
        struct geo_tree_path folder;
        bool unified; /* version 2 */
    } groups[GEO_CGROUP_LIMITS];
    uint32_t count;
};

/* The groups with a limit, from the process's own outward; those beyond the room are left out. */
void geo_cgroup_find(const struct geo_tree *tree, struct geo_cgroup_limits *out);

/* How much the tightest of them leaves now; UINT64_MAX: there is none. What files occupy and can be
 * taken back at once counts as left. A group that does not tell is passed over. */
uint64_t geo_cgroup_left(const struct geo_tree *tree, const struct geo_cgroup_limits *limits);

#endif
