/* Everything that a device has only once: its description, and the operations on it. */
#ifndef GEO_BACKEND_CPU_SYSMAN_WHOLE_H
#define GEO_BACKEND_CPU_SYSMAN_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

struct geo_sysman;

/* Fills the description. Returns false when memory ran out. */
bool geo_cpu_sysman_describe(struct geo_sysman *sysman, uint32_t driver_version);

#endif
