/* Throttling by the counters of x86 (cpuN/thermal_throttle). See throttle.h. */
#include "backend/cpu/sysman/throttle.h"

#include "backend/cpu/sysman/finding.h"

static int64_t counter_read(const struct geo_sysman *sysman, size_t cpu, const char *name)
{
    return geo_tree_known(
        &sysman->tree,
        geo_path("/sys/devices/system/cpu/cpu%zu/thermal_throttle/%s", cpu, name).text, -1);
}

/* False: it has no counters. */
static bool cpu_read(const struct geo_sysman *sysman, size_t cpu, struct geo_sysman_throttle *out)
{
    static const char *const counts[] = {"core_throttle_count", "package_throttle_count"};
    static const char *const times[] = {"core_throttle_total_time_ms",
                                        "package_throttle_total_time_ms"};
    bool found = false;
    for (int i = 0; i < 2; i++) {
        int64_t count = counter_read(sysman, cpu, counts[i]);
        if (count < 0) {
            continue;
        }
        found = true;
        out->count += (uint64_t)count;
        int64_t ms = counter_read(sysman, cpu, times[i]);
        if (ms >= 0) {
            out->timed = true;
            out->ms = (uint64_t)ms > out->ms ? (uint64_t)ms : out->ms;
        }
    }
    return found;
}

/* Where the first has none, all have none. */
bool geo_sysman_throttle_read(const struct geo_sysman *sysman, const cpu_set_t *cpus,
                              struct geo_sysman_throttle *out)
{
    *out = (struct geo_sysman_throttle){0};
    bool found = false;
    for (size_t cpu = 0; cpu < GEO_SYSMAN_CPUS; cpu++) {
        if (!CPU_ISSET(cpu, cpus)) {
            continue;
        }
        if (!cpu_read(sysman, cpu, out) && !found) {
            return false;
        }
        found = true;
    }
    return found;
}
