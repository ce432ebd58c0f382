/* Reads counters of the calling thread. See thread.h. */
#include "backend/cpu/metric/thread.h"

#include "backend/cpu/metric/perf.h"
#include "base/assert.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define HARDWARE(name) {"PERF_COUNT_HW_" #name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name}
#define CACHE(name, cache, operation, result)                                                      \
    {"PERF_COUNT_HW_CACHE_" name, PERF_TYPE_HW_CACHE,                                              \
     PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 |                       \
         PERF_COUNT_HW_CACHE_RESULT_##result << 16}

/* The events of families of the processor, in the order of the families' values (group.c). */
static const struct geo_cpu_metric_perf_set sets[GEO_CPU_METRIC_FAMILIES] = {
    [GEO_CPU_METRIC_CORE] = {{HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS),
                              HARDWARE(BRANCH_INSTRUCTIONS), HARDWARE(BRANCH_MISSES)}},
    [GEO_CPU_METRIC_CACHE] = {{HARDWARE(CACHE_REFERENCES), HARDWARE(CACHE_MISSES),
                               CACHE("L1D:READ:MISS", L1D, READ, MISS),
                               CACHE("DTLB:READ:MISS", DTLB, READ, MISS)}},
};

/* Number of devices on which a group of this family is active. Protected by the lock of active.c,
 * read by all threads. */
static _Atomic uint32_t users[GEO_CPU_METRIC_FAMILIES];
static _Atomic(void (*)(const struct geo_meter_event *)) listener;

static uint64_t timespec_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * GEO_NS_PER_SEC + (uint64_t)time->tv_nsec;
}

/* Reads the system's counters, which need neither descriptors nor permissions. */
static bool system_read(uint64_t *counts)
{
    struct rusage usage;
    struct timespec time;
    if (getrusage(RUSAGE_THREAD, &usage) != 0 ||
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) {
        return false;
    }
    counts[GEO_CPU_METRIC_THREAD_NS] = timespec_ns(&time);
    counts[GEO_CPU_METRIC_THREAD_MINOR_FAULTS] = (uint64_t)usage.ru_minflt;
    counts[GEO_CPU_METRIC_THREAD_MAJOR_FAULTS] = (uint64_t)usage.ru_majflt;
    counts[GEO_CPU_METRIC_THREAD_SWITCHES] = (uint64_t)usage.ru_nvcsw;
    counts[GEO_CPU_METRIC_THREAD_PREEMPTIONS] = (uint64_t)usage.ru_nivcsw;
    return true;
}

static bool family_used(enum geo_cpu_metric_family family)
{
    return atomic_load_explicit(&users[family], memory_order_relaxed) != 0;
}

static bool thread_read(uint64_t counts[GEO_METER_THREAD_COUNTS])
{
    memset(counts, 0, GEO_METER_THREAD_COUNTS * sizeof(*counts));
    const bool system = family_used(GEO_CPU_METRIC_SYSTEM) && system_read(counts);
    const bool perf = (family_used(GEO_CPU_METRIC_CORE) || family_used(GEO_CPU_METRIC_CACHE)) &&
                      geo_cpu_metric_perf_read(counts + GEO_CPU_METRIC_PERF_NS);
    return system || perf;
}

static void thread_told(const struct geo_meter_event *event)
{
    void (*told)(const struct geo_meter_event *) = atomic_load(&listener);
    if (told) {
        told(event);
    }
}

static bool family_in(enum geo_cpu_metric_family family, uint32_t mask)
{
    const struct geo_cpu_metric_group *groups = geo_cpu_metric_groups();
    for (uint32_t i = 0; i < GEO_CPU_METRIC_GROUPS; i++) {
        if (groups[i].family == family && mask & groups[i].bit) {
            return true;
        }
    }
    return false;
}

/* Returns the family of the processor that is active in a mask, or GEO_CPU_METRIC_FAMILIES. A mask
 * has at most one, because they have one domain. */
static uint32_t perf_family(uint32_t mask)
{
    uint32_t family = GEO_CPU_METRIC_PERF_BEGIN;
    while (family < GEO_CPU_METRIC_PERF_END &&
           !family_in((enum geo_cpu_metric_family)family, mask)) {
        family++;
    }
    return family < GEO_CPU_METRIC_PERF_END ? family : GEO_CPU_METRIC_FAMILIES;
}

/* Selects the processor's counters for a device. All devices share one selection. */
static ze_result_t perf_switch(uint32_t before, uint32_t after, struct geo_strbuf *why)
{
    const uint32_t was = perf_family(before), is = perf_family(after);
    uint32_t others = 0, other = GEO_CPU_METRIC_FAMILIES;
    for (uint32_t i = GEO_CPU_METRIC_PERF_BEGIN; i < GEO_CPU_METRIC_PERF_END; i++) {
        const uint32_t count = atomic_load(&users[i]) - (i == was ? 1 : 0);
        others += count;
        other = count != 0 ? i : other;
    }
    if (is == GEO_CPU_METRIC_FAMILIES) {
        return others == 0 && was != is ? geo_cpu_metric_perf_select(NULL, why) : ZE_RESULT_SUCCESS;
    }
    if (others != 0 && other != is) {
        geo_strbuf_printf(why, "another device uses other counters of the processor");
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    return others != 0 || was == is ? ZE_RESULT_SUCCESS
                                    : geo_cpu_metric_perf_select(&sets[is], why);
}

bool geo_cpu_metric_thread_has(enum geo_cpu_metric_family family)
{
    return family < GEO_CPU_METRIC_PERF_BEGIN || family >= GEO_CPU_METRIC_PERF_END ||
           geo_cpu_metric_perf_exists(&sets[family]);
}

ze_result_t geo_cpu_metric_thread_select(uint32_t before, uint32_t after, struct geo_strbuf *why)
{
    static const struct geo_meter_source source = {thread_read, thread_told};
    ze_result_t result = perf_switch(before, after, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    geo_meter_source_set(&source);
    for (uint32_t i = 0; i < GEO_CPU_METRIC_FAMILIES; i++) {
        const bool was = family_in((enum geo_cpu_metric_family)i, before);
        const bool is = family_in((enum geo_cpu_metric_family)i, after);
        GEO_ASSERT(!was || family_used((enum geo_cpu_metric_family)i));
        if (is && !was) {
            atomic_fetch_add(&users[i], 1);
        } else if (was && !is) {
            atomic_fetch_sub(&users[i], 1);
        }
    }
    return ZE_RESULT_SUCCESS;
}

void geo_cpu_metric_thread_tell(void (*told)(const struct geo_meter_event *event))
{
    atomic_store(&listener, told);
}
