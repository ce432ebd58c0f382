/* Physical memory objects: pages without an address, of our own or of a descriptor that somebody
 * gave us. They are mapped into reserved ranges (virtual.h) and shared as a whole. The list of a
 * context's objects and their shares are under the memory lock. */
#ifndef GEO_DRIVER_MEM_PHYSICAL_H
#define GEO_DRIVER_MEM_PHYSICAL_H

#include "driver/core/context.h"
#include "driver/mem/share.h"

struct geo_physical_memory {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;   /* NULL: on the host */
    struct geo_physical *physical;
    uint64_t bytes, id;
    ze_memory_type_t type;
    struct geo_share share;                      /* what its IPC handles carry */
    struct geo_physical_memory *next, *previous; /* open handles of the context, under the lock */
};

GEO_OBJECT_HANDLE(physical_memory, GEO_OBJECT_PHYSICAL_MEMORY, ze_physical_mem_handle_t)

/* The page for a size, and whether the size is whole pages of it: UNSUPPORTED_SIZE. */
GEO_MUST_CHECK ze_result_t geo_physical_page_size(struct geo_context *context, uint64_t bytes,
                                                  uint64_t *page_bytes);
GEO_MUST_CHECK ze_result_t geo_physical_check_size(struct geo_context *context, uint64_t bytes,
                                                   uint64_t *page_bytes);

GEO_MUST_CHECK ze_result_t geo_physical_memory_create(struct geo_context *context,
                                                      struct geo_device *device, uint64_t bytes,
                                                      struct geo_physical_memory **out);
/* The first bytes of a descriptor, which stays the caller's and is untrusted. */
GEO_MUST_CHECK ze_result_t geo_physical_memory_import(struct geo_context *context,
                                                      struct geo_device *device, uint64_t bytes,
                                                      int fd, struct geo_physical_memory **out);
/* Whether the candidate, any pointer, is the handle of one of the context's objects. */
bool geo_physical_memory_known(struct geo_context *context, const void *candidate,
                               struct geo_physical_memory **out);
/* A descriptor (the caller's) of all of it, of a type among these. */
GEO_MUST_CHECK ze_result_t geo_physical_memory_export_fd(const struct geo_physical_memory *physical,
                                                         ze_external_memory_type_flags_t types,
                                                         int *fd);
/* The backend's own; -1: none. */
struct geo_fd geo_physical_memory_fd(const struct geo_physical_memory *physical);
/* zePhysicalMemDestroy: ends the handle; mappings keep the pages. */
void geo_physical_memory_close(struct geo_physical_memory *physical);

#endif
