/* Register sets (geoid/debug.h) of this machine, and registers of a parked thread. */
#ifndef GEO_BACKEND_CPU_DEBUG_REGISTERS_H
#define GEO_BACKEND_CPU_DEBUG_REGISTERS_H

#include "backend/cpu/debug/cell.h"

#include <level_zero/zet_api.h>

/* Returns the register sets of this machine. stype and pNext are not set. */
const zet_debug_regset_properties_t *geo_cpu_debug_registers_sets(uint32_t *count);

/* Returns the set of a type, or NULL. */
const zet_debug_regset_properties_t *geo_cpu_debug_registers_find(uint32_t type);

/* Read and write registers of a set, which has them. The second one is only for sets that can be
 * written. It returns whether a value has changed. */
void geo_cpu_debug_registers_read(const struct geo_cpu_debug_cell *cell,
                                  const zet_debug_regset_properties_t *set, uint32_t start,
                                  uint32_t count, uint8_t *values);
bool geo_cpu_debug_registers_write(struct geo_cpu_debug_cell *cell,
                                   const zet_debug_regset_properties_t *set, uint32_t start,
                                   uint32_t count, const uint8_t *values);

/* Returns the local memory of the thread's work-group, and its size. */
uint64_t geo_cpu_debug_registers_local(const struct geo_cpu_debug_cell *cell, uint64_t *bytes);

#endif
