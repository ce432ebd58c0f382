/* The resources that the machine offers this process: cores, caches, limits. Read once, when the
 * backend opens. */
#ifndef GEO_BACKEND_CPU_TOPOLOGY_H
#define GEO_BACKEND_CPU_TOPOLOGY_H

#include "backend/host/roster.h"

#include <sched.h>

#define GEO_CPU_LIMIT 1024u

struct geo_topology {
    int32_t cpus[GEO_CPU_LIMIT]; /* usable CPUs: the first thread of every core, then the others */
    uint32_t cpu_count;          /* at least 1 */
    uint32_t core_count;         /* at least 1 */
    int32_t core_of[GEO_CPU_LIMIT]; /* the lowest CPU of each CPU's core */
    struct geo_cache_info caches[GEO_BACKEND_MAX_CACHES];
    uint32_t cache_count;
    uint64_t memory_bytes; /* memory of the machine, or a lower limit of the container */
    uint32_t quota_cpus;   /* CPUs that the container's quota allows, rounded up; 0: no quota */
    /* Its memory nodes. With only one node: its last-level caches, if they are shared by several
     * cores. */
    struct geo_roster_part parts[GEO_ROSTER_DEVICES];
    uint32_t part_count;             /* 0, or at least 2 */
    uint32_t part_of[GEO_CPU_LIMIT]; /* the part of each of `cpus` */
};

void geo_topology_read(struct geo_topology *topology);

/* Reads cores and caches; exposed for tests. Sets core_of[cpu] to the lowest CPU of its core.
 * Returns false when sysfs is not available. */
bool geo_topology_sys_cores(const char *root, const cpu_set_t *allowed,
                            struct geo_topology *topology, int32_t *core_of);
/* Read the parts of the allowed CPUs and set part_of[cpu]. Return the number of parts, or 0 when
 * there are fewer than two or a CPU is in none. */
uint32_t geo_topology_sys_nodes(const char *root, const cpu_set_t *allowed,
                                struct geo_roster_part *parts, uint32_t *part_of);
uint32_t geo_topology_sys_caches(const char *root, const cpu_set_t *allowed, const int32_t *core_of,
                                 struct geo_roster_part *parts, uint32_t *part_of);
/* Return the limits that control groups, versions 1 and 2, set for this process: a number of CPUs
 * (0: no limit), and bytes of memory (UINT64_MAX: no limit). `root` is the folder that holds /proc
 * and /sys; "" on a real machine. */
uint32_t geo_topology_sys_cgroup_cpus(const char *root);
uint64_t geo_topology_sys_cgroup_memory(const char *root);

#endif
