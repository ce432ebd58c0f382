/* Sysman of the CPU: the machine that a root device runs on, as its system shows it.
 *
 * A root device has CPUs, and so have its parts. What the system tells of packages, nodes and CPUs
 * is a component of the device when it has one of those CPUs, and of one of its parts when that
 * has all of them; what it tells of the machine belongs to every device.
 *
 * One file has one class, and one function: it looks for the components of the class, once, when
 * they are first asked for (finding.h). machine.c names them all. */
#ifndef GEO_BACKEND_CPU_SYSMAN_MACHINE_H
#define GEO_BACKEND_CPU_SYSMAN_MACHINE_H

#include "backend/host/device.h"
#include "backend/sysman.h"

struct geo_cpu_sysman_desc {
    const struct geo_backend_device *devices; /* the root device and its parts; live as long */
    uint32_t count;
    uint32_t driver_version;
    const char *root; /* as for the seam's open */
};

/* OUT_OF_HOST_MEMORY; INVALID_ARGUMENT: a root that is too long. */
ze_result_t geo_cpu_sysman_open(const struct geo_cpu_sysman_desc *desc, struct geo_sysman **out);

/* The seam's operations; NULL is accepted. */
void geo_cpu_sysman_close(struct geo_sysman *sysman);
const struct geo_sysman_device *geo_cpu_sysman_device(struct geo_sysman *sysman);
const struct geo_sysman_component *const *
geo_cpu_sysman_components(struct geo_sysman *sysman, enum geo_sysman_class kind, uint32_t *count);

#endif
