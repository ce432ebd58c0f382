/* Sysman of the CPU: the machine that a root device runs on, as the operating system describes it.
 *
 * A root device and its sub-devices have CPUs. A component of a package, node or CPU belongs to the
 * device if they share a CPU, and to a sub-device if that has all of its CPUs. A component of the
 * whole machine belongs to every device.
 *
 * Each class has one file with one function that finds the components of the class at the first
 * query (finding.h). machine.c lists these functions. */
#ifndef GEO_BACKEND_CPU_SYSMAN_MACHINE_H
#define GEO_BACKEND_CPU_SYSMAN_MACHINE_H

#include "backend/host/device.h"
#include "backend/sysman.h"

struct geo_cpu_sysman_desc {
    /* The root device and its sub-devices; must outlive the sysman object. */
    const struct geo_backend_device *devices;
    uint32_t count;
    uint32_t driver_version;
    const char *root; /* as in geo_sysman_ops.open */
};

/* Returns OUT_OF_HOST_MEMORY, or INVALID_ARGUMENT when the root path is too long. */
ze_result_t geo_cpu_sysman_open(const struct geo_cpu_sysman_desc *desc, struct geo_sysman **out);

/* Operations of geo_sysman_ops. NULL is accepted. */
void geo_cpu_sysman_close(struct geo_sysman *sysman);
const struct geo_sysman_device *geo_cpu_sysman_device(struct geo_sysman *sysman);
const struct geo_sysman_component *const *
geo_cpu_sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count);

#endif
