/* Reads counters of the calling thread. See thread.h. */
#include "backend/cpu/metric/thread.h"

#include "base/assert.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

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
    return family_used(GEO_CPU_METRIC_SYSTEM) && system_read(counts);
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

ze_result_t geo_cpu_metric_thread_select(uint32_t before, uint32_t after, struct geo_strbuf *why)
{
    static const struct geo_meter_source source = {thread_read, thread_told};
    (void)why;
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
