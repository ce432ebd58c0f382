/* Puts the topology together. hwloc does it well, but reads some twenty files per CPU: beyond a
 * few dozen CPUs it alone would cost more than zeInitDrivers may, so there the few facts that we
 * need are read from sysfs directly. */
#include "backend/cpu/topology.h"

#include <hwloc.h>
#include <string.h>
#include <unistd.h>

#define HWLOC_CPU_LIMIT 32

/* Components that are never wanted: some call back into Level Zero, others look for devices; x86
 * binds this thread to every CPU in turn, which takes milliseconds where they are busy. */
static const char *const unwanted_components[] = {
    "levelzero", "opencl", "cuda", "nvml", "rsmi", "gl", "pci", "xml", "synthetic", "x86", "no_os",
};

static void caches_of_core(hwloc_obj_t core, struct geo_topology *topology)
{
    topology->cache_count = 0;
    for (hwloc_obj_t object = core; object; object = object->parent) {
        if (!hwloc_obj_type_is_dcache(object->type) ||
            topology->cache_count == GEO_BACKEND_MAX_CACHES) {
            continue;
        }
        topology->caches[topology->cache_count++] = (struct geo_cache_info){
            .bytes = object->attr->cache.size,
            .level = object->attr->cache.depth,
            .line_bytes = object->attr->cache.linesize,
        };
    }
}

static void cores_of(hwloc_topology_t hwloc, const cpu_set_t *allowed, int32_t *core_of)
{
    hwloc_obj_t unit = NULL;
    while ((unit = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PU, unit)) != NULL) {
        unsigned cpu = unit->os_index;
        if (cpu >= GEO_CPU_LIMIT || !CPU_ISSET(cpu, allowed)) {
            continue;
        }
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_CORE, unit);
        core_of[cpu] = core ? hwloc_bitmap_first(core->cpuset) : (int32_t)cpu;
    }
}

bool geo_topology_hwloc(const cpu_set_t *allowed, struct geo_topology *topology, int32_t *core_of)
{
    hwloc_topology_t hwloc;
    if (hwloc_topology_init(&hwloc) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof(unwanted_components) / sizeof(unwanted_components[0]); i++) {
        hwloc_topology_set_components(hwloc, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                      unwanted_components[i]);
    }
    hwloc_topology_set_all_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(hwloc, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_cache_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_flags(
        hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                   HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
    bool loaded = hwloc_topology_load(hwloc) == 0;
    if (loaded) {
        cores_of(hwloc, allowed, core_of);
        caches_of_core(hwloc_get_obj_by_type(hwloc, HWLOC_OBJ_PU, 0), topology);
    }
    hwloc_topology_destroy(hwloc);
    return loaded;
}

/* First the first thread of each core, then what is left. */
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

static uint64_t memory_total(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 1ull << 30;
}

void geo_topology_read(struct geo_topology *topology)
{
    memset(topology, 0, sizeof(*topology));
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) == 0) {
        CPU_SET(0, &allowed);
    }
    int32_t core_of[GEO_CPU_LIMIT];
    for (uint32_t i = 0; i < GEO_CPU_LIMIT; i++) {
        core_of[i] = (int32_t)i;
    }
    bool few = sysconf(_SC_NPROCESSORS_CONF) <= HWLOC_CPU_LIMIT;
    if (!(few && geo_topology_hwloc(&allowed, topology, core_of)) &&
        !geo_topology_sysfs("", &allowed, topology, core_of) && !few) {
        geo_topology_hwloc(&allowed, topology, core_of);
    }
    cpus_order(&allowed, core_of, topology);
    topology->quota_cpus = geo_cgroup_cpus("");
    topology->memory_bytes = memory_total();
    uint64_t limit = geo_cgroup_memory("");
    if (limit < topology->memory_bytes) {
        topology->memory_bytes = limit;
    }
}
