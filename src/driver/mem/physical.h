/* Physical memory objects: pages without an address, of our own or from a foreign descriptor. They
 * are mapped into reserved ranges (virtual.h) and shared as a whole. The list of a context's
 * objects and their `share` are protected by the memory lock. */
#ifndef GEO_DRIVER_MEM_PHYSICAL_H
#define GEO_DRIVER_MEM_PHYSICAL_H

#include "driver/core/context.h"
#include "driver/mem/share.h"

/* A physical memory object of the application. Its mappings reference it. */
struct geo_physical_memory {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;   /* NULL: host memory */
    struct geo_physical *physical;
    uint64_t bytes, id;
    ze_memory_type_t type;
    struct geo_share share;                      /* descriptor of its IPC handles */
    struct geo_physical_memory *next, *previous; /* in context->physical, protected by the lock */
};

GEO_OBJECT_HANDLE(physical_memory, GEO_OBJECT_PHYSICAL_MEMORY, ze_physical_mem_handle_t)

/* geo_physical_page_size returns the page size for an allocation of this size.
 * geo_physical_check_size also returns UNSUPPORTED_SIZE if the size is not a multiple of it. */
GEO_MUST_CHECK ze_result_t geo_physical_page_size(struct geo_context *context, uint64_t bytes,
                                                  uint64_t *page_bytes);
GEO_MUST_CHECK ze_result_t geo_physical_check_size(struct geo_context *context, uint64_t bytes,
                                                   uint64_t *page_bytes);

/* Creates an object with new pages; device NULL: host memory. */
GEO_MUST_CHECK ze_result_t geo_physical_memory_create(struct geo_context *context,
                                                      struct geo_device *device, uint64_t bytes,
                                                      struct geo_physical_memory **out);
/* Creates an object from the first `bytes` of a descriptor. The descriptor is untrusted and stays
 * the caller's. */
GEO_MUST_CHECK ze_result_t geo_physical_memory_import(struct geo_context *context,
                                                      struct geo_device *device, uint64_t bytes,
                                                      int fd, struct geo_physical_memory **out);
/* Returns whether the candidate, which may be any pointer, is the handle of an object of the
 * context. */
bool geo_physical_memory_known(struct geo_context *context, const void *candidate,
                               struct geo_physical_memory **out);
/* Exports the whole object as a descriptor of one of these types; the caller owns it. */
GEO_MUST_CHECK ze_result_t geo_physical_memory_export_fd(const struct geo_physical_memory *physical,
                                                         ze_external_memory_type_flags_t types,
                                                         int *fd);
/* Returns the descriptor of the pages, which the backend owns and the caller must not close.
 * GEO_FD_NONE: the backend's pages have no descriptor. */
struct geo_fd geo_physical_memory_fd(const struct geo_physical_memory *physical);
/* Implements zePhysicalMemDestroy: ends the handle. Mappings keep the pages alive. */
void geo_physical_memory_close(struct geo_physical_memory *physical);

#endif
