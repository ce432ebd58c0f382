/* Memory limits of this process's control groups, for example in a container. */
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

/* Finds the groups with a limit, from the process's own group outwards, at most
 * GEO_CGROUP_LIMITS. */
void geo_cgroup_find(const struct geo_tree *tree, struct geo_cgroup_limits *out);

/* Returns the bytes that the tightest limit leaves at present, or UINT64_MAX without a limit.
 * Memory of cached files that can be reclaimed at once counts as free. Groups whose files cannot be
 * read are skipped. */
uint64_t geo_cgroup_left(const struct geo_tree *tree, const struct geo_cgroup_limits *limits);

#endif
