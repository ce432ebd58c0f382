/* Builds the topology from what topology_sys.c reads. */
#include "backend/cpu/topology.h"

#include "backend/cpu/allowed.h"
#include "base/room.h"

#include <string.h>
#include <unistd.h>

/* Orders the CPUs: the first thread of each core, then the other threads. */
static void cpus_order(const cpu_set_t *allowed, const int32_t *core_of,
                       struct geo_topology *topology)
{
    bool seen[GEO_CPU_LIMIT] = {false};
    bool first[GEO_CPU_LIMIT] = {false};
    topology->cpu_count = 0;
    for (int32_t cpu = 0; cpu < (int32_t)GEO_CPU_LIMIT; cpu++) {
        if (CPU_ISSET((size_t)cpu, allowed)) {
            int32_t core =
                core_of[cpu] >= 0 && core_of[cpu] < (int32_t)GEO_CPU_LIMIT ? core_of[cpu] : cpu;
            first[cpu] = !seen[core];
            seen[core] = true;
            if (first[cpu]) {
                topology->cpus[topology->cpu_count++] = cpu;
            }
        }
    }
    topology->core_count = topology->cpu_count;
    for (int32_t cpu = 0; cpu < (int32_t)GEO_CPU_LIMIT; cpu++) {
        if (CPU_ISSET((size_t)cpu, allowed) && !first[cpu]) {
            topology->cpus[topology->cpu_count++] = cpu;
        }
    }
}

static void parts_read(const cpu_set_t *allowed, const int32_t *core_of,
                       struct geo_topology *topology)
{
    GEO_ROOM(uint32_t, part_of, GEO_CPU_LIMIT);
    if (!part_of) {
        return; /* no memory: one part */
    }
    topology->part_count = geo_topology_sys_nodes("", allowed, topology->parts, part_of);
    if (topology->part_count == 0) {
        topology->part_count =
            geo_topology_sys_caches("", allowed, core_of, topology->parts, part_of);
    }
    for (uint32_t i = 0; i < topology->cpu_count; i++) {
        topology->part_of[i] = part_of[topology->cpus[i]];
    }
}

static uint64_t memory_total(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 1ull << 30;
}

void geo_topology_read(struct geo_topology *topology)
{
    memset(topology, 0, sizeof(*topology));
    cpu_set_t allowed;
    if (!geo_cpus_allowed(sched_getaffinity, &allowed)) {
        CPU_SET(0, &allowed);
    }
    int32_t *core_of = topology->core_of;
    for (uint32_t i = 0; i < GEO_CPU_LIMIT; i++) {
        core_of[i] = (int32_t)i;
    }
    /* Without sysfs every CPU counts as a core. */
    geo_topology_sys_cores("", &allowed, topology, core_of);
    cpus_order(&allowed, core_of, topology);
    parts_read(&allowed, core_of, topology);
    topology->quota_cpus = geo_topology_sys_cgroup_cpus("");
    topology->memory_bytes = memory_total();
    uint64_t limit = geo_topology_sys_cgroup_memory("");
    if (limit < topology->memory_bytes) {
        topology->memory_bytes = limit;
    }
}
