/* Reserved address ranges, physical memory objects and the mappings between them (VMM).
 *
 * A mapping is a piece of memory like any other in the address map (GEO_ORIGIN_MAPPED); it is cut
 * in pieces when access attributes or unmapping concern a part of it. It keeps its physical memory
 * alive. Reservations have a map of their own. All of it happens under the memory lock. */
#ifndef GEO_DRIVER_MEM_VIRTUAL_H
#define GEO_DRIVER_MEM_VIRTUAL_H

#include "driver/mem/memory.h"

struct geo_physical_memory {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;   /* NULL: on the host */
    struct geo_physical *physical;
    uint64_t bytes, id;
    ze_memory_type_t type;
    struct geo_physical_memory *next, *previous; /* open handles of the context, under the lock */
};

GEO_OBJECT_HANDLE(physical_memory, GEO_OBJECT_PHYSICAL_MEMORY, ze_physical_mem_handle_t)

GEO_MUST_CHECK ze_result_t geo_virtual_page_size(struct geo_context *context, uint64_t bytes,
                                                 uint64_t *page_bytes);
GEO_MUST_CHECK ze_result_t geo_virtual_reserve(struct geo_context *context, const void *hint,
                                               uint64_t bytes, void **out);
/* The whole reservation, no part of it; mappings left in it are unmapped. */
GEO_MUST_CHECK ze_result_t geo_virtual_free(struct geo_context *context, const void *base,
                                            uint64_t bytes);
GEO_MUST_CHECK ze_result_t geo_physical_memory_create(struct geo_context *context,
                                                      struct geo_device *device, uint64_t bytes,
                                                      struct geo_physical_memory **out);
/* zePhysicalMemDestroy: ends the handle; mappings keep the pages. */
void geo_physical_memory_close(struct geo_physical_memory *physical);
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
