/* Counters of the system's performance events (perf_event_open) that do not belong to a process:
 * energy of packages, memory accesses. /sys/bus/event_source/devices lists them, and
 * /proc/sys/kernel/perf_event_paranoid says who may count them.
 *
 * Unlike files, counters must stay open to count. They are opened at the first read. If the program
 * has closed a descriptor, its reuse for another file is detected. */
#ifndef GEO_BACKEND_CPU_SYSMAN_PERF_H
#define GEO_BACKEND_CPU_SYSMAN_PERF_H

#include "backend/cpu/sysman/finding.h"

#define GEO_PERF_FOLDER "/sys/bus/event_source/devices"
#define GEO_PERF_SUMS   2u /* per set */

struct geo_perf_event {
    uint32_t type;
    uint64_t config;
    double scale; /* unit of one count */
};

/* Finds an event by the name of its unit's folder and its own name. Returns false when it does not
 * exist or does not fit into a 64-bit configuration. */
bool geo_perf_find(const struct geo_tree *tree, const char *unit, const char *name,
                   struct geo_perf_event *event);

/* Lists the CPUs among these that a unit is counted on: one for each package or die. */
uint32_t geo_perf_cpus(const struct geo_sysman *sysman, const char *unit, const cpu_set_t *cpus,
                       int *list, uint32_t room);

/* A set of events that are counted together. A zeroed set is empty. */
struct geo_perf_opened;
struct geo_perf_set {
    struct geo_perf_item {
        struct geo_perf_event event;
        int cpu;
        uint32_t sum;
    } *items; /* owned by the component */
    uint32_t count;
    _Atomic(struct geo_perf_opened *) opened;
};

/* Returns the scaled sums of the counts since the first read. Returns INSUFFICIENT_PERMISSIONS, or
 * NOT_AVAILABLE when the machine is recorded or the descriptors were closed, or errors as for a
 * file. */
ze_result_t geo_perf_read(struct geo_perf_set *set, const struct geo_tree *tree,
                          double sums[GEO_PERF_SUMS], struct geo_strbuf *why);
void geo_perf_finish(struct geo_perf_set *set);

#endif
