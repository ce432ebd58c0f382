/* Counters of the system's performance events (perf_event_open) that belong to no process: energy
 * of packages, accesses to memory. What they are stands in /sys/bus/event_source/devices; who may
 * count them, in /proc/sys/kernel/perf_event_paranoid.
 *
 * Unlike files they have to stay open to count. They are opened when they are first read, and a
 * descriptor that a program has closed is not taken for another's. */
#ifndef GEO_BACKEND_CPU_SYSMAN_PERF_H
#define GEO_BACKEND_CPU_SYSMAN_PERF_H

#include "backend/cpu/sysman/finding.h"

#define GEO_PERF_FOLDER "/sys/bus/event_source/devices"
#define GEO_PERF_SUMS   2u /* of a set */

struct geo_perf_event {
    uint32_t type;
    uint64_t config;
    double scale; /* of one count, in the event's unit */
};

/* An event by the name of its unit's folder and its own. False: there is none, or it needs more
 * than a configuration of 64 bits. */
bool geo_perf_find(const struct geo_tree *tree, const char *unit, const char *name,
                   struct geo_perf_event *event);

/* The CPUs among these that a unit is counted on, one for each package or die. */
uint32_t geo_perf_cpus(const struct geo_sysman *sysman, const char *unit, const cpu_set_t *cpus,
                       int *list, uint32_t room);

/* Events that are counted together. Zeroed: none. */
struct geo_perf_opened;
struct geo_perf_set {
    struct geo_perf_item {
        struct geo_perf_event event;
        int cpu;
        uint32_t sum;
    } *items; /* the owner's */
    uint32_t count;
    _Atomic(struct geo_perf_opened *) opened;
};

/* Since the first reading: the counts of each sum's events, scaled. INSUFFICIENT_PERMISSIONS;
 * NOT_AVAILABLE: a recorded machine counts nothing, or the descriptors are gone; as of a file. */
ze_result_t geo_perf_read(struct geo_perf_set *set, const struct geo_tree *tree,
                          double sums[GEO_PERF_SUMS], struct geo_strbuf *why);
void geo_perf_finish(struct geo_perf_set *set);

#endif
