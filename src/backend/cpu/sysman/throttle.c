/* Reads the throttle counters of x86 (cpuN/thermal_throttle). See throttle.h. */
#include "backend/cpu/sysman/throttle.h"

#include "backend/cpu/sysman/finding.h"

enum { CORE, PACKAGE, PLACES };

static const char *const counts[PLACES] = {"core_throttle_count", "package_throttle_count"};
static const char *const times[PLACES] = {"core_throttle_total_time_ms",
                                          "package_throttle_total_time_ms"};

static int64_t counter_read(const struct geo_sysman *sysman, size_t cpu, const char *name)
{
    return geo_tree_known(
        &sysman->tree,
        geo_tree_path("/sys/devices/system/cpu/cpu%zu/thermal_throttle/%s", cpu, name).text, -1);
}

/* Computes the sum and the maximum of these counters (of the core and of the package) over all the
 * CPUs. Returns false if the first CPU has neither counter, because then no CPU has any. */
static bool counters_read(const struct geo_sysman *sysman, const cpu_set_t *cpus,
                          const char *const names[PLACES], uint64_t *sum, uint64_t *largest)
{
    bool found = false;
    *sum = *largest = 0;
    for (size_t cpu = 0; cpu < GEO_SYSMAN_CPUS; cpu++) {
        bool has = false;
        for (int i = 0; i < PLACES && CPU_ISSET(cpu, cpus); i++) {
            int64_t count = counter_read(sysman, cpu, names[i]);
            if (count >= 0) {
                has = true;
                *sum += (uint64_t)count;
                *largest = (uint64_t)count > *largest ? (uint64_t)count : *largest;
            }
        }
        if (CPU_ISSET(cpu, cpus) && !has && !found) {
            return false;
        }
        found = found || has;
    }
    return found;
}

bool geo_throttle_counted(const struct geo_sysman *sysman)
{
    const size_t cpu = (size_t)geo_finding_first_cpu(&sysman->whole.cpus);
    return counter_read(sysman, cpu, counts[CORE]) >= 0 ||
           counter_read(sysman, cpu, counts[PACKAGE]) >= 0;
}

bool geo_throttle_count(const struct geo_sysman *sysman, const cpu_set_t *cpus, uint64_t *count)
{
    uint64_t largest;
    return counters_read(sysman, cpus, counts, count, &largest);
}

bool geo_throttle_time(const struct geo_sysman *sysman, const cpu_set_t *cpus, uint64_t *ms)
{
    uint64_t sum;
    return counters_read(sysman, cpus, times, &sum, ms);
}
