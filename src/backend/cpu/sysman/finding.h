/* Shared state of the component classes: the machine, its CPUs, and the list of components that is
 * being built. */
#ifndef GEO_BACKEND_CPU_SYSMAN_FINDING_H
#define GEO_BACKEND_CPU_SYSMAN_FINDING_H

#include "backend/component_list.h"
#include "backend/cpu/sysman/tree.h"
#include "backend/host/device.h"
#include "backend/sysman.h"
#include "base/lock.h"

#include <sched.h>

#define GEO_SYSMAN_CPUS  CPU_SETSIZE
#define GEO_SYSMAN_UNITS GEO_CREW_CREWS

/* A root device or a sub-device, and where it runs. */
struct geo_sysman_unit {
    const struct geo_backend_device *device;
    int32_t subdevice; /* index among the sub-devices; -1: root device */
    int32_t node;      /* node of its memory; -1: all nodes */
    cpu_set_t cpus;
};

struct geo_sysman_watched;

struct geo_sysman {
    struct geo_tree tree;
    struct geo_sysman_device description;
    struct geo_arena texts; /* strings of the description */
    struct geo_sysman_unit whole;
    struct geo_sysman_unit *parts; /* [part_count], owned; the sub-devices */
    uint32_t part_count;
    _Atomic(struct geo_component_list *) lists[GEO_SYSMAN_CLASS_COUNT];
    /* Event state (whole.c): watched events, and counts at the last check. */
    /* Watcher: fork generation of the watching process (fork.h). */
    _Atomic uint32_t watched, watcher;
    _Atomic uint64_t throttles;
    _Atomic uint32_t health;
};

/* Returns the sub-devices, or the root device without sub-devices. Counters of single CPUs are
 * summed up for each of them. */
static inline const struct geo_sysman_unit *geo_finding_units(const struct geo_sysman *sysman,
                                                              uint32_t *count)
{
    *count = sysman->part_count ? sysman->part_count : 1;
    return sysman->part_count ? sysman->parts : &sysman->whole;
}

/* Returns whether the CPUs belong to the device, and sets *subdevice to the sub-device that has all
 * of them, or -1. */
bool geo_finding_place(const struct geo_sysman *sysman, const cpu_set_t *cpus, int32_t *subdevice);

/* Returns the lowest CPU of a set that is not empty. */
static inline int geo_finding_first_cpu(const cpu_set_t *cpus)
{
    int cpu = 0;
    while (cpu < GEO_SYSMAN_CPUS - 1 && !CPU_ISSET((size_t)cpu, cpus)) {
        cpu++;
    }
    return cpu;
}

/* The package of each of the device's CPUs, and the die in it; -1: unknown. */
struct geo_sysman_packages {
    int32_t package[GEO_SYSMAN_CPUS], die[GEO_SYSMAN_CPUS];
};
void geo_finding_packages(const struct geo_sysman *sysman, struct geo_sysman_packages *out);
/* Returns the CPUs of a package and die; die -1: all dies. */
void geo_finding_package_cpus(const struct geo_sysman_packages *packages, int32_t package,
                              int32_t die, cpu_set_t *out);

/* Reads a file that lists CPUs: "0-3,8" or "0 1 2". Returns false when it is missing or invalid. */
bool geo_finding_cpus_read(const struct geo_sysman *sysman, const char *path, cpu_set_t *out);

/* ---- building a list ---- */

struct geo_finding {
    struct geo_sysman *sysman;
    struct geo_component_list *list;
    struct geo_arena scratch; /* freed when the list is complete */
};

/* Call geo_component_list_memory and geo_component_list_add for the list that is being built. */
static inline void *geo_finding_memory(struct geo_finding *finding, size_t bytes)
{
    return geo_component_list_memory(finding->list, bytes);
}

static inline void *geo_finding_add(struct geo_finding *finding, size_t bytes, int32_t subdevice,
                                    void *opaque, const char *name)
{
    return geo_component_list_add(finding->list, bytes, subdevice, opaque, name);
}

/* Lists names in a folder, stored in the scratch arena. Returns an empty list and sets `failed`
 * when memory ran out. */
struct geo_tree_names geo_finding_names(struct geo_finding *finding, const char *folder,
                                        const char *prefix);

/* ---- helpers ---- */

/* Returns UNSUPPORTED_FEATURE and stores the reason. */
ze_result_t geo_finding_unsupported(struct geo_strbuf *why, const char *what);

/* Returns the maximum of all values so far. Used for counts that lose the share of a CPU that is
 * switched off. */
uint64_t geo_finding_monotonic(_Atomic uint64_t *last, uint64_t now);

#endif
