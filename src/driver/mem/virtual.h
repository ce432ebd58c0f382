/* Reserved address ranges and the mappings of physical memory into them (VMM).
 *
 * A mapping is a piece of memory like any other in the address map (GEO_ORIGIN_MAPPED); it is cut
 * in pieces when access attributes or unmapping concern a part of it. It keeps its physical memory
 * alive. Reservations have a map of their own. All of it happens under the memory lock. */
#ifndef GEO_DRIVER_MEM_VIRTUAL_H
#define GEO_DRIVER_MEM_VIRTUAL_H

#include "driver/mem/memory.h"
#include "driver/mem/physical.h"

GEO_MUST_CHECK ze_result_t geo_virtual_reserve(struct geo_context *context, const void *hint,
                                               uint64_t bytes, void **out);
/* The whole reservation, no part of it; mappings left in it are unmapped. */
GEO_MUST_CHECK ze_result_t geo_virtual_free(struct geo_context *context, const void *base,
                                            uint64_t bytes);
GEO_MUST_CHECK ze_result_t geo_virtual_map(struct geo_context *context, const void *base,
                                           uint64_t bytes, struct geo_physical_memory *physical,
                                           uint64_t offset, ze_memory_access_attribute_t access);
/* Any pages of one reservation; those that are not mapped stay so. */
GEO_MUST_CHECK ze_result_t geo_virtual_unmap(struct geo_context *context, const void *base,
                                             uint64_t bytes);
GEO_MUST_CHECK ze_result_t geo_virtual_set_access(struct geo_context *context, const void *base,
                                                  uint64_t bytes,
                                                  ze_memory_access_attribute_t access);
/* The attribute at base and how many of the bytes from there share it; unmapped pages have NONE. */
GEO_MUST_CHECK ze_result_t geo_virtual_get_access(struct geo_context *context, const void *base,
                                                  uint64_t bytes,
                                                  ze_memory_access_attribute_t *access,
                                                  uint64_t *same_bytes);

#endif
