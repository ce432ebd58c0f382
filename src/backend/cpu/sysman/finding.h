/* What the files of the classes share: the machine, its CPUs, and the list of components while it
 * is made. */
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

/* The root device or a part of it: where it runs. */
struct geo_sysman_unit {
    const struct geo_backend_device *device;
    int32_t subdevice; /* its place among the parts; -1: the root device */
    int32_t node;      /* of its memory; -1: all of them */
    cpu_set_t cpus;
};

struct geo_sysman_watched;

struct geo_sysman {
    struct geo_tree tree;
    struct geo_sysman_device description;
    struct geo_arena texts; /* of the description */
    struct geo_sysman_unit whole;
    struct geo_sysman_unit *parts; /* [part_count], owned */
    uint32_t part_count;
    _Atomic(struct geo_component_list *) lists[GEO_SYSMAN_CLASS_COUNT];
    /* What is watched (events.c): events, and counts when they were last looked at. */
    _Atomic uint32_t watched, watcher; /* by the process of this generation (fork.h) */
    _Atomic uint64_t throttles;
    _Atomic uint32_t health;
};

/* The parts where there are some, else the device: what counters of single CPUs are put together
 * for. */
static inline const struct geo_sysman_unit *geo_sysman_units(const struct geo_sysman *sysman,
                                                             uint32_t *count)
{
    *count = sysman->part_count ? sysman->part_count : 1;
    return sysman->part_count ? sysman->parts : &sysman->whole;
}

/* Whose the CPUs are: -1: the device's, or the number of a part. False: not of this device. */
bool geo_sysman_place(const struct geo_sysman *sysman, const cpu_set_t *cpus, int32_t *subdevice);

/* The lowest CPU of a set that has some. */
static inline int geo_sysman_first_cpu(const cpu_set_t *cpus)
{
    int cpu = 0;
    while (cpu < GEO_SYSMAN_CPUS - 1 && !CPU_ISSET((size_t)cpu, cpus)) {
        cpu++;
    }
    return cpu;
}

/* Which package each of the device's CPUs is in, and which die of it; -1 where nobody says. */
struct geo_sysman_packages {
    int32_t package[GEO_SYSMAN_CPUS], die[GEO_SYSMAN_CPUS];
};
void geo_sysman_packages(const struct geo_sysman *sysman, struct geo_sysman_packages *out);
/* The CPUs of a package; die -1: of all its dies. */
void geo_sysman_package_cpus(const struct geo_sysman_packages *packages, int32_t package,
                             int32_t die, cpu_set_t *out);

/* A file that lists CPUs, "0-3,8" or "0 1 2". False: there is none, or it says no such thing. */
bool geo_sysman_cpus_read(const struct geo_sysman *sysman, const char *path, cpu_set_t *out);

/* ---- making a list ---- */

struct geo_finding {
    struct geo_sysman *sysman;
    struct geo_component_list *list;
    struct geo_arena scratch; /* gone when the list is complete */
};

/* As geo_component_memory and geo_component_add. */
static inline void *geo_finding_memory(struct geo_finding *finding, size_t bytes)
{
    return geo_component_memory(finding->list, bytes);
}

static inline void *geo_finding_add(struct geo_finding *finding, size_t bytes, int32_t subdevice,
                                    void *opaque, const char *name)
{
    return geo_component_add(finding->list, bytes, subdevice, opaque, name);
}

/* Names in a folder, in the scratch; an empty list when memory ran out, which is noted. */
struct geo_tree_names geo_finding_names(struct geo_finding *finding, const char *folder,
                                        const char *prefix);

/* ---- small things ---- */

/* UNSUPPORTED_FEATURE, with a reason. */
ze_result_t geo_finding_unsupported(struct geo_strbuf *why, const char *what);

/* The larger of what was counted so far and `now`: for counts that lose what belonged to a CPU that
 * is switched off. */
uint64_t geo_sysman_monotonic(_Atomic uint64_t *last, uint64_t now);

#endif
