/* Reserved address ranges, and mappings of physical memory into them.
 *
 * A mapping is a record in the address map like other memory (GEO_ORIGIN_MAPPED). It is split if
 * access attributes or unmapping concern only a part of it. It keeps its physical memory alive.
 * Reservations have an address map of their own. All of this is protected by the memory lock. */
#ifndef GEO_DRIVER_MEM_VIRTUAL_H
#define GEO_DRIVER_MEM_VIRTUAL_H

#include "driver/mem/memory.h"
#include "driver/mem/physical.h"

/* Reserves an address range, at the hint if possible. */
GEO_MUST_CHECK ze_result_t geo_virtual_reserve(struct geo_context *context, const void *hint,
                                               uint64_t bytes, void **out);
/* Frees a whole reservation (a part is rejected), and unmaps what is still mapped in it. */
GEO_MUST_CHECK ze_result_t geo_virtual_free(struct geo_context *context, const void *base,
                                            uint64_t bytes);
GEO_MUST_CHECK ze_result_t geo_virtual_map(struct geo_context *context, const void *base,
                                           uint64_t bytes, struct geo_physical_memory *physical,
                                           uint64_t offset, ze_memory_access_attribute_t access);
/* Unmaps any pages of one reservation. Pages that are not mapped are skipped. */
GEO_MUST_CHECK ze_result_t geo_virtual_unmap(struct geo_context *context, const void *base,
                                             uint64_t bytes);
GEO_MUST_CHECK ze_result_t geo_virtual_set_access(struct geo_context *context, const void *base,
                                                  uint64_t bytes,
                                                  ze_memory_access_attribute_t access);
/* Returns the attribute at `base`, and how many bytes from there have the same one. Unmapped pages
 * have NONE. */
GEO_MUST_CHECK ze_result_t geo_virtual_get_access(struct geo_context *context, const void *base,
                                                  uint64_t bytes,
                                                  ze_memory_access_attribute_t *access,
                                                  uint64_t *same_bytes);

#endif
