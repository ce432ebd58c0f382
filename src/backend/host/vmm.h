/* Reserved address ranges and the physical memory mapped into them: implements the second half of
 * geo_memory_ops (backend.h). */
#ifndef GEO_BACKEND_HOST_VMM_H
#define GEO_BACKEND_HOST_VMM_H

#include "backend/backend.h"

ze_result_t geo_vmm_page_size(struct geo_backend *backend, uint64_t bytes, uint64_t *page_bytes);
ze_result_t geo_vmm_reserve(struct geo_backend *backend, const void *hint, uint64_t bytes,
                            void **out);
ze_result_t geo_vmm_unreserve(struct geo_backend *backend, const void *base, uint64_t bytes);
ze_result_t geo_vmm_physical_create(struct geo_backend *backend, struct geo_backend_device *device,
                                    uint64_t bytes, struct geo_physical **out);
ze_result_t geo_vmm_physical_import(struct geo_backend *backend, struct geo_backend_device *device,
                                    int fd, uint64_t bytes, struct geo_physical **out);
void geo_vmm_physical_destroy(struct geo_physical *physical);
struct geo_fd geo_vmm_physical_fd(const struct geo_physical *physical);
ze_result_t geo_vmm_map(struct geo_backend *backend, const void *base, uint64_t bytes,
                        struct geo_physical *physical, uint64_t offset,
                        ze_memory_access_attribute_t access);
ze_result_t geo_vmm_unmap(struct geo_backend *backend, const void *base, uint64_t bytes);
ze_result_t geo_vmm_set_access(struct geo_backend *backend, const void *base, uint64_t bytes,
                               ze_memory_access_attribute_t access);

#endif
